"""Roundtables at hand: the real protocol, driven turn by turn with short texts.

    Talk(step="01-03").elaborate().frame("alex").say("alex").say("jordan").user("Alex, why?").done()

First names stand for personas. What is not said is filled in; the reader is the real one (`read_turn`), so a test
says what a person would say. `finish` answers quietly to the end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from quorate import catalog
from quorate.core.forms import Key
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied
from quorate.core.view import View
from quorate.kit.settings import plain, read_settings
from quorate.protocols.roundtable import DEFINITION, build
from quorate.protocols.roundtable.rules.matter import cast_of
from quorate.protocols.roundtable.rules.model import RoundtableSettings, State
from quorate.protocols.roundtable.rules.transcript import Spoken, transcript
from quorate.protocols.roundtable.rules.turn_reader import read_turn
from tests.support.filling import fill
from tests.support.under_way import UnderWay

SEATS = {"maya": "business-analyst", "alex": "solutions-architect", "jordan": "system-designer"}
TOPIC = "When is a member reminded of a borrowed book?"
DOCUMENTS = [
    {"key": "D1", "name": "requirements.md", "path": "requirements.md", "text": "# Requirements\n\n## Reminders\n"},
    {"key": "D2", "name": "architecture.md", "path": "architecture.md", "text": "# Architecture\n"},
]
ABSENT = "absent"


@cache
def briefs() -> dict[str, str]:
    """The roundtable's prompt files by name."""
    return catalog.briefs(DEFINITION)


def roundtable(own: Mapping[str, str] | None = None, **settings: Any) -> Protocol[State]:
    """Build a roundtable from plain settings and the user's own briefs."""
    return build(read_settings(RoundtableSettings, settings), {**briefs(), **(own or {})}, 7)


class Talk(UnderWay):
    """A roundtable under way. Every step takes plain values and returns the talk; `record` is what it came to."""

    def __init__(
        self,
        *,
        topic: str = TOPIC,
        meta: Mapping[str, Any] | None = None,
        own: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        settings = {"phase": "01-requirements", "step": "01-03", **settings}
        self.protocol = roundtable(own, **settings)
        made = plain(read_settings(RoundtableSettings, settings))
        self.material = {"topic": topic, "documents": json.dumps(DOCUMENTS), "meta": json.dumps(meta or {})}
        opening = Opening(
            "roundtable", self.protocol.version, "", "A roundtable", 7, made, {}, {}, session="roundtable-1"
        )
        self.record = Record(self.protocol, opening, self.material)
        self.seq = 0

    # Steps

    def elaborate(self) -> Talk:
        """Take E, unless the session began with an elaboration."""
        return self.choose("elaborate") if self.phase == "MENU" else self

    def choose(self, choice: str, text: str = "") -> Talk:
        return self.reply("menu", choice if choice == ABSENT else {"choice": choice, "text": text})

    def frame(self, addressed: str = "", **values: Any) -> Talk:
        """Let the lead frame, or be absent; whom it does not say it addresses is the first of the others."""
        if addressed == ABSENT:
            return self.reply("frame", ABSENT)
        return self.reply("frame", {**({"addressed": _seat(addressed)} if addressed else {}), **values})

    def say(self, who: str, text: str = "", **values: Any) -> Talk:
        """Let a persona speak that has the word; `manner` and `challenges` as in the form."""
        assert self.speaker == _seat(who), f"{self.speaker} has the word, not {who}"
        if text == ABSENT:
            return self.reply("speak answer", ABSENT)
        challenges = [_seat(each) for each in values.pop("challenges", ())]
        asks = [_seat(each) for each in values.pop("asks", ())]
        says = text or ("" if values.get("manner") == "pass" else f"{who} speaks")
        return self.reply("speak answer", {"says": says, "challenges": challenges, "asks": asks, **values})

    def round(self) -> Talk:
        """Let every persona speak that has the word, until the person has it or it is over."""
        while self.brief in ("speak", "answer"):
            self.say(self.speaker)
        return self

    def passes(self, *who: str) -> Talk:
        for each in who:
            self.say(each, manner="pass")
        return self

    def user(self, text: str) -> Talk:
        """Let the person speak, and code read it."""
        self.reply("turn", {"text": text})
        if self.brief != "read":
            return self
        names = {Key(each.seat): each.first for each in cast_of(self.record).personas}
        found = read_turn(self.sections()["Turn"], names)
        return self.read(found.intent.value, found.addressed or "")

    def read(self, intent: str, addressed: str = "") -> Talk:
        """Let the reader, or the classifier, say what the person's words mean."""
        named = [_seat(addressed)] if addressed else []
        given = ABSENT if intent == ABSENT else {"intent": intent, "addressed": named}
        return self.reply("read classify", given)

    def meant(self, choice: str) -> Talk:
        return self.reply("clarify", choice if choice == ABSENT else {"choice": choice})

    def synthesise(self, **values: Any) -> Talk:
        return self.reply("synthesise", values)

    def append(self, **results: str) -> Talk:
        """Let the clerk say what became of each document, by key; those not named were added to."""
        keys = self.ask.keys
        entries = [{"document": key, "result": results.get(key, "added"), "lines": 4} for key in keys]
        return self.reply("append", {"documents": entries})

    def keep(self, result: str = "written") -> Talk:
        return self.reply("record", result if result == ABSENT else {"result": result})

    def wrap_up(self) -> Talk:
        """Go from the end of a talk back to the menu, with one insight for the first document."""
        if self.brief == "synthesise":
            self.synthesise(insights=[{"text": "It matters.", "by": [], "document": []}])
        if self.brief == "append":
            self.append()
        return self.keep()

    def interrupt(self, reason: Reason) -> Talk:
        self.take(Interrupted(reason))
        return self

    def reply(self, brief: str, given: Any) -> Talk:
        assert self.brief in brief.split(), f"{self.brief} is asked, not {brief}"
        ask = self.ask
        said = Absent(AbsentReason.TIMED_OUT) if given == ABSENT else self.record.marked(ask, fill(ask, given))
        self.take(Replied(ask.id, said))
        return self

    def take(self, event: Event) -> None:
        self.seq += 1
        self.record.take(event, Envelope(seq=self.seq, at=1_767_268_800_000 + 1000 * self.seq))

    # What comes out

    @property
    def ask(self) -> Ask:
        (ask,) = self.record.session.open
        return ask

    @property
    def brief(self) -> str:
        """What is asked now; empty at the end."""
        return self.ask.brief if self.record.session.open else ""

    @property
    def speaker(self) -> str:
        return str(self.state.queue[0]) if self.state.queue else ""

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def lines(self) -> tuple[Spoken, ...]:
        return transcript(self.record)

    def kinds(self, kind: str) -> list[Spoken]:
        return [line for line in self.lines if line.kind.value == kind]

    def asked(self, brief: str) -> int:
        """How often somebody was asked this."""
        return sum(isinstance(line, Asked) and line.ask.brief == brief for line in self.record.log)

    def facts(self, name: str) -> list[dict[str, Any]]:
        return [dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name]

    def view(self) -> View:
        return self.protocol.view(self.record, self.ask)

    def sections(self) -> dict[str, str]:
        """What is shown now, text by title."""
        return {section.title: section.text for section in self.view().sections}


def _seat(name: str) -> str:
    return SEATS.get(name, name)
