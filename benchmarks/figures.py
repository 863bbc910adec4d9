"""Figures: what a benchmark measured, beside a baseline and a goal, as a table for people and JSON for programs."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Goal:
    """What a figure has to be: at most, or at least, so much; of itself, or as a multiple of its baseline."""

    most: float | None = None
    least: float | None = None
    times_raw: bool = False

    def __str__(self) -> str:
        bound = f"<= {self.most:g}" if self.most is not None else f">= {self.least:,g}"
        return f"{bound} x raw" if self.times_raw else bound


WINDOW = 5
"""Rounds whose median stands for an early and for a late one."""
TWICE_RAW = Goal(most=2.0, times_raw=True)


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what was measured, and how that compares."""

    group: str
    name: str
    value: float | None
    """None where it was not to be had; `note` says why."""
    unit: str
    raw: float | None = None
    """The same by asyncio and an append-only log in SQLite alone, in the same run."""
    goal: Goal | None = None
    note: str = ""

    @property
    def times_raw(self) -> float | None:
        return self.value / self.raw if self.value is not None and self.raw else None

    @property
    def missed(self) -> bool:
        """Whether it has a goal and does not reach it."""
        if self.goal is None:
            return False
        value = self.times_raw if self.goal.times_raw else self.value
        if value is None:
            return True
        within = self.goal.most is None or value <= self.goal.most
        return not (within and (self.goal.least is None or value >= self.goal.least))

    def as_data(self) -> dict[str, Any]:
        told = asdict(self)
        return {**told, "goal": str(self.goal) if self.goal else None, "times_raw": self.times_raw, "met": self._met}

    @property
    def _met(self) -> bool | None:
        return None if self.goal is None else not self.missed

    def cells(self) -> tuple[str, ...]:
        value = "-" if self.value is None else f"{number(self.value)} {self.unit}".rstrip()
        raw = "" if self.raw is None else number(self.raw)
        times = "" if self.times_raw is None else f"{self.times_raw:.2f}"
        said = "" if self.goal is None else f"{self.goal}{' MISSED' if self.missed else ' met'}"
        return self.name, value, raw, times, said, self.note


def number(value: float) -> str:
    """Return three digits that mean something, and all those before the point."""
    size = abs(value)
    return f"{value:,.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


HEAD = ("", "Quorate", "raw", "x raw", "goal", "")


def table(figures: Sequence[Figure]) -> str:
    """Return all figures under the names of their groups, in columns."""
    rows = [each.cells() for each in figures]
    widths = [max(len(row[place]) for row in (*rows, HEAD)) for place in range(len(HEAD) - 1)]
    lines = [_line(HEAD, widths)]
    group = ""
    for figure, row in zip(figures, rows, strict=True):
        if figure.group != group:
            group = figure.group
            lines += ["", group]
        lines.append(_line(row, widths))
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = row
    aligned = [f"{cell:>{width}}" for cell, width in zip(middle[:-1], widths[1:-1], strict=True)]
    return "  ".join([f"  {first:<{widths[0]}}", *aligned, f"{middle[-1]:<{widths[-1]}}", last]).rstrip()


def machine() -> dict[str, Any]:
    """Say where and when the figures were measured."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }


def write_json(path: Path, figures: Iterable[Figure], **more: Any) -> None:
    data = {"machine": machine(), **more, "figures": [each.as_data() for each in figures]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def best(times: int, *measured: Callable[[], float]) -> tuple[float, ...]:
    """Return the least of so many measurements of each; they take turns, so that a busy machine disturbs all alike."""
    found = [[work() for work in measured] for _ in range(times)]
    return tuple(min(column) for column in zip(*found, strict=True))


def late_to_early(costs: Sequence[float]) -> float:
    """Return what the last rounds cost against the first ones, by the medians of `WINDOW` rounds.

    The first round of all is left out where there are enough: it pays for what is worked out once.
    """
    early = costs[1 : 1 + WINDOW] if len(costs) > 2 * WINDOW else costs[:1]
    return median(costs[-len(early) :]) / median(early)


def fresh(work: Callable[..., T], *given: Any) -> T:
    """Run a function of a module in a new process, in which nothing else has left its memory or its caches."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as process:
        return process.submit(work, *given).result()
