"""The openers: how a session of each protocol begins, given what was brought.

Four protocols look at the world first: at a change, an RFC, an agenda, a folder of documents. Every other one is opened
with its texts as material.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quorate.api.beginning import MOST_MATERIAL, open_session
from quorate.api.council import Convened, open_council
from quorate.api.gating import Sources
from quorate.api.inputs import PREFIX
from quorate.api.named_file import text_of
from quorate.api.order import OpenedSession, Order
from quorate.api.review import Opened, open_review
from quorate.api.roundtable import open_roundtable
from quorate.api.workshop import open_workshop
from quorate.core.brought import Kind
from quorate.core.definition import Definition
from quorate.core.errors import InputError
from quorate.core.settings import describe
from quorate.intake.change.source import Branch, Commit, Diff, Paths, Source, Staged

CONTEXT = "context"
"""The folder that participants may read."""
HERE = "."


async def open_plainly(order: Order) -> OpenedSession:
    """Texts, lines and files are material of their name; the folder `context` may be read; all else is a setting."""
    material: dict[str, str] = {}
    settings: dict[str, Any] = {}
    for each in order.definition.brings:
        value = order.inputs.get(each.name)
        if value is None:
            continue
        if each.kind in (Kind.TEXT, Kind.LINE):
            material[each.name] = value
        elif each.kind is Kind.FILE:
            material[each.name] = text_of(value, MOST_MATERIAL, "a text file")
        elif each.kind is not Kind.FOLDER or each.name != CONTEXT:
            settings[each.name] = list(value) if isinstance(value, tuple) else value
    _check_settings(order.definition, settings)
    if not material:
        texts = ", ".join(each.name for each in order.definition.brings if each.kind is Kind.TEXT)
        raise InputError("bring nothing to deliberate about", key="inputs", expected=f"a text: {texts}")
    session = await open_session(
        order.workspace,
        order.journal,
        order.definition.name,
        material,
        panel=order.panel,
        model=order.model,
        seed=order.seed,
        context=order.folder(CONTEXT),
        settings=settings,
    )
    return OpenedSession(session)


def _check_settings(definition: Definition, names: Mapping[str, Any]) -> None:
    known = {setting.key for setting in describe(definition.settings)}
    for name in names:
        if name not in known:
            raise InputError(
                f"{definition.name} asks for it, and has no such setting",
                key=PREFIX + name,
                expected="a protocol that asks for texts, files, the folder `context`, or its own settings",
            )


# A change


async def _review(order: Order) -> OpenedSession:
    order.check_seats()
    folder = order.folder("folder") or _at_home(order)
    opened = await open_review(
        order.workspace,
        order.journal,
        _source(order, folder),
        folder=folder,
        solo=order.inputs.get("solo", False),
        rules=order.inputs.get("rules"),
        claims=order.inputs.get("claims"),
        panel=order.panel,
        model=order.model,
        seed=order.seed,
        remote=order.roots is not None,
    )
    return OpenedSession(opened.session, tuple(_told_review(opened)))


def _at_home(order: Order) -> Path:
    """The folder where none was named: the project's, or the first root where that lies outside of them all."""
    home = order.workspace.root or Path.cwd()
    if order.roots is None or order.roots.holds(home):
        return home
    return order.roots.resolve(HERE, PREFIX + "folder")


def _source(order: Order, folder: Path) -> Source:
    """The change that was named: one of four ways, else the files alone, else what the branch brings."""
    named = [name for name in ("base", "commit", "staged", "diff") if order.inputs.get(name)]
    if len(named) > 1:
        both = f"{named[0]} and {named[1]} name two changes"
        raise InputError(both, key=PREFIX + named[1], expected="one of them")
    paths = _paths(order, folder)
    match named:
        case ["diff"]:
            return Diff.of_text(order.inputs["diff"], paths)
        case ["staged"]:
            return Staged(paths)
        case ["commit"]:
            return Commit(order.inputs["commit"], paths)
        case ["base"]:
            return Branch(order.inputs["base"], paths=paths)
        case _:
            return Paths(paths) if "paths" in order.inputs else Branch(paths=paths)


def _paths(order: Order, folder: Path) -> tuple[str, ...]:
    """The paths that were named; a folder that is a part of a repository stands for itself alone, with roots."""
    paths: tuple[str, ...] = order.inputs.get("paths", ())
    if order.roots is None:
        return paths
    for path in paths:
        order.roots.resolve(str(folder / path), PREFIX + "paths")
    if paths or (folder / ".git").exists():
        return paths
    above = next((each for each in folder.resolve().parents if (each / ".git").exists()), None)
    if "diff" in order.inputs and (above is None or order.roots.holds(above)):
        return ()  # a diff names its files from the root of the repository
    return (HERE,)


def _told_review(opened: Opened) -> Iterator[str]:
    examined = opened.examined
    lines = f"{examined.added} lines added, {examined.removed} removed"
    yield f"{examined.title}: {_count(len(examined.files), 'file')}, {lines}"
    yield f"the committee: {', '.join(opened.election.committee)}"
    if examined.left_out:
        yield f"{_count(len(examined.left_out), 'file')} left out"
    if examined.blocking:
        yield f"{_count(len(examined.blocking), 'finding')} of the checks in the way, which no vote can lift"


# An RFC


async def _council(order: Order) -> OpenedSession:
    order.check_seats()
    names = ("tickets", "prd", "ccp", "repo")
    folder = order.folder("rfc")
    assert folder is not None  # it is required
    sources = Sources(folder, *(order.folder(name) for name in names))
    if order.roots is not None:  # an RFC may lie in a tree whose other parts are found from it
        order.roots.resolve(str(sources.layout().root), PREFIX + "rfc")
    seed = None if order.seed is None else str(order.seed)
    convened = await open_council(
        order.workspace, order.journal, sources, seed=seed, panel=order.panel, model=order.model
    )
    return OpenedSession(convened.session, tuple(_told_council(convened)))


def _told_council(convened: Convened) -> Iterator[str]:
    gated = convened.gated
    yield f"{gated.id} {gated.title}, {gated.version}"
    yield f"depth {convened.depth}: {convened.why}"
    if gated.blocking:
        yield f"{_count(gated.blocking, 'BLOCKER finding')} of the gates, which no vote can lift"
    if convened.tight:
        yield f"of the RFC's {convened.of:,} tokens a seat is shown {convened.shown:,} at a time"


# An agenda


async def _workshop(order: Order) -> OpenedSession:
    order.check_seats()
    inputs, agenda = order.inputs, order.inputs.get("agenda")
    kind = inputs.get("kind", agenda)
    if kind is None:
        kinds = next(each.choices for each in order.definition.brings if each.name == "kind")
        raise InputError("is missing", key=PREFIX + "kind", expected=f"one of {', '.join(kinds)}, or an agenda")
    held = await open_workshop(
        order.workspace,
        order.journal,
        str(kind),
        inputs["topic"],
        agenda=agenda if "kind" in inputs else None,
        panel=order.panel,
        model=order.model,
        seed=order.seed,
        context=order.folder(CONTEXT),
        documents=inputs.get("documents"),
        merge=inputs.get("merge", False),
        export=inputs.get("export"),
    )
    says = (f"{held.workflow}, {held.strategy}: {held.why_strategy}", f"the agenda: {held.agenda}", *held.warnings)
    return OpenedSession(held.session, says)


# Documents


async def _roundtable(order: Order) -> OpenedSession:
    order.check_seats()
    docs = order.folder("docs")
    assert docs is not None  # it is required
    opened = await open_roundtable(
        order.workspace,
        order.journal,
        order.inputs["topic"],
        docs,
        panel=order.panel,
        model=order.model,
        seed=order.seed,
    )
    names = ", ".join(opened.documents) or "none, so nothing will be added anywhere"
    return OpenedSession(opened.session, (f"documents: {names}", f"{opened.max_turns} turns", *opened.notes))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


OPENERS: Mapping[str, Callable[[Order], Awaitable[OpenedSession]]] = {
    "review": _review,
    "council": _council,
    "workshop": _workshop,
    "roundtable": _roundtable,
}
"""By the name of the protocol; every other one is opened plainly."""
