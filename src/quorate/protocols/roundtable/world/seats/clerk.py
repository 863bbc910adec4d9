"""The clerk: appends a synthesis to the documents and a record to meta.json, and never removes anything (T23, T24).

What it writes is identified by session and elaboration, so asking twice, also after a crash, adds nothing twice. It
works under the folder's lock on what the files hold now, whoever changed them, and each is replaced whole or not at
all. What hinders is told in the reply, file by file; nothing that was there is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from quorate.core.errors import InputError, RuleViolation, StoreError
from quorate.core.forms import Key, Prose
from quorate.files.lock import PATIENCE, locked
from quorate.files.replacement import Changed, replace
from quorate.participants.check import Check
from quorate.participants.port import Request
from quorate.protocols.roundtable.rules.forms import MOST_LINES, Appended, Entry, Kept, Recorded, Written
from quorate.protocols.roundtable.world.elaboration.documents import insert, is_added, lines_of, section_for
from quorate.protocols.roundtable.world.elaboration.files import (
    MOST_BYTES,
    Trouble,
    read_document,
    read_inside,
    text_of,
)
from quorate.protocols.roundtable.world.elaboration.meta import META_NAME
from quorate.protocols.roundtable.world.elaboration.metatext import append_record, first_text, is_recorded, parse
from quorate.protocols.roundtable.world.elaboration.read import MOST_META
from quorate.protocols.roundtable.world.seats.block import block_of
from quorate.protocols.roundtable.world.seats.job import Job, Target, job_of
from quorate.safety.secrets import without_secrets

MOST_TRIES = 3
"""How often a file is read again that somebody else changes in between."""
MOST_SECTION = 1_000
MOST_DETAIL = 2_000
_RUN = ("folder", "meta", "digests")
_T = TypeVar("_T")


def _now() -> datetime:
    return datetime.now(UTC)


def clerk(run: Mapping[str, Any], *, now: Callable[[], datetime] = _now, patience: float = PATIENCE) -> Check:
    """Return who keeps what was said. `run` is what the session keeps under `roundtable`: `folder` is the folder of
    the documents, `meta` the path of meta.json in it. `now` is asked once for each ask; `patience` is in seconds."""

    def answer(request: Request) -> Appended | Recorded:
        folder, meta = _place(run)
        at = now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        match request.ask.brief:
            case "append":
                return _appended(folder, meta, request, at, patience)
            case "record":
                return _recorded(folder, meta, job_of(request.view), at, patience)
            case brief:
                raise RuleViolation(f"the clerk cannot answer the brief {brief!r}; it answers 'append' and 'record'")

    return Check(answer, name="clerk")


def _place(run: Mapping[str, Any]) -> tuple[Path, str]:
    for key in run:
        if key not in _RUN:
            raise InputError("is unknown", key=f"run.roundtable.{key}", expected=", ".join(_RUN))
    folder, meta = run.get("folder"), run.get("meta", META_NAME)
    if not isinstance(folder, str) or not Path(folder).is_absolute():
        raise InputError("is not an absolute path", key="run.roundtable.folder", expected="the folder of the documents")
    if not isinstance(meta, str) or Path(folder, meta).parent != Path(folder):
        raise InputError("is not in the folder", key="run.roundtable.meta", expected=f"the path of {META_NAME}")
    return Path(folder), Path(meta).name


# Documents


def _appended(folder: Path, meta: str, request: Request, at: str, patience: float) -> Appended:
    job = job_of(request.view)
    targets = job.targets()
    for key in (*request.ask.keys, *targets):
        if key not in targets or key not in request.ask.keys:
            raise InputError(
                f"differs from the ask in document {key}", key="Job: documents", expected="the same documents"
            )
    todo = [targets[key] for key in request.ask.keys]
    if not folder.is_dir():
        return Appended(tuple(_entry(each, Written.MISSING, f"the folder {folder} no longer exists") for each in todo))
    try:
        with locked(folder, patience):
            return Appended(tuple(_added(folder, meta, job, each, at) for each in todo))
    except (StoreError, OSError) as error:
        return Appended(tuple(_entry(each, Written.FAILED, str(error)) for each in todo))


def _added(folder: Path, meta: str, job: Job, target: Target, at: str) -> Entry:
    try:
        return _trying(lambda: _add(folder, meta, job, target, at))
    except Changed:
        return _entry(target, Written.FAILED, f"{target.path} is being changed by another program; nothing was added")
    except OSError as error:
        why = f"{target.path} cannot be written: {error.strerror or error}; nothing was added"
        return _entry(target, Written.FAILED, why)


def _add(folder: Path, meta: str, job: Job, target: Target, at: str) -> Entry:
    found = read_document(folder, target.path, meta)
    text = found if isinstance(found, Trouble) else text_of(found.data)
    if isinstance(found, Trouble) or isinstance(text, Trouble):
        trouble = text if isinstance(text, Trouble) else found
        assert isinstance(trouble, Trouble)
        result = Written.MISSING if trouble.missing else Written.FAILED
        return _entry(target, result, f"{target.path} {trouble.what}; nothing was added")
    block = block_of(job, target, at)
    words = (job.text("step"), job.text("topic"))
    if is_added(text, job.identity):
        return _entry(target, Written.ADDED, section_for(text, words, block.title), lines_of(block))
    try:
        new = insert(text, words, block)
    except InputError as error:
        return _entry(target, Written.FAILED, f"{target.path} {error}; nothing was added")
    data = new.text.encode("utf-8")
    if len(data) > MOST_BYTES:
        why = f"{target.path} would have more than {MOST_BYTES:,} bytes; nothing was added"
        return _entry(target, Written.FAILED, why)
    replace(found.path, data, found.data)
    return _entry(target, Written.ADDED, new.section, new.lines)


def _entry(target: Target, result: Written, section: str, lines: int = 0) -> Entry:
    return Entry(Key(target.key), result, Prose(_short(section, MOST_SECTION)), min(lines, MOST_LINES))


# The record


def _recorded(folder: Path, meta: str, job: Job, at: str, patience: float) -> Recorded:
    record = {
        "step_id": job.text("step_id"),
        "turn_count": job.number("turn_count"),
        "personas_active": list(job.texts("personas_active")),
        "timestamp": at,
        "synthesis_summary": job.text("synthesis_summary"),
        "session": job.session,
        "elaboration": job.elaboration,
    }
    if not folder.is_dir():
        return _kept(Kept.FAILED, f"the folder {folder} no longer exists, so {META_NAME} was not written")
    try:
        with locked(folder, patience):
            return _trying(lambda: _record(folder, meta, job, record))
    except Changed:
        return _kept(Kept.FAILED, f"{meta} is being changed by another program; nothing was written")
    except InputError as error:
        return _kept(Kept.FAILED, str(error))
    except StoreError as error:
        return _kept(Kept.FAILED, f"{error}; nothing was written")
    except OSError as error:
        return _kept(Kept.FAILED, f"{meta} cannot be written: {error.strerror or error}; nothing was written")


def _record(folder: Path, meta: str, job: Job, record: Mapping[str, Any]) -> Recorded:
    found = read_inside(folder, meta, MOST_META)
    if isinstance(found, Trouble):
        if not found.missing:
            return _kept(Kept.FAILED, f"{meta} {found.what}; nothing was written")
        text = first_text(record, folder.name, str(record["timestamp"]))
        replace(folder / meta, _bytes(text), None)
        return _kept(Kept.WRITTEN, f"{meta} did not exist and was created")
    text_or_trouble = text_of(found.data)
    if isinstance(text_or_trouble, Trouble):
        return _kept(Kept.FAILED, f"{meta} {text_or_trouble.what}; nothing was written")
    if is_recorded(parse(text_or_trouble, meta), job.session, job.elaboration):
        return _kept(Kept.WRITTEN, "it was recorded already")
    grown = append_record(text_or_trouble, record, meta)
    data = _bytes(grown.text)
    if len(data) > MOST_META:
        return _kept(Kept.FAILED, f"{meta} would have more than {MOST_META:,} bytes; nothing was written")
    replace(found.path, data, found.data)
    if grown.repaired:
        kept = "the old values are kept in the file"
        return _kept(Kept.REPAIRED, f"{', '.join(grown.repaired)} had a wrong type in {meta}; {kept}")
    return _kept(Kept.WRITTEN, f"added to {meta}")


def _kept(result: Kept, detail: str) -> Recorded:
    return Recorded(Prose(_short(detail, MOST_DETAIL)), result)


def _bytes(text: str) -> bytes:
    # Half a surrogate pair becomes the escape that JSON reads as it.
    return text.encode("utf-8", "backslashreplace")


def _trying(work: Callable[[], _T]) -> _T:
    """Do a piece of work that reads first, again where somebody else has written in between."""
    for _ in range(MOST_TRIES - 1):
        try:
            return work()
        except Changed:
            continue
    return work()


def _short(text: str, most: int) -> str:
    """Return a text for the reply: secrets masked, and shortened to `most` characters."""
    text = without_secrets(text)
    return text if len(text) <= most else text[: most - 1] + "…"
