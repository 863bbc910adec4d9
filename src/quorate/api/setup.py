"""Set up a project: write its first files, and check the installation."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from quorate import catalog
from quorate.api.seats import seat
from quorate.core.errors import InputError, QuorateError
from quorate.kit.settings import Setting, describe, expectation
from quorate.participants.check import Check
from quorate.participants.model_servers import PORTS, model_servers
from quorate.participants.panel import Panel
from quorate.participants.port import Participant, those_behind
from quorate.participants.trial import try_participant
from quorate.runtime.budget import Budget
from quorate.safety.formats import what_is_missing
from quorate.store.journal import Journal
from quorate.workspace import CONFIG_NAME, Workspace, find_root

PANEL_NAME = "panel.yaml"
PANEL = """\
# Who sits on the seats. `quorate models` lists what can be written here, `quorate doctor` tries it.
default: local:smollm2          # a tiny model that comes with Quorate, for trying things out
# default: anthropic:claude-sonnet-4-5    # reads ANTHROPIC_API_KEY from the environment
# seats:
#   {other}: openai:gpt-5         # a model of another family
#   {person}: person              # a person answers there
# A relay saves tokens: the first model speaks, the stronger one from round 2 on, which a disagreement brings about.
# default: {{model: openai:gpt-5-mini, stronger: openai:gpt-5}}
# default: {{model: openai:gpt-5-mini, stronger: {{model: openai:gpt-5, from_round: 3}}}}
"""


@dataclass(frozen=True, slots=True)
class Checkup:
    """Result of one `doctor` check; `ok` is None if it could not be tried."""

    name: str
    ok: bool | None
    says: str
    todo: str = ""


def init(folder: Path, protocol: str | None = None) -> list[Path]:
    """Write a commented `quorate.yaml`, a panel and, for a protocol, sample input; existing files are never touched.

    Sample input inside a project that already has settings comes without settings of its own.
    """
    sample = catalog.definition(protocol).sample if protocol is not None else {}
    own = {} if sample and _has_settings(folder.resolve().parent) else {CONFIG_NAME: _commented_config()}
    files = {**own, **({PANEL_NAME: _panel(protocol)} if own else {}), **sample}
    for name in files:
        if (folder / name).exists() or (folder / name).is_symlink():
            raise InputError(
                "exists already, and was not overwritten", file=str(folder / name), expected="a folder without it"
            )
    for name, text in files.items():
        place = folder / name
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror or error}", file=str(place)) from error
    return [folder / name for name in files]


def _panel(protocol: str | None) -> str:
    """Return a starter panel with the seats of the protocol."""
    built = catalog.build(protocol or catalog.usual().name)
    seats = [seat for seat in built.seats if seat not in built.checks]
    person = next((seat for seat in seats if seat in built.people), seats[-1])
    other = next(seat for seat in reversed(seats) if seat != person)
    return PANEL.format(other=other, person=person)


def _has_settings(folder: Path) -> bool:
    root = find_root(folder)
    return root is not None and (root / CONFIG_NAME).is_file()


def _commented_config() -> str:
    lines = [
        "# Settings of Quorate for this project. What is commented out shows the default.",
        "# Later sources win: your own file, this one, the environment (QUORATE__DEBATE__ROUNDS=2), --set rounds=2.",
        "",
        f"panel: {PANEL_NAME}",
        "# store: sqlite:.quorate/quorate.db",
        "# curtail: true    # votes that cannot change an outcome any more are not asked for; true or false",
        "# require_exam: false    # true opens no session with a model that has not sat the exam for its protocol",
        "# unqualified: notes    # of a model that failed its exam nothing follows, or (count) what does of any",
        "# examine_local: true    # false seats an embedded model without letting it sit its first exam",
        "# cache: .quorate/replies    # what models said is kept there and not asked for twice; by default no folder",
        "",
        *_section("budget", describe(Budget)),
    ]
    for found in catalog.definitions().values():
        lines += ["", f"# {found.title}", *_section(found.name, describe(found.settings))]
    return "\n".join(lines) + "\n"


def _section(name: str, settings: tuple[Setting, ...]) -> list[str]:
    lines, open_group = [f"# {name}:"], ""
    for setting in settings:
        group, _, key = setting.key.rpartition(".")
        if group and group != open_group:
            lines.append(f"#   {group}:")
        open_group = group
        indent = "#     " if group else "#   "
        lines.append(f"{indent}{key}: {_yaml(setting)}    # {setting.says}; {expectation(setting)}")
    return lines


def _yaml(setting: Setting) -> str:
    value = setting.default
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return str(getattr(value, "value", value)) or '""'  # nothing at all would be null, which a text is not


async def doctor(
    workspace: Workspace, journal: Journal, panel: Path | None = None, *, exam: bool = False
) -> AsyncIterator[Checkup]:
    """Check interpreter, settings, store, protocols and, with one real call each, all participants.

    With `exam` each model that has not sat the exam sits it, which takes up to two minutes or 60 calls.
    """
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield Checkup("python", sys.version_info >= (3, 11), version, "use Python 3.11 or newer")
    root = str(workspace.root) if workspace.root else "none; your own settings and store are used"
    yield Checkup("project", True, root)
    try:
        sessions = await journal.sessions()
        yield Checkup("store", True, f"{workspace.shown}, {len(sessions)} session(s)")
    except QuorateError as error:
        yield Checkup("store", False, str(error), "check the path and its rights, or give --store")
    missing = what_is_missing()
    yield Checkup(
        "secrets", None if missing else True, missing or "found by Quorate's own formats and those of detect-secrets"
    )
    async for checkup in _servers():
        yield checkup
    tables: dict[str, Panel] = {}
    unfit: dict[str, QuorateError] = {}
    for name in catalog.definitions():
        try:
            built = catalog.build(name, workspace.config.protocol(name))
            yield Checkup(f"settings of {name}", True, f"{len(built.seats)} seats")
        except QuorateError as error:
            yield Checkup(f"settings of {name}", False, str(error), f"fix {CONFIG_NAME}")
            continue
        try:
            tables[name] = seat(built, panel or workspace.config.panel, {}, model=workspace.config.model)
        except QuorateError as error:
            unfit[name] = error
    for name, problem in unfit.items():
        if not tables:
            yield Checkup("panel", False, str(problem), "fix the panel file")
            return
        yield Checkup(f"panel for {name}", None, f"is for other protocols: {problem}")
    async for checkup in _everybody(tables, exam=exam):
        yield checkup


async def _servers() -> AsyncIterator[Checkup]:
    """Say which model servers on this machine answer, and how a panel names their models."""
    found = await model_servers(os.environ)
    for server in found:
        more = f", and {server.unnamed} more" if server.unnamed else ""
        says = (
            f"in a panel {', '.join(server.seats)}{more}" if server.seats else "it has no model that a panel can name"
        )
        yield Checkup(f"{server.title} at {server.address}", True if server.seats else None, says)
    if not found:
        looked = ", ".join(port.title for port in PORTS)
        yield Checkup("model servers", None, f"none answers on this machine (looked for {looked})")


async def _everybody(tables: Mapping[str, Panel], *, exam: bool) -> AsyncIterator[Checkup]:
    """Try each participant of all panels once; seats held by code are skipped."""
    problems = dict.fromkeys(problem for table in tables.values() for problem in table.problems())
    for problem in problems:
        yield Checkup("key", False, problem, "set the variable in the environment")
    tried: set[str] = set()
    for table in tables.values():
        for name, participant in ((name, each) for name, seated in table.items() for each in those_behind(seated)):
            if participant.name in tried or isinstance(participant, Check):
                continue
            tried.add(participant.name)
            ok, says = await try_participant(participant)
            yield Checkup(f"{participant.name} ({name})", ok, says, "" if ok is not False else "see `quorate models`")
            if (found := await _exam(participant, sit=exam)) is not None:
                yield found


async def _exam(participant: Participant, *, sit: bool) -> Checkup | None:
    """Say whether a model sat the exam and how it did. None of it is a fault: an unexamined model may sit there."""
    from quorate.api.exams import examine, exams_kept, may_sit, paper_folders, summary_of_kept
    from quorate.exam.scores import Competence

    if not may_sit(participant):
        return None
    name = f"exam of {participant.name}"
    try:
        found = exams_kept(participant)
    except QuorateError as error:
        return Checkup(name, False, str(error), "delete the file")
    if sit and (missing := [each for each in paper_folders() if each not in found]):
        try:
            sitting = await examine(participant.name, protocols=missing)
            found |= {each.protocol: sitting for each in sitting.outcome.scores}
        except QuorateError as error:
            return Checkup(name, False, str(error), f"quorate exam {participant.name}")
    if not found:
        return Checkup(name, None, f"it has not sat the exam: quorate exam {participant.name}")
    scores = (sitting.of(each) for each, sitting in found.items())
    qualified = any(each is not None and each.competence is Competence.QUALIFIED for each in scores)
    return Checkup(name, True if qualified else None, summary_of_kept(found))
