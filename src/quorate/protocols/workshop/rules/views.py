"""Views of the workshop: who sees what, one pure function of the record per brief (W9, W12, W27, W33).

Sections common to all seats come first and stay the same between calls, so that providers can cache them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from quorate.core.protocol import Blindness
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Section, View
from quorate.kit.qualification import as_note
from quorate.protocols.workshop.rules.artifacts import artifacts
from quorate.protocols.workshop.rules.closure import is_advised, to_put
from quorate.protocols.workshop.rules.excerpts import (
    NEW,
    agenda_text,
    artifact_line,
    artifact_text,
    focus_text,
    is_named,
    perhaps_same,
    position_text,
    records_of,
    round_text,
    ruling_text,
    topic_text,
    why_text,
)
from quorate.protocols.workshop.rules.focus import scene_of, topic_in_focus
from quorate.protocols.workshop.rules.history import state_of, topic_named
from quorate.protocols.workshop.rules.likeness import without_marks
from quorate.protocols.workshop.rules.model import CLERK, FACILITATOR, PERSON, State
from quorate.protocols.workshop.rules.parts import DOCUMENTS, part_for, parts_of
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.qualification import how_it_counts
from quorate.protocols.workshop.rules.reconciliation import as_text, reconciliation
from quorate.protocols.workshop.rules.remarks import remarked
from quorate.protocols.workshop.rules.rounds import FALLBACK, rounds
from quorate.protocols.workshop.rules.strategies import Scene, Sight
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

ANSWERS = ("respond", "vote")
REMEMBERED = 3
"""Rounds that are shown in full; of earlier ones what they made is shown."""
Data = dict[str, Any]


class Views:
    """The views of one workshop; an instance is the protocol's `view` function."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self._notes = plan, plan.settings.unqualified_seats
        self._by_brief: dict[str, Callable[[Record, Ask], Iterator[Section]]] = {
            "agenda": self._agenda,
            "read": self._read,
            "question": self._question,
            "respond": self._respond,
            "vote": self._vote,
            "synthesise": self._synthesise,
            "escalate": self._escalate,
            "pause": self._pause,
        }

    def __call__(self, record: Record, ask: Ask) -> View:
        role = "" if ask.seat in (PERSON, CLERK) else f"roles/{ask.seat}"
        return View(role, (*self._by_brief[ask.brief](record, ask), *how_it_counts(ask.seat, self._notes)))

    # The clerk is shown what it works on, and nothing is cut.

    def _agenda(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Agenda", record.material.get("agenda", ""))
        texts = {name: record.material[name] for name, _ in DOCUMENTS if name in record.material}
        brought = {"texts": texts, "tokens": self.plan.settings.document_tokens}
        yield Section("Documents", json.dumps(brought, ensure_ascii=False))
        yield Section("Topics", " ".join(ask.keys))

    def _read(self, record: Record, _: Ask) -> Iterator[Section]:
        said = {self.plan.position(Seat(each["participant"])): position_text(each) for each in self._now(record)}
        yield Section("Critical words", json.dumps(list(self.plan.settings.critical_keywords), ensure_ascii=False))
        yield Section("Responses", json.dumps(said, ensure_ascii=False))

    # What everybody is shown

    def _common(self, record: Record, seat: Seat | None = None) -> Iterator[Section]:
        """The documents: all of them, or of long ones the first part and a participant's own (W38)."""
        parts, state = parts_of(record), state_of(record)
        yield from parts[0]
        if seat in self.plan.participants and len(parts) > 1:
            yield from parts[part_for(state, self.plan, seat) - 1]
            yield Section("The rest of the documents", "Other parts are shown to other participants.", data=False)

    def _made(self, record: Record, known: list[Data], scene: Scene | None = None) -> Iterator[Section]:
        """Artifacts of the topic in focus in full, the others by their titles; what is open.

        For a stage of participants only what it may see of disputes is shown (W27).
        """
        conflicts = scene is None or (scene.shows_conflicts and scene.sees is not Sight.NOTHING)
        parties = scene is None or scene.sees is Sight.EVERYTHING
        state = state_of(record)
        topic = topic_in_focus(state)
        here = topic_named(record, topic.key)["id"] if topic is not None else None
        live = [each for each in known if each["status"] in ("active", "amended")]
        own = [artifact_text(each, disputes=conflicts) for each in live if each["topic_id"] == here]
        if own:
            yield Section("Artifacts of this topic", "\n".join(own), cut=4)
        others = [
            artifact_line(each) if conflicts else f"{each['id']} {each['title']}"
            for each in live
            if each["topic_id"] != here
        ]
        if others:
            yield Section("Artifacts of other topics", "\n".join(others), cut=5)
        yield from perhaps_same(known)
        open_ = [each for each in known if each["status"] == "open"]
        questions = [artifact_text(each) for each in open_ if each["type"] == "OQ"]
        if questions:
            yield Section("Open questions", "\n".join(questions), cut=4)
        disputes = [artifact_text(each, parties=parties) for each in open_ if each["type"] == "CONF"]
        if disputes and conflicts:
            yield Section("Open conflicts", "\n".join(disputes), cut=2)
        over = [artifact_line(each) for each in known if each["status"] in ("superseded", "withdrawn", "resolved")]
        if over and scene is None:
            yield Section("No longer in force, or resolved", "\n".join(over), cut=5)

    def _earlier(self, record: Record) -> list[Data]:
        """The rounds before this one."""
        return [each for each in rounds(record) if each["round"] < state_of(record).round]

    def _now(self, record: Record) -> list[Data]:
        """What participants have said in this round, once all of them have."""
        return next((each["positions"] for each in rounds(record) if each["round"] == state_of(record).round), [])

    def _stage(self, record: Record, seat: Seat | None = None) -> Iterator[Section]:
        scene = scene_of(state_of(record), self.plan)
        told = scene.asks if seat is not None else f"Participants are told: {scene.asks}"
        yield Section("Strategy", f"{self.plan.strategy.name}, {scene.stage.value}. {told}", data=False)
        side = self.plan.side(seat) if seat is not None else None
        if side is not None:
            yield Section("Your side", f"You are {side.value}.", data=False)

    # The facilitator goes on with its context (W33).

    def _led(self, record: Record) -> Iterator[Section]:
        yield from self._common(record)
        yield Section("Agenda", agenda_text(record), cut=2)
        earlier = self._earlier(record)
        if earlier:
            yield Section("Your rounds so far", "\n\n".join(map(round_text, earlier[-REMEMBERED:])), cut=5)
        found = reconciliation(record)
        if found is not None:
            yield Section("context_reconciliation", as_text(found), cut=1)
        yield from self._ruled(record)
        if remark := remarked(rounds(record), state_of(record).round):
            yield Section("A person remarks", remark, person=True)

    def _question(self, record: Record, ask: Ask) -> Iterator[Section]:
        known, state = artifacts(record), state_of(record)
        yield from self._led(record)
        yield from self._made(record, known)
        yield from self._stage(record)
        topics = [topic for topic in state.topics if topic.key in ask.keys]
        if topics:
            texts = (topic_text(record, topic, to_ask=True) for topic in topics)
            yield Section("The topics to choose from", "\n\n".join(texts), cut=2)
        offered = "\n".join(focus_text(record, state, key, known) for key in ask.keys)
        yield Section("Choose the focus among", offered)

    def _synthesise(self, record: Record, ask: Ask) -> Iterator[Section]:
        known = artifacts(record)
        yield from self._led(record)
        yield from self._made(record, known)
        ahead = ", ".join(key for key in ask.keys if "-" in key and all(each["id"] != key for each in known))
        yield Section("New artifacts", NEW.format(ahead=ahead), quotable=records_of(known), data=False)
        yield from self._asked(record)
        now = next(each for each in rounds(record) if each["round"] == state_of(record).round)
        for each in now["positions"]:
            seat, side = Seat(each["participant"]), f", {each['side']}" if each["side"] else ""
            text, key = position_text(each), self.plan.position(seat)
            title = as_note(f"{key} {seat}{side}, confidence {each['confidence']}", seat, self._notes)
            yield Section(title, text, cut=3, quotable=without_marks(text))
        if now["absent"]:
            missing = [f"{self.plan.position(Seat(name))} {name}" for name in now["absent"]]
            yield Section("Did not answer", ", ".join(missing), data=False)
        yield from self._stage(record)

    # Participants are fresh: they see what their stage may see (W9, W27).

    def _asked(self, record: Record) -> Iterator[Section]:
        state = state_of(record)
        topic = topic_in_focus(state)
        now = next((each for each in rounds(record) if each["round"] == state.round), None)
        if topic is not None:
            yield Section("The topic in focus", topic_text(record, topic), cut=2)
        question = now["facilitator_question"] if now is not None else FALLBACK.format(name="the topic")
        yield Section("The question", question)
        if now is not None and now["exploration"].strip():
            yield Section("To explore", now["exploration"], cut=4)

    def _respond(self, record: Record, ask: Ask) -> Iterator[Section]:
        scene = scene_of(state_of(record), self.plan)
        yield from self._common(record, ask.seat)
        yield from self._made(record, artifacts(record), scene)
        yield from self._seen(record, scene.sees)
        yield from self._asked(record)
        yield from self._stage(record, ask.seat)

    def _seen(self, record: Record, sight: Sight) -> Iterator[Section]:
        """What the stage may see of earlier rounds; what a person has decided is for all."""
        earlier = self._earlier(record)[-REMEMBERED:]
        yield from self._ruled(record)
        if sight is Sight.NOTHING:
            return
        said = [f"Round {each['round']}: {each['synthesis_summary']}" for each in earlier if each["synthesis_summary"]]
        if said:
            yield Section(as_note("Earlier rounds", FACILITATOR, self._notes), "\n".join(said), cut=5)
        if sight is Sight.EVERYTHING:
            for each in earlier[-2:]:
                for position in each["positions"]:
                    who = position["participant"]
                    title = as_note(f"Round {each['round']}, {who}", who, self._notes)
                    yield Section(title, position_text(position), cut=6)

    def _ruled(self, record: Record) -> Iterator[Section]:
        """What a person has ruled, and beside what is not applied yet the texts that it is about: never cut (W24)."""
        known = artifacts(record)
        ruled = [each for each in known if each["type"] == ArtifactType.RUL.name]
        if ruled:
            yield Section("Rulings of a person", "\n\n".join(map(ruling_text, ruled)), person=True)
        for ruling in ruled:
            if ruling["status"] == "open":
                named = [each for each in known if is_named(record, ruling, each)]
                texts = "\n".join(map(artifact_text, named)) or "nothing that is written down"
                yield Section(f"What {ruling['id']} is about", texts)

    def _vote(self, record: Record, ask: Ask) -> Iterator[Section]:
        known = artifacts(record)
        yield from self._common(record, ask.seat)
        yield from self._seen(record, scene_of(state_of(record), self.plan).sees)
        yield from self._asked(record)
        for each in known:
            if each["id"] in ask.keys and each["type"] != ArtifactType.RUL.name:
                yield Section(f"{each['id']} {each['title']}", artifact_text(each), cut=1)
        yield from self._stage(record, ask.seat)

    # A person

    def _escalate(self, record: Record, _: Ask) -> Iterator[Section]:
        state, known = state_of(record), artifacts(record)
        yield from self._common(record)
        yield Section("Why you are asked", why_text(state, self.plan), data=False)
        yield from self._doubts(record, state, known)
        put = {each.id for each in to_put(state, self.plan)}
        disputes = [each for each in known if each["id"] in put and each["type"] != ArtifactType.RUL.name]
        for each in disputes:
            yield Section(f"{each['id']} {each['title']}", artifact_text(each), cut=1)
        for each in known:
            if any(is_named(record, conflict, each) for conflict in disputes):
                yield Section(f"What it is about: {each['id']}", artifact_text(each), cut=2)
        yield from self._ruled(record)
        advised = is_advised(state, to_put(state, self.plan))
        advice = [each.get("recommendation", "") for each in rounds(record) if advised]
        latest = next(filter(str.strip, reversed(advice)), "nothing; accepting would let them go on")
        title = f"The facilitator recommends on {', '.join(sorted(put))}" if put else "The facilitator recommends"
        yield Section(as_note(title, FACILITATOR, self._notes), latest, cut=1)

    def _doubts(self, record: Record, state: State, known: list[Data]) -> Iterator[Section]:
        """Who is unsure about which artifacts, and in which words (W23)."""
        topic = topic_in_focus(state)
        for member in state.members:
            said = next((each for each in self._now(record) if each["participant"] == str(member.seat)), None)
            if not member.unsure or topic is None or said is None:
                continue
            live = [each for each in known if each["status"] in ("active", "amended")]
            own = [each for each in live if each["topic_id"] == topic_named(record, topic.key)["id"]]
            about = [f"{topic.key} {topic_named(record, topic.key)['name']}", *map(artifact_line, own)]
            title = f"What {member.seat} says, {member.confidence} sure, on {state.focus}"
            yield Section(title, position_text(said), cut=1)
            yield Section(f"What {member.seat} is unsure about", "\n".join(about), cut=1)

    def _pause(self, record: Record, _: Ask) -> Iterator[Section]:
        last = rounds(record)[-1]
        yield Section(f"Round {last['round']}", round_text(last))
        yield Section("Made in this round", ", ".join(last["artifacts_created"]) or "nothing new")
        yield from self._ruled(record)
        yield Section("Agenda", agenda_text(record))


def blindness() -> Blindness:
    """What views must not show: nobody's answer of the same round, and a remark to the facilitator (W9, W25)."""

    def hidden(ask: Ask, other: Ask) -> bool:
        same_round = ask.id.partition(".")[0] == other.id.partition(".")[0]
        return ask.brief in ANSWERS and (other.brief == "pause" or (other.brief in ANSWERS and same_round))

    return Blindness(hidden=hidden, nameless=lambda _: frozenset())
