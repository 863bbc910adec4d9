"""The history of a workshop, read from its record move by move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key, Prose
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Move
from quorate.core.types import Absent, Seat
from quorate.kit.strict_json import strict_json
from quorate.protocols.workshop.rules.forms import Response, Votes
from quorate.protocols.workshop.rules.model import State
from quorate.protocols.workshop.rules.synthesis import Synthesis


@dataclass(frozen=True, slots=True)
class Happened:
    """One move, with what was said in its phase."""

    move: Move
    round: int
    said: tuple[Said, ...]

    def facts(self, *names: str) -> Iterator[dict[str, Any]]:
        """The facts of these names as mappings, in order; each has its name under `fact`."""
        return (as_mapping(fact) for fact in self.move.facts if fact.name in names)

    @property
    def synthesis(self) -> Synthesis | None:
        return next((said.reply for said in self.said if isinstance(said.reply, Synthesis)), None)

    @property
    def positions(self) -> dict[Seat, Response | Votes]:
        return {said.ask.seat: said.reply for said in self.said if isinstance(said.reply, Response | Votes)}


def as_mapping(fact: Fact) -> dict[str, Any]:
    return {"fact": fact.name, **dict(fact.values)}


def happened(record: Record) -> Iterator[Happened]:
    """Every move of the session, in order."""
    said: list[Said] = []
    for line in record.log:
        match line:
            case Said():
                said.append(line)
            case Moved(move, round_):
                yield Happened(move, round_, tuple(said))
                said = []
            case _:
                continue


def absent(happening: Happened) -> tuple[Seat, ...]:
    return tuple(said.ask.seat for said in happening.said if isinstance(said.reply, Absent))


def agenda(record: Record) -> Mapping[str, Any]:
    """Return the agenda from the material; empty if it cannot be read."""
    return _read(record.material.get("agenda", ""))


@lru_cache(maxsize=16)
def _read(text: str) -> Mapping[str, Any]:
    """Parse an agenda, cached by its text."""
    try:
        found = strict_json(text)
    except ValueError:
        return {"topics": []}
    return found if isinstance(found, dict) and isinstance(found.get("topics"), list) else {"topics": []}


def topic_named(record: Record, key: str) -> Mapping[str, Any]:
    """Return the topic of the agenda with this key."""
    topics = agenda(record)["topics"]
    place = int(key.removeprefix("T")) - 1 if key.removeprefix("T").isdecimal() else len(topics)
    return topics[place] if place < len(topics) else {"id": key, "name": key, "done_when": {"criteria": []}}


def state_of(record: Record) -> State:
    state: State = record.session.state
    return state


def entry_facts(happening: Happened) -> list[dict[str, Any]]:
    """Return what became of each entry that a synthesis makes, in order: issued, or refused."""
    found = happening.facts("issued", "refused")
    return [fact for fact in found if fact["fact"] == "issued" or "move" not in fact]


def plain(value: Any) -> Any:
    """Return a part of a form as plain data."""
    if isinstance(value, Prose):
        return value.text
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, Key):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value
