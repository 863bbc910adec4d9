"""The use case behind `quorate bench`: run or resume a bench in a folder, and write figures, plot and report."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.user_folders import prepare
from quorate.codec.canonical import digest_text
from quorate.core.errors import SettingError
from quorate.files.lock import locked
from quorate.lab.bench import baseline, report
from quorate.lab.bench.baseline import BaselineSettings, Way
from quorate.lab.bench.bench import Bench, Progress
from quorate.lab.bench.cells import Cells, read_cell
from quorate.lab.bench.figures import EVERY, Figures, figures
from quorate.lab.bench.methods import PLAIN, PROTOCOL, Method
from quorate.lab.bench.plot import svg
from quorate.lab.bench.seats import Simulated
from quorate.lab.bench.tables import Tables
from quorate.lab.bench.task import Asked, Kind, MaterialKind, Task
from quorate.lab.bench.tasks import drawn
from quorate.lab.lab import made_for
from quorate.store.journal import Journal
from quorate.store.open import open_journal
from quorate.workspace import Workspace

TITLE = "Decisions, measured"


@dataclass(frozen=True)
class BenchOrder:
    """What is to be measured."""

    kinds: tuple[Kind, ...]
    count: int
    methods: tuple[Method, ...]
    folder: Path
    seed: int = 1
    panels: Mapping[str, Path] = field(default_factory=dict)
    """Panel files by method; `""` is everybody's."""
    model: str | None = None
    simulated: Simulated | None = None
    tokens: int | None = None
    """The most tokens of the whole run."""
    at_once: int = 4


@dataclass(frozen=True)
class BenchRun:
    """The result of a run."""

    plan: dict[str, Any]
    figures: Figures
    notes: list[str]
    unfinished: str
    """Why not every cell was run, for the same command to go on with; empty where every one was."""

    @property
    def finished(self) -> bool:
        return not self.unfinished

    def data(self) -> dict[str, Any]:
        return report.data(self.plan, self.figures, self.notes, self.unfinished)


async def measure(workspace: Workspace, order: BenchOrder, progress: Progress = lambda *_: None) -> BenchRun:
    """Run all unfinished cells, and write `results.json`, `report.md` and `plot.svg` beside `cells.jsonl`.

    Sessions are in `sessions.db` of the folder, sealed like all others. Another seed, panel or settings than those it
    was begun with raise SettingError.
    """
    prepare(order.folder)
    workspace = panelled(replace(workspace, root=None, store=f"sqlite:{order.folder / 'sessions.db'}"), order)
    who = described(workspace, order)
    same = {"seed": order.seed, "panel": who, "settings": settings_of(workspace)}
    tasks = drawn(order.kinds, order.count, order.seed)
    check_methods(order.methods, tasks)
    with locked(order.folder, patience=1.0):
        cells = Cells.open(order.folder, same, read_cell)
        journal = open_journal(workspace.store)
        try:
            tables = tables_of(workspace, journal, order)
            bench = Bench(tables, cells, order.folder, order.seed, order.tokens, order.at_once)
            within = await bench.run(tasks, order.methods, progress)
        finally:
            await journal.close()
        wanted = {task.id for task in tasks}
        names = {method.name for method in order.methods}
        counted = [cell for (task, method), cell in cells.done.items() if task in wanted and method in names]
        plan = {
            "tasks": [kind.value for kind in order.kinds],
            "of each": order.count,
            "methods": [method.name for method in order.methods],
            **{key: value for key, value in same.items() if value},
        }
        found = figures(counted)
        measured = BenchRun(plan, found, report.notes(who, found), report.unfinished(found, within=within))
        _write(order.folder, measured)
    return measured


def described(workspace: Workspace, order: BenchOrder) -> str:
    """Describe the participants; SettingError if none were named, since there is no default."""
    if order.simulated is not None:
        return order.simulated.name
    panels, model = _panels(workspace, order), _model(workspace, order)
    if not panels and model is None:
        raise SettingError(
            "no participants are given",
            key="panel",
            expected="--panel FILE, --model MODEL, or --accuracy P for simulated seats",
        )
    if model is None and "" not in panels:
        _check_everybody(order, panels)
    built = baseline.build(BaselineSettings(asked=Asked.NUMBER), catalog.briefs(baseline.DEFINITION), 0)
    plain = next((panels[name] for name in (*PLAIN, "") if name in panels), None)
    alone = seats.seat(baseline.every_way(built), plain, {}, model=model)
    said = [alone[baseline.ANSWERER].name]
    for name, path in sorted(panels.items()):
        text = seats.panel_text(path, None)
        tiny = " with local: models" if "local:" in text else ""
        said.append(f"{name or 'everybody'} by {path.name}{tiny} ({digest_text(text)[:12]})")
    return "; ".join(said)


def tables_of(workspace: Workspace, journal: Journal, order: BenchOrder) -> Tables:
    """Return the participants of a run."""
    return Tables(workspace, journal, _panels(workspace, order), _model(workspace, order), order.simulated)


def _check_everybody(order: BenchOrder, panels: Mapping[str, Path]) -> None:
    """Raise SettingError if some methods have a panel and another has none; a reader may use that of single calls."""
    chosen = {made_for(kind) for kind in MaterialKind}
    named = {*panels, *(PROTOCOL for name in panels if name in chosen)}
    for method in order.methods:
        needed = [method.name] if method.way is not None else [method.name, Way.SINGLE.value]
        for name in needed:
            if name not in named and not (name == Way.SINGLE.value and Way.READ.value in named):
                raise SettingError(
                    f"has no participants for {name}",
                    key="panel",
                    expected=f"--panel {name}=FILE, or a panel for everybody",
                )


def check_methods(methods: Iterable[Method], tasks: Collection[Task]) -> None:
    """Raise SettingError for a method that fits none of the tasks; it would be missing from every table."""
    for method in methods:
        if not any(method.fits(task) for task in tasks):
            raise SettingError(
                f"{method.name} fits none of these tasks", key="methods", expected="another method, or other --tasks"
            )


def panelled(workspace: Workspace, order: BenchOrder) -> Workspace:
    """Return the workspace without the project's panel and model if the bench names its own.

    The reply cache is off too: cached replies cost nothing, and a method would look cheaper than it is.
    """
    config = replace(workspace.config, cache=None)
    if order.simulated is not None or order.panels or order.model is not None:
        config = replace(config, panel=None, model=None)
    return replace(workspace, config=config)


def _panels(workspace: Workspace, order: BenchOrder) -> dict[str, Path]:
    if order.panels or order.simulated is not None:
        return dict(order.panels)
    return {"": workspace.config.panel} if workspace.config.panel is not None else {}


def _model(workspace: Workspace, order: BenchOrder) -> str | None:
    return order.model if order.model is not None else workspace.config.model


def settings_of(workspace: Workspace) -> dict[str, Any]:
    """Return the settings that a run has to keep when it is resumed."""
    named = {name: dict(workspace.config.protocol(name)) for name in catalog.definitions()}
    curtail = {} if workspace.config.curtail else {"curtail": False}  # it changes what a vote costs
    return {**{name: values for name, values in named.items() if values}, **curtail}


def _write(folder: Path, measured: BenchRun) -> None:
    found = measured.figures
    shown = found.of(EVERY) or found.rows
    note = "; ".join(measured.notes[:1])
    texts = {
        "results.json": json.dumps(measured.data(), indent=2, ensure_ascii=False) + "\n",
        "report.md": report.markdown(TITLE, measured.plan, found, measured.notes, measured.unfinished),
        "plot.svg": svg(TITLE, note, shown),
    }
    for name, text in texts.items():
        draft = folder / f".{name}.new"
        draft.write_text(text, encoding="utf-8")
        draft.replace(folder / name)
