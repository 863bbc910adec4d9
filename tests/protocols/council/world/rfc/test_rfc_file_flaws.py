"""A file that cannot be read, or has not the shape it must have, is a flaw with its line; the rest is read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import MOST_FILE, Defect, Place
from quorate.protocols.council.world.rfc.read import read_rfc
from quorate.protocols.council.world.rfc.sheet import MOST_FLAWS
from tests.protocols.council.world.rfc.written import SHAPE_A, Written, only, told

A = "tickets/TCK-00100.yaml"


def changed(alone: Written, old: str, new: str) -> None:
    assert SHAPE_A.count(old) >= 1
    alone.ticket("TCK-00100", SHAPE_A.replace(old, new))


# Files


@pytest.mark.parametrize(
    ("text", "defect", "line", "path"),
    [
        ("ticket: [\n", "NOT_YAML", 2, ""),
        ("ticket:\n  id: 1\n  id: 2\n", "NOT_YAML", 3, "ticket.id"),
        ("a: &a [1, *a]\n", "NOT_YAML", 1, "a[1]"),
        ("ticket: !!python/none\n", "NOT_YAML", 1, "ticket"),
        ("ticket: 1\n---\nticket: 2\n", "NOT_YAML", 2, ""),
        ("ticket: \x1b\n", "NOT_YAML", 1, ""),
        ("[" * 1000, "NOT_YAML", 1, "[0]" * 40),
        (b"ticket:\n  id: \0\n", "BINARY", 2, ""),
        ("ticket:\n\n  title: Müll".encode("latin-1"), "BINARY", 3, ""),
        (b"x" * (MOST_FILE + 1), "TOO_LARGE", 1, ""),
        ("", "WRONG_SHAPE", 1, ""),
        ("- a\n", "WRONG_SHAPE", 1, ""),
        ("just words\n", "WRONG_SHAPE", 1, ""),
        ("# RFC-0042\nother: 1\n", "WRONG_SHAPE", 2, ""),
        ("x: 1\nticket: 5\n", "WRONG_SHAPE", 2, "ticket"),
        ("ticket_meta:\n", "WRONG_SHAPE", 1, "ticket_meta"),
    ],
)
def test_a_ticket_that_cannot_be_read_is_a_flaw_of_the_rfc(
    alone: Written, text: str | bytes, defect: str, line: int, path: str
) -> None:
    alone.ticket("TCK-00199", text)
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == [(defect, "tickets/TCK-00199.yaml", line, path, "RFC", "WHOLE")]
    assert len(rfc.tickets) == 4


def test_what_is_no_plain_file_is_not_opened(alone: Written) -> None:
    os.mkfifo(alone.tickets / "TCK-00190.yaml")
    (alone.tickets / "TCK-00191.yaml").mkdir()
    alone.document(4).unlink()
    os.mkfifo(alone.document(4))
    (alone.tickets / "TCK-00192.yaml").symlink_to(alone.rfc)
    rfc = read_rfc(alone.rfc)
    assert [(flaw.defect, flaw.at.file, flaw.what) for flaw in rfc.flaws if not flaw.warns] == [
        (Defect.UNREADABLE, "04_contracts_and_versioning.yaml", "is not a regular file"),
        (Defect.UNREADABLE, "tickets/TCK-00190.yaml", "is not a regular file"),
        (Defect.UNREADABLE, "tickets/TCK-00191.yaml", "is a folder"),
        (Defect.UNREADABLE, "tickets/TCK-00192.yaml", "is a folder"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(alone: Written) -> None:
    (alone.tickets / "TCK-00100.yaml").chmod(0)
    assert only(read_rfc(alone.rfc)).what == "cannot be read: Permission denied"


def test_a_tab_is_one_flaw_and_the_ticket_is_read(alone: Written) -> None:
    changed(alone, "A scanner writes", "A\tscanner writes")
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == [("TAB", A, 12, "", "T1", "WHOLE")]
    assert rfc.tickets[0].summary.startswith("A\tscanner")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    - REQ-0001\n", "\t- REQ-0001\n"),
        ('      action: "Open the log"\n', '\t  action: "Open the log"\n'),
        ('      details: "Append only."\n', '    \tdetails: "Append only."\n'),
    ],
)
def test_a_tab_that_breaks_the_yaml_is_still_one_flaw(alone: Written, old: str, new: str) -> None:
    changed(alone, old, new)
    rfc = read_rfc(alone.rfc)
    line = SHAPE_A[: SHAPE_A.index(old)].count("\n") + 1
    assert told(rfc) == [("TAB", A, line, "", "T1", "WHOLE")]
    assert rfc.tickets[0].steps == ("Open the log\nAppend only.", "Write the scan")
    assert [each.id for each in rfc.tickets[0].requirements] == ["REQ-0001"]


def test_a_tab_and_another_fault_are_two(alone: Written) -> None:
    alone.ticket("TCK-00100", 'a: "x\ty"\nb: [\n')
    assert [flaw[:3] for flaw in told(read_rfc(alone.rfc))] == [("TAB", A, 1), ("NOT_YAML", A, 3)]
    alone.ticket("TCK-00100", "a:\n\tb: [\n\t- c: {\n")
    assert [flaw[:3] for flaw in told(read_rfc(alone.rfc))] == [("TAB", A, 2)]


def test_many_flaws_of_one_file_are_counted(alone: Written) -> None:
    changed(alone, "    - REQ-0001\n", "    - []\n" * (MOST_FLAWS + 7))
    flaws = read_rfc(alone.rfc).flaws
    mine = [flaw for flaw in flaws if flaw.place == "T1"]
    assert len(mine) == MOST_FLAWS + 1
    assert mine[-1].what == "has 7 more flaws that are not listed"


# Documents


@pytest.mark.parametrize("number", range(10))
def test_a_missing_document_is_a_flaw_at_its_key(alone: Written, number: int) -> None:
    path = alone.document(number)
    path.unlink()
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == [("MISSING", path.name, 1, "", f"R{number:02}", "WHOLE")]
    assert len(rfc.documents) == 9


def test_both_endings_are_one_too_many(alone: Written) -> None:
    alone.write(alone.rfc / "03_trust_boundaries.yml", "x: 1\n")
    assert told(read_rfc(alone.rfc)) == [("DUPLICATE", "03_trust_boundaries.yml", 1, "", "R03", "WHOLE")]


@pytest.mark.parametrize(
    ("text", "defect", "line", "path"),
    [
        ("rfc_risks: 1\n", "WRONG_SHAPE", 1, ""),
        ("# note\n- rfc_risks_and_open_questions\n", "WRONG_SHAPE", 2, ""),
        ("rfc_risks_and_open_questions: [a]\n", "WRONG_SHAPE", 1, "rfc_risks_and_open_questions"),
        ("rfc_risks_and_open_questions: {a: 'open\n", "NOT_YAML", 2, ""),
        ("rfc_risks_and_open_questions:\n  a: 1\t# b\n", "TAB", 2, ""),
        (b"\x00", "BINARY", 1, ""),
    ],
)
def test_a_document_with_the_wrong_root(alone: Written, text: str | bytes, defect: str, line: int, path: str) -> None:
    alone.write(alone.document(8), text)
    assert told(read_rfc(alone.rfc)) == [(defect, "08_risks_and_open_questions.yaml", line, path, "R08", "WHOLE")]


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("    id: RFC-0042\n", "", ("MISSING_FIELD", "00_meta.yaml", 2, "rfc_meta.rfc", "R00", "ID")),
        ("id: RFC-0042", "id: [1]", ("WRONG_SHAPE", "00_meta.yaml", 3, "rfc_meta.rfc.id", "R00", "ID")),
        (
            '    title: "Parcels are tracked"\n',
            "",
            ("MISSING_FIELD", "00_meta.yaml", 2, "rfc_meta.rfc", "R00", "TITLE"),
        ),
        (
            "    prd_id: PRD-0007",
            "    prd_id: 7",
            ("WRONG_SHAPE", "00_meta.yaml", 8, "rfc_meta.binds_to_prd.prd_id", "R00", "REQUIREMENTS"),
        ),
        (
            "- tools/track.py",
            "- 5",
            ("WRONG_SHAPE", "00_meta.yaml", 10, "rfc_meta.allowed_new_files[0]", "R00", "FILES_TO_CREATE"),
        ),
    ],
)
def test_what_the_meta_file_may_lack(
    alone: Written, old: str, new: str, flaw: tuple[str, str, int, str, str, str]
) -> None:
    text = alone.document(0).read_text()
    assert old in text
    alone.document(0).write_text(text.replace(old, new))
    assert told(read_rfc(alone.rfc)) == [flaw]


@pytest.mark.parametrize(
    ("old", "new", "flaw"),
    [
        ("    - id: REQ-0002\n", "    - name: x\n", ("MISSING_FIELD", 7, "imported_requirements[1]")),
        ("    - id: REQ-0002\n", "    - id: REQ-0001\n", ("DUPLICATE", 7, "imported_requirements[1]")),
        ("    - id: REQ-0002\n", "    - id: 2\n", ("WRONG_SHAPE", 7, "imported_requirements[1].id")),
        (
            "  imported_requirements:\n",
            "  requirement_binding: [a]\n  imported_requirements:\n",
            ("WRONG_SHAPE", 3, "requirement_binding"),
        ),
    ],
)
def test_what_the_imports_may_lack(alone: Written, old: str, new: str, flaw: tuple[str, int, str]) -> None:
    path = alone.document(1)
    path.write_text(path.read_text().replace(old, new))
    defect, line, where = flaw
    expected = (defect, path.name, line, f"rfc_problem_and_imports.{where}", "R01", "REQUIREMENTS")
    assert told(read_rfc(alone.rfc)) == [expected]


def test_an_rfc_that_binds_nothing_is_a_warning(alone: Written) -> None:
    alone.document(1).write_text("rfc_problem_and_imports:\n  problem_statement: x\n")
    flaws = [flaw for flaw in read_rfc(alone.rfc).flaws if flaw.place == "R01"]
    assert [(flaw.warns, flaw.defect, flaw.field) for flaw in flaws] == [
        (True, Defect.MISSING_FIELD, Field.REQUIREMENTS)
    ]


@pytest.mark.parametrize(
    ("text", "defect", "line", "path"),
    [
        ("prd_requirement: {title: x}\n", "MISSING_FIELD", 1, "prd_requirement"),
        ("prd_requirement:\n  id: 5\n", "WRONG_SHAPE", 2, "prd_requirement.id"),
        ("a: 1\n", "WRONG_SHAPE", 1, ""),
        ("[", "NOT_YAML", 1, ""),
        (
            "prd_requirement:\n  id: REQ-0008\n  acceptance_criteria: x\n",
            "WRONG_SHAPE",
            3,
            "prd_requirement.acceptance_criteria",
        ),
    ],
)
def test_a_requirement_that_cannot_be_read(alone: Written, text: str, defect: str, line: int, path: str) -> None:
    file = alone.write(alone.prd / "requirements/REQ-0008.yaml", text)
    flaw = only(read_rfc(alone.rfc))
    where = Place(Path(file).relative_to(alone.root).as_posix(), line, path)
    assert (flaw.defect.name, flaw.at, flaw.place) == (defect, where, "RFC")
