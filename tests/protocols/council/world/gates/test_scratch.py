"""The scratch copy: it is read as the files are, and nothing of the user's is written (C38)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate.core.forms import Key, Prose
from quorate.protocols.council.rules.forms import Edit
from quorate.protocols.council.world.gates.scratch import Scratch, Sources, reading_digest
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.gates import small_rfc

EXPORTER = "tickets/TCK-00001.yaml"


def edit(place: str, find: str, replacement: str) -> Edit:
    return Edit(Key("F1"), Key(place), Prose(find), Prose(replacement))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return small_rfc.write(tmp_path / "RFC-0001")


@pytest.fixture
def scratch(folder: Path) -> Iterator[Scratch]:
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as copy:
        yield copy


def made(scratch: Scratch, *edits: Edit) -> str:
    """Make edits, and return the difference."""
    scratch.write(scratch.edited(edits, scratch.read()))
    return scratch.diff(scratch.read())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# The copy


def test_a_copy_is_read_as_the_files_are(folder: Path, scratch: Scratch) -> None:
    copy = scratch.read()
    assert copy.documents == scratch.rfc.documents
    assert copy.tickets == scratch.rfc.tickets
    assert copy.requirements == scratch.rfc.requirements
    assert (copy.atlas, copy.flaws, copy.evidence) == (scratch.rfc.atlas, (), scratch.rfc.evidence)
    assert reading_digest(copy) == reading_digest(read_rfc(folder))


def test_a_copy_in_a_tree_finds_its_tickets_prd_and_index(tmp_path: Path) -> None:
    rfc = small_rfc.write(tmp_path / "documents/rfcs/RFC-0001")
    for own, place in (
        ("tickets", "documents/work/tickets"),
        ("prd", "documents/prds/PRD-0001"),
        ("ccp", "evidence/prd/PRD-0001/ccp"),
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (rfc / own).rename(tmp_path / place)
    (tmp_path / "src").mkdir()  # the repository is around it
    sources = Sources(rfc)
    first = sources.read()
    assert len(first.tickets) == 4
    with Scratch(sources, first) as scratch:
        copy = scratch.read()
        assert (copy.tickets, copy.requirements, copy.atlas) == (first.tickets, first.requirements, first.atlas)
        diff = made(scratch, edit("T1", "status: READY", "status: BLOCKED"))
    assert "--- a/documents/work/tickets/TCK-00001.yaml\n+++ b/documents/work/tickets/TCK-00001.yaml\n" in diff


def test_folders_that_were_named_are_copied_wherever_they_lie(tmp_path: Path, folder: Path) -> None:
    named = {}
    for name in ("tickets", "prd", "ccp"):
        named[name] = tmp_path / "away" / name
        named[name].parent.mkdir(exist_ok=True)
        (folder / name).rename(named[name])
    sources = Sources(folder, **named)
    first = sources.read()
    assert first.tickets[0].at.file == str(named["tickets"] / "TCK-00001.yaml")
    with Scratch(sources, first) as scratch:
        copy = scratch.read()
        assert [ticket.text for ticket in copy.tickets] == [ticket.text for ticket in first.tickets]
        assert copy.requirements[0].statement == "A project can be exported."
        assert scratch.told(copy.tickets[0].at.file) == first.tickets[0].at.file
        diff = made(scratch, edit("T1", "status: READY", "status: BLOCKED"))
    assert f"--- {first.tickets[0].at.file}\n" in diff
    assert "quorate-" not in diff


def test_nothing_of_the_users_is_written_and_nothing_is_left(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(rooms))
    before = contents(folder)
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        assert len(list(rooms.iterdir())) == 1
        made(scratch, edit("T1", "status: READY", "status: DONE"), edit("R00", "", "more: 1"))
        assert contents(folder) == before
    assert list(rooms.iterdir()) == []
    with pytest.raises(ZeroDivisionError), Scratch(sources, sources.read()):
        raise ZeroDivisionError
    assert list(rooms.iterdir()) == []
    assert contents(folder) == before


def test_links_that_lead_out_are_not_followed(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(small_rfc.EXPORTER.replace("TCK-00001", "TCK-00009"), encoding="utf-8")
    (folder / "tickets/TCK-00009.yaml").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.yaml")
    sources = Sources(folder)
    with Scratch(sources, sources.read()) as scratch:
        assert [ticket.id for ticket in scratch.read().tickets][-1] == "TCK-00004"
        with pytest.raises(KeyError):
            scratch.text("tickets/TCK-00009.yaml")


# The digest


def test_the_digest_is_of_what_was_read_and_not_of_where_it_lies(tmp_path: Path) -> None:
    one, other = (small_rfc.write(tmp_path / place / "RFC-0001") for place in ("a", "b/c"))
    first = reading_digest(read_rfc(one))
    assert first == reading_digest(read_rfc(other))
    assert len(first) == 64
    for name in ("tickets", "prd", "ccp"):
        (other / name).rename(tmp_path / name)
    parts = {name: tmp_path / name for name in ("tickets", "prd", "ccp")}
    assert reading_digest(Sources(other, **parts).read()) == first
    relative = {name: Path(os.path.relpath(path)) for name, path in parts.items()}
    assert reading_digest(Sources(other, **relative).read()) == first
    for name in parts:
        (tmp_path / name).rename(other / name)
    (other / "README.md").write_text("not read", encoding="utf-8")
    assert reading_digest(read_rfc(other)) == first


@pytest.mark.parametrize(
    "name",
    [
        "00_meta.yaml",
        "09_governance_and_gates.yaml",
        EXPORTER,
        "prd/requirements/REQ-0001.yaml",
        "ccp/component_atlas.yaml",
        "ccp/ccp_index.json",
    ],
)
def test_the_digest_changes_with_every_file_that_was_read(folder: Path, name: str) -> None:
    before = reading_digest(read_rfc(folder))
    path = folder / name
    text = path.read_text(encoding="utf-8")
    changed = text.replace("exported", "imported").replace("app", "apps").replace("core,", "cores,")
    path.write_text(changed if changed != text else text + "# more\n", encoding="utf-8")
    assert reading_digest(read_rfc(folder)) != before
    path.unlink()
    assert reading_digest(read_rfc(folder)) != before


def test_a_file_in_a_tree_that_stands_in_for_the_index_changes_no_digest(folder: Path, tmp_path: Path) -> None:
    (folder / "ccp/ccp_index.json").unlink()
    repo = tmp_path / "repo"
    repo.mkdir()
    (repo / "a.py").touch()
    before = read_rfc(folder, repo=repo)
    assert before.atlas.source == "tree"
    (repo / "journal.db").touch()
    assert reading_digest(read_rfc(folder, repo=repo)) == reading_digest(before)
