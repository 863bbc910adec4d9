"""Ledger parser: people merge the file by hand, so every error has its line and says what to do."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import InputError, nearest
from quorate.kit.debt import Dismissal
from quorate.kit.findings import Finding, Severity
from quorate.kit.ledger import MOST_TEXT, FindingStatus, Ledger, LedgerEntry

VERSION = 1
MOST_BYTES = 50_000_000
MOST_ENTRIES = 50_000
_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_KEY = re.compile(r"[0-9a-f]{12}")
_SOURCES = ("check", "committee", "claim")
_STATUSES = {status.value: status for status in FindingStatus if status is not FindingStatus.UNSEEN}
_SEVERITIES = {severity.value: severity for severity in Severity}


class _Wrong(Exception):
    """An invalid value, raised before its file and line are known."""

    def __init__(self, what: str, expected: str, near: str | None = None) -> None:
        super().__init__(what)
        self.what, self.expected, self.near = what, expected, near


Take = Callable[[Any], Any]


def _text(most: int, least: int = 0) -> Take:
    def take(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value) <= most:
            raise _Wrong(f"is {_shown(value)}", f"a text of {least} to {most:,} characters")
        return value

    return take


def _one_of(names: Mapping[str, Any]) -> Take:
    def take(value: Any) -> Any:
        if not isinstance(value, str) or value not in names:
            near = nearest(value, names) if isinstance(value, str) else None
            raise _Wrong(f"is {_shown(value)}", "one of " + ", ".join(names), near)
        return names[value]

    return take


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= 1_000_000:
        raise _Wrong(f"is {_shown(value)}", "a whole number from 0 to 1,000,000")
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise _Wrong(f"is {_shown(value)}", "true or false")
    return value


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > 100 or not all(isinstance(n, str) and len(n) <= 200 for n in value):
        raise _Wrong(f"is {_shown(value)}", "a list of at most 100 names")
    return tuple(value)


_FINDING: dict[str, Take] = {
    "severity": _one_of(_SEVERITIES),
    "rule": _text(500, 1),
    "path": _text(5_000),
    "message": _text(MOST_TEXT),
    "evidence": _text(MOST_TEXT),
    "consequence": _text(MOST_TEXT),
    "action": _text(MOST_TEXT),
    "source": _one_of({name: name for name in _SOURCES}),
    "raised_by": _names,
    "veto": _text(200),
    "blocking": _flag,
    "occurrence": _number,
    "fingerprint": _text(100),
}
_ENTRY: dict[str, Take] = {"status": _one_of(_STATUSES), "first_seen": _text(200, 1), "since": _text(200, 1)}
_DISMISSAL: dict[str, Take] = {
    "reason": _text(MOST_TEXT, 1),
    "by": _text(200, 1),
    "false_positive": _flag,
    "touches": _number,
    "commit": _text(100),
}
_NEEDED = ("status", "severity", "rule", "path", "first_seen", "since")


def parse(text: str, file: str) -> Ledger:
    """Parse the text of a ledger; InputError with file and line if it is invalid."""
    if len(text) > MOST_BYTES:
        raise InputError(f"has more than {MOST_BYTES:,} characters", file=file, expected="a ledger")
    if (found := _CONFLICT.search(text)) is not None:
        raise InputError(
            "has a merge conflict",
            file=file,
            line=_line(text, found.start()),
            expected="the findings of both sides, each key once, without the lines that git put there",
        )
    reader = _Reader(text, file)
    top = reader.json()
    reader.keys(top, ("version", "findings"), ("version", "findings"), "")
    if top["version"] != VERSION or type(top["version"]) is not int:
        raise reader.error(
            f"is {_shown(top['version'])}", f"{VERSION}; a newer ledger needs a newer Quorate", "version"
        )
    if not isinstance(top["findings"], dict) or len(top["findings"]) > MOST_ENTRIES:
        raise reader.error("is not a mapping of findings by key", f"at most {MOST_ENTRIES:,}", "findings")
    return Ledger({key: reader.entry(key, data) for key, data in top["findings"].items()})


class _Reader:
    """Parser of one text; positions are computed only for an error."""

    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file

    def error(self, what: str, expected: str, *path: str, near: str | None = None) -> InputError:
        """Return the error for the value at a path of keys."""
        place = 0
        for key in path:
            found = self.text.find(json.dumps(key, ensure_ascii=False), place)
            place = found if found >= 0 else place
        named = ".".join(key[:80] for key in path) or None
        line = _line(self.text, place) if path else None
        return InputError(what, file=self.file, line=line, key=named, expected=expected, nearest=near)

    def json(self) -> dict[str, Any]:
        try:
            data = json.loads(self.text, object_pairs_hook=self._once, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            raise InputError(
                f"is not JSON: {error.msg}",
                file=self.file,
                line=error.lineno,
                expected="a ledger; `git checkout -- FILE` brings back the last one that was committed",
            ) from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"cannot be read: {str(error)[:200]}", file=self.file, expected="a ledger") from error
        if not isinstance(data, dict):
            raise InputError("is not a JSON object", file=self.file, line=1, expected="a ledger")
        return data

    def _once(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            quoted = json.dumps(twice, ensure_ascii=False)
            again = self.text.find(quoted, self.text.find(quoted) + 1)
            line = _line(self.text, again) if _KEY.fullmatch(twice) else None  # a field stands in every entry
            raise InputError(
                "appears twice", file=self.file, line=line, key=twice[:80], expected="each key once; remove one of them"
            )
        return made

    def keys(self, data: Any, known: tuple[str, ...], needed: tuple[str, ...], *path: str) -> None:
        """Raise unless it is a mapping with only known keys and all required ones."""
        path = tuple(part for part in path if part)
        if not isinstance(data, dict):
            raise self.error(f"is {_shown(data)}", "a mapping", *path)
        for key in data:
            if key not in known:
                raise self.error("is unknown", "one of " + ", ".join(known), *path, key, near=nearest(key, known))
        for key in needed:
            if key not in data:
                raise self.error(f"has no {key!r}", "the keys " + ", ".join(needed), *path)

    def entry(self, key: str, data: Any) -> LedgerEntry:
        if _KEY.fullmatch(key) is None:
            raise self.error("is not a key", "twelve digits from 0-9 and a-f", key)
        self.keys(data, (*_ENTRY, *_FINDING, "dismissal"), _NEEDED, key)
        finding = Finding(**self._values(data, _FINDING, key))
        own = self._values(data, _ENTRY, key)
        dismissal = None
        if "dismissal" in data:
            self.keys(data["dismissal"], tuple(_DISMISSAL), ("reason", "by"), key, "dismissal")
            dismissal = Dismissal(**self._values(data["dismissal"], _DISMISSAL, key, "dismissal"))
        if (dismissal is not None) != (own["status"] is FindingStatus.DISMISSED):
            raise self.error(
                "is dismissed without a reason, or has a reason and is not dismissed", "a dismissal with a reason", key
            )
        if dismissal is not None and finding.veto and not dismissal.false_positive:
            raise self.error(
                f"defers a {finding.veto}, which cannot be deferred",
                "a false positive, or no dismissal",
                key,
                "dismissal",
            )
        if finding.key != key:
            raise self.error("is not the key of the finding below it", f"{finding.key}, or the entry as it was", key)
        return LedgerEntry(finding, dismissal=dismissal, **own)

    def _values(self, data: dict[str, Any], takes: Mapping[str, Take], *path: str) -> dict[str, Any]:
        found = {}
        for name, take in takes.items():
            if name in data:
                try:
                    found[name] = take(data[name])
                except _Wrong as wrong:
                    raise self.error(wrong.what, wrong.expected, *path, name, near=wrong.near) from None
        return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, max(0, place)) + 1


def _shown(value: Any) -> str:
    told = json.dumps(value, ensure_ascii=False)
    return told if len(told) <= 60 else told[:59] + "…"
