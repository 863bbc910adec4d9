"""Debates as readable transcripts: what comes in, `----`, and everything that goes out.

A transcript is a list of blocks. The first line of a block is a command, the lines up to `----` are its input in
YAML, and the lines up to the next blank one are the whole output. `QUORATE_REWRITE=1 pytest` writes the output anew;
read the diff before you keep it.

    open             settings of a debate; it begins
    reply            seat: values of its form, or `absent REASON`; `everybody:` stands for all who are still asked
    interrupt WHY    cancelled, budget, stall or wish
    show SEAT        what this seat is shown
    replay           the journal so far, folded again
    report TITLE     what stands in the report under this title
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate import catalog
from quorate.core.engine import replay
from quorate.core.errors import RuleViolation
from quorate.core.record import Asked
from quorate.core.session import Step
from quorate.core.types import Absent, AbsentReason, Interrupted, Reason, Replied
from quorate.evidence.report import markdown
from quorate.protocols.debate.rules.protocol import TABLE
from tests.support.debating import Table
from tests.support.filling import fill
from tests.support.transcripts import Block, compare, played, told

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))


class Story:
    """Runs the commands of one transcript, and remembers every row taken."""

    def __init__(self) -> None:
        self.table: Table | None = None
        self.rows: set[tuple[Any, Any]] = set()
        self._known: set[str] = set()

    def run(self, block: Block) -> list[str]:
        command, _, argument = block.command.partition(" ")
        values = YAML(typ="safe").load("\n".join(block.input)) or {}
        lines = list(getattr(self, f"_{command}")(argument, values))
        self.rows |= set(self._at.rows)
        return lines

    @property
    def _at(self) -> Table:
        assert self.table is not None, "a transcript begins with `open`"
        return self.table

    def _open(self, _: str, settings: dict[str, Any]) -> Iterator[str]:
        self.table = Table(**settings)
        opened = replay(self.table.protocol, [])
        yield from self._told(opened)

    def _reply(self, _: str, replies: dict[str, Any]) -> Iterator[str]:
        waiting = [ask.seat for ask in self._at.open]
        spoken = {seat: values for seat, values in replies.items() if seat != "everybody"}
        if "everybody" in replies:
            spoken |= {seat: replies["everybody"] for seat in waiting if seat not in spoken}
        for seat, values in spoken.items():
            yield from self._one_reply(seat, values)
        if self._at.open and {ask.seat for ask in self._at.open} < set(waiting) and self._at.open[0].id in self._known:
            yield "waiting for " + ", ".join(ask.seat for ask in self._at.open)

    def _one_reply(self, seat: str, values: Any) -> Iterator[str]:
        self._known = {ask.id for ask in self._at.open}
        asked = [line.ask for line in self._at.record.log if isinstance(line, Asked) and line.ask.seat == seat]
        absent = isinstance(values, str) and values.startswith("absent ")
        reply = Absent(AbsentReason(values.removeprefix("absent "))) if absent else fill(asked[-1], values)
        try:
            step = self._at.take(Replied(asked[-1].id, reply))
        except RuleViolation as refused:
            yield f"refused: {refused}"
        else:
            yield from self._told(step)

    def _interrupt(self, reason: str, _: dict[str, Any]) -> Iterator[str]:
        before = self._at.record.session
        yield from self._told(self._at.take(Interrupted(Reason(reason))))
        if self._at.record.session is before:
            yield "nothing changes"
        if (pending := self._at.record.session.pending) is not None:
            yield f"{pending.name} waits for the end of {self._at.phase.name}"

    def _show(self, seat: str, _: dict[str, Any]) -> Iterator[str]:
        view = self._at.view(seat)
        if view.role:
            yield f"role: {view.role}"
        for section in view.sections:
            yield f"{section.title}: {' / '.join(line for line in section.text.splitlines() if line)}"

    def _replay(self, _: str, __: dict[str, Any]) -> Iterator[str]:
        again = replay(self._at.protocol, self._at.events)
        same = repr(again.session) == repr(self._at.record.session)
        yield f"{len(self._at.events)} events, {'the same' if same else 'ANOTHER'} session"

    def _report(self, title: str, _: dict[str, Any]) -> Iterator[str]:
        definition = catalog.definition_of(self._at.opening)
        template = (resources.files(definition.package) / "report.md.j2").read_text(encoding="utf-8")
        fates = definition.fates(self._at.record) if definition.fates is not None else ()
        text = markdown(self._at.record, template, "debate-1", "", fates=fates)
        (section,) = [part for part in text.split("\n## ") if part.startswith(f"{title}\n")]
        yield from (line for line in section.splitlines()[1:] if line)

    def _told(self, step: Step[Any]) -> Iterator[str]:
        yield from told(step)
        if step.session.conclusion is not None:
            yield f"  confidence {step.session.state.confidence}"


@cache
def play(file: Path) -> tuple[str, str, Story]:
    """Return the transcript as it stands, as it plays, and the story."""
    text, story = file.read_text(), Story()
    return text, played(text, story.run), story


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_debate_goes_as_written(file: Path) -> None:
    expected, found, _ = play(file)
    compare(file, expected, found)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_story_says_first_what_it_is_about_and_ends_with_a_verdict(file: Path) -> None:
    _, _, story = play(file)
    assert file.read_text().startswith("# ")
    assert story.table is not None
    assert story.table.conclusion is not None


def test_the_transcripts_take_every_row_of_the_table_and_no_other() -> None:
    """D2."""
    taken = set().union(*(play(file)[2].rows for file in FILES))
    assert taken == {(phase, outcome) for phase, rows in TABLE.items() for outcome in rows}
