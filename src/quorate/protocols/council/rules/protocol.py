"""The council's phases: whom each cycle asks and how it decides, and the transition table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare
from quorate.core.forms import Key, Reply
from quorate.core.protocol import Degradation, Interrupt, Limits, Node, When
from quorate.core.types import Question, Reason, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.council.rules.answers import take_answers, take_last, to_answer
from quorate.protocols.council.rules.conclusion import agreement_tests, too_few, verdict_of
from quorate.protocols.council.rules.edits import edited, shared_out, to_mend
from quorate.protocols.council.rules.forms import (
    Answers,
    Application,
    Applied,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    Coverage,
    GateReport,
    LastProposals,
    Matches,
    MockRun,
    Patch,
    ScoringTable,
)
from quorate.protocols.council.rules.lenses import SA_1, SA_2, SA_3, Selection
from quorate.protocols.council.rules.merges import take_pairs, take_proven, take_raised
from quorate.protocols.council.rules.model import (
    GATES,
    MATCHER,
    MOST_ATTEMPTS,
    REVIEWERS,
    CouncilSettings,
    Depth,
    Outcome,
    Phase,
    Resolution,
    Reviewer,
    State,
    Step,
    Verdict,
)
from quorate.protocols.council.rules.replies import (
    assesses,
    findings_in,
    has_content,
    is_in_doubt,
    lenses_used,
    refused_claims,
)
from quorate.protocols.council.rules.taxonomy import (
    MOST_TICKETS,
    GateStatus,
    GateType,
    Severity,
    gate_type,
    place_keys,
)
from quorate.protocols.council.rules.votes import (
    Standing,
    count_votes,
    settle_alone,
    standings,
    take_standings,
    to_vote,
)

ARTIFACTS: Mapping[Seat, tuple[str, type[Reply]]] = {
    SA_1: ("score", ScoringTable),
    SA_2: ("mock-run", MockRun),
    SA_3: ("assure", AssuranceTree),
}
"""The brief and the form of each seat's artifact (C13)."""


@dataclass(frozen=True, slots=True)
class Council:
    """The council under one choice of settings, with its lenses drawn."""

    settings: CouncilSettings
    selection: Selection

    # INIT

    def draw(self, state: State, _: Replies) -> Decision[State]:
        """Record the lenses that were drawn, and how the draw passed its checks (C3, C4)."""
        drawn, passed = self.selection, self.selection.passed
        facts = [
            Fact.of(
                "modes",
                seat=seat,
                modes=", ".join(map(str, modes)),
                categories=", ".join(drawn.categories[seat]),
                attempt=drawn.attempts[seat],
            )
            for seat, modes in drawn.modes.items()
        ]
        relaxed = ", ".join(drawn.relaxed)
        facts.append(Fact.of("mode_selection", total_overlap=drawn.overlap, passed=passed, relaxed=relaxed))
        claim = "the lenses pass their checks" if passed else f"the lenses are drawn, without regard to {relaxed}"
        return choose(replace(state, cycle=1), (Test("C4", Outcome.MODES_DRAWN, claim, True),), facts)

    # CYCLE_1

    def ask_structure(self, state: State) -> tuple[Question, ...]:
        match state.step:
            case Step.EXAMINE:
                return (Question(GATES, "examine", GateReport, place_keys(MOST_TICKETS)),)
            case Step.MATCH:
                return _ask_matcher(state)
            case _:
                places = place_keys(state.tickets)
                return tuple(Question(seat, *ARTIFACTS[seat], places) for seat in state.active)

    def decide_structure(self, state: State, replies: Replies) -> Decision[State]:
        match state.step:
            case Step.EXAMINE:
                return self._examined(state, replies.of(GATES))
            case Step.MATCH:
                return self._matched(state, replies, replace(state, cycle=2, step=Step.ASSESS))
            case _:
                after, facts = self._raised(state, replies, (ScoringTable, MockRun, AssuranceTree))
                said = {ask.seat for ask, reply in replies if isinstance(reply, Reply) and has_content(reply)}
                after = _judged(after, said)
                facts += [
                    Fact.of("claim_refused", seat=ask.seat, row=index + 1)
                    for ask, reply in replies
                    for index in (refused_claims(reply) if isinstance(reply, AssuranceTree) else ())
                ]
                return self._go_on(after, "C13", Outcome.REVIEWED, "every active seat has reviewed", Step.MATCH, facts)

    def _examined(self, state: State, report: object) -> Decision[State]:
        if not isinstance(report, GateReport):
            return choose(state, (Test("C12", Outcome.NO_GATES, "the gates gave no report", True),))
        if any(run.status is GateStatus.PASSED and not run.read for run in report.gates):
            return choose(state, (Test("C12", Outcome.NO_GATES, "a gate passed, and had read nothing", True),))
        assessable = any(
            gate_type(run.gate) is GateType.LLM_ASSISTED and run.status is not GateStatus.NOT_APPLICABLE
            for run in report.gates
        )
        begun = replace(state, tickets=report.tickets, step=Step.REVIEW, assessable=assessable)
        after, facts = take_proven(begun, report.findings)
        blockers = sum(each.severity is Severity.BLOCKER for each in after.findings)
        stop = compare("C11", Outcome.GATE_FAILED, ("BLOCKER findings of gates", blockers), ">=", 1)
        go_on = Test("C8", Outcome.EXAMINED, "the gates have reported", True)
        return choose(after, (stop, go_on) if self.settings.fail_fast or self.alone else (go_on,), facts)

    # CYCLE_2

    def ask_feasibility(self, state: State) -> tuple[Question, ...]:
        match state.step:
            case Step.ASSESS:
                places = place_keys(state.tickets)
                return tuple(Question(seat, "assess", Assessment, places) for seat in state.active)
            case Step.MATCH:
                cover = Question(GATES, "cover", Coverage, place_keys(state.tickets))
                return (*_ask_matcher(state), cover)
            case Step.RESPOND:
                keys = to_answer(state)
                return tuple(Question(seat, "respond", Answers, keys) for seat in state.active if keys)
            case _:
                unbound = [each.seat for each in state.seats if each.unbound and not each.lost]
                return tuple(Question(seat, "bind", Binding, place_keys(state.tickets)) for seat in unbound)

    def decide_feasibility(self, state: State, replies: Replies) -> Decision[State]:
        match state.step:
            case Step.ASSESS:
                after, facts = self._raised(state, replies, (Assessment,))
                found = {each.subcategory.gate for each in after.findings}
                low = {ask.seat for ask, reply in replies if is_in_doubt(reply, found)}
                after = replace(after, seats=tuple(replace(each, low=each.seat in low) for each in after.seats))
                judges = {
                    ask.seat for ask, reply in replies if isinstance(reply, Reply) and assesses(reply, state.assessable)
                }
                after = _judged(after, judges & {each.seat for each in state.seats if each.judged})
                return self._go_on(after, "C15", Outcome.ASSESSED, "every active seat has assessed", Step.MATCH, facts)
            case Step.MATCH:
                return self._matched(state, replies, replace(_covered(state, replies), step=Step.RESPOND))
            case Step.RESPOND:
                after, facts = take_answers(self.settings, _lose(state, replies), replies)
                after = replace(after, seats=tuple(replace(each, backs=()) for each in after.seats))
                return self._go_on(after, "C16", Outcome.RESPONDED, "the answers are counted", Step.BIND, facts)
            case _:
                return self._bound(state, replies)

    def _bound(self, state: State, replies: Replies) -> Decision[State]:
        """Bind the lenses used in the repair; any left unbound only give a warning (C6)."""
        after, facts = _lose(state, replies), []
        for each in state.seats:
            if each.lost:
                continue  # it could not be asked to bind anything
            reply = replies.of(each.seat)
            used = {use.lens for use in reply.uses if not use.blank} if isinstance(reply, Binding) else set()
            facts += [Fact.of("unbound", seat=each.seat, lens=lens.value) for lens in each.unbound if lens not in used]
        seats = tuple(replace(each, unbound=()) for each in after.seats)
        after = replace(after, seats=seats, cycle=3)
        claim = "every drawn lens is bound, or the record warns"
        return self._go_on(after, "C6", Outcome.BOUND, claim, Step.REMEDIATE, facts)

    # CYCLE_3

    def ask_to_converge(self, state: State) -> tuple[Question, ...]:
        match state.step:
            case Step.REMEDIATE:
                keys = _without_remedy(state)
                return tuple(Question(seat, "remediate", LastProposals, keys) for seat in state.active if keys)
            case Step.VOTE:
                keys = () if self.alone else to_vote(state)
                return tuple(Question(seat, "vote", Ballots, keys) for seat in state.active if keys)
            case Step.PATCH:
                places = place_keys(state.tickets)
                shared = shared_out(state)
                return tuple(Question(seat, "patch", Patch, (*keys, *places)) for seat, keys in shared.items())
            case Step.APPLY:
                return (Question(GATES, "apply", Application, to_mend(state)),)
            case _:
                return ()

    def converge(self, state: State, replies: Replies) -> Decision[State]:
        match state.step:
            case Step.REMEDIATE:
                after = take_last(_lose(state, replies), replies)
                return self._go_on(after, "C18", Outcome.PROPOSED, "the final attempt is made", Step.VOTE)
            case Step.VOTE:
                return self._voted(state, replies)
            case Step.PATCH:
                offered = any(isinstance(reply, Patch) and reply.edits for _, reply in replies)
                after = replace(state, step=Step.APPLY if offered else Step.END, attempts=state.attempts + 1)
                claim = "edits are offered" if offered else "nobody offers an edit"
                return choose(after, (Test("C38", Outcome.PATCHED, claim, True),))
            case Step.APPLY:
                return self._applied(state, replies.of(GATES))
            case _:
                return self._ended(state)

    def _voted(self, state: State, replies: Replies) -> Decision[State]:
        """Settle everything by the votes; a missing seat whose vote could not have mattered is not lost (C22, C24)."""
        if self.alone:
            return self._agreed(settle_alone(state), ())
        missing = len(replies.absent())
        if (settled := self._certain(state, replies, missing)) is not None:
            return settled
        after = _lose(state, replies)
        if self._too_few(after).held:
            return self._go_on(after, "C22", Outcome.VOTED, "the votes are counted", Step.PATCH)
        decided = self._certain(after, replies, 0)
        assert decided is not None  # with no vote to come every item stands one way or another
        return decided

    def settle_vote(self, state: State, replies: Replies) -> Decision[State] | None:
        """Decide before all votes are in if no outstanding vote can change the outcome, else return None (C24)."""
        if state.step is not Step.VOTE or self.alone:
            return None
        cast = sum(isinstance(reply, Ballots) for _, reply in replies)
        return self._certain(state, replies, len(state.active) - cast)

    def _certain(self, state: State, replies: Replies, waiting: int) -> Decision[State] | None:
        counts = count_votes(state, replies)
        found = standings(state, counts, self.settings.quorum, waiting)
        if Standing.OPEN in found.values():
            return None
        facts = [
            Fact.of(
                "vote",
                key=key,
                support=count.support,
                oppose=count.oppose,
                abstain=count.abstain,
                refuted=count.refuted,
                stands=found[key].value,
            )
            for key, count in counts.items()
        ]
        return self._agreed(take_standings(state, found), facts)

    def _agreed(self, state: State, facts: Sequence[Fact]) -> Decision[State]:
        patches = self.settings.remediate and bool(to_mend(state))
        after = replace(state, step=Step.PATCH if patches else Step.END)
        return choose(after, (Test("C22", Outcome.VOTED, "every finding is settled", True),), facts)

    def _applied(self, state: State, reply: object) -> Decision[State]:
        """Keep the edits that held; ask once more for those that did not (C38, C39)."""
        results = reply.results if isinstance(reply, Application) else {}
        findings, facts, refused = [], [], False
        for each in state.findings:
            if each.resolution is not Resolution.REMEDIATION_AGREED:
                findings.append(each)
                continue
            result = results.get(each.key, Applied.NOT_APPLIED)
            findings.append(edited(each, result))
            refused = refused or findings[-1].resolution is Resolution.REMEDIATION_AGREED
            facts.append(Fact.of("edited", key=each.key, result=result.name))
        again = refused and isinstance(reply, Application) and state.attempts < MOST_ATTEMPTS
        after = replace(state, findings=tuple(findings), step=Step.PATCH if again else Step.END)
        return choose(after, (Test("C38", Outcome.APPLIED, "the edits are tried in a scratch copy", True),), facts)

    def _ended(self, state: State) -> Decision[State]:
        return choose(replace(state, attempts=0), agreement_tests(self.settings, state))

    # Steps that cycles share

    def _raised(self, state: State, replies: Replies, forms: tuple[type[Reply], ...]) -> tuple[State, list[Fact]]:
        """Add the findings of every reply, and record which lenses they and the artifacts bind (C6, C13)."""
        after = _lose(state, replies)
        said = [(ask.seat, reply) for ask, reply in replies if isinstance(reply, forms)]
        used = {seat: lenses_used(reply) for seat, reply in said}
        seats = tuple(
            replace(each, unbound=tuple(lens for lens in each.unbound if lens not in used.get(each.seat, ())))
            for each in after.seats
        )
        return take_raised(replace(after, seats=seats), [(seat, findings_in(reply)) for seat, reply in said])

    def _matched(self, state: State, replies: Replies, to: State) -> Decision[State]:
        reply = replies.of(MATCHER)
        after, facts = take_pairs(to, reply.pairs if isinstance(reply, Matches) else ())
        shown = replies.of(GATES)
        facts += [Fact.of("unshown", key=key) for key in (shown.unshown if isinstance(shown, Coverage) else ())]
        return choose(after, (Test("C14", Outcome.MERGED, "texts that are alike beyond doubt are one", True),), facts)

    def _go_on(
        self, state: State, rule: str, outcome: Outcome, claim: str, step: Step, facts: Sequence[Fact] = ()
    ) -> Decision[State]:
        """Continue with the next step unless too few seats are left (C36)."""
        return choose(replace(state, step=step), (self._too_few(state), Test(rule, outcome, claim, True)), facts)

    def _too_few(self, state: State) -> Test:
        return too_few(len(state.active), 1 if self.alone else self.settings.quorum)

    # The value

    @property
    def alone(self) -> bool:
        """Whether one seat reviews and nobody votes (C37)."""
        return len(self.seats()) == 1

    def seats(self) -> tuple[Seat, ...]:
        """The seats of the depth: one, or three (C1)."""
        return (SA_1,) if self.settings.depth is Depth.STANDARD else REVIEWERS

    def start(self) -> State:
        notes = self.settings.unqualified_seats
        return State(tuple(Reviewer(seat, unbound=()) if seat in notes else Reviewer(seat) for seat in self.seats()))

    def briefs(self, briefs: Mapping[str, str]) -> dict[str, str]:
        """Return the briefs that this council uses, without those of seats and steps it does not have."""
        seats = self.seats()
        unused = {brief for seat, (brief, _) in ARTIFACTS.items() if seat not in seats}
        unused |= {f"roles/{seat}" for seat in ARTIFACTS if seat not in seats}
        unused |= set() if self.settings.remediate else {"patch", "apply"}
        unused |= {"vote"} if self.alone else set()
        return {name: text for name, text in briefs.items() if name not in unused}

    def nodes(self) -> dict[Phase, Node[State]]:
        return {
            Phase.INIT: Node(lambda _: (), self.draw),
            Phase.CYCLE_1: Node(self.ask_structure, self.decide_structure),
            Phase.CYCLE_2: Node(self.ask_feasibility, self.decide_feasibility),
            Phase.CYCLE_3: Node(self.ask_to_converge, self.converge, self.settle_vote),
        }

    def conclude(self, state: State) -> Verdict:
        return verdict_of(self.settings, state)

    def limits(self) -> Limits:
        return Limits(self.settings.max_episodes, self.settings.stall_after)

    def degradation(self, state: State) -> Degradation:
        """Return whether seats were lost, and whether too many (C36)."""
        if not any(each.lost for each in state.seats):
            return Degradation.NONE
        return Degradation.BELOW_SETTINGS if self._too_few(state).held else Degradation.WITHIN_SETTINGS


def _without_remedy(state: State) -> tuple[Key, ...]:
    """Return the BLOCKERs, except dismissed ones, for which nobody proposed a remediation (C18)."""
    return tuple(
        each.key
        for each in state.findings
        if each.severity is Severity.BLOCKER and not each.proposals and each.resolution is not Resolution.DISMISSED
    )


def _ask_matcher(state: State) -> tuple[Question, ...]:
    """Return the ask for near matches, if there can be any."""
    keys = tuple(each.key for each in state.findings)
    raised = sum(not each.proven for each in state.findings)
    return (Question(MATCHER, "match", Matches, keys),) if raised and len(keys) > 1 else ()


def _covered(state: State, replies: Replies) -> State:
    """Note what code says was shown to nobody, or refused; without its word nothing was shown (C28, C42)."""
    shown = replies.of(GATES)
    if not isinstance(shown, Coverage):
        return replace(state, covered=False)
    return replace(state, covered=not shown.unshown, refused=shown.refused)


def _judged(state: State, seats: Collection[Seat]) -> State:
    """Note which seats have judged so far (C46)."""
    return replace(state, seats=tuple(replace(each, judged=each.seat in seats) for each in state.seats))


def _lose(state: State, replies: Replies) -> State:
    """Mark seats without a usable reply as lost for the session (C36)."""
    gone = set(replies.absent())
    return replace(state, seats=tuple(replace(each, lost=each.lost or each.seat in gone) for each in state.seats))


def _keep(state: State, _: Replies) -> State:
    """Keep the state of a phase that is cut short; its replies stay in the record only (C33)."""
    return state


TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.INIT: {
        Outcome.MODES_DRAWN: Phase.CYCLE_1,
    },
    Phase.CYCLE_1: {
        Outcome.EXAMINED: Phase.CYCLE_1,
        Outcome.REVIEWED: Phase.CYCLE_1,
        Outcome.MERGED: Phase.CYCLE_2,
        Outcome.GATE_FAILED: Phase.CONVERGED,
        Outcome.NO_GATES: Phase.ABORTED,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
    Phase.CYCLE_2: {
        Outcome.ASSESSED: Phase.CYCLE_2,
        Outcome.MERGED: Phase.CYCLE_2,
        Outcome.RESPONDED: Phase.CYCLE_2,
        Outcome.BOUND: Phase.CYCLE_3,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
    Phase.CYCLE_3: {
        Outcome.PROPOSED: Phase.CYCLE_3,
        Outcome.VOTED: Phase.CYCLE_3,
        Outcome.PATCHED: Phase.CYCLE_3,
        Outcome.APPLIED: Phase.CYCLE_3,
        Outcome.CONSENSUS: Phase.CONVERGED,
        Outcome.DEADLOCK: Phase.DEADLOCKED,
        Outcome.INSUFFICIENT_AGENTS: Phase.ABORTED,
    },
}

INTERRUPTS: Mapping[Reason, Interrupt[State]] = {
    Reason.CANCELLED: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.BUDGET: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.EPISODES: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.STALL: Interrupt(Phase.ABORTED, When.AFTER_PHASE, _keep),
    Reason.WISH: Interrupt(Phase.ABORTED, When.AFTER_PHASE, _keep),
}

EXIT_CODES: Mapping[Verdict, int] = {
    Verdict.APPROVED: 0,
    Verdict.APPROVED_WITH_REMEDIATION: 0,
    Verdict.REJECTED: 1,
    Verdict.NEEDS_ADJUDICATION: 2,
    Verdict.ABORTED: 3,
}
