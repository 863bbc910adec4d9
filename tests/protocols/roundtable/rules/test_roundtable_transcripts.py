"""Roundtables as readable transcripts: what comes in, `----`, and everything that goes out.

A transcript is a list of blocks. The first line of a block is a command, the lines up to `----` are its input in
YAML, and the lines up to the next blank one are the whole output. `QUORATE_REWRITE=1 pytest` writes the output anew;
read the diff before you keep it. What is said is told with the count of turns and who says it; `-` is code.

    open             settings of a roundtable; it begins
    frame NAME       the person elaborates, and the lead addresses NAME
    say NAME         a text, or values of the form, with first names
    pass NAMES       these have nothing to add
    user             the person's turn, which code reads; without a text it is one Enter
    meant CHOICE     exit or go_on, where the person is asked back
    talk             the person says this as often as may be, and every persona speaks, until the talk is over
    words            how often the person had the word, and in which turns there were words
    undecided        which questions are open in the end
    finish           the talk is wrapped up, if it is not over yet, and the person goes on at the menu
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate import catalog
from quorate.core.engine import replay
from quorate.core.record import Moved, Said
from quorate.core.session import Conclude, Conclusion, Step
from quorate.core.types import Absent, Replied
from tests.support.roundtables import Talk
from tests.support.transcripts import Block, compare, played, told

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))
CASES = {
    *("ten-turns", "three-turns", "enter-after-passes", "unknown-command", "nobody-of-that-name", "asked-by-name"),
    *("last-word", "asked-in-words"),
}
"""What had to be seen before and after."""


class Story:
    """Runs the commands of one transcript."""

    made: type[Talk] = Talk

    def __init__(self) -> None:
        self.talk: Talk | None = None
        self._read = self._heard = 0

    @property
    def at(self) -> Talk:
        assert self.talk is not None, "a transcript begins with `open`"
        return self.talk

    def run(self, block: Block) -> list[str]:
        command, _, argument = block.command.partition(" ")
        values = YAML(typ="safe").load("\n".join(block.input)) or {}
        lines = list(getattr(self, f"_{command}")(argument, values) or ())
        return [*lines, *self._news(), *self._asking()]

    def _news(self) -> Iterator[str]:
        """Everything that the record has gained, in lines, and then everything that was said."""
        log, lines = self.at.record.log, self.at.lines
        for line in log[self._read :]:
            match line:
                case Moved(move, _):
                    yield from told(Step(self.at.record.session, (), (move,)))
                case Conclusion():
                    yield from told(Step(self.at.record.session, (Conclude(line),), ()))
                case _:
                    pass
        for said in lines[self._heard :]:
            yield f"{said.turn} {said.first or '-'}: {' / '.join(line for line in said.text.splitlines() if line)}"
        self._read, self._heard = len(log), len(lines)

    def _asking(self) -> Iterator[str]:
        yield f"asks: {f'{self.at.ask.seat} {self.at.brief}' if self.at.brief else 'nobody'}"

    def _open(self, _: str, settings: dict[str, Any]) -> None:
        self.talk, self._read, self._heard = self.made(**settings), 0, 0

    def _frame(self, name: str, _: Any) -> None:
        self.at.elaborate().frame(name, summary="Members forget books.", question="When do we remind them?")

    def _say(self, name: str, said: Any) -> None:
        self.at.say(name, **(said if isinstance(said, dict) else {"text": said}))

    def _pass(self, names: str, _: Any) -> None:
        self.at.passes(*names.split())

    def _user(self, _: str, text: Any) -> None:
        self.at.user(text or "")

    def _meant(self, choice: str, _: Any) -> None:
        self.at.meant(choice)

    def _talk(self, _: str, text: str) -> Iterator[str]:
        while self.at.phase == "DISCUSSION_LOOP":
            if self.at.brief == "turn":
                self.at.user(text)
            else:
                self.at.say(self.at.speaker, "I could go on.")
            yield from self._news()

    def _words(self, _: str, __: Any) -> Iterator[str]:
        turns = ", ".join(str(line.turn) for line in self.at.kinds("user"))
        yield f"how often the person had the word: {self.at.asked('turn')}; words in turns: {turns or 'none'}"

    def _undecided(self, _: str, __: Any) -> Iterator[str]:
        result = catalog.definition_of(self.at.record.opening).result
        assert result is not None
        texts = [each["text"] for talk in result(self.at.record)["elaborations"] for each in talk["open_questions"]]
        yield f"open questions: {' | '.join(texts) or 'none'}"

    def _finish(self, _: str, __: Any) -> Iterator[str]:
        while self.at.phase == "DISCUSSION_LOOP":
            match self.at.brief:
                case "turn":
                    self.at.user("done")
                case "clarify":
                    self.at.meant("exit")
                case _:
                    self.at.passes(self.at.speaker)
            yield from self._news()
        self.at.wrap_up().choose("continue")


def play(file: Path, story: Story) -> None:
    """Play a transcript and compare; it says first what it is about, ends with a verdict, and replays."""
    text = file.read_text(encoding="utf-8")
    compare(file, text, played(text, story.run))
    assert text.startswith("# ")
    assert story.at.verdict == "CONTINUE"
    said = [line for line in story.at.record.log if isinstance(line, Said)]
    assert not any(isinstance(line.reply, Absent) for line in said)
    again = replay(story.at.protocol, [Replied(line.ask.id, line.reply) for line in said])
    assert repr(again.session) == repr(story.at.record.session)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_roundtable_goes_as_written(file: Path) -> None:
    play(file, Story())


def test_every_case_is_told() -> None:
    """T9, T17, T19, T30 to T32."""
    assert {file.stem for file in FILES} >= CASES
