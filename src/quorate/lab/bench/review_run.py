"""The use case behind `quorate bench review`: run or resume reviews of the corpus in a folder, and write results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quorate.api.user_folders import prepare
from quorate.codec.canonical import digest_text
from quorate.files.lock import locked
from quorate.lab.bench import report, review_report
from quorate.lab.bench.bench import Progress
from quorate.lab.bench.cells import Cells
from quorate.lab.bench.corpus import ChangeItem, sample
from quorate.lab.bench.decisions import BenchOrder, check_methods, described, panelled, settings_of, tables_of
from quorate.lab.bench.review_bench import ReviewBench, counted_cells, read_review_cell
from quorate.lab.bench.review_figures import ReviewFigures, review_figures
from quorate.store.open import open_journal
from quorate.workspace import Workspace

REVIEW_TITLE = "Reviews, measured"


@dataclass(frozen=True)
class ReviewRun:
    """The result of a run."""

    plan: dict[str, Any]
    figures: ReviewFigures
    notes: list[str]
    unfinished: str
    """Why not every cell was run, for the same command to go on with; empty where every one was."""

    @property
    def finished(self) -> bool:
        return not self.unfinished

    def data(self) -> dict[str, Any]:
        return review_report.review_data(self.plan, self.figures, self.notes, self.unfinished)

    def markdown(self, title: str = REVIEW_TITLE, *, level: int = 1) -> str:
        """Return the report, with headings from a level on."""
        said = self.plan, self.figures, self.notes, self.unfinished
        return review_report.review_markdown(title, *said, level=level)


async def measure_reviews(
    workspace: Workspace, order: BenchOrder, items: int | None, progress: Progress = lambda *_: None
) -> ReviewRun:
    """Run all unfinished cells of a sample, or of all changes, and write `results.json` and `report.md`.

    Cells are in `cells.jsonl` and sessions in `sessions.db` of the folder. Another seed, panel, corpus or settings than
    those it was begun with raise SettingError; more items and methods may be added.
    """
    prepare(order.folder)
    workspace = panelled(replace(workspace, root=None, store=f"sqlite:{order.folder / 'sessions.db'}"), order)
    who = described(workspace, order)
    drawn = sample(items, order.seed)
    same = {"corpus": corpus_digest(), "seed": order.seed, "panel": who, "settings": settings_of(workspace)}
    tasks = [item.task() for item in drawn]
    check_methods(order.methods, tasks)
    with locked(order.folder, patience=1.0):
        cells = Cells.open(order.folder, same, read_review_cell)
        journal = open_journal(workspace.store)
        try:
            tables = tables_of(workspace, journal, order)
            by = {item.id: item for item in drawn}
            bench = ReviewBench(tables, cells, order.folder, order.seed, order.tokens, order.at_once, items=by)
            within = await bench.run(tasks, order.methods, progress)
        finally:
            await journal.close()
        found = review_figures(counted_cells(cells.done.values(), drawn, order.methods))
        why_not = report.not_done(found.unreached, within=within)
        measured = ReviewRun(_plan(order, drawn, same), found, review_report.review_notes(who, found), why_not)
        _write(order.folder, measured)
    return measured


def corpus_digest() -> str:
    """Return a digest of all changes: a changed corpus gives other figures."""
    return digest_text("\0".join(f"{item.id} {item.twins.line}\0{item.diff}" for item in sample(None, 0)))[:12]


def _plan(order: BenchOrder, drawn: tuple[ChangeItem, ...], same: Mapping[str, Any]) -> dict[str, Any]:
    changes = {"changes": len(drawn), "faulty": sum(item.faulty for item in drawn)}
    methods = {"methods": [method.name for method in order.methods]}
    return {**changes, **methods, **{key: value for key, value in same.items() if value}}


def _write(folder: Path, measured: ReviewRun) -> None:
    texts = {
        "results.json": json.dumps(measured.data(), indent=2, ensure_ascii=False) + "\n",
        "report.md": measured.markdown(),
    }
    for name, text in texts.items():
        draft = folder / f".{name}.new"
        draft.write_text(text, encoding="utf-8")
        draft.replace(folder / name)
