"""Explanations: how a verdict follows, move by move, from the recorded tests of every decision.

Nothing is decided here a second time. A decision says which tests it made, in order; the first that held was decisive,
the ones before it are the rows not taken, and the ones after it were not reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quorate.core.decisions import Fact, Test, otherwise
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Line, Moved, Record, Ruling, Said, Stopped
from quorate.core.session import Cause, Conclusion, Move, Withdraw
from quorate.core.types import Absent
from quorate.evidence.normalisation import normalised_text
from quorate.kit.fates import UNFIT, Fate, answered_for, answers_text
from quorate.kit.visible_text import visible
from quorate.worth.answerers import answered_text
from quorate.worth.tolerance import Tolerance
from quorate.worth.worth import Worth

LAST_RESORT = otherwise("", Cause.DECIDED).claim
"""The claim of the test that holds where no other does."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The status of one ask of the phase: `replied`, a reason of absence, `withdrawn`, or `open`."""

    ask: str
    seat: str
    answer: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """One test of a decision, and whether it was reached: tests after the first that held decide nothing."""

    rule: str
    claim: str
    outcome: str
    held: bool
    reached: bool

    @property
    def words(self) -> str:
        return "nothing else applied" if self.claim == LAST_RESORT else self.claim

    def __str__(self) -> str:
        return f"{self.rule} ({self.words})"


@dataclass(frozen=True, slots=True)
class NotTaken:
    """A row of the phase that was not taken, and why."""

    outcome: str
    to: str
    why: str


@dataclass(frozen=True, slots=True)
class ExplainedMove:
    """One move: the phase, what it heard, the tests it made, the row it took, the rows it did not, and its facts."""

    entry: int
    """Which phase of the session this is, counted from 0; its asks are `<entry>.0`, `<entry>.1`, ..."""
    round: int
    phase: str
    heard: tuple[Heard, ...]
    tests: tuple[Weighed, ...]
    cause: Cause
    outcome: str
    to: str
    others: tuple[NotTaken, ...]
    facts: tuple[Fact, ...]
    detail: str = ""
    """Why it was interrupted, in the words of whoever did."""

    @property
    def decisive(self) -> Weighed | None:
        """The test that decided; None for an interruption."""
        return next((test for test in self.tests if test.reached and test.held), None)

    @property
    def claim(self) -> str:
        """What decided, with its values: the test that held, else the tests that did not, or the interruption."""
        if self.cause is Cause.INTERRUPTED:
            return f"interrupted: {self.outcome}" + (f" ({self.detail})" if self.detail else "")
        if self.decisive is None:
            return "no test was needed"
        failed = [test.claim for test in self.tests if test.reached and not test.held]
        if self.decisive.claim == LAST_RESORT and failed:
            return f"none held: {'; '.join(failed)}"
        return self.decisive.words

    @property
    def because(self) -> str:
        """The rule that decided, and its claim."""
        return f"{self.decisive.rule} ({self.claim})" if self.decisive else self.claim

    def absent(self) -> tuple[Heard, ...]:
        return tuple(each for each in self.heard if each.answer not in ("replied", "withdrawn", "open"))

    def present(self) -> tuple[Heard, ...]:
        return tuple(each for each in self.heard if each.answer == "replied")


class Explainer:
    """Explains moves incrementally, so that a long session is read only once."""

    def __init__(self, protocol: Protocol[Any]) -> None:
        self._protocol = protocol
        self._asked: dict[int, list[Asked]] = {}
        self._answers: dict[str, str] = {}
        self._details: dict[str, str] = {}

    def take(self, lines: Iterable[Line]) -> list[ExplainedMove]:
        """Explain the moves in the next lines of a record; pass all lines of one event together."""
        moved: list[Moved] = []
        for line in lines:
            match line:
                case Asked(ask, _, _):
                    self._asked.setdefault(ask.id.entry, []).append(line)
                case Said(ask, reply, _, _, _):
                    self._answers[ask.id] = reply.reason.value if isinstance(reply, Absent) else "replied"
                case Withdraw(ask_id):
                    self._answers[ask_id] = "withdrawn"
                case Stopped(reason, envelope):
                    self._details[reason.value] = envelope.detail
                case Moved():
                    moved.append(line)
                case Conclusion() | Ruling():
                    continue
        return [_explain(self._protocol, line, self._heard(line.move.entry), self._details) for line in moved]

    def _heard(self, entry: int) -> tuple[Heard, ...]:
        asks = (asked.ask for asked in self._asked.get(entry, ()))
        return tuple(Heard(ask.id, str(ask.seat), self._answers.get(ask.id, "open")) for ask in asks)


def explain(record: Record) -> list[ExplainedMove]:
    """Explain every move of a session, in order."""
    return Explainer(record.protocol).take(record.log)


def _explain(protocol: Protocol[Any], moved: Moved, heard: tuple[Heard, ...], details: dict[str, str]) -> ExplainedMove:
    move = moved.move
    interrupted = move.cause is Cause.INTERRUPTED
    return ExplainedMove(
        entry=move.entry,
        round=moved.round,
        phase=move.phase.name,
        heard=heard,
        tests=tuple(weigh(move.because)),
        cause=move.cause,
        outcome=move.outcome.value if interrupted else move.outcome.name,
        to=move.to.name,
        others=tuple(_not_taken(protocol, move)),
        facts=move.facts,
        detail=details.get(move.outcome.value, "") if interrupted else "",
    )


def weigh(tests: Iterable[Test]) -> Iterator[Weighed]:
    """Return each test of a decision, in order, with whether it was reached."""
    reached = True
    for test in tests:
        yield Weighed(test.rule, test.claim, test.outcome.name, test.held, reached)
        reached = reached and not test.held


def _not_taken(protocol: Protocol[Any], move: Move) -> Iterator[NotTaken]:
    tests = tuple(weigh(move.because))
    decisive = next((test for test in tests if test.reached and test.held), None)
    for outcome, to in protocol.table.get(move.phase, {}).items():
        if move.cause is not Cause.INTERRUPTED and outcome is move.outcome:
            continue
        yield NotTaken(outcome.name, to.name, _why_not(outcome.name, move, tests, decisive))


def _why_not(outcome: str, move: Move, tests: tuple[Weighed, ...], decisive: Weighed | None) -> str:
    if move.cause is Cause.INTERRUPTED:
        return f"the session was interrupted ({move.outcome.value}) before this phase decided"
    own = [test for test in tests if test.outcome == outcome]
    if failed := [str(test) for test in own if test.reached]:
        return " and ".join(failed) + " did not hold"
    if decisive is None:
        return "no test leads there"
    if own:
        return f"not reached, because {decisive} held before"
    return f"not tested, because {decisive} held"


# As text


def explain_text(
    record: Record,
    worth: Worth | None = None,
    tolerance: Tolerance | None = None,
    fates: tuple[Fate, ...] = (),
) -> str:
    """Return the whole derivation as plain text for a terminal, with worth, tolerance and fates where given."""
    parts = ["\n".join(_paragraph(number, move)) for number, move in enumerate(explain(record), start=1)]
    sentences = "\n".join(tolerance.sentences) if tolerance else ""
    bought = "\n".join(worth.short) if worth else ""
    ends = [
        normalised_text(record),
        answered_text(record),
        sentences,
        measured_text(record),
        fates_text(fates),
        bought,
        conclusion_text(record),
        *(ruling_text(each, answered_for(fates)) for each in record.rulings),
    ]
    return visible("\n\n".join(filter(None, [*parts, *ends]))) + "\n"


def conclusion_text(record: Record) -> str:
    """Return a sentence that says how the session ended, or that it has not."""
    conclusion = record.session.conclusion
    if conclusion is None:
        waiting = ", ".join(f"{ask.seat} ({ask.id})" for ask in record.session.open)
        return f"The session stands in {record.session.phase.name} and waits for {waiting}."
    words = f"{conclusion.phase.name} concludes with the verdict {conclusion.verdict.name}"
    if conclusion.interrupted is not None:
        words += f", interrupted: {conclusion.interrupted.value}"
    return f"{words}. Degradation: {conclusion.degradation.value}."


def measured_text(record: Record) -> str:
    """Return what was measured of whose replies, a line each; empty if nothing was."""
    lines = [f"   {said.ask.seat} ({said.ask.id}): {each}" for said, each in record.measured()]
    return "\n".join(("Read from the probabilities of a model, not from its words:", *lines)) if lines else ""


def fates_text(fates: tuple[Fate, ...]) -> str:
    """Return what became of each thing that was said, a line each; empty if there is nothing to tell."""
    if not fates:
        return ""
    lines = (f"   {each.id} ({each.what}{_by(each)}): {each.became} ({each.rule}){_words(each)}" for each in fates)
    return "\n".join(("What became of what was said:", *lines))


def _by(fate: Fate) -> str:
    return f" of {', '.join(fate.by)}" if fate.by else ""


def _words(fate: Fate) -> str:
    """Return the words of an entry that did not fit a form, which stand nowhere else."""
    return f"\n      it said: {fate.said}" if fate.what == UNFIT and fate.said else ""


def ruling_text(ruling: Ruling, files: Sequence[str] = ()) -> str:
    """Return a sentence that says who ruled what on the conclusion, and why, and which files it answers for."""
    answers = f"\n{answers_text(files)}" if files else ""
    return f"{ruling.by} ruled {ruling.verdict.name}: {ruling.reason}{answers}"


def fact_text(fact: Fact) -> str:
    """Format a fact on one line: `left the table: seat security`."""
    values = ", ".join(f"{name} {value}" for name, value in fact.values)
    return f"{fact.name}: {values}" if values else fact.name


def _paragraph(number: int, move: ExplainedMove) -> Iterator[str]:
    yield f"{number}. {move.phase}" + (f", round {move.round}" if move.round else "")
    yield f"   heard: {heard_text(move)}"
    for test in move.tests:
        held = "not reached" if not test.reached else "held" if test.held else "did not hold"
        yield f"   {test.rule:<4} {test.words}: {held} [{test.outcome}]"
    if move.cause is Cause.INTERRUPTED:
        yield f"   {move.because} -> {move.to}"
    else:
        early = " (settled early)" if move.cause is Cause.SETTLED else ""
        yield f"   taken: {move.outcome} -> {move.to}{early}"
    for row in move.others:
        yield f"   not taken: {row.outcome} -> {row.to}: {row.why}"
    for fact in move.facts:
        yield f"   fact: {fact_text(fact)}"


def heard_text(move: ExplainedMove) -> str:
    """Return who replied, who was absent and why, and whose ask was withdrawn, as text."""
    if not move.heard:
        return "nobody was asked"
    parts = []
    if present := [each.seat for each in move.present()]:
        parts.append(", ".join(present))
    parts += [f"{each.seat} {each.answer}" for each in move.heard if each.answer != "replied"]
    return "; ".join(parts)
