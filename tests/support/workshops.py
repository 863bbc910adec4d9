"""Workshops at hand: the real protocol, driven step by step with short values, and what its journal would hold.

    Meeting(strategy="standard").respond({"technical-lead": "absent"}).synthesise(requirements=[req("P1")]).finish()

Every step first answers quietly whatever is asked before it (the agenda as it is, the first candidate as the focus,
sure responses that contest nothing, every vote SUPPORT, a synthesis that brings nothing, no critical words, a person
who goes on), so that a test names only what it is about. `finish` answers quietly to the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from quorate import catalog
from quorate.codec import digest_text, protocol_digest
from quorate.core.protocol import Moment, Protocol
from quorate.core.record import Asked, Envelope, Moved, Opening, Record, Said
from quorate.core.session import Cause
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied, Replies
from quorate.core.view import View
from quorate.kit.settings import plain, read_settings
from quorate.protocols.workshop import DEFINITION, build
from quorate.protocols.workshop.rules.focus import topic_in_focus
from quorate.protocols.workshop.rules.model import Artifact, State, Topic
from quorate.protocols.workshop.rules.parts import parts_of
from quorate.protocols.workshop.rules.result import result
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.synthesis import LISTS
from tests.protocols.workshop.oracle import with_oracle
from tests.support.filling import fill
from tests.support.under_way import UnderWay

Values = Mapping[str, Any]
BEGAN = 1_767_268_800_000
"""2026-01-01 12:00:00 UTC; every event is a second later than the one before."""
ONE, TWO, THREE, FOUR = "software-architect", "technical-lead", "qa-lead", "security-champion"
SURE = 80


@cache
def briefs() -> dict[str, str]:
    """The workshop's prompt files by name."""
    return catalog.briefs(DEFINITION)


def workshop(**settings: Any) -> Protocol[State]:
    """Build a workshop from plain settings."""
    return build(read_settings(WorkshopSettings, settings), briefs(), 7)


# Words


def topic(
    name: str, minimum: int = 0, *counts: str, critical: bool = False, criteria: int = 1, stage: str = ""
) -> dict[str, Any]:
    """A topic of an agenda."""
    done = {"criteria": [f"{name} criterion {n}" for n in range(1, criteria + 1)], "minimum": minimum}
    return {
        "id": name,
        "name": name.title(),
        "description": f"All about {name}.",
        "critical": critical,
        "stage": stage,
        "done_when": {**done, "counts": list(counts or ("REQ",))},
        "exploration": "",
        "questions": [],
    }


def agenda(*topics: Values, workflow: str = "open") -> dict[str, Any]:
    return {"workflow": workflow, "title": "A test", "topics": list(topics)}


PLAIN = agenda(topic("first", 1, "REQ", critical=True), topic("second"))
"""One required topic that needs a requirement, and another that needs nothing but its criterion."""


_NUMBERS = count(1)


def req(*supported: str, against: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A new artifact with these positions behind it; without a title the meeting gives it one of its own."""
    return {"supported_by": list(supported), "opposed_by": list(against), **more}


def change(artifact: str, becomes: str, *supported: str, **more: Any) -> dict[str, Any]:
    return {"artifact": artifact, "becomes": becomes, "supported_by": list(supported), **more}


def amend(artifact: str, *supported: str, field: str = "title", text: str = "New", **more: Any) -> dict[str, Any]:
    edits = [{"field": field, "text": text, "kind": more.pop("kind", "changed")}]
    return change(artifact, "amend", *supported, edits=edits, **more)


class Meeting(UnderWay):
    """A workshop under way. Every step takes plain values and returns the meeting; `record` is what it came to."""

    def __init__(self, about: Values | None = None, **settings: Any) -> None:
        given = {"participants": [ONE, TWO], "strategy": "standard", "min_rounds": 1, **settings}
        self.protocol, kept = self.built(given)
        self.agenda = about if about is not None else PLAIN
        self.material = {"topic": "# An audit log", "agenda": json.dumps(self.agenda)}
        self.opening = Opening(
            protocol="workshop",
            version=self.protocol.version,
            digest=protocol_digest(self.protocol),
            title="An audit log",
            seed=7,
            settings=kept,
            panel={str(seat): f"test:{seat}" for seat in self.protocol.seats},
            material={name: digest_text(text) for name, text in self.material.items()},
        )
        self.events: list[Event] = []
        self.record = Record(self.protocol, self.opening, self.material)

    def built(self, settings: Values) -> tuple[Protocol[Any], dict[str, Any]]:
        """The protocol for these settings, and the settings whole."""
        return workshop(**settings), plain(read_settings(WorkshopSettings, settings))

    # Steps

    def question(self, focus: str | None = None) -> Meeting:
        """Let the facilitator ask about this candidate; `absent` for no question."""
        self.reach("question")
        ask = self.ask("facilitator")
        values = {"question": f"What about it, in round {self.state.round}?", "exploration": ""}
        self._reply(ask, focus if focus == "absent" else {**values, **({"focus": focus} if focus else {})})
        return self

    def respond(self, said: Values | None = None, *, confidence: int = SURE) -> Meeting:
        """Let participants answer or vote, by seat: values of the form, a confidence, or `absent`."""
        self.reach("respond vote")
        for ask in self._open("respond vote"):
            given = (said or {}).get(ask.seat, {})
            own = {"confidence": given} if isinstance(given, int) else given
            self._reply(ask, own if own == "absent" else {**self._quiet(ask), "confidence": confidence, **own})
        return self

    def vote(self, votes: str | Values) -> Meeting:
        """Let participants vote on every draft: `SUPPORT`, `STAND_ASIDE`, `BLOCK`, `BARE` (a block without a change).

        For all, by seat, or by seat and draft; who is not named supports, a draft that is not named gets no vote.
        """
        self.reach("vote")
        for ask in self._open("vote"):
            given = votes if isinstance(votes, str) else votes.get(ask.seat, "SUPPORT")
            if given == "absent":
                self._reply(ask, given)
                continue
            each = dict.fromkeys(ask.keys, given) if isinstance(given, str) else given
            self._reply(ask, {"votes": {key: ballot(text) for key, text in each.items()}, "confidence": SURE})
        return self

    def synthesise(
        self, *, critical: Sequence[str] = (), reading: str = "", lost: bool = False, **said: Any
    ) -> Meeting:
        """Let the facilitator say this, and the clerk find critical words in these positions (`reading="absent"`)."""
        self.reach("synthesise")
        self._reply(self.ask("facilitator"), "absent" if lost else {**_QUIET, **self._titled(said)})
        self._reply(self.ask("clerk"), "absent" if reading else {"critical": list(critical)})
        return self

    def _titled(self, said: Values) -> dict[str, Any]:
        """What is said, with a title for each new artifact; a conflict is about the topic in focus."""
        topic = topic_in_focus(self.state)
        own = {"conflicts": {"about": [str(topic.key)]}} if topic is not None else {}
        made: dict[str, Any] = {}
        for name, values in said.items():
            if name in LISTS:
                values = [{"title": f"Entry {next(_NUMBERS)}", **own.get(name, {}), **each} for each in values]
            made[name] = values
        return made

    def round(self, **said: Any) -> Meeting:
        """A whole round with this synthesis."""
        return self.question().respond().synthesise(**said)

    def rule(self, choice: str, decision: str = "Do it my way.") -> Meeting:
        self.reach("escalate")
        values = {"choice": choice, "decision": decision, "reason": "It is time."}
        self._reply(self.ask("person"), choice if choice == "absent" else values)
        return self

    def pause(self, choice: str, remark: str = "") -> Meeting:
        self.reach("pause")
        self._reply(self.ask("person"), choice if choice == "absent" else {"choice": choice, "remark": remark})
        return self

    def interrupt(self, reason: Reason) -> Meeting:
        self.take(Interrupted(reason))
        return self

    def finish(self) -> Meeting:
        """Answer quietly to the end."""
        while self.open:
            self.go_on()
        return self

    def go_on(self) -> Meeting:
        """Answer the next ask quietly."""
        self._reply(self.open[0], self._quiet(self.open[0]))
        return self

    def reach(self, briefs: str) -> Meeting:
        """Answer quietly until one of these briefs is asked."""
        while not self._open(briefs):
            assert self.open, f"{briefs} is not asked any more: {self.outcomes}"
            self._reply(self.open[0], self._quiet(self.open[0]))
        return self

    # What comes out

    @property
    def state(self) -> State:
        state: State = self.record.session.state
        return state

    @property
    def result(self) -> dict[str, Any]:
        return result(self.record)

    def artifact(self, key: str) -> Artifact:
        return next(each for each in self.state.artifacts if each.id == key)

    def made(self, key: str) -> dict[str, Any]:
        """An artifact as plain data."""
        return next(dict(each) for each in self.result["artifacts"] if each["id"] == key)

    def held(self, number: int) -> dict[str, Any]:
        """A round as plain data."""
        return next(dict(each) for each in self.result["rounds"] if each["round"] == number)

    def topic(self, key: str) -> Topic:
        return next(each for each in self.state.topics if each.key == key)

    @property
    def stages(self) -> list[str]:
        """The stages of the rounds that have begun their questions."""
        return [each["stage"] for each in self.result["rounds"] if each["stage"]]

    def facts(self, name: str) -> list[dict[str, Any]]:
        return [dict(fact.values) for move in self.moves for fact in move.facts if fact.name == name]

    def asked(self) -> list[str]:
        """Who is asked now, as `seat brief`."""
        return [f"{ask.seat} {ask.brief}" for ask in self.open]

    def ask(self, seat: str) -> Ask:
        return next(ask for ask in self.open if ask.seat == seat)

    def view(self, seat: str) -> View:
        return self.protocol.view(self.record, self.ask(seat))

    def shown(self, seat: str) -> str:
        """What a seat is shown, titles and texts."""
        return "\n".join(f"{section.title}\n{section.text}" for section in self.view(seat).sections)

    def section(self, seat: str, title: str) -> str:
        """The text of one section of what a seat is shown; empty where there is none."""
        return next((each.text for each in self.view(seat).sections if each.title == title), "")

    # How replies are made

    def take(self, event: Event, **envelope: Any) -> None:
        seq = len(self.events) + 1
        self.record.take(event, Envelope(seq=seq, at=BEGAN + 1000 * seq, **envelope))
        self.events.append(event)

    def reply(self, seat: str, values: Values | str | None = None) -> Meeting:
        """Let a seat answer what it is asked with plain values of the form; what is not said is filled in."""
        self._reply(self.ask(seat), values or {})
        return self

    def _reply(self, ask: Ask, values: Values | str) -> None:
        if isinstance(values, str):
            self.take(Replied(ask.id, Absent(AbsentReason.TIMED_OUT)), model=f"test:{ask.seat}")
            return
        said = self.record.marked(ask, fill(ask, values))
        self.take(Replied(ask.id, said), model=f"test:{ask.seat}", tokens_in=90, tokens_out=10)

    def _open(self, briefs: str) -> list[Ask]:
        return [ask for ask in self.open if ask.brief in briefs.split()]

    def _quiet(self, ask: Ask) -> dict[str, Any]:
        """What a seat says that has nothing to say."""
        match ask.brief:
            case "agenda":
                read = [_read(number, each) for number, each in enumerate(self.agenda["topics"], start=1)]
                return {"topics": read, "parts": len(parts_of(self.record))}
            case "read":
                return {"critical": []}
            case "respond":
                return {"position": f"{ask.seat} says this in round {self.state.round}.", "confidence": SURE}
            case "vote":
                return {"votes": {key: ballot("SUPPORT") for key in ask.keys}, "confidence": SURE}
            case "synthesise":
                return dict(_QUIET)
            case "escalate":
                return {"choice": "go_on", "decision": ""}
            case "pause":
                return {"choice": "go_on", "remark": ""}
            case _:
                return {}


_QUIET = {"synthesis": "Nothing new.", "recommendation": "Take the middle way.", "wish": "continue"}


def ballot(text: str) -> dict[str, str]:
    bare = text == "BARE"
    changed = "Less of it." if text == "BLOCK" else ""
    return {"stance": "BLOCK" if bare else text, "reason": "Because.", "minimum_change": changed}


def _read(number: int, given: Values) -> dict[str, Any]:
    done = given["done_when"]
    return {
        "key": f"T{number}",
        "required": given["critical"],
        "criteria": len(done["criteria"]),
        "minimum": done["minimum"],
        "counts": done["counts"],
        "stage": given["stage"] or "none",
    }


# Promises


def moments(meeting: Meeting) -> Iterator[Moment[State]]:
    """Every move of a meeting as an invariant sees it."""
    said: list[Said] = []
    asked: list[Ask] = []
    moves = meeting.moves
    seen = 0
    for line in meeting.record.log:
        if isinstance(line, Said):
            said.append(line)
        elif isinstance(line, Asked):
            asked.append(line.ask)
        elif isinstance(line, Moved):
            seen += 1
            move, last = line.move, seen == len(moves)
            end = meeting.record.session.conclusion if last else None
            pairs = sorted(((each.ask, each.reply) for each in said), key=lambda pair: int(pair[0].id.split(".")[1]))
            reason = move.outcome if move.cause is Cause.INTERRUPTED else None
            yield Moment(
                move.phase,
                move.before,
                tuple(asked),
                Replies(tuple(pairs)),
                move.outcome,
                move.to,
                move.after,
                end.verdict if end is not None else None,
                reason if isinstance(reason, Reason) else None,
                move.facts,
                end.degradation if end is not None else None,
            )
            said, asked = [], []


def broken(meeting: Meeting) -> list[str]:
    """The invariants and rules that a meeting has broken, each with the move."""
    invariants = with_oracle(meeting.protocol).invariants
    return [
        f"{invariant.name} ({moment.phase.name} {moment.outcome.name} in round {moment.state.round})"
        for moment in moments(meeting)
        for invariant in invariants
        if not invariant.holds(moment)
    ]
