"""The quality of reviews: `quorate bench review` for every model named, and docs/results.md from what came out.

    python benchmarks/quality.py local:smollm2 openai:gpt-5 --items 24

Each model has a folder of its own under --out. What is finished is never run again, so the same command goes on, and
with other models it adds theirs: the page holds every model that is named. `simulated:0.7` is no model; it tries the
instrument. Exit code 3 where a run is not finished: the page then says so.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from quorate.lab.bench.decisions import BenchOrder
from quorate.lab.bench.review_bench import STANDARD_REVIEWS, read_review_methods
from quorate.lab.bench.review_run import ReviewRun, measure_reviews
from quorate.lab.bench.seats import Simulated
from quorate.lab.bench.task import Kind
from quorate.workspace import find_workspace

SIMULATED = "simulated:"
PAGE = Path(__file__).parents[1] / "docs" / "results.md"
UNFINISHED = 3
INTRODUCTION = """\
# Results

How well models review the small changes of the corpus, half of which have one planted fault, and what each method
makes of the same model. [How it is measured](how-to/bench-review.md). This page is written by a command, and no figure
of it by hand:

    {command}

"""


def main(words: Sequence[str]) -> int:
    given = _arguments(words)
    found: dict[str, ReviewRun] = {}
    for model in given.models:
        sys.stderr.write(f"{model}\n")
        found[model] = asyncio.run(_run(model, given))
    command = " ".join(("python benchmarks/quality.py", *words))
    given.page.parent.mkdir(parents=True, exist_ok=True)
    given.page.write_text(page(command, found), encoding="utf-8")
    sys.stdout.write(f"wrote {given.page}\n")
    return 0 if all(run.finished for run in found.values()) else UNFINISHED


async def _run(model: str, given: argparse.Namespace) -> ReviewRun:
    accuracy = model.removeprefix(SIMULATED)
    order = BenchOrder(
        kinds=(Kind.CODE,),
        count=1,
        methods=read_review_methods(given.methods),
        folder=given.out / re.sub(r"[^\w.-]+", "-", model),
        seed=given.seed,
        model=model if accuracy == model else None,
        simulated=None if accuracy == model else Simulated(Fraction(accuracy), seed=given.seed),
        tokens=given.tokens,
        at_once=given.at_once,
    )
    workspace = find_workspace(Path.cwd(), dict(os.environ))
    return await measure_reviews(workspace, order, given.items, _progress)


def _progress(done: int, of: int, what: str) -> None:
    sys.stderr.write(f"\r{done} of {of}: {what:60}" if what else "\n")


def page(command: str, found: dict[str, ReviewRun]) -> str:
    """Return the page: every model with its date and its tables."""
    day = datetime.now(UTC).date().isoformat()
    parts = [run.markdown(f"{model}, {day}", level=2) for model, run in found.items()]
    return INTRODUCTION.format(command=command) + "\n".join(parts)


def _arguments(words: Sequence[str]) -> argparse.Namespace:
    reader = argparse.ArgumentParser(description="Review the corpus with models, and write docs/results.md.")
    reader.add_argument("models", nargs="+", metavar="MODEL", help="such as openai:gpt-5, or simulated:0.7")
    reader.add_argument("--items", type=int, metavar="N", help="so many of the changes; default: all")
    reader.add_argument("--seed", type=int, default=1, metavar="N")
    reader.add_argument("--methods", default=",".join(STANDARD_REVIEWS), metavar="A,B")
    reader.add_argument("--tokens", type=int, metavar="N", help="the most tokens of each model")
    reader.add_argument("--at-once", type=int, default=4, metavar="N")
    reader.add_argument("--out", type=Path, default=Path("quorate-out/quality"), metavar="DIR")
    reader.add_argument("--page", type=Path, default=PAGE, metavar="FILE")
    return reader.parse_args(words)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
