"""Merges the documents of a session into existing files: ids continue, and no existing byte is lost.

What is new is appended under a heading that names the session. Its ids go on from the highest of their type in the
existing files, and all references in the new part follow; words that are quoted stay as they were said (plain.py). The
marker at its head holds what became of which id, so that the same session merged again changes nothing, and a merge
that was cut short between two files is completed alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from quorate.core.errors import RuleViolation
from quorate.protocols.workshop.rules.documents.marks import SessionMark, anchored, session_mark, session_marks
from quorate.protocols.workshop.rules.documents.plain import FOLDER, table
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES

MOST_NUMBER = 999_999
"""The last number of an id, and of a decision record."""
_ANY_ID = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(TYPES)})\\?-(\d{{1,6}})(?![0-9])")
_REFERENCE = rf"(?<![\w-])(?P<kind>{'|'.join(TYPES)})-(?P<number>\d{{1,6}})(?!\w)"
NUMBERED = "What the session numbered otherwise (words that are quoted keep the session's numbers):"
_RECORD = re.compile(rf"{FOLDER}/(\d{{4,6}})-[^/]*\.md")
_HEADING = re.compile(r"^(#{1,5} )", re.MULTILINE)
_TITLE = re.compile(r"^# (.*)$", re.MULTILINE)


class MergeOutcome(Enum):
    """The outcome of a merge."""

    MERGED = "merged"
    ALREADY = "already there, nothing was changed"
    OTHER_STATE = "another state of this session is there, nothing was changed"


@dataclass(frozen=True, slots=True)
class Merged:
    """A text with another merged into it."""

    text: str
    ids: Mapping[str, str]
    """What became of each id of the new part."""
    outcome: MergeOutcome


@dataclass(frozen=True, slots=True)
class MergedFiles:
    """The files to write after a merge, each whole; empty if nothing changes."""

    files: Mapping[str, str]
    ids: Mapping[str, str]
    """What became of each id and of the file of each decision record."""
    outcomes: Mapping[str, MergeOutcome]
    """By the name that the file has in the session."""


def merge(existing: str, new: str) -> Merged:
    """Return the existing text with a document of ours appended; the existing text is its beginning, byte by byte."""
    done = merge_files({"document.md": existing}, {"document.md": new})
    return Merged(done.files.get("document.md", existing), done.ids, done.outcomes["document.md"])


def merge_files(existing: Mapping[str, str], new: Mapping[str, str]) -> MergedFiles:
    """Return the documents of one session merged into existing files, decision records as new files of their own.

    `existing` holds every file whose ids are taken: the documents, and all that lie in `decisions/`. Where they leave
    no number for an id, RuleViolation says so.
    """
    mark = _mark_of(new)
    known = [each for text in existing.values() for each in session_marks(text) if each.session == mark.session]
    held = [each for each in known if each.digest == mark.digest]
    if known and not held:
        # Two states of one session side by side would contradict each other: the caller has to choose.
        return MergedFiles({}, _recalled(known, new, mark), dict.fromkeys(new, MergeOutcome.OTHER_STATE))
    ids = _recalled(held, new, mark) if held else _renamed(existing, new, mark)
    files: dict[str, str] = {}
    outcomes: dict[str, MergeOutcome] = {}
    for name, text in new.items():
        target = ids.get(name, name)
        before = existing.get(target, "")
        if any(each.session == mark.session for each in session_marks(before)):
            outcomes[name] = MergeOutcome.ALREADY
        else:
            outcomes[name] = MergeOutcome.MERGED
            files[target] = before + _appended(before, _rewritten(text, ids), mark, ids)
    return MergedFiles(MappingProxyType(files), MappingProxyType(ids), MappingProxyType(outcomes))


def _mark_of(new: Mapping[str, str]) -> SessionMark:
    """Return the marker that all new documents begin with."""
    marks = {(each.session, each.digest) for text in new.values() for each in session_marks(text)[:1]}
    if len(marks) != 1 or not all(session_marks(text) for text in new.values()):
        raise RuleViolation("only the documents of one session can be merged: each begins with its marker")
    return SessionMark(*marks.pop())


# What ids become


def _ids_of(new: Mapping[str, str], mark: SessionMark) -> list[str]:
    found = dict.fromkeys(id_ for text in new.values() for id_ in anchored(text, mark.session))
    return sorted(found, key=lambda id_: (list(TYPES).index(id_.partition("-")[0]), int(id_.partition("-")[2])))


def _renamed(existing: Mapping[str, str], new: Mapping[str, str], mark: SessionMark) -> dict[str, str]:
    """Number on from the highest of each type, and from the highest decision record."""
    highest = highest_ids(existing)
    ids: dict[str, str] = {}
    for id_ in _ids_of(new, mark):
        kind = id_.partition("-")[0]
        highest[kind] = _after(highest[kind], f"{kind}-{{:03d}}", id_)
        ids[id_] = f"{kind}-{highest[kind]:03d}"
    return ids | _records(existing, new)


def highest_ids(existing: Mapping[str, str]) -> dict[str, int]:
    """Return the highest number of each type that is taken in files; 0 where none is."""
    highest = dict.fromkeys(TYPES, 0)
    for text in existing.values():
        for kind, number in _ANY_ID.findall(text):
            highest[kind] = max(highest[kind], int(number))
    return highest


def without_room(existing: Mapping[str, str], most: int) -> tuple[str, str] | None:
    """Return a file and what in it leaves no room for `most` more of its kind; None where there is room."""
    for name, text in existing.items():
        for kind, number in highest_ids({name: text}).items():
            if number + most > MOST_NUMBER:
                return name, f"{kind}-{number:03d}"
        if (found := _RECORD.fullmatch(name)) and int(found[1]) + most > MOST_NUMBER:
            return name, f"the number {found[1]}"
    return None


def _after(number: int, form: str, wanted: str) -> int:
    """The number that follows, as long as there is one."""
    if number >= MOST_NUMBER:
        raise RuleViolation(f"{form.format(number)} is taken, so no number is left for {wanted}; nothing was changed")
    return number + 1


def _records(existing: Iterable[str], new: Iterable[str]) -> dict[str, str]:
    taken = max((int(found[1]) for name in existing if (found := _RECORD.fullmatch(name))), default=0)
    names: dict[str, str] = {}
    for name in sorted(name for name in new if _RECORD.fullmatch(name)):
        taken = _after(taken, f"{FOLDER}/{{:04d}}", name)
        names[name] = f"{FOLDER}/{taken:04d}-{name.partition('-')[2]}"
    return names


def _recalled(known: list[SessionMark], new: Mapping[str, str], mark: SessionMark) -> dict[str, str]:
    """Return the id mapping of an earlier merge of the session; unlisted ids were kept."""
    renamed: dict[str, str] = {}
    for each in known:
        renamed.update(each.renamed)
    names = (*_ids_of(new, mark), *(name for name in new if _RECORD.fullmatch(name)))
    return {name: renamed.get(name, name) for name in names}


# The new part


def _rewritten(text: str, ids: Mapping[str, str]) -> str:
    """Replace old ids and file names by new ones in a single pass, so that none is replaced twice."""
    files = "|".join(re.escape(name) for name in ids if name.endswith(".md"))

    def replaced(found: re.Match[str]) -> str:
        kind, number = found["kind"], found["number"]
        return ids.get(f"{kind}-{int(number):03d}" if kind else found[0], found[0])

    return re.sub(f"{files}|{_REFERENCE}" if files else _REFERENCE, replaced, text)


def _appended(before: str, text: str, mark: SessionMark, ids: Mapping[str, str]) -> str:
    """Return the new part as it is appended: under a heading, one level deeper, with its id mapping."""
    changed = {old: new for old, new in ids.items() if old != new}
    head, _, body = text.partition("\n")
    assert head.startswith("<!-- quorate session ")
    marker = session_mark(mark.session, mark.digest, changed)
    if not before:
        return f"{marker}\n{body}"
    body = _HEADING.sub(r"#\1", _TITLE.sub(rf"# Merged from {mark.session}: \1", body, count=1))
    if changed:
        rows = table(("in the session", "here"), changed.items())
        end = body.index("\n", body.index("\n## ") + 1)
        body = f"{body[:end]}\n\n{NUMBERED}\n\n{rows}{body[end:]}"
    part = f"{_gap(before)}{marker}\n{body}"
    return part.replace("\n", "\r\n") if "\r\n" in before else part


def _gap(before: str) -> str:
    """Return the separator between old and new text: an empty line."""
    return "\n" if before.endswith("\n") else "\n\n"
