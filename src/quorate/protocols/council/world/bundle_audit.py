"""Auditing a council bundle from a file, whoever wrote it, against the rules of the council."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError
from quorate.evidence.bundle import FORMAT
from quorate.evidence.text import from_text
from quorate.files.json_places import lines_of
from quorate.files.named_file import text_of
from quorate.files.yaml import MOST_BYTES as MOST_AT_ONCE
from quorate.files.yaml import load, load_whole
from quorate.protocols.council.audit import Audit, Deviation, examine

NAMES = ("rfc_review.yaml", "rfc_review.json")
"""What a bundle is called in a folder of results."""
MOST_BYTES = 20_000_000
MOST_YAML = 5_000_000
"""YAML takes a hundred times as long to read as JSON."""


@dataclass(frozen=True, slots=True)
class Audited:
    """The result of auditing a file."""

    file: str
    rfc: str | None
    """The RFC that the bundle says it is about."""
    verdict: str | None
    """The verdict as the bundle states it."""
    found: Audit

    @property
    def holds(self) -> bool:
        """Whether nothing in the bundle contradicts a rule."""
        return self.found.broken == 0


def audit_file(path: Path) -> Audited:
    """Audit a bundle in YAML or JSON (a file, or a folder with one) against the rules of the council.

    Raises InputError if the file is neither; anything else wrong with it is a deviation, with its line.
    """
    path = _file(path)
    file = str(path)
    text = text_of(path, MOST_BYTES, "a bundle in YAML or JSON")
    if text.lstrip()[:1] == "{":
        data = from_text(text, file)
        found = _examined(data, file)
        lines = lines_of(text, [each.path for each in found.deviations])
        told = tuple(replace(each, line=lines[each.path]) for each in found.deviations)
    else:
        if len(text) > MOST_YAML:
            raise InputError(
                f"is too large to be read as YAML: {len(text):,} characters",
                file=file,
                expected=f"at most {MOST_YAML:,} characters, or the same bundle as JSON",
            )
        source = load(text, file) if len(text) <= MOST_AT_ONCE else load_whole(text, file)
        data = source.plain()
        found = _examined(data, file)
        told = tuple(replace(each, line=source.line_of(each.path)) for each in found.deviations)
    return Audited(file, _text(data, "rfc_id"), _text(data, "verdict"), replace(found, deviations=told))


def _file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = next((path / name for name in NAMES if (path / name).is_file()), None)
    if found is None:
        raise InputError("contains no council bundle", file=str(path), expected=f"a file named {' or '.join(NAMES)}")
    return found


def _examined(data: Any, file: str) -> Audit:
    if isinstance(data, dict) and data.get("format") == FORMAT:
        raise InputError(
            "is a session's bundle, not a council bundle; check it with `quorate check`",
            file=file,
            expected="a council bundle: " + " or ".join(NAMES),
        )
    return examine(data)


def _text(data: Any, name: str) -> str | None:
    found = data.get(name) if isinstance(data, dict) else None
    return found if isinstance(found, str) else None


__all__ = ["Audited", "Deviation", "audit_file"]
