"""What a narrow review shows for one ask: a hunk with its keys, and, to the skeptic, one claim about it (R51, R52)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Section
from quorate.protocols.review.rules.item_words import asked_about
from quorate.protocols.review.rules.lines import part_with
from quorate.protocols.review.rules.protocol import Review
from quorate.protocols.review.rules.receipt import under_review
from quorate.protocols.review.rules.sight import piece_section

Words = Callable[[str, str, Seat, int], Section]


def hunk_shown(review: Review, record: Record, ask: Ask) -> Iterator[Section]:
    """Yield the part that a reader is asked about."""
    part, _ = review.readings.due(record.session.state)[int(ask.id.partition(".")[2])]
    yield piece_section(under_review(record), part)


def claim_shown(record: Record, ask: Ask, words: Words) -> Iterator[Section]:
    """Yield the part that a hit is in, and what its reader says of the line, without the reader's name."""
    now = under_review(record)
    parts = now.examination.parts if now.examination is not None else ()
    for each in asked_about(record, ask):
        if (part := part_with(parts, each.line)) is not None:
            yield piece_section(now, part)
        said = f"L{each.line} {each.evidence.strip()}\nIt fails: {each.words}"
        yield words(f"Claim {each.key}", said, ask.seat, 1)
