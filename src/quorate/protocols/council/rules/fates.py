"""What became of everything said in a council, read from its record (C47)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from quorate.core.forms import Key
from quorate.core.record import Asked, Record, Said
from quorate.core.session import Cause
from quorate.core.types import Absent, Seat
from quorate.kit.fates import RULED_UPON, Fate
from quorate.kit.qualification import NOTED
from quorate.protocols.council.rules.forms import AssuranceTree
from quorate.protocols.council.rules.history import facts, moves
from quorate.protocols.council.rules.merges import worst
from quorate.protocols.council.rules.model import REVIEWERS, Agreement, Finding, Outcome, Resolution
from quorate.protocols.council.rules.qualification import notes_of
from quorate.protocols.council.rules.result.overview import Overview

BECAME = {
    Resolution.OPEN: ("open", "C33"),
    Resolution.UPHELD: ("upheld", "C21 C22"),
    Resolution.DISMISSED: ("dismissed", "C22 C23"),
    Resolution.REMEDIATION_AGREED: ("remediation agreed", "C25"),
    Resolution.REMEDIATED: ("remediated", "C38"),
    Resolution.DEADLOCKED: ("deadlocked", "C22 C39"),
}
"""What a finding became by its resolution, and the rule that says so."""


def fates(record: Record) -> tuple[Fate, ...]:
    """Return the fate of everything that was said, each once: findings, what was said about them, and notes."""
    notes = (
        Fate(each.key, f"{each.said.severity.value} finding", (str(each.by),), each.said.description.text, NOTED, "C48")
        for each in notes_of(record)
    )
    return (*_Fates(record).every(), *notes)


class _Fates:
    def __init__(self, record: Record) -> None:
        self.record, self.reading = record, Overview(record)

    def every(self) -> Iterator[Fate]:
        yield from self._findings()
        yield from self._remediations()
        yield from self._answers()
        yield from self._pairs()
        yield from self._claims()
        yield from self._unshown()
        yield from self._unheard()
        yield from self._rulings()

    # Findings and remediations

    def _findings(self) -> Iterator[Fate]:
        live = {each.key: each for each in self.reading.state.findings}
        for key, each in self.reading.raisings.items():
            what = f"{each.severity.value} {'gate finding' if each.proven else 'finding'}"
            if key in self.reading.merges:
                became, rule = f"joined to {self.reading.merges[key][0]}", "C14"
            else:
                became, rule = self._became(live[key])
            yield Fate(str(key), what, (str(each.by),), each.description, became, rule)

    def _became(self, finding: Finding) -> tuple[str, str]:
        """Return what a finding became, with its severity where it is not the one it was raised with (C17)."""
        became, rule = BECAME[finding.resolution]
        raised = worst(each.severity for each in self.reading.sources[finding.key])
        lowered = finding.agreement is Agreement.QUORUM_OPPOSE and finding.resolution is not Resolution.DISMISSED
        if finding.severity is not raised or lowered:
            return f"{became} as {finding.severity.value}", "C17"
        return became, "C9" if finding.proven and finding.resolution is Resolution.UPHELD else rule

    def _remediations(self) -> Iterator[Fate]:
        for key, each in self.reading.proposals.items():
            became, rule = ("not agreed", "C25") if self.reading.move(Outcome.VOTED) else ("not voted upon", "C33")
            if self.reading.agreed(key):
                mended = self.reading.state.finding(each.finding).resolution is Resolution.REMEDIATED
                became, rule = ("carried out", "C38") if mended else ("agreed", "C25")
            yield Fate(str(key), "remediation", (str(each.by),), each.proposal.remediation.text, became, rule)

    # What was said about findings

    def _answers(self) -> Iterator[Fate]:
        """Disputes without a reason, and what is said against a gate's finding: they count as abstentions (C9, C16)."""
        for _, _, values in facts(self.record, "answer"):
            if values["said"] != values["counts"]:
                key, by = Key(str(values["key"])), str(values["by"])
                answer = self.reading.answers[key][Seat(by)]
                said = answer.response.value if answer.unreasoned else answer.reason.text
                rule = "C9" if self.reading.raisings[key].proven else "C16"
                yield Fate(f"{key}, answer of {by}", "answer", (by,), said, "counted as an abstention", rule)

    def _pairs(self) -> Iterator[Fate]:
        for _, _, values in facts(self.record, "kept_apart"):
            one, other = str(values["other"]), str(values["key"])
            said = f"{values['same']} of {values['of']} seats call them the same"
            yield Fate(f"{one} = {other}", "pair", (), said, "kept apart", "C14")

    def _claims(self) -> Iterator[Fate]:
        for _, _, values in facts(self.record, "claim_refused"):
            seat, row = Seat(str(values["seat"])), int(values["row"])
            said = self.record.latest(seat, "assure")
            words = said.reply.claims[row - 1].claim.text if said and isinstance(said.reply, AssuranceTree) else ""
            yield Fate(f"{seat}, claim {row}", "claim", (str(seat),), words, "refused: it hangs on nothing", "C13")

    def _unshown(self) -> Iterator[Fate]:
        for _, _, values in facts(self.record, "unshown"):
            key = Key(str(values["key"]))
            what = "ticket" if key.startswith("T") else "file"
            became = RULED_UPON if self.record.rulings else "shown to nobody"
            yield Fate(str(key), what, (), self.reading.rfc.name(key), became, "C42")

    def _unheard(self) -> Iterator[Fate]:
        """Replies that counted for nothing: in a phase that was cut short, or because the vote was settled before."""
        ended = {move.entry: move.cause for move in moves(self.record)}
        for line in self.record.log:
            if isinstance(line, Asked) and line.ask.seat in REVIEWERS:
                ask, cause = line.ask, ended.get(int(line.ask.id.partition(".")[0]))
                name, by = f"{ask.brief} of {ask.seat}", (str(ask.seat),)
                if ask.id in self._replied and cause is Cause.INTERRUPTED:
                    yield Fate(name, "reply", by, "", "not counted", "C33")
                elif ask.id not in self._answered and cause is Cause.SETTLED:
                    yield Fate(name, "reply", by, "", "not heard", "C24")

    @cached_property
    def _answered(self) -> frozenset[str]:
        return frozenset(line.ask.id for line in self.record.log if isinstance(line, Said))

    @cached_property
    def _replied(self) -> frozenset[str]:
        said = (line for line in self.record.log if isinstance(line, Said))
        return frozenset(line.ask.id for line in said if not isinstance(line.reply, Absent))

    def _rulings(self) -> Iterator[Fate]:
        rulings = self.record.rulings
        for number, each in enumerate(rulings, start=1):
            became = "counts" if number == len(rulings) else f"replaced by ruling {number + 1}"
            yield Fate(f"ruling {number}", "ruling", (each.by,), each.reason, became, "C30")
