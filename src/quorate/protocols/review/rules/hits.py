"""Narrow questions: the forms of their answers, and the items that hits become (R50 to R52)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from quorate.core.forms import AtMost, Key, Prose, Refers, Reply, is_blank, mark, mark_in_material
from quorate.core.values import value
from quorate.kit.findings import Severity
from quorate.kit.view_cuts import still_whole
from quorate.protocols.review.rules.forms import FixItem, ReadPart
from quorate.protocols.review.rules.model import WHOLE, Rule, Standing, file_key
from quorate.protocols.review.rules.parts import Part

MOST_HITS = 2
"""Hits of one answer (R51)."""
NOTHING = Prose("")


class HitKind(Enum):
    """What goes wrong where a line fails."""

    WRONG_RESULT = "wrong result"
    CRASH = "crash"
    LOST_DATA = "lost data"
    ATTACK = "attack"
    RACE = "race"
    HIDDEN_ERROR = "hidden error"
    LEAK = "leak"


WEIGHS: Mapping[HitKind, tuple[Rule, Severity]] = {
    HitKind.WRONG_RESULT: (Rule.CORRECTNESS, Severity.HIGH),
    HitKind.CRASH: (Rule.CORRECTNESS, Severity.HIGH),
    HitKind.LOST_DATA: (Rule.DATA_LOSS, Severity.CRITICAL),
    HitKind.ATTACK: (Rule.SECURITY, Severity.CRITICAL),
    HitKind.RACE: (Rule.CONCURRENCY, Severity.HIGH),
    HitKind.HIDDEN_ERROR: (Rule.ERROR_HANDLING, Severity.MEDIUM),
    HitKind.LEAK: (Rule.OPERATIONS, Severity.MEDIUM),
}
"""The rule and the severity of the item that a hit becomes (R51)."""


class Answer(Enum):
    """What the skeptic makes of one hit."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_TELL = "cannot tell"


STANDINGS: Mapping[Answer, Standing] = {
    Answer.HOLDS: Standing.CONFIRMED,
    Answer.DOES_NOT_HOLD: Standing.REFUTED,
    Answer.CANNOT_TELL: Standing.PLAUSIBLE,
}


@value(frozen=True, slots=True)
class Hit:
    """A line that fails, as a reader sees it."""

    line: Annotated[Key, Refers(), "the line that fails, by its key"]
    fails: Annotated[Prose, AtMost(300), "one sentence: the input, and what goes wrong with it"]
    kind: Annotated[HitKind, "what goes wrong"]
    unfounded: bool = mark(lambda hit: is_blank(hit.fails))


@value(frozen=True, slots=True)
class Hits(Reply):
    """The answer to a narrow question."""

    hits: Annotated[tuple[Hit, ...], AtMost(MOST_HITS), "a line that fails for some input; none in most changes"]
    whole: bool = mark_in_material(still_whole)
    """Its reader was shown all of the part (R45)."""


@value(frozen=True, slots=True)
class Refutation(Reply):
    """What the skeptic makes of one hit; its ask has the key of the item."""

    reason: Annotated[Prose, AtMost(300), "one sentence: what the line does with that input"]
    answer: Annotated[Answer, "whether the claim is true of the line"]


NARROW_FORMS = (Hits, Refutation)
NARROW_BRIEFS = ("narrow", "refute")
READING_BRIEFS = ("read", "narrow")
"""In which readers are asked about a part."""


def line_key(number: int) -> Key:
    return Key(f"L{number}")


def line_keys(part: Part) -> tuple[Key, ...]:
    """Return the keys of the changed lines of a part (R50)."""
    return tuple(line_key(number) for span in part.spans for number in range(span.first, span.last + 1))


def found_in(part: Part, reply: object, lines: Mapping[Key, Prose] | None = None) -> tuple[FixItem, ...]:
    """Return what a reader of a part found as items; the evidence of a hit is its line, where `lines` has it."""
    match reply:
        case ReadPart():
            return reply.items
        case Hits():
            return tuple(_as_item(part, hit, (lines or {}).get(hit.line, NOTHING)) for hit in reply.hits)
        case _:
            return ()


def shown_whole(reply: object) -> bool:
    """Return whether this is a usable answer of a reader that was shown all of its part (R45)."""
    return isinstance(reply, ReadPart | Hits) and reply.whole


def _as_item(part: Part, hit: Hit, line: Prose) -> FixItem:
    rule, severity = WEIGHS[hit.kind]
    return FixItem(_file_of(part, hit.line), rule, line, hit.fails, NOTHING, severity, hit.unfounded, quoted=True)


def _file_of(part: Part, line: Key) -> Key:
    number = int(line[1:])
    return next((file_key(span.file) for span in part.spans if span.first <= number <= span.last), WHOLE)
