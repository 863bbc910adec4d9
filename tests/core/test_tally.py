"""The tally, against a second implementation that is too simple to be wrong."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import DefinitionError
from quorate.core.tally import Denominator, Tally, TallyResult, Threshold, Vote, tally
from quorate.core.types import Absent, AbsentReason
from tests.support.examples import modest

GONE = Absent(AbsentReason.SILENT)
AYE, NO, ABSTAIN, OPEN = Vote.AYE, Vote.NO, Vote.ABSTAIN, Vote.OPEN
Ballot = Vote | Absent

absences = st.builds(Absent, st.sampled_from(AbsentReason))
closed = st.lists(st.one_of(st.sampled_from([AYE, NO, ABSTAIN]), absences), max_size=7)


@st.composite
def thresholds(draw: st.DrawFn) -> Threshold:
    bottom = draw(st.integers(1, 7))
    top = draw(st.integers(1, bottom))
    return Threshold(top, bottom, draw(st.sampled_from(Denominator)), draw(st.integers(1, 4)))


@given(thresholds(), st.integers(0, 40), st.integers(0, 40))
def test_the_fewest_that_meet_a_share_meet_it_and_one_less_does_not(share: Threshold, part: int, count: int) -> None:
    enough = count > 0 and part >= share.least and Fraction(part, count) >= Fraction(share.numerator, share.denominator)
    assert share.met(part, count) == enough
    assert count == 0 or share.met(share.fewest(count), count)
    assert not share.met(share.fewest(count) - 1, count)


# The second implementation


def electorate(votes: list[Ballot], of: Denominator) -> list[Ballot]:
    if of is Denominator.SEATED:
        return votes
    wanted = (AYE, NO) if of is Denominator.VOTING else (AYE, NO, ABSTAIN)
    return [vote for vote in votes if vote in wanted]


def outcome(votes: list[Ballot], threshold: Threshold) -> TallyResult:
    """The result of votes none of which is open."""
    who = electorate(votes, threshold.of)
    if not who:
        return TallyResult.NO_ELECTORATE
    ayes = votes.count(AYE)
    share = Fraction(ayes, len(who))
    enough = share >= Fraction(threshold.numerator, threshold.denominator) and ayes >= threshold.least
    return TallyResult.CARRIED if enough else TallyResult.LOST


def by_enumeration(votes: list[Ballot], threshold: Threshold) -> TallyResult:
    """Fill in the open votes in every way; the result is pending unless all ways agree."""
    heard = [vote for vote in votes if vote is not OPEN]
    fates: tuple[Ballot, ...] = (AYE, NO, ABSTAIN, GONE)
    ways = product(fates, repeat=votes.count(OPEN))
    results = {outcome([*heard, *way], threshold) for way in ways}
    return results.pop() if len(results) == 1 else TallyResult.PENDING


# Agreement


@modest
@given(closed, st.integers(0, 4), thresholds())
def test_both_implementations_agree(heard: list[Ballot], waiting: int, threshold: Threshold) -> None:
    votes = [*heard, *([OPEN] * waiting)]
    assert tally(votes, threshold).result is by_enumeration(votes, threshold)


@pytest.mark.parametrize("of", Denominator)
@pytest.mark.parametrize("share", ["1/2", "2/3", "3/5", "1/1"])
def test_both_agree_on_every_table_of_up_to_three(of: Denominator, share: str) -> None:
    threshold = Threshold.parse(share, of)
    fates: tuple[Ballot, ...] = (AYE, NO, ABSTAIN, OPEN, GONE)
    for size in range(4):
        for votes in product(fates, repeat=size):
            assert tally(votes, threshold).result is by_enumeration(list(votes), threshold), votes


@modest
@given(closed, st.integers(0, 4), thresholds(), st.randoms(use_true_random=False))
def test_the_order_of_votes_changes_nothing(
    heard: list[Ballot], waiting: int, threshold: Threshold, rng: object
) -> None:
    votes = [*heard, *([OPEN] * waiting)]
    mixed = list(votes)
    rng.shuffle(mixed)  # type: ignore[attr-defined]
    assert tally(mixed, threshold) == tally(votes, threshold)


# Promises


@pytest.mark.parametrize("of", Denominator)
def test_nobody_at_all_is_never_carried(of: Denominator) -> None:
    assert tally([], Threshold(1, 2, of)).result is TallyResult.NO_ELECTORATE


@pytest.mark.parametrize("votes", [[ABSTAIN, ABSTAIN], [GONE, GONE], [ABSTAIN, GONE]])
def test_zero_of_zero_is_no_electorate(votes: list[Ballot]) -> None:
    counted = tally(votes, Threshold(1, 2))
    assert (counted.result, counted.ayes, counted.electorate) == (TallyResult.NO_ELECTORATE, 0, 0)


@modest
@given(closed, thresholds())
def test_without_an_aye_nothing_is_carried(heard: list[Ballot], threshold: Threshold) -> None:
    votes = [vote for vote in heard if vote is not AYE]
    assert tally(votes, threshold).result is not TallyResult.CARRIED


@modest
@given(closed, st.integers(0, 3), thresholds())
def test_one_more_aye_never_loses_what_was_carried(heard: list[Ballot], waiting: int, threshold: Threshold) -> None:
    votes = [*heard, *([OPEN] * waiting)]
    if tally(votes, threshold).result is TallyResult.CARRIED:
        if threshold.of is not Denominator.SEATED:  # there one more aye is one more seat, too
            assert tally([*votes, AYE], threshold).result is TallyResult.CARRIED
        for index, vote in enumerate(votes):
            better = [*votes[:index], AYE, *votes[index + 1 :]]
            assert tally(better, threshold).result is TallyResult.CARRIED, f"{vote} at {index} became an aye"


@modest
@given(closed, st.integers(1, 3), thresholds(), st.sampled_from([AYE, NO, ABSTAIN, GONE]))
def test_what_is_certain_stays_certain(heard: list[Ballot], waiting: int, threshold: Threshold, next_: Ballot) -> None:
    before = tally([*heard, *([OPEN] * waiting)], threshold).result
    later = tally([*heard, next_, *([OPEN] * (waiting - 1))], threshold).result
    assert before in (TallyResult.PENDING, later)


def with_further_ayes(votes: list[Ballot], more: int, threshold: Threshold) -> TallyResult:
    """So many more ayes: from newcomers, or, where everybody seated counts, from those who have not said aye."""
    heard = [vote for vote in votes if vote is not OPEN]
    if threshold.of is not Denominator.SEATED:
        return outcome([*heard, *([AYE] * more)], threshold)
    ayes = votes.count(AYE) + more
    return outcome([AYE] * ayes + [GONE] * (len(votes) - ayes), threshold)


@modest
@given(closed, st.integers(0, 3), thresholds())
def test_needed_is_the_least_number_of_further_ayes_that_carries(
    heard: list[Ballot], waiting: int, threshold: Threshold
) -> None:
    votes = [*heard, *([OPEN] * waiting)]
    needed = tally(votes, threshold).needed
    far = len(votes) - votes.count(AYE) if threshold.of is Denominator.SEATED else 200
    enough = [n for n in range(far + 1) if with_further_ayes(votes, n, threshold) is TallyResult.CARRIED]
    assert needed == (enough[0] if enough else None)


def test_needed_where_many_ayes_are_needed() -> None:
    assert tally([NO] * 5, Threshold(9, 10)).needed == 45


def test_no_number_of_ayes_makes_unanimity_of_a_no() -> None:
    assert tally([AYE, NO], Threshold(1, 1)).needed is None
    assert tally([AYE, GONE], Threshold(1, 1, Denominator.SEATED)).needed == 1


def test_a_carried_vote_needs_no_more() -> None:
    assert tally([AYE, AYE, NO], Threshold(2, 3)).needed == 0


# The count, spelled out


def test_abstained_and_the_five_absences_are_counted_apart() -> None:
    votes: list[Ballot] = [
        AYE,
        NO,
        ABSTAIN,
        OPEN,
        *(Absent(reason) for reason in AbsentReason),
        Absent(AbsentReason.FAILED),
    ]
    counted = tally(votes, Threshold(1, 2, Denominator.SEATED))
    assert (counted.ayes, counted.noes, counted.abstained, counted.open) == (1, 1, 1, 1)
    assert dict(counted.absent) == {
        AbsentReason.FAILED: 2,
        AbsentReason.TIMED_OUT: 1,
        AbsentReason.MALFORMED: 1,
        AbsentReason.REFUSED: 1,
        AbsentReason.SILENT: 1,
    }
    assert counted.electorate == 10


@pytest.mark.parametrize(
    ("of", "result", "against"),
    [
        (Denominator.VOTING, TallyResult.CARRIED, 3),
        (Denominator.PRESENT, TallyResult.LOST, 4),
        (Denominator.SEATED, TallyResult.LOST, 5),
    ],
)
def test_the_denominator_decides(of: Denominator, result: TallyResult, against: int) -> None:
    counted: Tally = tally([AYE, AYE, NO, ABSTAIN, GONE], Threshold(2, 3, of))
    assert (counted.result, counted.electorate) == (result, against)


def test_the_arithmetic_is_in_integers_and_in_words() -> None:
    counted = tally([AYE, AYE, NO], Threshold(2, 3))
    assert counted.arithmetic() == "3 x 2 ayes = 6 against 2 x 3 = 6 (2/3 of those who voted aye or no): carried"


def test_exactly_two_thirds_is_two_thirds() -> None:
    assert tally([AYE] * 4 + [NO] * 2, Threshold(2, 3)).result is TallyResult.CARRIED
    assert tally([AYE] * 3 + [NO] * 2, Threshold(2, 3)).result is TallyResult.LOST


def test_a_least_number_of_ayes_holds_whatever_the_share() -> None:
    assert tally([AYE], Threshold(1, 2, least=2)).result is TallyResult.LOST
    assert tally([AYE, AYE], Threshold(1, 2, least=2)).result is TallyResult.CARRIED


# Thresholds


def test_parse() -> None:
    assert Threshold.parse(" 2 / 3 ", Denominator.SEATED, 2) == Threshold(2, 3, Denominator.SEATED, 2)


@pytest.mark.parametrize("text", ["", "2", "2/", "/3", "a/b", "2/3/4", "0.5/1", "-1/2", "0/3", "4/3", "1/0"])
def test_what_is_no_threshold(text: str) -> None:
    with pytest.raises(DefinitionError, match="threshold"):
        Threshold.parse(text)


def test_a_threshold_needs_at_least_one_aye() -> None:
    with pytest.raises(DefinitionError, match="at least one aye"):
        Threshold(1, 2, least=0)
