"""Recorded ballots: who answered what in which round, with the truth where it is known; read strictly from JSON lines.

One line is one item:

    {"item": "q1", "truth": "B", "ballots": [{"voter": "a", "round": 1, "answer": "B"}, ...]}

`truth` and `answer` may be null: not known, and no usable answer. A voter has one ballot in a round. `recorded` may say
what whoever recorded it decided. Nothing else may stand there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from quorate.codec.canonical import clean
from quorate.core.errors import InputError
from quorate.files.named_file import text_of
from quorate.kit.strict_json import strict_json

MOST_BYTES = 200_000_000
MOST_ITEMS = 100_000
MOST_BALLOTS = 1_000
"""Of one item."""
MOST_ROUNDS = 1_000
MOST_NAME = 200
MOST_ANSWER = 300
"""Characters of an answer; a longer text is no answer that could be compared."""


@dataclass(frozen=True, slots=True)
class Ballot:
    voter: str
    round: int
    """From 1."""
    answer: str | None
    """None where there was no usable answer."""


@dataclass(frozen=True, slots=True)
class RecordedItem:
    """One decided item."""

    id: str
    truth: str | None
    ballots: tuple[Ballot, ...]
    recorded: str | None = None
    """What whoever recorded it decided."""

    @property
    def voters(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.voter for each in self.ballots))

    def first(self) -> dict[str, str | None]:
        """Return the answers of the first round, by voter."""
        return {each.voter: each.answer for each in self.ballots if each.round == 1}

    def last(self) -> dict[str, str | None]:
        """Return the last answer of each voter."""
        return {each.voter: each.answer for each in sorted(self.ballots, key=lambda each: each.round)}


@dataclass(frozen=True, slots=True)
class Recorded:
    """The items of a file, and notes on what was left out."""

    items: tuple[RecordedItem, ...]
    missing: tuple[str, ...] = ()
    """Sentences: what is not in the records, or could not be read from them as a ballot."""

    @classmethod
    def of(cls, items: tuple[RecordedItem, ...], missing: Counter[str]) -> Recorded:
        """Build it with each note once, its count in the place of `{n}`."""
        return cls(items, tuple(sentence.format(n=f"{count:,}") for sentence, count in missing.items() if count))


@dataclass(frozen=True, slots=True)
class At:
    """A place in a file, for errors."""

    file: str
    line: int | None = None
    key: str = ""

    def __truediv__(self, key: str | int) -> At:
        shown = clean(str(key))[:60]
        return At(self.file, self.line, f"{self.key}.{shown}" if self.key else shown)

    def wrong(self, what: str, expected: str) -> NoReturn:
        raise InputError(what, file=self.file, line=self.line, key=self.key or None, expected=expected)

    def mapping(self, value: Any, known: Iterable[str] | None = None) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            self.wrong("is not an object", "an object")
        for name in value if known is not None else ():
            if name not in (known or ()):
                (self / name).wrong("unknown key", "one of " + ", ".join(known or ()))
        return value

    def entries(self, value: Any, most: int) -> list[Any]:
        if not isinstance(value, list) or len(value) > most:
            self.wrong("is not a list, or is too long", f"a list of at most {most:,}")
        return value

    def text(self, value: Any, most: int) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= most:
            self.wrong("is not a text, or is empty or too long", f"a text of at most {most:,} characters")
        if clean(value) != value:
            self.wrong("contains NUL or half of a surrogate pair", "a text")
        return value

    def prose(self, value: Any, most: int) -> str:
        """Return a text that a model wrote: it may be empty, and invalid characters are replaced."""
        if not isinstance(value, str) or len(value) > most:
            self.wrong("is not a text, or is too long", f"a text of at most {most:,} characters")
        return clean(value)

    def whole(self, value: Any, most: int, least: int = 1) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.wrong("is not a number in range", f"a whole number from {least} to {most:,}")
        return value


def parsed(path: Path, text: str, line: int | None = None) -> Any:
    """Parse JSON strictly: no duplicate keys, no NaN, bounded depth; InputError has the place."""
    try:
        return strict_json(text)
    except (ValueError, RecursionError) as error:
        what = "is nested too deep" if isinstance(error, RecursionError) else f"is not valid JSON: {error}"
        raise InputError(what, file=str(path), line=line, expected="JSON") from error


def read_lines(path: Path) -> Recorded:
    """Read recorded ballots from JSON lines."""
    text = text_of(path, MOST_BYTES, "JSON lines of ballots")
    found: list[RecordedItem] = []
    for number, line in enumerate(text.split("\n"), start=1):  # an answer may hold other ends of lines
        if line.strip():
            found.append(_item(At(str(path), number), parsed(path, line, number)))
    return Recorded(checked(path, found))


def checked(path: Path, found: list[RecordedItem]) -> tuple[RecordedItem, ...]:
    """Return the items unchanged; raise InputError if there are none, too many, or two of one name."""
    if not 1 <= len(found) <= MOST_ITEMS:
        At(str(path)).wrong(f"has {len(found):,} items", f"1 to {MOST_ITEMS:,}")
    seen: set[str] = set()
    for item in found:
        if item.id in seen:
            At(str(path)).wrong(f"has the item {item.id[:60]!r} twice", "each once")
        seen.add(item.id)
    return tuple(found)


def _item(at: At, data: Any) -> RecordedItem:
    given = at.mapping(data, ("item", "truth", "ballots", "recorded"))
    if "item" not in given or "ballots" not in given:
        at.wrong("is not an item", "`item` and `ballots`")
    ballots = [
        _ballot(at / "ballots" / number, each)
        for number, each in enumerate((at / "ballots").entries(given["ballots"], MOST_BALLOTS))
    ]
    places = [(each.voter, each.round) for each in ballots]
    if len(set(places)) < len(places):
        (at / "ballots").wrong("has two ballots of one voter in one round", "one")
    return RecordedItem(
        (at / "item").text(given["item"], MOST_NAME),
        _answer(at / "truth", given.get("truth")),
        tuple(ballots),
        _answer(at / "recorded", given.get("recorded")),
    )


def _ballot(at: At, data: Any) -> Ballot:
    given = at.mapping(data, ("voter", "round", "answer"))
    voter = (at / "voter").text(given.get("voter"), MOST_NAME)
    number = (at / "round").whole(given.get("round", 1), MOST_ROUNDS)
    return Ballot(voter, number, _answer(at / "answer", given.get("answer")))


def _answer(at: At, value: Any) -> str | None:
    return None if value is None else at.text(value, MOST_ANSWER)


def lines_of(items: Iterable[RecordedItem]) -> str:
    """Return recorded ballots as JSON lines."""
    return "".join(json.dumps(_plain(item), ensure_ascii=False) + "\n" for item in items)


def _plain(item: RecordedItem) -> dict[str, Any]:
    ballots = [{"voter": each.voter, "round": each.round, "answer": each.answer} for each in item.ballots]
    return {"item": item.id, "truth": item.truth, "ballots": ballots, "recorded": item.recorded}
