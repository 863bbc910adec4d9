"""Proofs that are made in a process of their own, one at a time, and kept by the code they are about."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from quorate.api import proofs
from quorate.api.proofs import Proofs, ProofState, rules_digest
from quorate.core.errors import SettingError

REPORT: dict[str, Any] = {
    "ok": True,
    "results": [{"number": 1, "title": "t", "status": "proven", "detail": "", "counterexample": None}],
    "profiles": {},
}
SAYS = "import json, sys, time; name = sys.argv[2]; "
"""A prover that takes the place of the real one, which takes minutes: what is tested is how it is run."""


def proving(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(proofs, "PROGRAM", SAYS + program)


async def ended(made: Proofs, name: str) -> ProofState:
    async with asyncio.timeout(60):
        while made.get(name).status == "running":
            await asyncio.sleep(0.01)
    return made.get(name)


async def test_a_proof_is_made_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    proving(monkeypatch, f"open({str(log)!r}, 'a').write(name); print(json.dumps({{name: {REPORT!r}}}))")
    made = Proofs(tmp_path / "kept")
    assert made.get("debate") == ProofState("unknown")
    assert made.start("debate").status == "running"
    assert made.start("debate").status == "running", "asking twice is harmless"
    assert await ended(made, "debate") == ProofState("done", REPORT)
    assert made.start("debate").status == "done"
    assert Proofs(tmp_path / "kept").get("debate") == ProofState("done", REPORT), "another process knows it too"
    assert log.read_text() == "debate"
    assert [each.name for each in (tmp_path / "kept").iterdir()] == [f"{rules_digest('debate')}.json"]


async def test_one_is_proven_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    note = f"log = open({str(log)!r}, 'a', buffering=1)"
    proving(
        monkeypatch,
        f"{note}; log.write('+'); time.sleep(0.2); log.write('-'); print(json.dumps({{name: {REPORT!r}}}))",
    )
    made = Proofs(tmp_path)
    for name in ("debate", "review", "council"):
        assert made.start(name).status == "running"
    for name in ("debate", "review", "council"):
        assert (await ended(made, name)).status == "done"
    assert log.read_text() == "+-+-+-"


@pytest.mark.parametrize(
    ("program", "detail"),
    [
        ("sys.exit('quorate: it broke')", "quorate: it broke"),
        ("sys.exit(70)", "ended with exit code 70"),
        ("print('no json')", "Expecting value"),
        ("print('{}')", "debate"),
        ("print(json.dumps({name: {'ok': 1}}))", "no valid report"),
        ("import os; os.kill(os.getpid(), 9)", "code -9"),
    ],
)
async def test_a_prover_that_fails_is_told_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, detail: str
) -> None:
    proving(monkeypatch, program)
    made = Proofs(tmp_path)
    made.start("debate")
    found = await ended(made, "debate")
    assert (found.status, found.report) == ("failed", None)
    assert detail in found.detail
    proving(monkeypatch, f"print(json.dumps({{name: {REPORT!r}}}))")
    assert made.start("debate").status == "running"
    assert (await ended(made, "debate")).status == "done"


async def test_a_proof_that_failed_to_hold_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proving(monkeypatch, f"print(json.dumps({{name: {REPORT | {'ok': False}!r}}})); sys.exit(1)")
    made = Proofs(tmp_path)
    made.start("debate")
    found = await ended(made, "debate")
    assert found.status == "done"
    assert found.report is not None
    assert found.report["ok"] is False


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        json.dumps({"digest": "other", "report": REPORT}),
        json.dumps({"digest": "DIGEST", "report": {"ok": "yes", "results": [], "profiles": {}}}),
        json.dumps({"digest": "DIGEST", "report": {"ok": True, "results": [5], "profiles": {}}}),
        "[" * 100_000,
        "\udcff",
    ],
)
def test_what_is_damaged_on_disk_counts_for_nothing(tmp_path: Path, text: str) -> None:
    digest = rules_digest("debate")
    data = text.replace("DIGEST", digest).encode("utf-8", "surrogateescape")
    (tmp_path / f"{digest}.json").write_bytes(data)
    assert Proofs(tmp_path).get("debate") == ProofState("unknown")


def test_a_folder_that_cannot_be_read_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Proofs(tmp_path / "file" / "below").get("debate") == ProofState("unknown")


def test_an_unknown_protocol_is_told(tmp_path: Path) -> None:
    for call in (Proofs(tmp_path).get, Proofs(tmp_path).start):
        with pytest.raises(SettingError, match="did you mean 'debate'"):
            call("debat")


async def test_closing_stops_the_prover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = tmp_path / "started"
    proving(monkeypatch, f"open({str(started)!r}, 'w').write(str(__import__('os').getpid())); time.sleep(600)")
    made = Proofs(tmp_path)
    made.start("debate")
    async with asyncio.timeout(30):
        while not (started.exists() and started.read_text()):
            await asyncio.sleep(0.01)
        await made.close()
    number = int(started.read_text())
    assert not Path(f"/proc/{number}").exists() if sys.platform == "linux" else True
    assert made.get("debate").status == "unknown"


def test_the_digest_is_about_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = {name: rules_digest(name) for name in ("debate", "review")}
    assert len(set(before.values())) == 2
    proofs._digest.cache_clear()
    assert rules_digest("debate") == before["debate"]
    proofs._digest.cache_clear()
    monkeypatch.setattr(proofs, "CODE", ("quorate.core",))
    assert rules_digest("debate") != before["debate"]
    proofs._digest.cache_clear()


@pytest.mark.long
async def test_a_real_proof(tmp_path: Path) -> None:
    made = Proofs(tmp_path)
    made.start("roundtable")
    async with asyncio.timeout(3_000):
        while made.get("roundtable").status == "running":
            await asyncio.sleep(0.2)
    found = made.get("roundtable")
    assert found.status == "done", found.detail
    assert found.report is not None
    assert found.report["ok"] is True
    assert len(found.report["results"]) == 9
