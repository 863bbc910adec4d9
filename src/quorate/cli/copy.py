"""`copy`: copy sessions from one store into another, with their hash chains intact."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, is_terminal, out, out_json
from quorate.cli.text import count

if TYPE_CHECKING:
    from quorate.api.store_copy import Copied
    from quorate.cli.desk import Desk
    from quorate.store.journal import Journal

REFUSED = 1
TELL_EVERY = 100
"""Sessions after which progress is told where nobody sees each of them."""


@click.command(
    cls=Command,
    examples=(
        "quorate copy latest --to sqlite:backup.db",
        "quorate copy --all --to postgresql://quorate@db.example/quorate",
        "quorate copy --all --from postgresql://quorate@db.example/quorate --to sqlite:copy.db",
    ),
)
@click.argument("sessions", nargs=-1, metavar="SESSION...", shell_complete=complete_session)
@click.option("--to", "target", required=True, metavar="URL", help="The store to copy into; it is made if need be.")
@click.option("--from", "source", metavar="URL", help="The store to copy from; without it, this project's.")
@click.option("--all", "everything", is_flag=True, help="Copy every session of the store.")
@json_option
@click.pass_obj
def copy(
    place: Place, sessions: tuple[str, ...], target: str, source: str | None, everything: bool, as_json: bool
) -> int:
    """Copy sessions into another store, with the seal intact.

    SESSION is an id, the start of one, or `latest`. Entries are copied byte by byte with their hashes, which are
    checked on both sides; so are the texts that a session is about. What is there already is left alone, a session
    that has gone on since is extended, and one that is there with other entries is refused: the exit code is 1 then,
    and all others are copied nevertheless.
    """
    if everything == bool(sessions):
        raise click.UsageError(
            "Name sessions, or give --all." if not everything else "Name sessions or give --all, not both."
        )
    if source is not None:
        _check_is_there(source)
    with desk(Place(place.directory, source or place.store)) as work, _opened(work, target) as there:
        names = [work.find(name) for name in sessions]
        if everything:
            names = [listed.id for listed in reversed(work.run(work.journal.sessions()))]
        done = work.run(_copied(work.journal, there, list(dict.fromkeys(names))))
    if as_json:
        out_json([{"session": e.session, "outcome": e.outcome.value, "entries": e.entries, "why": e.why} for e in done])
    else:
        out(_summary(done))
    return REFUSED if any(each.outcome.value == "refused" for each in done) else 0


def _check_is_there(url: str) -> None:
    """Refuse a missing source file: opening would create it, and a backup of nothing would look like success."""
    from quorate.core.errors import SettingError
    from quorate.store.open import store_file

    file = store_file(url)
    if file is not None and not file.exists():
        raise SettingError(f"{url} does not exist", key="--from", expected="a store that has sessions")


@contextmanager
def _opened(work: Desk, url: str) -> Iterator[Journal]:
    """Context manager that opens the other store and closes it."""
    from quorate.core.errors import SettingError
    from quorate.store.open import open_journal

    if url.startswith("memory:"):
        raise SettingError("is lost when this command ends", key="--to", expected="a file or a server")
    try:
        journal = open_journal(url)
    except SettingError as error:
        raise SettingError(error.what, key="--to", expected=error.expected, nearest=error.nearest) from error
    try:
        yield journal
    finally:
        work.run(journal.close())


async def _copied(source: Journal, target: Journal, names: list[str]) -> list[Copied]:
    from quorate.api.store_copy import copy_sessions

    done: list[Copied] = []
    each_is_told = len(names) <= TELL_EVERY or is_terminal(sys.stderr)
    async for each in copy_sessions(source, target, names):
        done.append(each)
        if each.why:
            err(f"{each.session} refused: {each.why}")
        elif each_is_told:
            words = _WORDS[each.outcome.value].format(count(each.entries, "entry", "entries"))
            err(f"{len(done)}/{len(names)} {each.session} {words}")
        elif len(done) % TELL_EVERY == 0:
            err(f"{len(done):,} of {count(len(names), 'session')}")
    return done


_WORDS = {
    "copied": "copied, {}",
    "extended": "extended by {}",
    "equal": "is there already",
    "ahead": "is there already, and has gone on there",
}


def _summary(done: list[Copied]) -> str:
    counts: dict[str, int] = {}
    for each in done:
        counts[each.outcome.value] = counts.get(each.outcome.value, 0) + 1
    parts = [f"{number:,} {name}" for name, number in counts.items()]
    return f"{count(len(done), 'session')}: {', '.join(parts)}" if done else "There are no sessions to copy."
