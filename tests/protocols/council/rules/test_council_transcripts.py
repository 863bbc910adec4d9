"""Councils as readable transcripts: what comes in, `----`, and everything that goes out.

A transcript is a list of blocks. The first line of a block is a command, the lines up to `----` are its input in
YAML, and the lines up to the next blank one are the whole output. `QUORATE_REWRITE=1 pytest` writes the output anew;
read the diff before you keep it. Whatever is asked before a step is answered quietly: no findings, all lenses bound,
every finding confirmed without a proposal, every vote SUPPORT.

    open             settings of a council; it begins
    gates UNREAD     findings of the gates, as tests/support/councils.py writes them; which gates could read nothing
    review, assess   seat: its findings, or `absent`; for `assess` also `low: [seats]` and `abstain: [seats]`; for
                     `review` also `bound: false`, and `parents` of the claims of SA-3
    match            pairs of findings, the kept one first
    cover            what nobody was shown
    respond, remediate, vote     `all: ...`, or seat: a text, `absent`, or item: a text
    bind, patch      what is bound, or mended; nothing for everything that is asked for
    apply            `all: RESULT`, or finding: RESULT
    absent SEAT      the next ask of this seat gets no reply
    interrupt WHY    cancelled, budget, episodes, stall or wish
    rule VERDICT     a person rules
    show SEAT        the titles of what this seat is shown, tickets and files left out
    finish           everything that is still asked is answered quietly
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate.core.engine import replay
from quorate.core.record import Asked, Moved, Ruling, Said, Stopped
from quorate.core.session import Conclude, Conclusion, Step, Withdraw
from quorate.core.types import Absent, Event, Interrupted, Reason, Replied
from quorate.protocols.council.rules.protocol import TABLE
from tests.support.councils import Sitting
from tests.support.transcripts import Block, compare, played, told

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))


class Story:
    """Runs the commands of one transcript."""

    def __init__(self) -> None:
        self.sitting: Sitting | None = None
        self._read = 0

    @property
    def at(self) -> Sitting:
        assert self.sitting is not None, "a transcript begins with `open`"
        return self.sitting

    def run(self, block: Block) -> list[str]:
        command, _, argument = block.command.partition(" ")
        values = YAML(typ="safe").load("\n".join(block.input)) or {}
        lines = list(getattr(self, f"_{command}")(argument, values) or ())
        return [*lines, *self._news()]

    def _news(self) -> Iterator[str]:
        """Everything that the record has gained, in lines."""
        log, asking = self.at.record.log, ""
        for line in log[self._read :]:
            match line:
                case Moved(move, _):
                    yield from told(Step(self.at.record.session, (), (move,)))
                    asking = ""
                case Asked(ask, phase, _):
                    if asking != phase.name:
                        yield f"{phase.name} asks"
                    asking = phase.name
                    keys = [key for key in ask.keys if key[0] in "FPS"]
                    yield f"  {ask.seat} {ask.brief}" + (f" [{', '.join(keys)}]" if keys else "")
                case Said(ask, Absent(reason), _, _, _):
                    yield f"{ask.seat} is absent: {reason.value}"
                case Withdraw(ask_id):
                    yield f"withdrawn {ask_id}"
                case Conclusion():
                    yield from told(Step(self.at.record.session, (Conclude(line),), ()))
                case Ruling(verdict, by, _, _):
                    yield f"{by} rules {verdict.name}"
                case _:
                    pass
        self._read = len(log)

    def _open(self, _: str, settings: dict[str, Any]) -> None:
        self.sitting = Sitting(**settings)

    def _gates(self, argument: str, findings: list[str]) -> None:
        self.at.gates(*findings, unread=argument.split())

    def _review(self, _: str, values: dict[str, Any]) -> None:
        bound, parents = values.pop("bound", True), values.pop("parents", ())
        self.at.review(values, bound=bound, parents=parents)

    def _match(self, _: str, pairs: list[list[str]]) -> None:
        self.at.match(*((kept, gone) for kept, gone in pairs))

    def _assess(self, _: str, values: dict[str, Any]) -> None:
        low, abstain = values.pop("low", ()), values.pop("abstain", ())
        self.at.assess(values, low=low, abstain=abstain)

    def _cover(self, _: str, values: list[str]) -> None:
        self.at.cover(*values)

    def _respond(self, _: str, values: dict[str, Any]) -> None:
        self.at.respond(values.get("all", values))

    def _remediate(self, _: str, values: dict[str, Any]) -> None:
        self.at.remediate(values.get("all", values))

    def _vote(self, _: str, values: dict[str, Any]) -> None:
        self.at.vote(values.get("all", values))

    def _bind(self, _: str, lenses: list[str]) -> None:
        self.at.bind(*lenses)

    def _patch(self, _: str, findings: list[str]) -> None:
        self.at.patch(*findings)

    def _apply(self, _: str, values: dict[str, Any]) -> None:
        self.at.apply(values.get("all", values))

    def _absent(self, seat: str, _: dict[str, Any]) -> None:
        self.at.absent(seat)

    def _interrupt(self, reason: str, _: dict[str, Any]) -> Iterator[str]:
        self.at.interrupt(Reason(reason))
        if (pending := self.at.record.session.pending) is not None:
            yield f"{pending.name} waits for the end of {self.at.phase}"

    def _rule(self, verdict: str, _: dict[str, Any]) -> None:
        self.at.rule(verdict)

    def _show(self, seat: str, _: dict[str, Any]) -> Iterator[str]:
        view = self.at.view(seat)
        yield f"role: {view.role}"
        yield from (section.title for section in view.sections if not section.quotable)

    def _finish(self, _: str, __: dict[str, Any]) -> None:
        self.at.finish()


@cache
def play(file: Path) -> tuple[str, str, Story]:
    """Return the transcript as it stands, as it plays, and the story."""
    text, story = file.read_text(encoding="utf-8"), Story()
    return text, played(text, story.run), story


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_council_goes_as_written(file: Path) -> None:
    expected, found, _ = play(file)
    compare(file, expected, found)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_story_says_first_what_it_is_about_ends_with_a_verdict_and_replays(file: Path) -> None:
    _, _, story = play(file)
    assert file.read_text(encoding="utf-8").startswith("# ")
    record = story.at.record
    assert record.session.conclusion is not None
    events: list[Event] = [
        Replied(line.ask.id, line.reply) if isinstance(line, Said) else Interrupted(line.reason)
        for line in record.log
        if isinstance(line, Said | Stopped)
    ]
    assert repr(replay(record.protocol, events).session) == repr(record.session)


def test_the_transcripts_take_every_row_of_the_table_and_no_other() -> None:
    """C2."""
    taken = {(move.phase, move.outcome) for file in FILES for move in play(file)[2].at.moves}
    rows = {(phase, outcome) for phase, own in TABLE.items() for outcome in own}
    assert {row for row in taken if not isinstance(row[1], Reason)} == rows
    assert {row[1] for row in taken if isinstance(row[1], Reason)} == set(Reason) - {Reason.ESCALATION}
