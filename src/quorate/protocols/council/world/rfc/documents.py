"""Reading the ten files of an RFC, and its metadata: id, title, version, PRD and allowed new files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.discovery import DOCUMENTS, Layout, safe_name
from quorate.protocols.council.world.rfc.files import YAML_NAMES, Shelf
from quorate.protocols.council.world.rfc.model import Defect, Document, Place, Version
from quorate.protocols.council.world.rfc.sheet import Sheet, place_of

_RFC_ID = re.compile(r"RFC-(?:[A-Z]+-)?\d{3,5}")
_VERSIONS = {version.value: version for version in Version}
_FIELDS = {
    "R00": {Field.ID: "rfc", Field.REQUIREMENTS: "binds_to_prd", Field.FILES_TO_CREATE: "allowed_new_files"},
    "R01": {Field.SUMMARY: "problem_statement", Field.REQUIREMENTS: "imported_requirements requirement_binding"},
    "R02": {Field.SUMMARY: "decisions architecture_decisions design_space_exploration"},
    "R06": {Field.SUMMARY: "decomposition_strategy strategy principles", Field.STEPS: "tickets ticket_plan"},
    "R07": {Field.TESTS: "test_strategy test_plan", Field.EVIDENCE: "evidence_registry evidence_requirements evidence"},
    "R09": {Field.CRITERIA: "gates gate_reviews"},
}
"""Under which names (the first that is there) the fields stand that findings may point at."""
_EVERYWHERE = {Field.COMPONENT: "ccp_grounding", Field.NOTES: "cousin_justifications notes"}


@dataclass(slots=True)
class Read:
    """One of the ten files, as read."""

    sheet: Sheet
    document: Document | None = None
    root: Located | None = None
    content: Located | None = None
    """What stands below the root key."""

    @property
    def top(self) -> Mapping[str, Located]:
        return self.content.value if self.content is not None and isinstance(self.content.value, Mapping) else {}

    @property
    def text(self) -> str:
        return "" if self.document is None else self.document.text


@dataclass(frozen=True, slots=True)
class Meta:
    """The RFC's metadata."""

    id: str
    title: str
    version: Version
    version_written: str
    prd_id: str


def read_documents(shelf: Shelf, layout: Layout) -> tuple[Read, ...]:
    """Return the ten files in order; a missing or unreadable one has a flaw instead of a document."""
    return tuple(_read(shelf, layout, number) for number in range(len(DOCUMENTS)))


def _read(shelf: Shelf, layout: Layout, number: int) -> Read:
    stem, root_key = DOCUMENTS[number]
    key = f"R{number:02}"
    paths = [layout.folder / (stem + ending) for ending in YAML_NAMES]
    there = [path for path in paths if path.exists() or path.is_symlink()]
    sheet = Sheet(shelf.name(there[0] if there else paths[0]), key)
    if not there:
        sheet.note(Defect.MISSING, f"{stem}.yaml is missing", Place(sheet.file), expected="all ten files of an RFC")
        return Read(sheet)
    if len(there) > 1:
        what = f"{there[1].name} was not read, because {there[0].name} exists too"
        sheet.note(Defect.DUPLICATE, what, Place(shelf.name(there[1])), expected="one of the two")
    text = shelf.read(there[0])
    trouble = shelf.keep(text) if isinstance(text, str) else text
    if trouble is not None or not isinstance(text, str):
        assert trouble is not None
        sheet.trouble(trouble)
        return Read(sheet)
    root = sheet.parse(text)
    content = None if root is None else _content(sheet, root, root_key)
    document = Document(key, sheet.file, text, _fields(key, sheet.file, content))
    return Read(sheet, document, root, content)


def _content(sheet: Sheet, root: Located, root_key: str) -> Located | None:
    """Return the value of the root key; if it is missing, note only that as a flaw."""
    content = root.value.get(root_key) if isinstance(root.value, Mapping) else None
    if content is None:
        what = f"the file has no `{root_key}` at its root"
        sheet.note(Defect.WRONG_SHAPE, what, root, Field.WHOLE, f"`{root_key}` with a mapping")
        return None
    if not isinstance(content.value, Mapping):
        sheet.wrong(content, "a mapping", Field.WHOLE)
        return None
    return content


def _fields(key: str, file: str, content: Located | None) -> Mapping[Field, Place]:
    if content is None:
        return {Field.WHOLE: Place(file)}
    assert isinstance(content.value, Mapping)
    fields = {Field.WHOLE: place_of(content)}
    for field, names in {**_EVERYWHERE, **_FIELDS.get(key, {})}.items():
        node = next((content.value[name] for name in names.split() if name in content.value), None)
        if node is not None:
            fields[field] = place_of(node)
    rfc = content.value.get("rfc")
    if key == "R00" and rfc is not None and isinstance(rfc.value, Mapping):
        for field, name in ((Field.ID, "id"), (Field.TITLE, "title"), (Field.STATUS, "status")):
            if name in rfc.value:
                fields[field] = place_of(rfc.value[name])
    return fields


def read_meta(read: Read, folder_name: str) -> Meta:
    """Return the metadata from the first file; without a usable id there, the folder's name is tried."""
    sheet, top = read.sheet, read.top
    rfc = sheet.mapping(top.get("rfc"), Field.ID)
    written, title = _text(read, rfc, "id", Field.ID), _text(read, rfc, "title", Field.TITLE)
    if written and not _RFC_ID.fullmatch(written):
        what = f"{written[:60]!r} is not the id of an RFC"
        sheet.note(Defect.WRONG_VALUE, what, rfc["id"], Field.ID, "RFC- and four digits")
    name = next((each for each in (written, folder_name) if safe_name(each) and each.startswith("RFC")), "")
    binds = sheet.mapping(top.get("binds_to_prd"), Field.REQUIREMENTS)
    prd_id = sheet.text(binds.get("prd_id"), Field.REQUIREMENTS)
    if prd_id and not safe_name(prd_id):
        what = f"{prd_id[:60]!r} is not the id of a PRD"
        sheet.note(Defect.WRONG_VALUE, what, binds["prd_id"], Field.REQUIREMENTS, "PRD- and four digits, or NONE")
        prd_id = ""
    version = sheet.first(top, ("version",)) or sheet.first(rfc, ("version",))
    as_written = sheet.prose(version, Field.WHOLE)[:100]
    return Meta(name, title, _VERSIONS.get(as_written.lower(), Version.V4), as_written, prd_id)


def _text(read: Read, rfc: Mapping[str, Located], name: str, field: Field) -> str:
    node = rfc.get(name)
    text = read.sheet.text(node, field)
    where = node or read.top.get("rfc") or read.content
    if not text and where is not None and (node is None or isinstance(node.value, str | None)):
        read.sheet.note(Defect.MISSING_FIELD, f"the RFC has no `{name}`", where, field, f"`{name}` with a text")
    return text
