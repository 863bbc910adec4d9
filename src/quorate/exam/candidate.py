"""How a model sits the exam: questions are drawn until each paper is decided or the limit is reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic

from quorate.exam.form_tasks import MOST_TOKENS, RATES, FormTask, form_tasks
from quorate.exam.paper import Paper, Twins, drawn
from quorate.exam.scores import Competence, FormRate, PairAnswer, PaperScore, competence, count_right, is_look, score
from quorate.participants.token_odds import Asking, Odds, Respondent, askings, measure

MOST_FORM_TASKS = 12
"""Three of each kind."""
ENOUGH = 12
"""Pairs of each paper that there should be time for: as many wordings are added up as leave it."""
FORM_SHARE = 5
"""At most one part in so many of the time goes to form tasks."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """When to stop drawing, and how a text is asked about."""

    seconds: float | None
    calls: int | None
    full: bool
    """Every text is asked about in both orders of one wording or more; otherwise in one order of one wording."""
    samples: int = 1
    """Short answers that stand for one asking where there are no probabilities."""


LOCAL = Allowance(seconds=120, calls=None, full=True)
REMOTE = Allowance(seconds=None, calls=60, full=False)


class Halt(Enum):
    """Why no more questions were drawn for a paper."""

    DECIDED = "the interval left chance"
    TIME = "the time was used up"
    CALLS = "the calls were used up"
    ITEMS = "all items were drawn"


@dataclass(frozen=True, slots=True)
class ExamOutcome:
    """What came of an exam."""

    scores: tuple[PaperScore, ...]
    halts: tuple[Halt, ...]
    """By score: why it ended."""
    unasked: tuple[str, ...]
    """Protocols for which no pair could be asked within the limit."""
    rates: tuple[FormRate, ...]
    measured: bool
    """Whether answers were read from probabilities; otherwise from what the model said."""
    calls: int
    seconds: float


def ways(paper: Paper, pair: int, wordings: int) -> tuple[Asking, ...]:
    """Return how both twins of a pair are asked about: the same, so that a liking for a word or a place cancels out.

    That is so many wordings in both orders of their options; the next pair has the next ones. Small models need both
    orders: with "yes or no" turned round the difference between two twins often turns round as well. With 0 it is one
    wording in one order.
    """
    if wordings == 0:
        every = askings(paper.wordings)
        return (every[pair % len(every)],)
    places = (pair * wordings + place for place in range(wordings))
    return askings([paper.wordings[place % len(paper.wordings)] for place in places])


@dataclass
class Examination:
    """One model's exam, under way."""

    who: Respondent
    papers: Sequence[Paper]
    seed: int
    limits: Allowance
    clock: Callable[[], float] = monotonic
    tell: Callable[[str], None] = lambda _: None
    measured: bool = True
    calls: int = 0
    answers: dict[str, list[PairAnswer]] = field(default_factory=dict)
    halts: dict[str, Halt] = field(default_factory=dict)
    _askings: int = 0
    _spent: float = 0.0
    """Seconds of all askings of pairs."""

    async def run(self) -> ExamOutcome:
        """Ask until every paper is decided or a limit is reached. Raises NoAnswerError where it cannot be asked."""
        begun = self.clock()
        rates = await self._form(begun)
        todo = {paper.protocol: drawn(paper.items, self.seed) for paper in self.papers}
        self.answers = {name: [] for name in todo}
        while len(self.halts) < len(self.papers):
            for paper in self.papers:
                if paper.protocol not in self.halts:
                    await self._turn(paper, todo[paper.protocol], begun)
        asked = [paper.protocol for paper in self.papers if self.answers[paper.protocol]]
        return ExamOutcome(
            scores=tuple(score(name, self.answers[name], self.seed) for name in asked),
            halts=tuple(self.halts[name] for name in asked),
            unasked=tuple(name for name in todo if name not in asked),
            rates=rates,
            measured=self.measured,
            calls=self.calls,
            seconds=self.clock() - begun,
        )

    async def _turn(self, paper: Paper, todo: list[Twins], begun: float) -> None:
        """Ask about the next pair of a paper, or note why no more is asked."""
        answers, wordings = self.answers[paper.protocol], self._wordings(paper, begun)
        if stop := self._stop(paper, len(todo) - len(answers), wordings, begun):
            self.halts[paper.protocol] = stop
            return
        number = len(answers)
        answers.append(await self._pair(paper, todo[number], ways(paper, number, wordings)))
        right = count_right(answers, self.seed)
        self.tell(f"{paper.protocol}: {right} of {len(answers)} pairs right")
        if is_look(len(answers)) and competence(right, len(answers)) is not Competence.UNDECIDED:
            self.halts[paper.protocol] = Halt.DECIDED

    def _wordings(self, paper: Paper, begun: float) -> int:
        """Return how many wordings to add up: as many as leave time for enough pairs of every paper, and one at least.

        How long an asking takes is known only after the first pair, which is asked about in one wording.
        """
        if not self.limits.full:
            return 0
        most = len(paper.wordings)
        if self.limits.seconds is None:
            return most
        if not self._askings:
            return 1
        open_papers = [each.protocol for each in self.papers if each.protocol not in self.halts]
        pairs = sum(max(1, ENOUGH - len(self.answers[name])) for name in open_papers)
        left, each = self.limits.seconds - (self.clock() - begun), self._spent / self._askings
        return next((count for count in (most, most // 2) if pairs * 4 * count * each <= left), 1)

    def _stop(self, paper: Paper, left: int, wordings: int, begun: float) -> Halt | None:
        """Return why no further pair is asked, or None. A pair is begun only where there is time and calls for it."""
        needed = 2 * len(ways(paper, 0, wordings))
        each = self._spent / self._askings if self._askings else 0.0
        if left == 0:
            return Halt.ITEMS
        if self.limits.seconds is not None and self.clock() - begun + needed * each > self.limits.seconds:
            return Halt.TIME
        if self.limits.calls is not None and self.calls + needed * self.limits.samples > self.limits.calls:
            return Halt.CALLS
        return None

    async def _pair(self, paper: Paper, twins: Twins, how: tuple[Asking, ...]) -> PairAnswer:
        started = self.clock()
        good = await self._measure(paper.put(twins, good=True), how)
        bad = await self._measure(paper.put(twins, good=False), how)
        self._spent += self.clock() - started
        self._askings += 2 * len(how)
        return PairAnswer(twins.id, good.shares[0], bad.shares[0], (good.seen + bad.seen) // 2, len(how))

    async def _measure(self, matter: str, how: tuple[Asking, ...]) -> Odds:
        found = await measure(self.who, matter, how, samples=self.limits.samples)
        self.calls += found.calls
        self.measured = self.measured and found.measured
        return found

    async def _form(self, begun: float) -> tuple[FormRate, ...]:
        """Put the form tasks, as many as there is a share of the time or of the calls for."""
        seconds, calls = self.limits.seconds, self.limits.calls
        most = MOST_FORM_TASKS if calls is None else min(MOST_FORM_TASKS, calls // FORM_SHARE)
        done: list[tuple[FormTask, bool]] = []
        for task in form_tasks(self.seed)[:most]:
            if seconds is not None and self.clock() - begun > seconds / FORM_SHARE:
                break
            heard = await self.who.hear(task.prompt, MOST_TOKENS, odds=False)
            self.calls += heard.calls
            done.append((task, task.passes(heard.text)))
            self.tell(f"form: {len(done)} of {most} tasks")
        kinds = {name: [passed for task, passed in done if task.rate == name] for name in RATES}
        return tuple(FormRate(name, sum(passed), len(passed)) for name, passed in kinds.items())
