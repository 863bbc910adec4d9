"""Planted defects of the workshop about seats whose model failed the exam: their word counts (W40, W41)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.forms import Reply
from quorate.core.protocol import Node, Protocol
from quorate.core.types import Question, Replies, Seat
from quorate.kit.qualification import unqualified_facts
from quorate.protocols.workshop.rules import qualification
from quorate.protocols.workshop.rules.forms import PauseReply, Response, Ruling, Votes
from quorate.protocols.workshop.rules.model import Phase, State
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.synthesis import Becomes
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from tests.verify.planted import Defect, asking, deciding

Wrapped = Callable[..., Any]
NOTE = Seat("software-architect")
"""Who is unqualified in the walks where one participant is."""


def everybody(plan: Plan) -> Plan:
    """The same plan, as if everybody counted."""
    return replace(plan, settings=replace(plan.settings, unqualified_seats=()))


# What is silenced


def heard(*forms: type[Any], **fields: Any) -> Wrapped:
    """Let replies of these forms count, or only these fields of theirs, whoever gives them."""

    def left(reply: Any) -> Any:
        if not isinstance(reply, forms):
            return qualification.silence(reply)
        return replace(reply, **fields)

    def without_notes(nodes: Mapping[Phase, Node[State]], unqualified: Any) -> Mapping[Phase, Node[State]]:
        def deaf(node: Node[State]) -> Node[State]:
            def decide(state: State, replies: Replies) -> Decision[State]:
                taken = ((ask, left(reply) if ask.seat in unqualified else reply) for ask, reply in replies)
                made = node.decide(state, Replies(tuple(taken)))
                told = unqualified_facts(replies, unqualified)
                return replace(made, facts=(*made.facts, *told))

            return replace(node, decide=decide)

        return {phase: deaf(node) if phase in qualification.DECIDING else node for phase, node in nodes.items()}

    return without_notes


def untold(nodes: Mapping[Phase, Node[State]], unqualified: Any) -> Mapping[Phase, Node[State]]:
    """Nobody is told whose word did not count."""

    def quiet(node: Node[State]) -> Node[State]:
        def decide(state: State, replies: Replies) -> Decision[State]:
            made = node.decide(state, replies)
            return replace(made, facts=tuple(each for each in made.facts if each.name != "unqualified"))

        return replace(node, decide=decide)

    return {phase: quiet(node) for phase, node in qualification.without_notes(nodes, unqualified).items()}


SILENCED: Mapping[str, tuple[str, Wrapped]] = {
    "the word of a note counts": ("one speaks", lambda nodes, unqualified: nodes),
    "the contest of a note counts": ("one speaks", heard(Response, applied=())),
    "a note says that a ruling is applied": ("one speaks", heard(Response, contested=())),
    "the vote of a note counts": ("one votes", heard(Votes)),
    "a note on the seat of the person rules": ("nobody rules", heard(Ruling)),
    "a note on the seat of the person ends it": ("nobody rules", heard(PauseReply)),
    "nobody is told whose word did not count": ("one speaks", untold),
}
"""By name the walk, and what stands in the place of `without_notes`."""


# In the rules


def of_all(verb: Wrapped) -> Wrapped:
    """The verb of the workshop, in which everybody counts."""

    def counted(self: Any, *given: Any) -> Any:
        other = copy(self)
        other.plan = everybody(self.plan)
        return verb(other, *given)

    return counted


def with_all(place: int) -> Callable[[Wrapped], Wrapped]:
    """The verb with a plan at this place in which everybody counts."""
    return lambda verb: lambda *given: verb(*given[:place], everybody(given[place]), *given[place + 1 :])


def allowing(*moves: Becomes) -> Callable[[Wrapped], Wrapped]:
    def checks(check: Wrapped) -> Wrapped:
        return lambda plan, artifact, becomes: None if becomes in moves else check(plan, artifact, becomes)

    return checks


def disputing(new: Wrapped) -> Wrapped:
    """An unqualified facilitator opens conflicts, and nothing else that it reports counts."""
    return lambda state, plan, kind, *given: new(
        state, everybody(plan) if kind is ArtifactType.CONF else plan, kind, *given
    )


def of_none(check: Wrapped) -> Wrapped:
    """Where nobody counts everybody agrees."""
    return lambda state, plan, *given: check(state, plan, *given) if plan.voices(state) else None


RULED: Mapping[str, tuple[str, str, Mapping[str, Wrapped]]] = {
    "the support of a note counts": ("agreement", "one speaks", {"speakers": with_all(1)}),
    "the confidence of a note is weighed": ("agreement", "one speaks", {"agreement": with_all(1)}),
    "what a note does not support is not taken away": ("agreement", "one votes", {"may_take_away": with_all(1)}),
    "a note has judged": ("protocol", "one speaks", {"Workshop._heard": of_all}),
    "the doubt of a note is put to a person": ("protocol", "one speaks", {"Workshop._with_doubts": of_all}),
    "a note takes a turn of reading": ("parts", "one reads", {"part_for": with_all(1)}),
    "a conflict is resolved by nobody": (
        "synthesis_effects",
        "nobody counts in a debate",
        {"_check_method": of_none},
    ),
    "support that a note reports counts": ("agreement", "led by a note", {"supporters": with_all(1)}),
    "all that a note reports counts": ("synthesis_effects", "led by a note", {"process": with_all(1)}),
    "a facilitator that is a note opens conflicts": ("synthesis_effects", "led by a note", {"_new": disputing}),
    "a facilitator that is a note endorses": (
        "synthesis_effects",
        "judged by a note",
        {"check_report": allowing(Becomes.ENDORSE)},
    ),
    "a facilitator that is a note resolves questions": (
        "synthesis_effects",
        "led by a note",
        {"check_report": allowing(Becomes.RESOLVE)},
    ),
    "a facilitator that is a note amends what is agreed upon": (
        "synthesis_effects",
        "consent led by a note",
        {"check_report": allowing(Becomes.AMEND)},
    ),
}
"""By name the module, the walk, and what is written over."""


# On the value


def read_by_notes(state: State, heard_: Replies, made: Decision[State]) -> Decision[State]:
    """Whatever was shown to somebody who answered is read, whoever it was."""
    later = [number for number in range(2, made.state.parts + 1) if number not in made.state.read]
    noted = isinstance(heard_.of(NOTE), Reply)
    read = tuple(sorted({*made.state.read, 1, *later[:1]})) if noted else made.state.read
    return replace(made, state=replace(made.state, read=read))


def lost_without_voices(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """A round in which only notes answered has no synthesis; in this walk all are."""
    return ()


def missed(state: State, heard_: Replies, made: Decision[State]) -> Decision[State]:
    """Whose word does not count is missing."""
    missed_ = made.state.missed or isinstance(heard_.of(NOTE), Reply)
    return replace(made, state=replace(made.state, missed=missed_))


def met(state: State, heard_: Replies, made: Decision[State]) -> Decision[State]:
    """The criteria that an unqualified facilitator names are met."""
    topics = tuple(replace(each, met=tuple(range(1, each.criteria + 1))) for each in made.state.topics)
    return replace(made, state=replace(made.state, topics=topics))


VALUED: Mapping[str, tuple[str, Defect]] = {
    "what a note was shown is read": ("one reads", deciding(Phase.RESPONSES, read_by_notes)),
    "a round of notes has no synthesis": ("nobody counts", asking(Phase.SYNTHESIS, lost_without_voices)),
    "a note is missing": ("one speaks", deciding(Phase.RESPONSES, missed)),
    "criteria that a note names are met": ("led by a note", deciding(Phase.SYNTHESIS, met)),
}


def planted() -> dict[str, Callable[[], Mapping[str, Protocol[Any]]]]:
    """Return by name how each workshop with one of these defects is built."""
    from tests.protocols.workshop.defects.mutants import rules, workshops

    def silenced(walk: str, instead: Wrapped) -> Callable[[], Mapping[str, Protocol[Any]]]:
        return lambda: workshops(names=(walk,), without_notes=instead)

    def ruled(module: str, walk: str, over: Mapping[str, Wrapped]) -> Callable[[], Mapping[str, Protocol[Any]]]:
        return lambda: workshops(rules(module, overrides=over), (walk,))

    def valued(walk: str, plant: Defect) -> Callable[[], Mapping[str, Protocol[Any]]]:
        return lambda: {name: plant(each) for name, each in workshops(names=(walk,)).items()}

    made = {name: silenced(*own) for name, own in SILENCED.items()}
    made |= {name: ruled(*own) for name, own in RULED.items()}
    return made | {name: valued(*own) for name, own in VALUED.items()}
