"""Data model of an RFC: documents, tickets, requirements, the index of the code, and flaws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from quorate.protocols.council.rules.taxonomy import Field

MOST_FILE = 1_000_000
"""Bytes of one YAML file."""
MOST_INDEX = 10_000_000
"""Bytes of the index of the code."""
MOST_TEXT = 6_000_000
"""Characters of all documents and tickets together."""


@dataclass(frozen=True, slots=True)
class Place:
    """A location: the file, relative to the RFC's root, and the place in it."""

    file: str
    line: int = 1
    """From 1."""
    yaml_path: str = ""
    """Such as `ticket_meta.binds.requirements[0]`; empty for the file as a whole."""


class Shape(Enum):
    """The four shapes in which tickets are written; all become one `Ticket`."""

    A = "ticket"
    B = "ticket_meta with implementation"
    C = "ticket_meta with plan and scope"
    D = "an entry of the RFC's own decomposition"


class Version(Enum):
    """The maturity of an RFC: discovery, exploration, closure."""

    V0 = "v0"
    V2 = "v2"
    V4 = "v4"


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to an id, and where it is."""

    id: str
    at: Place


@dataclass(frozen=True, slots=True)
class FilePath:
    """A path that a ticket will change or create, as written."""

    path: str
    purpose: str
    at: Place


@dataclass(frozen=True, slots=True)
class Criterion:
    text: str
    verification: str
    """A command or another way to tell; empty where there is none."""
    at: Place


@dataclass(frozen=True, slots=True)
class TestCase:
    id: str
    description: str
    command: str
    at: Place


@dataclass(frozen=True, slots=True)
class CodeExample:
    description: str
    code: str
    at: Place


@dataclass(frozen=True, slots=True)
class Ticket:
    """One ticket, whatever its shape."""

    key: str
    """`T1`, `T2`, ... in the order of the ids: how the council names it."""
    id: str
    """As written; empty where it has none."""
    title: str
    status: str
    rfc_id: str
    shape: Shape
    at: Place
    fields: Mapping[Field, Place]
    """Where each field stands that the ticket has."""
    requirements: tuple[Reference, ...] = ()
    depends_on: tuple[Reference, ...] = ()
    modifies: tuple[FilePath, ...] = ()
    creates: tuple[FilePath, ...] = ()
    summary: str = ""
    steps: tuple[str, ...] = ()
    examples: tuple[CodeExample, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    tests: tuple[TestCase, ...] = ()
    commands: tuple[str, ...] = ()
    """Verification commands that belong to no single criterion or test."""
    evidence: tuple[Reference, ...] = ()
    component: str = ""
    extension_point: str = ""
    notes: str = ""
    text: str = ""
    """What is written in the file; of shape D the entry alone."""

    def place_of(self, field: Field) -> Place:
        """Return the location of a field, or of the ticket if it lacks the field."""
        return self.fields.get(field, self.at)


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    title: str
    statement: str
    at: Place
    imported: bool
    """The RFC binds it; one that stands in the PRD alone is not this RFC's to cover."""
    evidence: tuple[Reference, ...] = ()
    acceptance: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtensionPoint:
    id: str
    name: str
    path: str
    description: str


@dataclass(frozen=True, slots=True)
class Component:
    id: str
    name: str
    path: str
    """The folder that belongs to it, with forward slashes and none at the end."""
    description: str
    extension_points: tuple[ExtensionPoint, ...] = ()
    invariants: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Atlas:
    """The existing code base: components and files (CCP), or the repository's tree in place of the index."""

    components: tuple[Component, ...] = ()
    files: frozenset[str] = frozenset()
    source: str = "none"
    """`index`, `tree` or `none`."""
    where: str = ""
    """The file or folder it was read from."""


@dataclass(frozen=True, slots=True)
class Justification:
    """The justification for a path that maps to no component."""

    ticket_id: str
    file_path: str
    existing_component: str
    capability_gap: str
    evidence_artifact: str
    decision: str
    decision_rationale: str
    at: Place


@dataclass(frozen=True, slots=True)
class DesignDecision:
    """A design decision of the RFC."""

    id: str
    title: str
    at: Place


@dataclass(frozen=True, slots=True)
class Document:
    """One of the ten files of an RFC."""

    key: str
    """`R00` to `R09`."""
    name: str
    text: str
    fields: Mapping[Field, Place] = field(default_factory=dict)


class Defect(Enum):
    """Why a file or a value of the RFC could not be read."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    TOO_LARGE = "too large"
    BINARY = "not text"
    NOT_YAML = "not YAML"
    TAB = "a tab"
    WRONG_SHAPE = "wrong shape"
    MISSING_FIELD = "missing field"
    WRONG_VALUE = "wrong value"
    DUPLICATE = "given twice"


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that could not be read, described so that it can be fixed. It becomes a finding of the schema gate."""

    defect: Defect
    what: str
    at: Place
    place: str = "RFC"
    """The key of the ticket or document, or `RFC`."""
    field: Field = Field.WHOLE
    expected: str = ""
    warns: bool = False
    """It is no more than unusual: a status outside the standard."""


@dataclass(frozen=True, slots=True)
class Rfc:
    """Everything that the council deliberates about, read once."""

    id: str
    title: str
    version: Version
    version_written: str
    """As it stands in the file; empty where none does."""
    prd_id: str
    """Empty, or NONE, for an RFC without one."""
    root: str
    """The RFC's folder as the user named it."""
    documents: tuple[Document, ...]
    tickets: tuple[Ticket, ...]
    requirements: tuple[Requirement, ...]
    atlas: Atlas
    decisions: tuple[DesignDecision, ...] = ()
    evidence: frozenset[str] = frozenset()
    """Ids of evidence that exist: in the RFC's registry, its folder, or the PRD's."""
    elsewhere: frozenset[str] = frozenset()
    """Ids of tickets that exist and belong to other RFCs."""
    justifications: tuple[Justification, ...] = ()
    allowed_new_files: tuple[str, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    """Files that were not read, and why: for the receipt."""
