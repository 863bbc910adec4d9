"""What a workshop leaves in folders: its documents, and the session as a file; nothing there is lost or overwritten.

A file is written whole or not at all. What is there already stays as it is, unless the documents are merged into it;
then ids go on from those that are there, and the caller is told what became of each.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.named_file import text_of
from quorate.api.sessions import Result
from quorate.core.errors import InputError, SettingError
from quorate.core.record import Record, Said
from quorate.core.types import Absent
from quorate.core.view import View
from quorate.evidence.text import to_yaml
from quorate.protocols.workshop.documents import ARCHITECTURE, REQUIREMENTS, SUMMARY, Format, Outcome, documents
from quorate.protocols.workshop.documents import merge_files as merged
from quorate.protocols.workshop.documents.architecture import FOLDER as RECORDS
from quorate.protocols.workshop.documents.marks import session_marks
from quorate.protocols.workshop.session_file import dumps, export_session
from quorate.protocols.workshop.session_file.dumps import QUESTION, RESPONSES, SYNTHESIS
from quorate.protocols.workshop.session_file.moment import moment
from quorate.store.codec import decode_opening, reply_to_data

MOST_CHARACTERS = 10_000_000
"""Characters of a file that documents are merged into."""
MOST_RECORDS = 2_000
_NAMES = {"specs": REQUIREMENTS, "design": ARCHITECTURE}
_PARTS = {"question": QUESTION, "respond": RESPONSES, "vote": RESPONSES, "synthesise": SYNTHESIS}
CHOICES = "another folder, or --merge to add to what is there"


@dataclass(frozen=True, slots=True)
class Written:
    """A file, and what was done to it."""

    path: Path
    how: str
    """written, merged, or already there."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """What became of ids that other artifacts had taken: old to new."""


# Before a session begins


def check_folders(workflow: str, folder: Path | None, export: Path | None, *, merge: bool) -> None:
    """Raise InputError for what would be in the way of documents or of the session file when a session ends."""
    if folder is None and merge:
        raise SettingError(
            "there are no documents to merge into", key="--merge", expected="--documents DIR or --out DIR"
        )
    for each in filter(None, (folder, export)):
        _prepare(each)
    if folder is not None and not merge:
        taken = [folder / _NAMES.get(workflow, SUMMARY)]
        _refuse([path for path in (*taken, *(_records(folder) if workflow == "design" else ())) if path.exists()])


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"cannot be made: {error.strerror or error}", file=str(folder)) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError("cannot be written to", file=str(folder))


def _refuse(taken: list[Path]) -> None:
    if taken:
        more = f", and {len(taken) - 1} more" if len(taken) > 1 else ""
        raise InputError(f"is there already{more}; nothing was overwritten", file=str(taken[0]), expected=CHOICES)


# Documents


def write_documents(result: Result, folder: Path, merge: bool) -> list[Written]:
    """Write the documents of a session into a folder. What is there is merged into, or in the way: then InputError.

    A document of this session that stands there is left alone, whatever was changed in it since: doing it twice is
    harmless.
    """
    made = _documents(result)
    _prepare(folder)
    existing = _existing(folder, made)
    if not merge:
        same = {name for name, text in made.items() if name in existing and _is_of(existing[name], text)}
        _refuse([folder / name for name in existing if name not in same])
        for name, text in made.items():
            if name not in same:
                _write(folder / name, text)
        return [Written(folder / name, "already there" if name in same else "written") for name in made]
    done = merged(existing, made)
    changed = {old: new for old, new in done.ids.items() if old != new}
    if Outcome.OTHER_STATE in done.outcomes.values():
        name = next(name for name in made if done.outcomes[name] is Outcome.OTHER_STATE)
        raise InputError(
            "holds another state of this session; nothing was changed",
            file=str(folder / name),
            expected="another folder, or the file without what this session added",
        )
    for name, text in done.files.items():
        _write(folder / name, text)
    written: list[Written] = []
    for name, outcome in done.outcomes.items():
        target = done.ids.get(name, name)
        how = "already there" if outcome is Outcome.ALREADY else "merged" if target in existing else "written"
        written.append(Written(folder / target, how, changed if outcome is Outcome.MERGED else {}))
    return written


def _is_of(existing: str, made: str) -> bool:
    """Whether a file is this document of this session, be it edited."""
    ours = {(mark.session, mark.digest) for mark in session_marks(made)}
    return any((mark.session, mark.digest) in ours for mark in session_marks(existing))


def _documents(result: Result) -> Mapping[str, str]:
    record = result.record
    came_to = catalog.definition(record.opening.protocol).result(record)
    return documents(came_to, Format(record.opening.settings["format"]), session=result.session)


def _existing(folder: Path, made: Mapping[str, str]) -> dict[str, str]:
    """Every file there whose ids are taken, by its name within the folder."""
    paths = [folder / name for name in made if not name.startswith(f"{RECORDS}/")]
    if any(name.startswith(f"{RECORDS}/") for name in made):
        paths += _records(folder)
    found = (path for path in paths if path.exists() or path.is_symlink())
    return {path.relative_to(folder).as_posix(): _text(path) for path in found}


def _text(path: Path) -> str:
    """The whole text, a mark at its beginning included: what was there must be there afterwards."""
    if path.is_symlink():
        raise InputError("is a link", file=str(path), expected="a plain file; nothing is written through links")
    text = text_of(path, MOST_CHARACTERS, "a Markdown file")
    with path.open("rb") as stream:
        marked = stream.read(len(BOM_UTF8)) == BOM_UTF8
    return f"\ufeff{text}" if marked else text


def _records(folder: Path) -> list[Path]:
    try:
        found = sorted((folder / RECORDS).glob("[0-9]*.md"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(folder / RECORDS)) from error
    if len(found) > MOST_RECORDS:
        raise InputError(f"has {len(found)} files", file=str(folder / RECORDS), expected=f"at most {MOST_RECORDS}")
    return found


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise SettingError(f"cannot be written: {error.strerror or error}", file=str(path)) from error


# The session file


def export_session_file(result: Result, folder: Path) -> list[Path]:
    """Write the session as `<session>.yaml`, with all that was asked in `<session>/rounds/`; the file comes first.

    The same session is written again over itself, as it then stands; sessions do not get in each other's way.
    """
    record, session = result.record, _session(result)
    came_to = catalog.definition(record.opening.protocol).result(record)
    made = {f"{result.session}/{name}": data for name, data in dumps(came_to, session, _asks(record)).items()}
    made[f"{result.session}.yaml"] = export_session(came_to, session)
    _prepare(folder)
    for name, data in made.items():
        _write(folder / name, to_yaml(data))
    return [folder / name for name in reversed(made)]


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

    Nothing is left before the session has concluded. To do it again changes nothing.
    """
    if result.record.session.conclusion is None:
        return []
    places = result.record.opening.run.get("workshop", {})
    written: list[Written] = []
    target = Path(places["documents"]) if places.get("documents") else folder
    if target is not None:
        written += write_documents(result, target, bool(places.get("merge")))
    if places.get("export"):
        written += [Written(path, "written") for path in export_session_file(result, Path(places["export"]))]
    return written
