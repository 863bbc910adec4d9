"""An independent recount of a council from RULES.md, without the protocol's own functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Replies, Seat
from quorate.protocols.council.rules.forms import (
    Answer,
    Answers,
    Assessment,
    AssuranceTree,
    Binding,
    GateReport,
    LastProposals,
    Lens,
    Level,
    Matches,
    MockRun,
    Raised,
    Response,
    ScoringTable,
)
from quorate.protocols.council.rules.model import (
    Agreement,
    CouncilSettings,
    Finding,
    Outcome,
    Phase,
    Resolution,
    Reviewer,
    State,
    Step,
)
from quorate.protocols.council.rules.retally import Retally
from quorate.protocols.council.rules.sheet import (
    GRAVE,
    WORST_FIRST,
    Held,
    M,
    Sheet,
    changed,
    differing,
    middle,
    offered,
    worse,
)
from quorate.protocols.council.rules.taxonomy import Severity

EXPLAINED = {ScoringTable: "scores", MockRun: "steps", AssuranceTree: "claims"}
"""Where an artifact has the rows that bind lenses (C6, C13)."""
Work = Callable[[State, Replies, Sheet], None]


@dataclass(slots=True)
class Recounted:
    """The recount of a moment, and the parts of the state that differ from it."""

    outcome: Outcome
    facts: tuple[Fact, ...]
    differs: frozenset[str]


class Recount:
    """Recounts moments under some settings. The last one is cached, since every invariant looks at it in turn."""

    def __init__(self, settings: CouncilSettings) -> None:
        self.settings, self.votes = settings, Retally(settings)
        self.alone = self.votes.alone
        self.needed = 1 if self.alone else settings.quorum
        self._steps: Mapping[tuple[Any, Step], Work] = {
            (Phase.INIT, Step.EXAMINE): self._drawn,
            (Phase.CYCLE_1, Step.EXAMINE): self._examined,
            (Phase.CYCLE_1, Step.REVIEW): self._reviewed,
            (Phase.CYCLE_1, Step.MATCH): self._matched,
            (Phase.CYCLE_2, Step.ASSESS): self._assessed,
            (Phase.CYCLE_2, Step.MATCH): self._matched,
            (Phase.CYCLE_2, Step.RESPOND): self._answered,
            (Phase.CYCLE_2, Step.BIND): self._bound,
            (Phase.CYCLE_3, Step.REMEDIATE): self._proposed,
            (Phase.CYCLE_3, Step.VOTE): self.votes.voted,
            (Phase.CYCLE_3, Step.PATCH): self.votes.patched,
            (Phase.CYCLE_3, Step.APPLY): self.votes.applied,
            (Phase.CYCLE_3, Step.END): self.votes.ended,
        }
        self._seen: tuple[Any, Any, Any] = (None, None, None)
        self._last: Any = None

    def of(self, moment: M) -> Recounted:
        """Return the recount of this moment."""
        if self._seen[0] is not moment.replies or self._seen[1] is not moment.state:
            sheet = Sheet.of(moment.state)
            self._steps[moment.phase, moment.state.step](moment.state, moment.replies, sheet)
            self._last = Recounted(sheet.outcome, tuple(sheet.facts), differing(sheet.state(), moment.after))
            self._seen = (moment.replies, moment.state, moment.after)
        found: Recounted = self._last
        return found

    def heard_before(self, moment: M) -> Replies:
        """Return the replies of the phase before this moment; empty if another moment was examined in between."""
        replies: Replies = self._seen[0] if self._seen[2] is moment.state else Replies()
        return replies

    # INIT and the gates

    def _drawn(self, before: State, replies: Replies, sheet: Sheet) -> None:
        sheet.outcome, sheet.cycle = Outcome.MODES_DRAWN, 1

    def _examined(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Gate findings are upheld; with `fail_fast` or a single seat a BLOCKER ends the council (C9, C11, C12)."""
        report = next((reply for _, reply in replies if isinstance(reply, GateReport)), None)
        if report is None:
            sheet.outcome = Outcome.NO_GATES
            return
        for place, each in enumerate(report.findings):
            key = Key(f"F{place + 1}")
            what = (each.subcategory, each.place, each.field, each.severity)
            sheet.findings.append(Finding(key, *what, True, Agreement.UNANIMOUS, Resolution.UPHELD))
            sheet.tell("raised", ("key", key), ("by", "gates"), ("index", place))
        sheet.raised, sheet.tickets, sheet.step = len(report.findings), report.tickets, Step.REVIEW
        failed = any(each.severity is Severity.BLOCKER for each in report.findings)
        stops = self.settings.fail_fast or self.alone
        sheet.outcome = Outcome.GATE_FAILED if failed and stops else Outcome.EXAMINED

    # Findings come together

    def _reviewed(self, before: State, replies: Replies, sheet: Sheet) -> None:
        self._raised(replies, sheet)
        sheet.go_on(self.needed, Outcome.REVIEWED, Step.MATCH)

    def _assessed(self, before: State, replies: Replies, sheet: Sheet) -> None:
        self._raised(replies, sheet)
        gates = [each.subcategory.gate for each in sheet.findings]
        said = {a.seat: r for a, r in replies if isinstance(r, Assessment)}
        low = {seat for seat, r in said.items() if r.confidence is Level.LOW}
        low |= {seat for seat, r in said.items() if [g for g in r.gates if not g.passed and gates.count(g.gate) == 0]}
        sheet.seats = [Reviewer(s.seat, s.lost, s.seat in low, s.unbound, s.backs) for s in sheet.seats]
        sheet.go_on(self.needed, Outcome.ASSESSED, Step.MATCH)

    def _raised(self, replies: Replies, sheet: Sheet) -> None:
        """Add what was raised in an order independent of seats; duplicates count as merged (C14)."""
        sheet.lose(replies)
        bound: dict[Seat, set[Lens]] = {}
        said: list[tuple[Seat, int, Raised]] = []
        for ask, reply in replies:
            if isinstance(reply, ScoringTable | MockRun | AssuranceTree | Assessment):
                rows = getattr(reply, EXPLAINED[type(reply)]) if type(reply) in EXPLAINED else ()
                bound[ask.seat] = {row.lens for row in rows if not row.blank} | {f.lens for f in reply.findings}
                said += [(ask.seat, place, each) for place, each in enumerate(reply.findings)]
        sheet.bind(bound)
        held, known = sheet.held(), dict[Any, Key]()
        for finding in sheet.findings:
            known.setdefault((finding.subcategory, finding.place, finding.field), finding.key)
        for seat, place, each in sorted(said, key=_by_place):
            sheet.raised += 1
            key, what = Key(f"F{sheet.raised}"), (each.subcategory, each.place, each.field)
            sheet.tell("raised", ("key", key), ("by", seat), ("index", place))
            if what in known:
                sheet.merged += 1
                sheet.tell("merged", ("key", key), ("into", known[what]), ("how", "same"))
            else:
                known[what] = key
                sheet.findings.append(Finding(key, *what, each.severity, False))
            own = held[seat]
            own[known[what]] = worse(own.get(known[what], each.severity), each.severity)
        self._weigh(held, sheet)

    def _matched(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Merge the allowed pairs, one after the other (C14)."""
        pairs = next((reply.pairs for _, reply in replies if isinstance(reply, Matches)), ())
        held, live = sheet.held(), {each.key: each for each in sheet.findings}
        for pair in pairs:
            kept, gone = live.get(pair.kept), live.get(pair.merged)
            said = (("key", pair.merged), ("into", pair.kept))
            if kept is None or gone is None or kept is gone or gone.proven or not near(kept, gone):
                sheet.tell("merge_refused", *said)
                continue
            sheet.tell("merged", *said, ("how", "near"))
            sheet.merged += 1
            del live[gone.key]
            for own in held.values():
                if gone.key in own:
                    was = own.pop(gone.key)
                    own[kept.key] = worse(own.get(kept.key, was), was)
        sheet.findings = list(live.values())
        self._weigh(held, sheet)
        sheet.outcome, sheet.step = Outcome.MERGED, Step.ASSESS if sheet.cycle == 1 else Step.RESPOND
        sheet.cycle = 2

    def _weigh(self, held: Held, sheet: Sheet) -> None:
        """Compute severity and agreement of each finding from its backers (C17, C20)."""
        sheet.back(held)
        for place, each in enumerate(sheet.findings):
            if not each.proven:
                severities = [own[each.key] for own in held.values() if each.key in own]
                agreement = _agreed(len(severities), sheet)
                sheet.findings[place] = changed(each, severity=middle(severities), agreement=agreement)

    # Answers, lenses, the final attempt

    def _answered(self, before: State, replies: Replies, sheet: Sheet) -> None:
        sheet.lose(replies)
        held = sheet.held()
        given = [(ask.seat, reply.answers) for ask, reply in replies if isinstance(reply, Answers)]
        for place, found in enumerate(sheet.findings):
            answers = {seat: own[found.key] for seat, own in given if found.key in own}
            each = found if found.proven else self._put(found, answers, held, sheet)
            remedies = sum(offered(answer.proposal) for answer in answers.values())
            sheet.findings[place] = changed(each, proposals=remedies if each.severity in GRAVE else 0)
        sheet.back({each.seat: {} for each in sheet.seats})
        sheet.go_on(self.needed, Outcome.RESPONDED, Step.BIND)

    def _put(self, finding: Finding, answers: Mapping[Seat, Answer], held: Held, sheet: Sheet) -> Finding:
        """Return a finding after the seats answered: backers, severity and agreement (C16, C17, C21, C37)."""
        key, now, disputed = finding.key, finding.severity, False
        holders = {seat: own[key] for seat, own in held.items() if key in own}
        for seat, answer in answers.items():
            counts = answer.response
            if counts is Response.DISPUTE and answer.unreasoned:
                counts = Response.ABSTAIN
            sheet.tell("answer", ("key", key), ("by", seat), ("said", answer.response.value), ("counts", counts.value))
            if counts is Response.DISPUTE:
                disputed = True
                holders = {other: severity for other, severity in holders.items() if other != seat}
            elif counts is Response.SEVERITY or (counts is Response.CONFIRM and seat not in holders):
                holders[seat] = answer.severity if counts is Response.SEVERITY else now
        severity = middle(holders.values()) if holders else now
        if self.alone:
            resolution = finding.resolution if holders else Resolution.DISMISSED
            return changed(finding, severity=severity, resolution=resolution)
        contested = disputed or len(holders) < 2
        agreement = Agreement.CONTESTED if contested else _agreed(len(holders), sheet)
        lone = severity is Severity.BLOCKER and len(holders) == 1
        return changed(finding, severity=severity, agreement=agreement, lone=lone)

    def _bound(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Record the lenses left unbound after the repair, for seats that were asked; no other effect (C6)."""
        sheet.lose(replies)
        sheet.bind({a.seat: {u.lens for u in r.uses if not u.blank} for a, r in replies if isinstance(r, Binding)})
        for seat, was in zip(sheet.seats, before.seats, strict=True):
            for lens in () if was.lost else seat.unbound:
                sheet.tell("unbound", ("seat", seat.seat), ("lens", lens.value))
        sheet.bind({seat.seat: set(Lens) for seat in sheet.seats})
        sheet.cycle = 3
        sheet.go_on(self.needed, Outcome.BOUND, Step.REMEDIATE)

    def _proposed(self, before: State, replies: Replies, sheet: Sheet) -> None:
        sheet.lose(replies)
        given = [reply.proposals for _, reply in replies if isinstance(reply, LastProposals)]
        sheet.findings = [
            changed(each, proposals=each.proposals + sum(each.key in own and offered(own[each.key]) for own in given))
            for each in sheet.findings
        ]
        sheet.go_on(self.needed, Outcome.PROPOSED, Step.VOTE)


def _by_place(said: tuple[Seat, int, Raised]) -> tuple[str, str, str, int]:
    """Sort key for numbering findings: by what was raised, not by who raised it."""
    each = said[2]
    return each.place, each.subcategory.value, each.field.value, WORST_FIRST.index(each.severity)


def _agreed(backers: int, sheet: Sheet) -> Agreement:
    """Return UNANIMOUS if all three seats are present and back it; else two are a majority (C20)."""
    if backers == len(sheet.seats) == sheet.active == 3:
        return Agreement.UNANIMOUS
    return Agreement.MAJORITY if backers >= 2 else Agreement.PENDING


def near(one: Finding, other: Finding) -> bool:
    """Return whether two findings may be near matches: same place and same gate (C14)."""
    return one.place == other.place and one.subcategory.gate is other.subcategory.gate
