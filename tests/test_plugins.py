"""Entry points, read straight from the metadata: the same as importlib.metadata finds, and errors with a name."""

from __future__ import annotations

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from quorate import plugins
from quorate.core.errors import DefinitionError


@pytest.mark.parametrize("group", ["quorate.protocols", "quorate.commands", "quorate.baselines", "console_scripts"])
def test_it_finds_what_importlib_finds(group: str) -> None:
    known = {point.name: point.value.partition("[")[0].strip() for point in entry_points(group=group)}
    assert known
    assert plugins.references(group) == dict(sorted(known.items()))


def test_a_group_that_nobody_offers_is_empty() -> None:
    assert plugins.references("quorate.nothing") == {}


def test_metadata_is_read_as_the_specification_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "other-1.0.dist-info"
    folder.mkdir()
    text = "# words\n[quorate.protocols]\nthird = third.party:DEFINITION [extra]\n\n[other]\na=b:c\n"
    (folder / "entry_points.txt").write_text(text)
    (tmp_path / "broken-1.0.dist-info").mkdir()
    (tmp_path / "binary-1.0.dist-info").mkdir()
    (tmp_path / "binary-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff\xfe[quorate.protocols]")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert plugins.references("quorate.protocols")["third"] == "third.party:DEFINITION"


def test_the_first_on_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place, name in (("a", "new"), ("b", "old")):
        folder = tmp_path / place / "twice-1.0.dist-info"
        folder.mkdir(parents=True)
        (folder / "entry_points.txt").write_text(f"[quorate.protocols]\n{name} = twice:DEFINITION\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "a"), str(tmp_path / "b"), *sys.path])
    found = plugins.references("quorate.protocols")
    assert "new" in found
    assert "old" not in found


@pytest.mark.parametrize("place", ["no.such.module:X", "quorate.plugins:no_such_name", "quorate.plugins", ":", ""])
def test_what_is_not_there_is_named(place: str) -> None:
    with pytest.raises(DefinitionError, match="the world of hiring is not at"):
        plugins.load(place, "the world of hiring")
