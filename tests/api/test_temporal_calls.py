"""Workers on Temporal spare the same calls, and ask the same models, as a process that drives alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from quorate import api
from quorate.core.record import Asked, Said
from quorate.protocols.council.world.council import open_council
from quorate.protocols.council.world.gate_passage import Sources
from tests.support.convened import Drafted, answers, raised, replies, reviews, votes
from tests.support.temporal import new_namespace, temporal_server
from tests.support.working import Stand

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("temporal")]


@pytest.fixture
def temporal() -> str:
    return new_namespace(temporal_server())


async def test_a_relay_is_the_same_relay(tmp_path: Path, temporal: str) -> None:
    stand = Stand(tmp_path, temporal, "rounds=2")
    (tmp_path / "strong.yaml").write_text((tmp_path / "script.yaml").read_text())
    both = {"script": "script.yaml", "stronger": "script:strong.yaml"}
    panel = tmp_path / "relay.yaml"
    panel.write_text(json.dumps({"script": "script.yaml", "seats": {"architect": both}}))
    session, other = await stand.open(panel=panel), await stand.open(panel=panel)
    async with stand.worker():
        result = await stand.run(session)
    alone = await api.run(stand.alone, stand.journal, other)

    def spoke(found: api.Result) -> dict[str, str]:
        return {line.ask.id: line.envelope.model for line in found.record.log if isinstance(line, Said)}

    assert spoke(result) == spoke(alone)
    rounds = {
        (line.round, line.envelope.model)
        for line in result.record.log
        if isinstance(line, Said) and line.ask.seat == "architect"
    }
    assert rounds == {(1, "script:script.yaml"), (2, "script:strong.yaml")}


@pytest.mark.parametrize("curtail", [True, False])
async def test_a_vote_is_asked_in_waves_where_that_is_wanted(tmp_path: Path, temporal: str, curtail: bool) -> None:
    stand = Stand(tmp_path, temporal)
    draft = Drafted(tmp_path)
    draft.panel(replies(SA_1=reviews(raised()), SA_2=answers("DISPUTE"), SA_3=votes("OPPOSE")))
    workspace = replace(stand.workspace, config=replace(stand.workspace.config, curtail=curtail))
    convened = await open_council(
        workspace, stand.journal, Sources(draft.rfc), depth="COUNCIL", seed="42", panel=tmp_path / "panel.yaml"
    )
    async with stand.worker(providers={"script": 64, "check": 4}):
        result = await stand.run(convened.session)
    record = result.record
    assert record.session.conclusion is not None
    asked = [line.ask.id for line in record.log if isinstance(line, Asked) and line.ask.brief == "vote"]
    said = {line.ask.seat for line in record.log if isinstance(line, Said) and line.ask.brief == "vote"}
    assert len(asked) == 3
    assert len(said) >= 2
    if curtail:
        assert said == {"SA-1", "SA-2"}, "they agree, and the third was never called"
