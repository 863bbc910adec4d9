"""Fates: what became of every elaboration, item, disagreement, question, remark and feedback (T33)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quorate.core.forms import Key, Prose
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Seat
from quorate.kit.fates import Fate
from quorate.protocols.roundtable.rules import announcements
from quorate.protocols.roundtable.rules.forms import Intent, Manner, Menu, Reading, Synthesis, Turn, Utterance
from quorate.protocols.roundtable.rules.harvest import LISTS, KeptItem, harvest
from quorate.protocols.roundtable.rules.matter import cast_of, topic
from quorate.protocols.roundtable.rules.model import PERSON, Outcome, Phase, State, Step
from quorate.protocols.roundtable.rules.personas import Cast

MOST_SAID = 200
"""Characters of what was said that a fate quotes."""
UNDER_WAY, CUT_OFF, NOT_HEARD, LAST_WORD = "under way", "cut off", "not heard", "the last word"
LEFT = "left in the result"
WHAT = dict(zip(LISTS, ("insight", "decision", "open question", "action item"), strict=True))
LETTER = dict(zip(LISTS, "IDOA", strict=True))
WRITTEN = {"added": "written to {}", "missing": "not written: {} is missing", "failed": "not written: {} failed"}


def fates(record: Record) -> tuple[Fate, ...]:
    """Return what became of everything that was raised, in the order in which it was."""
    reader = _Reader(cast_of(record), topic(record))
    said: Said | None = None
    for line in record.log:
        if isinstance(line, Said):
            said = line
        elif isinstance(line, Moved):
            reader.take(line.move, said)
            said = None
    if record.session.conclusion is not None:
        reader.cut_off()
    return tuple(reader.found.values())


@dataclass
class _Reader:
    """Folds the moves of a session into fates."""

    cast: Cast
    topic: str

    def __post_init__(self) -> None:
        self.found: dict[str, Fate] = {}
        self.number = self.texts = 0
        self.by_code = False
        self.places: dict[str, Key] = {}
        """What waits to be written, by id, and the document it is for."""
        self.asked: dict[str, Seat] = {}
        """Questions of personas that wait, by id, and whom they are for."""
        self.disputes: dict[str, frozenset[str]] = {}

    def _raise(self, id_: str, what: str, by: Iterable[str], said: str | Prose, became: str, rule: str) -> str:
        words = announcements.one_line(said.text if isinstance(said, Prose) else said, MOST_SAID)
        self.found[id_] = Fate(id_, what, tuple(map(str, by)), words, became, rule)
        return id_

    def _next(self, letter: str) -> str:
        start = f"E{self.number}.{letter}"
        return f"{start}{sum(each.startswith(start) for each in self.found) + 1}"

    def _settle(self, id_: str, became: str, rule: str) -> None:
        self.found[id_] = replace(self.found[id_], became=became, rule=rule)

    def _waiting(self, *what: str) -> list[str]:
        return [each.id for each in self.found.values() if each.became == UNDER_WAY and each.what in what]

    def take(self, move: Move, said: Said | None) -> None:
        reply = said.reply if said is not None else None
        before: State = move.before
        if move.cause is Cause.INTERRUPTED:
            if move.phase is Phase.DISCUSSION_LOOP:
                self._not_heard("T26")
            return
        match move.phase:
            case Phase.MENU if any(fact.name == "feedback" for fact in move.facts):
                self.texts += 1
                text = reply.text if isinstance(reply, Menu) else ""
                self._raise(f"F{self.texts}", "feedback", (PERSON,), text, "kept", "T5")
            case Phase.ENTRY:
                self.number, self.by_code = move.after.elaborations, False
                self._raise(f"E{self.number}", "elaboration", (), self.topic, UNDER_WAY, "T24")
            case Phase.DISCUSSION_LOOP:
                self._talk(move, before, reply)
                if move.to is not Phase.DISCUSSION_LOOP:
                    self._not_heard("T9")
            case Phase.SYNTHESIS:
                self._synthesis(move, before, reply)
            case Phase.STATE_PERSIST:
                self._record(move)

    # The talk

    def _talk(self, move: Move, before: State, reply: object) -> None:
        if before.step is Step.SPEAK:
            self._spoken(move, before.queue[0], reply)
        elif before.step is Step.LISTEN:
            self._heard(reply, UNDER_WAY, "T15")
        elif before.step is Step.LAST:
            self._heard(reply, LAST_WORD, "T9")
        elif before.step is not Step.CONFIRM:
            self._read(move, reply)

    def _spoken(self, move: Move, speaker: Seat, reply: object) -> None:
        passed = not isinstance(reply, Utterance) or reply.blank or reply.manner is Manner.PASS
        for id_ in [each for each, seat in self.asked.items() if seat == speaker]:
            self._settle(id_, "passed" if passed else "answered", "T19")
            del self.asked[id_]
        if not isinstance(reply, Utterance):
            return
        if reply.manner is Manner.PASS and not reply.blank:
            self._raise(self._next("W"), "words beside a pass", (speaker,), reply.says, NOT_HEARD, "T19")
        for fact in move.facts:
            values = {name: str(each) for name, each in fact.values}
            if fact.name == "asked by name":
                id_ = self._raise(self._next("Q"), "question", (speaker,), reply.says, UNDER_WAY, "T19")
                self.asked[id_] = Seat(values["of"])
            elif fact.name in ("disagreement", "challenge dropped"):
                pair = speaker, values["against"]
                became = UNDER_WAY if fact.name == "disagreement" else "dropped"
                id_ = self._raise(self._next("P"), "disagreement", pair, reply.says, became, "T20")
                if became == UNDER_WAY:
                    self.disputes[id_] = frozenset(pair)

    def _heard(self, reply: object, became: str, rule: str) -> None:
        if not isinstance(reply, Turn) or reply.blank:
            return
        became, rule = ("no command", "T31") if reply.command else (became, rule)
        self._raise(self._next("R"), "remark", (PERSON,), reply.text, became, rule)
        if reply.words and not reply.command:
            self._settle_disputes()

    def _read(self, move: Move, reply: object) -> None:
        became, rule = self._followed(move, reply if isinstance(reply, Reading) else None)
        for id_ in self._waiting("remark") if became else ():
            self._settle(id_, became, rule)
        if move.outcome in (Outcome.READ, Outcome.LAST_WORD):
            self._settle_disputes()

    def _followed(self, move: Move, reading: Reading | None) -> tuple[str, str]:
        """Return what became of the person's words, and by which rule; '' where that is still open."""
        if move.outcome is Outcome.EXIT_REQUESTED:
            return "the end of the talk", "T15"
        if move.outcome is Outcome.SILENT or move.after.step is Step.CONFIRM:
            return "a silence", "T14"
        if move.outcome is Outcome.LAST_WORD:
            return "the last turn", "T9"
        if move.outcome is not Outcome.READ:
            return "", ""
        if move.after.addressed:
            return f"put to {move.after.queue[0]}", "T11"
        if move.after.group:
            return "put to all", "T12"
        stranger = reading is not None and reading.intent is Intent.STRANGER
        return "put to the table", "T32" if stranger else "T13"

    def _settle_disputes(self) -> None:
        for id_ in self.disputes:
            self._settle(id_, "settled by the person", "T20")
        self.disputes = {}

    def _not_heard(self, rule: str) -> None:
        for id_ in self._waiting("question", "remark"):
            self._settle(id_, NOT_HEARD, rule)
        self.asked = {}

    # What came of it

    def _synthesis(self, move: Move, before: State, reply: object) -> None:
        if before.step is Step.APPEND:
            results = {f: dict(f.values)["key"] for f in move.facts if f.name.startswith("document ")}
            for fact, key in results.items():
                became = WRITTEN[fact.name.removeprefix("document ")].format(key)
                for id_ in [each for each, place in self.places.items() if place == key]:
                    self._settle(id_, became, "T23")
            self.places = {}
            return
        if move.outcome is Outcome.RETRY or before.step is not Step.SYNTHESISE:
            return
        if isinstance(reply, Synthesis):
            for kept in harvest(self.cast, reply, before.spoken):
                self._item(kept)
        self.by_code = self.by_code or move.outcome is Outcome.SUMMARISED
        self._leave_open(next(iter(move.after.targets), None))

    def _item(self, kept: KeptItem) -> None:
        by = kept.names if kept.kind in LISTS[:2] else ()
        id_ = self._raise(self._next(LETTER[kept.kind]), WHAT[kept.kind], by, kept.item.text, LEFT, "T23")
        self._place(id_, kept.document)

    def _place(self, id_: str, document: Key | None) -> None:
        self._settle(id_, LEFT if document is None else UNDER_WAY, "T23")
        if document is not None:
            self.places[id_] = document

    def _leave_open(self, document: Key | None) -> None:
        """What is not settled becomes an open question, the last one of each two (T21)."""
        last = {pair: id_ for id_, pair in self.disputes.items()}
        for id_, pair in self.disputes.items():
            if last[pair] == id_:
                self._place(id_, document)
            else:
                self._settle(id_, f"joined to {last[pair]}", "T21")
        self.disputes = {}

    def _record(self, move: Move) -> None:
        kept = next(fact.name for fact in move.facts if fact.name.startswith("record ")) != "record failed"
        without = " without a synthesis" if self.by_code else ""
        became, rule = (f"recorded{without}", "T24") if kept else ("not recorded", "T25")
        self._settle(f"E{self.number}", became, rule)
        self.cut_off()  # a wish or a limit has come between a synthesis and its documents

    def cut_off(self) -> None:
        """What is still under way goes no further (T27)."""
        for id_ in [each.id for each in self.found.values() if each.became == UNDER_WAY]:
            self._settle(id_, CUT_OFF, "T27")
        self.places = {}
