"""A small RFC that the gates find nothing in, and how a seat that code holds is asked about it."""

from __future__ import annotations

import json
from pathlib import Path

from quorate.codec import form_schema
from quorate.core.forms import Key, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.check import Check
from quorate.participants.port import Answer, Prompt, Request
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.discovery import DOCUMENTS
from quorate.protocols.council.world.rfc.read import read_rfc

META = """\
rfc_meta:
  rfc:
    id: RFC-0001
    title: Export of projects
    status: DRAFT
  version: v4
  binds_to_prd:
    prd_id: PRD-0001
"""
IMPORTS = """\
rfc_problem_and_imports:
  problem_statement: Projects cannot be taken home.
  imported_requirements:
    - id: REQ-0001
      title: Export
    - id: REQ-0002
      title: Limits
"""
PLAN = """\
rfc_ticket_decomposition:
  strategy: by layer
  tickets:
    - ticket_id: TCK-00003
      title: Limit the export
      status: READY
      requirement_ids: [REQ-0002]
      blocked_by: [TCK-00001]
      description: Limits the size of an export.
      files_to_modify: [src/core/limits.py]
      steps:
        - Read the limit from the settings
        - Refuse an export that is larger
      verification_commands: [pytest tests/test_limits.py]
      acceptance_criteria: [An export above the limit is refused]
    - ticket_id: TCK-00004
      title: Show the limit
      status: READY
      requirement_ids: [REQ-0002]
      blocked_by: [TCK-00003]
      description: Shows the limit to users.
      files_to_modify: [src/core/app.py]
      steps:
        - Read the limit from the settings
        - Print it in the help
      verification_commands: [pytest tests/test_help.py]
      acceptance_criteria: [The help names the limit]
"""
EXPORTER = """\
ticket:
  id: TCK-00001
  title: Write the exporter
  status: READY
  rfc_id: RFC-0001
  requirement_ids: [REQ-0001]
  depends_on: []
implementation:
  summary: Exports a project to a file.
  files_to_modify:
    - path: src/core/app.py
      changes: calls the exporter
  files_to_create:
    - path: src/core/export.py
      purpose: the exporter
  implementation_steps:
    - step: 1
      action: Write the exporter
      details: It writes one JSON file for each project.
    - step: 2
      action: Call the exporter from the application
acceptance_criteria:
  - criterion: A project is exported to one file
    verification: pytest tests/test_export.py
test_requirements:
  - test_id: UT-001-01
    description: exports an empty project
    verification_command: pytest -k empty
notes: Nothing more.
"""
STREAM = (
    EXPORTER.replace("TCK-00001", "TCK-00002")
    .replace("UT-001", "UT-002")
    .replace("depends_on: []", "depends_on: [TCK-00001]")
    .replace("Write the exporter", "Stream the export")
    .replace("export.py", "stream.py")
)


def write(folder: Path) -> Path:
    """Write the RFC into a folder of its own; returns the folder."""
    texts = {f"{stem}.yaml": f"{root}:\n  notes: nothing\n" for stem, root in DOCUMENTS}
    texts |= {
        "00_meta.yaml": META,
        "01_problem_and_imports.yaml": IMPORTS,
        "06_ticket_decomposition.yaml": PLAN,
        "tickets/TCK-00001.yaml": EXPORTER,
        "tickets/TCK-00002.yaml": STREAM,
        "ccp/component_atlas.yaml": "components:\n  - {id: COMP-CORE, name: core, path: src/core, description: all}\n",
        "ccp/ccp_index.json": json.dumps(
            {"file_inventory": {"files": [{"path": f"src/core/{name}.py"} for name in ("app", "limits")]}}
        ),
    }
    for name, statement in (("REQ-0001", "A project can be exported."), ("REQ-0002", "Exports are limited.")):
        words = f"prd_requirement:\n  id: {name}\n  title: {name}\n  statement: {statement}\n"
        texts[f"prd/requirements/{name}.yaml"] = words
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def change(path: Path, old: str, new: str) -> None:
    """Replace what stands in a file."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


async def ask(seat: Check, brief: str, form: type[Reply], keys: tuple[str, ...], *sections: Section) -> Answer:
    """Ask a seat, and return what it answers."""
    asked = Ask(AskId("0.0"), Seat(seat.name), brief, form, tuple(map(Key, keys)))
    request = Request(asked, View("", sections), Prompt("", ""), form_schema(form, asked.keys), 1, 1)
    found = await seat.reply(request, lambda _: None)
    assert found is not None
    return found


def gate_rows(folder: Path) -> dict[str, dict[str, str]]:
    """What the gates find, as the view shows it: F1, F2, ..."""
    found = run_gates(read_rfc(folder)).findings
    return {
        f"F{number}": {
            "origin": "gate",
            "subcategory": each.subcategory.value,
            "place": str(each.place),
            "field": each.field.value,
            "description": each.message.text,
        }
        for number, each in enumerate(found, start=1)
    }
