"""What is asked about sessions before and after, from a program, with `await` and without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorate import AsyncQuorate, InputError, Quorate, QuorateError
from tests.cli.shell import script

SMALL: dict[str, Any] = {"agents": ["architect", "security"], "rounds": 1}


@pytest.fixture
def panel(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "script.yaml").write_text(json.dumps(script()))
    (tmp_path / "quorate.yaml").write_text("{}\n")
    return {"script": str(tmp_path / "script.yaml")}


def test_a_session_is_estimated_and_nothing_is_kept(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        model = "anthropic:claude-sonnet-4-5"
        usual = place.estimate("debate", settings=SMALL, model=model)
        long = place.estimate("debate", "x " * 40_000, settings=SMALL, model=model, budget={"tokens": 10})
        assert (usual["material"]["measured"], long["material"]["measured"]) == (False, True)
        assert long["worst"]["tokens_in"] > usual["worst"]["tokens_in"]
        assert long["budget"]["fits"] is False
        debate = place.open("debate", "Where?", settings=SMALL, panel=panel)
        debate.run()
        bound = place.estimate("debate", "Where?", settings=SMALL, panel=panel)["worst"]
        assert debate.summary()["tokens_in"] <= bound["tokens_in"]
        assert len(place.sessions()) == 1
        for protocol, inputs, settings, key in (
            ("debat", "x", None, "protocol"),
            ("debate", {"problm": "x"}, None, "inputs.problm"),
            ("debate", None, {"roundz": 1}, "settings.roundz"),
        ):
            with pytest.raises(InputError) as wrong:
                place.estimate(protocol, inputs, settings=settings, model=model)
            assert wrong.value.key == key


def test_a_session_is_decided_anew_compared_and_labelled(tmp_path: Path, panel: dict[str, Any]) -> None:
    with Quorate(tmp_path, store="memory:") as place:
        one = place.open("debate", "Where?", settings=SMALL, panel=panel)
        with pytest.raises(InputError, match="has not concluded"):
            one.label("right")
        assert one.labels()["truths"] == {}
        one.run()
        again = one.redecide({"rounds": 2})
        assert (again["settings"], again["recorded"]["verdict"]) == ({"rounds": [1, 2]}, "SOLUTION")
        assert one.redecide({})["same"] is True
        other = place.open("debate", "Where?", settings={**SMALL, "rounds": 2}, panel=panel)
        other.run()
        told = place.compare(one.id, other.id)
        assert [each["session"] for each in told["sessions"]] == [one.id, other.id]
        assert "settings.rounds" in told["differences"][0]["began"]
        (tmp_path / "mine.json").write_text(one.report("json"))
        with pytest.raises(QuorateError, match="no session"):
            place.compare(one.id, str(tmp_path / "mine.json"))

        bundle = one.bundle()
        with pytest.raises(InputError) as wrong:
            one.label("rigth")
        assert (wrong.value.key, wrong.value.nearest) == ("truth", "right")
        assert one.label("right", note="It held.")["truth"] == "right"
        assert one.label("wrong")["before"] == ["right"]
        assert [each["note"] for each in one.labels()["labels"]] == ["It held.", ""]
        assert list(one.summary()["worth"]["truth"].values()) == [False]
        assert one.bundle() == bundle, "no label changes what is sealed"
        assert place.calibration(protocol="debate")["sessions"] == 1
        with pytest.raises(InputError) as wrong:
            place.calibration(model="gpt")
        assert wrong.value.key == "model"


async def test_the_same_with_await(tmp_path: Path, panel: dict[str, Any]) -> None:
    async with AsyncQuorate(tmp_path, store="memory:") as place:
        assert (await place.estimate("debate", settings=SMALL, panel=panel))["protocol"] == "debate"
        debate = await place.open("debate", "Where?", settings=SMALL, panel=panel)
        await debate.run()
        assert (await debate.redecide({}))["same"] is True
        assert (await debate.label("right"))["session"] == debate.id
        assert len((await debate.labels())["labels"]) == 1
        assert (await place.compare(debate.id, debate.id))["differences"][0]["parting"] is None
        assert (await place.calibration())["sessions"] == 1
