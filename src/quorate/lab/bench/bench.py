"""Runs every method on every task, protocols first, each cell once, within the budget of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from quorate.core.record import Record, Said, Stopped
from quorate.core.types import Absent, AbsentReason, Reason
from quorate.kit.settings import read_settings
from quorate.lab.bench import baseline
from quorate.lab.bench.baseline import MOST_SAMPLES, BaselineSettings, Way, answers_in, concluded
from quorate.lab.bench.cells import Cell, Cells
from quorate.lab.bench.conclusions import answer_from, inputs_for, shown_alone, shown_to_reader
from quorate.lab.bench.methods import Method
from quorate.lab.bench.tables import Tables
from quorate.lab.bench.task import Answer, Task, grade
from quorate.runtime.budget import Budget

USUAL_SAMPLES = 5
"""Answers of `sc` where no protocol ran whose tokens it could be given."""
UNREACHED = (AbsentReason.FAILED, AbsentReason.TIMED_OUT)
Progress = Callable[[int, int, str], None]
"""progress(cells finished, cells in all, what is done now)."""


class OverBudget(Exception):
    """The token budget of the run is spent; unfinished cells are not counted."""


@dataclass
class Bench:
    """A run: its tables, its cells and its limits."""

    tables: Tables
    cells: Cells[Any]
    folder: Path
    seed: int
    tokens: int | None = None
    """The most tokens of all cells together; with a limit, cells run one after the other, so that it is kept."""
    at_once: int = 4
    _cut_short: dict[tuple[str, str], int] = field(default_factory=dict)
    """Tokens of cells that an earlier run has begun and this one has not gone on with yet."""

    async def run(self, tasks: Sequence[Task], methods: Sequence[Method], progress: Progress) -> bool:
        """Run all unfinished cells; False if the budget ran out."""
        wanted = {(task.id, method.name) for task in tasks for method in methods if method.fits(task)}
        before = wanted & self.cells.done.keys()
        finished = len(before)
        waiting = iter(tasks)
        if self.tokens is not None:
            self._cut_short = {of: await self._cost(sessions) for of, sessions in self.cells.begun.items()}

        async def work() -> None:
            nonlocal finished
            for task in waiting:  # whoever is free takes the next one
                for method in methods:
                    if method.fits(task) and not self._is_finished(task, method):
                        progress(finished, len(wanted), f"{task.id} {method.name}")
                        self._cut_short.pop((task.id, method.name), None)
                        await self._cell(task, method)
                        finished += (task.id, method.name) not in before

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(1 if self.tokens is not None else self.at_once):
                    group.create_task(work())
        except BaseExceptionGroup as failed:
            others = [error for error in failed.exceptions if not isinstance(error, OverBudget)]
            if others:
                raise others[0] from failed
            return False
        progress(len(wanted), len(wanted), "")
        return True

    def _is_finished(self, task: Task, method: Method) -> bool:
        """Whether a cell is done; `sc` is run again if a protocol added since changes its token budget."""
        cell = self.cells.done.get((task.id, method.name))
        if cell is None or method.way is not Way.SC:
            return cell is not None
        return bool(cell.matched == self._samples(task, method.way)[1])

    async def _cell(self, task: Task, method: Method) -> None:
        way, protocol = method.way, method.protocol(task)
        if way is not None:
            samples, matched = self._samples(task, way)
            settings = BaselineSettings(way, samples, task.asked, task.keys)
            record = await self._plainly(task, method.name, settings, shown_alone(task), 0)
            self._finish(task, method.name, [record], concluded(record), way, samples, matched)
            return
        assert protocol is not None
        record = await self._deliberated(task, method.name, protocol)
        answer, text = answer_from(record, task)
        records = [record]
        if answer is None and text is not None:
            settings = BaselineSettings(Way.READ, 1, task.asked, task.keys)
            material = {**shown_to_reader(task), "conclusion": text}
            records.append(await self._plainly(task, method.name, settings, material, 1, tokens_of([record])))
            answer = answer_from(records[-1], task, text)[0]
        self._finish(task, method.name, records, answer)

    async def _deliberated(self, task: Task, method: str, protocol: str) -> Record:
        """Run or resume the session of a protocol."""
        opened = self.cells.begun.get((task.id, method), [])
        if opened:
            session = opened[0]
        else:
            self._left(0)
            inputs = inputs_for(protocol, task, self.folder / "work")
            session = await self.tables.open_protocol(protocol, inputs, self._seed(task, method), method, task)
            self.cells.begin(task.id, method, session)
        return await self._driven(session, task, method)

    async def _plainly(
        self, task: Task, method: str, settings: BaselineSettings, material: dict[str, str], place: int, before: int = 0
    ) -> Record:
        """Run or resume baseline session number `place` of the cell.

        `before` is the cost of the earlier ones.
        """
        session = await self._begun(task, method, settings, place)
        if session is None:
            self._left(before)
            title = f"{task.id}, {method}"
            seed = self._seed(task, method, place)
            session = await self.tables.open_plain(settings, material, title, seed, method)
            self.cells.begin(task.id, method, session)
        return await self._driven(session, task, method, before)

    async def _begun(self, task: Task, method: str, settings: BaselineSettings, place: int) -> str | None:
        """Return an interrupted session to resume, unless its settings have changed, as the samples of `sc` may."""
        opened = self.cells.begun.get((task.id, method), [])
        if len(opened) <= place:
            return None
        record = await self.tables.read(opened[place])
        if read_settings(BaselineSettings, record.opening.settings) == settings:
            return opened[place]
        self.cells.drop(task.id, method, await self._cost(opened))
        return None

    async def _driven(self, session: str, task: Task, method: str, before: int = 0) -> Record:
        left = self._left(before)
        record = await self.tables.drive(session, task, method, left)
        if left is not None and ended_by(record, left):
            self.cells.drop(task.id, method, before + tokens_of([record]))
            raise OverBudget
        return record

    def _left(self, before: int) -> int | None:
        """Return the tokens left for a session, after the others of its cell; OverBudget if there are none."""
        if self.tokens is None:
            return None
        left = self.tokens - self.cells.spent - sum(self._cut_short.values()) - before
        if left < 1:
            raise OverBudget
        return left

    async def _cost(self, sessions: Sequence[str]) -> int:
        return tokens_of([await self.tables.read(session) for session in sessions])

    def _samples(self, task: Task, way: Way) -> tuple[int, int | None]:
        """Return how many answers `sc` takes: what the tokens of the dearest protocol buy at the price of one `cot`."""
        if way is not Way.SC:
            return 1, None
        mine = [cell for cell in self.cells.of(task.id) if not cell.failed]
        dearest = max((cell.tokens for cell in mine if cell.protocol != baseline.NAME), default=0)
        one = next((cell.tokens for cell in mine if cell.method == Way.COT.value), 0)
        if not dearest or not one:
            return USUAL_SAMPLES, None
        return max(1, min(MOST_SAMPLES, dearest // one)), dearest

    def _seed(self, task: Task, method: str, _: int = 0) -> int:
        """Return the seed of a session of a cell; the reader of a conclusion has that of the session it reads."""
        return int.from_bytes(sha256(f"{self.seed}\0{task.id}\0{method}".encode()).digest()[:4]) // 2

    def _finish(
        self,
        task: Task,
        method: str,
        records: list[Record],
        answer: Answer | None,
        way: Way | None = None,
        samples: int = 1,
        matched: int | None = None,
    ) -> None:
        tokens_in, tokens_out, cost = cost_of(records)
        said = [line for record in records for line in record.log if isinstance(line, Said)]
        silent = [(line.reply, line.envelope.detail) for line in said if isinstance(line.reply, Absent)]
        failed = answer is None and bool(silent) and all(reply.reason in UNREACHED for reply, _ in silent)
        conclusion = records[0].session.conclusion
        first = answers_in(records[0])[0] if way is Way.REASK else ()
        self.cells.finish(
            Cell(
                task=task.id,
                kind=task.kind,
                method=method,
                answer=answer,
                grade=grade(task, answer),
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                cost=cost,
                asks=len(said),
                absent=len(silent),
                sessions=tuple(record.opening.session for record in records),
                verdict="waits for a person" if conclusion is None else conclusion.verdict.name,
                protocol=records[0].opening.protocol,
                first_right=grade(task, first[0]).right if first else None,
                samples=samples,
                matched=matched,
                failed=failed,
                detail=silent[0][1] if failed else "",
            )
        )


def cost_of(records: Sequence[Record]) -> tuple[int, int, int | None]:
    """Return tokens in, tokens out and cost in millionths of a dollar; the cost is None if a price is unknown."""
    envelopes = [envelope for record in records for envelope in record.envelopes]
    money = [envelope.cost for envelope in envelopes]
    cost = None if None in money else sum(each or 0 for each in money)
    return sum(each.tokens_in for each in envelopes), sum(each.tokens_out for each in envelopes), cost


def tokens_of(records: Sequence[Record]) -> int:
    """Return the tokens of all replies, in and out."""
    return sum(cost_of(records)[:2])


def ended_by(record: Record, left: int) -> bool:
    """Whether the run's remaining tokens ended a session, rather than the session's own budget."""
    if record.session.interrupted is not Reason.BUDGET:
        return False
    own = Budget(**record.opening.run["budget"]).tokens
    why = next(
        line.envelope.detail for line in record.log if isinstance(line, Stopped) and line.reason is Reason.BUDGET
    )
    return why.startswith("tokens") and (own is None or left < own)
