"""Writes a workshop's documents and session file into folders, without overwriting existing files.

A file is written whole or not at all, with the rights it had. What is there already stays as it is, unless the
documents are merged into it; then ids go on from those that are there, and the caller is told what became of each.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.session_end import Written
from quorate.api.sessions import Result
from quorate.api.user_folders import FileConflict, is_there, may_write, prepare, whole_text, write
from quorate.codec import decode_opening, reply_to_data
from quorate.core.errors import InputError, QuorateError, RuleViolation, SettingError
from quorate.core.record import Record, Said
from quorate.core.types import Absent
from quorate.core.view import View
from quorate.evidence.text import to_yaml
from quorate.files.lock import locked
from quorate.protocols.workshop.audit import dumps, export_session
from quorate.protocols.workshop.audit.dumps import QUESTION, RESPONSES, SYNTHESIS
from quorate.protocols.workshop.audit.moment import moment
from quorate.protocols.workshop.rules.documents import (
    ARCHITECTURE,
    REQUIREMENTS,
    SUMMARY,
    Format,
    MergedFiles,
    MergeOutcome,
    documents,
    merge_files,
    without_room,
)
from quorate.protocols.workshop.rules.documents.marks import session_marks
from quorate.protocols.workshop.rules.documents.plain import FOLDER as RECORDS
from quorate.protocols.workshop.rules.model import MOST_ARTIFACTS

MOST_RECORDS = 2_000
MOST_TRIES = 3
"""How often documents are merged again where somebody else writes the file in between."""
_NAMES = {"specs": REQUIREMENTS, "design": ARCHITECTURE}
_PARTS = {"question": QUESTION, "respond": RESPONSES, "vote": RESPONSES, "synthesise": SYNTHESIS}
CHOICES = "another folder, or --merge to add to what is there"


# Before a session begins


def check_folders(workflow: str, folder: Path | None, export: Path | None, *, merge: bool) -> None:
    """Raise InputError now if documents or the session file could not be written when the session ends."""
    if folder is None and merge:
        raise SettingError(
            "there are no documents to merge into, because no folder is given",
            key="--merge",
            expected="--documents DIR or --out DIR",
        )
    for each in filter(None, (folder, export)):
        prepare(each)
    if folder is None:
        return
    paths = _there(folder, _NAMES.get(workflow, SUMMARY), with_records=workflow == "design")
    if not merge:
        _refuse(paths)
    texts = {path.relative_to(folder).as_posix(): whole_text(path, "a Markdown file") for path in paths}
    if paths and paths[0].parent == folder and not may_write(paths[0]):
        raise InputError("is read-only", file=str(paths[0]), expected="a file to merge into")
    if (full := without_room(texts, MOST_ARTIFACTS)) is not None:
        what = f"has {full[1]}, so there are not enough numbers left for new ids"
        raise InputError(what, file=str(folder / full[0]), expected="another folder")


def _refuse(taken: list[Path]) -> None:
    if taken:
        more = f", and {len(taken) - 1} more" if len(taken) > 1 else ""
        raise InputError(f"already exists{more}; nothing was overwritten", file=str(taken[0]), expected=CHOICES)


# Documents


def write_documents(result: Result, folder: Path, merge: bool) -> list[Written]:
    """Write the documents of a session into a folder; an existing file is merged into, or raises InputError.

    A document of this session that stands there is left alone, whatever was changed in it since: doing it twice is
    harmless.
    """
    made = _documents(result)
    prepare(folder)
    written: dict[Path, Written] = {}
    changed = folder
    for _ in range(MOST_TRIES):
        try:
            with locked(folder):
                _place(made, folder, merge, written)
            return list(written.values())
        except FileConflict as error:
            changed = error.path
    raise InputError("was changed by another program in the meantime; nothing was overwritten", file=str(changed))


def _place(made: Mapping[str, str], folder: Path, merge: bool, written: dict[Path, Written]) -> None:
    """Write what is not there yet, noting each file once; what was read before is compared before it is replaced."""
    existing = _existing(folder, made)
    if not merge:
        same = {name for name, text in made.items() if name in existing and _is_of(existing[name], text)}
        _refuse([folder / name for name in existing if name not in same])
        for name, text in made.items():
            if name not in same:
                write(folder / name, text, None)
            written.setdefault(folder / name, Written(folder / name, "already there" if name in same else "written"))
        return
    done = _merged(existing, made, folder)
    changed = {old: new for old, new in done.ids.items() if old != new}
    for name, outcome in done.outcomes.items():
        target = done.ids.get(name, name)
        how = "already there" if outcome is MergeOutcome.ALREADY else "merged" if target in existing else "written"
        if target in done.files:
            write(folder / target, done.files[target], existing.get(target))
        ids = changed if outcome is MergeOutcome.MERGED else {}
        written.setdefault(folder / target, Written(folder / target, how, ids))


def _merged(existing: Mapping[str, str], made: Mapping[str, str], folder: Path) -> MergedFiles:
    try:
        done = merge_files(existing, made)
    except RuleViolation as error:
        raise InputError(str(error), file=str(folder), expected="another folder") from error
    for name, outcome in done.outcomes.items():
        if outcome is MergeOutcome.OTHER_STATE:
            raise InputError(
                "has another state of this session; nothing was changed",
                file=str(folder / name),
                expected="another folder, or the file without what this session added",
            )
    return done


def _is_of(existing: str, made: str) -> bool:
    """Whether a file is this document of this session, be it edited."""
    ours = {(mark.session, mark.digest) for mark in session_marks(made)}
    return any((mark.session, mark.digest) in ours for mark in session_marks(existing))


def _documents(result: Result) -> Mapping[str, str]:
    record = result.record
    came_to = catalog.definition_of(record.opening).result(record)
    return documents(came_to, Format(record.opening.settings["format"]), session=result.session)


def _existing(folder: Path, made: Mapping[str, str]) -> dict[str, str]:
    """Return every file whose ids are taken, by its name within the folder."""
    name, *_ = made
    paths = _there(folder, name, with_records=any(each.startswith(f"{RECORDS}/") for each in made))
    return {path.relative_to(folder).as_posix(): whole_text(path, "a Markdown file") for path in paths}


def _there(folder: Path, name: str, *, with_records: bool) -> list[Path]:
    """What lies where documents go, whatever it is."""
    paths = [folder / name, *(_records(folder) if with_records else ())]
    return [path for path in paths if is_there(path)]


def _records(folder: Path) -> list[Path]:
    home = folder / RECORDS
    if is_there(home) and not (home.is_dir() and os.access(home, os.W_OK | os.X_OK)):
        raise InputError(
            "is not a writable folder", file=str(home), expected="a writable folder, or nothing at this path"
        )
    try:
        found = sorted(home.glob("[0-9]*.md"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(home)) from error
    if len(found) > MOST_RECORDS:
        raise InputError(f"has {len(found)} files", file=str(home), expected=f"at most {MOST_RECORDS}")
    return found


# The session file


def export_session_file(result: Result, folder: Path) -> list[Path]:
    """Write the session as `<session>.yaml`, with all that was asked in `<session>/rounds/`; the file comes first.

    The same session is written again over itself, as it then stands; sessions do not get in each other's way.
    """
    record, session = result.record, _session(result)
    came_to = catalog.definition_of(record.opening).result(record)
    made = {f"{result.session}/{name}": data for name, data in dumps(came_to, session, _asks(record)).items()}
    made[f"{result.session}.yaml"] = export_session(came_to, session)
    prepare(folder)
    with locked(folder):
        for name, data in made.items():
            _export(folder / name, to_yaml(data))
    return [folder / name for name in reversed(made)]


def _export(path: Path, text: str) -> None:
    """Write a file of ours over itself."""
    try:
        before = whole_text(path, "a session file") if is_there(path) else None
        write(path, text, before)
    except FileConflict as error:
        raise InputError("is being changed by another program; try again", file=str(path)) from error


def _session(result: Result) -> dict[str, Any]:
    """What the file says of the session itself."""
    _, opened = decode_opening(result.entries[0].body)
    times = [envelope.at for envelope in result.record.envelopes]
    last = times[-1] if times else opened.at
    concluded = result.record.session.conclusion is not None
    return {
        "id": result.session,
        "started_at": moment(opened.at),
        "updated_at": moment(last),
        "closed_at": moment(last) if concluded else "",
        "settings": dict(result.record.opening.settings),
    }


def _asks(record: Record) -> Iterator[dict[str, Any]]:
    """Everything that facilitator and participants were asked, with what each was shown at that time."""
    views = _views(record)
    for said in record.log:
        if not isinstance(said, Said) or said.ask.brief not in _PARTS:
            continue
        envelope = said.envelope
        yield {
            "round": said.round,
            "part": _PARTS[said.ask.brief],
            "actor": str(said.ask.seat),
            "started": envelope.at - envelope.elapsed,
            "completed": envelope.at,
            "view": {section.title: section.text for section in views[said.ask.id].sections},
            "reply": None if isinstance(said.reply, Absent) else reply_to_data(said.reply),
            "tokens": {"in": envelope.tokens_in, "out": envelope.tokens_out},
        }


def _views(record: Record) -> dict[str, View]:
    """What every ask showed its seat, from one walk through the events."""
    then = Record(record.protocol, record.opening, record.material)
    views: dict[str, View] = {}
    for event, envelope in record.events():
        for ask in then.session.open:
            if ask.id not in views and ask.brief in _PARTS:
                views[ask.id] = record.protocol.view(then, ask)
        then.take(event, envelope)
    return views


# At the end


def leave(result: Result, folder: Path | None = None) -> list[Written]:
    """Leave documents and session file where the session was opened to leave them, or else the documents in `folder`.

    Nothing is left before the session has concluded. To do it again changes nothing. What is in the way of one of
    them is raised when the other has been left.
    """
    if result.record.session.conclusion is None:
        return []
    places = result.record.opening.run.get("workshop", {})
    target = Path(places["documents"]) if places.get("documents") else folder
    export = Path(places["export"]) if places.get("export") else None
    written: list[Written] = []
    failed: QuorateError | None = None
    try:
        if target is not None:
            written += write_documents(result, target, bool(places.get("merge")))
    except QuorateError as error:
        failed = error  # What is in the way of the documents is not in the way of the session file.
    if export is not None:
        written += [Written(path, "written") for path in export_session_file(result, export)]
    if failed is not None:
        raise failed
    return written
