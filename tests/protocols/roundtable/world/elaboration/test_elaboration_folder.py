"""Reading the folder of an elaboration: which files are targets, and what hostile folders come to."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from quorate.core.errors import InputError
from quorate.protocols.roundtable.world.elaboration.files import MOST_BYTES
from quorate.protocols.roundtable.world.elaboration.read import read_elaboration


def names(folder: Path) -> list[str]:
    return [each.name for each in read_elaboration(folder).documents]


def test_targets_are_the_texts_of_the_folder_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "C.MD", "notes.html", ".hidden.md", "meta.json", "README"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "d.md").write_text("x")
    read = read_elaboration(tmp_path)
    assert [(each.key, each.name) for each in read.documents] == [("D1", "C.MD"), ("D2", "a.txt"), ("D3", "b.md")]
    assert read.warnings == ()


def test_material_and_run_are_plain_json(tmp_path: Path) -> None:
    data = "\ufeff# Größe\r\n".encode()
    (tmp_path / "a.md").write_bytes(data)
    (tmp_path / "meta.json").write_text('{"slug": "x", "source": "\\ud800"}')
    read = read_elaboration(tmp_path)
    digest = hashlib.sha256(data).hexdigest()
    material = read.material()
    assert json.loads(material["documents"]) == [
        {"key": "D1", "name": "a.md", "path": "a.md", "text": "# Größe\r\n", "digest": digest}
    ]
    assert json.loads(material["meta"])["slug"] == "x"
    assert all(text.encode() for text in material.values())
    assert json.loads(json.dumps(read.run())) == {
        "folder": str(tmp_path.resolve()),
        "meta": "meta.json",
        "digests": {"D1": digest},
    }


def test_a_folder_without_documents_says_so(tmp_path: Path) -> None:
    read = read_elaboration(tmp_path)
    assert read.documents == ()
    assert "no document to add to" in read.warnings[0]


@pytest.mark.parametrize("what", ["missing", "file"])
def test_what_is_no_folder_is_an_error(tmp_path: Path, what: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="a folder with documents"):
        read_elaboration(tmp_path / what)


def test_too_many_documents_are_an_error(tmp_path: Path) -> None:
    for number in range(13):
        (tmp_path / f"{number:02}.md").write_text("x")
    with pytest.raises(InputError, match="has 13 documents; expected at most 12"):
        read_elaboration(tmp_path)
    (tmp_path / "12.md").unlink()
    assert len(names(tmp_path)) == 12


def test_a_file_that_cannot_be_read_as_text_is_no_target_and_told(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("x")
    (tmp_path / "binary.md").write_bytes(b"a\0b")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "large.md").write_bytes(b"x" * (MOST_BYTES + 1))
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    read = read_elaboration(tmp_path)
    assert [each.name for each in read.documents] == ["good.md"]
    told = {each.split()[0] for each in read.warnings}
    assert told == {"binary.md", "latin.md", "large.md", "folder.md", "pipe.md"}


def test_links_are_followed_inside_of_the_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("outside")
    (folder / "a.md").write_text("inside")
    (folder / "out.md").symlink_to(tmp_path / "secret.md")
    (folder / "same.md").symlink_to("a.md")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "nowhere.md").symlink_to("gone.md")
    read = read_elaboration(folder)
    assert [each.name for each in read.documents] == ["a.md"]
    assert "outside" not in json.dumps(read.material())
    told = "\n".join(read.warnings)
    assert "out.md is a link that leads out of the folder" in told
    assert "same.md is the same file as a.md" in told
    assert "loop.md cannot be read" in told
    assert "nowhere.md is a broken link" in told


def test_a_link_makes_no_document_of_another_file(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text("{}")
    (tmp_path / "data.yaml").write_text("a: b")
    (tmp_path / "soft.md").symlink_to("meta.json")
    (tmp_path / "hard.md").hardlink_to(tmp_path / "meta.json")
    (tmp_path / "other.txt").symlink_to("data.yaml")
    (tmp_path / "real.md").write_text("x")
    (tmp_path / "twin.md").hardlink_to(tmp_path / "real.md")
    read = read_elaboration(tmp_path)
    assert [each.name for each in read.documents] == ["real.md"]
    assert read.warnings == (
        "hard.md is the same file as meta.json, so nothing is added to it",
        "other.txt is a link to a file that is not a document, so nothing is added to it",
        "soft.md is the same file as meta.json, so nothing is added to it",
        "twin.md is the same file as real.md, so nothing is added to it twice",
    )


def test_a_document_that_serves_as_meta_json_is_no_target(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("{}")
    (tmp_path / "meta.json").symlink_to("notes.md")
    read = read_elaboration(tmp_path)
    assert read.documents == ()
    assert "notes.md is the same file as meta.json, so nothing is added to it" in read.warnings


def test_a_meta_json_that_leads_out_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (tmp_path / "meta.json").write_text("{}")
    (folder / "meta.json").symlink_to(tmp_path / "meta.json")
    with pytest.raises(InputError, match="leads out of the folder"):
        read_elaboration(folder)


def test_names_that_cannot_be_shown_are_no_targets(tmp_path: Path) -> None:
    (tmp_path / "a\nb.md").write_text("x")
    (tmp_path / os.fsdecode(b"\xff.md")).write_text("x")
    read = read_elaboration(tmp_path)
    assert read.documents == ()
    assert "a\\nb.md has a name that cannot be shown, so nothing is added to it" in read.warnings
    assert all(each.isprintable() for each in read.warnings)
