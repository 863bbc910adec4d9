"""Writes small RFCs into folders, in both layouts, with a ticket in each shape."""

from __future__ import annotations

import json
from pathlib import Path

from quorate.protocols.council.world.rfc.discovery import DOCUMENTS
from quorate.protocols.council.world.rfc.model import Flaw, Rfc

META = """\
rfc_meta:
  rfc:
    id: RFC-0042
    title: "Parcels are tracked"
    status: DRAFT
  version: v2
  binds_to_prd:
    prd_id: PRD-0007
  allowed_new_files:
    - tools/track.py
    - path: tools/lost.py
"""
IMPORTS = """\
rfc_problem_and_imports:
  problem_statement: "Nobody knows where a parcel is."
  imported_requirements:
    - id: REQ-0001
      title: "Every scan is kept"
      ref: "documents/prds/PRD-0007/requirements/REQ-0001.yaml"
    - id: REQ-0002
      title: "A lost parcel is noticed"
"""
DECISIONS = """\
rfc_design_decisions:
  architecture_decisions:
    - decision_id: AD-001
      title: "Scans are appended"
      alternatives:
        - id: ALT-0001
  decisions:
    - id: DEC-0002
      title: "One clock"
    - id: OPT-A
"""
PLAN = """\
rfc_ticket_decomposition:
  strategy: "By phase."
  tickets:
    - ticket_id: TCK-00103
      title: "Report lost parcels"
      phase: PHASE-2
      requirement_ids:
        - REQ-0002
      description: |
        Looks every night for parcels without a scan.
      ccp_component: COMP-CORE
      extension_point: EXT-CORE-1
      files_to_create:
        - core/lost.py
      files_to_modify:
        - core/scan.py
      verification_commands:
        - "pytest tests/lost"
      acceptance_criteria:
        - "A parcel without a scan for a day is reported"
      blocked_by:
        - TCK-00101
"""
EVIDENCE = """\
rfc_test_and_evidence:
  evidence_registry:
    - id: EVID-0421
      title: "Scans of a day"
    - evidence_id: EVID-0422
  test_plan:
    - covers: [EVID-0999]
"""
SHAPE_A = """\
ticket:
  id: TCK-00100
  title: "Scan a parcel"
  status: READY
  rfc_id: RFC-0042
  requirement_ids:
    - REQ-0001
  depends_on: []

implementation:
  summary: |
    A scanner writes what it sees.
  files_to_modify:
    - path: core/scan.py
      changes: "Write the scan"
  files_to_create:
    - path: core/log.py
      purpose: "Keeps scans"
  implementation_steps:
    - step: 1
      action: "Open the log"
      details: "Append only."
    - step: 2
      action: "Write the scan"
  code_examples:
    - description: "How a scan looks"
      code: |
        scan(parcel)

acceptance_criteria:
  - criterion: "A scan is kept"
    verification: "pytest tests/scan"

test_requirements:
  - test_id: UT-100-01
    description: "A scan is kept"
    verification_command: "pytest tests/scan"

notes: "Mind the clock."
"""
SHAPE_B = """\
ticket_meta:
  ticket:
    id: TCK-00101
    title: "Keep the scans"
    status: IN_PROGRESS
  binds:
    rfc_id: RFC-0042
    requirements:
      - requirement_id: REQ-0001
        requirement_ref: "documents/prds/PRD-0007/requirements/REQ-0001.yaml"
    evidence_artifacts:
      - evidence_id: EVID-0421
dependencies:
  tickets:
    - ticket_id: TCK-00100
      reason: "writes the scans"
implementation:
  summary: "Scans are kept for a year."
  files_to_modify:
    - path: core/log.py
      changes: "Keep"
  implementation_steps:
    - step: 1
      action: "Keep them"
acceptance_criteria:
  - criterion: "They are there after a year"
    verification: "pytest tests/year"
"""
SHAPE_C = """\
ticket_meta:
  ticket:
    id: TCK-00102
    title: "Forget old scans"
    status: COMPLETED
  binds:
    prd_id: PRD-0007
    rfc_id: RFC-0042
    requirements:
      - requirement_id: REQ-0002
  dependencies:
    tickets:
      - ticket_id: TCK-00101
        reason: "they must be kept before"
  scope:
    in_scope:
      - "Scans of last year"
    out_of_scope:
      - "Scans of today"
  plan:
    steps:
      - "Find them."
      - "Delete them."
  definition_of_done:
    evidence_ids:
      - EVID-0422
    criteria:
      - "None is left"
  notes:
    security: "Deleting is logged."
    verification: "pytest tests/forget"
"""
REQUIREMENT = """\
prd_requirement:
  id: {id}
  type: FUNCTIONAL
  title: "{title}"
  statement: |
    Every scan MUST be kept.
  acceptance_criteria:
    - "It is kept."
  evidence:
    evidence_ids:
      - EVID-0701
"""
ATLAS = """\
component_atlas:
  components:
    - id: COMP-CORE
      name: core
      path: core/
      description: "The core"
      invariants:
        - id: INV-1
          statement: "Scans are never changed"
      extension_points:
        - id: EXT-CORE-1
          name: Log
          path: core/log.py
          description: "Where scans go"
      modules:
        - name: night
          extension_points:
            - id: EXT-CORE-2
              name: Night
              path: core/night.py
    - id: COMP-WEB
      crate_path: web
"""
INDEX = {"prd_id": "PRD-0007", "file_inventory": {"files": [{"path": "core/scan.py"}, {"path": "./core/night.py"}]}}
TEXTS = {0: META, 1: IMPORTS, 2: DECISIONS, 6: PLAN, 7: EVIDENCE}
TICKETS = {"TCK-00100": SHAPE_A, "TCK-00101": SHAPE_B, "TCK-00102": SHAPE_C}


class Written:
    """An RFC on disk: where its parts lie, and how to change one of them."""

    def __init__(self, root: Path, *, in_tree: bool) -> None:
        self.root = root
        self.rfc = root / "documents/rfcs/RFC-0042" if in_tree else root
        self.tickets = root / ("documents/work/tickets" if in_tree else "tickets")
        self.prd = root / ("documents/prds/PRD-0007" if in_tree else "prd")
        self.ccp = root / ("evidence/prd/PRD-0007/ccp" if in_tree else "ccp")
        for number, (stem, key) in enumerate(DOCUMENTS):
            self.write(self.rfc / f"{stem}.yaml", TEXTS.get(number, f"{key}:\n  remark: nothing\n"))
        for name, text in TICKETS.items():
            self.ticket(name, text)
        for name, title in (("REQ-0001", "Kept"), ("REQ-0002", "Noticed"), ("REQ-0003", "Of another RFC")):
            self.write(self.prd / f"requirements/{name}.yaml", REQUIREMENT.format(id=name, title=title))
        self.write(self.prd / "evidence_artifacts/EVID-0701.yaml", "prd_evidence_artifact:\n  id: EVID-0701\n")
        self.write(self.rfc / "evidence_artifacts/EVID-0423.log", "it ran\n")
        self.write(self.ccp / "component_atlas.yaml", ATLAS)
        self.write(self.ccp / "ccp_index.json", json.dumps(INDEX))

    def write(self, path: Path, text: str | bytes) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def ticket(self, name: str, text: str | bytes) -> Path:
        return self.write(self.tickets / f"{name}.yaml", text)

    def document(self, number: int) -> Path:
        return self.rfc / f"{DOCUMENTS[number][0]}.yaml"


def told(rfc: Rfc) -> list[tuple[str, str, int, str, str, str]]:
    """Return what can be told apart of flaws: defect, file, line, yaml path, place and field."""
    return [
        (each.defect.name, each.at.file, each.at.line, each.at.yaml_path, each.place, each.field.name)
        for each in rfc.flaws
        if not each.warns
    ]


def only(rfc: Rfc) -> Flaw:
    """Return the one flaw that is more than unusual."""
    (flaw,) = [each for each in rfc.flaws if not each.warns]
    return flaw
