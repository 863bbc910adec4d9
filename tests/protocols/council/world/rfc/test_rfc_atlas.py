"""What exists already: the index, the atlas, and the repository's tree where there is no index."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.atlas import MOST_ODD
from quorate.protocols.council.world.rfc.model import Component, ExtensionPoint, Place
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc.written import ATLAS, INDEX, Written, only, told


def test_the_index_and_the_atlas(alone: Written) -> None:
    atlas = read_rfc(alone.rfc).atlas
    assert (atlas.source, atlas.where) == ("index", "ccp/ccp_index.json")
    assert atlas.files == {"core/scan.py", "core/night.py"}
    points = (
        ExtensionPoint("EXT-CORE-1", "Log", "core/log.py", "Where scans go"),
        ExtensionPoint("EXT-CORE-2", "Night", "core/night.py", ""),
    )
    assert atlas.components == (
        Component("COMP-CORE", "core", "core", "The core", points, ("Scans are never changed",)),
        Component("COMP-WEB", "COMP-WEB", "web", ""),
    )


def test_an_atlas_without_a_root_key_will_do(alone: Written) -> None:
    bare = "\n".join(line[2:] for line in ATLAS.split("\n")[1:])
    (alone.ccp / "component_atlas.yaml").write_text(bare)
    rfc = read_rfc(alone.rfc)
    assert [each.id for each in rfc.atlas.components] == ["COMP-CORE", "COMP-WEB"]
    assert told(rfc) == []


def test_a_tree_takes_the_place_of_the_index(tree: Written) -> None:
    (tree.ccp / "ccp_index.json").unlink()
    assert (read_rfc(tree.rfc).atlas.source, read_rfc(tree.rfc).atlas.files) == ("none", frozenset())
    for name in ("core/scan.py", "node_modules/x/y.js", ".git/config", "target/CACHEDIR.TAG", "target/out", ".env"):
        tree.write(tree.root / name, "x")
    (tree.root / "core/out").symlink_to("/etc")
    (tree.root / "core/passwd").symlink_to("/etc/passwd")
    atlas = read_rfc(tree.rfc).atlas
    assert (atlas.source, atlas.where) == ("tree", ".")
    code = {path for path in atlas.files if not path.startswith(("documents/", "evidence/"))}
    assert code == {"core/scan.py", ".env"}
    assert [each.id for each in atlas.components] == ["COMP-CORE", "COMP-WEB"]


def test_alone_there_is_no_tree_unless_it_is_named(alone: Written, tmp_path: Path) -> None:
    (alone.ccp / "ccp_index.json").unlink()
    assert read_rfc(alone.rfc).atlas.source == "none"
    alone.write(tmp_path / "code/a/b.py", "x")
    atlas = read_rfc(alone.rfc, repo=tmp_path / "code").atlas
    assert atlas.source == "tree"
    assert atlas.files == {"a/b.py"}


def test_a_large_tree_says_that_it_is_not_whole(
    alone: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (alone.ccp / "ccp_index.json").unlink()
    for number in range(5):
        alone.write(tmp_path / f"code/{number}.py", "x")
    monkeypatch.setattr("quorate.protocols.council.world.rfc.atlas.MOST_FILES", 3)
    rfc = read_rfc(alone.rfc, repo=tmp_path / "code")
    assert len(rfc.atlas.files) == 3
    assert [flaw.what for flaw in rfc.flaws if "repository" in flaw.what and flaw.warns]
    monkeypatch.setattr("quorate.protocols.council.world.rfc.atlas.MOST_FILES", 30)
    monkeypatch.setattr("quorate.protocols.council.world.rfc.atlas.MOST_DEEP", 1)
    alone.write(tmp_path / "code/a/b/c.py", "x")
    rfc = read_rfc(alone.rfc, repo=tmp_path / "code")
    assert "a/b/c.py" not in rfc.atlas.files
    assert [flaw.what for flaw in rfc.flaws if "repository" in flaw.what and flaw.warns]


@pytest.mark.parametrize(
    ("text", "defect", "line", "path"),
    [
        ("{", "NOT_YAML", 1, ""),
        ('{"a": 1,\n b}', "NOT_YAML", 2, ""),
        ("[" * 100_000, "NOT_YAML", 1, ""),
        ('{"a": ' + "9" * 5000 + "}", "NOT_YAML", 1, ""),
        ('{"file_inventory": ["a"], "file_inventory": ["b"]}', "NOT_YAML", 1, ""),
        ("[]", "WRONG_SHAPE", 1, "file_inventory.files"),
        ('{"file_inventory": {"files": {}}}', "WRONG_SHAPE", 1, "file_inventory.files"),
        (b"\xff", "BINARY", 1, ""),
    ],
)
def test_an_index_that_cannot_be_read(alone: Written, text: str | bytes, defect: str, line: int, path: str) -> None:
    alone.write(alone.ccp / "ccp_index.json", text)
    rfc = read_rfc(alone.rfc)
    flaw = only(rfc)
    assert (flaw.defect.name, flaw.at) == (defect, Place("ccp/ccp_index.json", line, path))
    assert rfc.atlas.source == "none"


def test_an_index_may_be_larger_than_a_document_and_has_a_limit(alone: Written) -> None:
    index = {**INDEX, "filling": "x" * 5_000_000}
    alone.write(alone.ccp / "ccp_index.json", json.dumps(index))
    assert read_rfc(alone.rfc).atlas.source == "index"
    alone.write(alone.ccp / "ccp_index.json", json.dumps({**INDEX, "filling": "x" * 10_000_000}))
    assert only(read_rfc(alone.rfc)).defect.name == "TOO_LARGE"


@pytest.mark.parametrize(
    ("text", "defect", "line", "path"),
    [
        ("component_atlas: 5\n", "WRONG_SHAPE", 1, "component_atlas"),
        ("a: 1\n", "MISSING_FIELD", 1, ""),
        ("components: {a: 1}\n", "WRONG_SHAPE", 1, "components"),
        ("components:\n  - name: x\n", "MISSING_FIELD", 2, "components[0]"),
        ("components:\n  - {id: A}\n  - {id: A}\n", "DUPLICATE", 3, "components[1]"),
        (
            "components:\n  - id: A\n    extension_points: [{name: x}]\n",
            "MISSING_FIELD",
            3,
            "components[0].extension_points[0]",
        ),
        ("components:\n  - words\n", "WRONG_SHAPE", 2, "components[0]"),
    ],
)
def test_an_atlas_that_cannot_be_read(alone: Written, text: str, defect: str, line: int, path: str) -> None:
    alone.write(alone.ccp / "component_atlas.yaml", text)
    flaw = only(read_rfc(alone.rfc))
    assert (flaw.defect.name, flaw.at) == (defect, Place("ccp/component_atlas.yaml", line, path))
    assert flaw.field is Field.COMPONENT


def test_entries_of_the_index_that_name_no_file_are_told(alone: Written) -> None:
    files = [{"path": "core/scan.py"}, {"file": "core/log.py"}, 7, "core/night.py", {"path": ["a"]}, "./"]
    alone.write(alone.ccp / "ccp_index.json", json.dumps({"file_inventory": {"files": files}}))
    rfc = read_rfc(alone.rfc)
    assert rfc.atlas.files == {"core/scan.py", "core/night.py"}
    file = "ccp/ccp_index.json"
    assert told(rfc) == [
        ("WRONG_SHAPE", file, 1, f"file_inventory.files[{number}]", "RFC", "COMPONENT") for number in (1, 2, 4, 5)
    ]


def test_many_entries_that_name_no_file_are_counted(alone: Written) -> None:
    alone.write(alone.ccp / "ccp_index.json", json.dumps({"file_inventory": {"files": [None] * 5_000}}))
    rfc = read_rfc(alone.rfc)
    assert len(told(rfc)) == MOST_ODD + 1
    assert rfc.flaws[-1].what == f"{5_000 - MOST_ODD} further entries name no file"
    assert rfc.atlas.source == "index"
