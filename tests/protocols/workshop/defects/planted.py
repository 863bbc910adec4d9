"""Planted defects of the workshop that are made by hand: on its value, and in its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.forms import Key
from quorate.core.protocol import Degradation, When
from quorate.core.record import Record, Said
from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies, Seat
from quorate.core.view import View
from quorate.protocols.workshop.rules.forms import Response, Ruling
from quorate.protocols.workshop.rules.lives import RoundStage, Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import Artifact, Member, Outcome, Phase, State, Verdict
from quorate.protocols.workshop.rules.plan import Plan
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing, with_node

Made = Decision[State]


def artifacts(state: State, change: Callable[[Artifact], Artifact]) -> State:
    return replace(state, artifacts=tuple(map(change, state.artifacts)))


def doubting(state: State, unsure: bool) -> tuple[Member, ...]:
    return tuple(replace(each, unsure=unsure) for each in state.members)


# On the value


def only(outcome: Outcome, change: Callable[[State], State]) -> Callable[[State, Replies, Made], Made]:
    return lambda _, heard, made: replace(made, state=change(made.state)) if made.outcome is outcome else made


def concludes_early(state: State, heard: Replies, made: Made) -> Made:
    """All topics are closed, and min_rounds is not looked at (W22)."""
    closed = all(each.status is TopicStatus.CLOSED for each in made.state.topics)
    if not closed or made.outcome is not Outcome.CONTINUE:
        return made
    return Decision(Outcome.CONCLUDE, replace(made.state, closed_by=Trigger.AGENDA_CLOSED))


def one_lost_round_ends(state: State, heard: Replies, made: Made) -> Made:
    if state.led or made.outcome is Outcome.FAILED:
        return made
    return Decision(Outcome.FAILED, replace(made.state, closed_by=Trigger.ERROR))


def goes_on_for_ever(state: State, heard: Replies, made: Made) -> Made:
    """Two lost rounds do not end it, and rounds are not counted."""
    if made.outcome is not Outcome.FAILED:
        return made
    return Decision(
        Outcome.CONTINUE, replace(made.state, status=state.status, closed_by=None, stage=RoundStage.QUESTION)
    )


def forgets_artifacts(state: State, heard: Replies, made: Made) -> Made:
    kept = tuple(each for each in made.state.artifacts if each.status is not Status.WITHDRAWN)
    return replace(made, state=replace(made.state, artifacts=kept))


def earlier_round(state: State, heard: Replies, made: Made) -> Made:
    """What is new is said to come from the round before."""
    known = {each.id for each in state.artifacts}
    return replace(
        made, state=artifacts(made.state, lambda e: e if e.id in known else replace(e, made=state.round - 1))
    )


def reopened(state: State) -> State:
    again = {TopicStatus.CLOSED: TopicStatus.PARTIAL}
    return replace(state, topics=tuple(replace(t, status=again.get(t.status, t.status)) for t in state.topics))


def forgets_criteria(state: State) -> State:
    return replace(state, topics=tuple(replace(topic, met=()) for topic in state.topics))


def resolves_everything(state: State, heard: Replies, made: Made) -> Made:
    """A person's decision ends every conflict and every question (W24)."""
    if not any(isinstance(reply, Ruling) and not reply.undecided for _, reply in heard):
        return made
    return replace(made, state=artifacts(made.state, lambda e: replace(e, status=Status.RESOLVED) if e.open else e))


def gives_no_more_rounds(state: State, heard: Replies, made: Made) -> Made:
    since = {each.id: each.since for each in state.artifacts}
    return replace(made, state=artifacts(made.state, lambda e: replace(e, since=since[e.id])))


def detour_restarts_the_round(state: State, heard: Replies, made: Made) -> Made:
    if made.outcome is not Outcome.RESUME_SYNTHESIS:
        return made
    return Decision(Outcome.RESUME_QUESTION, replace(made.state, stage=RoundStage.QUESTION))


def detour_ends_the_round(state: State, heard: Replies, made: Made) -> Made:
    if made.outcome is not Outcome.RESUME_RESPONSES:
        return made
    return replace(made, state=replace(made.state, members=doubting(made.state, True)))


def reads_prose(state: State, heard: Replies, made: Made) -> Made:
    unsure = any(isinstance(reply, Response) and "security" in reply.position.text for _, reply in heard)
    return replace(made, state=replace(made.state, members=doubting(made.state, unsure)))


def favours_a_seat(state: State, heard: Replies, made: Made) -> Made:
    """The first participant is never absent."""
    first, *others = made.state.members
    return replace(made, state=replace(made.state, members=(replace(first, heard=True), *others)))


def excuses_refusal(state: State, heard: Replies, made: Made) -> Made:
    """Who refuses to answer is not missed (W10)."""
    reasons = {reply.reason for _, reply in heard if isinstance(reply, Absent)}
    return replace(made, state=replace(made.state, missed=False)) if reasons == {AbsentReason.REFUSED} else made


def remembers_confidence(state: State, heard: Replies, made: Made) -> Made:
    """Who is absent is as sure as before (W10)."""
    sure = tuple(replace(each, confidence=each.confidence or 80) for each in made.state.members)
    return replace(made, state=replace(made.state, members=sure))


def to_a_stranger(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, Question(Seat("observer"), "respond", Response)) if asks else asks


def without_the_last(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return asks[:-1]


def only_what_is_live(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """What is gone cannot be named, so that a whole synthesis is lost for one slip instead of the move (W14)."""
    gone = {each.id for each in state.artifacts if not each.live and not each.open}
    return tuple(replace(each, keys=tuple(key for key in each.keys if key not in gone)) for each in asks)


def reads_the_absent(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """The clerk is asked for words of somebody who said nothing."""
    all_of_them = tuple(Key(f"P{number + 1}") for number in range(len(state.members)))
    return tuple(replace(each, keys=all_of_them) if each.brief == "read" else each for each in asks)


def two_foci(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return tuple(replace(each, keys=tuple(topic.key for topic in state.topics)) for each in asks)


def leaks_answers(record: Record, ask: Ask, seen: View) -> View:
    """A participant reads what others have answered in the same round (W9)."""
    entry = ask.id.partition(".")[0]
    said = [line for line in record.log if isinstance(line, Said) and line.ask.id.partition(".")[0] == entry]
    return more(seen, " ".join(each.reply.position.text for each in said if isinstance(each.reply, Response)))


def leaks_remarks(record: Record, ask: Ask, seen: View) -> View:
    """A remark to the facilitator is shown to participants (W25)."""
    said = [getattr(line.reply, "remark", None) for line in record.log if isinstance(line, Said)]
    return more(seen, " ".join(each.text for each in said if each is not None))


def complete_at_the_end(protocol: P) -> P:
    return replace(protocol, verdicts={**protocol.verdicts, Phase.CLOSED: lambda _: Verdict.COMPLETE})


def complete_over_conflicts(protocol: P) -> P:
    conclude = protocol.verdicts[Phase.CLOSED]

    def verdict(state: State) -> Any:
        return conclude(artifacts(state, lambda each: replace(each, status=Status.RESOLVED) if each.open else each))

    return replace(protocol, verdicts={**protocol.verdicts, Phase.CLOSED: verdict})


def never_degraded(protocol: P) -> P:
    return replace(protocol, degradation=lambda _: Degradation.NONE)


def settles_with_the_first(protocol: P) -> P:
    return with_node(protocol, Phase.RESPONSES, settle=protocol.nodes[Phase.RESPONSES].decide)


def dead_row(protocol: P) -> P:
    rows = {**protocol.table[Phase.QUESTION], Outcome.ESCALATE: Phase.ESCALATION}
    return replace(protocol, table={**protocol.table, Phase.QUESTION: rows})


DEFECTS: Mapping[str, tuple[str, Defect]] = {
    "it concludes before min_rounds": ("rounds", deciding(Phase.PROCESSING, concludes_early)),
    "one lost round ends it": ("rounds", deciding(Phase.PROCESSING, one_lost_round_ends)),
    "two lost rounds do not end it": ("rounds", deciding(Phase.PROCESSING, goes_on_for_ever)),
    "what is withdrawn is forgotten": ("moves", deciding(Phase.PROCESSING, forgets_artifacts)),
    "an artifact is of another round": ("rounds", deciding(Phase.SYNTHESIS, earlier_round)),
    "a closed topic opens again": ("rounds", deciding(Phase.QUESTION, only(Outcome.ASKED, reopened))),
    "criteria are forgotten": ("criteria", deciding(Phase.QUESTION, only(Outcome.ASKED, forgets_criteria))),
    "a person's decision resolves everything": ("conflicts", deciding(Phase.ESCALATION, resolves_everything)),
    "going on gives no rounds": ("conflicts", deciding(Phase.ESCALATION, gives_no_more_rounds)),
    "a detour restarts the round": ("rounds", deciding(Phase.ESCALATION, detour_restarts_the_round)),
    "a detour leaves a doubt": ("rounds", deciding(Phase.ESCALATION, detour_ends_the_round)),
    "a decision reads prose": ("rounds", deciding(Phase.RESPONSES, reads_prose)),
    "a seat is treated differently": ("rounds", deciding(Phase.RESPONSES, favours_a_seat)),
    "a reason of absence is treated differently": ("rounds", deciding(Phase.RESPONSES, excuses_refusal)),
    "the absent are as sure as before": ("rounds", deciding(Phase.RESPONSES, remembers_confidence)),
    "an ask to a stranger": ("rounds", asking(Phase.RESPONSES, to_a_stranger)),
    "a participant is dropped silently": ("rounds", asking(Phase.RESPONSES, without_the_last)),
    "nobody looks for critical words": ("rounds", asking(Phase.SYNTHESIS, without_the_last)),
    "what is gone cannot even be named": ("moves", asking(Phase.SYNTHESIS, only_what_is_live)),
    "words of the absent are looked for": ("rounds", asking(Phase.SYNTHESIS, reads_the_absent)),
    "any topic may be the focus": ("rounds", asking(Phase.QUESTION, two_foci)),
    "answers of the same round are seen": ("any unsure", showing("respond", leaks_answers)),
    "a remark is shown to participants": ("interactive", showing("respond", leaks_remarks)),
    "every closed session is COMPLETE": ("rounds", complete_at_the_end),
    "COMPLETE over an open conflict": ("aged", complete_over_conflicts),
    "nobody is ever missed": ("rounds", never_degraded),
    "a round is settled by the first answer": ("rounds", settles_with_the_first),
    "a row is never taken": ("rounds", dead_row),
    "a wish to close waits for the phase": ("rounds", interrupting(Reason.WISH, when=When.AFTER_PHASE)),
    "a wish to close aborts": ("rounds", interrupting(Reason.WISH, to=Phase.ABORTED)),
    "a wish to be asked ends the session": ("rounds", interrupting(Reason.ESCALATION, to=Phase.CLOSED)),
    "a wish to be asked forgets who answered": (
        "rounds",
        interrupting(Reason.ESCALATION, fold=lambda state, _: replace(state, led=False, missed=False)),
    ),
    "an interruption forgets what was made": (
        "rounds",
        interrupting(Reason.BUDGET, fold=lambda state, _: replace(state, artifacts=(), closed_by=Trigger.ERROR)),
    ),
    "a brief is missing": ("rounds", briefs({"synthesise": None})),
    "a brief is blank": ("rounds", briefs({"respond": " \n"})),
}


# In the plan


def planned(change: Callable[[Plan], Plan]) -> Callable[[Any], Any]:
    return lambda plan_of: lambda settings: change(plan_of(settings))


def backwards(plan: Plan) -> Plan:
    return replace(plan, strategy=replace(plan.strategy, scenes=plan.strategy.scenes[::-1]))


def patient(plan: Plan) -> Plan:
    scenes = tuple(replace(scene, attempts=3) for scene in plan.strategy.scenes)
    return replace(plan, strategy=replace(plan.strategy, scenes=scenes))


REPLANNED: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "stages come backwards": ("bound", planned(backwards)),
    "a stage takes as long as it likes": ("disney", planned(patient)),
}
