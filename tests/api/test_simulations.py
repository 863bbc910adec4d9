"""Simulations as a use case: the settings that apply here, what varies, and data for programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from quorate import catalog
from quorate.api.simulations import Chances, SimulationRequest, agents_of, simulate, simulation_data
from quorate.core.errors import SettingError
from quorate.kit.definition import Definition
from quorate.workspace import Workspace, find_workspace


def workspace(folder: Path, settings: str = "") -> Workspace:
    (folder / "quorate.yaml").write_text(settings or "debate: {rounds: 1}\n", encoding="utf-8")
    return find_workspace(folder, {})


def test_the_projects_own_settings_are_simulated_and_what_varies_goes_over_them(tmp_path: Path) -> None:
    here = workspace(tmp_path, "review:\n  members: [operations-sre, product-manager]\n  rounds: 1\n")
    (row,) = simulate(here, "review", SimulationRequest({}))
    assert row.outcomes.voters == ("operations-sre", "product-manager")
    told: list[str] = []
    rows = simulate(here, "review", SimulationRequest({}), ("seats=3,4", "rounds=1,2"), told.append)
    assert [len(each.outcomes.voters) for each in rows] == [3, 3, 4, 4]
    assert told == ["seats 3, rounds 1", "seats 3, rounds 2", "seats 4, rounds 1", "seats 4, rounds 2"]
    assert rows[1].settings["rounds"] == 2


def test_a_protocol_that_does_not_say_what_is_right_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = cast("dict[str, Definition]", catalog.definitions())
    monkeypatch.setitem(known, "debate", replace(known["debate"], judging=None))
    with pytest.raises(SettingError, match="'debate' does not define which verdicts are right") as error:
        simulate(workspace(tmp_path), "debate", SimulationRequest({}))
    assert "review" in (error.value.expected or "")
    assert "`judging`" in (error.value.expected or "")


def test_numbers_are_read_exactly() -> None:
    found = agents_of({"p": "0.1", "phi": "1/3", "false-alarm": "0", "malice": "2"})
    assert str(found.accuracy) == "1/10"
    assert str(found.correlation) == "1/3"
    assert found.false_alarm == 0
    assert found.malice == 2
    with pytest.raises(SettingError, match="did you mean 'accuracy'"):
        agents_of({"acuracy": "0.5"})
    for text in ("nan", "inf", "1/0", "1" * 41, "", "1e-99999999", "1e9999"):
        with pytest.raises(SettingError, match=r"0\.7 or 2/3"):
            agents_of({"accuracy": text})


def test_data_has_fractions_where_they_can_be_read(tmp_path: Path) -> None:
    here = workspace(tmp_path)
    (plain,) = simulation_data(simulate(here, "council", SimulationRequest({}, truth="defective")))
    assert plain["right"] == {"value": 0.784, "exactly": "98/125"}
    assert plain["verdicts"]["APPROVED"]["exactly"] == "27/125"
    assert plain["agents"]["recall"] is None
    numbers = {"conform": "0.123456789", "fail": "0.123456789"}
    (long,) = simulation_data(simulate(here, "council", SimulationRequest(numbers, truth="defective")))
    assert long["exact"] is True
    assert long["right"]["exactly"] is None
    (concludes,) = simulation_data(
        simulate(here, "roundtable", SimulationRequest({}, chances=Chances(10, exact=False)))
    )
    assert concludes["right"] is None
    assert concludes["asks"]["standard_error"] >= 0
