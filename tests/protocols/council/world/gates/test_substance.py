"""Substance: words about the work are told from changes of the work (C38)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate.protocols.council.world.gates.substance import changes_substance, is_substantive
from quorate.protocols.council.world.rfc.model import (
    Atlas,
    CodeExample,
    Criterion,
    Document,
    FilePath,
    Place,
    Reference,
    Rfc,
    Shape,
    Ticket,
    Version,
)
from quorate.protocols.council.world.rfc.model import TestCase as Case

AT = Place("tickets/TCK-00001.yaml", 3, "ticket")
ELSEWHERE = Place("tickets/TCK-00001.yaml", 99, "ticket")

TICKET = Ticket(
    "T1",
    "TCK-00001",
    "Add the exporter",
    "READY",
    "RFC-0001",
    Shape.A,
    AT,
    {},
    requirements=(Reference("REQ-0001", AT),),
    depends_on=(Reference("TCK-00002", AT),),
    modifies=(FilePath("src/app.py", "wire it", AT),),
    creates=(FilePath("src/export.py", "the exporter", AT),),
    summary="Exports projects.",
    steps=("Write the exporter in src/export.py", "Call it after the import, p95 < 200 ms"),
    examples=(CodeExample("how it is called", "export(project)", AT),),
    criteria=(Criterion("All projects are exported", "pytest tests/test_export.py", AT),),
    tests=(Case("UT-001-01", "exports an empty project", "pytest -k empty", AT),),
    commands=("make test",),
    evidence=(Reference("EVID-0001", AT),),
    component="COMP-CORE",
    extension_point="EXT-01",
    notes="None.",
    text="ticket:\n  id: TCK-00001\n",
)

PROSE = {
    "nothing": TICKET,
    "title": replace(TICKET, title="Add the one and only exporter"),
    "summary": replace(TICKET, summary="Exports projects, all of them, to a file that users can take home."),
    "notes": replace(TICKET, notes="The agent must think of errors, of empty projects and of the order of fields."),
    "where it stands": replace(TICKET, at=ELSEWHERE, key="T7", requirements=(Reference("REQ-0001", ELSEWHERE),)),
    "why a file is changed": replace(TICKET, modifies=(FilePath("src/app.py", "wire the exporter", AT),)),
    "what an example shows": replace(TICKET, examples=(CodeExample("a call of it", "export(project)", AT),)),
    "blanks of an example": replace(TICKET, examples=(CodeExample("", "  export(project)\n", AT),)),
    "filler in a step": replace(
        TICKET, steps=("Carefully write the exporter in src/export.py, please", *TICKET.steps[1:])
    ),
    "another form of a word": replace(TICKET, steps=("Writing the exporter in src/export.py", *TICKET.steps[1:])),
    "an empty step": replace(TICKET, steps=(*TICKET.steps, "And so on.")),
    "a step twice": replace(TICKET, steps=(*TICKET.steps, "The exporter: write it in src/export.py!")),
    "filler in a criterion": replace(
        TICKET, criteria=(Criterion("All relevant projects are properly exported", "pytest tests/test_export.py", AT),)
    ),
    "blanks in a command": replace(TICKET, commands=("make   test\n",)),
    "a dependency twice": replace(TICKET, depends_on=TICKET.depends_on * 2),
}
SUBSTANCE = {
    "id": replace(TICKET, id="TCK-00009"),
    "status": replace(TICKET, status="BLOCKED"),
    "rfc": replace(TICKET, rfc_id="RFC-0002"),
    "a requirement": replace(TICKET, requirements=(*TICKET.requirements, Reference("REQ-0002", AT))),
    "no requirement": replace(TICKET, requirements=()),
    "a dependency": replace(TICKET, depends_on=(Reference("TCK-00003", AT),)),
    "no dependency": replace(TICKET, depends_on=()),
    "a path to modify": replace(TICKET, modifies=(FilePath("src/main.py", "wire it", AT),)),
    "a path to create": replace(TICKET, creates=()),
    "a step more": replace(TICKET, steps=(*TICKET.steps, "Delete the old exporter")),
    "a step less": replace(TICKET, steps=TICKET.steps[:1]),
    "the order of steps": replace(TICKET, steps=TICKET.steps[::-1]),
    "a step that says more": replace(
        TICKET, steps=("Write the exporter in src/export.py, with a retry limit of 3", *TICKET.steps[1:])
    ),
    "a path in a step": replace(TICKET, steps=("Write the exporter in src/a/export.py", *TICKET.steps[1:])),
    "before for after": replace(TICKET, steps=(TICKET.steps[0], "Call it before the import, p95 < 200 ms")),
    "a number": replace(TICKET, steps=(TICKET.steps[0], "Call it after the import, p95 < 300 ms")),
    "a comparison": replace(TICKET, steps=(TICKET.steps[0], "Call it after the import, p95 > 200 ms")),
    "not": replace(TICKET, steps=("Do not write the exporter in src/export.py", *TICKET.steps[1:])),
    "code": replace(TICKET, examples=(CodeExample("how it is called", "export(project, deep=True)", AT),)),
    "a criterion": replace(TICKET, criteria=(*TICKET.criteria, Criterion("The export is complete", "", AT))),
    "a verification": replace(TICKET, criteria=(Criterion("All projects are exported", "pytest tests", AT),)),
    "a test": replace(TICKET, tests=(*TICKET.tests, Case("UT-001-02", "exports two", "pytest -k two", AT))),
    "a command of a test": replace(
        TICKET, tests=(Case("UT-001-01", "exports an empty project", "pytest -k EMPTY", AT),)
    ),
    "a command": replace(TICKET, commands=("make test", "make lint")),
    "evidence": replace(TICKET, evidence=()),
    "a component": replace(TICKET, component="COMP-WEB"),
    "an extension point": replace(TICKET, extension_point="EXT-02"),
}


@pytest.mark.parametrize("change", PROSE)
def test_words_about_the_work_are_prose(change: str) -> None:
    assert not is_substantive(TICKET, PROSE[change])
    assert not is_substantive(PROSE[change], TICKET)


@pytest.mark.parametrize("change", SUBSTANCE)
def test_changes_of_the_work_are_substance(change: str) -> None:
    assert is_substantive(TICKET, SUBSTANCE[change])
    assert is_substantive(SUBSTANCE[change], TICKET)


def test_the_scope_of_a_ticket_is_substance() -> None:
    text = "ticket_meta:\n  ticket:\n    id: TCK-00001\nscope:\n  in_scope:\n    - export of {}\n  out_of_scope: []\n"
    ticket = replace(TICKET, shape=Shape.C, text=text.format("projects"))
    assert is_substantive(ticket, replace(ticket, text=text.format("archived projects")))
    assert not is_substantive(ticket, replace(ticket, text=text.format("the projects")))
    assert not is_substantive(ticket, replace(ticket, text=text.format("projects") + "notes: more words\n"))
    assert not is_substantive(ticket, replace(ticket, summary="In scope: projects, that is."))


# Documents and the set of tickets

DECISIONS = """\
rfc_design_decisions:
  last_updated_date: 2026-01-01
  decisions:
    - id: DEC-0001
      title: One database
      rationale: Two are hard to keep alike.
      selected: sqlite
      affected_requirements: [REQ-0001]
"""


def rfc_of(*tickets: Ticket, **documents: str) -> Rfc:
    made = tuple(Document(key, f"{key}.yaml", text) for key, text in documents.items())
    return Rfc("RFC-0001", "", Version.V4, "v4", "NONE", "rfc", made, tickets, (), Atlas())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Two are hard to keep alike.", "Two databases are hard to keep alike, and cost twice."),
        ("One database", "A single database"),
        ("2026-01-01", "2026-02-02"),
        ("sqlite", '"sqlite"'),
        ("sqlite", "sqlite  # decided"),
        ("[REQ-0001]", "\n        - REQ-0001"),
        ("      selected: sqlite\n", "      selected: sqlite\n      notes: it is small\n"),
    ],
)
def test_prose_of_a_document_is_prose(old: str, new: str) -> None:
    assert old in DECISIONS
    before, after = (rfc_of(TICKET, R02=text) for text in (DECISIONS, DECISIONS.replace(old, new)))
    assert not changes_substance(before, after)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("sqlite", "postgres"),
        ("[REQ-0001]", "[REQ-0001, REQ-0002]"),
        ("DEC-0001", "DEC-0002"),
        ("      selected: sqlite\n", ""),
        ("      selected: sqlite\n", "      selected: sqlite\n      supersedes: DEC-0000\n"),
        ("rfc_design_decisions:", "rfc_design_decisions:\n  strict: true"),
    ],
)
def test_what_a_document_decides_is_substance(old: str, new: str) -> None:
    assert old in DECISIONS
    before, after = (rfc_of(TICKET, R02=text) for text in (DECISIONS, DECISIONS.replace(old, new)))
    assert changes_substance(before, after)


def test_a_document_more_or_less_is_substance() -> None:
    assert changes_substance(rfc_of(TICKET), rfc_of(TICKET, R02=DECISIONS))
    assert changes_substance(rfc_of(TICKET, R02=DECISIONS), rfc_of(TICKET))


def test_a_ticket_more_or_less_is_substance_and_keys_that_shift_are_not() -> None:
    other = replace(TICKET, key="T2", id="TCK-00002")
    assert changes_substance(rfc_of(TICKET), rfc_of(TICKET, other))
    assert changes_substance(rfc_of(TICKET, other), rfc_of(other))
    assert not changes_substance(rfc_of(TICKET, other), rfc_of(replace(other, key="T1"), replace(TICKET, key="T2")))


def test_tickets_without_an_id_or_with_the_same_one_are_told_apart() -> None:
    nameless, second = replace(TICKET, id=""), replace(TICKET, id="", at=Place("b.yaml"))
    assert not changes_substance(rfc_of(nameless, second, TICKET, TICKET), rfc_of(nameless, second, TICKET, TICKET))
    assert changes_substance(rfc_of(nameless, second), rfc_of(nameless, replace(second, status="DONE")))
    assert changes_substance(rfc_of(TICKET, TICKET), rfc_of(TICKET))


def test_tickets_in_the_decomposition_are_compared_as_tickets() -> None:
    """A key that no ticket has is prose there as well, and cannot pass for a change of the plan."""
    entry = "rfc_ticket_decomposition:\n  strategy: small\n  tickets:\n    - ticket_id: TCK-00001\n"
    ticket = replace(TICKET, shape=Shape.D, at=Place("R06.yaml", 3))
    before = rfc_of(ticket, R06=entry)
    assert not changes_substance(before, rfc_of(ticket, R06=entry + "      hint: think of the errors too\n"))
    assert changes_substance(before, rfc_of(ticket, R06=entry.replace("small", "large")))
    assert changes_substance(before, rfc_of(replace(ticket, status="DONE"), R06=entry))


@pytest.mark.parametrize("broken", ["a: [", "\t- x", "just a sentence", "- a\n- b\n", ""])
def test_a_document_that_is_no_mapping_is_compared_by_its_words(broken: str) -> None:
    assert not changes_substance(rfc_of(R02=broken), rfc_of(R02=broken + "\n\n"))
    assert changes_substance(rfc_of(R02=broken), rfc_of(R02=broken + " more"))
