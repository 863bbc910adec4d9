"""Reviews as readable transcripts: what comes in, `----`, and everything that goes out.

A transcript is a list of blocks. The first line of a block is a command, the lines up to `----` are its input in
YAML, and the lines up to the next blank one are the whole output. `QUORATE_REWRITE=1 pytest` writes the output anew;
read the diff before you keep it.

    open             settings of a review; it begins
    table            what the checks find (`found: [SEVERITY CLASS, ...]`, `claims`, ...); the chair tables the change
    large            what the checks find in a change that is read in two parts; nobody has read them yet
    ballot           seat: `STANCE CLASS CONFIDENCE`, `absent REASON`, or a mapping with `stance` and `items`
                     (`FILE RULE SEVERITY`); `everybody:` stands for all who are not named
    judge            seat: the judgement of each claim
    reply            seat: values of its form, or `absent REASON`; `everybody:` stands for all who are still asked
    interrupt WHY    cancelled, budget, stall or wish
    show SEAT        what this seat is shown, the change itself left out
    replay           the journal so far, folded again
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate.core.engine import replay
from quorate.core.errors import RuleViolation
from quorate.core.types import Absent, AbsentReason, Interrupted, Reason
from quorate.protocols.review.rules.protocol import TABLE
from tests.support.committee import Committee, ballot, doubt, examination, fix, large, offer
from tests.support.transcripts import Block, compare, played, told

FOLDER = Path(__file__).parent / "transcripts"
FILES = sorted(FOLDER.glob("*.txt"))
OFFERS = {"complete": offer(), "without an owner": offer(debt_owner=" ")}


class Story:
    """Runs the commands of one transcript, and remembers every row taken."""

    def __init__(self) -> None:
        self.committee: Committee | None = None
        self.rows: set[tuple[Any, Any]] = set()

    def run(self, block: Block) -> list[str]:
        command, _, argument = block.command.partition(" ")
        values = YAML(typ="safe").load("\n".join(block.input)) or {}
        lines = list(getattr(self, f"_{command}")(argument, values))
        self.rows |= set(self._at.rows)
        return lines

    @property
    def _at(self) -> Committee:
        assert self.committee is not None, "a transcript begins with `open`"
        return self.committee

    def _open(self, _: str, settings: dict[str, Any]) -> Iterator[str]:
        self.committee = Committee(*settings.pop("members"), **settings)
        yield from told(replay(self._at.protocol, []))

    def _table(self, _: str, values: dict[str, Any]) -> Iterator[str]:
        found = values.pop("found", [])
        yield from told(self._at.reply(self._at.ask("checks"), examination(*found, **values)))
        if any(ask.seat == "chair" for ask in self._at.open):  # a proof is tabled by code (R14)
            yield from told(self._at.reply(self._at.ask("chair")))

    def _large(self, _: str, values: dict[str, Any]) -> Iterator[str]:
        found = values.pop("found", [])
        yield from told(self._at.reply(self._at.ask("checks"), large(found=found, **values)))

    def _ballot(self, _: str, ballots: dict[str, Any]) -> Iterator[str]:
        yield from self._each("ballot", ballots, ballot)

    def _judge(self, _: str, judgements: dict[str, Any]) -> Iterator[str]:
        def judged(values: Mapping[str, str]) -> dict[str, Any]:
            return {"claims": {key: {"judgement": judgement} for key, judgement in values.items()}}

        yield from self._each("judge", judgements, judged)

    def _reply(self, _: str, replies: dict[str, Any]) -> Iterator[str]:
        yield from self._each("", replies, _expanded)

    def _each(self, brief: str, said: dict[str, Any], made: Any) -> Iterator[str]:
        """Let those who are named reply to the brief, then `everybody` else who is still asked it."""
        waiting = {str(ask.seat): ask for ask in self._at.open if brief in ("", ask.brief)}
        spoken = {seat: values for seat, values in said.items() if seat != "everybody"}
        if "everybody" in said:
            spoken |= {seat: said["everybody"] for seat in waiting if seat not in spoken}
        for seat, values in spoken.items():
            absent = isinstance(values, str) and values.startswith("absent ")
            reply = Absent(AbsentReason(values.removeprefix("absent "))) if absent else made(values or {})
            try:
                step = self._at.reply(waiting[seat], reply)
            except RuleViolation as refused:
                yield f"refused: {refused}"
            else:
                yield from told(step)
        if still := [f"{ask.seat} {ask.brief}" for ask in self._at.open if ask in waiting.values()]:
            yield "waiting for " + ", ".join(still)

    def _interrupt(self, reason: str, _: dict[str, Any]) -> Iterator[str]:
        yield from told(self._at.take(Interrupted(Reason(reason))))
        if (pending := self._at.record.session.pending) is not None:
            yield f"{pending.name} waits for the end of {self._at.phase.name}"

    def _show(self, seat: str, _: dict[str, Any]) -> Iterator[str]:
        view = self._at.view(seat)
        yield f"role: {view.role}"
        for section in view.sections:
            if not section.quotable or section.title.startswith("Item I"):
                yield f"{section.title}: {' / '.join(line for line in section.text.splitlines() if line)}"

    def _replay(self, _: str, __: dict[str, Any]) -> Iterator[str]:
        again = self._at.again()
        same = repr(again.session) == repr(self._at.record.session)
        yield f"{len(self._at.events)} events, {'the same' if same else 'ANOTHER'} session"


def _expanded(values: dict[str, Any]) -> dict[str, Any]:
    """Write out offers and doubts that were made short: `offers: {V1: complete}`, `doubts: {I1: refuted}`."""
    made = dict(values)
    if "offers" in made:
        made["offers"] = {key: OFFERS[each] for key, each in made["offers"].items()}
    if "doubts" in made:
        made["doubts"] = {
            key: doubt(each.removesuffix(" without a quotation"), "" if each.endswith("quotation") else "total * rate")
            for key, each in made["doubts"].items()
        }
    if "items" in made:
        made["items"] = [fix(each) if isinstance(each, str) else each for each in made["items"]]
    if "found" in made:
        made = examination(*made.pop("found"), **made)
    return made


@cache
def play(file: Path) -> tuple[str, str, Story]:
    """Return the transcript as it stands, as it plays, and the story."""
    text, story = file.read_text(), Story()
    return text, played(text, story.run), story


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_review_goes_as_written(file: Path) -> None:
    expected, found, _ = play(file)
    compare(file, expected, found)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_story_says_first_what_it_is_about_ends_with_a_verdict_and_replays(file: Path) -> None:
    _, _, story = play(file)
    assert file.read_text().startswith("# ")
    assert story.committee is not None
    assert story.committee.conclusion is not None
    assert repr(story.committee.again().session) == repr(story.committee.record.session)


def test_the_transcripts_take_every_row_of_the_table_and_no_other() -> None:
    """R2."""
    taken = set().union(*(play(file)[2].rows for file in FILES))
    assert taken == {(phase, outcome) for phase, rows in TABLE.items() for outcome in rows}


def test_the_transcripts_show_every_row_of_the_seeds_three_tables_and_its_examples() -> None:
    """Nine transitions, three quorum rules, four verdicts, three worked examples (seed 000)."""
    kinds = [file.stem.partition("-")[0] for file in FILES]
    assert {kind: kinds.count(kind) for kind in ("row", "quorum", "verdict", "example")} == {
        "row": 9,
        "quorum": 3,
        "verdict": 4,
        "example": 3,
    }
