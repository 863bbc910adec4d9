"""The worst case in tokens and money, from the asks of a proof and whoever sits on the seats."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate import api, catalog
from quorate.workspace import Workspace, find_workspace

ASKS = {name: {str(seat): 2 for seat in built.seats} for name, built in catalog.profiles("debate").items()}
"""As if a proof had found two asks for every seat."""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return find_workspace(tmp_path, {})


def panel(folder: Path, text: str) -> Path:
    path = folder / "panel.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_price_of_the_panel_is_counted_for_every_seat_that_is_asked(workspace: Workspace, tmp_path: Path) -> None:
    own = panel(tmp_path, "default: {model: openai:any, price: {in: 1, out: 1}}\nseats: {person: person}\n")
    costs = api.worst_costs(workspace, "debate", ASKS, panel=own)
    assert set(costs) == set(ASKS)
    for name, found in costs.items():
        assert found.tokens > 0
        assert found.cost == found.tokens, f"a dollar for a million tokens in and out: {name}"
        assert found.prompt == 8_000


def test_more_asks_cost_more_and_nobody_who_is_not_asked_costs_anything(workspace: Workspace) -> None:
    profile = next(iter(ASKS))
    none = api.worst_costs(workspace, "debate", {profile: {}})[profile]
    few, more = (
        api.worst_costs(workspace, "debate", {profile: {"judge": asks}}, model="anthropic:claude-sonnet-4-5")[profile]
        for asks in (1, 3)
    )
    assert (none.tokens, none.cost) == (0, 0)
    assert more.tokens == 3 * few.tokens > 0
    assert few.cost is not None
    assert more.cost == 3 * few.cost > 0


def test_a_price_that_is_not_known_is_told_and_never_nothing(workspace: Workspace) -> None:
    found = next(iter(api.worst_costs(workspace, "debate", ASKS, model="openai:no-such-model").values()))
    assert found.cost is None
    assert "judge" in found.unpriced
    assert found.tokens > 0


def test_a_profile_whose_seats_a_panel_does_not_know_is_left_out(workspace: Workspace, tmp_path: Path) -> None:
    own = panel(tmp_path, "default: local:smollm2\nseats: {nobody: person}\n")
    assert api.worst_costs(workspace, "debate", ASKS, panel=own) == {}


def test_a_proof_is_told_with_what_it_can_cost() -> None:
    proof = {"ok": True, "results": [], "profiles": {"one": {"asks": 2}, "two": {"asks": 3}}}
    told = api.with_costs(proof, {"one": api.Cost(100, 7)})
    assert told["profiles"]["one"] == {"asks": 2, "tokens": 100, "cost": 7, "prompt": 8_000, "unpriced": ()}
    assert told["profiles"]["two"] == {"asks": 3}
