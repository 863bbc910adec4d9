"""Reading a code change from any source: every text file with its patch and texts, and what is left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import assert_never

from quorate.files.guarded_names import is_guarded
from quorate.kit.change import Change, ChangedFile, FileStatus, LeftOut, Tree, Why
from quorate.protocols.review.world.change.file_order import ranked
from quorate.protocols.review.world.change.from_diff import of_diff
from quorate.protocols.review.world.change.from_git import of_branch, of_commit, of_staged
from quorate.protocols.review.world.change.from_paths import of_paths
from quorate.protocols.review.world.change.generated_files import Generated
from quorate.protocols.review.world.change.globs import Pattern, ignored_by, patterns
from quorate.protocols.review.world.change.patches import Patch, parse
from quorate.protocols.review.world.change.sides import Loose, Sides
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Paths, Source, Staged
from quorate.protocols.review.world.change.tree_diff import FileDifference, compare
from quorate.protocols.review.world.change.trees import LINK, text_of
from quorate.protocols.review.world.change.workbench import MOST_FILE, Workbench

MOST_TEXT = 128_000_000
"""Bytes of all changed files together, before and after."""
AT_A_TIME = 50
"""Files that are read at once."""
MOST_LOOKED_AT = 16_000_000
"""Bytes of a file too large to be shown that is still looked at, to tell an image from a text."""
FIRST_BYTES = 8_000
IGNORE = ".quorateignore"


def read_change(source: Source, folder: Path) -> Change:
    """Read a change relative to a folder; raises InputError or SettingError, with what to do, if there is none.

    The trees of the change hold processes and a temporary folder until `trees.close(change)`, or until they are
    collected.
    """
    sides = find_sides(source, folder)
    return change_of(sides) if isinstance(sides, Sides) else _change_of_text(sides)


def find_sides(source: Source, folder: Path) -> Sides | Loose:
    """Return the two sides to compare, without comparing them."""
    folder = folder.resolve()
    match source:
        case Branch():
            return of_branch(source, folder)
        case Commit():
            return of_commit(source, folder)
        case Staged():
            return of_staged(source, folder)
        case Diff():
            return of_diff(source, folder)
        case Paths():
            return of_paths(source, folder)
    assert_never(source)


def digest_of(change: Change) -> str:
    """Return the digest of a change's patches, independent of where and when it is read."""
    digest = sha256()
    for file in sorted(change.files, key=lambda each: each.path):
        digest.update(f"{len(file.patch)}\n{file.patch}".encode())
    return digest.hexdigest()


def change_of(sides: Sides) -> Change:
    """Compare two sides."""
    pile = _Pile(_ignoring(sides.rules), Generated(sides.rules), list(sides.left_out))
    for entry, sections, texts in _readable(sides, pile):
        pile.take(_file(entry, sections, texts))
    if not pile.files and not pile.out:
        raise sides.nothing
    files, out = pile.sorted()
    return Change(
        sides.title,
        sides.base,
        sides.head,
        files,
        out,
        before=sides.before,
        after=sides.after,
        root=str(sides.root),
        grounds=sides.grounds,
        disputed=sides.disputed,
    )


def _change_of_text(loose: Loose) -> Change:
    """Return the change of a diff that applies to no known tree, from its text alone."""
    pile = _Pile(_ignoring(loose.rules), Generated(loose.rules))
    for patch in loose.patches:
        if pile.ignores(patch.path, patch.old_path):
            continue
        if "160000" in patch.modes:
            pile.out.append(LeftOut(patch.path, Why.SUBMODULE))
        elif patch.binary:
            pile.out.append(LeftOut(patch.path, Why.BINARY, "no text in UTF-8"))
        else:
            pile.take(_from([patch], patch.path, patch.old_path, (None, _new_text(patch))))
    files, out = pile.sorted()
    root = "" if loose.root is None else str(loose.root)
    return Change(loose.title, "", "", files, out, before=None, after=None, root=root)


def _new_text(patch: Patch) -> str | None:
    """Return the text of a new file, which its patch has whole; None for any other, and for a link."""
    whole = patch.status is FileStatus.ADDED and LINK not in patch.modes
    if not whole or list(patch.added) != list(range(1, len(patch.added) + 1)):
        return None
    return "".join(f"{line}\n" for line in patch.added.values())


@dataclass(slots=True)
class _Pile:
    """The files of a change while they are collected."""

    ignoring: Sequence[Pattern]
    generated: Generated
    out: list[LeftOut] = field(default_factory=list)
    files: list[ChangedFile] = field(default_factory=list)

    def ignores(self, path: str, old_path: str) -> bool:
        """Return whether the project ignores a file; one moved to an ignored path is not ignored yet."""
        rule = ignored_by(self.ignoring, path)
        if rule is not None and old_path and ignored_by(self.ignoring, old_path) is None:
            return False
        if rule is not None:
            self.out.append(LeftOut(path, Why.IGNORED, f"{rule} in {IGNORE}"))
        return rule is not None

    def take(self, file: ChangedFile | LeftOut) -> None:
        if isinstance(file, LeftOut):
            self.out.append(file)
            return
        self.files.append(file)
        if any(is_guarded(path.split("/")) for path in (file.path, file.old_path) if path):
            self.out.append(LeftOut(file.path, Why.GUARDED, "its name says so; the checks read it"))
        elif (why := self.generated.why(file)) is not None:
            self.out.append(LeftOut(file.path, Why.GENERATED, f"{why}; the checks read it"))

    def sorted(self) -> tuple[tuple[ChangedFile, ...], tuple[LeftOut, ...]]:
        return ranked(self.files, self.out), tuple(sorted(self.out, key=lambda each: each.path))


def _ignoring(rules: Tree | None) -> tuple[Pattern, ...]:
    """Return the ignore patterns from before the change, so that no change can hide its own files."""
    return patterns((rules.read(IGNORE) if rules is not None else None) or "")


def _readable(sides: Sides, pile: _Pile) -> Iterator[tuple[FileDifference, list[bytes], Mapping[str, bytes]]]:
    """Yield the files that are neither ignored nor beyond a limit, with patches and texts, in batches."""
    compared = compare(sides.bench, sides.old, sides.new, sides.paths)
    changed = [(entry, patch) for entry, patch in compared if not pile.ignores(entry.path, entry.old_path)]
    sizes = sides.bench.sizes(oid for entry, _ in changed for oid in entry.files)
    kept, room = list[tuple[FileDifference, list[bytes]]](), MOST_TEXT
    for entry, sections in changed:
        own = [sizes.get(oid, 0) for oid in entry.files]
        if (refusal := _refusal(entry, own, room)) is not None:
            pile.out.append(replace(refusal, why=Why.BINARY) if _is_binary(sides.bench, entry, sizes) else refusal)
        else:
            room -= sum(own)
            kept.append((entry, sections))
    for start in range(0, len(kept), AT_A_TIME):
        few = kept[start : start + AT_A_TIME]
        texts = sides.bench.read_all(oid for entry, _ in few for oid in entry.files)
        yield from ((entry, sections, texts) for entry, sections in few)


def _refusal(entry: FileDifference, sizes: Sequence[int], room: int) -> LeftOut | None:
    if entry.submodule:
        old, new = (oid[:10] or "nothing" for oid in entry.oids)
        return LeftOut(entry.path, Why.SUBMODULE, f"from {old} to {new}")
    if max(sizes, default=0) > MOST_FILE:
        return LeftOut(entry.path, Why.TOO_LARGE, f"{max(sizes):,} bytes, at most {MOST_FILE:,}")
    if sum(sizes) > room:
        return LeftOut(entry.path, Why.TOO_LARGE, f"more than {MOST_TEXT:,} bytes of changed files altogether")
    return None


def _is_binary(bench: Workbench, entry: FileDifference, sizes: Mapping[str, int]) -> bool:
    """Whether a file is no text, by a NUL among its first bytes, as git tells it; git itself asks the size first."""
    oids = [oid for oid in entry.files if not entry.submodule and 0 < sizes.get(oid, 0) <= MOST_LOOKED_AT]
    found = bench.read_all(oids, MOST_LOOKED_AT)
    return any(b"\0" in (found.get(oid) or b"")[:FIRST_BYTES] for oid in oids)


def _parsed(entry: FileDifference, section: bytes) -> Sequence[Patch]:
    return parse(section.decode("utf-8", "surrogateescape"), f"the patch of {entry.path}")


def _file(entry: FileDifference, sections: Iterable[bytes], read: Mapping[str, bytes]) -> ChangedFile | LeftOut:
    texts = list[str | None]()
    for mode, oid in zip(entry.modes, entry.oids, strict=True):
        text = None
        # A link is no text of the project: its patch shows where it leads.
        if oid and mode != LINK:
            text = text_of(read.get(oid))
            if text is None:
                return LeftOut(entry.path, Why.BINARY, "no text in UTF-8")
        texts.append(text)
    patches = [patch for section in sections for patch in _parsed(entry, section)]
    if any(patch.binary for patch in patches):
        return LeftOut(entry.path, Why.BINARY, "no text in UTF-8")
    return _from(patches, entry.path, entry.old_path, (texts[0], texts[1]), entry)


def _from(
    patches: Sequence[Patch],
    path: str,
    old_path: str,
    texts: tuple[str | None, str | None],
    entry: FileDifference | None = None,
) -> ChangedFile:
    return ChangedFile(
        path,
        patches[0].status if entry is None else entry.status,
        "".join(patch.text for patch in patches),
        before=texts[0],
        after=texts[1],
        added={number: line for patch in patches for number, line in patch.added.items()},
        removed={number: line for patch in patches for number, line in patch.removed.items()},
        old_path=old_path,
    )
