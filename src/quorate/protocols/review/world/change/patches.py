"""Parsing a unified diff, of git or `diff -u`, into one canonical patch per file.

The input is untrusted. What cannot be parsed raises InputError with the line; the output always starts with a line
`diff --git a/... b/...`, shows printable paths only, stays within the project, and can be given to `git apply`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from quorate.core.errors import InputError
from quorate.kit.change import FileStatus
from quorate.protocols.review.world.change.hunks import Hunks, Lines, read_hunks
from quorate.protocols.review.world.change.quoted_paths import first_name, in_header, name_of

MOST_FILES_OF_A_DIFF = 20_000
NOTHING = "/dev/null"

_UNREADABLE = re.compile("[\0\ud800-\udfff]")
_BINARY = re.compile(r"Binary files (.+) and (.+) differ")
_ENCODED = re.compile(r"(?:literal|delta) \d+|[A-Za-z]\S+|")
"""The lines of a binary patch."""
_EXTENDED = re.compile(
    r"old mode (?P<old_mode>\d{6})|new mode (?P<new_mode>\d{6})|new file mode (?P<created>\d{6})"
    r"|deleted file mode (?P<deleted>\d{6})|(?:rename|copy) from (?P<source>.+)|(?:rename|copy) to (?P<target>.+)"
    r"|(?:dis)?similarity index \d{1,3}%|index [0-9a-f]+\.\.[0-9a-f]+(?: \d{6})?"
)


@dataclass(frozen=True, slots=True)
class Patch:
    """The patch of one file."""

    path: str
    old_path: str
    """Empty unless it was renamed."""
    status: FileStatus
    text: str
    added: Mapping[int, str]
    removed: Mapping[int, str]
    binary: bool
    """It has no lines that could be shown: no text, or not in UTF-8."""
    modes: tuple[str, str]
    """Before and after; empty where the diff does not say."""


@dataclass(slots=True)
class _Header:
    """The header before the hunks of a file."""

    old: str = ""
    new: str = ""
    """Names with their prefixes, or /dev/null."""
    halves: tuple[str, str] = ("", "")
    """The two names after `diff --git`; empty where the diff is not git's."""
    named: bool = False
    """`---` and `+++` have told the names."""
    moved_from: str = ""
    moved_to: str = ""
    copied: bool = False
    old_mode: str = ""
    new_mode: str = ""
    created: bool = False
    deleted: bool = False
    binary: bool = False
    kept: list[str] = field(default_factory=list)


def parse(text: str, file: str = "the diff") -> tuple[Patch, ...]:
    """Return the patches of a diff in order; raises InputError if it is invalid, miscounted, or names a file twice."""
    lines, patches, seen = Lines.of(text, file), list[Patch](), set[str]()
    while (line := lines.here) is not None:
        start = lines.at
        header = _next_header(lines, line)
        if header is None:
            lines.at += 1
            continue
        patch = _patch(lines, header, start)
        if patch.path in seen:
            raise lines.error(
                f"lists {patch.path!r} twice", "each file once, in one diff of the whole change", at=start
            )
        seen.add(patch.path)
        patches.append(patch)
        if len(patches) > MOST_FILES_OF_A_DIFF:
            raise lines.error("touches too many files", f"at most {MOST_FILES_OF_A_DIFF:,}", at=start)
    if not patches:
        raise InputError("contains no unified diff", file=file, expected="the output of `git diff` or `diff -ruN`")
    return tuple(patches)


def _next_header(lines: Lines, line: str) -> _Header | None:
    """Read the header of a file if one begins here; other lines, such as a commit message, are skipped."""
    if line.startswith("diff --git "):
        return _git_header(lines, line.removeprefix("diff --git ").rstrip("\r"))
    if line.startswith(("diff --cc ", "diff --combined ")):
        raise lines.error("is a combined diff of a merge", "a diff of two sides, as `git diff A B` prints it")
    if line.startswith("Only in "):
        raise lines.error(
            "mentions a file without its content", "a diff with new files in it, as `diff -ruN` prints it"
        )
    if line.startswith("--- ") and (lines.all[lines.at + 1 : lines.at + 2] or [""])[0].startswith("+++ "):
        header = _Header()
        _read_names(lines, header)
        return header
    if match := _BINARY.fullmatch(line.rstrip("\r")):
        lines.at += 1
        return _Header(old=name_of(match[1]), new=name_of(match[2]), binary=True)
    if line.startswith("@@ "):
        raise lines.error("is a hunk without a file", "`--- OLD` and `+++ NEW` before it")
    return None


def _git_header(lines: Lines, names: str) -> _Header:
    header = _Header(halves=_both_names(names))
    header.old, header.new = header.halves
    lines.at += 1
    while (line := lines.here) is not None and _take_extended(header, line.rstrip("\r")):
        lines.at += 1
    if line is not None and line.startswith("--- "):
        _read_names(lines, header)
    elif line is not None and line.startswith(("Binary files ", "GIT binary patch")):
        header.binary = True
        lines.at += 1
        while (line := lines.here) is not None and _ENCODED.fullmatch(line.rstrip("\r")):
            lines.at += 1
    return header


def _take_extended(header: _Header, line: str) -> bool:
    """Read one extended header line between `diff --git` and `---`; return False if it is not one."""
    match = _EXTENDED.fullmatch(line)
    if match is None:
        return False
    match match.lastgroup, match[match.lastgroup or 0]:
        case "old_mode", mode:
            header.old_mode = mode
        case "new_mode", mode:
            header.new_mode = mode
        case "created", mode:
            header.new_mode, header.created = mode, True
        case "deleted", mode:
            header.old_mode, header.deleted = mode, True
        case "source", name:
            header.moved_from, header.copied = name_of(name), line.startswith("copy")
            return True
        case "target", name:
            header.moved_to = name_of(name)
            return True
        case _:
            pass
    if not line.startswith("index "):
        # Abbreviated names of objects depend on what else a repository holds.
        header.kept.append(line)
    return True


def _read_names(lines: Lines, header: _Header) -> None:
    """Read `--- OLD` and `+++ NEW`."""
    header.old = _stamped(lines.all[lines.at].removeprefix("--- "))
    lines.at += 1
    line = lines.here
    if line is None or not line.startswith("+++ "):
        raise lines.error("does not name the new file", "`+++ NEW` after `--- OLD`")
    header.new, header.named = _stamped(line.removeprefix("+++ ")), True
    lines.at += 1


def _stamped(text: str) -> str:
    """Return the name before a time stamp."""
    quoted = first_name(text)
    return quoted[0] if quoted is not None else name_of(text.partition("\t")[0].rstrip("\r"))


def _both_names(text: str) -> tuple[str, str]:
    """Split the two names after `diff --git`; unquoted names are equally long, except for a rename."""
    quoted = first_name(text)
    if quoted is not None:
        return quoted[0], name_of(quoted[1].removeprefix(" "))
    if text.endswith('"') and ' "' in text:
        old, _, new = text.partition(' "')
        return name_of(old), name_of(f'"{new}')
    middle = len(text) // 2
    return name_of(text[:middle]), name_of(text[middle + 1 :])


def _patch(lines: Lines, header: _Header, start: int) -> Patch:
    hunks = Hunks() if header.binary else read_hunks(lines)
    created = header.created or header.old == NOTHING or (hunks.creates and not any(header.halves))
    deleted = header.deleted or header.new == NOTHING or (hunks.deletes and not any(header.halves))
    if created and deleted:
        raise lines.error("both creates and deletes the file", "a file on at least one side", at=start)
    if created and not header.created:
        _take_extended(header, "new file mode 100644")
    if deleted and not header.deleted:
        _take_extended(header, "deleted file mode 100644")
    try:
        old, new = (_inside(path) for path in _paths(header))
    except ValueError as error:
        raise lines.error(str(error), "a path within the project", at=start) from error
    renamed = old != new and not created and not deleted and not header.copied
    if created or header.copied:
        status = FileStatus.ADDED
    elif deleted:
        status = FileStatus.DELETED
    else:
        status = FileStatus.RENAMED if renamed else FileStatus.MODIFIED
    path = old if deleted else new
    text = _canonical(header, hunks, old if renamed or header.copied else path, path, created, deleted)
    return Patch(
        path,
        old if renamed else "",
        status,
        text,
        hunks.added,
        hunks.removed,
        header.binary or _UNREADABLE.search(text) is not None,
        ("" if created else header.old_mode or header.new_mode, "" if deleted else header.new_mode or header.old_mode),
    )


def _paths(header: _Header) -> tuple[str, str]:
    """Return the two paths without prefixes: a/ and b/, those of git's other settings, or two folders compared."""
    if header.moved_from and header.moved_to:
        return header.moved_from, header.moved_to
    old, new = header.old, header.new
    if NOTHING in (old, new) and any(header.halves):
        old, new = header.halves
    if NOTHING in (old, new):
        path = (new if old == NOTHING else old).removeprefix("b/" if old == NOTHING else "a/")
        return path, path
    if old == new:
        return old, new
    old_tail, new_tail = old.partition("/")[2], new.partition("/")[2]
    if old_tail and old_tail == new_tail:
        return old_tail, new_tail
    if old.startswith("a/") and new.startswith("b/"):
        return old_tail, new_tail
    if not header.named:
        raise ValueError("does not say which file it changes")
    return new, new


def _inside(path: str) -> str:
    """Return the path relative to the root; raises ValueError if it leaves the project."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if not parts:
        raise ValueError("has an empty file name")
    if ".." in parts:
        raise ValueError(f"names {path!r}, which is outside of the project")
    return "/".join(parts)


def _canonical(header: _Header, hunks: Hunks, old: str, new: str, created: bool, deleted: bool) -> str:
    lines = [f"diff --git {in_header('a/', old)} {in_header('b/', new)}", *header.kept]
    if old != new:
        word = "copy" if header.copied else "rename"
        lines += [f"{word} from {in_header('', old)}", f"{word} to {in_header('', new)}"]
    if header.binary:
        lines.append("Binary files differ")
    elif hunks.text:
        # A name with a blank ends with a tab, so that what follows is no part of it.
        ends = {name: "\t" if " " in name and "\\" not in name else "" for name in (old, new)}
        lines.append(f"--- {NOTHING}" if created else f"--- {in_header('a/', old)}{ends[old]}")
        lines.append(f"+++ {NOTHING}" if deleted else f"+++ {in_header('b/', new)}{ends[new]}")
        lines += hunks.text
    return "\n".join(lines) + "\n"
