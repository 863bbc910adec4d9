"""Planted defects of the workshop that are made by hand: in its functions, on its value, and in its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.forms import Key
from quorate.core.lifecycle import Lifecycle
from quorate.core.protocol import Degradation, When
from quorate.core.record import Record, Said
from quorate.core.types import Absent, AbsentReason, Ask, Question, Reason, Replies, Seat
from quorate.core.view import View
from quorate.protocols.workshop.forms import Response, Ruling
from quorate.protocols.workshop.lives import Happening, RoundStage, Status, TopicStatus, Trigger
from quorate.protocols.workshop.model import Artifact, Outcome, Phase, State, Verdict
from quorate.protocols.workshop.planning import Plan
from quorate.protocols.workshop.synthesis import Synthesis
from quorate.protocols.workshop.taxonomy import Agreement, ArtifactType
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing, with_node

Made = Decision[State]


def artifacts(state: State, change: Callable[[Artifact], Artifact]) -> State:
    return replace(state, artifacts=tuple(map(change, state.artifacts)))


# In functions: module, the walk that shows it first, and what is changed there


def rows_of(table: Any, change: Callable[[dict[Any, dict[Any, Any]]], None]) -> Any:
    """A life cycle with other rows; the rows are given as they are to be changed."""
    rows = {state: dict(events) for state, events in table.table.items()}
    change(rows)
    return Lifecycle(table.name, table.initial, rows)


def comes_back(rows: dict[Any, dict[Any, Any]]) -> None:
    rows[Status.WITHDRAWN] = {Happening.AMEND: Status.AMENDED}
    rows[Status.SUPERSEDED] = {Happening.SUPERSEDE: Status.SUPERSEDED}


def reopens(rows: dict[Any, dict[Any, Any]]) -> None:
    rows[Status.OPEN][Happening.WITHDRAW] = Status.WITHDRAWN


def never_reverts(rows: dict[Any, dict[Any, Any]]) -> None:
    rows[Status.AMENDED][Happening.REVERT] = Status.AMENDED


def skips_synthesis(rows: dict[Any, dict[Any, Any]]) -> None:
    rows[RoundStage.RESPONSES] = dict.fromkeys(rows[RoundStage.RESPONSES], RoundStage.ARTIFACTS)
    rows[RoundStage.ARTIFACTS] |= rows[RoundStage.SYNTHESIS]


def numbered_over_all_types(_: Any) -> Any:
    return lambda state, kind: Key(f"{kind.name}-{len(state.artifacts) + 1:03}")


def numbers_what_is_live(_: Any) -> Any:
    def next_id(state: State, kind: ArtifactType) -> Key:
        return Key(f"{kind.name}-{sum(each.type is kind and each.live for each in state.artifacts) + 1:03}")

    return next_id


def counts_absent_support(_: Any) -> Any:
    """A key of somebody who did not answer counts as well (W12)."""

    def speakers(state: State, plan: Plan, positions: Any) -> tuple[Seat, ...]:
        return tuple(seat for seat in map(plan.seat, positions) if seat is not None)

    return speakers


def heads_instead_of_weights(real: Any) -> Any:
    def agreement(state: State, plan: Plan, support: Any, seen: Agreement) -> Agreement:
        level = tuple(replace(each, confidence=each.confidence and 50) for each in state.members)
        found: Agreement = real(replace(state, members=level), plan, support, seen)
        return found

    return agreement


def believes_the_facilitator(_: Any) -> Any:
    return lambda state, plan, support, seen: seen


def one_block_is_a_conflict(real: Any) -> Any:
    return 1


def silent_supports(real: Any) -> Any:
    """Who casts no vote supports."""

    def voted(state: State, plan: Plan, key: Key, support: int, blocked: int) -> State:
        found: State = real(state, plan, key, support or 1, blocked)
        return found

    return voted


def majority_lifts_a_block(real: Any) -> Any:
    def voted(state: State, plan: Plan, key: Key, support: int, blocked: int) -> State:
        found: State = real(state, plan, key, support, 0 if support >= blocked else blocked)
        return found

    return voted


def last_candidate(real: Any) -> Any:
    return lambda state, plan: real(state, plan)[::-1]


def any_open_topic(real: Any) -> Any:
    """All open topics are candidates, required or not (W5)."""

    def candidates(state: State, plan: Plan) -> tuple[Key, ...]:
        own: tuple[Key, ...] = real(state, plan)
        still = tuple(each.key for each in state.topics if each.status is not TopicStatus.CLOSED)
        return own if state.focus is not None or not still else still

    return candidates


def new_focus_each_round(real: Any) -> Any:
    """A pass forgets its focus (W7)."""
    return lambda state, plan: replace(real(state, plan), focus=None)


def a_stage_is_left_out(real: Any) -> Any:
    def next_place(state: State, plan: Plan) -> Any:
        found = real(state, plan)
        return replace(found, scene=2) if found.scene == 1 and len(plan.strategy.scenes) == 3 else found

    return next_place


def closes_without_its_number(_: Any) -> Any:
    return lambda state, topic: (
        len(topic.met) == topic.criteria and not any(each.topic == topic.key for each in state.conflicts)
    )


def closes_over_a_conflict(_: Any) -> Any:
    return lambda state, topic: len(topic.met) == topic.criteria and state.agreed(topic) >= topic.minimum


def puts_all_conflicts(_: Any) -> Any:
    """Not only those that are overdue are put to a person (W24)."""
    return lambda state, plan: state.conflicts


def wish_decides(real: Any) -> Any:
    """The facilitator's wish to conclude is granted (W22)."""

    def take(self: Any, state: State, replies: Replies) -> Made:
        made: Made = real(self, state, replies)
        wished = any(isinstance(reply, Synthesis) and reply.misquoted for _, reply in replies)
        return replace(made, state=replace(made.state, complete=made.state.complete + 1)) if wished else made

    return take


def loses_refusals(real: Any) -> Any:
    """A refused move is not told (W14)."""

    def process(state: State, plan: Plan, synthesis: Synthesis) -> tuple[State, tuple[Fact, ...]]:
        after, facts = real(state, plan, synthesis)
        return after, tuple(fact for fact in facts if fact.name != "refused")

    return process


def a_refusal_ends_the_synthesis(real: Any) -> Any:
    """One refused move takes everything else with it (W14)."""

    def process(state: State, plan: Plan, synthesis: Synthesis) -> tuple[State, tuple[Fact, ...]]:
        after, facts = real(state, plan, synthesis)
        return (state if any(fact.name == "refused" for fact in facts) else after), facts

    return process


def covers_every_topic(real: Any) -> Any:
    def process(state: State, plan: Plan, synthesis: Synthesis) -> tuple[State, tuple[Fact, ...]]:
        after, facts = real(state, plan, synthesis)
        met = tuple(replace(each, met=(1,)) if synthesis.covered else each for each in after.topics)
        return replace(after, topics=met), facts

    return process


Rewrite = tuple[str, str, Mapping[str, Callable[[Any], Any]]]
REWRITTEN: Mapping[str, Rewrite] = {
    "a withdrawn artifact comes back": ("lives", "moves", {"ARTIFACT": lambda t: rows_of(t, comes_back)}),
    "a question is withdrawn": ("lives", "matters", {"MATTER": lambda t: rows_of(t, reopens)}),
    "a reverted artifact stays amended": ("lives", "moves", {"ARTIFACT": lambda t: rows_of(t, never_reverts)}),
    "a round skips a stage": ("lives", "rounds", {"ROUND": lambda t: rows_of(t, skips_synthesis)}),
    "ids are counted over all types": ("agreeing", "conflicts", {"next_id": numbered_over_all_types}),
    "an id is issued again": ("agreeing", "moves", {"next_id": numbers_what_is_live}),
    "support of the absent counts": ("agreeing", "conflicts", {"speakers": counts_absent_support}),
    "anybody takes away what is agreed": (
        "agreeing",
        "moves",
        {"may_take_away": lambda _: lambda state, plan, artifact, support: True},
    ),
    "heads are counted instead of confidence": ("agreeing", "weights", {"agreement": heads_instead_of_weights}),
    "the facilitator's word makes consensus": ("agreeing", "weights", {"agreement": believes_the_facilitator}),
    "the first block is a conflict": ("agreeing", "consent", {"MOST_BLOCKED": one_block_is_a_conflict}),
    "silence is support": ("agreeing", "consent", {"_voted": silent_supports}),
    "a majority lifts a block": ("agreeing", "consent", {"_voted": majority_lifts_a_block}),
    "a contest opens nothing": ("agreeing", "conflicts", {"contest": lambda _: lambda state, keys: (state, ())}),
    "a groundless block blocks": (
        "agreeing",
        "consent",
        {"blocks": lambda _: lambda vote: vote.stance.name == "BLOCK"},
    ),
    "without a question the last candidate is taken": ("focus", "lasting", {"candidates": last_candidate}),
    "an optional topic comes first": ("focus", "rounds", {"candidates": any_open_topic}),
    "a pass forgets its focus": ("focus", "debate", {"next_place": new_focus_each_round}),
    "a stage is left out": ("focus", "debate", {"next_place": a_stage_is_left_out}),
    "a blocked draft does not go back": ("focus", "consent", {"sent_back": lambda _: lambda state, plan: False}),
    "a topic closes without its number": ("closing", "criteria", {"is_complete": closes_without_its_number}),
    "a topic closes over a conflict": ("closing", "criteria", {"is_complete": closes_over_a_conflict}),
    "an old recommendation is accepted": ("closing", "aged", {"is_advised": lambda _: lambda state, put: True}),
    "conflicts that are young are put as well": ("closing", "aged", {"to_put": puts_all_conflicts}),
    "the facilitator's wish decides": ("protocol", "rounds", {"Workshop.take_synthesis": wish_decides}),
    "a refusal is not told": ("processing", "moves", {"process": loses_refusals}),
    "one refusal loses the whole synthesis": ("processing", "moves", {"process": a_refusal_ends_the_synthesis}),
    "criteria of other topics are met too": ("processing", "rounds", {"process": covers_every_topic}),
}


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
    return replace(made, state=replace(made.state, unsure=True))


def reads_prose(state: State, heard: Replies, made: Made) -> Made:
    unsure = any(isinstance(reply, Response) and "security" in reply.position.text for _, reply in heard)
    return replace(made, state=replace(made.state, unsure=unsure))


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
