"""The clerk's record: meta.json grows by one entry, once; a job that is not told whole changes nothing (T24, T25)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorate.core.types import Absent, AbsentReason
from quorate.core.view import Section
from quorate.protocols.roundtable.rules.forms import Appended, Kept, Recorded, Written
from quorate.protocols.roundtable.world.elaboration.meta import KNOWN
from quorate.protocols.roundtable.world.elaboration.read import read_elaboration
from quorate.protocols.roundtable.world.seats.clerk import clerk
from tests.protocols.roundtable.world.seats.elaborated import (
    AT,
    META,
    additions,
    append,
    ask,
    contents,
    document,
    keep,
    record,
    write,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "docs")


def results(reply: Appended) -> list[tuple[str, Written, int]]:
    return [(str(each.document), each.result, each.lines) for each in reply.documents]


# The record


async def test_a_record_is_appended_once(folder: Path) -> None:
    assert (await keep(folder, record())).result is Kept.WRITTEN
    once = (folder / "meta.json").read_bytes()
    assert (await keep(folder, record())).result is Kept.WRITTEN
    assert (folder / "meta.json").read_bytes() == once
    assert (await keep(folder, record(elaboration=2))).result is Kept.WRITTEN
    data = json.loads((folder / "meta.json").read_text())
    assert [each["elaboration"] for each in data["elaborations"]] == [1, 2]
    assert data["elaborations"][0] == record() | {"timestamp": AT}
    assert list(data["elaborations"][0])[:5] == [
        "step_id",
        "turn_count",
        "personas_active",
        "timestamp",
        "synthesis_summary",
    ]
    assert '"ratio": 1.50' in (folder / "meta.json").read_text()


async def test_a_missing_meta_json_is_made(folder: Path) -> None:
    (folder / "meta.json").unlink()
    kept = await keep(folder, record())
    assert (kept.result, kept.detail.text) == (Kept.WRITTEN, "meta.json did not exist and was created")
    meta = read_elaboration(folder).meta
    assert (meta.missing, meta.warnings) == (False, ())
    assert list(meta.data) == list(KNOWN)
    assert meta.data["slug"] == "docs"


async def test_wrong_types_are_repaired_and_told(folder: Path) -> None:
    (folder / "meta.json").write_text('{"elaborations": "none", "elaboration_config": []}')
    kept = await keep(folder, record())
    assert kept.result is Kept.REPAIRED
    assert "elaborations, elaboration_config" in kept.detail.text
    data = json.loads((folder / "meta.json").read_text())
    assert data["_quorate_replaced"] == {"elaborations": "none", "elaboration_config": []}
    assert (await keep(folder, record())).result is Kept.WRITTEN


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"slug": "x",\n oops}', "meta.json:2: is not JSON"),
        (b"", "is not JSON"),
        (b"[]", "is not a JSON object"),
        (b'{"a": "\xff"}', "is not UTF-8"),
        (b"{\0}", "zero byte"),
        (b'{"a": "' + b"x" * 4_200_000 + b'"}', "has more than 4,194,304 bytes"),
    ],
)
async def test_a_corrupt_meta_json_is_told_and_not_touched(folder: Path, data: bytes, says: str) -> None:
    """The documents are saved by then; what somebody has to mend by hand stays as it is."""
    (folder / "meta.json").write_bytes(data)
    assert results(await append(folder, additions()))[0][1] is Written.ADDED
    kept = await keep(folder, record())
    assert kept.result is Kept.FAILED
    assert says in kept.detail.text
    assert (folder / "meta.json").read_bytes() == data


async def test_a_meta_json_that_is_read_only_or_leads_out_is_not_written(folder: Path) -> None:
    (folder / "meta.json").chmod(0o444)
    kept = await keep(folder, record())
    assert (kept.result, "read-only" in kept.detail.text) == (Kept.FAILED, True)
    outside = folder.parent / "meta.json"
    (folder / "meta.json").rename(outside)
    outside.chmod(0o644)
    (folder / "meta.json").symlink_to(outside)
    kept = await keep(folder, record())
    assert (kept.result, "leads out" in kept.detail.text) == (Kept.FAILED, True)
    assert outside.read_text() == META


# What it is asked


@pytest.mark.parametrize(
    ("run", "says"),
    [
        ({}, "run.roundtable.folder"),
        ({"folder": "docs"}, "is not an absolute path"),
        ({"folder": "/tmp", "meta": "../meta.json"}, "run.roundtable.meta"),
        ({"folder": "/tmp", "meta": "/etc/passwd"}, "run.roundtable.meta"),
        ({"folder": "/tmp", "color": "red"}, "run.roundtable.color"),
    ],
)
async def test_a_run_that_is_not_told_whole_is_refused(run: dict[str, Any], says: str) -> None:
    found = await ask(clerk(run), "record", Recorded, (), Section("Job", json.dumps(record())))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert says in found.detail


BAD: list[dict[str, Any]] = [
    {"session": ""},
    {"session": "a b -->"},
    {"session": 7},
    {"elaboration": "1"},
    {"elaboration": True},
    {"documents": {}},
    {"documents": [{"key": "D1"}]},
    {"documents": [document(insights=[{"text": "a"}])]},
    {"documents": [document(insights=[{"text": "a", "by": "", "more": ""}])]},
    {"documents": [document(insights=[{"text": 1, "by": ""}])]},
    {"documents": [document("D2")]},
    {"documents": [document(), document("D2")]},
    {"documents": []},
    {"topic": None},
    {"turns": "8"},
]


@pytest.mark.parametrize("more", BAD)
async def test_a_job_that_is_not_told_whole_is_an_absence(folder: Path, more: dict[str, Any]) -> None:
    before = contents(folder)
    seat = clerk({"folder": str(folder)})
    found = await ask(seat, "append", Appended, ("D1",), Section("Job", json.dumps(additions() | more)))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "Job" in found.detail
    assert contents(folder) == before


async def test_the_clerk_does_its_work_and_no_other(folder: Path) -> None:
    found = await ask(clerk({"folder": str(folder)}), "read", Recorded, (), Section("Job", "{}"))
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "'read'" in found.detail
