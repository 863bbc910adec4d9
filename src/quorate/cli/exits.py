"""Map errors to exit codes and messages."""

from __future__ import annotations

import os
import traceback

import click


def code_of(error: BaseException) -> int:
    """Return the exit code of an error; it depends on who can fix it."""
    from quorate.core.errors import InputError, RuleViolation, SettingError
    from quorate.exit_codes import BAD_INPUT, INTERNAL, INTERRUPTED, USAGE
    from quorate.store.journal import SessionBusy, UnknownSession

    if isinstance(error, click.Abort | KeyboardInterrupt):
        return INTERRUPTED
    # A session that does not exist or that another process drives is a wrong request, not a broken store.
    if isinstance(error, click.ClickException | SettingError | RuleViolation | UnknownSession | SessionBusy):
        return USAGE
    return BAD_INPUT if isinstance(error, InputError) else INTERNAL


def tell(error: Exception) -> str:
    """Return the message for an error, secrets masked; with a traceback if QUORATE_DEBUG is set."""
    from quorate.safety.secrets import without_secrets

    return without_secrets(_told(error))


def _told(error: Exception) -> str:
    from quorate.core.errors import QuorateError

    if os.environ.get("QUORATE_DEBUG"):
        return "".join(traceback.format_exception(error))
    if isinstance(error, QuorateError):
        return f"quorate: {error}"
    said = str(error).strip()
    words = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return (
        f"quorate: internal error: {words}\n"
        "Nothing that was said is lost: `quorate list` shows the sessions, `quorate resume SESSION` goes on.\n"
        "Set QUORATE_DEBUG=1 to see the traceback."
    )
