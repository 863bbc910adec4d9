"""Comparing public interfaces before and after a change, in Python and in TypeScript or JavaScript.

What others may use is removed, renamed or called otherwise: HIGH, unless the same change names it in a changelog or in
the documentation; then it is LOW, a note, since nothing better could be done about it. What is added without a word of
documentation is LOW. Tests, examples, scripts and modules whose name begins with an underscore have no interface.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from quorate.files.places import counted, is_document, is_python, is_script, is_source, kinds, listed
from quorate.kit.change import Change, ChangedFile, FileStatus
from quorate.kit.check_result import CheckResult, skipped
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, quoted, result
from quorate.protocols.review.world.checks.python_surface import python_surface
from quorate.protocols.review.world.checks.script_surface import script_surface
from quorate.protocols.review.world.checks.surface import PublicName, PublicSurface, breaks

CHECK = "interfaces"
MOST_TEXT = 400_000
MOST_NAMES = 8
_INNER = re.compile(
    r"(?:^|/)(?:docs?|examples?|scripts?|tools|benchmarks?|migrations|vendor|node_modules|_[^_/][^/]*)(?:/|$)"
    r"|(?:^|/)(?:__main__|setup|noxfile|manage)\.py$|(?:^|/)[^/]*(?:\.config|\.stories)\.\w+$"
)
DOCUMENT_IT = "Say so in the changelog or in the documentation, or keep it."


@dataclass(frozen=True, slots=True)
class _Compared:
    """A file's interface before and after; that of an absent file is empty."""

    file: ChangedFile
    before: PublicSurface
    after: PublicSurface

    @property
    def removed(self) -> list[PublicName]:
        """Return the removed items; methods of a class that was removed as a whole are not listed."""
        if self.after.is_open:
            return []
        gone = [item for key, item in self.before.items.items() if key not in self.after.items]
        names = {item.name for item in gone}
        return [
            item
            for item in gone
            if item.name not in self.after.bound
            and item.name.rpartition(".")[0] not in names
            and not self._may_be_inherited(item)
        ]

    def _may_be_inherited(self, item: PublicName) -> bool:
        owner = item.name.rpartition(".")[0]
        return bool(owner) and owner in self.after.inheriting

    @property
    def added(self) -> list[PublicName]:
        return [item for key, item in self.after.items.items() if key not in self.before.items]

    @property
    def changed(self) -> list[tuple[PublicName, list[str]]]:
        both = [(item, self.after.items[key]) for key, item in self.before.items.items() if key in self.after.items]
        return [(now, told) for was, now in both if (told := list(breaks(was, now)))]

    @property
    def differs(self) -> bool:
        parameters = {key: item.parameters for key, item in self.before.items.items()}
        return parameters != {key: item.parameters for key, item in self.after.items.items()}


def check_interfaces(change: Change) -> CheckResult:
    """Report public interfaces that a change breaks, and additions that it does not document."""
    files = [file for file in change.files if _has_interface(file.path)]
    other = kinds(f.path for f in change.files if is_source(f.path) and not is_python(f.path) and not is_script(f.path))
    if not files:
        told = f"interfaces are not known for {other}" if other else "no file that has a public interface is changed"
        return skipped(CHECK, told)
    compared, unread = _compared(files)
    if not compared:
        return skipped(CHECK, f"not known whole, too large or not to be parsed: {listed(unread)}")
    words = _documented(change)
    findings = [finding for each in compared for finding in _judged(each, words)]
    reason = f"compared the public interfaces of {counted(len(compared), 'file')}"
    if unread:
        reason += f"; not compared: {listed(unread)}"
    if other:
        reason += f"; interfaces are not known for {other}"
    return result(CHECK, reason, findings)


def interfaces_changed(change: Change) -> bool:
    """Return whether a change affects any public interface: removals, renames, additions or parameters."""
    compared, _ = _compared([file for file in change.files if _has_interface(file.path)])
    return any(
        each.differs or (each.file.status is FileStatus.RENAMED and bool(each.before.items)) for each in compared
    )


def _has_interface(path: str) -> bool:
    return (is_python(path) or is_script(path)) and is_source(path) and not _INNER.search(path)


def _compared(files: list[ChangedFile]) -> tuple[list[_Compared], list[str]]:
    compared, unread = [], []
    for file in files:
        before = _surface(file.old_path or file.path, file.before, absent=file.status is FileStatus.ADDED)
        after = _surface(file.path, file.after, absent=file.status is FileStatus.DELETED)
        if before is None or after is None:
            unread.append(file.path)
        else:
            compared.append(_Compared(file, before, after))
    return compared, unread


def _surface(path: str, text: str | None, *, absent: bool) -> PublicSurface | None:
    if absent:
        return PublicSurface()
    if text is None or len(text) > MOST_TEXT:
        return None
    return python_surface(path, text) if is_python(path) else script_surface(text)


def _documented(change: Change) -> frozenset[str]:
    """Return the words that the change adds to documents."""
    lines = (line for file in change.files if is_document(file.path) for line in file.added.values())
    return frozenset(word for line in lines for word in re.findall(r"\w+", line[:5_000]))


def _judged(each: _Compared, words: frozenset[str]) -> Iterator[Finding]:
    file, removed = each.file, each.removed
    gone = file.status in (FileStatus.DELETED, FileStatus.RENAMED)
    if gone and each.before.items:
        yield _moved(each, words)
    for item in removed if file.status is not FileStatus.DELETED else ():
        name = clip(item.name, 80)
        told = f"The public name {name} is gone. {DOCUMENT_IT}"
        quote = clip((file.before or "").split("\n")[item.line - 1]) if file.before else ""
        severity = _severity(item.name, words)
        yield Finding("interface/removed", severity, file.path, 0, told, quote or name, action=DOCUMENT_IT)
    for item, ways in each.changed:
        told = f"{clip(item.name, 80)} {'; '.join(clip(way) for way in ways)}. {DOCUMENT_IT}"
        quote = quoted(file, item.line)
        severity = _severity(item.name, words)
        yield Finding("interface/changed", severity, file.path, item.line, told, quote, action=DOCUMENT_IT)
    for item in each.added:
        if (
            item.documented
            or _is_named(item.name, words)
            or item.name.endswith(".__init__")
            or item.line not in file.added
        ):
            continue
        told = (
            f"The new public name {clip(item.name, 80)} is not documented. Say in a sentence what callers may rely on."
        )
        yield Finding("interface/undocumented", Severity.LOW, file.path, item.line, told, quoted(file, item.line))


def _moved(each: _Compared, words: frozenset[str]) -> Finding:
    """Return the finding about a module that was moved."""
    file = each.file
    path = file.old_path or file.path
    names = listed([clip(name, 60) for name in each.before.items if "." not in name], MOST_NAMES)
    what = "was moved" if file.status is FileStatus.RENAMED else "is gone"
    stem = path.rpartition("/")[2].partition(".")[0]
    told = f"The module {clip(path)} {what}, with {names}. {DOCUMENT_IT}"
    severity = _severity(stem, words)
    return Finding("interface/removed", severity, file.path, 0, told, clip(path), action=DOCUMENT_IT)


def _severity(name: str, words: frozenset[str]) -> Severity:
    return Severity.LOW if _is_named(name, words) else Severity.HIGH


def _is_named(name: str, words: frozenset[str]) -> bool:
    """Return whether the change's documents mention a name; a method by its own name, `__init__` by its class."""
    owner, _, own = name.rpartition(".")
    return (owner if own == "__init__" else own) in words
