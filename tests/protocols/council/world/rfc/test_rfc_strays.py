"""No ticket vanishes: what is not read, bears another's name or only looks like another RFC's is told."""

from __future__ import annotations

import pytest

from quorate.protocols.council.world.rfc.model import Defect
from quorate.protocols.council.world.rfc.read import read_rfc
from quorate.protocols.council.world.rfc.sheet import MOST_FLAWS
from quorate.protocols.council.world.rfc.strays import MOST_STRAYS, NOT_READ
from tests.protocols.council.world.rfc.written import SHAPE_A, SHAPE_B, Written, only, told

IDS = ["TCK-00100", "TCK-00101", "TCK-00102", "TCK-00103"]


@pytest.mark.parametrize("name", ["TCK-00008.YAML", "TCK-00009.json", "sub/TCK-00010.yaml", "a/b/tck-11.Yml"])
def test_a_file_named_like_a_ticket_that_is_not_read_is_a_warning(alone: Written, name: str) -> None:
    alone.write(alone.tickets / name, SHAPE_A)
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == IDS
    assert rfc.left_out == ((f"tickets/{name}", NOT_READ),)
    (flaw,) = [each for each in rfc.flaws if each.at.file == f"tickets/{name}"]
    assert (flaw.defect, flaw.warns) == (Defect.UNREADABLE, True)


def test_other_files_below_are_told_without_a_warning(alone: Written) -> None:
    alone.write(alone.tickets / "old/nine.yaml", SHAPE_A)
    alone.write(alone.tickets / "README.md", "# Tickets")
    (alone.tickets / "loop").symlink_to(alone.tickets)
    rfc = read_rfc(alone.rfc)
    assert rfc.left_out == (("tickets/old/nine.yaml", NOT_READ),)
    assert not [each for each in rfc.flaws if "named like" in each.what]


def test_many_of_them_are_counted(alone: Written) -> None:
    for number in range(MOST_STRAYS + 5):
        alone.write(alone.tickets / f"old/TCK-{number:05}.yaml", "x")
    rfc = read_rfc(alone.rfc)
    assert len(rfc.left_out) == MOST_STRAYS + 1
    flaws = [each for each in rfc.flaws if "named like" in each.what]
    assert len(flaws) == MOST_FLAWS + 1
    assert flaws[-1].what.endswith(f"as are {MOST_STRAYS + 5 - MOST_FLAWS - 1} more")


def test_a_file_that_bears_the_id_of_another_is_a_flaw_and_hides_no_entry(alone: Written) -> None:
    (alone.tickets / "TCK-00101.yaml").rename(alone.tickets / "TCK-00103.yaml")
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == IDS
    assert told(rfc) == [("WRONG_VALUE", "tickets/TCK-00103.yaml", 3, "ticket_meta.ticket.id", "T2", "ID")]


def test_a_file_that_is_another_rfcs_hides_only_its_own_id(tree: Written) -> None:
    tree.ticket("TCK-00103", SHAPE_A.replace("TCK-00100", "TCK-00900").replace("RFC-0042", "RFC-0041"))
    assert [ticket.id for ticket in read_rfc(tree.rfc).tickets] == IDS
    tree.ticket("TCK-00103", "remark: RFC-0041\n")
    rfc = read_rfc(tree.rfc)
    assert [ticket.id for ticket in rfc.tickets] == IDS
    assert rfc.left_out == (("documents/work/tickets/TCK-00103.yaml", "is not a ticket"),)


@pytest.mark.parametrize("bound", ["RFC-0042", "RFC-0041"])
def test_two_tickets_in_one_file_are_a_flaw(alone: Written, bound: str) -> None:
    other = SHAPE_A.replace("TCK-00100", "TCK-00200").split("implementation:")[0]
    alone.ticket("TCK-00101", SHAPE_B.replace("RFC-0042", bound) + other)
    flaw = only(read_rfc(alone.rfc))
    assert (flaw.defect, flaw.at.file, flaw.at.yaml_path) == (Defect.DUPLICATE, "tickets/TCK-00101.yaml", "ticket")


@pytest.mark.parametrize(
    "written",
    ["rfc-0042", "RF\u0421-0042", "RFC\u20110042", "\uff32FC-0042", "RFC-OO42", "RFC-004\u0662", "RFC-\u200b0042"],
)
def test_an_rfc_id_that_only_looks_like_ours_is_a_flaw(alone: Written, written: str) -> None:
    alone.ticket("TCK-00100", SHAPE_A.replace("RFC-0042", written))
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == IDS
    assert told(rfc) == [("WRONG_VALUE", "tickets/TCK-00100.yaml", 5, "ticket.rfc_id", "T1", "RFC")]
    assert only(rfc).what.isascii()


def test_a_merge_key_in_a_ticket_is_a_flaw(alone: Written) -> None:
    alone.ticket("TCK-00100", SHAPE_A.replace("depends_on: []", "<<: {depends_on: [TCK-00100]}"))
    flaw = only(read_rfc(alone.rfc))
    assert (flaw.defect, flaw.at.line, flaw.at.yaml_path) == (Defect.NOT_YAML, 8, "ticket.<<")
    assert "merge keys are not read" in flaw.what
