"""The benchmarks of embedded models and of prompts: what they print of a real call, and of recorded sessions."""

from __future__ import annotations

import importlib
import threading
from pathlib import Path
from typing import Any

import pytest

from quorate.participants import llama
from quorate.participants.local import LocalModel
from tests.recorded.asking import unpack

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def module(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module(name)


@pytest.mark.model
def test_every_call_is_made_by_both_for_as_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    local = module("local", monkeypatch)
    model = LocalModel("smollm2")
    engine = llama.engine_for(model.weights.path, model.window)
    beside = local.server(model.weights.path, model.window)
    twin = local.Twin(engine._server, beside.listening_address)
    monkeypatch.setattr(engine, "_server", twin)
    said = (("system", "You judge. " * 20), ("user", "Should a library lend books by post?"))
    for stops in (None, lambda text: len(text) > 20):
        job = llama.Job(said, seed=1, max_tokens=12, timeout=60, until=stops)
        assert engine.generate(job, lambda _: None, threading.Event()).text
    assert twin.ours.written == twin.servers.written > 12
    assert twin.ours.kept > 20
    rows = {row.name: row for row in local.figures("one", twin, 10.0, 2, 0)}
    assert rows["the whole session, wall time"].raw == twin.servers.wall > 0
    assert str(rows["the whole session, wall time"].goal) == "<= 1.15 x raw"
    assert 0 < rows["of all prompts, read from the prefix cache"].value < 100


def test_the_share_of_shown_text_is_printed_for_every_brief(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts = module("prompts", monkeypatch)
    assert prompts.main([f"sqlite:{unpack('roundtable', tmp_path) / 'store.db'}"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert "provider, 8192" in told[0]
    rows = {line.split("  ")[0]: line for line in told[1:]}
    assert {"roundtable frame", "roundtable speak", "roundtable synthesise"} <= rows.keys()
    assert all(line.count(" %") == len(prompts.KINDS) for line in rows.values())
