"""The display of a roundtable: everything that was said, once and in order, and who is speaking now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quorate.cli.speech import readable
from quorate.cli.text import safe
from quorate.core.record import Said
from quorate.protocols.roundtable.command.stage import COLOURS, Printer, Speaking, Voice
from quorate.protocols.roundtable.command.summary import documents_lines, record_lines, synthesis_text
from quorate.protocols.roundtable.rules.announcements import boundary
from quorate.protocols.roundtable.rules.forms import Framing
from quorate.protocols.roundtable.rules.matter import topic
from quorate.protocols.roundtable.world.roundtable import (
    Elaboration,
    LineKind,
    Spoken,
    at_table,
    cast_of,
    conversation,
    elaborations,
    transcript,
)

if TYPE_CHECKING:
    from quorate.core.record import Record
    from quorate.core.types import Ask
    from quorate.runtime.happenings import Happening

DOING = {"frame": "opens", "synthesise": "is summing up", "append": "adds to the documents", "record": "keeps a record"}
"""What somebody who is asked is doing, by brief; all others are thinking."""
UNSEEN = ("read", "classify")
"""What is asked for the sake of the rules, and no part of the conversation."""
LONGEST_SPEECH = 20_000
"""Characters of a form that is streaming in; no form of a persona allows as much speech."""
SPOKEN = {"frame": ("summary", "question"), "speak": ("says",), "answer": ("says",)}
"""The fields that are speech, by brief; what is filled in for other briefs is not spoken."""
YOU = Voice("You")
VOICES = (LineKind.FRAMING, LineKind.UTTERANCE, LineKind.REDIRECT)


@dataclass
class Shown:
    """Shows a session live; it keeps its own record, so that it cannot affect the session."""

    record: Record
    stage: Printer = field(default_factory=Printer)
    told: int = 0
    """Lines of the transcript that have been shown."""
    summed: dict[int, set[str]] = field(default_factory=dict)
    """What has been shown of the end of each elaboration."""
    summed_up: bool = False
    """A synthesis has been shown here."""
    raw: dict[str, str] = field(default_factory=dict)
    """What is streaming in, by ask."""
    comes_back: bool = False
    """Somebody comes back in the middle of a talk and has not been told yet what it is about."""

    @classmethod
    def resumed(cls, record: Record) -> Shown:
        """Go on with the last round of voices: what was said before is taken as read."""
        shown, lines = cls(record), transcript(record)
        done, now = elaborations(record), conversation(record).lines
        shown.told = len(lines)
        shown.summed = {each.number: {"synthesis", "documents", "record"} for each in done if each.record}
        if now and not (done and done[-1].record):  # at the menu its view tells what came of it
            shown.told -= len(now) - last_round(now, len(at_table(record).personas))
            shown.comes_back = True
        return shown

    # Happenings

    def __call__(self, happening: Happening) -> None:
        from quorate.runtime.happenings import Called, Calling, Saying, Wrote

        match happening:
            case Calling(ask):
                self._calling(ask)
            case Saying(ask, text) if ask.id in self.stage.speaking:
                self.raw[ask.id] = (self.raw.get(ask.id, "") + text)[:LONGEST_SPEECH]
                self.stage.speaking[ask.id].text = speech(ask.brief, self.raw[ask.id])
            case Called(ask):
                self._done(ask)
            case Wrote(_, event, envelope):
                self.record.take(event, envelope)
                self.tell()
            case _:
                return

    def _calling(self, ask: Ask) -> None:
        if ask.brief in UNSEEN:
            return
        persona = at_table(self.record).asked(ask)
        voice = self.voice(persona.seat) if persona is not None else Voice(f"The {ask.seat}")
        self.stage.speaking[ask.id] = Speaking(voice, DOING.get(ask.brief, "is thinking"))

    def _done(self, ask: Ask) -> None:
        self.stage.speaking.pop(ask.id, None)
        self.raw.pop(ask.id, None)

    def open(self) -> None:
        self.stage.open()

    def tick(self) -> None:
        self.stage.tick()

    def close(self) -> None:
        self.stage.speaking.clear()
        self.raw.clear()
        self.stage.close()

    # What was said

    def catch_up(self, record: Record, *, typed: bool = False) -> None:
        """Take the record as it is now and tell what is new; what the person has typed here stands there already."""
        self.record = record
        self.tell(typed=typed)

    def tell(self, *, typed: bool = False) -> None:
        """Show what has not been shown yet."""
        if self.comes_back:
            self.comes_back = False
            self._recall()
        lines = transcript(self.record)
        new, self.told = lines[self.told :], len(lines)
        for line in new:
            if not (typed and line.kind is LineKind.USER):
                self._line(line)
        for each in elaborations(self.record):
            self._sum_up(each, self.summed.setdefault(each.number, set()))

    def _recall(self) -> None:
        """Say what it is about, and the question that was asked first, where that is not told again anyway."""
        self.stage.topic(topic(self.record), boundary(cast_of(self.record).settings))
        number = conversation(self.record).number
        for line in transcript(self.record)[: self.told]:
            if line.kind is LineKind.FRAMING and line.elaboration == number:
                self.stage.block("The question", focus(self.record, line))

    def voice(self, seat: str) -> Voice:
        """Return how a persona is announced: every one in a colour of its own."""
        personas = at_table(self.record).personas
        number = next(number for number, each in enumerate(personas) if each.seat == seat)
        return Voice(personas[number].name, personas[number].role, COLOURS[number % len(COLOURS)])

    def _line(self, line: Spoken) -> None:
        match line.kind:
            case LineKind.INTRODUCTION:
                self.stage.rule(f"Elaboration {line.elaboration}")
                self.stage.block("", line.text)
            case LineKind.FRAMING | LineKind.UTTERANCE if line.speaker:
                self.stage.utterance(self.voice(line.speaker), line.text)
            case LineKind.REDIRECT:
                self.stage.utterance(self.voice(line.speaker), line.text, "leads back to the topic")
            case LineKind.USER:
                self.stage.utterance(YOU, line.text)
            case LineKind.WARNING:
                self.stage.notice(line.text, "bold yellow", apart=True)
            case LineKind.DISAGREEMENT:
                self._disagreement(line)
            case LineKind.NUDGE | LineKind.QUESTION_BACK:
                self.stage.notice(line.text, "bold", apart=True)
            case _:
                self.stage.notice(line.text, apart=True)

    def _disagreement(self, line: Spoken) -> None:
        """Both positions, word for word, and the question (T20)."""
        disputes = conversation(self.record).disputes
        found = next((pair for pair in disputes if line.text.startswith(f"{pair[0].first} and {pair[1].first} ")), None)
        self.stage.block("A disagreement for you to decide", "", "bold yellow")
        for position in found or ():
            self.stage.utterance(self.voice(position.speaker), position.text)
        self.stage.notice(line.text, "bold", apart=True)

    # What came of it

    def _sum_up(self, each: Elaboration, shown: set[str]) -> None:
        if each.summary and "synthesis" not in shown:
            shown.add("synthesis")
            self.summed_up = True
            self.stage.rule("Synthesis")
            self.stage.block("", synthesis_text(self.record, each))
        if each.entries and "documents" not in shown:
            shown.add("documents")
            for number, (text, style) in enumerate(documents_lines(self.record, each)):
                self.stage.notice(text, style, apart=number == 0)
        if each.record and "record" not in shown:
            shown.add("record")
            for number, (text, style) in enumerate(record_lines(each)):
                self.stage.notice(text, style, apart=number == 0 and not each.entries)


def last_round(lines: Sequence[Spoken], personas: int) -> int:
    """Return from which line on it is told again: what the person last said, or the voices since, one for each."""
    last = max((number for number, line in enumerate(lines) if line.kind is LineKind.USER), default=0)
    voices = [number for number, line in enumerate(lines) if line.kind in VOICES and number > last]
    return voices[-personas] if len(voices) > personas else last


def focus(record: Record, framing: Spoken) -> str:
    """Return the lead's question without its summary; what code framed is a question as it stands."""
    said = next((line.reply for line in record.log if isinstance(line, Said) and line.ask.id == framing.ask), None)
    return said.question.text if isinstance(said, Framing) else framing.text


# What a persona is saying while its form is still being filled in: only the fields that are speech


def speech(brief: str, text: str) -> str:
    """Return what has been said so far; text that is no form is speech itself."""
    if brief not in SPOKEN:
        return ""
    start = text.lstrip()
    if not start.startswith(("{", "```")):
        return safe(text).strip()
    return "\n\n".join(filter(None, (_field(name, text) for name in SPOKEN[brief])))


def _field(name: str, text: str) -> str:
    """The value of a field, finished or not."""
    found = re.search(rf'"{name}"\s*:\s*("(?:[^"\\]|\\.|\\\Z)*)', text, re.DOTALL)
    if found is None:
        return ""
    return safe(readable(f'{{"{name}":{found[1]}').removeprefix(f"{name}: ")).strip()
