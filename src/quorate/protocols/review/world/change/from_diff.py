"""The two sides of a diff given as text: trees of the repository it applies to, or loose if it applies to none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from quorate.core.errors import InputError
from quorate.files.git import GitFailed
from quorate.files.guarded_names import refuse_guarded
from quorate.kit.change import LeftOut, Why
from quorate.protocols.review.world.change.patches import Patch, parse
from quorate.protocols.review.world.change.repository import Repository, find_repository
from quorate.protocols.review.world.change.sides import Loose, Sides, narrowed, nothing_in, titled
from quorate.protocols.review.world.change.source import MOST_DIFF, STDIN, Diff
from quorate.protocols.review.world.change.trees import GitTree, Undisputed
from quorate.protocols.review.world.change.workbench import Workbench


def of_diff(source: Diff, folder: Path) -> Sides | Loose:
    """Apply the diff to, or revert it from, the last commit or the index; loose if neither works."""
    name = "the diff" if source.file == STDIN else source.file
    patches = parse(_text(source, folder), name)
    touched = frozenset(path for patch in patches for path in (patch.path, patch.old_path) if path)
    repository = find_repository(folder) if folder.is_dir() else None
    root = repository.root if repository is not None else folder
    paths = narrowed(source.paths, folder, root)
    what = "a diff from standard input" if source.file == STDIN else f"the diff {Path(source.file).name}"
    title = titled(what, paths)
    patches = tuple(patch for patch in patches if _under(patch, paths))
    if not patches:
        raise nothing_in("the diff changes nothing", paths, "a diff with files in it")
    if repository is None or (head := repository.head()) is None:
        return Loose(patches, title, None, None)
    bench = Workbench(repository)
    binary = tuple(LeftOut(patch.path, Why.BINARY, "as the diff says") for patch in patches if patch.binary)
    text = "".join(patch.text for patch in patches if not patch.binary)
    nothing = nothing_in("the diff changes nothing", (), "a diff with lines that come or go")
    for old, new, base, tip, sure in _fits(repository, bench, head, text) if text else ():
        # Who sends a diff that is taken off writes the tree before it; who wrote HEAD may have sent the diff. So
        # the project says in HEAD how it is judged, and what the diff touches counts on neither side.
        disputed = frozenset[str]() if sure else touched
        grounds = Undisputed(GitTree(bench, head), disputed)
        before, after = GitTree(bench, old), GitTree(bench, new)
        return Sides(
            bench,
            old,
            new,
            title,
            base,
            tip,
            root,
            nothing,
            before,
            after,
            grounds,
            left_out=binary,
            grounds=grounds,
            disputed=disputed,
        )
    # What is ignored is not asked of HEAD: it may be the change's own.
    return Loose(patches, title, root, None)


def _fits(repository: Repository, bench: Workbench, head: str, text: str) -> Iterator[tuple[str, str, str, str, bool]]:
    """Yield the trees and commits before and after, wherever the diff applies as a whole.

    The last element is whether HEAD certainly does not contain the diff already.
    """
    before = bench.applied(head, text, reverse=True)
    if after := bench.applied(head, text):
        yield head, after, head, "", before is None
    if before:
        yield before, head, "", head, False
    try:
        staged = bench.tree_of_index(repository.index())
    except (InputError, GitFailed):
        return
    if after := bench.applied(staged, text):
        yield staged, after, "", "", False
    if before := bench.applied(staged, text, reverse=True):
        yield before, staged, "", "", False


def _text(source: Diff, folder: Path) -> str:
    if source.file == STDIN:
        if source.text is None:
            how = "the same diff again"
            raise InputError("the diff came from standard input and was not kept", expected=how)
        data = source.text.encode("utf-8", "surrogateescape")
    else:
        refuse_guarded(folder / source.file, source.file)
        try:
            with (folder / source.file).open("rb") as stream:
                data = stream.read(MOST_DIFF + 1)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}", file=source.file) from error
    if len(data) > MOST_DIFF:
        raise InputError("is too large", file=source.file, expected=f"at most {MOST_DIFF:,} bytes")
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _under(patch: Patch, paths: Sequence[str]) -> bool:
    names = [name for name in (patch.path, patch.old_path) if name]
    return not paths or any(name == path or name.startswith(f"{path}/") for name in names for path in paths)
