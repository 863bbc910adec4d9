"""The committee's findings: one for each path and rule, with all members who raised it (R13, R22, R23).

Items of the last ballot count. What was raised in a ballot that was cut short, or about a change that has been amended
since, has decided nothing and is kept as a note (R29).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.findings import Finding, Severity
from quorate.protocols.review.version_1.rules.ballot_count import count_ballot, item_blocks
from quorate.protocols.review.version_1.rules.forms import Doubt, Doubts
from quorate.protocols.review.version_1.rules.model import RULE_OF_VETO, Stance, Standing, VetoClass
from quorate.protocols.review.version_1.rules.result.overview import Reading, Visit
from quorate.protocols.review.version_1.rules.result.places import Place

NOT_LOOKED_AT = "not looked at"
REFUTED = Standing.REFUTED.value
UNPROVEN = "refuted without a quotation"


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding, and the skeptic's judgement of it."""

    finding: Finding
    standing: str = ""
    """Empty where the skeptic is not asked: of notes, proofs, claims and vetoes."""
    doubt: str = ""
    """Why the skeptic says so."""

    @property
    def refuted(self) -> bool:
        """Whether it was refuted with a quotation, so that it no longer counts."""
        return self.standing == REFUTED


Counted = tuple[Key, str]
"""The file's key and the rule, under which the protocol counts an item."""


@dataclass(frozen=True, slots=True)
class Raising:
    """An item as one member raised it in one ballot."""

    finding: Finding
    counted: Counted
    quoted: bool
    """Its evidence occurs in the change."""


def raised_by_committee(reading: Reading) -> tuple[Raised, ...]:
    """Return what members raised, refuted items included."""
    merged: dict[tuple[str, str], Raised] = {}
    if reading.held:
        last = reading.held[-1]
        standings, current = skeptics_words(reading, last), reading.is_current(last)
        for each in raisings(reading, last):
            if each.finding.blocking and current:
                _merge(merged, Raised(each.finding, *standings.get(each.counted, (NOT_LOOKED_AT, ""))))
            else:
                _merge(merged, Raised(replace(each.finding, blocking=False)))
        for veto in vetoes_standing(reading):
            _merge(merged, Raised(as_finding(reading, veto)))
    if reading.cut_short is not None:
        for each in raisings(reading, reading.cut_short):
            if (each.finding.path, each.finding.rule) not in merged:
                _merge(merged, Raised(replace(each.finding, blocking=False)))
    return tuple(merged.values())


def _merge(merged: dict[tuple[str, str], Raised], new: Raised) -> None:
    """Keep the worst finding for one path and rule, with all members who raised it."""
    place = (new.finding.path, new.finding.rule)
    old = merged.get(place, new)
    kept = new if _rank(new.finding) < _rank(old.finding) else old
    seats = tuple(dict.fromkeys((*old.finding.raised_by, *new.finding.raised_by)))
    merged[place] = replace(kept, finding=replace(kept.finding, raised_by=seats))


def _rank(finding: Finding) -> tuple[bool, int, bool, bool]:
    """Sort key of which finding is kept: vetoes first, then the worse, then one whose evidence is found."""
    return not finding.blocking, finding.severity.rank, not finding.veto, finding.line == 0


# Items


def raisings(reading: Reading, visit: Visit) -> Iterator[Raising]:
    """Yield every item of a ballot as a finding, with what it was counted under (R22)."""
    places, ballots = reading.places(visit), visit.ballots()
    for member in reading.state.members:
        ballot = ballots.get(member.seat)
        if ballot is None:
            continue
        for item in ballot.items:
            severity = Severity.LOW if item.unfounded else item.severity
            place, says = places.of(item.path, item.evidence.text), item.consequence.text
            found = _finding(reading, item.rule.value, severity, place, member.seat, item.evidence.text, says)
            blocks = item_blocks(reading.settings, item)
            told = replace(found, consequence=says, action=item.action.text, blocking=blocks)
            yield Raising(told, (item.path, item.rule.value), item.quoted)
        if (charge := count_ballot(reading.settings, member.seat, ballot).charge) is not None:
            says = f"A veto that counts as opposing, with this item (R8): {ballot.veto_class.value}"
            evidence = ballot.veto_evidence.text
            found = _finding(reading, charge.rule.value, charge.severity, Place(), member.seat, evidence, says)
            yield Raising(found, (charge.path, charge.rule.value), False)


def _finding(
    reading: Reading, rule: str, severity: Severity, place: Place, seat: Seat, evidence: str, message: str
) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        path=place.path,
        line=place.line,
        message=message,
        evidence=evidence,
        source="committee",
        raised_by=(str(seat),),
        blocking=reading.settings.blocks(severity),
    )


def skeptics_words(reading: Reading, ballot: Visit) -> dict[Counted, tuple[str, str]]:
    """Return the skeptic's judgement of each item of a ballot, with the reason (R23)."""
    later = reading.in_round(ballot.round)
    said = [each.reply for visit in later for each in visit.said if isinstance(each.reply, Doubts)]
    doubts: dict[Key, Doubt] = dict(said[-1].doubts) if said else {}
    found: dict[Counted, tuple[str, str]] = {}
    for fact in (fact for visit in later for fact in visit.facts("item")):
        standing, doubt = str(fact["standing"]), doubts.get(Key(fact["key"]))
        if standing == REFUTED and fact["kept"]:
            standing = UNPROVEN
        found[Key(fact["path"]), str(fact["rule"])] = (standing, doubt.reason.text if doubt else "")
    return found


# Vetoes


@dataclass(frozen=True, slots=True)
class Veto:
    """A member's standing veto, and the ballot that cast it."""

    seat: Seat
    kind: str
    """Its class."""
    visit: Visit
    evidence: str


def vetoes_standing(reading: Reading) -> list[Veto]:
    """Return the members' vetoes that stand, of whichever round, in the order of the committee (R13)."""
    return [_veto(reading, member.seat) for member in reading.state.members if member.vetoes]


def _veto(reading: Reading, seat: Seat) -> Veto:
    """Return the last veto that this member cast."""
    cast = (veto for visit in reversed(reading.held) for veto in vetoes_cast(visit) if veto.seat == seat)
    return next(cast)


def vetoes_cast(visit: Visit) -> Iterator[Veto]:
    """Yield the vetoes of a ballot that counted as vetoes (R8)."""
    for fact in visit.facts("ballot"):
        if fact["counts"] == Stance.VETO.value:
            seat = Seat(fact["seat"])
            ballot = visit.ballots()[seat]
            yield Veto(seat, ballot.veto_class.value, visit, ballot.veto_evidence.text)


def as_finding(reading: Reading, veto: Veto) -> Finding:
    """Return a veto as a finding, located at its evidence."""
    place = reading.places(veto.visit).only(veto.evidence)
    rule, told = RULE_OF_VETO[VetoClass(veto.kind)].value, f"A veto stands: {veto.kind}"
    found = _finding(reading, rule, Severity.CRITICAL, place, veto.seat, veto.evidence, told)
    return replace(found, veto=veto.kind, blocking=True)
