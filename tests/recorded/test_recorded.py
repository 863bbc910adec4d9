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

VERSIONS = sorted(folder.name for folder in asking.SESSIONS.iterdir())
FOLDERS = [f"{version}/{protocol}" for version in VERSIONS for protocol in PROTOCOLS]
IF_MEANT = (
    "if the difference is meant: python -m tests.recorded.record --read, or without --read for sessions and digests"
)
NOW = [folder for folder in FOLDERS if folder.startswith(asking.KEPT.name)]
SCENES = [(folder, file.stem) for folder in FOLDERS for file in sorted((asking.SESSIONS / folder).glob("*.jsonl"))]


def _kept(folder: str, name: str) -> str:
    return (asking.SESSIONS / folder / name).read_text(encoding="utf-8")


def _blocks(text: str) -> list[str]:
    return text.split("\n$ ")


def _unpacked(folder: str, to: Path) -> Path:
    version, protocol = folder.split("/")
    return asking.unpack(protocol, to, asking.SESSIONS / version)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_scene_is_recorded(protocol: str) -> None:
    assert {name for folder, name in SCENES if folder == f"{asking.KEPT.name}/{protocol}"} == {
        scene.name for scene in scenes(protocol)
    }


@pytest.mark.parametrize(("folder", "scene"), SCENES)
def test_a_session_is_read_as_it_was(folder: str, scene: str, tmp_path: Path) -> None:
    store = _unpacked(folder, tmp_path) / "store.db"
    session, _, said = _kept(folder, f"{scene}.txt").partition("\n")
    assert asking.journal(store, session) == _kept(folder, f"{scene}.jsonl"), IF_MEANT
    assert _blocks(asking.asked(asking.about(Path(folder).name, session), tmp_path)) == _blocks(said), IF_MEANT


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_store_is_listed_as_it_was(folder: str, tmp_path: Path) -> None:
    about = asking.about_all(Path(folder).name) if folder in NOW else asking.about_listing()
    assert _blocks(asking.asked(about, _unpacked(folder, tmp_path))) == _blocks(_kept(folder, "_all.txt")), IF_MEANT


@pytest.mark.parametrize("folder", NOW)
def test_a_damaged_store_is_refused_as_it_was(folder: str, tmp_path: Path) -> None:
    """In a process of its own: what one process has seen of a damaged session it says of the whole one, too."""
    command = [sys.executable, "-m", "tests.recorded.asking", str(_unpacked(folder, tmp_path))]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=_variables())
    assert _blocks(ran.stdout) == _blocks(_kept(folder, "_damaged.txt")), IF_MEANT


def _variables() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}


@pytest.mark.parametrize("folder", NOW)
def test_a_bundle_is_signed_as_it_was(folder: str, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    assert _blocks(asking.signed(_unpacked(folder, tmp_path))) == _blocks(_kept(folder, "_signed.txt")), IF_MEANT


@pytest.mark.parametrize("version", VERSIONS)
def test_every_protocol_has_the_digests_that_it_had(version: str) -> None:
    assert digests(version.removeprefix("version_")) == _kept(version, "digests.json"), IF_MEANT
