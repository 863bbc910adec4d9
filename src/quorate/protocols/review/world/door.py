"""The review's input and code-held seats: how a change is opened, who holds the seats, and what goes to the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from quorate.api.inputs import PREFIX
from quorate.api.order import OpenedSession, Order
from quorate.api.world import Held, Run, World
from quorate.core.errors import InputError
from quorate.protocols.review.rules.model import ADJUDICATOR, CHECKS, PERSONAS, PROPOSER
from quorate.protocols.review.world.change.read import read_change
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Paths, Source, Staged, from_plain
from quorate.protocols.review.world.change.trees import close
from quorate.protocols.review.world.review import Opened, open_review, settle_review
from quorate.safety.masks import Masks
from quorate.safety.secrets import secrets_in

HERE = "."


async def open_change(order: Order) -> OpenedSession:
    """Open a review of the change named in the order."""
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
    """Return the default folder: the project's, or the first root if that is outside all roots."""
    home = order.workspace.root or Path.cwd()
    if order.roots is None or order.roots.holds(home):
        return home
    return order.roots.resolve(HERE, PREFIX + "folder")


def _source(order: Order, folder: Path) -> Source:
    """Return the source of the change: one of four inputs, else the paths alone, else the current branch."""
    named = [name for name in ("base", "commit", "staged", "diff") if order.inputs.get(name)]
    if len(named) > 1:
        both = f"{named[0]} and {named[1]} each name a change"
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
    """Return the paths given; with roots, a folder within a repository means only itself."""
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
        yield f"{_count(len(examined.blocking), 'blocking finding')} of the checks, which no vote can lift"


def _held(run: Run) -> Held:
    """Return the seats held by code: the checks examine and apply, an unnamed proposer is silent (R1, R14)."""
    from quorate.protocols.review.world.checks.examiner import examiner, silent

    personas = run.get("personas", (*PERSONAS, ADJUDICATOR))
    return Held({CHECKS: examiner(run)}, {PROPOSER: silent()}, tuple(personas))


def _masks(run: Run) -> Masks:
    change = read_change(from_plain(run["source"]), Path(run["folder"]))
    try:
        return Masks.of(secrets_in(change))
    finally:
        close(change)


def _forked(run: Run, remote: bool) -> Run:
    """Return the run of a fork, which keeps no ledger, since two sessions would leave two answers there."""
    return {**run, "ledger": False, **({"remote": True} if remote else {})}


def _reaches(run: Run) -> Mapping[str, str]:
    """Return the diff file that is read again, relative to its folder."""
    file = run.get("source", {}).get("file", "-")
    return {} if file == "-" else {"source.file": str(Path(run["folder"]) / file)}


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


WORLD = World(
    open=open_change,
    holds=_held,
    masked=True,
    masks=_masks,
    settle=settle_review,
    fork=_forked,
    reaches=_reaches,
)
