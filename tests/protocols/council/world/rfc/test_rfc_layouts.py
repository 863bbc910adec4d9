"""An RFC is found in a tree or alone in its folder; what the user names counts first."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.protocols.council.rules.taxonomy import MOST_TICKETS
from quorate.protocols.council.world.rfc import files, tickets
from quorate.protocols.council.world.rfc.model import Place
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc.written import SHAPE_A, SHAPE_B, Written, only, told

IDS = ["TCK-00100", "TCK-00101", "TCK-00102", "TCK-00103"]


def test_both_layouts_give_the_same_rfc_with_names_seen_from_their_roots(tree: Written, alone: Written) -> None:
    one, other = read_rfc(tree.rfc), read_rfc(alone.rfc)
    assert [ticket.id for ticket in one.tickets] == [ticket.id for ticket in other.tickets] == IDS
    assert one.tickets[0].at.file == "documents/work/tickets/TCK-00100.yaml"
    assert other.tickets[0].at.file == "tickets/TCK-00100.yaml"
    assert one.documents[1].name == "documents/rfcs/RFC-0042/01_problem_and_imports.yaml"
    assert other.documents[1].name == "01_problem_and_imports.yaml"
    assert one.requirements[2].at.file == "documents/prds/PRD-0007/requirements/REQ-0003.yaml"
    assert one.evidence == other.evidence == {"EVID-0421", "EVID-0422", "EVID-0423", "EVID-0701"}
    assert one.atlas.where == "evidence/prd/PRD-0007/ccp/ccp_index.json"
    assert one.atlas.components == other.atlas.components
    assert told(one) == told(other) == []
    assert one.root == str(tree.rfc)


def test_a_relative_path_and_a_link_to_the_folder_will_do(tree: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree.root)
    rfc = read_rfc(Path("documents/rfcs/RFC-0042"))
    assert rfc.root == "documents/rfcs/RFC-0042"
    assert [ticket.id for ticket in rfc.tickets] == IDS
    link = tree.root.parent / "link"
    link.symlink_to(tree.rfc)
    assert [ticket.id for ticket in read_rfc(link).tickets] == IDS


def test_the_ending_yml_will_do(alone: Written) -> None:
    for number in range(10):
        alone.document(number).rename(alone.document(number).with_suffix(".yml"))
    (alone.tickets / "TCK-00100.yaml").rename(alone.tickets / "TCK-00100.yml")
    rfc = read_rfc(alone.rfc)
    assert told(rfc) == []
    assert rfc.documents[0].name == "00_meta.yml"
    assert rfc.tickets[0].at.file == "tickets/TCK-00100.yml"


def test_only_the_tickets_of_this_rfc_are_read(tree: Written) -> None:
    other = SHAPE_B.replace("TCK-00101", "TCK-00900").replace("RFC-0042", "RFC-0041")
    tree.ticket("TCK-00900", other)
    tree.ticket("TCK-00901", SHAPE_A.replace("TCK-00100", "TCK-00901").replace("RFC-0042", "RFC-00421"))
    tree.ticket("INVARIANTS", "invariants:\n  - a\n")
    rfc = read_rfc(tree.rfc)
    assert [ticket.id for ticket in rfc.tickets] == IDS
    assert rfc.elsewhere == {"TCK-00900", "TCK-00901"}
    assert rfc.left_out == (("documents/work/tickets/INVARIANTS.yaml", "is not a ticket"),)
    assert told(rfc) == []


def test_a_broken_ticket_is_this_rfcs_where_it_names_it_or_none(tree: Written) -> None:
    tree.ticket("TCK-00900", "ticket: [RFC-0041\n")
    tree.ticket("TCK-00901", "ticket: [RFC-0041, RFC-0042\n")
    tree.ticket("TCK-00902", "ticket: [\n")
    tree.ticket("TCK-00903", b"ticket: \0\n")
    rfc = read_rfc(tree.rfc)
    assert [Path(flaw.at.file).stem for flaw in rfc.flaws if not flaw.warns] == ["TCK-00901", "TCK-00902", "TCK-00903"]
    assert {flaw.place for flaw in rfc.flaws if not flaw.warns} == {"RFC"}
    file = "documents/work/tickets/TCK-00900.yaml"
    assert rfc.left_out == ((file, "cannot be read, and names other RFCs only"),)


def test_a_ticket_without_rfc_id_is_this_rfcs_where_it_names_it_or_none(tree: Written) -> None:
    bare = SHAPE_A.replace("  rfc_id: RFC-0042\n", "")
    tree.ticket("TCK-00200", bare.replace("TCK-00100", "TCK-00200"))
    tree.ticket("TCK-00201", bare.replace("TCK-00100", "TCK-00201").replace("Mind", "RFC-0041: mind"))
    rfc = read_rfc(tree.rfc)
    assert "TCK-00200" in [ticket.id for ticket in rfc.tickets]
    assert rfc.elsewhere == {"TCK-00201"}
    file = "documents/work/tickets/TCK-00200.yaml"
    assert told(rfc) == [("MISSING_FIELD", file, 1, "ticket", "T5", "RFC")]


def test_a_folder_of_its_own_says_which_ticket_belongs_elsewhere(alone: Written) -> None:
    alone.ticket("TCK-00900", SHAPE_A.replace("TCK-00100", "TCK-00900").replace("RFC-0042", "RFC-0041"))
    rfc = read_rfc(alone.rfc)
    assert rfc.elsewhere == {"TCK-00900"}
    assert rfc.left_out == (("tickets/TCK-00900.yaml", "belongs to RFC-0041"),)


def test_what_the_user_names_counts_first(alone: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Written(tmp_path / "other", in_tree=False)
    (other.tickets / "TCK-00102.yaml").unlink()
    other.write(other.prd / "requirements/REQ-0009.yaml", "prd_requirement: {id: REQ-0009}")
    other.write(other.ccp / "ccp_index.json", json.dumps({"file_inventory": {"files": [{"path": "a.py"}]}}))
    monkeypatch.chdir(tmp_path)
    rfc = read_rfc(Path("parcels"), tickets=Path("other/tickets"), prd=Path("other/prd"), ccp=Path("other/ccp"))
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00101", "TCK-00103"]
    assert rfc.tickets[0].at.file == "other/tickets/TCK-00100.yaml"
    assert rfc.requirements[-1].at == Place("other/prd/requirements/REQ-0009.yaml", 1, "prd_requirement.id")
    assert rfc.atlas.files == {"a.py"}
    assert rfc.atlas.where == "other/ccp/ccp_index.json"
    assert told(rfc) == []


def test_missing_parts_are_left_out_and_said(alone: Written) -> None:
    for folder in (alone.tickets, alone.prd, alone.ccp):
        folder.rename(folder.with_name("gone-" + folder.name))
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00103"]
    assert rfc.left_out == (
        ("tickets", "no folder of it was found"),
        ("PRD of PRD-0007", "no folder of it was found"),
        ("index of PRD-0007", "no folder of it was found"),
    )
    assert rfc.atlas.source == "none"
    assert told(rfc) == []


def test_what_is_no_rfc_is_an_error(tree: Written, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_rfc(tmp_path / "nowhere")
    with pytest.raises(InputError, match="is not a folder"):
        read_rfc(tree.document(0))
    with pytest.raises(InputError, match="none of the ten files") as caught:
        read_rfc(tree.rfc.parent)
    assert caught.value.nearest == str(tree.rfc)
    with pytest.raises(InputError, match="is not a folder") as caught:
        read_rfc(tree.rfc, tickets=tmp_path / "nowhere")
    assert caught.value.key == "tickets"


def test_a_prd_id_is_no_way_out(tree: Written, tmp_path: Path) -> None:
    for name in ("../../../outside", "/etc", "..", "a/b", ".", "PRD\n7"):
        text = tree.document(0).read_text()
        tree.document(0).write_text(text.replace("prd_id: PRD-0007", f"prd_id: {json.dumps(name)}"))
        tree.write(tmp_path / "outside/requirements/REQ-0666.yaml", "prd_requirement: {id: REQ-0666}")
        rfc = read_rfc(tree.rfc)
        tree.document(0).write_text(text)
        assert rfc.prd_id == ""
        assert [each.id for each in rfc.requirements] == ["REQ-0001", "REQ-0002"]
        assert ("WRONG_VALUE", "R00") in [(flaw.defect.name, flaw.place) for flaw in rfc.flaws]


def test_links_out_are_not_followed_and_links_within_are(tree: Written, tmp_path: Path) -> None:
    secret = tree.write(tmp_path / "outside/TCK-00500.yaml", SHAPE_A.replace("TCK-00100", "TCK-00500"))
    (tree.tickets / "TCK-00500.yaml").symlink_to(secret)
    inner = tree.write(tree.root / "shared/TCK-00501.yaml", SHAPE_A.replace("TCK-00100", "TCK-00501"))
    (tree.tickets / "TCK-00501.yaml").symlink_to(inner)
    tree.document(3).unlink()
    tree.document(3).symlink_to("/etc/passwd")
    rfc = read_rfc(tree.rfc)
    assert [ticket.id for ticket in rfc.tickets] == [*IDS, "TCK-00501"]
    assert told(rfc) == [
        ("UNREADABLE", "documents/rfcs/RFC-0042/03_trust_boundaries.yaml", 1, "", "R03", "WHOLE"),
        ("UNREADABLE", "documents/work/tickets/TCK-00500.yaml", 1, "", "RFC", "WHOLE"),
    ]
    assert "R03" not in [document.key for document in rfc.documents]
    assert all("leads out" in flaw.what for flaw in rfc.flaws if not flaw.warns)


def test_a_folder_that_is_a_link_out_is_not_entered(alone: Written, tmp_path: Path) -> None:
    for name in ("tickets", "prd", "ccp"):
        (alone.rfc / name).rename(tmp_path / name)
        (alone.rfc / name).symlink_to(tmp_path / name)
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00103"]
    assert [(flaw.defect.name, flaw.at.file) for flaw in rfc.flaws] == [
        ("UNREADABLE", "tickets"),
        ("UNREADABLE", "prd"),
        ("UNREADABLE", "ccp"),
    ]
    assert rfc.evidence == {"EVID-0421", "EVID-0422", "EVID-0423"}
    named = read_rfc(alone.rfc, tickets=tmp_path / "tickets")
    assert [ticket.id for ticket in named.tickets] == IDS


def test_links_in_a_circle_end(alone: Written) -> None:
    (alone.tickets / "TCK-00500.yaml").symlink_to(alone.tickets / "TCK-00500.yaml")
    assert only(read_rfc(alone.rfc)).defect.name == "UNREADABLE"


def test_too_many_tickets_are_one_flaw(alone: Written) -> None:
    for number in range(MOST_TICKETS):
        name = f"TCK-{1000 + number:05}"
        alone.ticket(name, f"ticket: {{id: {name}, title: t, status: READY, rfc_id: RFC-0042}}\n")
    rfc = read_rfc(alone.rfc)
    assert len(rfc.tickets) == MOST_TICKETS
    assert rfc.tickets[-1].key == f"T{MOST_TICKETS}"
    flaw = only(rfc)
    assert (flaw.defect.name, flaw.place, flaw.at) == ("TOO_LARGE", "RFC", Place("tickets"))
    assert "204 tickets; the last 4 were left out" in flaw.what
    assert [path for path, _ in rfc.left_out] == [f"tickets/TCK-0119{digit}.yaml" for digit in "6789"]


def test_too_many_files_are_one_flaw(alone: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_LISTED", 2)
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00101", "TCK-00103"]
    assert only(rfc).what == "there are too many ticket files: 1 left out"
    monkeypatch.setattr(files, "MOST_LISTED", 20)
    monkeypatch.setattr(tickets, "MOST_SCANNED", 100)
    assert only(read_rfc(alone.rfc)).what == "there are too many ticket files: 2 left out"


def test_all_text_together_has_a_limit(alone: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = sum(len(alone.document(number).read_text()) for number in range(10))
    monkeypatch.setattr(files, "MOST_TEXT", documents + len(SHAPE_A) + 10)
    rfc = read_rfc(alone.rfc)
    assert [ticket.id for ticket in rfc.tickets] == ["TCK-00100", "TCK-00103"]
    assert [(flaw.defect.name, flaw.at.file) for flaw in rfc.flaws] == [
        ("TOO_LARGE", "tickets/TCK-00101.yaml"),
        ("TOO_LARGE", "tickets/TCK-00102.yaml"),
    ]
    assert [path for path, _ in rfc.left_out] == ["tickets/TCK-00101.yaml", "tickets/TCK-00102.yaml"]


def test_a_name_that_cannot_be_printed_is_told_all_the_same(alone: Written) -> None:
    path = os.fsencode(alone.tickets) + b"/TCK-\xff\n.yaml"
    with open(path, "wb") as stream:
        stream.write(b"[")
    name = only(read_rfc(alone.rfc)).at.file
    assert name == "tickets/TCK-\\udcff\\n.yaml"
    name.encode()
