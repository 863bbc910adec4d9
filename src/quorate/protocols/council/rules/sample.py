"""A small RFC to start from, which `quorate init council DIR` writes: ten short files, a PRD, three tickets, an index.

It is complete, so the gates find nothing, and short enough for a small context window.
"""

from __future__ import annotations

from collections.abc import Mapping

_META = """\
rfc_meta:
  version: v4
  rfc:
    id: RFC-0001
    title: "Readers go on where they stopped"
    status: PROPOSED
  binds_to_prd:
    prd_id: PRD-0001
    rationale: "It meets all requirements of the PRD, which stand in prd/requirements/."
"""

_PROBLEM = """\
rfc_problem_and_imports:
  problem_statement:
    summary: "Whoever closes the reader loses the page and has to look for it again."
  imported_requirements:
    - id: REQ-0001
      title: "The last page is kept"
    - id: REQ-0002
      title: "A book opens at the last page"
    - id: REQ-0003
      title: "Stored pages can be forgotten"
"""

_DECISIONS = """\
rfc_design_decisions:
  decisions:
    - id: DEC-0001
      title: "One JSON file in the settings folder"
      decision: "reader/store/settings.py knows the folder; bookmarks.json lies in it, written by rename."
      rationale: "A few hundred entries need no database."
      alternatives: ["SQLite", "a file beside each book"]
      affected_requirements: [REQ-0001, REQ-0003]
"""

_BOUNDARIES = """\
rfc_trust_boundaries:
  boundaries:
    - id: TB-0001
      name: "The file of bookmarks"
      type: UNTRUSTED_INPUT
      invariants: ["What cannot be read counts as empty and never ends the program."]
  threats:
    - id: TH-0001
      title: "A damaged file gives a page that the book does not have"
      mitigation: "The page is limited to the pages of the book."
      residual_risk: LOW
"""

_CONTRACTS = """\
rfc_contracts_and_versioning:
  contracts:
    - id: CTR-0001
      name: "bookmarks.json"
      rule: "An object with version 1 and pages: the digest of a book -> its page. Unknown keys are kept."
"""

_ROLLOUT = """\
rfc_rollout_and_ops:
  phases:
    - id: PHASE-1
      tickets: [TCK-00001, TCK-00002, TCK-00003]
  rollback: ["An older version ignores bookmarks.json."]
"""

_TICKETS = """\
rfc_ticket_decomposition:
  decomposition_strategy: "Store first, then use, then forget. Each ticket has a file in tickets/."
"""

_TESTS = """\
rfc_test_and_evidence:
  test_plan:
    overview: "Unit tests beside the modules; one test starts the program twice."
  evidence_registry:
    - id: EVID-0001
      title: "Log of the program that is started twice"
"""

_RISKS = """\
rfc_risks_and_open_questions:
  risks:
    - id: RSK-0001
      title: "Two windows with one book: the last one closed wins"
      mitigation: "Accepted, and said in the manual."
  open_questions: []
"""

_GOVERNANCE = """\
rfc_governance_and_gates:
  owners: ["Reader team"]
  waivers: []
"""

_STORE = """\
ticket:
  id: TCK-00001
  title: "Store the page of each book"
  status: READY
  rfc_id: RFC-0001
  requirement_ids: [REQ-0001]
  depends_on: []
implementation:
  summary: "Add Bookmarks with page() and keep(), on one JSON file."
  files_to_create:
    - path: reader/store/bookmarks.py
      purpose: "Bookmarks(folder): page(book) -> int | None and keep(book, page)"
    - path: reader/store/test_bookmarks.py
      purpose: "Round trip, damaged file, two books"
  implementation_steps:
    - step: 1
      action: "Read bookmarks.json; where it is missing or damaged, begin with no pages."
    - step: 2
      action: "Write to bookmarks.json.new, then os.replace() it; errors of the disk are logged, not raised."
acceptance_criteria:
  - criterion: "A page that was kept is read back by a new Bookmarks."
    verification: "pytest reader/store/test_bookmarks.py -k round_trip"
  - criterion: "A damaged file counts as empty."
    verification: "pytest reader/store/test_bookmarks.py -k damaged"
test_requirements:
  - test_id: UT-001-01
    description: "All of the above"
    verification_command: "pytest reader/store"
"""

_OPEN = """\
ticket:
  id: TCK-00002
  title: "Open a book at its stored page"
  status: READY
  rfc_id: RFC-0001
  requirement_ids: [REQ-0002]
  depends_on: [TCK-00001]
implementation:
  summary: "The window asks Bookmarks for the page when it opens, and keeps the page when it closes."
  files_to_modify:
    - path: reader/window.py
      changes: "open_book() and close()"
    - path: reader/test_window.py
      changes: "A window that is closed and opened again"
  implementation_steps:
    - step: 1
      action: "In open_book(): page = min(bookmarks.page(book) or 1, book.pages)."
    - step: 2
      action: "In close(): bookmarks.keep(book, self.page)."
acceptance_criteria:
  - criterion: "A book of 10 pages with stored page 99 opens at page 10."
    verification: "pytest reader/test_window.py -k too_far"
test_requirements:
  - test_id: IT-002-01
    description: "The program is started twice"
    verification_command: "pytest reader/test_window.py"
"""

_FORGET = """\
ticket:
  id: TCK-00003
  title: "Forget stored pages on request"
  status: READY
  rfc_id: RFC-0001
  requirement_ids: [REQ-0003]
  depends_on: [TCK-00001]
implementation:
  summary: "Add `reader forget BOOK` and `reader forget --all`."
  files_to_modify:
    - path: reader/commands.py
      changes: "Register forget in COMMANDS."
    - path: reader/store/bookmarks.py
      changes: "forget(book: Book | None) -> int, the number of entries deleted"
  implementation_steps:
    - step: 1
      action: "forget(None) deletes all entries; forget(book) the one of that book."
    - step: 2
      action: "Print how many were forgotten; a book without an entry is 0 and exit code 0."
acceptance_criteria:
  - criterion: "After forget --all every book opens at page 1."
    verification: "pytest reader/store/test_bookmarks.py -k forget"
test_requirements:
  - test_id: UT-003-01
    description: "One, all and none"
    verification_command: "pytest reader/store -k forget"
"""

_REQUIREMENT = """\
prd_requirement:
  id: {id}
  type: FUNCTIONAL
  title: "{title}"
  statement: "{statement}"
  acceptance_criteria: ["{criterion}"]
"""

_KEPT = _REQUIREMENT.format(
    id="REQ-0001",
    title="The last page is kept",
    statement="The page that a reader sees when the program ends is stored for each book.",
    criterion="After a restart the stored page is the one that was last seen.",
)
_OPENED = _REQUIREMENT.format(
    id="REQ-0002",
    title="A book opens at the last page",
    statement="A book that was read before opens at its stored page, a new one at page 1.",
    criterion="A page that the book does not have is never opened.",
)
_FORGOTTEN = _REQUIREMENT.format(
    id="REQ-0003",
    title="Stored pages can be forgotten",
    statement="A reader can delete what is stored for one book or for all.",
    criterion="A forgotten book opens at page 1.",
)

_ATLAS = """\
component_atlas:
  components:
    - id: COMP-READER
      name: "reader"
      path: reader
      description: "The window, the books and the commands"
      extension_points:
        - id: EXT-COMMANDS
          name: "COMMANDS"
          path: reader/commands.py
          description: "A command is registered here by its name."
    - id: COMP-STORE
      name: "store"
      path: reader/store
      description: "What is kept on disk: settings"
      extension_points: []
"""

_INDEX = """\
{
  "schema_version": "1",
  "prd_id": "PRD-0001",
  "file_inventory": {
    "file_count": 6,
    "files": [
      {"path": "reader/__init__.py"},
      {"path": "reader/book.py"},
      {"path": "reader/commands.py"},
      {"path": "reader/store/settings.py"},
      {"path": "reader/test_window.py"},
      {"path": "reader/window.py"}
    ]
  }
}
"""

SAMPLE: Mapping[str, str] = {
    "00_meta.yaml": _META,
    "01_problem_and_imports.yaml": _PROBLEM,
    "02_design_decisions.yaml": _DECISIONS,
    "03_trust_boundaries.yaml": _BOUNDARIES,
    "04_contracts_and_versioning.yaml": _CONTRACTS,
    "05_rollout_and_ops.yaml": _ROLLOUT,
    "06_ticket_decomposition.yaml": _TICKETS,
    "07_test_and_evidence.yaml": _TESTS,
    "08_risks_and_open_questions.yaml": _RISKS,
    "09_governance_and_gates.yaml": _GOVERNANCE,
    "tickets/TCK-00001.yaml": _STORE,
    "tickets/TCK-00002.yaml": _OPEN,
    "tickets/TCK-00003.yaml": _FORGET,
    "prd/requirements/REQ-0001.yaml": _KEPT,
    "prd/requirements/REQ-0002.yaml": _OPENED,
    "prd/requirements/REQ-0003.yaml": _FORGOTTEN,
    "ccp/component_atlas.yaml": _ATLAS,
    "ccp/ccp_index.json": _INDEX,
}
"""The files by their paths within the RFC's folder."""
