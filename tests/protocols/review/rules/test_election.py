"""The election of the committee: every row of R34, the raise of R35, and what takes its place (R36)."""

from __future__ import annotations

import pytest

from quorate.core.errors import InputError
from quorate.protocols.review.rules.election import ADVERSARIES, COMMITTEES, Complexity, elect
from quorate.protocols.review.rules.model import PERSONAS, ReviewSettings

LOW = ("engineering-architect", "operations-sre")
MEDIUM = ("engineering-architect", "knowledge-manager", "business-driver", "operations-sre")


@pytest.mark.parametrize(
    ("files", "modules", "interfaces", "complexity", "committee"),
    [
        (1, 0, False, Complexity.TRIVIAL, ("adjudicator",)),
        (1, 1, False, Complexity.TRIVIAL, ("adjudicator",)),
        (2, 1, False, Complexity.LOW, LOW),
        (3, 1, False, Complexity.LOW, LOW),
        (1, 1, True, Complexity.MEDIUM, MEDIUM),
        (2, 1, True, Complexity.MEDIUM, MEDIUM),
        (4, 1, False, Complexity.MEDIUM, MEDIUM),
        (2, 2, False, Complexity.MEDIUM, MEDIUM),
        (5, 2, False, Complexity.MEDIUM, MEDIUM),
        (10, 3, False, Complexity.MEDIUM, MEDIUM),
        (11, 1, False, Complexity.HIGH, PERSONAS),
        (11, 2, False, Complexity.HIGH, PERSONAS),
        (3, 4, False, Complexity.HIGH, PERSONAS),
        (4, 4, True, Complexity.HIGH, PERSONAS),
    ],
)
def test_the_size_of_the_change_elects_the_committee(
    files: int, modules: int, interfaces: bool, complexity: Complexity, committee: tuple[str, ...]
) -> None:
    """R34."""
    election = elect(files, modules, interfaces)
    assert (election.complexity, election.committee) == (complexity, committee)
    assert not election.raised
    assert election.basis.startswith(f"{files} file")


@pytest.mark.parametrize(
    ("files", "modules", "before", "after"),
    [
        (1, 0, Complexity.TRIVIAL, Complexity.LOW),
        (2, 1, Complexity.LOW, Complexity.MEDIUM),
        (5, 2, Complexity.MEDIUM, Complexity.HIGH),
    ],
)
def test_three_severe_findings_raise_it_one_level_and_the_committee_follows(
    files: int, modules: int, before: Complexity, after: Complexity
) -> None:
    """R35."""
    assert elect(files, modules, False, 2).complexity is before
    election = elect(files, modules, False, 3)
    assert (election.complexity, election.raised) == (after, True)
    assert election.committee == COMMITTEES[after]
    assert f"raised from {before.name} by 3" in election.basis


def test_above_high_there_is_nothing_to_raise_to() -> None:
    election = elect(11, 2, False, 30)
    assert (election.complexity, election.raised) == (Complexity.HIGH, False)


def test_solo_wins_over_size() -> None:
    """R36."""
    election = elect(40, 9, True, 7, solo=True)
    assert election.committee == ("adjudicator",)
    assert election.complexity is Complexity.HIGH, "what the change is stays known"
    assert "adjudicator alone" in election.basis


def test_members_take_the_place_of_the_election() -> None:
    """R36."""
    election = elect(1, 0, False, members=["design-hci", "engineering-architect", "lawyer"])
    assert election.committee == ("design-hci", "engineering-architect", "lawyer")
    assert election.pairs == (("design-hci", "engineering-architect"),)
    assert "named" in election.basis


def test_pairs_are_of_seated_members_alone() -> None:
    assert elect(2, 1, False).pairs == (), "LOW has no business pair"
    assert elect(5, 2, False).pairs == (
        ("business-driver", "knowledge-manager"),
        ("business-driver", "operations-sre"),
    )
    assert elect(11, 2, False).pairs == ADVERSARIES
    twice = elect(1, 0, False, members=["business-driver", "operations-sre:1", "operations-sre:2"])
    assert twice.pairs == (("business-driver", "operations-sre:1"), ("business-driver", "operations-sre:2"))


@pytest.mark.parametrize(
    ("missing", "values"),
    [("files", (None, 1, False)), ("modules", (1, None, False)), ("interfaces", (1, 1, None))],
)
def test_a_missing_input_is_an_error_that_names_it(
    missing: str, values: tuple[int | None, int | None, bool | None]
) -> None:
    with pytest.raises(InputError, match="cannot be elected") as caught:
        elect(*values)
    assert caught.value.key == missing


@pytest.mark.parametrize("complexity", Complexity)
def test_every_elected_committee_is_one_that_the_settings_allow(complexity: Complexity) -> None:
    assert ReviewSettings(members=COMMITTEES[complexity]).members == COMMITTEES[complexity]
