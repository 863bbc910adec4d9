"""RFCs for the tests of the gates: built in memory, with texts whose lines are those that the places name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quorate.protocols.council.rules.forms import GateFinding, GateReport
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import (
    Atlas,
    CodeExample,
    Component,
    Criterion,
    Document,
    ExtensionPoint,
    FilePath,
    Justification,
    Place,
    Reference,
    Requirement,
    Rfc,
    Shape,
    Ticket,
    Version,
)

FOLDER = "documents/rfcs/RFC-0042"
NAMES = (
    "00_meta",
    "01_problem_and_imports",
    "02_design_decisions",
    "03_trust_boundaries",
    "04_contracts_and_versioning",
    "05_rollout_and_ops",
    "06_ticket_decomposition",
    "07_test_and_evidence",
    "08_risks_and_open_questions",
    "09_governance_and_gates",
)
GOVERNANCE = """rfc_governance_and_gates:
  gates:
    - id: GATE-SECURITY
      rule: Two reviewers must approve the waiver before the rollout begins.
  waivers:
    - id: WVR-0001
      text: Reviewers must approve the waiver; the council may accept this RFC once all gates pass.
"""


@dataclass
class Sheet:
    """Writes a file line by line and remembers where each thing stands."""

    file: str
    lines: list[str] = field(default_factory=list)

    def write(self, line: str, yaml_path: str = "") -> Place:
        self.lines.append(line)
        return Place(self.file, len(self.lines), yaml_path)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def tck(number: int) -> str:
    return f"TCK-{number:05}"


def req(number: int) -> str:
    return f"REQ-{number:04}"


def make_ticket(
    number: int,
    *,
    requirements: Sequence[str] = (),
    needs: Sequence[str] = (),
    modifies: Sequence[str] = (),
    creates: Sequence[str] = (),
    evidence: Sequence[str] = (),
    verified: bool = True,
    status: str = "READY",
    title: str = "",
    notes: str = "",
    example: str = "",
    purpose: str = "what it is for",
    **more: Any,
) -> Ticket:
    """Return a ticket of shape B whose key has the number of its id."""
    name, title = tck(number), title or f"Do part {number} of the work"
    sheet = Sheet(f"documents/work/tickets/{name}.yaml")
    fields: dict[Field, Place] = {Field.WHOLE: sheet.write("ticket_meta:", "ticket_meta")}
    sheet.write("  ticket:")
    fields[Field.ID] = sheet.write(f"    id: {name}", "ticket_meta.ticket.id")
    fields[Field.TITLE] = sheet.write(f"    title: {title}", "ticket_meta.ticket.title")
    fields[Field.STATUS] = sheet.write(f"    status: {status}", "ticket_meta.ticket.status")
    sheet.write("  binds:")
    fields[Field.REQUIREMENTS] = sheet.write("    requirements:", "ticket_meta.binds.requirements")
    bound = tuple(
        Reference(each, sheet.write(f"      - {each}", f"requirements[{at}]")) for at, each in enumerate(requirements)
    )
    fields[Field.DEPENDENCIES] = sheet.write("dependencies:", "dependencies")
    waits = tuple(Reference(each, sheet.write(f"  - {each}", f"dependencies[{at}]")) for at, each in enumerate(needs))
    fields[Field.EVIDENCE] = sheet.write("evidence_ids:", "evidence_ids")
    shown = tuple(
        Reference(each, sheet.write(f"  - {each}", f"evidence_ids[{at}]")) for at, each in enumerate(evidence)
    )
    fields[Field.FILES_TO_MODIFY] = sheet.write("files_to_modify:", "implementation.files_to_modify")
    changed = tuple(
        FilePath(each, "", sheet.write(f"  - {each}", f"files_to_modify[{at}]")) for at, each in enumerate(modifies)
    )
    fields[Field.FILES_TO_CREATE] = sheet.write("files_to_create:", "implementation.files_to_create")
    made = tuple(
        FilePath(each, purpose, sheet.write(f"  - {each}", f"files_to_create[{at}]")) for at, each in enumerate(creates)
    )
    fields[Field.CRITERIA] = sheet.write("acceptance_criteria:", "acceptance_criteria")
    check = "pytest -q" if verified else ""
    criteria = (Criterion("It works.", check, sheet.write(f"  - It works. {check}", "acceptance_criteria[0]")),)
    fields[Field.NOTES] = sheet.write("notes: |", "notes")
    for line in notes.split("\n"):
        sheet.write(f"  {line}")
    ticket = Ticket(
        key=f"T{number}",
        id=name,
        title=title,
        status=status,
        rfc_id="RFC-0042",
        shape=Shape.B,
        at=fields[Field.WHOLE],
        fields=fields,
        requirements=bound,
        depends_on=waits,
        modifies=changed,
        creates=made,
        steps=("Write it.", "Test it."),
        examples=(CodeExample("", example, Place(sheet.file)),) if example else (),
        criteria=criteria,
        evidence=shown,
        notes=notes,
        text=sheet.text,
    )
    return replace(ticket, **more)


def make_requirements(
    count: int, evidence: Mapping[int, str] | None = None
) -> tuple[tuple[Requirement, ...], Document]:
    """Return imported requirements, and the document that imports them."""
    sheet = Sheet(f"{FOLDER}/01_problem_and_imports.yaml")
    fields = {Field.WHOLE: sheet.write("rfc_problem_and_imports:")}
    fields[Field.REQUIREMENTS] = sheet.write("  imported_requirements:", "imported_requirements")
    made = []
    for number in range(1, count + 1):
        at = sheet.write(f"    - id: {req(number)}", f"imported_requirements[{number - 1}]")
        shows = (evidence or {}).get(number)
        links = (Reference(shows, sheet.write(f"      evidence: {shows}")),) if shows else ()
        made.append(
            Requirement(req(number), f"Need {number}", f"The system does {number}.", at, imported=True, evidence=links)
        )
    return tuple(made), Document("R01", NAMES[1] + ".yaml", sheet.text, fields)


def make_documents(imports: Document, texts: Mapping[str, str] | None = None) -> tuple[Document, ...]:
    documents = []
    for number, name in enumerate(NAMES):
        key = f"R{number:02}"
        text = (texts or {}).get(key, GOVERNANCE if number == 9 else f"rfc_{name[3:]}:\n  text: nothing here\n")
        documents.append(imports if number == 1 else Document(key, f"{name}.yaml", text, {Field.WHOLE: _whole(name)}))
    return tuple(documents)


def _whole(name: str) -> Place:
    return Place(f"{FOLDER}/{name}.yaml", 1, f"rfc_{name[3:]}")


FILES = frozenset(
    {
        "src/core/engine.py",
        "src/core/tally.py",
        "src/store/journal.py",
        "src/store/index_reader.py",
        "src/web/server.py",
        "src/web/page.py",
        "src/cli/main.py",
        "docs/guide.md",
    }
)
POINT = ExtensionPoint("EXT-0001", "store backends", "src/store", "where another store is plugged in")
COMPONENTS = tuple(
    Component(f"COMP-000{number}", name, f"src/{name}", f"the {name}", (POINT,) if name == "store" else ())
    for number, name in enumerate(("core", "store", "web", "cli"), start=1)
)
ATLAS = Atlas(COMPONENTS, FILES, "index", "evidence/prd/PRD-0007/ccp/ccp_index.json")


def clean_tickets() -> tuple[Ticket, ...]:
    """Return five tickets in a chain with a fork, the first requirement covered by three of them."""
    return (
        make_ticket(1, requirements=[req(1)], creates=["src/core/ledger.py"], evidence=["EVID-0001"]),
        make_ticket(2, requirements=[req(1), req(2)], needs=[tck(1)], modifies=["src/core/ledger.py"]),
        make_ticket(3, requirements=[req(1), req(3)], needs=[tck(2)], modifies=["src/store/journal.py"]),
        make_ticket(4, requirements=[req(4)], needs=[tck(2)], modifies=["src/web/page.py", "src/web/server.py"]),
        make_ticket(5, requirements=[req(5)], needs=[tck(3), tck(4)], creates=["src/cli/council.py"]),
    )


def make_rfc(tickets: Sequence[Ticket] | None = None, requirements: int = 5, **more: Any) -> Rfc:
    """Return a clean RFC of version v4, or one with other tickets and fields."""
    bound, imports = make_requirements(requirements, more.pop("requirement_evidence", {1: "EVID-0002"}))
    documents = make_documents(imports, more.pop("texts", None))
    rfc = Rfc(
        id="RFC-0042",
        title="A council",
        version=Version.V4,
        version_written="v4",
        prd_id="PRD-0007",
        root="documents/rfcs/RFC-0042",
        documents=documents,
        tickets=tuple(clean_tickets() if tickets is None else tickets),
        requirements=bound,
        atlas=ATLAS,
        evidence=frozenset({"EVID-0001", "EVID-0002"}),
    )
    return replace(rfc, **more)


def replacing(number: int, **changes: Any) -> tuple[Ticket, ...]:
    """Return the clean tickets with one of them made anew."""
    return tuple(make_ticket(number, **changes) if each.key == f"T{number}" else each for each in clean_tickets())


def justification(**changes: Any) -> Justification:
    whole = Justification(
        ticket_id=tck(5),
        file_path="tools/council.py",
        existing_component="COMP-0004",
        capability_gap="The command line has no place for tools.",
        evidence_artifact="EVID-0001",
        decision="CREATE_NEW",
        decision_rationale="Tools are not shipped.",
        at=Place("documents/work/tickets/TCK-00005.yaml", 30, "cousin_justifications[0]"),
    )
    return replace(whole, **changes)


def told(finding: GateFinding) -> tuple[str, str, str, str, str, int]:
    """Return what a finding says apart from its words: kind, severity, place, field, file, line."""
    file = finding.file.text.rpartition("/")[2]
    return (finding.subcategory.value, finding.severity.value, finding.place, finding.field.value, file, finding.line)


def all_told(report: GateReport) -> list[tuple[str, str, str, str, str, int]]:
    return [told(finding) for finding in report.findings]
