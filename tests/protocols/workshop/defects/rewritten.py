"""Planted defects of the workshop that are made by hand: other functions in place of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision, Fact
from quorate.core.forms import Key
from quorate.core.types import Replies, Seat
from quorate.kit.lifecycle import Lifecycle
from quorate.protocols.workshop.rules.lives import Happening, RoundStage, Status, TopicStatus
from quorate.protocols.workshop.rules.model import State
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.synthesis import Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

Made = Decision[State]


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
    "ids are counted over all types": ("agreement", "conflicts", {"next_id": numbered_over_all_types}),
    "an id is issued again": ("agreement", "conflicts", {"next_id": numbers_what_is_live}),
    "support of the absent counts": ("agreement", "matters", {"speakers": counts_absent_support}),
    "anybody takes away what is agreed": (
        "agreement",
        "moves",
        {"may_take_away": lambda _: lambda state, plan, artifact, support: True},
    ),
    "heads are counted instead of confidence": ("agreement", "weights", {"agreement": heads_instead_of_weights}),
    "the facilitator's word makes consensus": ("agreement", "weights", {"agreement": believes_the_facilitator}),
    "the first block is a conflict": ("agreement", "consent", {"MOST_BLOCKED": one_block_is_a_conflict}),
    "silence is support": ("agreement", "consent", {"_voted": silent_supports}),
    "a majority lifts a block": ("agreement", "consent", {"_voted": majority_lifts_a_block}),
    "a contest opens nothing": ("agreement", "conflicts", {"contest": lambda _: lambda state, keys: (state, ())}),
    "a groundless block blocks": (
        "agreement",
        "consent",
        {"blocks": lambda _: lambda vote: vote.stance.name == "BLOCK"},
    ),
    "without a question the last candidate is taken": ("focus", "lasting", {"candidates": last_candidate}),
    "an optional topic comes first": ("focus", "rounds", {"candidates": any_open_topic}),
    "a pass forgets its focus": ("focus", "debate", {"next_place": new_focus_each_round}),
    "a stage is left out": ("focus", "debate", {"next_place": a_stage_is_left_out}),
    "a blocked draft does not go back": ("focus", "consent", {"sent_back": lambda _: lambda state, plan: False}),
    "a topic closes without its number": ("closure", "criteria", {"is_complete": closes_without_its_number}),
    "a topic closes over a conflict": ("closure", "criteria", {"is_complete": closes_over_a_conflict}),
    "an applied ruling never waits anew": ("holds", "anew", {"reopened": lambda _: lambda state, changed: state}),
    "an old recommendation is accepted": ("closure", "aged", {"is_advised": lambda _: lambda state, put: True}),
    "conflicts that are young are put as well": ("closure", "aged", {"to_put": puts_all_conflicts}),
    "the facilitator's wish decides": ("protocol", "rounds", {"Workshop.take_synthesis": wish_decides}),
    "a refusal is not told": ("synthesis_effects", "moves", {"process": loses_refusals}),
    "one refusal loses the whole synthesis": ("synthesis_effects", "moves", {"process": a_refusal_ends_the_synthesis}),
    "criteria of other topics are met too": ("synthesis_effects", "rounds", {"process": covers_every_topic}),
}
