"""Ballots and fix items as text for a view, without names: in full, or claims and evidence alone (R31, R37)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.forms import Key, Prose
from quorate.core.record import Record, Said
from quorate.core.types import Ask, Seat
from quorate.kit.ground import is_grounded
from quorate.kit.qualification import TOLD
from quorate.protocols.review.rules.ballot_count import holds_veto
from quorate.protocols.review.rules.forms import Ballot, FixItem
from quorate.protocols.review.rules.items import RaisedItem, raised_items, said_of_part
from quorate.protocols.review.rules.model import ReviewSettings, Stance
from quorate.protocols.review.rules.receipt import UnderReview, under_review


def asked_about(record: Record, ask: Ask) -> Iterator[RaisedItem]:
    """Yield the items that an ask is about, in the words in which they were raised."""
    return (each for each in raised_items(record) if each.key in ask.keys)


def in_words(record: Record, raised: RaisedItem) -> str:
    """Return an item as text, with the change that it was raised about."""
    if raised.fix is not None:
        return described(raised.fix, under_review(record, raised.round))
    ballot = raised.ballot
    assert ballot is not None, "what a reader found is a fix item"
    return f"A veto that does not count as one ({ballot.veto_class.value}): {ballot.veto_evidence}\n{ballot.opinion}"


def how_it_counts(settings: ReviewSettings, seat: Seat) -> str:
    """Return what a member is told of its ballot (R7, R8, R22, R40, R48)."""
    if not settings.counts(seat):
        return TOLD
    worst = settings.blocking_severity.value
    kept = "Items" if settings.literal else f"Items of at least {worst} severity"
    veto = "counts" if holds_veto(settings, seat) else "counts as OPPOSE with a critical item"
    return (
        f"A VETO of yours {veto}. Confidence under {settings.abstain_below} counts as ABSTAIN. "
        f"{kept} keep the change out until they are fixed, where their evidence is found in what you are shown. "
        "Evidence that is not found there is shown to people and blocks nothing."
    )


def told(ballot: Ballot, change: UnderReview) -> str:
    """Return a ballot as text, without its member's name; `change` is what it was about."""
    items = "".join(f"\n- {described(item, change)}" for item in ballot.items)
    veto = f"\nVeto ({ballot.veto_class.value}): {ballot.veto_evidence}" if ballot.stance.value == "veto" else ""
    return f"{ballot.stance.name}, confidence {ballot.confidence} of 100\n{ballot.opinion}{veto}{items}"


def claimed(ballot: Ballot, change: UnderReview, seen: str) -> str:
    """Return a ballot's claims and the evidence that occurs in `seen`, without its member's own words (R37)."""
    items = "".join(f"\n- {bare(item, change, seen)}" for item in ballot.items)
    quoted = quotation(ballot.veto_evidence, seen)
    veto = f"\nVeto ({ballot.veto_class.value}): {quoted}" if ballot.stance is Stance.VETO else ""
    return f"{ballot.stance.name}, confidence {ballot.confidence} of 100{veto}{items}"


def bare(item: FixItem, change: UnderReview, seen: str) -> str:
    """Return a fix item without its member's own words (R37)."""
    quoted = quotation(item.evidence, seen)
    return f"{change.name(item.path)} {item.rule.value}, {item.severity.value}: {quoted}"


def items_read(now: UnderReview, part: Key, said: Said) -> tuple[FixItem, ...]:
    """Return what a reader found in its part of the change as it stands."""
    return said_of_part(now, part, said.reply)


def quotation(evidence: Prose, seen: str) -> str:
    """Return evidence that occurs in `seen`, or else the statement that it does not."""
    return evidence.text if is_grounded(evidence, seen) else "its evidence does not occur in the change"


def described(item: FixItem, change: UnderReview) -> str:
    """Return a fix item as text; a quotation that does not occur in the change is marked as such."""
    quoted = "" if item.quoted else " (this does not occur in the change)"
    return (
        f"{change.name(item.path)} {item.rule.value}, {item.severity.value}: {item.consequence}\n"
        f"  Evidence{quoted}: {item.evidence}\n  Change: {item.action}"
    )
