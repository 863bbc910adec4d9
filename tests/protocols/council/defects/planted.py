"""Planted defects of the council that are made by hand: on the council as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.protocol import Degradation, When
from quorate.core.record import Record, Said
from quorate.core.types import Ask, Question, Reason, Replies
from quorate.core.view import View
from quorate.protocols.council.rules.forms import (
    Application,
    Assessment,
    Ballots,
    GateReport,
    Vote,
)
from quorate.protocols.council.rules.model import (
    MATCHER,
    Agreement,
    Outcome,
    Phase,
    Resolution,
    State,
    Step,
    Verdict,
    finding_key,
)
from quorate.protocols.council.rules.taxonomy import Severity
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing, with_node


def after_step(
    phase: Phase, step: Step, change: Callable[[State, Replies, Decision[State]], Decision[State]]
) -> Defect:
    """A defect in the decision of one step."""
    return deciding(phase, lambda state, heard, made: change(state, heard, made) if state.step is step else made)


def clean_without_gates(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    if made.outcome is not Outcome.NO_GATES:
        return made
    return Decision(Outcome.EXAMINED, replace(state, step=Step.REVIEW))


def goes_on_with_one(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Two lost seats do not end the council."""
    few = made.outcome is Outcome.INSUFFICIENT_AGENTS and made.state.active
    return replace(made, outcome=Outcome.ASSESSED, because=()) if few else made


def one_loss_is_too_many(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    lost = any(each.lost for each in made.state.seats)
    return replace(made, outcome=Outcome.INSUFFICIENT_AGENTS, because=()) if lost else made


def comes_back(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    return replace(made, state=replace(made.state, seats=tuple(replace(e, lost=False) for e in made.state.seats)))


def voted_away(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Where all seats vote against everything, what a gate found falls as well."""
    given = [vote.vote for _, reply in heard if isinstance(reply, Ballots) for vote in reply.votes.values()]
    if not given or any(vote is not Vote.OPPOSE for vote in given):
        return made
    found = tuple(replace(e, resolution=Resolution.DISMISSED) if e.proven else e for e in made.state.findings)
    return replace(made, state=replace(made.state, findings=found))


def reads_prose(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    for _, reply in heard:
        if isinstance(reply, Assessment) and any("approve" in each.reason.text for each in reply.gates):
            return replace(made, state=replace(made.state, findings=()))
    return made


def favours_a_seat(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """SA-1 is never in doubt."""
    seats = tuple(replace(each, low=each.low and each.seat != "SA-1") for each in made.state.seats)
    return replace(made, state=replace(made.state, seats=seats))


def repeats_cycle_2(protocol: P) -> P:
    """A BLOCKER sends the council through CYCLE_2 once more."""

    def again(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        blocked = any(each.severity is Severity.BLOCKER for each in state.findings)
        if made.outcome is Outcome.BOUND and blocked and state.attempts == 0:
            return Decision(Outcome.RESPONDED, replace(made.state, step=Step.ASSESS, cycle=2, attempts=1))
        return made

    return deciding(Phase.CYCLE_2, again)(protocol)


def trusts_an_absent_gate(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Edits count as applied where the gates say nothing."""
    if any(isinstance(reply, Application) for _, reply in heard):
        return made
    found = tuple(replace(e, resolution=Resolution.REMEDIATED) for e in made.state.findings)
    return replace(made, state=replace(made.state, findings=found))


def new_finding(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """The final attempt raises a finding under a number that was given already."""
    extra = tuple(replace(each, key=finding_key(1)) for each in made.state.findings[:1])
    return replace(made, state=replace(made.state, findings=(*made.state.findings, *extra)))


def settles_with_the_first(protocol: P) -> P:
    decide = protocol.nodes[Phase.CYCLE_3].decide
    return with_node(
        protocol, Phase.CYCLE_3, settle=lambda state, heard: decide(state, heard) if state.step is Step.VOTE else None
    )


def settles_reviews(protocol: P) -> P:
    """Two reviews are a quorum, and what the third seat finds is lost."""
    decide = protocol.nodes[Phase.CYCLE_1].decide
    return with_node(
        protocol,
        Phase.CYCLE_1,
        settle=lambda state, heard: (
            decide(state, heard) if state.step is Step.REVIEW and len(heard.present()) == 2 else None
        ),
    )


def asks_the_lost(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    lost = [each.seat for each in state.seats if each.lost]
    return (*asks, *(replace(asks[0], seat=seat) for seat in lost)) if asks and state.step is Step.ASSESS else asks


def matcher_votes(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, replace(asks[0], seat=MATCHER)) if asks and state.step is Step.VOTE else asks


def without_last_key(step: Step) -> Callable[[State, tuple[Question, ...]], tuple[Question, ...]]:
    return lambda state, asks: (
        tuple(replace(each, keys=each.keys[:-1]) for each in asks) if state.step is step else asks
    )


def asked_twice(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return asks + asks if state.step is Step.RESPOND else asks


def counts_what_is_in(state: State, heard: Replies) -> State:
    """A vote that is cut short dismisses what those who voted oppose."""
    opposed = any(isinstance(reply, Ballots) for _, reply in heard)
    found = tuple(replace(each, resolution=Resolution.DISMISSED) for each in state.findings)
    return replace(state, findings=found) if opposed else state


def forgets(state: State, heard: Replies) -> State:
    return replace(state, findings=(), raised=0, joined=())


def shows_what_others_said(record: Record, ask: Ask, seen: View) -> View:
    words = [reply.reason.text for line in record.log if isinstance(line, Said) for reply in _judgements(line.reply)]
    return more(seen, " ".join(words))


def _judgements(reply: Any) -> Any:
    return reply.gates if isinstance(reply, Assessment) else ()


def names_the_seats(record: Record, ask: Ask, seen: View) -> View:
    state: State = record.session.state
    return more(seen, ", ".join(str(each.seat) for each in state.seats))


def concluding(change: Callable[[State, Any], Verdict]) -> Defect:
    def plant(protocol: P) -> P:
        conclude = protocol.verdicts[Phase.CONVERGED]
        verdicts = {**protocol.verdicts, Phase.CONVERGED: lambda state: change(state, conclude(state))}
        return replace(protocol, verdicts=verdicts)

    return plant


def optimist(state: State, verdict: Verdict) -> Verdict:
    """A council that upheld something but voted is taken to approve with remediation."""
    voted = any(each.agreement is Agreement.QUORUM_SUPPORT for each in state.findings)
    return Verdict.APPROVED_WITH_REMEDIATION if voted and verdict is Verdict.REJECTED else verdict


def deaf_matcher(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """What the matcher refused is told as merged."""
    told = tuple(
        Fact("merged", (*fact.values, ("how", "alike"))) if fact.name == "merge_refused" else fact
        for fact in made.facts
    )
    return replace(made, facts=told)


def gates_again(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """A BLOCKER of a gate ends the council although nobody wants it fast."""
    report = next((reply for _, reply in heard if isinstance(reply, GateReport)), None)
    found = report is not None and any(each.severity is not Severity.MINOR for each in report.findings)
    return replace(made, outcome=Outcome.GATE_FAILED, because=()) if found else made


DEFECTS: Mapping[str, Defect] = {
    "without a report the gates are clean": after_step(Phase.CYCLE_1, Step.EXAMINE, clean_without_gates),
    "every finding of a gate ends the council": after_step(Phase.CYCLE_1, Step.EXAMINE, gates_again),
    "two lost seats do not end the council": after_step(Phase.CYCLE_2, Step.ASSESS, goes_on_with_one),
    "one lost seat ends the council": after_step(Phase.CYCLE_2, Step.ASSESS, one_loss_is_too_many),
    "lost seats come back": after_step(Phase.CYCLE_2, Step.MATCH, comes_back),
    "what a gate found is voted away": after_step(Phase.CYCLE_3, Step.VOTE, voted_away),
    "a decision reads prose": after_step(Phase.CYCLE_2, Step.ASSESS, reads_prose),
    "a seat is treated differently": after_step(Phase.CYCLE_2, Step.ASSESS, favours_a_seat),
    "CYCLE_2 is repeated": repeats_cycle_2,
    "edits count where the gates say nothing": after_step(Phase.CYCLE_3, Step.APPLY, trusts_an_absent_gate),
    "a number is given twice": after_step(Phase.CYCLE_3, Step.REMEDIATE, new_finding),
    "what was refused is told as merged": after_step(Phase.CYCLE_1, Step.MATCH, deaf_matcher),
    "the vote is settled with the first": settles_with_the_first,
    "a review is settled without the third seat": settles_reviews,
    "a lost seat is asked": asking(Phase.CYCLE_2, asks_the_lost),
    "the matcher votes": asking(Phase.CYCLE_3, matcher_votes),
    "the last finding is not answered": asking(Phase.CYCLE_2, without_last_key(Step.RESPOND)),
    "the last item is not voted upon": asking(Phase.CYCLE_3, without_last_key(Step.VOTE)),
    "seats answer twice": asking(Phase.CYCLE_2, asked_twice),
    "a vote that is cut short counts": interrupting(Reason.BUDGET, fold=counts_what_is_in),
    "an abort forgets what was found": interrupting(Reason.EPISODES, fold=forgets),
    "a cancelled council converges": interrupting(Reason.CANCELLED, to=Phase.CONVERGED),
    "a wish cuts a phase short": interrupting(Reason.WISH, when=When.NOW),
    "a verdict that hopes for the best": concluding(optimist),
    "a lost seat is not told": lambda protocol: replace(protocol, degradation=lambda _: Degradation.NONE),
    "a seat is shown what others say in the same phase": showing("assess", shows_what_others_said),
    "a seat is shown the names of the others": showing("respond", names_the_seats),
    "a view lacks what it asks about": showing("vote", lambda _, __, seen: replace(seen, sections=seen.sections[:-1])),
    "a brief is missing": briefs({"remediate": None}),
    "a brief is not used": briefs({"bribe": "Offer something."}),
}
