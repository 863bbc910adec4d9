"""What became of everything that was raised in a review: items, vetoes, claims, findings and rulings (R41).

Derived from the record alone. The facts of decisions say how an item ended; what is still open is read from the state.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Moved, Record
from quorate.core.types import Seat
from quorate.kit.fates import Fate
from quorate.kit.qualification import NOTED
from quorate.kit.quote import clip
from quorate.kit.settings import read_settings
from quorate.protocols.review.rules.ballot_count import (
    CAST_AGAIN,
    GONE,
    LIFTED,
    NOTE,
    TAKEN_BACK,
    UNGROUNDED,
    is_carried,
)
from quorate.protocols.review.rules.file_fates import fates_of_files
from quorate.protocols.review.rules.forms import Ballot, Examination
from quorate.protocols.review.rules.items import (
    RaisedItem,
    counted_ballots,
    cut_short_items,
    cut_short_round,
    raised_items,
)
from quorate.protocols.review.rules.model import (
    CLAIM_SEVERITY,
    Earlier,
    Phase,
    ReviewSettings,
    Stance,
    State,
    VetoClass,
    claim_keys,
)
from quorate.protocols.review.rules.receipt import ballots, claims, examinations
from quorate.protocols.review.rules.reservations import NOT_COUNTED, STANDS, reservations

BLOCKS, WITHHELD, REFUTED = "blocks", "withheld", "refuted"
COMPROMISED = "compromised"
SUPERSEDED, PROVES = "superseded", "proves a veto"
MET, NOT_JUDGED = "met", "not judged"
HOLDS, REPLACED = "holds", "replaced"
RULES = {
    **{TAKEN_BACK: "R39", GONE: "R39", UNGROUNDED: "R40", LIFTED: "R38", CAST_AGAIN: "R38", NOTE: "R22"},
    **{BLOCKS: "R22", WITHHELD: "R38", REFUTED: "R23", NOT_COUNTED: "R29"},
    NOTED: "R48",
}
"""The rule that decides each fate of an item."""


def fates(record: Record) -> tuple[Fate, ...]:
    """Return what became of everything, each thing once: items, vetoes, reservations, findings of the
    checks, claims, rulings, and files."""
    said = (*_items(record), *_vetoes(record), *_reservations(record))
    brought = (*_findings(record), *_claims(record), *_rulings(record))
    return (*said, *brought, *fates_of_files(record))


# Items


def became_of_items(record: Record) -> dict[str, str]:
    """Return by id what became of every item that was raised in a counted ballot."""
    state: State = record.session.state
    found = {each.key: str(each.fact["became"]) for each in raised_items(record)}
    for fact in (fact for line in record.log if isinstance(line, Moved) for fact in line.move.facts):
        values = dict(fact.values)
        if fact.name == "ended":
            found[str(values["key"])] = str(values["became"])
        elif fact.name == "item" and not values["kept"]:
            found[str(values["key"])] = REFUTED
    for item in state.items:
        carried = WITHHELD if item.withheld else BLOCKS
        found[item.key] = carried if is_carried(state, item) else UNGROUNDED
    return found


def _items(record: Record) -> Iterator[Fate]:
    became = became_of_items(record)
    for each in raised_items(record):
        yield _item(each, became[each.key])
    for each in cut_short_items(record):
        yield _item(each, NOT_COUNTED)


def _item(raised: RaisedItem, became: str) -> Fate:
    what = "veto" if raised.fix is None else "fix item"
    said = raised.evidence if raised.fix is None else raised.words
    return Fate(raised.key, what, (str(raised.seat),), said, became, RULES[became])


# Vetoes that count


def _vetoes(record: Record) -> Iterator[Fate]:
    """Yield the vetoes that counted, numbered in the order of rounds and of the committee (R8, R13, R18)."""
    cast: list[tuple[int, Seat, Ballot]] = []
    for round_, facts in counted_ballots(record):
        told = [dict(fact.values) for fact in facts if fact.name == "ballot"]
        counted = [Seat(str(each["seat"])) for each in told if each["counts"] == Stance.VETO.value]
        given = ballots(record, round_)
        cast += [(round_, seat, given[seat]) for seat in given if seat in counted]
    number = 0
    for number, (round_, seat, ballot) in enumerate(cast, start=1):
        became, rule = _veto(record, seat, round_)
        yield Fate(f"V{number}", "veto", (str(seat),), ballot.veto_evidence.text, became, rule)
    if (cut := cut_short_round(record)) is not None:
        lost = {each.seat for each in cut_short_items(record) if each.fix is None}
        for seat, ballot in ballots(record, cut).items():
            if ballot.stance is Stance.VETO and seat not in lost:
                number += 1
                yield Fate(f"V{number}", "veto", (str(seat),), ballot.veto_evidence.text, NOT_COUNTED, "R29")


def _veto(record: Record, seat: Seat, round_: int) -> tuple[str, str]:
    """Return what became of the veto that a member cast in a round, and the rule."""
    for line in record.log:
        if isinstance(line, Moved) and line.move.phase is Phase.DEBATE and line.round > round_:
            told = [dict(fact.values) for fact in line.move.facts if fact.name == "ballot"]
            if any(each["seat"] == seat and each["counts"] == Stance.VETO.value for each in told):
                return CAST_AGAIN, "R13"
            was = next(each for each in line.move.before.members if each.seat == seat)
            now = next(each for each in line.move.after.members if each.seat == seat)
            if was.vetoes and not now.vetoes:
                return (COMPROMISED, "R18") if was.earlier is Earlier.OFFERED else (LIFTED, "R13")
    return STANDS, "R13"


def _reservations(record: Record) -> Iterator[Fate]:
    for each in reservations(record):
        rule = {NOT_COUNTED: "R29", NOTED: RULES[NOTED]}.get(each.became, "R41")
        yield Fate(each.key, "reservation", (str(each.seat),), clip(each.ballot.opinion.text), each.became, rule)


# What the checks found, claims and rulings


def _findings(record: Record) -> Iterator[Fate]:
    settings = read_settings(ReviewSettings, record.protocol.settings)
    reports = [said.reply for said in examinations(record) if isinstance(said.reply, Examination)]
    for number, report in enumerate(reports, start=1):
        for place, found in enumerate(report.findings, start=1):
            if number < len(reports):
                became, rule = SUPERSEDED, "R17"
            elif found.veto is not VetoClass.NONE:
                became, rule = PROVES, "R14"
            else:
                became, rule = (BLOCKS if settings.blocks(found.severity) else NOTE), "R27"
            said = (
                f"{found.rule} in {found.path}: {found.message}"
                if found.path.text
                else f"{found.rule}: {found.message}"
            )
            yield Fate(f"E{number}.{place}", "finding", (found.check.text,), said, became, rule)


def _claims(record: Record) -> Iterator[Fate]:
    settings = read_settings(ReviewSettings, record.protocol.settings)
    state: State = record.session.state
    unmet, brought = dict(state.unmet), claims(record)
    for place, key in enumerate(claim_keys(state.claims)):
        if not state.judged:
            became = NOT_JUDGED
        elif key not in unmet:
            became = MET
        else:
            became = BLOCKS if settings.blocks(CLAIM_SEVERITY[unmet[key]]) else NOTE
        said = str(brought[place]["claim"]) if place < len(brought) else ""
        yield Fate(str(key), "claim", (), said, became, "R24")


def _rulings(record: Record) -> Iterator[Fate]:
    for number, ruling in enumerate(record.rulings, start=1):
        became = HOLDS if number == len(record.rulings) else REPLACED
        said = f"{ruling.verdict.name}: {ruling.reason}"
        yield Fate(f"ruling {number}", "ruling", (ruling.by,), said, became, "R28")
