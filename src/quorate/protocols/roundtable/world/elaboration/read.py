"""Reads the folder of an elaboration: its target documents and its meta.json. Nothing is written here."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError
from quorate.protocols.roundtable.rules.model import MOST_DOCUMENTS, document_keys
from quorate.protocols.roundtable.world.elaboration.files import (
    BOM,
    ENDINGS,
    FileContent,
    Trouble,
    read_document,
    read_inside,
    text_of,
)
from quorate.protocols.roundtable.world.elaboration.meta import META_NAME, Meta, baseline, normalise
from quorate.protocols.roundtable.world.elaboration.metatext import parse

MOST_META = 4 * 1024 * 1024
MOST_LISTED = 5_000
"""Names in the folder that are looked at."""
MOST_NAME = 200


@dataclass(frozen=True, slots=True)
class Document:
    """A target document as it was when the session opened."""

    key: str
    name: str
    path: str
    """Seen from the folder, with forward slashes."""
    text: str
    digest: str
    """SHA-256 of its bytes."""


@dataclass(frozen=True, slots=True)
class ElaborationFolder:
    """What a folder holds for an elaboration."""

    folder: Path
    documents: tuple[Document, ...]
    meta: Meta
    warnings: tuple[str, ...] = ()
    """For the person: which files are no targets and why, and what is odd about meta.json."""

    def material(self) -> dict[str, str]:
        """Return what is deliberated about, by name: the documents and what meta.json held, as JSON."""
        documents = [{name: getattr(each, name) for name in Document.__slots__} for each in self.documents]
        return {"documents": _json(documents), "meta": _json(self.meta.shown())}

    def run(self) -> dict[str, Any]:
        """Return what the clerk needs in any process, as plain JSON."""
        digests = {each.key: each.digest for each in self.documents}
        return {"folder": str(self.folder), "meta": META_NAME, "digests": digests}


def read_elaboration(folder: Path) -> ElaborationFolder:
    """Read the target documents and meta.json of a folder; InputError where one of them cannot be used safely.

    Targets are the files in the folder itself that end in .md or .txt. One that is no readable text is left out, and
    a warning says so. A meta.json that is there and cannot be read is an error: it is somebody's record.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(what, file=str(folder), expected="a folder with documents and meta.json")
    root = folder.resolve()
    meta = _meta(root, str(folder / META_NAME))
    found, warnings = _texts(root)
    if len(found) > MOST_DOCUMENTS:
        raise InputError(
            f"has {len(found)} documents", file=str(folder), expected=f"at most {MOST_DOCUMENTS} in .md and .txt files"
        )
    if not found:
        warnings.append(f"there is no document to add to; the discussion is recorded in {META_NAME} only")
    documents = tuple(
        Document(key, name, name, text, digest)
        for key, (name, text, digest) in zip(document_keys(len(found)), found, strict=True)
    )
    return ElaborationFolder(root, documents, meta, (*warnings, *(f"{META_NAME}: {each}" for each in meta.warnings)))


def digest_of(data: bytes) -> str:
    """Return the digest by which a document is known to have changed."""
    return hashlib.sha256(data).hexdigest()


def _texts(root: Path) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Return name, text and digest of each target in order, and what to say of those that are none."""
    found: list[tuple[str, str, str]] = []
    warnings: list[str] = []
    taken: dict[tuple[int, int], str] = {}
    for name in _names(root):
        read = read_document(root, name, META_NAME)
        text = text_of(read.data) if isinstance(read, FileContent) else read
        if isinstance(read, Trouble) or isinstance(text, Trouble):
            trouble = text if isinstance(text, Trouble) else read
            assert isinstance(trouble, Trouble)
            warnings.append(f"{_printable(name)} {trouble.what}, so nothing is added to it")
        elif not name.isprintable() or len(name) > MOST_NAME:
            warnings.append(f"{_printable(name)} has a name that cannot be shown, so nothing is added to it")
        elif read.identity in taken:
            warnings.append(f"{name} is the same file as {taken[read.identity]}, so nothing is added to it twice")
        else:
            taken[read.identity] = name
            found.append((name, text.removeprefix(BOM), digest_of(read.data)))
    return found, warnings


def _names(root: Path) -> list[str]:
    """Return the names that look like documents, in order."""
    try:
        names = os.listdir(root)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=str(root)) from error
    if len(names) > MOST_LISTED:
        what = f"has {len(names):,} entries"
        raise InputError(what, file=str(root), expected=f"a folder of documents with at most {MOST_LISTED:,}")
    return sorted(name for name in names if name.lower().endswith(ENDINGS) and not name.startswith("."))


def _meta(root: Path, shown: str) -> Meta:
    found = read_inside(root, META_NAME, MOST_META)
    if isinstance(found, Trouble) and found.missing:
        return Meta(baseline(root.name), missing=True)
    text = text_of(found.data) if isinstance(found, FileContent) else found
    if isinstance(text, Trouble):
        expected = "a JSON object in a file of this folder; fix or remove it; nothing was changed"
        raise InputError(text.what, file=shown, expected=expected)
    return normalise(parse(text, shown), root.name)


def _printable(name: str) -> str:
    shown = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in name)
    return shown if len(shown) <= MOST_NAME else shown[: MOST_NAME - 1] + "…"


def _json(value: object) -> str:
    # Half a surrogate pair, which JSON can escape and UTF-8 cannot hold, becomes a question mark.
    return json.dumps(value, ensure_ascii=False, indent=2).encode("utf-8", "replace").decode("utf-8")
