"""The embedded model through a whole council: real prompts, real forms, a real verdict. Its opinion is not asserted."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from quorate import api
from quorate.core.forms import Reply
from quorate.core.types import Absent
from quorate.evidence.bundle import check_bundle
from quorate.protocols.council.rules.coverage import BY_TURNS
from quorate.protocols.council.rules.lenses import draw_modes
from quorate.protocols.council.rules.model import REVIEWERS, Phase
from quorate.protocols.council.rules.result.bundle import review_bundle
from quorate.protocols.council.rules.sample import SAMPLE
from quorate.protocols.council.world.council import open_council
from quorate.protocols.council.world.gate_passage import Sources
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.protocols.council.oracle import with_oracle
from tests.support.embedded import UNEXAMINED
from tests.support.moments import moments, said

MODEL = "local:smollm2"
WINDOW = 3072
"""Less than the model could have: reading is what takes long, and what has no room is cut."""


async def council(folder: Path, depth: str) -> api.Result:
    """Hold a council on the starter RFC with the embedded model on every seat."""
    for name, text in SAMPLE.items():
        path = folder / "rfc" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    panel = folder / "panel.yaml"
    # A busy machine is not what is tested.
    panel.write_text(f"default: {{model: '{MODEL}', window: {WINDOW}, timeout: 3600}}\n", encoding="utf-8")
    store = f"sqlite:{folder / 'journal.db'}"
    workspace, journal = find_workspace(folder, UNEXAMINED, store=store, scope="council"), open_journal(store)
    sources = Sources(folder / "rfc")
    convened = await open_council(workspace, journal, sources, depth=depth, seed="7", panel=panel)
    return await api.run(workspace, journal, convened.session)


def check(result: api.Result, seats: tuple[str, ...]) -> dict[str, Any]:
    """It ended, what was said is valid or accounted for, every promise held; return its bundle."""
    record = result.record
    assert record.session.conclusion is not None
    assert record.session.phase in (Phase.CONVERGED, Phase.DEADLOCKED, Phase.ABORTED)
    of_model = [line for line in said(record) if line.envelope.model == MODEL]
    assert {line.ask.seat for line in of_model} == set(seats)
    assert all(line.envelope.detail for line in of_model if isinstance(line.reply, Absent))
    assert all(line.envelope.tokens_out > 0 for line in of_model)
    assert all(line.envelope.tokens_in < WINDOW for line in of_model if line.envelope.attempts == 1)
    promised = with_oracle(record.protocol).invariants
    for moment in moments(record):
        assert [each.name for each in promised if not each.holds(moment)] == [], moment.outcome
    assert check_bundle(json.loads(api.report(result, "json")), record.protocol) == []

    bundle = review_bundle(record)
    schema = resources.files("quorate.protocols.council") / "rfc_review.schema.json"
    jsonschema.validate(bundle, json.loads(schema.read_text(encoding="utf-8")))
    assert bundle["verdict"] == record.session.conclusion.verdict.name
    drawn = {each["agent_id"]: tuple(each["selected_modes"]) for each in bundle["council_metadata"]["subagents"]}
    assert drawn == {seat: modes for seat, modes in draw_modes(7).items() if seat in seats}
    assert set(bundle["artifacts"]) == set(seats)
    return bundle


@pytest.mark.long
@pytest.mark.model
async def test_a_whole_council_with_valid_forms(tmp_path: Path) -> None:
    """C13 to C31: three seats, which are shown no more at a time than their window holds (C42)."""
    result = await council(tmp_path, "COUNCIL")
    check(result, tuple(map(str, REVIEWERS)))
    asked = {line.ask.brief for line in said(result.record)}
    assert asked >= {"examine", "score", "mock-run", "assure", "assess"}
    read = [line.reply for line in said(result.record) if line.ask.brief in BY_TURNS]
    assert all(getattr(reply, "whole", False) for reply in read if isinstance(reply, Reply)), (
        "views are made for the window"
    )


@pytest.mark.long
@pytest.mark.model
async def test_one_seat_alone_needs_no_vote(tmp_path: Path) -> None:
    """C37."""
    result = await council(tmp_path, "STANDARD")
    check(result, ("SA-1",))
    assert not [line for line in said(result.record) if isinstance(line.reply, Absent)]
    assert "vote" not in {line.ask.brief for line in said(result.record)}
