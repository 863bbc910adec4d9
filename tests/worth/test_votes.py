"""What votes are worth, by hand: exact fractions, the table of the literature, and nothing where nothing is known."""

from __future__ import annotations

from fractions import Fraction

import pytest

from quorate.worth.votes import ACROSS, WITHIN, MeasuredCorrelation, decimals, votes_data, votes_of

CLAUDE, GPT, GEMINI = "anthropic:claude-opus-4", "openai:gpt-5", "google:gemini-2.5-pro"


def seated(*models: str) -> dict[str, str]:
    return {f"seat-{number}": model for number, model in enumerate(models, start=1)}


@pytest.mark.parametrize(
    ("models", "least", "most", "words"),
    [
        # One family: n / (1 + (n-1) phi), as the table of effective votes has it: 1.29 and 1.47 of three.
        ((CLAUDE,) * 3, Fraction(3, 1) / (1 + 2 * Fraction(66, 100)), 3 / (1 + 2 * Fraction(52, 100)), "1.3 to 1.5"),
        # Two and one: nine over three, one pair within and two across, each counted twice.
        ((CLAUDE, CLAUDE, GPT), Fraction(900, 607), Fraction(900, 579), "1.5 to 1.6"),
        # Three families: no pair within one, so both ends are the same.
        ((CLAUDE, GPT, GEMINI), Fraction(8, 5), Fraction(8, 5), "1.6"),
        ((CLAUDE,) * 2, 2 / (1 + Fraction(66, 100)), 2 / (1 + Fraction(52, 100)), "1.2 to 1.3"),
    ],
    ids=["one family", "two and one", "three families", "a pair"],
)
def test_models_of_one_family_are_worth_fewer_votes(
    models: tuple[str, ...], least: Fraction, most: Fraction, words: str
) -> None:
    votes = votes_of(seated(*models))
    assert votes is not None
    assert votes.nominal == len(models)
    assert votes.assumed == (least, most)
    assert votes.worth == f"about {words}"


def test_the_assumption_across_families_is_what_it_was_taken_from() -> None:
    votes = votes_of(seated(*(f"model-{number}" for number in range(9))))
    assert votes is not None
    assert votes.assumed == (Fraction(2), Fraction(2))
    assert [decimals(each) for each in (*WITHIN, ACROSS)] == ["0.52", "0.66", "0.44"]


def test_of_scripts_people_and_one_model_nothing_is_assumed() -> None:
    assert votes_of({}) is None
    for models in (("script:replies.yaml",) * 3, ("person", "person"), (CLAUDE,), (CLAUDE, "person")):
        votes = votes_of(seated(*models))
        assert votes is not None
        assert votes.assumed is None
    mixed = votes_of(seated(CLAUDE, CLAUDE, "person"))
    assert mixed is not None
    assert (mixed.nominal, mixed.families, mixed.others) == (3, {"anthropic": 2}, {"person": 1})
    assert mixed.assumed == (2 / (1 + Fraction(66, 100)), 2 / (1 + Fraction(52, 100))), "of the models alone"


@pytest.mark.parametrize(
    ("models", "says"),
    [
        ((CLAUDE,) * 3, ", worth about 1.3 to 1.5 independent ones"),
        (("script:r.yaml",) * 3, "; what votes of scripts are worth is not known"),
        (("script:r.yaml", "person"), "; what votes of people and scripts are worth is not known"),
        (
            (CLAUDE, CLAUDE, "person"),
            ", the models worth about 1.2 to 1.3 independent ones; what votes of people are worth is not known",
        ),
        (("script:r.yaml",), ""),
    ],
)
def test_what_is_not_known_of_whom(models: tuple[str, ...], says: str) -> None:
    votes = votes_of(seated(*models))
    assert votes is not None
    assert votes.says() == says


def test_nothing_is_said_to_be_unknown_that_was_measured() -> None:
    votes = votes_of(
        seated("script:r.yaml", "script:r.yaml"), MeasuredCorrelation(Fraction(1, 2), 40, "40 labelled sessions")
    )
    assert votes is not None
    assert votes.says() == ""


def test_what_was_measured_stands_beside_what_is_assumed() -> None:
    votes = votes_of(
        seated(CLAUDE, GPT, GEMINI), MeasuredCorrelation(Fraction(1, 4), 20, "20 labelled sessions of these seats")
    )
    assert votes is not None
    assert votes.by_measure == 2, "3 / (1 + 2/4)"
    data = votes_data(votes)
    assert data is not None
    assert data["measured"] == {
        "effective": "2.00",
        "phi": "0.2500",
        "items": 20,
        "says": "20 labelled sessions of these seats",
    }
    assert data["assumed"]["least"] == data["assumed"]["most"] == "1.60"


@pytest.mark.parametrize("phi", [Fraction(-1, 10), Fraction(-3333, 10_000), Fraction(-1)])
def test_who_errs_in_turn_is_counted_once_and_not_more_often(phi: Fraction) -> None:
    votes = votes_of(seated(CLAUDE, GPT, GEMINI, GPT), MeasuredCorrelation(phi, 1, "1 labelled session of these seats"))
    assert votes is not None
    assert votes.by_measure == 4


@pytest.mark.parametrize(
    ("number", "places", "text"),
    [
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(2), 4, "2.0000"),
    ],
)
def test_fractions_are_written_as_decimals(number: Fraction, places: int, text: str) -> None:
    assert decimals(number, places) == text
