"""What became of each finding of a review, round by round, and which of them were not raised again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.board import Dated
from quorate.kit.findings import Finding
from quorate.protocols.review.version_1.rules.forms import ClaimJudgements, Examination
from quorate.protocols.review.version_1.rules.receipt import examinations
from quorate.protocols.review.version_1.rules.result.committee_findings import (
    NOT_LOOKED_AT,
    Raising,
    as_finding,
    raisings,
    skeptics_words,
    vetoes_cast,
)
from quorate.protocols.review.version_1.rules.result.open_findings import claim_keys_by_rule, proven_by
from quorate.protocols.review.version_1.rules.result.overview import Reading, Visit

NOT_AGAIN, LIFTED, MENDED = "not raised again", "lifted", "gone with an amendment"


class Histories:
    """The histories of all findings, by their keys."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._told: dict[str, list[Dated]] = {}
        self._last: dict[str, tuple[Finding, str]] = {}
        """Every finding as it was last raised, and what is to be said of it where it is no longer there."""
        self._quoted: dict[str, bool] = {}
        self._vetoes: dict[Seat, str] = {}
        """The finding that the last veto of a member is."""
        self._examined()
        for visit in reading.debates:
            self._debated(visit)
        self._claims = self._judged()

    def of(self, finding: Finding) -> list[Dated]:
        """Return what happened to a finding, in order."""
        if finding.source == "claim":
            return self._claims.get(finding.rule, [])
        return self._told.get(finding.key, [])

    def gone(self, known: Collection[str]) -> Iterator[tuple[Finding, str]]:
        """Yield findings that were raised once but are not in `known`, with what became of them."""
        return ((finding, status) for key, (finding, status) in self._last.items() if key not in known)

    def quotation(self, finding: Finding) -> str:
        """Return whether a member's quotation occurs in the change, as text; empty if there is none."""
        if finding.key not in self._quoted or finding.veto:
            return ""
        return "occurs in the change" if self._quoted[finding.key] else "does not occur in the change"

    def judges_absent(self) -> Mapping[str, str]:
        """Return who gave no judgement when the claims were last judged, and why."""
        rounds = [visit for visit in self.reading.held if _judges(visit)]
        return {str(seat): why for seat, why in rounds[-1].absent("judge").items()} if rounds else {}

    def _tell(self, key: str, round_: int, says: str) -> None:
        self._told.setdefault(key, []).append(Dated(round_, says))

    def _examined(self) -> None:
        """Add what the checks found in each state of the change, and what an amendment removed (R17)."""
        before: dict[str, Finding] = {}
        for said in examinations(self.reading.record):
            assert isinstance(said.reply, Examination)
            now = {finding.key: finding for finding in proven_by(self.reading, said.reply)}
            after = " after an amendment" if said.ask.brief == "apply" else ""
            for key, finding in now.items():
                still = "still found" if key in before else "found"
                self._tell(key, said.round, f"{still} by {', '.join(finding.raised_by)}{after}")
                self._last[key] = finding, MENDED
            for key in before.keys() - now.keys():
                self._tell(key, said.round, MENDED)
            before = now

    def _debated(self, visit: Visit) -> None:
        """Add what a ballot raised, its vetoes, and the skeptic's judgement (R13, R22, R23)."""
        undecided = "" if visit.decided else ", in a ballot that decided nothing"
        said: dict[str, list[Raising]] = {}
        for each in raisings(self.reading, visit):
            said.setdefault(each.finding.key, []).append(each)
        doubts = skeptics_words(self.reading, visit) if visit.decided else {}
        for key, own in said.items():
            who = ", ".join(f"{each.finding.raised_by[0]} as {each.finding.severity.value}" for each in own)
            self._tell(key, visit.round, f"raised by {who}{undecided}")
            self._last[key] = own[-1].finding, NOT_AGAIN
            self._quoted[key] = any(each.quoted for each in own)
            standing, why = doubts.get(own[0].counted, (NOT_LOOKED_AT, ""))
            if standing != NOT_LOOKED_AT:
                self._tell(key, visit.round, f"put to the skeptic: {standing}" + (f". {why}" if why else ""))
        for veto in vetoes_cast(visit):
            finding = replace(as_finding(self.reading, veto), message=f"A veto: {veto.kind}")
            self._tell(finding.key, visit.round, f"veto of {veto.seat}: {veto.kind}")
            self._last[finding.key], self._vetoes[veto.seat] = (finding, LIFTED), finding.key
        for seat in _lifted(visit):
            self._tell(self._vetoes[seat], visit.round, f"{seat} lifts the veto")

    def _judged(self) -> dict[str, list[Dated]]:
        """Return how every claim was judged, by the rule id of its finding (R24)."""
        found: dict[str, list[Dated]] = {}
        for rule, key in claim_keys_by_rule(self.reading).items():
            rounds = ((visit, _judgements(visit, key)) for visit in self.reading.held if _judges(visit))
            found[rule] = [Dated(visit.round, f"judged {words or 'by nobody'}") for visit, words in rounds]
        return found


def _lifted(visit: Visit) -> Iterator[Seat]:
    """Yield the members whose veto stood before a ballot and not after it (R13)."""
    for move in visit.moves if visit.decided else ():
        yield from (
            was.seat
            for was, now in zip(move.before.members, move.after.members, strict=True)
            if was.vetoes and not now.vetoes
        )


def _judges(visit: Visit) -> bool:
    return any(said.ask.form is ClaimJudgements for said in visit.said)


def _judgements(visit: Visit, key: Key) -> str:
    """Return e.g. `fail by operations-sre, pass by ...`, in the order of the judgements."""
    by: dict[str, list[str]] = {}
    for said in visit.said:
        if isinstance(said.reply, ClaimJudgements) and key in said.reply.claims:
            by.setdefault(said.reply.claims[key].judgement.value, []).append(str(said.ask.seat))
    return "; ".join(f"{word} by {', '.join(sorted(seats))}" for word, seats in sorted(by.items()))
