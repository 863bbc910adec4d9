"""The finite domains of the workshop's forms for `verify`, each with the argument why it is enough."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question
from quorate.protocols.workshop.rules.forms import (
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
from quorate.protocols.workshop.rules.holds import numbered
from quorate.protocols.workshop.rules.items import KINDS, AgreementSeen
from quorate.protocols.workshop.rules.model import MOST_NAMED
from quorate.protocols.workshop.rules.next_action import Action
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.samples import filled
from quorate.protocols.workshop.rules.settings import USUAL_DOCUMENTS
from quorate.protocols.workshop.rules.strategies import ConsensusRule, Stage
from quorate.protocols.workshop.rules.synthesis import (
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
from quorate.protocols.workshop.rules.taxonomy import MAKES, ArtifactType, Workflow
from quorate.protocols.workshop.rules.workflows import agenda

MATERIAL: Mapping[str, str] = {
    "topic": "An audit log for a small shop",
    "agenda": json.dumps(agenda("specs")),
    "context": "orders.py\n",
}
SHORT = 2
"""Rounds of a session in which all moves are tried; in longer ones those that lead through the stages are."""
SURE, UNSURE = 80, 49
"""Confidence on both sides of the default threshold; one sure voice outweighs an unsure one by the weighted rule."""


def _is_short(plan: Plan) -> bool:
    return plan.settings.max_rounds <= SHORT and not _is_divided(plan)


def _is_divided(plan: Plan) -> bool:
    """Whether documents come in parts: what is shown to whom is walked then, and little else."""
    return plan.settings.document_tokens < USUAL_DOCUMENTS


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
    read, nothing = AgendaReport(tuple(topics), 1, False), AgendaReport((), 1, False)
    if not _is_divided(plan):
        return read, nothing
    return (*(AgendaReport(tuple(topics), parts, unlisted) for parts, unlisted in ((3, False), (1, True))), nothing)


def _questions(question: Question) -> tuple[Reply, ...]:
    blank = filled(Focus, question=Prose(""), focus=question.keys[-1], blank=True)
    return (*(filled(Focus, focus=key) for key in question.keys), blank)


# Participants


def _responses(plan: Plan, question: Question) -> tuple[Reply, ...]:
    sure = filled(Response, confidence=SURE)
    if _is_divided(plan):
        return sure, filled(Response)
    if not _is_short(plan):
        return (sure,)
    rulings = tuple(key for key in question.keys if key.startswith("RUL"))
    things = tuple(key for key in question.keys if key not in rulings)
    contesting = [filled(Response, confidence=SURE, contested=things[:1])] if things else []
    confirming = [filled(Response, confidence=SURE, applied=rulings)] if rulings else []
    return (sure, filled(Response, confidence=UNSURE), *contesting, *confirming)


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


def _last(known: list[Key], kind: ArtifactType) -> list[Key]:
    """Return the ids of this type that name entries of the synthesis itself (W15)."""
    own = [key for key in known if key.startswith(f"{kind.name}-")]
    return [] if kind.is_matter else own[-MOST_NAMED:]


def _syntheses(plan: Plan, question: Question) -> tuple[Reply, ...]:
    return tuple(_Says(plan, question).everything())


class _Says:
    """What a facilitator can say, given the keys that it may name."""

    def __init__(self, plan: Plan, question: Question) -> None:
        self.plan = plan
        self.form: type[Synthesis] = SYNTHESES[plan.settings.workflow]
        self.positions = tuple(key for key in question.keys if key[0] == "P")
        self.criteria = tuple(key for key in question.keys if key[0] == "K")
        known = [key for key in question.keys if "-" in key and not key.startswith("RUL")]
        self.rulings = [key for key in question.keys if key.startswith("RUL")]
        self.topics = tuple(key for key in question.keys if key[0] == "T" and "-" not in key)
        self.matters = [key for key in known if ArtifactType(key.partition("-")[0]).is_matter]
        later = [key for kind in MAKES[plan.settings.workflow] for key in _last(known, kind)]
        self.things = [key for key in known if key not in (*self.matters, *later)]
        self.kind = next(each for each in MAKES[plan.settings.workflow] if not each.is_matter)
        self.weighted = plan.strategy.rule is ConsensusRule.WEIGHTED
        self.consent = plan.strategy.rule is ConsensusRule.CONSENT

    def everything(self) -> Iterator[Synthesis]:
        return self._in_short() if _is_short(self.plan) else self._in_long()

    def _in_long(self) -> Iterator[Synthesis]:
        """What leads from stage to stage: nothing, all of a topic, a conflict that is put at once, and its end."""
        yield self._says(wish=Action.CONCLUDE, recommendation=Prose(""), misquoted=True, advises=False)
        if not self.things:
            yield self._makes(self._item(self.kind, supported_by=self.positions), covered=self.criteria)
        if self.matters:
            yield self._changed(self.matters[-1], Becomes.RESOLVE)
        elif self.plan.settings.max_rounds_per_conflict == 1:
            yield self._conflict()

    def _conflict(self) -> Synthesis:
        return self._says(conflicts=(self._item(ArtifactType.CONF, about=tuple(self.things[-1:]) or self.topics),))

    def _in_short(self) -> Iterator[Synthesis]:
        yield self._says(wish=Action.CONCLUDE, recommendation=Prose(""), misquoted=True, advises=False)
        if self.criteria:
            yield self._says(covered=self.criteria)
        if not self.things:
            yield from self._new()
            yield from self._with_their_conflict()
        if not self.matters:
            yield self._says(questions=(self._item(ArtifactType.OQ, blocking=True),))
            yield self._conflict()
            yield self._says(conflicts=(self._item(ArtifactType.CONF),))
        if self.things:
            yield from self._changes(self.things[-1])
        if self.rulings:
            yield self._changed(self.rulings[-1], Becomes.RESOLVE)
        if self.matters:
            yield from self._resolutions(self.matters[-1])

    def _new(self) -> Iterator[Synthesis]:
        everybody = self._item(self.kind, supported_by=self.positions)
        yield self._makes(everybody)
        yield self._makes(everybody, repeats=(1,))
        if self.criteria:
            yield self._makes(everybody, covered=self.criteria)
        if not self.consent:
            yield self._makes(self._item(self.kind, agreement=AgreementSeen.DRAFT))
        if self.weighted and len(self.positions) > 1:
            for against in (self.positions[1:], self.positions[:1]):  # seats are alike, so both ways are walked
                yield self._makes(self._item(self.kind, supported_by=self.positions, opposed_by=against))

    def _with_their_conflict(self) -> Iterator[Synthesis]:
        """A new artifact with a conflict about it, and one about an entry that is refused: it is about the topic."""
        about = (numbered(self.kind, 1),)
        conflict = self._item(ArtifactType.CONF, about=about)
        item = self._item(self.kind, supported_by=self.positions)
        yield self._makes(item, conflicts=(conflict,), covered=self.criteria)
        yield self._makes(item, conflicts=(conflict,), repeats=(1,))

    def _changes(self, key: Key) -> Iterator[Synthesis]:
        newer = self._item(self.kind, supported_by=self.positions, supersedes=(key,))
        yield self._makes(newer, covered=self.criteria)
        retitled = Edit(field=Field.TITLE, text=Prose("t"), kind=EditKind.CHANGED)
        yield self._changed(key, Becomes.AMEND, edits=(retitled,))
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
def _rulings(plan: Plan, question: Question) -> tuple[Reply, ...]:
    going_on, decided, applied, accepted = (
        filled(Ruling, choice=choice, undecided=False)
        for choice in (RulingChoice.GO_ON, RulingChoice.DECIDE, RulingChoice.APPLIED, RulingChoice.ACCEPT)
    )
    on_topic = (decided,) if plan.settings.max_rounds == 1 else ()
    if not question.keys:
        return going_on, *on_topic
    if all(key.startswith("RUL") for key in question.keys):
        return going_on, applied, *on_topic
    undecided = filled(Ruling, decision=Prose(""), choice=RulingChoice.DECIDE, undecided=True)
    return going_on, decided, applied, undecided, accepted


def _pauses(_: Question) -> tuple[Reply, ...]:
    return tuple(filled(PauseReply, choice=choice) for choice in PauseChoice)


def _readings(question: Question) -> tuple[Reply, ...]:
    return (Reading(()), Reading(question.keys))


_AGENDA = (
    "in short sessions a required and another topic, in longer ones one, or one for each stage: topics are independent "
    "of each other, and more of a kind are dealt with as these are; and an empty agenda"
)
_RESPONSE = (
    "in short sessions sure, unsure, contesting an artifact and confirming rulings, in longer ones sure: of confidence "
    "only the threshold and the weights of a majority are read, and every artifact is contested alike"
)
_VOTES = "support, a block, a block without a change, and no vote: every draft is counted by itself"
_SYNTHESIS = (
    "nothing, every criterion covered, one new artifact with all, some or no support, one that repeats another, a "
    "question, a conflict about the topic, an artifact, a new one, a refused one or nothing, and every move on the "
    "last artifact, matter and ruling; what stands in one synthesis is taken one after the other, and the "
    "facilitator's wish and quotations influence nothing"
)

_RULING = (
    "going on; where a conflict is put every choice, with and without a decision; where a ruling waits that it is "
    "applied; where nothing is put a ruling on the topic, in sessions of one round: it waits as others do"
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
        Ruling: Domain(partial(_rulings, plan), _RULING, exact=False),
        PauseReply: Domain(_pauses, "every choice", exact=True),
    }
