"""What is drawn agrees with what is exact, the same seed gives the same, and every protocol can be simulated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quorate import catalog
from quorate.core.errors import SettingError
from quorate.simulate.agents import Agents
from quorate.simulate.outcomes import Estimate, share
from quorate.simulate.runs import exactly
from quorate.simulate.seats import Sizes, Table
from tests.simulate.simulations import F, judging_of, seated

NOISY = Agents(
    correlation=F(3, 10), conform=F(1, 5), stubborn=F(9, 10), abstain=F(1, 10), fail=F(1, 20), recall=F(1, 2), malice=1
)
BUILT_IN = [name for name, each in catalog.definitions().items() if each.judging is not None]


@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("council", Agents(correlation=F(3, 10), conform=F(1, 5), abstain=F(1, 10), fail=F(1, 20))),
        ("council", Agents(recall=F(4, 10), false_alarm=F(1, 10), families=2, correlation=F(1, 2), across=F(1, 5))),
        ("debate", Agents(conform=F(1, 2), common_mode=F(1, 10))),
        ("roundtable", Agents(abstain=F(1, 4))),
    ],
)
def test_a_sample_lies_within_four_errors_of_what_is_exact(name: str, agents: Agents) -> None:
    for truth in judging_of(name).truths:
        exact = seated(name, agents, truth)
        drawn = seated(name, agents, truth, most_moves=0, samples=1_500)
        assert exact.exact
        assert not drawn.exact
        assert drawn.samples == 1_500
        assert drawn.seed == 1
        for verdict, each in drawn.verdicts.items():
            _near(each, exact.verdicts[verdict])
        for mine, theirs in ((drawn.asks, exact.asks), (drawn.rounds, exact.rounds), (drawn.tokens, exact.tokens)):
            _near(mine, theirs)


def _near(drawn: Estimate, exact: Estimate) -> None:
    assert drawn.error is not None
    assert exact.error is None
    assert abs(float(drawn.value - exact.value)) <= 4 * drawn.error + 1e-12


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_protocol_takes_noisy_agents_under_all_its_profiles(name: str) -> None:
    """Every form is filled in as the engine wants it, whatever a seat holds; sessions end, and verdicts add up."""
    for profile in catalog.definition(name).profiles.values():
        for truth in judging_of(name).truths:
            found = seated(name, NOISY, truth, settings=profile, most_moves=0, samples=30)
            assert sum(each.value for each in found.verdicts.values()) == 1
            assert found.asks.value > 0
            assert found.malicious == found.voters[-1:]


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_seat_that_never_replies_and_one_that_is_always_right(name: str) -> None:
    silent = seated(name, Agents(fail=F(1)))
    assert silent.exact
    assert silent.right is None or silent.right.value == 0
    perfect = seated(name, Agents(F(1)))
    assert perfect.right is None or perfect.right.value == 1
    assert perfect.undecided.value == 0


def test_the_same_seed_draws_the_same_and_another_one_does_not() -> None:
    once, again = (seated("council", NOISY, "sound", most_moves=0, samples=300, seed=7) for _ in range(2))
    other = seated("council", NOISY, "sound", most_moves=0, samples=300, seed=8)
    assert once == again
    assert once.verdicts != other.verdicts


def test_too_many_walks_are_drawn_instead() -> None:
    assert seated("council", NOISY, "defective", most_moves=50, samples=20).samples == 20
    assert seated("council", Agents(), "defective", most_moves=50).exact


def test_what_never_came_is_not_impossible() -> None:
    never = share(0, 1_000)
    assert never.value == 0
    assert never.error is not None
    assert 0.0009 < never.error < 0.0011
    assert (share(500, 1_000) - share(250, 1_000)).value == F(1, 4)


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"accuracy": F(3, 2)}, "accuracy"),
        ({"fail": F(-1, 2)}, "fail"),
        ({"bias": F(-3, 2)}, "bias"),
        ({"families": 0}, "families"),
        ({"malice": -1}, "malice"),
        ({"obstruct": -1}, "obstruct"),
        ({"conform": F(3, 4), "contrary": F(1, 2)}, "contrary"),
        ({"across": F(1, 2)}, "across"),
        ({"families": 2, "across": F(1, 2)}, "across"),
        ({"common_mode": F(1, 2), "correlation": F(1, 2)}, "common_mode"),
        ({"common_mode": F(1, 2), "families": 2}, "common_mode"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(changes: dict[str, object], key: str) -> None:
    with pytest.raises(SettingError) as error:
        Agents(**changes)  # type: ignore[arg-type]
    assert error.value.key == key


def test_what_cannot_be_seated_is_refused() -> None:
    with pytest.raises(SettingError, match=r"truth.*did you mean 'sound'"):
        seated("review", Agents(), "sond")
    with pytest.raises(SettingError, match=r"malice.*at most the 3 seats"):
        seated("council", Agents(malice=4))
    with pytest.raises(SettingError, match=r"obstruct.*at most the 1 of 3 voting seats that are left"):
        seated("council", Agents(malice=2, obstruct=2))
    for name, seats in (("council", 2), ("review", 13), ("debate", 1), ("workshop", 12), ("roundtable", 4)):
        with pytest.raises(SettingError, match="seats"):
            seated(name, Agents(), seats=seats)
    with pytest.raises(SettingError, match="samples"):
        seated("council", Agents(), samples=0)


@pytest.mark.parametrize("name", ["review", "council", "debate"])
def test_seats_that_the_rules_treat_alike_may_change_places(name: str) -> None:
    """Beginnings that differ by a renaming are followed once; following each of them comes to the same."""
    agents = Agents(families=2, correlation=F(1, 2), across=F(1, 5), conform=F(1, 4), abstain=F(1, 10))
    judging = judging_of(name)
    settings = {**judging.seated(3), "rounds": 2} if name != "council" else {}
    for truth in judging.truths:
        tables = [Table(catalog.build(name, settings), judging, agents, truth, Sizes()) for _ in range(2)]
        tables[1].alike = []
        folded, plain = (exactly(table, 50_000) for table in tables)
        assert folded is not None
        assert plain is not None
        assert replace(folded, paths=0) == replace(plain, paths=0)
        assert tables[0].moves < tables[1].moves


def test_what_is_forgotten_is_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = seated("council", NOISY, "defective", most_moves=0, samples=200)
    monkeypatch.setattr("quorate.simulate.runs.MOST_KEPT", 3)
    assert replace(seated("council", NOISY, "defective", most_moves=0, samples=200), paths=whole.paths) == whole
