"""Provider errors: whether to retry, how long to wait, and what to tell the user."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

from quorate.participants.providers import ModelSpec

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError

LONGEST_WAIT = 60.0
"""Seconds. A provider that asks for more is not waited for; the record says so."""
WORTH_REPEATING = frozenset({408, 409, 425})
MOST_WORDS = 500
"""Characters of a provider's words that are kept."""


def wait_before_retry(error: ModelAPIError, tried: int, first: float, seed: int) -> float | None:
    """Return the seconds to wait before the next attempt, or None if a retry cannot help.

    Exponential backoff. The jitter is derived from the ask's seed, so that seats that failed together do not retry
    together, and runs are reproducible.
    """
    if not _may_pass(error):
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= LONGEST_WAIT else None
    drawn = int.from_bytes(sha256(f"{seed}\0{tried}".encode()).digest()[:4]) / 2**32
    return float(min(LONGEST_WAIT, first * 2**tried) * (0.5 + drawn / 2))


def _may_pass(error: ModelAPIError) -> bool:
    from pydantic_ai.exceptions import (
        ModelConnectionError,
        ModelHTTPError,
        ModelRateLimitError,
        ModelServerError,
        ModelUnavailableError,
    )

    if isinstance(error, ModelHTTPError):
        if error.provider_retry_hint is False:
            return False
        if error.status_code in WORTH_REPEATING:
            return True
    return isinstance(error, ModelConnectionError | ModelRateLimitError | ModelServerError | ModelUnavailableError)


def explain(error: ModelAPIError, spec: ModelSpec) -> str:
    """Return the provider's error message with advice on what to do."""
    from pydantic_ai.exceptions import ModelHTTPError

    words = _words(error.body) or error.message
    if isinstance(error, ModelHTTPError):
        words = f"{error.status_code}: {words}"
    advice = _advice(error, spec)
    return f"{spec}: {words[:MOST_WORDS]}" + (f" ({advice})" if advice else "")


def _words(body: object) -> str:
    """Find the message in an error body; providers put it in different places."""
    if isinstance(body, str):
        try:
            return _words(json.loads(body)) if body.startswith("{") else body.strip()
        except ValueError:
            return body.strip()
    if isinstance(body, Mapping):
        for name in ("message", "error", "detail"):
            if found := _words(body.get(name)):
                return found
    return ""


def _advice(error: ModelAPIError, spec: ModelSpec) -> str:
    from pydantic_ai.exceptions import (
        ModelAuthenticationError,
        ModelConnectionError,
        ModelContextWindowExceededError,
        ModelHTTPError,
        ModelNotFoundError,
        ModelQuotaExceededError,
    )

    match error:
        case ModelAuthenticationError():
            return (
                f"check the key in {' or '.join(spec.variables) or 'the environment'}, and that it may use this model"
            )
        case ModelNotFoundError():
            near = error.suggested_model_id if isinstance(error, ModelHTTPError) else None
            return "check the name of the model and the address" + (f"; did you mean {near!r}?" if near else "")
        case ModelContextWindowExceededError():
            return "set `window` for this seat in the panel, and what it is shown is cut to fit"
        case ModelQuotaExceededError():
            return "the account has no credit left; waiting does not help"
        case ModelConnectionError():
            return "is the server running, and the address right?"
        case _ if error.retry_after is not None and error.retry_after > LONGEST_WAIT:
            return f"it asks to wait {error.retry_after:.0f} seconds; at most {LONGEST_WAIT:.0f} are waited"
        case _:
            return ""
