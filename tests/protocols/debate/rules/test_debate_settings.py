"""A debate with wrong settings is not begun; nothing is corrected silently."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from quorate.core.errors import SettingError
from quorate.kit.settings import describe, plain, read_settings, schema
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import ROLES, DebateSettings, Termination, role_of
from tests.support.debating import Table, briefs, debate


def refused(**settings: Any) -> SettingError:
    with pytest.raises(SettingError) as caught:
        debate(**settings)
    return caught.value


def test_the_defaults() -> None:
    made = DebateSettings()
    assert (made.rounds, made.termination_condition.type, made.termination_condition.threshold) == (
        3,
        Termination.FIXED,
        80,
    )
    assert (made.interactive_clarifications, made.clarifications_max_iterations, made.clarifications_max_per_agent) == (
        False,
        3,
        5,
    )
    assert (made.summarization.enabled, made.summarization.threshold, made.summarization.max_length) == (
        True,
        5_000,
        2_500,
    )
    assert made.anonymous is True
    assert read_settings(DebateSettings, {}) == made


@pytest.mark.parametrize("rounds", [0, -1, 101, "3", 2.0, True, None])
def test_rounds_out_of_bounds_are_an_error(rounds: Any) -> None:
    """Upstream made 1 of 0 and of negative rounds."""
    found = refused(rounds=rounds)
    assert (found.key, found.expected) == ("rounds", "a whole number from 1 to 100")


@pytest.mark.parametrize("agents", [[], ["architect"]])
def test_one_agent_is_no_debate(agents: list[str]) -> None:
    """D1."""
    found = refused(agents=agents)
    assert (found.key, found.expected) == ("agents", "two to eight agents")


def test_nine_agents_are_too_many_and_eight_are_not() -> None:
    """D1."""
    names = [*ROLES, "architect:2", "security:2"]
    assert refused(agents=names).expected == "a list of names, at most 8"
    assert len(debate(agents=names[:8]).seats) == 10


def test_the_same_seat_twice_is_an_error_that_says_how_to_write_it() -> None:
    found = refused(agents=["security", "architect", "architect"])
    assert "'architect' twice" in str(found)
    assert found.nearest == "architect:2"


@pytest.mark.parametrize("seat", ["judge", "person"])
def test_seats_that_are_always_there_are_no_agents(seat: str) -> None:
    assert repr(seat) in str(refused(agents=["architect", seat]))


@pytest.mark.parametrize(
    ("name", "near"), [("archtect", "architect"), ("kiss", None), ("secruity:2", "security"), ("Testing", "testing")]
)
def test_an_unknown_role_is_an_error_with_the_nearest(name: str, near: str | None) -> None:
    """Upstream made an architect of it."""
    found = refused(agents=["generalist", name])
    assert (found.key, found.nearest) == ("agents", near)
    assert found.expected is not None
    assert all(role in found.expected for role in ROLES)


def test_a_role_may_sit_twice() -> None:
    table = Table(agents=["architect", "architect:2"])
    assert table.asked() == ["architect propose", "architect:2 propose"]
    assert table.view("architect:2").role == "roles/architect"
    assert role_of("data-modelling") == "data-modelling"


def test_a_user_adds_a_role_as_a_file() -> None:
    own = {**briefs(), "roles/lawyer": "# Role: lawyer\n\nYou look at the law.\n"}
    settings = read_settings(DebateSettings, {"agents": ["architect", "lawyer"]})
    assert [seat for seat in build(settings, own, 1).seats] == ["architect", "lawyer", "judge", "person"]


@pytest.mark.parametrize(
    ("settings", "key", "near"),
    [
        ({"round": 3}, "round", "rounds"),
        ({"termination_condition": {"treshold": 80}}, "termination_condition.treshold", "threshold"),
        ({"termination_condition": {"type": "convergance"}}, "termination_condition.type", "convergence"),
        ({"termination_condition": {"threshold": 0}}, "termination_condition.threshold", None),
        ({"termination_condition": {"threshold": 101}}, "termination_condition.threshold", None),
        ({"summarization": {"threshold": 0}}, "summarization.threshold", None),
        ({"summarisation": {}}, "summarisation", "summarization"),
        ({"clarifications_max_iterations": 0}, "clarifications_max_iterations", None),
        ({"clarifications_max_per_agent": 0}, "clarifications_max_per_agent", None),
        ({"interactive_clarifications": "yes"}, "interactive_clarifications", None),
        ({"retries": -1}, "retries", None),
        ({"required_agents": 4}, "required_agents", None),
        ({"max_episodes": 0}, "max_episodes", None),
    ],
)
def test_every_mistake_has_its_place(settings: dict[str, Any], key: str, near: str | None) -> None:
    found = refused(**settings)
    assert (found.key, found.nearest) == (key, near)


def test_the_protocol_carries_every_setting_it_was_built_with() -> None:
    protocol = debate(rounds=2, agents=["architect", "testing"])
    assert protocol.settings == plain(read_settings(DebateSettings, {"rounds": 2, "agents": ["architect", "testing"]}))
    assert Draft202012Validator(schema(DebateSettings)).is_valid(protocol.settings)


def test_every_setting_is_documented() -> None:
    assert [setting.key for setting in describe(DebateSettings) if not setting.says] == []
