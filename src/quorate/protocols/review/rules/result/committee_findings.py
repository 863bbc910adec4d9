"""The committee's findings: one for each item that a member raised, and one for each veto that stands (R13, R22, R41).

Nothing is merged. Findings that name the same file and rule are told apart by their number of alike ones, so that each
has a key of its own in the ledger and in what machines read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.findings import Finding, Severity
from quorate.kit.qualification import NOTED
from quorate.protocols.review.rules.ballot_count import NOTE, UNGROUNDED
from quorate.protocols.review.rules.fates import BLOCKS, REFUTED, WITHHELD, became_of_items
from quorate.protocols.review.rules.forms import Doubts
from quorate.protocols.review.rules.hits import Refutation
from quorate.protocols.review.rules.items import RaisedItem, cut_short_items, raised_items
from quorate.protocols.review.rules.model import RULE_OF_VETO, SKEPTIC, Stance, Standing, VetoClass
from quorate.protocols.review.rules.reservations import NOT_COUNTED, STANDS
from quorate.protocols.review.rules.result.overview import Overview, Visit
from quorate.protocols.review.rules.result.places import TreePlace

NOT_LOOKED_AT = "not looked at"
UNPROVEN = "refuted without a quotation that has to do with it"
UNQUALIFIED = "by a skeptic that has not passed the exam, which ends and confirms nothing"
OF_VETOES = 1_000
"""From here the numbers of vetoes begin that are alike in file and rule."""
LEFT_OPEN = (STANDS, BLOCKS, WITHHELD, UNGROUNDED, NOTE, NOTED, NOT_COUNTED)
"""What a session leaves to be read: all but what came to an end in it."""


@dataclass(frozen=True, slots=True)
class Raised:
    """A finding, what became of it, and the skeptic's judgement of it."""

    finding: Finding
    standing: str = ""
    """Empty where the skeptic is not asked: of notes, proofs, claims and vetoes."""
    doubt: str = ""
    """Why the skeptic says so."""
    id: str = ""
    """Its id in this session; empty of findings of checks and of claims."""
    became: str = ""
    round: int = 0
    quoted: bool = False
    """Its evidence is grounded (R40)."""

    @property
    def refuted(self) -> bool:
        """Whether it was refuted with a quotation, so that it no longer counts."""
        return self.became == REFUTED


def raised_by_committee(reading: Overview) -> tuple[Raised, ...]:
    """Return everything that members raised, what came to an end included, and the vetoes that stand."""
    became, words = became_of_items(reading.record), skeptics_words(reading)
    found = [
        _as_raised(reading, each, became[each.key], words.get(each.key, ("", "")))
        for each in raised_items(reading.record)
    ]
    found += [_as_raised(reading, each, NOT_COUNTED, ("", "")) for each in cut_short_items(reading.record)]
    vetoes = (Raised(as_finding(reading, veto), became=STANDS) for veto in vetoes_standing(reading))
    return (*_told_apart(found), *vetoes)


def _told_apart(found: list[Raised]) -> Iterator[Raised]:
    """Number the findings that are alike in file and rule, so that each has a key of its own."""
    alike = Counter[tuple[str, str]]()
    for each in found:
        same = each.finding.rule, each.finding.path
        yield replace(each, finding=replace(each.finding, occurrence=alike[same]))
        alike[same] += 1


# Items


def _as_raised(reading: Overview, item: RaisedItem, became: str, doubted: tuple[str, str]) -> Raised:
    fact = item.fact
    place, evidence = _place(reading, item), item.evidence
    if item.fix is None:
        counts = "" if fact["withheld"] or became == NOTED else ", which counts as opposing (R8)"
        says, action = f"A veto{counts}: {fact['veto']}", ""
    else:
        says, action = item.fix.consequence.text, item.fix.action.text
    finding = _finding(str(fact["rule"]), Severity(fact["severity"]), place, item.seat, evidence, says)
    consequence = "" if item.fix is None else says
    told = replace(finding, consequence=consequence, action=action, blocking=became in (BLOCKS, WITHHELD))
    standing, doubt = doubted
    if not standing and became in (BLOCKS, WITHHELD) and reading.settings.confirm_items:
        standing = NOT_LOOKED_AT
    return Raised(told, standing, doubt, item.key, became, item.round, bool(fact["grounded"]))


def _place(reading: Overview, item: RaisedItem) -> TreePlace:
    """Return where an item is in the change as it stands, or, if it is no longer open, in that of its ballot.

    A veto that became an item names no file, so it is where its evidence stands, like a veto that counts.
    """
    now = next((each for each in reading.state.items if each.key == item.key), None)
    if now is not None:
        places, path = reading.current_places, now.path
    else:
        visit = next(each for each in reversed(reading.visits) if each.round == item.round)
        places, path = reading.places(visit), Key(str(item.fact["path"]))
    return places.only(item.evidence) if item.fix is None else places.of(path, item.evidence)


def _finding(rule: str, severity: Severity, place: TreePlace, seat: Seat, evidence: str, message: str) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        path=place.path,
        line=place.line,
        message=message,
        evidence=evidence,
        source="committee",
        raised_by=(str(seat),),
    )


def skeptics_words(reading: Overview) -> dict[str, tuple[str, str]]:
    """Return by id the skeptic's judgement of each item that it was asked about, with the reason (R23)."""
    reasons = _reasons(reading)
    found: dict[str, tuple[str, str]] = {}
    for fact in (fact for visit in reading.visits for fact in visit.facts("item")):
        standing, reason = str(fact["standing"]), reasons.get(str(fact["key"]))
        if reason is not None and not reading.settings.counts(SKEPTIC):
            standing = f"{standing} {UNQUALIFIED}"
        elif standing == Standing.REFUTED.value and fact["kept"]:
            standing = UNPROVEN
        found[str(fact["key"])] = (standing, reason or "")
    return found


def _reasons(reading: Overview) -> dict[str, str]:
    """Return by id what the skeptic said of each item when it was asked last."""
    found: dict[str, str] = {}
    for said in (each for visit in reading.visits for each in visit.said):
        if isinstance(said.reply, Doubts):
            found = {str(key): doubt.reason.text for key, doubt in said.reply.doubts.items()}
        elif isinstance(said.reply, Refutation):
            found[str(said.ask.keys[0])] = said.reply.reason.text
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


def vetoes_standing(reading: Overview) -> list[Veto]:
    """Return the members' vetoes that stand, of whichever round, in the order of the committee (R13)."""
    return [_veto(reading, member.seat) for member in reading.state.members if member.vetoes]


def _veto(reading: Overview, seat: Seat) -> Veto:
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


def as_finding(reading: Overview, veto: Veto) -> Finding:
    """Return a veto as a finding, located at its evidence."""
    place = reading.places(veto.visit).only(veto.evidence)
    rule, told = RULE_OF_VETO[VetoClass(veto.kind)].value, f"A veto stands: {veto.kind}"
    found = _finding(rule, Severity.CRITICAL, place, veto.seat, veto.evidence, told)
    members = [member.seat for member in reading.state.members]
    number = OF_VETOES + members.index(veto.seat)  # alike in file and rule with no item, and with no other's veto
    return replace(found, veto=veto.kind, blocking=True, occurrence=number)
