"""The debate that every engine is given, and what is measured of it; needs nothing but the standard library.

N agents answer the same problem in R rounds, and each is shown all that was said in the rounds before. The model
answers at once. A script for an engine hands `measure` a function that prepares, calls `begin`, runs the debate, calls
`end`, and closes its store. What it is asked for comes as JSON in its first argument; what was measured is printed so.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from time import process_time
from typing import Any


@dataclass
class Debate:
    """One debate: its size, its texts, a folder for what is kept of it, and the CPU times noted so far."""

    agents: int
    rounds: int
    problem: str
    text: str
    folder: Path
    calls: int = 0
    began: float = 0.0
    took: float = 0.0
    starts: list[float] = field(default_factory=list)
    """When the first call of each round was made."""

    def begin(self) -> None:
        """Everything is prepared: from here on it is the debate that costs."""
        self.began = process_time()

    def end(self) -> None:
        """The last answer is kept."""
        self.took = process_time() - self.began

    def prompt(self, said: list[str], agent: int) -> str:
        """Return what an agent is shown; `said` are all answers of the rounds before."""
        return "\n\n".join([self.problem, *said, f"You are agent-{agent}."])

    def said(self, agent: int, text: str) -> str:
        """Return an answer as others are shown it."""
        return f"agent-{agent}: {text}"

    async def answer(self, agent: int, prompt: str) -> str:
        """The model, for engines that wait for it."""
        await asyncio.sleep(0)
        return self.answer_now(agent, prompt)

    def answer_now(self, agent: int, prompt: str) -> str:
        """The model, for engines that block."""
        round_, place = divmod(self.calls, self.agents)
        if place == 0:
            self.starts.append(process_time())
        self.calls += 1
        if len(prompt) != self._length(round_, agent):
            raise RuntimeError(f"agent-{agent} is not shown what it has to be in round {round_ + 1}")
        text: str = json.loads(json.dumps({"text": self.text}))["text"]
        return text

    def _length(self, round_: int, agent: int) -> int:
        """How long a prompt is in which nothing is missing and nothing is too much."""
        once = sum(len(self.said(each, self.text)) + 2 for each in range(self.agents))
        return len(self.problem) + round_ * once + 2 + len(f"You are agent-{agent}.")

    def figures(self) -> dict[str, Any]:
        """Return what was measured; a debate that is not whole raises."""
        wanted = self.agents * self.rounds
        if self.calls != wanted or not self.took:
            raise RuntimeError(f"{self.calls} calls were made of {wanted}: what was measured is no whole debate")
        stamps = [*self.starts, self.began + self.took]
        return {
            "cpu": self.took,
            "round_costs": [after - before for before, after in pairwise(stamps)],
            "bytes": sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file()),
            "said": wanted * len(self.text.encode()),
        }


Run = Callable[[Debate], Coroutine[Any, Any, None]] | Callable[[Debate], None]


def measure(name: str, packages: tuple[str, ...], durability: str, run: Run, *, per_call: bool = True) -> None:
    """Run every debate that was asked for as often as asked for, and print the cheapest run of each.

    `per_call` says whether each answer is written to disk when it is there, so that a crash repeats no finished call.
    """
    asked = json.loads(sys.argv[1])
    debates = [_cheapest(asked, size, run) for size in asked["debates"]]
    versions = " + ".join(f"{package} {version(package)}" for package in packages)
    told = {"name": name, "versions": versions, "durability": durability, "per_call": per_call, "debates": debates}
    sys.stdout.write(json.dumps(told))


def _cheapest(asked: dict[str, Any], size: dict[str, int], run: Run) -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for _ in range(size["times"]):
        with tempfile.TemporaryDirectory() as folder:
            debate = Debate(size["agents"], size["rounds"], asked["problem"], asked["text"], Path(folder))
            if (running := run(debate)) is not None:
                asyncio.run(running)
            found.append(debate.figures())
    return {**size, **min(found, key=lambda each: each["cpu"])}
