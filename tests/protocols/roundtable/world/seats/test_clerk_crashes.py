"""The clerk among other processes: one that is killed loses nothing, and two at once lose nothing either (T23, T24)."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from quorate.protocols.roundtable.rules.forms import Kept, Written
from tests.protocols.roundtable.world.seats.elaborated import (
    META,
    REQUIREMENTS,
    additions,
    append,
    in_a_process,
    keep,
    record,
    write,
)

DIES = "os.{name} = lambda *given, **more: os.kill(os.getpid(), signal.SIGKILL)"
DIES_AFTER = """
was = os.replace

def replaced(*given):
    was(*given)
    os.kill(os.getpid(), signal.SIGKILL)

os.replace = replaced
"""
APPEND = "elaborated.append(Path({folder!r}), elaborated.additions())"
KEEP = "elaborated.keep(Path({folder!r}), elaborated.record())"


@pytest.mark.parametrize("dies_at", ["replace", "fsync", "chown", "utime"])
async def test_who_is_killed_before_the_file_is_replaced_has_lost_nothing(tmp_path: Path, dies_at: str) -> None:
    folder = write(tmp_path / "docs")
    for call in (APPEND, KEEP):
        command = in_a_process(DIES.format(name=dies_at), call.format(folder=str(folder)))
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert (folder / "requirements.md").read_text() == REQUIREMENTS
    assert (folder / "meta.json").read_text() == META
    assert len(list(folder.glob(".*.quorate-draft"))) == 2, "they died in the middle"
    assert (await append(folder, additions())).documents[0].result is Written.ADDED
    assert (await keep(folder, record())).result is Kept.WRITTEN
    assert not list(folder.glob(".*"))
    assert (folder / "requirements.md").read_text().count("<!-- quorate") == 1


async def test_who_is_killed_after_the_file_was_replaced_has_done_it(tmp_path: Path) -> None:
    folder = write(tmp_path / "docs")
    for call in (APPEND, KEEP):
        command = in_a_process(DIES_AFTER, call.format(folder=str(folder)))
        assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    written = (folder / "requirements.md").read_bytes(), (folder / "meta.json").read_bytes()
    assert (await append(folder, additions())).documents[0].result is Written.ADDED
    assert (await keep(folder, record())).result is Kept.WRITTEN
    assert ((folder / "requirements.md").read_bytes(), (folder / "meta.json").read_bytes()) == written


MANY = """
async def many(folder, session):
    for number in range(1, {count} + 1):
        added = await elaborated.append(folder, elaborated.additions(session=session, elaboration=number))
        kept = await elaborated.keep(folder, elaborated.record(session=session, elaboration=number))
        assert (added.documents[0].result.name, kept.result.name) == ("ADDED", "WRITTEN"), (added, kept)
"""


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    folder, count = write(tmp_path / "docs"), 15
    running = [
        subprocess.Popen(in_a_process(MANY.format(count=count), f"many(Path({str(folder)!r}), {name!r})"))
        for name in ("one", "two")
    ]
    assert [each.wait(timeout=120) for each in running] == [0, 0]
    records = json.loads((folder / "meta.json").read_text())["elaborations"]
    expected = {(name, number) for name in ("one", "two") for number in range(1, count + 1)}
    assert {(each["session"], each["elaboration"]) for each in records} == expected
    assert len(records) == len(expected)
    text = (folder / "requirements.md").read_text()
    assert text.startswith(REQUIREMENTS)
    assert all(text.count(f" {name}.{number} -->\n") == 1 for name, number in expected)


async def test_somebody_who_writes_in_between_and_holds_no_lock_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor saves while the clerk has its draft ready: the clerk begins again with what is there now."""
    import shutil

    folder = write(tmp_path / "docs")
    saves = iter(["# Order export\n\nSaved by hand.\n"])
    copystat = shutil.copystat

    def saving(*given: Path) -> None:
        for text in saves:
            (folder / "requirements.md").write_text(text)
        copystat(*given)

    monkeypatch.setattr(shutil, "copystat", saving)
    assert (await append(folder, additions())).documents[0].result is Written.ADDED
    text = (folder / "requirements.md").read_text()
    assert text.startswith("# Order export\n\nSaved by hand.\n\n<!-- quorate")


async def test_somebody_who_never_stops_writing_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    folder = write(tmp_path / "docs")

    def saving(*given: Path) -> None:
        for path in (folder / "requirements.md", folder / "meta.json"):
            path.write_text(path.read_text() + " ")

    monkeypatch.setattr(shutil, "copystat", saving)
    reply = await append(folder, additions())
    kept = await keep(folder, record())
    assert (reply.documents[0].result, kept.result) == (Written.FAILED, Kept.FAILED)
    assert "being changed by another program" in reply.documents[0].section.text
    assert "being changed by another program" in kept.detail.text
    assert (folder / "requirements.md").read_text().rstrip(" ") == REQUIREMENTS
    assert not list(folder.glob(".*"))
