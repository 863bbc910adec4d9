"""A scratch copy of an RFC's files in which edits are tried; the user's files are never written (C38).

Copied are the RFC's folder and the folders of its tickets, its PRD and the index of the code, as they lie to each
other. Edits are made in the text as the seats were shown it, with its secrets masked, and unmasked to be written.
"""

from __future__ import annotations

import difflib
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import TracebackType

from quorate.codec import canonical
from quorate.core.errors import InputError
from quorate.files.yaml import load
from quorate.protocols.council.rules.forms import Edit
from quorate.protocols.council.world.gates.texts import masked, masks_of, secrets_of
from quorate.protocols.council.world.rfc.discovery import DOCUMENTS, Layout, locate
from quorate.protocols.council.world.rfc.files import Shelf
from quorate.protocols.council.world.rfc.model import MOST_INDEX, Rfc, Shape
from quorate.protocols.council.world.rfc.read import read_rfc
from quorate.safety.secrets import secrets_in_text

MOST_COPIED = 20_000
MOST_DEEP = 4
"""Folders within folders that are copied."""
_READ = (".yaml", ".yml", ".json")
"""What the reader opens; of other files it reads the name alone."""
_MASK = re.compile(r"\[masked\b[^\]\n]{0,80}\]", re.IGNORECASE)
"""What stands for a secret, or would be taken for it: only what the reader masks may be called masked."""
_DOCUMENT = re.compile(r"R0(\d)")


@dataclass(frozen=True, slots=True)
class Sources:
    """The paths an RFC is read from: the arguments of `read_rfc`."""

    folder: Path
    tickets: Path | None = None
    prd: Path | None = None
    ccp: Path | None = None
    repo: Path | None = None

    def read(self) -> Rfc:
        return read_rfc(self.folder, tickets=self.tickets, prd=self.prd, ccp=self.ccp, repo=self.repo)

    def layout(self) -> Layout:
        return locate(self.folder, self.tickets, self.prd, self.ccp, self.repo)


def reading_digest(rfc: Rfc) -> str:
    """Return the SHA-256 of an RFC's content, independent of where the files are.

    A repository tree used in place of the index is left out, since a session may itself add files to it.
    """
    atlas = rfc.atlas
    read = {
        "documents": {each.key: each.text for each in rfc.documents},
        "tickets": [[each.id, each.at.line, each.text] for each in rfc.tickets],
        "requirements": [
            [each.id, each.title, each.statement, each.imported, [at.id for at in each.evidence], each.acceptance]
            for each in rfc.requirements
        ],
        "components": [repr(each) for each in atlas.components],
        "files": sorted(atlas.files) if atlas.source == "index" else [],
        "flaws": [[each.defect.value, Path(each.at.file).name, each.at.line] for each in rfc.flaws if not each.warns],
    }
    return sha256(canonical(read).encode("utf-8", "surrogatepass")).hexdigest()


class Refused(Exception):
    """Raised if an edit does not apply; the message says why."""


Texts = Mapping[str, str | None]
"""What stands in files, by their names as the reader has them; None for a file that is not there."""


class Scratch:
    """A copy of an RFC's files in a temporary folder, which is removed after the `with` block."""

    def __init__(self, sources: Sources, rfc: Rfc) -> None:
        self.rfc = rfc
        """As it was read from the user's files."""
        self.masks = masks_of(rfc)
        self._sources, self._layout = sources, sources.layout()
        self._shelf = Shelf(self._layout.root, self._layout.given)
        self._top = Path()
        self._copies: dict[str, Path] = {}
        """Copied files, by the names of what they are copies of."""
        self._parts: dict[str, Path] = {}
        """The folders to read the copy from."""
        self._first: dict[str, str | None] = {}
        """What stood in the files that were written to."""

    def __enter__(self) -> Scratch:
        self._top = Path(tempfile.mkdtemp(prefix="quorate-")).resolve()
        try:
            self._copy()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self._top, ignore_errors=True)

    # The copy

    def _copy(self) -> None:
        layout, prd_id = self._layout, self.rfc.prd_id
        tickets, prd, ccp = layout.tickets(), layout.prd(prd_id), layout.ccp(prd_id)
        for name, part in (("folder", layout.folder), ("tickets", tickets), ("prd", prd), ("ccp", ccp)):
            if part is None or not self._shelf.inside(part):
                continue
            inside = part.is_relative_to(layout.root)
            # A folder that lies in a tree must find its tree again.
            target = self._top / "root" / part.relative_to(layout.root) if inside else self._top / name
            target.mkdir(parents=True, exist_ok=True)
            if name == "folder" or getattr(self._sources, name) is not None:
                self._parts[name] = target
            for path in self._files_in(part, MOST_DEEP):
                self._copy_file(path, target / path.relative_to(part))

    def _files_in(self, folder: Path, deep: int) -> Iterator[Path]:
        for path in sorted(folder.iterdir()):
            if path.name.startswith(".") or not self._shelf.inside(path):
                continue
            if path.is_dir():
                yield from self._files_in(path, deep - 1) if deep else ()
            elif path.is_file():
                yield path

    def _copy_file(self, path: Path, copy: Path) -> None:
        if len(self._copies) >= MOST_COPIED:
            what = "edits cannot be tried: the RFC has too many files to copy"
            raise InputError(what, file=self._shelf.name(path), expected=f"at most {MOST_COPIED:,} files")
        copy.parent.mkdir(parents=True, exist_ok=True)
        data = b""
        if path.name.endswith(_READ):
            with path.open("rb") as stream:
                data = stream.read(MOST_INDEX + 1)  # more than that the reader does not read either
        copy.write_bytes(data)
        self._copies[self._shelf.name(path)] = copy

    def read(self) -> Rfc:
        """Read the copy as it is now. The index of the code is the one read first, since no edit can change it."""
        parts = self._parts
        try:
            rfc = read_rfc(parts["folder"], tickets=parts.get("tickets"), prd=parts.get("prd"), ccp=parts.get("ccp"))
        except InputError as error:
            raise Refused(self.hidden(self.told(str(error)))) from error
        return replace(rfc, atlas=self.rfc.atlas)

    def told(self, text: str) -> str:
        """Return a text with paths of the copy replaced by those of the original files."""
        for name, target in self._parts.items():
            text = text.replace(str(target), str(getattr(self._sources, name)))
        return text.replace(str(self._top), "")

    def hidden(self, text: str) -> str:
        """Return a text derived from the files with all secrets masked."""
        return masked(text, self.masks.extended(secrets_in_text(text)))

    # Edits

    def edited(self, edits: Sequence[Edit], current: Rfc) -> Texts:
        """Return the files' texts with all edits made, or raise Refused; nothing is written. `current` is the copy."""
        texts: dict[str, str | None] = {}
        entries: dict[str, str] = {}
        for edit in edits:
            name = self._name(edit)
            text = texts[name] if name in texts else self.text(name)
            entry = entries.get(edit.place) or _entry(self.rfc, current, edit.place)
            if entry and text is not None and text.count(entry) == 1:
                entries[edit.place] = self._replaced(entry, edit)
                texts[name] = text.replace(entry, entries[edit.place])
            else:
                texts[name] = self._replaced(text or "", edit)
        for name, text in texts.items():
            before = self.text(name)
            if text is not None and not text.strip() and before is not None:
                texts[name] = None  # a ticket of which nothing is left is taken out
            elif text is not None and (before is None or _parses(before, name) is None):
                if (error := _parses(text, name)) is not None:
                    raise Refused(self.hidden(f"the file can no longer be read: {error}"))
        return texts

    def _name(self, edit: Edit) -> str:
        """Return the file name of an edit's place."""
        names: dict[str, str] = {each.key: each.name for each in self.rfc.documents}
        names |= {each.key: each.at.file for each in self.rfc.tickets}
        name = names.get(edit.place)
        if name is None and (number := _DOCUMENT.fullmatch(edit.place)) and not edit.find.text:
            missing = f"{DOCUMENTS[int(number[1])][0]}.yaml"
            name = self._shelf.name(self._layout.folder / missing)
            self._copies.setdefault(name, self._parts["folder"] / missing)
        if name is None or name not in self._copies:
            raise Refused(f"{edit.place} is not one of the files that were read")
        return name

    def _replaced(self, text: str, edit: Edit) -> str:
        """Make one edit in the text as seats were shown it: masked, with normalised line endings."""
        ends = "\r\n" if "\r\n" in text and text.count("\n") == text.count("\r\n") else "\n"
        shown = self.masks.mask(text.replace(ends, "\n"))
        find, new = edit.find.text.replace("\r\n", "\n"), edit.replacement.text.replace("\r\n", "\n")
        if find == new:
            raise Refused(f"the edit of {edit.place} changes nothing")
        if find:
            at = shown.find(find)
            if at < 0 or shown.find(find, at + 1) >= 0:
                times = "is not in" if at < 0 else "occurs more than once in"
                raise Refused(f"the text to find {times} {edit.place}: {_quoted(find)}")
            after = shown[:at] + new + shown[at + len(find) :]
        else:
            after = shown + ("" if not shown or shown.endswith("\n") else "\n") + new.rstrip("\n") + "\n"
        # Counted in the whole as well: a mark may come about where the replacement meets what stands around it.
        added = Counter(_MASK.findall(new)) - Counter(_MASK.findall(find))
        if added := added or Counter(_MASK.findall(after)) - Counter(_MASK.findall(shown)):
            raise Refused(f"an edit may not add the mask {min(added)} to {edit.place}")
        try:
            plain = self.masks.unmask(after)
            plain.encode()
        except (InputError, UnicodeEncodeError) as error:
            raise Refused(f"the new text of {edit.place} cannot be written: {error}") from error
        return plain.replace("\n", ends)

    def text(self, name: str) -> str | None:
        """Return the text of a file of the copy, or None."""
        path = self._copies[name]
        try:
            return path.read_bytes().decode() if path.exists() else None
        except UnicodeDecodeError as error:
            raise Refused(f"{name} is not text in UTF-8") from error

    def write(self, texts: Texts) -> Texts:
        """Write to the copy and return the previous texts, to be restored if the edits do not hold."""
        before = {name: self.text(name) for name in texts}
        for name, text in texts.items():
            self._first.setdefault(name, before[name])
            if text is None:
                self._copies[name].unlink(missing_ok=True)
            else:
                self._copies[name].write_bytes(text.encode())
        return before

    def diff(self, current: Rfc) -> str:
        """Return a masked unified diff between the files and the copy. `current` is the copy."""
        masks = self.masks.extended(secrets_of(current))
        parts: list[str] = []
        for name in sorted(self._first):
            old, new = (None if text is None else masked(text, masks) for text in (self._first[name], self.text(name)))
            shown = masked(name, masks)
            source, target = (f"{side}/{shown}" if not shown.startswith(("/", "..")) else shown for side in "ab")
            parts += difflib.unified_diff(
                _lines(old or ""),
                _lines(new or ""),
                "/dev/null" if old is None else source,
                "/dev/null" if new is None else target,
            )
        return "".join(parts)


def _quoted(shown: str) -> str:
    """Quote a seat's text, masking secrets of its own; what it was shown is already masked."""
    for secret in secrets_in_text(shown):
        shown = shown.replace(secret.value, "[masked]")
    return repr(shown[:80])


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    whole = [f"{line}\n" for line in lines[:-1]]
    return [*whole, f"{lines[-1]}\n\\ No newline at end of file\n"] if lines[-1] else whole


def _parses(text: str, name: str) -> str | None:
    """Return why a text cannot be parsed, or None."""
    try:
        load(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), name)
    except InputError as error:
        return str(error)
    return None


def _entry(first: Rfc, current: Rfc, place: str) -> str:
    """Return the current text of a ticket that is an entry of a document; empty for other places."""
    ticket = next((each for each in first.tickets if each.key == place and each.shape is Shape.D and each.id), None)
    same = [each.text for each in current.tickets if ticket and each.id == ticket.id and each.shape is Shape.D]
    return same[0] if len(same) == 1 else ""
