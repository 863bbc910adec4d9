"""Labels file: what turned out to be right, one JSON object per line, beside the ledger of a project.

Lines are only ever appended, and existing bytes never change. The file is replaced atomically, so a crash leaves no
partial line, and the folder's lock keeps other processes out between reading and writing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError, StoreError, nearest
from quorate.files.lock import locked
from quorate.kit.strict_json import strict_json

LABELS_NAME = "labels.jsonl"
MOST_BYTES = 20_000_000
MOST_LINE = 20_000
MOST_NOTE = 2_000
_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Label:
    """What somebody found out about a session, or one of its findings, afterwards."""

    at: int
    """Milliseconds since 1970 (UTC)."""
    session: str
    protocol: str
    verdict: str
    """What the session had concluded."""
    seq: int
    """The last entry that was there to be judged."""
    head: str
    """Its hash, which seals everything before it."""
    truth: str
    """What turned out to be the case: a truth or a verdict of the protocol, or `right` or `wrong`."""
    finding: str = ""
    """The finding that it is about; empty for the session as a whole."""
    note: str = ""


def _text(least: int, most: int) -> Callable[[Any], str]:
    def wrong(value: Any) -> str:
        fits = isinstance(value, str) and least <= len(value) <= most
        return "" if fits else f"a text of {least} to {most:,} characters"

    return wrong


MOST_NUMBER = 253_402_214_400_000
"""Milliseconds up to the last day that dates can be written of."""


def _number(value: Any) -> str:
    return "" if type(value) is int and 0 <= value <= MOST_NUMBER else f"a whole number from 0 to {MOST_NUMBER:,}"


_WRONG: dict[str, Callable[[Any], str]] = {
    "at": _number,
    "session": _text(1, 200),
    "protocol": _text(1, 200),
    "verdict": _text(1, 200),
    "seq": _number,
    "head": lambda value: "" if isinstance(value, str) and _HASH.fullmatch(value) else "64 digits from 0-9 and a-f",
    "truth": _text(1, 200),
    "finding": _text(0, 200),
    "note": _text(0, MOST_NOTE),
}
"""What a value of each key has to be; empty where it is."""
_NEEDED = tuple(each.name for each in fields(Label) if each.name not in ("finding", "note"))


def read_labels(path: Path) -> tuple[Label, ...]:
    """Return all labels in the order they were given; InputError with the line of an invalid one."""
    return _labels(_read(path), str(path))


def add_label(path: Path, label: Label) -> tuple[Label, ...]:
    """Add a label durably, and return all. An unreadable file is left as it is."""
    line = json.dumps({name: value for name, value in asdict(label).items() if value != ""}, ensure_ascii=False)
    with locked(path.parent):
        text = _read(path)
        before = _labels(text, str(path))
        added = _parse(line, str(path), text.count("\n") + 1)  # what could not be read again is not written
        _write(path, f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n")
    return (*before, added)


def _labels(text: str, file: str) -> tuple[Label, ...]:
    return tuple(_parse(line, file, number) for number, line in enumerate(text.split("\n"), start=1) if line.strip())


def _read(path: Path) -> str:
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise InputError("is not a file", file=str(path), expected="labels, one to a line")
    if not path.exists():
        return ""
    try:
        with path.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise InputError(f"has more than {MOST_BYTES:,} bytes", file=str(path), expected="labels, one to a line")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8 text", file=str(path), line=line, expected="a label") from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(path), expected="labels") from error


def _parse(line: str, file: str, number: int) -> Label:
    def wrong(what: str, expected: str, key: str | None = None, near: str | None = None) -> InputError:
        return InputError(what, file=file, line=number, key=key, expected=expected, nearest=near)

    if len(line) > MOST_LINE:
        raise wrong(f"has more than {MOST_LINE:,} characters", "a label")
    try:
        data = strict_json(line)
    except (ValueError, RecursionError) as error:
        raise wrong(
            f"is not JSON: {str(error)[:200]}", "a label; remove the line, or bring it back from git"
        ) from error
    if not isinstance(data, dict):
        raise wrong("is not a JSON object", "a label")
    for key in data:
        if key not in _WRONG:
            raise wrong("is unknown", "one of " + ", ".join(_WRONG), key[:80], nearest(key[:80], _WRONG))
    for key in _NEEDED:
        if key not in data:
            raise wrong(f"has no {key!r}", "the keys " + ", ".join(_NEEDED))
    for key, value in data.items():
        if expected := _WRONG[key](value):
            raise wrong(f"is {json.dumps(value, ensure_ascii=False)[:60]}", expected, key)
    return Label(**data)


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.unlink(missing_ok=True)
        with draft.open("xb") as opened:
            opened.write(text.encode("utf-8"))
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(path)
    except (OSError, UnicodeEncodeError) as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise StoreError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
