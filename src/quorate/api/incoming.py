"""What people say, on its way into a journal: secrets of the change are masked before a word is kept.

A person who amends a change has the files at hand, and a patch made with `git diff` quotes what the committee was only
shown masked. The masks are those of the change, so that the checks can put the secrets back to apply the patch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError
from quorate.core.record import Opening
from quorate.intake.change.read import read_change
from quorate.intake.change.source import from_plain
from quorate.intake.change.trees import close
from quorate.participants.checks.masking import Masks
from quorate.participants.checks.secrets import secrets_in, secrets_in_text


def masked_answer(opening: Opening, data: Any) -> Any:
    """Return an answer without any secret that is known; of sessions without a change it is the answer itself."""
    run = opening.run.get("review")
    if run is None or not isinstance(data, Mapping):
        return data
    known = _masks(run)

    def masked(text: str) -> str:
        # Masks that the person was shown are put back first, or they would be escaped as if they were ordinary text.
        with suppress(InputError):
            text = known.unmask(text)
        return known.extended(secrets_in_text(text)).mask(text)

    return _each_text(data, masked)


def _masks(run: Mapping[str, Any]) -> Masks:
    try:
        change = read_change(from_plain(run["source"]), Path(run["folder"]))
    except InputError:  # what came from stdin is gone; secrets are still told by their format
        return Masks(())
    try:
        return Masks.of(secrets_in(change))
    finally:
        close(change)


def _each_text(data: Any, change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return change(data)
    if isinstance(data, Mapping):
        return {name: _each_text(each, change) for name, each in data.items()}
    return [_each_text(each, change) for each in data] if isinstance(data, list) else data
