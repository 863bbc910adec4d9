"""The elaborations of a session, read from its record: how each ended, its synthesis, and what was written where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Reason
from quorate.protocols.roundtable.rules import announcements
from quorate.protocols.roundtable.rules.attribution import tamed
from quorate.protocols.roundtable.rules.forms import MOST_SUMMARY, Appended, Entry, Recorded, Synthesis
from quorate.protocols.roundtable.rules.harvest import KeptItem, harvest
from quorate.protocols.roundtable.rules.matter import cast_of, meta, topic
from quorate.protocols.roundtable.rules.model import Outcome, Phase
from quorate.protocols.roundtable.rules.open_disputes import undecided
from quorate.protocols.roundtable.rules.personas import Cast
from quorate.protocols.roundtable.rules.transcript import conversations

EXITS = {
    Outcome.EXIT_REQUESTED: "user-initiated",
    Outcome.LIMIT_REACHED: "turn-limit",
    Outcome.INACTIVE: "inactivity",
}
MOST_GREETED = 3


@dataclass
class Elaboration:
    """One elaboration; fields are empty until it gets that far."""

    number: int
    turns: int = 0
    exit: str = ""
    """user-initiated, turn-limit, inactivity, or the reason of an interrupt."""
    by_code: str = ""
    """Why the synthesis is one line of code; empty where the lead wrote it."""
    summary: str = ""
    items: tuple[KeptItem, ...] = ()
    """What the lead has synthesised, and the disagreements that were not settled (T21)."""
    spoken: tuple[Key, ...] = ()
    entries: tuple[Entry, ...] = ()
    targets: tuple[Key, ...] = ()
    record: str = ""
    """written, repaired or failed."""
    detail: str = ""
    notes: list[str] = field(default_factory=list)
    """Attributions that were dropped."""


def elaborations(record: Record) -> tuple[Elaboration, ...]:
    """Return every elaboration that was begun, in order."""
    reader = _Reader(cast_of(record), topic(record))
    for line in record.log:
        match line:
            case Said():
                reader.said = line
            case Moved(move):
                reader.take(move)
                reader.said = None
            case _:
                continue
    disputes = {each.number: each.disputes for each in conversations(record)}
    for each in reader.found:
        if each.summary:
            each.items += undecided(disputes[each.number], each.targets)
    return tuple(reader.found)


def greeting(record: Record) -> tuple[str, ...]:
    """The three most recent elaborations of the phase, of earlier sessions and of this one, the newest last (T6)."""
    phase = cast_of(record).settings.phase
    kept = meta(record).get("elaborations", ())
    earlier = [each for each in map(_words_of, kept) if each is not None and _of_phase(each[0], phase)]
    lines = [f"{step}: {summary}" for step, summary in earlier]
    step = step_id(record)
    lines += [f"{step}: {each.summary}" for each in elaborations(record) if each.record]
    return tuple(announcements.one_line(line) for line in lines[-MOST_GREETED:])


def step_id(record: Record) -> str:
    """Return the id an elaboration is recorded under: the step, else the phase, else the topic."""
    settings = cast_of(record).settings
    return settings.step or settings.phase or announcements.one_line(topic(record), MOST_SUMMARY)


def _words_of(each: Any) -> tuple[str, str] | None:
    """Return the step and the summary of a meta.json record; None if it has another shape."""
    step, summary = (each.get("step_id"), each.get("synthesis_summary")) if isinstance(each, dict) else (None, None)
    words = isinstance(step, str) and isinstance(summary, str) and step.strip() and summary.strip()
    return (str(step), str(summary)) if words else None


def _of_phase(step: str, phase: str) -> bool:
    """A step such as 01-03 is of the phase 01-requirements: they begin with the same number."""
    return not phase or step.partition("-")[0] == phase.partition("-")[0]


class _Reader:
    def __init__(self, cast: Cast, topic: str) -> None:
        self.cast, self.topic = cast, topic
        self.said: Said | None = None
        self.found: list[Elaboration] = []

    def take(self, move: Move) -> None:
        if move.phase is Phase.ENTRY:
            self.found.append(Elaboration(move.after.elaborations))
        if not self.found or self.found[-1].record:
            return
        now = self.found[-1]
        now.turns = max(now.turns, move.after.turn)
        if move.cause is Cause.INTERRUPTED:
            assert isinstance(move.outcome, Reason)
            now.exit = now.exit or move.outcome.value
        elif move.phase is Phase.DISCUSSION_LOOP:
            now.exit = EXITS.get(move.outcome, now.exit)  # type: ignore[call-overload]
        elif move.phase is Phase.SYNTHESIS:
            self._synthesis(now, move)
        elif move.phase is Phase.STATE_PERSIST:
            self._record(now, move)

    def _synthesis(self, now: Elaboration, move: Move) -> None:
        reply = self.said.reply if self.said is not None else None
        if isinstance(reply, Synthesis):
            now.spoken = move.before.spoken
            now.items = harvest(self.cast, reply, now.spoken)
            texts = [reply.summary.text, *(kept.item.text.text for kept in now.items), announcements.NOTHING_NEW]
            said = next(text for text in texts if text.strip())
            now.summary = announcements.one_line(tamed(self.cast, said), MOST_SUMMARY)
            now.targets = move.after.targets
            now.notes = [f"{fact.name}: {dict(fact.values)['key']}" for each in now.items for fact in each.dropped]
        elif isinstance(reply, Appended):
            now.entries = reply.documents
        if move.outcome is Outcome.SUMMARISED:
            now.by_code = next(str(dict(fact.values)["why"]) for fact in move.facts if fact.name == "synthesis by code")
        if not now.summary and move.outcome in (Outcome.SUMMARISED, Outcome.NOTHING_TO_ADD):
            now.summary = announcements.takeaway(self.topic, now.turns)

    def _record(self, now: Elaboration, move: Move) -> None:
        reply = self.said.reply if self.said is not None else None
        found = next(fact for fact in move.facts if fact.name.startswith("record "))
        now.record = found.name.removeprefix("record ")
        now.detail = reply.detail.text if isinstance(reply, Recorded) else "the clerk gave no reply"
