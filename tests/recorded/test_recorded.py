"""Recorded sessions of every protocol are read by today's program, which says of them, byte for byte, what it said."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorded import asking
from tests.recorded.digests import digests
from tests.recorded.holding import PROTOCOLS, scenes
from tests.recorded.program import ROOT

SCENES = [(protocol, scene.name) for protocol in PROTOCOLS for scene in scenes(protocol)]


def _kept(protocol: str, name: str) -> str:
    return (asking.KEPT / protocol / name).read_text(encoding="utf-8")


def _blocks(text: str) -> list[str]:
    return text.split("\n$ ")


@pytest.mark.parametrize(("protocol", "scene"), SCENES)
def test_a_session_is_read_as_it_was(protocol: str, scene: str, tmp_path: Path) -> None:
    folder = asking.unpack(protocol, tmp_path)
    session, _, said = _kept(protocol, f"{scene}.txt").partition("\n")
    assert asking.journal(folder / "store.db", session) == _kept(protocol, f"{scene}.jsonl")
    assert _blocks(asking.asked(asking.about(protocol, session), folder)) == _blocks(said)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_store_is_listed_as_it_was(protocol: str, tmp_path: Path) -> None:
    folder = asking.unpack(protocol, tmp_path)
    assert _blocks(asking.asked(asking.about_all(protocol), folder)) == _blocks(_kept(protocol, "_all.txt"))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_damaged_store_is_refused_as_it_was(protocol: str, tmp_path: Path) -> None:
    """In a process of its own: what one process has seen of a damaged session it says of the whole one, too."""
    command = [sys.executable, "-m", "tests.recorded.asking", str(asking.unpack(protocol, tmp_path))]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=_variables())
    assert _blocks(ran.stdout) == _blocks(_kept(protocol, "_damaged.txt"))


def _variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_bundle_is_signed_as_it_was(protocol: str, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    assert _blocks(asking.signed(asking.unpack(protocol, tmp_path))) == _blocks(_kept(protocol, "_signed.txt"))


def test_every_protocol_has_the_digests_that_it_had() -> None:
    assert digests() == (asking.KEPT / "digests.json").read_text(encoding="utf-8")
