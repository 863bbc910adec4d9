"""Tools: read-only access to a context folder. No path, link or race can escape it.

Every result is text whose first line begins with `ok:` or `refused:`; bad arguments never raise. File contents are
data: fence a result before showing it to a model. Secrets are masked, and cannot be searched for.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

from quorate.core.errors import InputError, nearest
from quorate.files.guarded_names import is_guarded
from quorate.kit.strict_json import strict_json
from quorate.participants.port import Tools
from quorate.safety.fence import one_line
from quorate.safety.secrets import without_secrets

MOST_SHOWN = 256 * 1024
"""Bytes of one file that are read or searched."""
MOST_ENTRIES = 500
MOST_HITS = 50
SNIPPET = 200
MOST_SEARCHED = 64 * 1024 * 1024
"""Bytes of all files that one search reads."""
MOST_VISITED = 20_000
"""Files that a list of everything or a search looks at, so that a huge folder costs no more than a large one."""
LONGEST_PATH = 4096
LONGEST_TERM = 1_000

PRIVATE = frozenset({".git", ".hg", ".svn", ".quorate"})
"""Folders of version control and of the store, which are neither listed nor read unless they are allowed."""
CLUTTER = frozenset({"node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache"})
"""Folders that lists of everything and searches pass by; asked for by name they can be read."""


_UTF8 = codecs.getincrementaldecoder("utf-8")


class _Refused(Exception):
    """A call was refused; the message is for the caller."""


@dataclass(frozen=True, slots=True)
class ContextFolder:
    """Read-only access to the files below one folder.

    `allow` lists files that may be shown although their names suggest secrets.
    """

    root: Path
    allow: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.root.is_dir():
            what = "is not a folder" if self.root.exists() else "does not exist"
            raise InputError(f"the context folder {what}", file=str(self.root), expected="a folder with files to read")
        object.__setattr__(self, "root", self.root.resolve(strict=True))

    # The three looks

    def list(self, path: str = ".") -> str:
        """List one folder: names with sizes, folders with a slash, sorted by name."""
        return _answer(self._list, path)

    def read(self, path: str) -> str:
        """Return a text file, or its beginning if it is long."""
        return _answer(self._read, path)

    def search(self, term: str) -> str:
        """Search all files for a text, ignoring case, and return the matching lines with context."""
        return _answer(self._search, term)

    def listing(self) -> str:
        """Return all files with their sizes, one per line, as material for a view. Deterministic."""
        found = list(islice(self._files(), MOST_VISITED))
        lines = [f"{_shown(name)} ({size} bytes)" for name, size in found[:MOST_ENTRIES]]
        if left_out := len(found) - len(lines):
            lines.append(f"[{left_out}{' or more' if len(found) >= MOST_VISITED else ''} further files are not listed]")
        return "\n".join(lines)

    def _list(self, path: str) -> str:
        folder = self._resolve(path)
        if not folder.is_dir():
            raise _Refused(f"{_shown(path)} is not a folder; read it instead")
        names = sorted(each.name for each in folder.iterdir())
        lines: list[str] = []
        hidden = 0
        while names and len(lines) < MOST_ENTRIES:
            name = names.pop(0)
            try:
                kind = self._resolve((folder / name).relative_to(self.root).as_posix()).stat()
            except _Refused:
                hidden += 1
                continue
            if stat.S_ISDIR(kind.st_mode):
                lines.append(f"{_shown(name)}/")
            elif stat.S_ISREG(kind.st_mode):
                lines.append(f"{_shown(name)} ({kind.st_size} bytes)")
            else:
                hidden += 1
        note = f", {hidden} not shown (secrets, links out of the folder, special files)" if hidden else ""
        more = [f"[{len(names)} further entries are not listed]"] if names else []
        return "\n".join([f"ok: {len(lines)} entries{note}", *lines, *more])

    def _read(self, path: str) -> str:
        data, size = self._open(self._resolve(path))
        text = _decode(data, whole=len(data) >= size)
        if text is None:
            return f"ok: {_shown(path)} is a binary file of {size} bytes; it is not shown"
        note = f"the first {len(data)} of {size} bytes" if len(data) < size else f"{size} bytes"
        return f"ok: {_shown(path)}, {note}\n{without_secrets(text, path=path)}"

    def _search(self, term: str) -> str:
        if not term.strip():
            raise _Refused("search for some text; this term is blank")
        if len(term) > LONGEST_TERM:
            raise _Refused(f"a term has at most {LONGEST_TERM} characters")
        pattern = re.compile(re.escape(term), re.IGNORECASE)
        hits: list[str] = []
        left, complete = MOST_SEARCHED, True
        for number, (name, _) in enumerate(self._files()):
            if left <= 0 or len(hits) > MOST_HITS or number >= MOST_VISITED:
                complete = False
                break
            try:
                data, size = self._open(self._resolve(name))
            except _Refused:
                continue  # it went away, or changed, since it was listed
            left -= len(data)
            complete = complete and len(data) == size
            hits += _hits(name, _decode(data, whole=len(data) >= size) or "", pattern)
        more = "" if complete and len(hits) <= MOST_HITS else "; there may be more, not everything was searched"
        return "\n".join([f"ok: {min(len(hits), MOST_HITS)} lines found{more}", *hits[:MOST_HITS]])

    # Confinement

    def _resolve(self, path: str) -> Path:
        """Resolve a path and its links, or refuse it. Opens nothing."""
        if not isinstance(path, str):
            raise _Refused("the path must be text")
        if "\0" in path or len(path) > LONGEST_PATH:
            raise _Refused("this cannot be a path")
        asked = PurePosixPath(path.replace("\\", "/") if os.name == "nt" else path)
        if asked.is_absolute() or ".." in asked.parts or Path(path).is_absolute() or Path(path).drive:
            raise _Refused(f"{_shown(path)} leads out of the context folder; give a path below it, without '..'")
        try:
            found = (self.root / asked).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise _Refused(f"there is no {_shown(path)} in the context folder") from None
        if not found.is_relative_to(self.root):
            raise _Refused(f"{_shown(path)} is a link out of the context folder")
        if self._is_secret(asked.parts) or self._is_secret(found.relative_to(self.root).parts):
            raise _Refused(f"{_shown(path)} may hold secrets and is not shown")
        return found

    def _is_secret(self, parts: tuple[str, ...]) -> bool:
        private = any(part.casefold() in PRIVATE and part not in self.allow for part in parts)
        return private or is_guarded(parts, self.allow)

    def _open(self, path: Path) -> tuple[bytes, int]:
        """Read the beginning of a resolved path; pipes and devices are refused without blocking.

        Every component is opened without following links, so none can be swapped between resolving and opening.
        """
        steps = path.relative_to(self.root).parts
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
        opened: list[int] = []
        try:
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise _Refused(f"{_shown(path.name)} is not a regular file")
            if os.open in os.supports_dir_fd:
                opened.append(os.open(self.root, os.O_RDONLY | os.O_DIRECTORY))
                for step in steps[:-1]:
                    opened.append(os.open(step, flags | os.O_DIRECTORY, dir_fd=opened[-1]))
                opened.append(os.open(steps[-1], flags, dir_fd=opened[-1]))
            else:
                opened.append(os.open(path, flags | getattr(os, "O_BINARY", 0)))
            kind = os.fstat(opened[-1])
            if not stat.S_ISREG(kind.st_mode) or path.resolve() != path:
                raise _Refused(f"{_shown(path.name)} is not a regular file")
            with os.fdopen(opened.pop(), "rb") as file:
                return file.read(MOST_SHOWN), kind.st_size
        except OSError as error:
            raise _Refused(f"{_shown(path.name)} cannot be read: {error.strerror or error}") from None
        finally:
            for descriptor in opened:
                os.close(descriptor)

    def _files(self) -> Iterator[tuple[str, int]]:
        """Yield the files that may be shown, in order, skipping links to folders and clutter."""
        for folder, folders, names in os.walk(self.root):
            above = Path(folder).relative_to(self.root)
            folders[:] = sorted(n for n in folders if n not in CLUTTER and not self._is_secret((above / n).parts))
            for name in sorted(names):
                relative = (above / name).as_posix()
                try:
                    kind = self._resolve(relative).stat()
                except (_Refused, OSError):
                    continue
                if stat.S_ISREG(kind.st_mode):
                    yield relative, kind.st_size


def _answer(look: Callable[[Any], str], argument: object) -> str:
    try:
        if not isinstance(argument, str):
            raise _Refused(f"the argument must be text, not {type(argument).__name__}")
        return look(argument)
    except _Refused as refusal:
        return f"refused: {refusal}"
    except OSError as error:
        return f"refused: {error.strerror or 'this cannot be read'}"


def _decode(data: bytes, *, whole: bool) -> str | None:
    """Return the text of a file, or None if it is binary. A character cut off at the end is dropped."""
    return None if b"\0" in data else _UTF8("replace").decode(data, final=whole)


def _hits(name: str, text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    if not pattern.search(text):
        return
    # The whole text is masked, as for reading: one line of a private key does not tell what it is. What a mask hides is
    # not found either, or a secret could be guessed letter by letter.
    for number, line in enumerate(without_secrets(text, path=name).splitlines(), start=1):
        if found := pattern.search(line):
            begin = max(0, min(found.start() - SNIPPET // 4, len(line) - SNIPPET))
            yield f"{_shown(name)}:{number}: {line[begin : begin + SNIPPET].strip()}"


def _shown(path: str) -> str:
    """Return a name safe to print: one line, no hidden characters, bounded length."""
    name = one_line(path)
    return name if len(name) <= SNIPPET else f"{name[:SNIPPET]}…"


# Calls by name, as models make them


def look(tools: Tools, name: str, arguments: str | Mapping[str, Any]) -> str:
    """Run a tool call by name. An unknown tool or bad arguments return a `refused:` text."""
    looks = {"list": ("path", tools.list), "read": ("path", tools.read), "search": ("term", tools.search)}
    if name not in looks:
        near = nearest(name, looks)
        hint = f"; did you mean {near}?" if near else ""
        return f"refused: there is no tool {_shown(name)}; use list, read or search{hint}"
    parameter, function = looks[name]
    try:
        given = strict_json(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return f'refused: the arguments are not unambiguous JSON; expected {{"{parameter}": "…"}}'
    if not isinstance(given, Mapping) or set(given) - {parameter} or (name != "list" and parameter not in given):
        return f'refused: the arguments do not fit; expected {{"{parameter}": "…"}}'
    return function(given.get(parameter, "."))
