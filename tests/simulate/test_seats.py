"""Agents on the seats of the real protocols come to what theory says, as equalities (T1 to T5, T11, T15)."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from quorate.core.tally import Threshold
from quorate.simulate.agents import Agents
from quorate.simulate.voters import CommonMode, Exchangeable, FamilyBlock, Independent, Voters
from tests.simulate.decision_rules import ballots, byzantine, majority, quorum, reached, veto
from tests.simulate.simulations import ONE_ROUND, F, chances, seated

SEVEN = F(7, 10)


def alike(count: int, p: Fraction = SEVEN) -> Independent:
    return Independent((p,) * count)


# T1, T2: majorities


@pytest.mark.parametrize("accuracy", [F(4, 10), F(6, 10), SEVEN, F(8, 10)])
@pytest.mark.parametrize("seats", [3, 5])
def test_a_review_of_one_round_is_condorcets_majority(seats: int, accuracy: Fraction) -> None:
    found = seated("review", Agents(accuracy), "sound", seats=seats, settings=ONE_ROUND)
    assert found.exact
    assert found.right is not None
    assert found.right.value == majority(alike(seats, accuracy)).right
    assert found.undecided.value == 1 - found.right.value, "who opposes does not decide: a person has to"


@pytest.mark.parametrize(("name", "truth"), [("council", "sound"), ("council", "defective"), ("debate", "solvable")])
@pytest.mark.parametrize("accuracy", [F(4, 10), SEVEN])
def test_a_council_and_a_debate_of_three_are_majorities_too(name: str, truth: str, accuracy: Fraction) -> None:
    found = seated(name, Agents(accuracy), truth)
    assert found.exact
    assert found.right is not None
    assert found.wrong is not None
    assert found.right.value == majority(alike(3, accuracy)).right
    assert found.right.value + found.wrong.value == 1


def test_the_printed_numbers() -> None:
    """Science, T1 and T3: 0.784 and 0.83692 for three and five at 0.7; 0.6517 for four with a quorum of 2/3."""
    plain = Agents()
    assert seated("review", plain, seats=3, settings=ONE_ROUND).right == seated("council", plain).right
    for seats, share, expected in ((3, "1/2", "0.784"), (5, "1/2", "0.83692"), (4, "2/3", "0.6517")):
        found = seated("review", plain, seats=seats, settings={**ONE_ROUND, "quorum": share})
        assert found.right is not None
        assert found.right.value == F(expected)


@pytest.mark.parametrize(
    ("agents", "voters", "votes"),
    [
        (Agents(correlation=F(3, 10)), Exchangeable(3, SEVEN, F(3, 10)), F(15, 8)),
        (Agents(correlation=F(66, 100)), Exchangeable(3, SEVEN, F(66, 100)), F(300, 232)),
        (Agents(correlation=F(1, 2), families=2), FamilyBlock((0, 1, 0), SEVEN, F(1, 2), F(0)), F(9, 4)),
        (Agents(common_mode=F(1, 10)), CommonMode(3, F(1, 10), SEVEN), None),
        (Agents(correlation=F(1)), Exchangeable(3, SEVEN, F(1)), F(1)),
    ],
)
def test_errors_that_hang_together_are_worth_fewer_votes(
    agents: Agents, voters: Voters, votes: Fraction | None
) -> None:
    found = seated("council", agents, "defective")
    assert found.right is not None
    assert found.right.value == majority(voters).right
    assert found.effective == votes or (votes is None and found.effective is not None and found.effective < 3)


# T3, T15: quorum, abstention, failure


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("abstain", [F(0), F(1, 10), F(1, 2)])
def test_a_quorum_of_two_thirds_of_those_who_vote(seats: int, abstain: Fraction) -> None:
    settings = {**ONE_ROUND, "quorum": "2/3"}
    found = seated("review", Agents(abstain=abstain), "sound", seats=seats, settings=settings)
    # A quarter of the committee has to vote (R10).
    held = {votes: chance for votes, chance in ballots(alike(seats), abstain).items() if 4 * sum(votes) >= seats}
    law = quorum(held, seats, Threshold(2, 3))
    assert found.exact
    assert found.right is not None
    assert found.right.value == law.right


@pytest.mark.parametrize(("abstain", "printed"), [(F(1, 10), "0.1301"), (F(2, 10), "0.2653"), (F(5, 10), "0.6575")])
def test_a_council_deadlocks_where_neither_side_has_two_votes(abstain: Fraction, printed: str) -> None:
    """T3 counts every ballot without a quorum. Nobody who abstains has judged (C46); if all do, it stalls (C34)."""
    found = chances(seated("council", Agents(abstain=abstain), "defective"))
    right, wrong = (1 - abstain) * SEVEN, (1 - abstain) * (1 - SEVEN)
    deadlock = found["NEEDS_ADJUDICATION"] + found["ABORTED"]
    assert f"{float(deadlock):.4f}" == printed
    assert found["ABORTED"] == abstain**3
    assert found["APPROVED"] == wrong**3 + 3 * wrong**2 * (1 - wrong)
    assert found["APPROVED_WITH_REMEDIATION"] == right**3 + 3 * right**2 * (1 - right)


@pytest.mark.parametrize("lost", [F(1, 10), F(1, 2)])
def test_a_reply_that_cannot_be_used_is_an_abstention_and_no_wrong_vote(lost: Fraction) -> None:
    settings = {**ONE_ROUND, "quorum": "2/3", "attendance": "1/12"}
    failed = seated("review", Agents(fail=lost), "sound", seats=4, settings=settings)
    abstained = seated("review", Agents(abstain=lost), "sound", seats=4, settings=settings)
    assert failed.exact
    assert abstained.exact
    assert failed.right == abstained.right
    worse = seated("review", Agents(accuracy=SEVEN * (1 - lost)), "sound", seats=4, settings=settings)
    assert failed.right is not None
    assert worse.right is not None
    assert failed.right.value > worse.right.value


# T4, T5: vetoes and findings


@pytest.mark.parametrize("rate", [F(5, 100), F(2, 10)])
def test_false_vetoes_add_up(rate: Fraction) -> None:
    members = ["engineering-architect", "knowledge-manager", "operations-sre", "product-manager"]
    settings = {"members": members, "veto_holders": members, "rounds": 1}
    found = chances(seated("review", Agents(F(1), false_alarm=rate), "sound", settings=settings))
    assert found["REQUEST_CHANGES"] == veto(alike(4, rate)) == 1 - (1 - rate) ** 4


@pytest.mark.parametrize("recall", [F(3, 10), F(1, 2), F(7, 10)])
def test_a_review_keeps_what_one_member_found_and_a_council_wants_two(recall: Fraction) -> None:
    union = seated("review", Agents(recall), "defective", seats=3, settings={**ONE_ROUND, "confirm_items": False})
    seconded = seated("council", Agents(recall), "defective")
    assert union.right is not None
    assert seconded.right is not None
    assert union.right.value == reached(alike(3, recall), 1)
    assert seconded.right.value == reached(alike(3, recall), 2) == recall**2 * (3 - 2 * recall)
    assert (seconded.right.value < recall) is (recall < F(1, 2))


def test_finding_is_another_thing_than_judging() -> None:
    """One who finds the defect holds it true; the others judge what is put to them."""
    found = seated("council", Agents(F(9, 10), recall=F(3, 10)), "defective")
    s, p = F(3, 10), F(9, 10)
    by_finders = [comb(3, k) * s**k * (1 - s) ** (3 - k) for k in range(4)]
    upheld = [F(0), 1 - (1 - p) ** 2, F(1), F(1)]
    assert found.right is not None
    assert found.right.value == sum(a * b for a, b in zip(by_finders, upheld, strict=True))


@pytest.mark.parametrize(
    ("agents", "truth", "right"),
    [
        (Agents(), "sound", SEVEN),
        (Agents(), "dangerous", SEVEN),
        (Agents(recall=F(4, 10)), "defective", F(4, 10)),
        (Agents(recall=F(4, 10), fail=F(1, 2)), "dangerous", F(2, 10)),
        (Agents(false_alarm=F(2, 10)), "sound", F(8, 10)),
    ],
)
def test_one_seat_alone_is_a_council_of_one(agents: Agents, truth: str, right: Fraction) -> None:
    """Who has found nothing has nothing to show, however well it would judge what others found."""
    found = seated("council", agents, truth, seats=1)
    assert found.alone == right
    if not agents.fail:
        assert found.right is not None
        assert found.right.value == right


def test_one_member_of_a_review_alone_is_right_about_what_it_finds() -> None:
    """A false alarm and a wrong judgement each speak against a sound change, so both must stay away."""
    for truth in ("defective", "dangerous"):
        assert seated("review", Agents(recall=F(4, 10)), truth, seats=1).alone == F(4, 10)
        assert seated("review", Agents(abstain=F(1, 10)), truth, seats=1).alone == SEVEN * F(9, 10)
    sound = seated("review", Agents(false_alarm=F(2, 10)), "sound", seats=1)
    assert sound.right is not None
    assert sound.right.value == sound.alone == SEVEN * F(8, 10)


# T11: malice


@pytest.mark.parametrize(("seats", "traitors"), [(3, 1), (5, 1), (5, 2)])
def test_traitors_cost_what_theory_says(seats: int, traitors: int) -> None:
    found = seated("review", Agents(malice=traitors), "sound", seats=seats, settings=ONE_ROUND)
    assert found.right is not None
    assert found.right.value == byzantine(alike(seats - traitors), traitors).right
    assert len(found.malicious) == traitors
    assert found.effective == seats - traitors


@pytest.mark.parametrize(("holders", "right"), [(["business-driver"], 0), ([], 1)])
def test_one_veto_of_an_obstructing_seat_is_enough_against_a_sound_change(holders: list[str], right: int) -> None:
    """Three honest seats who are always right outvote its opposition, but not its veto."""
    found = seated("review", Agents(F(1), obstruct=1), "sound", seats=4, settings={"veto_holders": holders})
    assert found.obstructing == ("business-driver",)
    assert found.effective == 3
    assert found.right is not None
    assert found.right.value == right


@pytest.mark.parametrize("truth", ["defective", "dangerous"])
def test_who_objects_to_everything_is_right_where_something_is_wrong(truth: str) -> None:
    found = seated("council", Agents(F(0), obstruct=3), truth)
    assert found.right is not None
    assert found.right.value == 1
    assert found.effective is None, "no voter is honest"


# Conformity, contrariness, stubbornness, bias


def test_whoever_adopts_the_majority_makes_it_one() -> None:
    """Five members, 2/3, two rounds: what three hold, all hold after they have seen each other."""
    settings = {"veto_holders": [], "rounds": 2}
    apart = seated("review", Agents(), "sound", seats=5, settings=settings)
    together = seated("review", Agents(conform=F(1)), "sound", seats=5, settings=settings)
    assert apart.right is not None
    assert together.right is not None
    assert apart.right.value == reached(alike(5), 4)
    assert together.right.value == reached(alike(5), 3)


def test_who_is_contrary_leaves_a_majority_whatever_it_holds() -> None:
    """Two members, two rounds: both right decides at once, both wrong turn round, and one of each change places."""
    found = seated("review", Agents(contrary=F(1)), "sound", seats=2, settings={"veto_holders": [], "rounds": 2})
    assert found.right is not None
    assert found.right.value == SEVEN**2 + (1 - SEVEN) ** 2


def test_who_judges_anew_is_not_bound_by_the_first_round() -> None:
    settings = {"veto_holders": [], "rounds": 2}
    again = seated("review", Agents(stubborn=F(0)), "sound", seats=2, settings=settings)
    once = SEVEN**2
    assert again.right is not None
    assert again.right.value == once + (1 - once) * once


@pytest.mark.parametrize(("truth", "right"), [("sound", 1), ("defective", 0), ("dangerous", 0)])
def test_who_always_says_sound_is_right_where_it_is(truth: str, right: int) -> None:
    found = seated("council", Agents(bias=F(1)), truth)
    assert found.right is not None
    assert found.right.value == right
    assert found.alone == right
    against = seated("council", Agents(bias=F(-1)), truth)
    assert against.right is not None
    assert against.right.value == 1 - right


# What a session takes


def test_asks_and_tokens_of_a_debate() -> None:
    """Three agents, one round: a proposal, critiques and a refinement each, and the synthesis."""
    settings = {"rounds": 1, "summarization": {"enabled": False}}
    found = seated("debate", Agents(), settings=settings)
    assert found.asks.value == 3 * 3 + 1
    blind, refining, judging = 6 * 2_500, 3 * (2_500 + 6 * 500), 2_500 + 9 * 500
    assert found.tokens.value == blind + refining + judging
    assert found.rounds.value == 1
    assert found.people.value == 0
