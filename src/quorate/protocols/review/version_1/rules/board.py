"""The board of a review: every finding that was ever raised, who says so, and what became of it by round.

Open, refuted and dismissed findings agree with the result; in addition the board keeps findings that were not raised
again, lifted vetoes and proofs that an amendment removed. Ballots of the current round are not disclosed (R31).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.record import Record
from quorate.kit.board import Board, Dated, FindingCard, title_of
from quorate.kit.findings import Finding
from quorate.protocols.review.version_1.rules.histories import Histories
from quorate.protocols.review.version_1.rules.model import SKEPTIC, Standing
from quorate.protocols.review.version_1.rules.result.committee_findings import Raised
from quorate.protocols.review.version_1.rules.result.fixes import fix_requests
from quorate.protocols.review.version_1.rules.result.grounds import warnings
from quorate.protocols.review.version_1.rules.result.open_findings import Open, claim_keys_by_rule, judged
from quorate.protocols.review.version_1.rules.result.overview import Reading
from quorate.protocols.review.version_1.rules.result.votes import ABSENT, votes_of

BLOCKS, NOTE, REFUTED, DISMISSED = "blocks", "note", "refuted", "dismissed"
NOW = (BLOCKS, NOTE, REFUTED, DISMISSED)
"""What the result knows; everything else is over."""
WHOLE_CHANGE = "the change as a whole"


def board(record: Record) -> Board:
    """Return all findings, open ones first, the worst first, and the warnings of the result."""
    reading = Reading(record, sealed=True)
    opened = Open(reading)
    cards = _Cards(reading, opened)
    return Board(findings=tuple(cards.all()), warnings=tuple(warnings(reading, opened)))


class _Cards:
    def __init__(self, reading: Reading, opened: Open) -> None:
        self.reading, self.opened = reading, opened
        self.histories = Histories(reading)
        self.requests = {key: fix["id"] for fix in fix_requests(opened.raised) for key in fix["keys"]}
        self.excused = reading.dismissed()
        last = list(votes_of(reading, reading.held[-1])) if reading.held else []
        self.words = {vote["seat"]: _word(vote) for vote in last}

    def all(self) -> Iterator[FindingCard]:
        shown: set[str] = set()
        now = [(each, BLOCKS if each.finding.blocking else NOTE) for each in self.opened.raised]
        now += [(Raised(finding), DISMISSED) for finding in self.opened.dismissed]
        now += [(each, REFUTED) for each in self.opened.refuted]
        for raised, status in now:
            shown.add(raised.finding.key)
            yield self._card(raised, status)
        for key, told in self.excused.items():
            if key not in shown:
                shown.add(key)
                yield _excused(key, told)
        for finding, status in self.histories.gone(shown):
            yield self._card(Raised(finding), status)

    def _card(self, raised: Raised, status: str) -> FindingCard:
        finding = raised.finding
        return FindingCard(
            id=finding.key,
            title=title_of(finding.message) or finding.rule,
            severity=finding.severity.value,
            status=status,
            location=_location(finding.path, finding.line),
            text=finding.message,
            raised_by=finding.raised_by,
            agreed_by=(str(SKEPTIC),) if raised.standing == Standing.CONFIRMED.value else (),
            votes=tuple(self._votes(raised, status)),
            blocking=status == BLOCKS,
            proven=finding.source == "check",
            history=tuple(self.histories.of(finding)),
            facts=tuple((name, text) for name, text in self._facts(raised) if text),
        )

    def _votes(self, raised: Raised, status: str) -> Iterator[tuple[str, str]]:
        """Yield each member's word on a finding: its judgement of a claim, that it raises it, or how it voted."""
        finding = raised.finding
        raisers = finding.raised_by if status in NOW else ()
        if finding.source == "check":
            return
        if finding.source == "claim":
            yield from self._judgements(finding)
            return
        for seat, word in self.words.items():
            yield seat, "raised" if seat in raisers else word
        yield from ((seat, "raised") for seat in raisers if seat not in self.words)
        if raised.standing:
            yield str(SKEPTIC), raised.standing

    def _judgements(self, finding: Finding) -> Iterator[tuple[str, str]]:
        given = judged(self.reading, claim_keys_by_rule(self.reading)[finding.rule])
        absent = self.histories.judges_absent()
        for member in self.reading.state.members:
            seat = str(member.seat)
            missing = f"absent ({absent[seat]})" if seat in absent else "no judgement"
            yield seat, given[seat].judgement.value if seat in given else missing

    def _facts(self, raised: Raised) -> Iterator[tuple[str, str]]:
        finding, key = raised.finding, raised.finding.key
        yield "rule", finding.rule
        yield "found by", finding.source
        yield "fix request", self.requests.get(key, "")
        yield "veto", finding.veto
        yield "evidence", finding.evidence
        yield "quotation", self.histories.quotation(finding)
        yield "consequence", finding.consequence if finding.consequence != finding.message else ""
        yield "action", finding.action
        yield "doubt", f"{raised.standing}: {raised.doubt}" if raised.doubt else raised.standing
        if key in self.excused and not finding.veto:
            yield "dismissed because", str(self.excused[key].get("reason", ""))


def _word(vote: dict[str, Any]) -> str:
    """Return how a member voted on the change, worded so that it does not look like a word on the finding."""
    why = f" ({vote['why']})" if vote["why"] else ""
    return f"{'' if vote['counts'] == ABSENT else 'voted '}{vote['counts']}{why}"


def _location(path: str, line: int) -> str:
    return (f"{path}:{line}" if line else path) or WHOLE_CHANGE


def _excused(key: str, told: dict[str, Any]) -> FindingCard:
    """Return the card of a finding of a check that was dismissed earlier; the receipt has no more details."""
    rule, reason = str(told.get("rule", "")), str(told.get("reason", ""))
    return FindingCard(
        id=key,
        title=rule or key,
        severity="",
        status=DISMISSED,
        location=_location(str(told.get("path", "")), 0),
        proven=True,
        history=(Dated(1, "found by a check, and dismissed before the review"),),
        facts=tuple((name, text) for name, text in (("rule", rule), ("dismissed because", reason)) if text),
    )
