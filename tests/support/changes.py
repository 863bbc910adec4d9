"""Code changes without a repository: two trees in memory, and the Change between them as intake would read it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from quorate.kit.change import Change, ChangedFile, FileStatus, LeftOut


@dataclass(frozen=True)
class MemoryTree:
    """The files of a project, as texts by path."""

    files: Mapping[str, str] = field(default_factory=dict)

    def paths(self) -> Iterable[str]:
        return sorted(self.files)

    def read(self, path: str) -> str | None:
        return self.files.get(path)


def change_of(
    before: Mapping[str, str],
    after: Mapping[str, str],
    *,
    moved: Mapping[str, str] | None = None,
    trees: bool = True,
    root: str = "",
    left_out: tuple[LeftOut, ...] = (),
) -> Change:
    """Return the change from one project to another; `moved` maps new paths to the old ones they came from.

    Without `trees` it is what a bare diff tells: no project, and no whole texts of the files.
    """
    moved = moved or {}
    gone = set(moved.values())
    paths = sorted((before.keys() | after.keys()) - gone)
    files = [
        changed_file(path, before.get(moved.get(path, path)), after.get(path), moved.get(path, ""), texts=trees)
        for path in paths
        if path in moved or before.get(path) != after.get(path)
    ]
    return Change(
        title="a change against a base",
        base="",
        head="",
        files=tuple(files),
        left_out=left_out,
        before=MemoryTree(dict(before)) if trees else None,
        after=MemoryTree(dict(after)) if trees else None,
        root=root,
    )


def changed_file(path: str, before: str | None, after: str | None, old_path: str = "", *, texts: bool) -> ChangedFile:
    """Return one file of a change, with its patch and its maps of lines; None means that it is not there."""
    old, new = _lines(before), _lines(after)
    groups = list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3))
    codes = [code for group in groups for code in group if code[0] != "equal"]
    return ChangedFile(
        path=path,
        status=_status(before, after, old_path),
        patch=_head(path, before, after, old_path) + "".join(_hunk(group, old, new) for group in groups),
        before=before if texts else None,
        after=after if texts else None,
        added={n + 1: new[n].removesuffix("\n") for _, _, _, low, high in codes for n in range(low, high)},
        removed={n + 1: old[n].removesuffix("\n") for _, low, high, _, _ in codes for n in range(low, high)},
        old_path=old_path,
    )


def _lines(text: str | None) -> list[str]:
    """Split at line feeds alone, as git does; a last line without one is kept as it is."""
    parts = (text or "").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _status(before: str | None, after: str | None, old_path: str) -> FileStatus:
    if old_path:
        return FileStatus.RENAMED
    if before is None:
        return FileStatus.ADDED
    return FileStatus.DELETED if after is None else FileStatus.MODIFIED


def _head(path: str, before: str | None, after: str | None, old_path: str) -> str:
    old = old_path or path
    words = [f"diff --git a/{old} b/{path}"]
    if old_path:
        words += [f"rename from {old}", f"rename to {path}"]
    elif before is None:
        words.append("new file mode 100644")
    elif after is None:
        words.append("deleted file mode 100644")
    if before != after and (before or after):
        words.append("--- /dev/null" if before is None else f"--- a/{old}")
        words.append("+++ /dev/null" if after is None else f"+++ b/{path}")
    return "\n".join(words) + "\n"


def _hunk(group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]) -> str:
    a, b, c, d = group[0][1], group[-1][2], group[0][3], group[-1][4]
    told = [f"@@ -{_span(a, b)} +{_span(c, d)} @@\n"]
    for tag, i, j, k, m in group:
        if tag == "equal":
            told += [_told(" ", line) for line in old[i:j]]
        else:
            told += [_told("-", line) for line in old[i:j]]
            told += [_told("+", line) for line in new[k:m]]
    return "".join(told)


def _span(low: int, high: int) -> str:
    first = low + 1 if high > low else low
    return str(first) if high - low == 1 else f"{first},{high - low}"


def _told(mark: str, line: str) -> str:
    return mark + line if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
