"""Estimates of seats with two models, and of votes that are asked for in waves: bounds hold, and theory is met."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from quorate import catalog
from quorate.api.estimate import estimate, estimate_data
from quorate.api.expected_cost import Assumed, expect
from quorate.api.simulations import agents_of
from quorate.api.sizes import Sizes
from quorate.api.worst_case import worst_of
from quorate.config import read_config
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause
from quorate.kit.judgement import Judging, Truth
from quorate.kit.schedule import Turn
from quorate.participants.person import Person
from quorate.simulate.stop_rules import curtailed
from quorate.workspace import Workspace
from tests.api.test_estimate import MODEL, UNKNOWN, exceeded, sizes_of
from tests.faults.tables import TABLES, built
from tests.runtime.test_waves import majority
from tests.support.costly import opened, relayed, run, seated
from tests.support.toy import CLERK, Ballot, Note, Phase, Voice, ballot, note


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A place without settings of its own."""
    return Workspace(tmp_path, read_config([], {}, ()), "memory:")


# No session costs more


def check_relayed(table: int, seed: int, *, dear_first: bool, hard: bool) -> set[str]:
    """Drive a session of relays, hold it against its worst case, and return who has spoken."""
    protocol, material = built(table, seed), TABLES[table].material
    panel = relayed(protocol, dear_first=dear_first)
    record = run(opened(table, seed, protocol, material), panel, seed, hard=hard)
    worst, phases = worst_of(sizes_of(protocol, panel, material))
    assert exceeded(record, worst, phases, panel) == []
    return {line.envelope.model for line in record.log if isinstance(line, Said)} & {"openai:dear", "openai:cheap"}


@pytest.mark.parametrize("dear_first", [False, True], ids=["cheap first", "dear first"])
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_no_session_of_relays_costs_more_than_the_worst_case(table: int, dear_first: bool) -> None:
    spoke = check_relayed(table, 7, dear_first=dear_first, hard=True)
    assert "openai:dear" in spoke or not dear_first


@pytest.mark.slow
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_no_session_of_relays_of_many_costs_more(table: int) -> None:
    spoke = [check_relayed(table, seed, dear_first=seed % 2 == 0, hard=seed % 3 == 0) for seed in range(20, 36)]
    assert set().union(*spoke) == {"openai:dear", "openai:cheap"}


def council_that_votes(seed: int, *, curtail: bool) -> Record:
    """A council of three, which is the protocol that settles early, with relays on its seats."""
    protocol, material = catalog.build("council", {"depth": "COUNCIL"}, seed=seed), TABLES[4].material
    panel = relayed(protocol)
    record = run(opened(4, seed, protocol, material), panel, seed, curtail=curtail)
    worst, phases = worst_of(sizes_of(protocol, panel, material))
    assert exceeded(record, worst, phases, panel) == []
    return record


@pytest.mark.parametrize("curtail", [False, True], ids=["all at once", "curtailed"])
def test_no_curtailed_session_costs_more_than_the_worst_case(curtail: bool) -> None:
    settled = 0
    for seed in range(6):
        record = council_that_votes(seed, curtail=curtail)
        settled += any(isinstance(line, Moved) and line.move.cause is Cause.SETTLED for line in record.log)
    assert settled, "some of them are settled before everybody has voted"


# Relays


async def test_a_relay_costs_at_most_what_the_stronger_one_does(workspace: Workspace) -> None:
    weak, strong = [{"model": f"openai:{n}", "price": {"in": p, "out": p}} for n, p in (("a", 1), ("b", 9))]
    alone = [await estimate(workspace, "debate", panel={"default": each}) for each in (weak, strong)]
    seats = {name: {**weak, "stronger": strong} for name in ("architect", "performance", "simplicity", "judge")}
    both = await estimate(workspace, "debate", panel={"seats": seats})
    assert both.worst == alone[1].worst
    means = [each.expected.total.money for each in (alone[0], both, alone[1]) if each.expected is not None]
    assert means[0] < means[1] < means[2], "the first round is the weaker one's"
    assert both.relayed == ("architect", "performance", "simplicity", "judge")
    assert both.asked == "openai:a", "a single call would be the first one's"
    first, last = (estimate_data(both)["phases"][name]["expected"] for name in ("PROPOSAL", "SYNTHESIS"))
    assert first["money"] == pytest.approx((first["tokens_in"] + first["tokens_out"]) / 1e6), "nobody but a proposes"
    assert last["money"] == pytest.approx(9 * (last["tokens_in"] + last["tokens_out"]) / 1e6), "b alone synthesises"


async def test_of_a_relay_the_price_that_is_known_counts_and_the_other_is_named(workspace: Workspace) -> None:
    known = {"model": "openai:a", "price": {"in": 3, "out": 15}}
    for first, stronger in ((known, {"model": UNKNOWN}), ({"model": UNKNOWN}, known)):
        panel = {"default": {**first, "stronger": stronger}}
        found = await estimate(workspace, "debate", panel=panel, assumed=Assumed(samples=1))
        alone = await estimate(workspace, "debate", panel={"default": known}, assumed=Assumed(samples=1))
        assert found.worst.unpriced == (UNKNOWN,), "not the relay as a whole"
        assert found.worst.money == alone.worst.money
        assert found.expected is not None
        assert 0 < found.expected.total.unpriced < found.expected.total.asks
        proposing = found.expected.phases["PROPOSAL"]
        assert (proposing.unpriced == 0) is (first is known)
        assert (proposing.money > 0) is (first is known)


async def test_each_of_a_relay_has_a_window_of_its_own(workspace: Workspace) -> None:
    narrow = {"model": "openai:a", "price": {"in": 1, "out": 1}, "window": 8_000}
    wide = {"model": "openai:b", "price": {"in": 1, "out": 1}}
    long = Assumed(samples=1, matter=50_000)
    both = await estimate(workspace, "debate", panel={"default": {**narrow, "stronger": wide}}, assumed=long)
    assert both.expected is not None
    proposing, closing = both.expected.phases["PROPOSAL"], both.expected.phases["SYNTHESIS"]
    assert proposing.tokens_in < proposing.asks * 12_000, "the first one reads a part of it"
    assert closing.tokens_in > closing.asks * 50_000


# Several calls for one reply


async def test_every_sample_is_counted(workspace: Workspace) -> None:
    one = {"model": "openai:a", "price": {"in": 1, "out": 3}}
    alone, drawn = [
        await estimate(workspace, "debate", panel={"default": each}) for each in (one, {**one, "samples": 3})
    ]
    assert (drawn.worst.asks, drawn.several) == (alone.worst.asks, ("architect", "performance", "simplicity", "judge"))
    assert drawn.worst.tokens_in == 3 * alone.worst.tokens_in
    assert drawn.worst.tokens_out == 3 * alone.worst.tokens_out
    assert drawn.expected is not None
    assert alone.expected is not None
    assert drawn.expected.total.money == pytest.approx(3 * alone.expected.total.money)
    assert drawn.single == alone.single, "one call is one call"


async def test_a_draft_and_its_confirmation_are_both_counted(workspace: Workspace) -> None:
    weak, strong = [{"model": f"openai:{n}", "price": {"in": p, "out": p}} for n, p in (("a", 1), ("b", 9))]
    alone = [await estimate(workspace, "debate", panel={"default": each}) for each in (weak, strong)]
    panel = {"default": {**weak, "stronger": {**strong, "confirms": True}}}
    both = await estimate(workspace, "debate", panel=panel)
    assert both.worst.money > sum(each.worst.money for each in alone), "and the draft that is shown"
    means = [each.expected.total.money for each in (*alone, both) if each.expected is not None]
    assert sum(means[:2]) < means[2] < 1.5 * sum(means[:2])
    assert both.asked == "openai:b"
    unknown = await estimate(
        workspace, "debate", panel={"default": {"model": UNKNOWN, "stronger": {**strong, "confirms": True}}}
    )
    assert unknown.worst.unpriced == (UNKNOWN,)


# Curtailed votes


def judged() -> Judging:
    """How agents vote: aye where they judge rightly, else no."""
    return Judging(
        truths={"good": Truth("it is good")},
        voters=lambda protocol: tuple(seat for seat in protocol.seats if seat != CLERK),
        seated=lambda _: {},
        filling=lambda _: (
            lambda ask, _, mind: (
                (ballot(Voice.AYE) if mind.opinion.right else ballot(Voice.NO)) if ask.form is Ballot else note()
            )
        ),
        tells=lambda *_: False,
    )


def votes_expected(seats: int, *, curtail: bool, people: int = 0) -> tuple[float, float, float]:
    """The asks that a majority of so many is expected to take: of models, of people, and those spared."""
    protocol = majority(seats, (seats + 1) // 2)
    table = seated(protocol) | {seat: Person() for seat in protocol.seats[:people]}
    voters = tuple(seat for seat in protocol.seats if seat != CLERK)
    schedule = (Turn(Phase.VOTE, "vote", Ballot, voters, keys=2), Turn(Phase.WRAP_UP, "note", Note, (CLERK,)))
    sizes = Sizes(protocol, table, schedule, 100)
    found = expect(sizes, judged(), agents_of({"accuracy": "0.7"}), Assumed(samples=3_000), curtail=curtail)
    voting = found.phases["VOTE"]
    return voting.asks, voting.people, found.spared


@pytest.mark.parametrize("seats", [3, 5])
def test_a_curtailed_majority_is_expected_to_take_the_calls_of_theory(seats: int) -> None:
    theory = float(curtailed(seats, Fraction(7, 10)).calls)
    asks, _, spared = votes_expected(seats, curtail=True)
    assert asks == pytest.approx(theory, abs=0.05)
    assert asks + spared == seats
    assert votes_expected(seats, curtail=False) == (seats, 0, 0)


def test_nobody_waits_for_people_with_a_call() -> None:
    asks, people, spared = votes_expected(3, curtail=True, people=1)
    assert (asks, people, spared) == (2, 1, 0), "a person is asked anyhow, and both models in their place"


async def test_a_council_is_expected_to_spare_votes(workspace: Workspace) -> None:
    council = workspace.with_settings("council", {"depth": "COUNCIL"})
    everybody = replace(council, config=replace(council.config, curtail=False))
    waves, all_ = [await estimate(each, "council", model=MODEL) for each in (council, everybody)]
    assert waves.expected is not None
    assert all_.expected is not None
    assert (waves.curtailed, all_.curtailed, all_.expected.spared) == (True, False, 0)
    assert waves.expected.spared > 0
    assert waves.expected.phases["CYCLE_3"].asks < all_.expected.phases["CYCLE_3"].asks
    assert waves.expected.phases["CYCLE_1"] == all_.expected.phases["CYCLE_1"]
    assert waves.worst == all_.worst, "a split vote asks everybody"
    assert (await estimate(workspace, "debate", model=MODEL, assumed=Assumed(samples=1))).curtailed is False
