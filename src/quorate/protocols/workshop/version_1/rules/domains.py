"""The finite domains of the workshop's forms for `verify`, each with the argument why it is enough."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.shapes import Choice, Flag, Group, Number, Shape, Text, shape_of
from quorate.core.types import Question
from quorate.protocols.workshop.version_1.rules.forms import (
    AgendaReport,
    AgendaTopic,
    Bound,
    Consent,
    Focus,
    PauseChoice,
    PauseReply,
    Reading,
    Response,
    Ruling,
    RulingChoice,
    Vote,
    Votes,
)
from quorate.protocols.workshop.version_1.rules.items import KINDS, AgreementSeen
from quorate.protocols.workshop.version_1.rules.next_action import Action
from quorate.protocols.workshop.version_1.rules.plan import Plan
from quorate.protocols.workshop.version_1.rules.strategies import ConsensusRule, Stage
from quorate.protocols.workshop.version_1.rules.synthesis import (
    LISTS,
    SYNTHESES,
    Becomes,
    Change,
    Edit,
    EditKind,
    Field,
    Method,
    Synthesis,
)
from quorate.protocols.workshop.version_1.rules.taxonomy import MAKES, ArtifactType, Workflow
from quorate.protocols.workshop.version_1.rules.workflows import agenda

MATERIAL: Mapping[str, str] = {
    "topic": "An audit log for a small shop",
    "agenda": json.dumps(agenda("specs")),
    "context": "orders.py\n",
}
SHORT = 2
"""Rounds of a session in which all moves are tried; in longer ones those that lead through the stages are."""
SURE, UNSURE = 80, 49
"""Confidence on both sides of the default threshold; one sure voice outweighs an unsure one by the weighted rule."""


def filled(form: type[Any], **given: Any) -> Any:
    """Return a form or group with the plainest value in every field that is not given."""
    shape = shape_of(form)
    return form(**{each.name: given.get(each.name, _plainest(each.shape)) for each in shape.fields})


def _plainest(shape: Shape) -> Any:
    match shape:
        case Text():
            return Prose("text")
        case Flag():
            return False
        case Choice(enum):
            return next(iter(enum))
        case Number(low=low):
            return low
        case Group(type=kind):
            return filled(kind)
        case _:
            return ()


def _is_short(plan: Plan) -> bool:
    return plan.settings.max_rounds <= SHORT


# The clerk and the facilitator's question


def _agendas(plan: Plan, _: Question) -> tuple[Reply, ...]:
    kind = next(each for each in MAKES[plan.settings.workflow] if not each.is_matter)
    if plan.settings.workflow is Workflow.BRAINSTORM and Stage.DREAMER in plan.strategy.stages:
        stages = (Bound.DREAMER, Bound.REALIST, Bound.CRITIC)
        topics = [AgendaTopic(Key(f"T{n}"), False, 1, int(n == 1), (kind,), each) for n, each in enumerate(stages, 1)]
    else:
        topics = [AgendaTopic(Key("T1"), True, 1, 1, (kind,), Bound.NONE)]
        if _is_short(plan):
            topics.append(AgendaTopic(Key("T2"), False, 1, 0, (kind,), Bound.NONE))
    return AgendaReport(tuple(topics)), AgendaReport(())


def _questions(question: Question) -> tuple[Reply, ...]:
    blank = filled(Focus, question=Prose(""), focus=question.keys[-1], blank=True)
    return (*(filled(Focus, focus=key) for key in question.keys), blank)


# Participants


def _responses(plan: Plan, question: Question) -> tuple[Reply, ...]:
    sure = filled(Response, confidence=SURE)
    if not _is_short(plan):
        return (sure,)
    contesting = [filled(Response, confidence=SURE, contested=question.keys[:1])] if question.keys else []
    return (sure, filled(Response, confidence=UNSURE), *contesting)


def _votes(question: Question) -> tuple[Reply, ...]:
    def all_say(stance: Consent, groundless: bool) -> Reply:
        vote = Vote(Prose("text"), Prose("" if groundless else "text"), stance, groundless)
        return Votes(Prose("text"), Keyed(dict.fromkeys(question.keys, vote)), SURE)

    return (
        all_say(Consent.SUPPORT, True),
        all_say(Consent.BLOCK, False),
        all_say(Consent.BLOCK, True),
        Votes(Prose("text"), Keyed(), SURE),
    )


# The synthesis


def _syntheses(plan: Plan, question: Question) -> tuple[Reply, ...]:
    return tuple(_Says(plan, question).everything())


class _Says:
    """What a facilitator can say, given the keys that it may name."""

    def __init__(self, plan: Plan, question: Question) -> None:
        self.plan = plan
        self.form: type[Synthesis] = SYNTHESES[plan.settings.workflow]
        self.positions = tuple(key for key in question.keys if key[0] == "P")
        self.criteria = tuple(key for key in question.keys if key[0] == "K")
        known = [key for key in question.keys if "-" in key]
        self.matters = [key for key in known if ArtifactType(key.partition("-")[0]).is_matter]
        self.things = [key for key in known if key not in self.matters]
        self.kind = next(each for each in MAKES[plan.settings.workflow] if not each.is_matter)
        self.weighted = plan.strategy.rule is ConsensusRule.WEIGHTED
        self.consent = plan.strategy.rule is ConsensusRule.CONSENT

    def everything(self) -> Iterator[Synthesis]:
        return self._in_short() if _is_short(self.plan) else self._in_long()

    def _in_long(self) -> Iterator[Synthesis]:
        """What leads from stage to stage: nothing, all of a topic, and the end of a conflict that code has opened."""
        yield self._says(wish=Action.CONCLUDE, recommendation=Prose(""), misquoted=True, advises=False)
        if not self.things:
            yield self._makes(self._item(self.kind, supported_by=self.positions), covered=self.criteria)
        if self.matters:
            yield self._changed(self.matters[-1], Becomes.RESOLVE)

    def _in_short(self) -> Iterator[Synthesis]:
        yield self._says(wish=Action.CONCLUDE, recommendation=Prose(""), misquoted=True, advises=False)
        if self.criteria:
            yield self._says(covered=self.criteria)
        if not self.things:
            yield from self._new()
        if not self.matters:
            yield self._says(questions=(self._item(ArtifactType.OQ, blocking=True),))
            yield self._says(conflicts=(self._item(ArtifactType.CONF),))
        if self.things:
            yield from self._changes(self.things[-1])
        if self.matters:
            yield from self._resolutions(self.matters[-1])

    def _new(self) -> Iterator[Synthesis]:
        everybody = self._item(self.kind, supported_by=self.positions)
        yield self._makes(everybody)
        if self.criteria:
            yield self._makes(everybody, covered=self.criteria)
        if not self.consent:
            yield self._makes(self._item(self.kind, agreement=AgreementSeen.DRAFT))
        if self.weighted and len(self.positions) > 1:
            for against in (self.positions[1:], self.positions[:1]):  # seats are alike, so both ways are walked
                yield self._makes(self._item(self.kind, supported_by=self.positions, opposed_by=against))

    def _changes(self, key: Key) -> Iterator[Synthesis]:
        newer = self._item(self.kind, supported_by=self.positions, supersedes=(key,))
        yield self._makes(newer, covered=self.criteria)
        yield self._changed(
            key, Becomes.AMEND, edits=(Edit(field=Field.TITLE, text=Prose("t"), kind=EditKind.CHANGED),)
        )
        yield self._changed(key, Becomes.REVERT)
        yield self._changed(key, Becomes.WITHDRAW)
        if not self.consent:
            yield self._changed(key, Becomes.ENDORSE)

    def _resolutions(self, key: Key) -> Iterator[Synthesis]:
        yield self._changed(key, Becomes.RESOLVE)
        yield self._changed(key, Becomes.RESOLVE, supported_by=(), method=Method.MAJORITY)
        yield self._changed(key, Becomes.RESOLVE, method=Method.FACILITATOR_DECISION)

    def _says(self, **given: Any) -> Synthesis:
        found: Synthesis = filled(self.form, **({"misquoted": False, "advises": True} | given))
        return found

    def _item(self, kind: ArtifactType, **given: Any) -> Any:
        return filled(KINDS[kind], **given)

    def _makes(self, item: Any, **given: Any) -> Synthesis:
        name = next(name for name, kind in LISTS.items() if kind is self.kind)
        return self._says(**{name: (item,)}, **given)

    def _changed(self, key: Key, becomes: Becomes, **given: Any) -> Synthesis:
        support = {"supported_by": self.positions, "unexplained": False} | given
        return self._says(changes=(filled(Change, artifact=key, becomes=becomes, **support),))


# A person


def _rulings(_: Question) -> tuple[Reply, ...]:
    decided = [filled(Ruling, choice=choice, undecided=False) for choice in RulingChoice]
    undecided = Ruling(Prose("text"), Prose(""), RulingChoice.DECIDE, True)
    return (*decided, undecided)


def _pauses(_: Question) -> tuple[Reply, ...]:
    return tuple(filled(PauseReply, choice=choice) for choice in PauseChoice)


def _readings(question: Question) -> tuple[Reply, ...]:
    return (Reading(()), Reading(question.keys))


_AGENDA = (
    "in short sessions a required and another topic, in longer ones one, or one for each stage: topics are independent "
    "of each other, and more of a kind are dealt with as these are; and an empty agenda"
)
_RESPONSE = (
    "in short sessions sure, unsure and contesting an artifact, in longer ones sure: of confidence only the threshold "
    "and the weights of a majority are read, and every artifact is contested alike"
)
_VOTES = "support, a block, a block without a change, and no vote: every draft is counted by itself"
_SYNTHESIS = (
    "nothing, every criterion covered, one new artifact with all, some or no support, a question, a conflict, and "
    "every move on the last artifact and the last matter; what stands in one synthesis is taken one after the other, "
    "and the facilitator's wish and quotations influence nothing"
)


def domains(plan: Plan) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form."""
    own = SYNTHESES[plan.settings.workflow]
    return {
        AgendaReport: Domain(partial(_agendas, plan), _AGENDA, exact=False),
        Focus: Domain(_questions, "every candidate, and a question without words", exact=True),
        Response: Domain(partial(_responses, plan), _RESPONSE, exact=True),
        Votes: Domain(_votes, _VOTES, exact=True),
        own: Domain(partial(_syntheses, plan), _SYNTHESIS, exact=False),
        Reading: Domain(_readings, "critical words in none or in all responses: one unsure one is enough", exact=True),
        Ruling: Domain(_rulings, "every choice, with and without a decision", exact=True),
        PauseReply: Domain(_pauses, "every choice", exact=True),
    }
