"""Workshops as readable transcripts: what comes in, `----`, and everything that goes out; in `before/` by version 1.

A transcript is a list of blocks. The first line of a block is a command, the lines up to `----` are its input in
YAML, and the lines up to the next blank one are the whole output. `QUORATE_REWRITE=1 pytest` writes the output anew;
read the diff before you keep it. Whatever is asked before a step is answered quietly: every participant answers with
80, nobody contests, every vote is SUPPORT, syntheses bring nothing, and a person lets the discussion go on.

    open             settings; `topics: {name: least number}`, each with one criterion and of requirements
    respond, vote    seat: a confidence, `absent`, or values of the form; a vote is a stance, or draft: stance
    synthesise       lists of what is new, changes, what is covered
    write            the same, but as the facilitator writes it: entry by entry, as nobody mends it any more
    rule CHOICE      a person rules; the decision in words
    pause CHOICE     a person says this between two rounds; the remark in words
    show SEAT        what this seat is shown: titles, and whether each is data, a person's words, or neither
    show SEAT TITLE  the text of the sections whose titles begin so
    result           what there is in the end: artifacts, rulings, and what a reader must not overlook
    finish           everything that is still asked is answered quietly
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate.codec import Malformed, parse_entries, parse_reply, reply_to_data
from quorate.core.record import Moved, Said
from quorate.core.session import Conclude, Conclusion, Step
from quorate.core.types import Absent, AbsentReason, Replied
from tests.support.filling import fill
from tests.support.transcripts import Block, compare, played, told
from tests.support.workshops import Meeting, agenda, topic
from tests.support.workshops_before import Before

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("**/*.txt"))
CASES = (
    *("ruling", "low-confidence", "go-on", "round-a-block", "persons-words", "identical-artifacts"),
    *("unknown-key", "amended-twice", "nobody-judged", "ruling-on-nothing", "block-in-the-last-round"),
)
"""What had to be seen before and after."""


class Story:
    """Runs the commands of one transcript."""

    def __init__(self, *, before: bool) -> None:
        self.before = before
        self.meeting: Meeting | None = None
        self._read = 0

    @property
    def at(self) -> Meeting:
        assert self.meeting is not None, "a transcript begins with `open`"
        return self.meeting

    def run(self, block: Block) -> list[str]:
        command, _, argument = block.command.partition(" ")
        values = YAML(typ="safe").load("\n".join(block.input)) or {}
        lines = list(getattr(self, f"_{command}")(argument, values) or ())
        return [*lines, *self._news()]

    def _news(self) -> Iterator[str]:
        """Everything that the record has gained, in lines; what the clerk says of the agenda is the same always."""
        log = self.at.record.log
        for line in log[self._read :]:
            match line:
                case Moved(move, _):
                    yield from told(Step(self.at.record.session, (), (move,)))
                case Said(ask, Absent(reason), _, _, _):
                    yield f"{ask.seat} is absent: {reason.value}"
                case Conclusion():
                    yield from told(Step(self.at.record.session, (Conclude(line),), ()))
                case _:
                    pass
        self._read = len(log)
        asked = ", ".join(f"{ask.seat} {ask.brief}" for ask in self.at.open)
        yield f"asks, round {self.at.state.round}: {asked or 'nobody'}"

    def _open(self, _: str, settings: dict[str, Any]) -> None:
        topics = [topic(name, least, critical=True) for name, least in settings.pop("topics").items()]
        self.meeting = (Before if self.before else Meeting)(agenda(*topics), **settings)

    def _respond(self, _: str, values: dict[str, Any]) -> None:
        self.at.respond(values)

    def _vote(self, _: str, values: dict[str, Any]) -> None:
        self.at.vote(values)

    def _synthesise(self, _: str, values: dict[str, Any]) -> None:
        self.at.synthesise(**values)

    def _write(self, _: str, values: dict[str, Any]) -> Iterator[str]:
        self.at.reach("synthesise")
        ask = self.at.ask("facilitator")
        quiet = {"synthesis": "As said.", "recommendation": "", "wish": "continue"}
        text = _said(reply_to_data(fill(ask, {**quiet, **values})))
        try:
            reply, refused = (parse_reply(ask, text), ()) if self.before else parse_entries(ask, text)
        except Malformed as malformed:
            yield f"malformed: {malformed.problems[0]}"
            self.at.take(Replied(ask.id, Absent(AbsentReason.MALFORMED)))
        else:
            yield from (f"told: {each}" for each in refused)
            self.at.take(Replied(ask.id, self.at.record.marked(ask, reply)))
        self.at.go_on()

    def _rule(self, choice: str, decision: Any) -> None:
        self.at.rule(choice, decision if isinstance(decision, str) else "")

    def _pause(self, choice: str, remark: Any) -> None:
        self.at.pause(choice, remark if isinstance(remark, str) else "")

    def _show(self, argument: str, _: Any) -> Iterator[str]:
        seat, __, title = argument.partition(" ")
        for section in self.at.view(seat).sections:
            kind = "a person's words" if section.person else "data" if section.data else "told"
            if not title:
                yield f"{section.title} ({kind})"
            elif section.title.startswith(title):
                yield f"{section.title} ({kind}): {' / '.join(line for line in section.text.splitlines() if line)}"

    def _result(self, _: str, __: dict[str, Any]) -> Iterator[str]:
        for each in self.at.result["artifacts"]:
            said = each["fields"].get("decision", each["title"]) if each["type"] == "RUL" else each["title"]
            yield f"{each['id']} {said} ({each['status']}, {each['agreement']})"
        yield from (f"warning: {text}" for text in self.at.result["warnings"])

    def _finish(self, _: str, __: dict[str, Any]) -> None:
        self.at.finish()


def _said(data: Any) -> Any:
    """What a facilitator writes of a reply: the fields without the marks."""
    if isinstance(data, list):
        return [_said(each) for each in data]
    marks = ("misquoted", "advises", "repeats", "unexplained")
    return {n: _said(each) for n, each in data.items() if n not in marks} if isinstance(data, dict) else data


@cache
def play(file: Path) -> tuple[str, str, Story]:
    """Return the transcript as it stands, as it plays, and the story."""
    text, story = file.read_text(), Story(before=file.parent.name == "before")
    return text, played(text, story.run), story


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_the_workshop_goes_as_written(file: Path) -> None:
    expected, found, _ = play(file)
    compare(file, expected, found)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_story_says_first_what_it_is_about(file: Path) -> None:
    assert file.read_text().startswith("# ")


@pytest.mark.parametrize("case", CASES)
def test_what_had_to_be_seen_is_seen_before_and_after(case: str) -> None:
    """W15, W16, W19, W22, W24, W31: the same words under the rules of version 1 and under these."""
    assert {FOLDER / f"{case}.txt", FOLDER / "before" / f"{case}.txt"} <= set(FILES)
