"""A recount of a council from RULES.md, without the protocol's own functions."""

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
    Coverage,
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
    Join,
    Outcome,
    Phase,
    Resolution,
    State,
    Step,
)
from quorate.protocols.council.rules.taxonomy import Gate, GateStatus, Severity
from tests.protocols.council.oracle import same
from tests.protocols.council.oracle.retally import Retally
from tests.protocols.council.oracle.sheet import (
    GRAVE,
    WORST_FIRST,
    Held,
    M,
    Sheet,
    changed,
    differing,
    offered,
    reviewer,
    worse,
)

EXPLAINED = {ScoringTable: "scores", MockRun: "steps", AssuranceTree: "claims"}
"""Where an artifact has the rows that bind lenses (C6, C13)."""
BY_SEATS = (Gate.ATOMICITY, Gate.IMPLEMENTABILITY, Gate.SECURITY, Gate.FIDELITY, Gate.ANTI_COUSIN)
"""The gates that need judgement (C10)."""
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
        if [run for run in report.gates if run.status is GateStatus.PASSED and run.read == 0]:
            sheet.outcome = Outcome.NO_GATES
            return
        sheet.assessable = bool([r for r in report.gates if r.gate in BY_SEATS and r.status.name != "NOT_APPLICABLE"])
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
        bound = self._raised(replies, sheet)
        sheet.seats = [reviewer(s, judged=bool(bound.get(s.seat))) for s in sheet.seats]
        for ask, reply in replies:
            for row in hanging(reply) if isinstance(reply, AssuranceTree) else ():
                sheet.tell("claim_refused", ("seat", ask.seat), ("row", row))
        sheet.go_on(self.needed, Outcome.REVIEWED, Step.MATCH)

    def _assessed(self, before: State, replies: Replies, sheet: Sheet) -> None:
        self._raised(replies, sheet)
        gates = [each.subcategory.gate for each in sheet.findings]
        said = {a.seat: r for a, r in replies if isinstance(r, Assessment)}
        low = {seat for seat, r in said.items() if r.confidence is Level.LOW}
        low |= {seat for seat, r in said.items() if [g for g in r.gates if not g.passed and gates.count(g.gate) == 0]}
        judging = {seat for seat, r in said.items() if r.gates or r.findings or not sheet.assessable}
        sheet.seats = [reviewer(s, low=s.seat in low, judged=s.judged and s.seat in judging) for s in sheet.seats]
        sheet.go_on(self.needed, Outcome.ASSESSED, Step.MATCH)

    def _raised(self, replies: Replies, sheet: Sheet) -> dict[Seat, set[Lens]]:
        """Add what was raised in an order independent of seats, each for itself; return the lenses used (C14)."""
        sheet.lose(replies)
        bound: dict[Seat, set[Lens]] = {}
        said: list[tuple[Seat, int, Raised]] = []
        for ask, reply in replies:
            if isinstance(reply, ScoringTable | MockRun | AssuranceTree | Assessment):
                rows = getattr(reply, EXPLAINED[type(reply)]) if type(reply) in EXPLAINED else ()
                loose = hanging(reply) if isinstance(reply, AssuranceTree) else []
                good = [row for number, row in enumerate(rows, start=1) if number not in loose and not row.blank]
                bound[ask.seat] = {row.lens for row in good} | {f.lens for f in reply.findings}
                said += [(ask.seat, place, each) for place, each in enumerate(reply.findings)]
        sheet.bind(bound)
        held = sheet.held()
        for seat, place, each in sorted(said, key=_by_place):
            sheet.raised += 1
            key, what = Key(f"F{sheet.raised}"), (each.subcategory, each.place, each.field)
            sheet.tell("raised", ("key", key), ("by", seat), ("index", place))
            sheet.findings.append(Finding(key, *what, each.severity, False))
            held[seat][key] = each.severity
        self._group(held, sheet)
        return bound

    def _matched(self, before: State, replies: Replies, sheet: Sheet) -> None:
        """Join the allowed pairs, one after the other, and note what nobody was shown (C14, C42)."""
        pairs = next((reply.pairs for _, reply in replies if isinstance(reply, Matches)), ())
        held = sheet.held()
        for pair in pairs:
            live = {each.key: each for each in sheet.findings}
            kept, gone = live.get(pair.kept), live.get(pair.merged)
            said = (("key", pair.merged), ("into", pair.kept))
            if kept is None or gone is None or signature(kept) != signature(gone) or not joins(kept, gone):
                sheet.tell("merge_refused", *said)
                continue
            sheet.tell("merged", *said, ("how", "alike"))
            self._join(held, sheet, gone, kept)
        self._group(held, sheet)
        if sheet.cycle == 2:
            shown = next((reply for _, reply in replies if isinstance(reply, Coverage)), None)
            sheet.covered = shown is not None and len(shown.unshown) == 0
            sheet.refused = shown.refused if shown is not None else 0
            for key in shown.unshown if shown else ():
                sheet.tell("unshown", ("key", key))
        sheet.outcome, sheet.step = Outcome.MERGED, Step.ASSESS if sheet.cycle == 1 else Step.RESPOND
        sheet.cycle = 2

    def _join(self, held: Held, sheet: Sheet, gone: Finding, kept: Finding) -> None:
        sheet.joined.append(Join(gone.key, kept.key))
        for own in held.values():
            if gone.key in own:
                was = own.pop(gone.key)
                own[kept.key] = worse(own.get(kept.key, was), was)
        left = [each for each in sheet.findings if each.key != gone.key]
        hers = next(each for each in sheet.findings if each.key == gone.key).severity
        sheet.findings = [
            changed(each, severity=worse(each.severity, hers)) if each.key == kept.key else each for each in left
        ]

    def _group(self, held: Held, sheet: Sheet) -> None:
        """Give each finding the status of its group: by how many seats one of it was raised (C20)."""
        sheet.back(held)
        for place, each in enumerate(sheet.findings):
            if not each.proven:
                own = {other.key for other in sheet.findings if signature(other) == signature(each)}
                raisers = [seat for seat, keys in held.items() if own & keys.keys()]
                sheet.findings[place] = changed(each, agreement=_agreed(len(raisers), sheet))

    # Answers, lenses, the final attempt

    def _answered(self, before: State, replies: Replies, sheet: Sheet) -> None:
        sheet.lose(replies)
        raised = sheet.held()
        given = {ask.seat: reply.answers for ask, reply in replies if isinstance(reply, Answers)}
        old = list(sheet.findings)
        for found in old:
            for seat, own in given.items():
                against = found.key in own and own[found.key].response in (Response.DISPUTE, Response.SEVERITY)
                if against if found.proven else found.key in own:
                    counts = Response.ABSTAIN if found.proven else _counts(own[found.key])
                    said = (("said", own[found.key].response.value), ("counts", counts.value))
                    sheet.tell("answer", ("key", found.key), ("by", seat), *said)
        heads = same.heads(old, raised, given, 1 if self.alone else self.settings.quorum)
        same.told(old, given, heads, sheet.tell)
        for gone, kept in heads.items():
            by = {each.key: each for each in sheet.findings}
            self._join(raised, sheet, by[gone], by[kept])
        for place, each in enumerate(sheet.findings):
            members = [one for one in old if heads.get(one.key, one.key) == each.key]
            put = each if each.proven else self._put(each, members, given, before, sheet)
            said_of = [own[one.key] for one in members for own in given.values() if one.key in own]
            remedies = sum(offered(answer.proposal) for answer in said_of)
            sheet.findings[place] = changed(put, proposals=remedies if put.severity in GRAVE else 0)
        sheet.back({each.seat: {} for each in sheet.seats})
        sheet.go_on(self.needed, Outcome.RESPONDED, Step.BIND)

    def _put(
        self, finding: Finding, members: list[Finding], given: Mapping[Seat, Any], before: State, sheet: Sheet
    ) -> Finding:
        """Return a finding after the seats answered: backers, severity and agreement (C16, C17, C21, C37)."""
        holders: list[tuple[Seat, Severity]] = []
        disputed = []
        for one in members:
            mine = {s.seat: back.severity for s in before.seats for back in s.backs if back.key == one.key}
            for seat, own in given.items():
                counts = _counts(own[one.key]) if one.key in own else Response.ABSTAIN
                disputed += [one.severity] if counts is Response.DISPUTE else []
                if counts is Response.DISPUTE:
                    mine = {other: severity for other, severity in mine.items() if other != seat}
                elif counts is Response.SEVERITY:
                    mine[seat] = own[one.key].severity
                elif counts is Response.CONFIRM:
                    mine = {seat: one.severity, **mine}
            holders += mine.items()
        found = {seat: [s for other, s in holders if other == seat] for seat, _ in holders}
        worst = {seat: next(s for s in WORST_FIRST if s in own) for seat, own in found.items()}
        if self.alone:
            left = (*worst.values(), *disputed) if worst else (finding.severity,)
            severity = next(s for s in WORST_FIRST if s in left)
            return changed(finding, severity=severity, resolution=finding.resolution if worst else Resolution.DISMISSED)
        severity = next(s for s in WORST_FIRST if s in (finding.severity, *worst.values()))
        milder = [s for s in WORST_FIRST if s in worst.values() and s is not severity]
        lower = milder[0] if milder and severity in GRAVE else None
        doubted = len(disputed) > 0 or len(worst) < 2
        lone = severity is Severity.BLOCKER and len(worst) == 1 and self.settings.reading.value == "rules"
        agreement = Agreement.CONTESTED if doubted or lower else _agreed(len(worst), sheet)
        return changed(finding, severity=severity, agreement=agreement, doubted=doubted, lower=lower, lone=lone)

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


def signature(finding: Finding) -> tuple[str, str, str]:
    return finding.subcategory.value, finding.place, finding.field.value


def joins(kept: Finding, gone: Finding) -> bool:
    """Return whether one may become part of the other: no gate's, and no worse than a gate's (C14)."""
    if kept is gone or gone.proven:
        return False
    return not kept.proven or WORST_FIRST.index(gone.severity) >= WORST_FIRST.index(kept.severity)


def hanging(tree: AssuranceTree) -> list[int]:
    """Return the numbers of the claims from which no way leads to the top (C13)."""
    rows = {number: row.parent for number, row in enumerate(tree.claims, start=1)}
    good = {0}
    for _ in rows:
        good |= {number for number, parent in rows.items() if parent in good}
    return [number for number in rows if number not in good]


def _counts(answer: Answer) -> Response:
    return Response.ABSTAIN if answer.response is Response.DISPUTE and answer.unreasoned else answer.response
