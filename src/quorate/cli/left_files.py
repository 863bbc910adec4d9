"""Report what a session wrote to the project: a workshop's files, a review's ledger."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from quorate.cli.output import err
from quorate.cli.text import count

if TYPE_CHECKING:
    from pathlib import Path

    from quorate.api import Left, Result, Written
    from quorate.cli.desk import Place
    from quorate.kit.ledger import Changes

HOW = {"written": "wrote", "merged": "merged into", "already there": "there already:"}


def tell_left(place: Place, result: Result, left: Left, *, quiet: bool = False) -> int:
    """Print what was written. Return 0, or an exit code if existing files are in the way."""
    from quorate.cli.exits import code_of

    if left.unsettled is not None:
        err(f"the ledger is left as it was: {left.unsettled}")
    elif left.changes is not None:
        err(tell_ledger(left.changes))
    if left.unwritten is not None:
        again = place.command("resume", result.session)
        err(f"quorate: not all files were written: {left.unwritten}\nwhen that is fixed:\n  {again}")
        return code_of(left.unwritten)
    for line in () if quiet else tell_written(list(left.written)):
        err(line)
    return 0


def tell_ledger(changes: Changes) -> str:
    """Return one line about the changes to the ledger."""
    told = {"new": changes.new, "back again": changes.regressed, "still open": changes.open, "fixed": changes.fixed}
    counts = ", ".join(f"{len(entries)} {name}" for name, entries in told.items() if entries)
    return f"ledger: {counts or 'nothing new'} (`quorate findings`)"


def tell_written(written: list[Written]) -> Iterator[str]:
    """Yield lines on the files written, and on ids that were changed because they were taken."""
    dumps = [each for each in written if each.path.parent.name == "rounds"]
    renamed: dict[str, str] = {}
    for each in written:
        if each not in dumps:
            yield f"{HOW[each.how]} {_shown(each.path)}"
        renamed |= each.ids
    if dumps:
        yield f"wrote {_shown(dumps[0].path.parent)} ({count(len(dumps), 'file')})"
    for old, new in renamed.items():
        yield f"  {old} is {new} there"


def _shown(path: Path) -> str:
    """Return the path relative to the current folder if possible."""
    from pathlib import Path

    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
