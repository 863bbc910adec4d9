"""Requirements that nothing vouches for, or that stand twice, are flaws; what the RFC says of one is kept."""

from __future__ import annotations

import pytest

from quorate.protocols.council.rules.taxonomy import Gate, Subcategory
from quorate.protocols.council.world.gates.run import run_gates
from quorate.protocols.council.world.rfc.model import Defect
from quorate.protocols.council.world.rfc.read import read_rfc
from quorate.protocols.council.world.rfc.sheet import MOST_FLAWS
from tests.protocols.council.world.rfc.written import IMPORTS, META, REQUIREMENT, Written, only, told

FILE = "01_problem_and_imports.yaml"


def test_a_bound_requirement_that_stands_nowhere_is_a_broken_reference(alone: Written) -> None:
    alone.document(1).write_text(IMPORTS.replace("id: REQ-0002", "id: REQ-0777"))
    rfc = read_rfc(alone.rfc)
    flaw = only(rfc)
    assert (flaw.defect, flaw.at.file, flaw.at.line) == (Defect.MISSING, FILE, 7)
    assert flaw.what.startswith("REQ-0777 is bound")
    found = [each for each in run_gates(rfc).findings if each.subcategory is Subcategory.BROKEN_REF]
    assert any("REQ-0777" in each.message.text for each in found)
    assert all(each.subcategory.gate is Gate.SCHEMA for each in found)


def test_many_of_them_are_counted(alone: Written) -> None:
    ids = "".join(f"    - REQ-9{number:03}\n" for number in range(200))
    alone.document(1).write_text(f"rfc_problem_and_imports:\n  imported_requirements:\n{ids}")
    flaws = [flaw for flaw in read_rfc(alone.rfc).flaws if flaw.defect is Defect.MISSING]
    assert len(flaws) == MOST_FLAWS + 1
    assert flaws[-1].what == f"{200 - MOST_FLAWS} more bound ids are defined nowhere"


def test_a_requirement_whose_file_cannot_be_read_is_one_flaw(alone: Written) -> None:
    alone.write(alone.prd / "requirements/REQ-0002.yaml", "prd_requirement: [")
    assert only(read_rfc(alone.rfc)).at.file == "prd/requirements/REQ-0002.yaml"


@pytest.mark.parametrize("own", [True, False])
def test_the_same_requirement_twice(alone: Written, own: bool) -> None:
    folder = alone.rfc if own else alone.prd
    path = alone.write(folder / "requirements/x.yaml", REQUIREMENT.format(id="REQ-0002", title="Nothing"))
    rfc = read_rfc(alone.rfc)
    file = path.relative_to(alone.root).as_posix()
    assert told(rfc) == [("DUPLICATE", file, 2, "prd_requirement.id", "RFC", "REQUIREMENTS")]
    assert "prd/requirements/REQ-0002.yaml" in only(rfc).what
    assert next(each.title for each in rfc.requirements if each.id == "REQ-0002") == "Noticed"


def test_a_statement_given_with_the_import_is_kept_where_no_file_has_one(alone: Written) -> None:
    given = IMPORTS.replace('title: "A lost parcel is noticed"', "statement: It is noticed.")
    alone.document(1).write_text(given)
    assert read_rfc(alone.rfc).requirements[1].statement == "Every scan MUST be kept."
    alone.write(alone.prd / "requirements/REQ-0002.yaml", "prd_requirement: {id: REQ-0002}")
    assert read_rfc(alone.rfc).requirements[1].statement == "It is noticed."


@pytest.mark.parametrize(("prd_id", "warned"), [("PRD-0007", True), ("NONE", False)])
def test_a_prd_that_is_not_there_is_a_warning(alone: Written, prd_id: str, warned: bool) -> None:
    alone.prd.rename(alone.prd.with_name("gone"))
    alone.document(0).write_text(META.replace("PRD-0007", prd_id))
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == []
    warnings = [(each.at.file, each.at.line, each.place) for each in rfc.flaws if "folder of" in each.what]
    assert warnings == ([("00_meta.yaml", 7, "R00")] if warned else [])
