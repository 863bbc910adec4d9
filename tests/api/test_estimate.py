"""Estimates: no session costs more than the worst case, schedules say what proofs say, and what is expected adds up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorate import api, catalog
from quorate.api.estimate import Estimate, estimate, estimate_data
from quorate.api.expected_cost import Assumed
from quorate.api.opening import open_named
from quorate.api.sizes import Sizes
from quorate.api.worst_case import Basis, CostBounds, schedule_of, walked, worst_of
from quorate.config import read_config
from quorate.core.errors import DefinitionError
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Record, Said
from quorate.core.types import Seat
from quorate.core.view import estimate_tokens
from quorate.kit.schedule import Either, Schedule, Turn, turns
from quorate.participants.model import ModelParticipant
from quorate.participants.person import Person
from quorate.participants.port import Participant
from quorate.participants.prices import Price
from quorate.runtime.budget import Budget
from quorate.store.memory import MemoryJournal
from quorate.verify.bounds import worst_case
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from quorate.workspace import Workspace
from tests.faults.tables import TABLES, built
from tests.runtime.test_waves import majority
from tests.support.costly import opened, run, seated
from tests.verify.kinds import spread
from tests.verify.toys import poll

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = "anthropic:claude-sonnet-4-5"
UNKNOWN = "openai:a-model-that-nobody-has-heard-of"
SCHEDULES = {name: each.schedule for name, each in catalog.definitions().items() if each.schedule is not None}
PROFILES = tuple((name, each) for name in SCHEDULES for each in catalog.definition(name).profiles)
SHORT = (
    "two agents, stop at quality",
    "two agents, episode and stall limits",
    "one seat",
    "two members, the literal table",
    "specs, standard, from two to four rounds",
    "no documents",
)
"""How the names of profiles begin that are walked in a few seconds."""
QUICK = tuple(each for each in PROFILES if each[1].startswith(SHORT))
SLOW = tuple(each for each in PROFILES if each not in QUICK and "nine gates" not in each[1])


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A place without settings of its own."""
    return Workspace(tmp_path, read_config([], {}, ()), "memory:")


# Schedules say what proofs say


def most(schedule: Schedule, phase: object, brief: str) -> int:
    """The most asks of one phase with one brief."""
    found = 0
    for each in schedule:
        ways = each.ways if isinstance(each, Either) else ((each,),)
        found += max(sum(turn.asks for turn in way if turn.phase is phase and turn.brief == brief) for way in ways)
    return found


def walk_of(protocol: Protocol[Any]) -> Any:
    walk = Walk(protocol, Failures())
    walk.run()
    return worst_case(walk)


def check_schedule(name: str, profile: str) -> None:
    protocol = catalog.profiles(name)[profile]
    worst = walk_of(protocol)
    schedule, basis = schedule_of(protocol, {"claims": "some"})
    assert basis is Basis.SCHEDULE
    code = {turn.brief for turn in turns(schedule) if set(turn.seats) <= protocol.checks}
    proven = {place: asks for place, asks in worst.by_phase.items() if place[1] not in code}
    assert proven
    low = {place: (asks, most(schedule, *place)) for place, asks in proven.items() if most(schedule, *place) < asks}
    assert low == {}, "more can be asked than the schedule says"
    forms = {turn.brief: turn.form for turn in turns(schedule)}
    assert {brief for _, brief in proven} <= set(forms)


@pytest.mark.parametrize(("name", "profile"), QUICK)
def test_no_proof_asks_more_than_the_schedule(name: str, profile: str) -> None:
    check_schedule(name, profile)


@pytest.mark.parametrize(("name", "profile"), spread(SLOW, 3))
def test_no_proof_of_any_profile_asks_more_than_the_schedule(name: str, profile: str) -> None:
    check_schedule(name, profile)


def test_every_protocol_has_a_profile_that_is_walked_quickly() -> None:
    assert {name for name, _ in QUICK} == set(SCHEDULES)


def test_the_schedule_of_a_debate_is_exact() -> None:
    protocol = catalog.profiles("debate")["two agents, stop at quality, clarifications"]
    worst, schedule = walk_of(protocol), SCHEDULES["debate"](protocol, {})
    assert sum(turn.asks for turn in turns(schedule)) == worst.asks == 36
    assert all(most(schedule, *place) == asks for place, asks in worst.by_phase.items())


def test_a_protocol_without_a_schedule_is_walked() -> None:
    protocol = poll()
    schedule = walked(protocol)
    worst = walk_of(protocol)
    assert {(turn.phase, turn.brief): turn.asks for turn in turns(schedule)} == dict(worst.by_phase)
    assert schedule_of(protocol, {})[1] is Basis.WALK


def test_why_no_worst_case_is_known_is_the_reason() -> None:
    with pytest.raises(DefinitionError, match="there is no worst case: a session may go on for ever"):
        walked(majority(3, 2))  # an interruption of its wrapping up begins that anew


# No session costs more


def sizes_of(protocol: Protocol[Any], table: Mapping[Seat, Participant], material: Mapping[str, str]) -> Sizes:
    schedule, _ = schedule_of(protocol, material)
    return Sizes(protocol, table, schedule, sum(map(estimate_tokens, material.values())))


def exceeded(
    record: Record, worst: CostBounds, phases: Mapping[str, CostBounds], table: Mapping[Seat, Participant]
) -> list[str]:
    """Say in which figures a session came to more than the worst case."""
    found: dict[str, Counter[str]] = {"": Counter()}
    for line in record.log:
        if isinstance(line, Asked) and line.ask.seat not in record.protocol.checks:
            kind = "people" if isinstance(table[line.ask.seat], Person) else "asks"
            for name in ("", line.phase.name):
                found.setdefault(name, Counter())[kind] += 1
        if isinstance(line, Said) and line.ask.seat not in record.protocol.checks:
            for name in ("", line.phase.name):
                each = found.setdefault(name, Counter())
                each["tokens_in"] += line.envelope.tokens_in
                each["tokens_out"] += line.envelope.tokens_out
                each["money"] += line.envelope.cost or 0
    return [
        f"{name or 'in all'}: {kind} {value} > {getattr(bound, kind)}"
        for name, each in found.items()
        for bound in (worst if not name else phases[name],)
        for kind, value in each.items()
        if value > getattr(bound, kind)
    ]


def check_session(table: int, seed: int, *, hard: bool) -> int:
    """Drive a session, hold it against its worst case, and return how many replies it had."""
    protocol, material = built(table, seed), TABLES[table].material
    panel = seated(protocol)
    record = run(opened(table, seed, protocol, material), panel, seed, hard=hard)
    worst, phases = worst_of(sizes_of(protocol, panel, material))
    assert exceeded(record, worst, phases, panel) == []
    return sum(isinstance(line, Said) for line in record.log)


@pytest.mark.parametrize("hard", [False, True], ids=["drawn", "hard"])
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_no_session_costs_more_than_the_worst_case(table: int, hard: bool) -> None:
    assert check_session(table, 9, hard=hard) > 3


@pytest.mark.slow
@pytest.mark.parametrize("table", range(len(TABLES)))
def test_no_session_of_many_costs_more_than_the_worst_case(table: int) -> None:
    lengths = [check_session(table, seed, hard=bool(seed % 2)) for seed in range(20, 36)]
    assert sum(length > 3 for length in lengths) > 8, "most of them get somewhere"


def test_the_worst_debate_is_a_debate() -> None:
    """Everybody absent once and malformed twice: as many asks as the bound, and nearly as many tokens.

    The seed is one with which nobody leaves the table for a text without words.
    """
    protocol, material = built(0, 1), TABLES[0].material
    panel = seated(protocol)
    record = run(opened(0, 1, protocol, material), panel, 5, hard=True)
    worst, _ = worst_of(sizes_of(protocol, panel, material))
    said = [line.envelope for line in record.log if isinstance(line, Said)]
    assert len(said) == worst.asks
    assert sum(each.tokens_out for each in said) > worst.tokens_out * 0.95
    assert sum(each.cost or 0 for each in said) > worst.money * 0.6


async def scripted(workspace: Workspace, name: str, inputs: Mapping[str, Any], panel: Path) -> tuple[Record, Estimate]:
    """Run an example, and estimate it with the same input and panel."""
    journal = MemoryJournal()
    opening = await open_named(workspace, journal, name, inputs, panel=panel, seed=7)
    result = await api.run(workspace, journal, opening.session)
    found = await estimate(workspace, name, inputs, panel=panel, assumed=Assumed(samples=5))
    return result.record, found


def example(name: str, folder: Path) -> dict[str, Any]:
    """What an example is opened with."""
    match name:
        case "debate":
            return {"problem": (EXAMPLES / "problem.md").read_text(encoding="utf-8")}
        case "review":
            return {"diff": (EXAMPLES / "change.diff").read_text(encoding="utf-8")}
        case "council":
            for path, text in catalog.definition("council").sample.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text, encoding="utf-8")
            return {"rfc": folder}
        case _:
            return {"topic": "An audit log for a small online shop", "agenda": EXAMPLES / "agenda.yaml"}


@pytest.mark.parametrize(
    ("name", "panel", "settings"),
    [
        ("debate", "scripted", {}),
        ("review", "review", {}),
        ("council", "council", {"depth": "COUNCIL", "remediate": True}),
        ("workshop", "workshop", {"participants": ["product-manager", "qa-lead", "security-champion"]}),
    ],
)
async def test_no_example_costs_more_than_its_estimate(
    workspace: Workspace, tmp_path: Path, name: str, panel: str, settings: Mapping[str, Any]
) -> None:
    placed = workspace.with_settings(name, settings)
    inputs = example(name, tmp_path / "matter")
    record, found = await scripted(placed, name, inputs, EXAMPLES / f"{panel}-panel.yaml")
    table: Any = {seat: Person() if who == "person" else who for seat, who in found.panel.items()}
    assert exceeded(record, found.worst, found.phases, table) == []
    assert found.brought
    assert found.matter == sum(map(estimate_tokens, record.material.values()))
    assert found.expected is not None
    for phase, mean in found.expected.phases.items():
        assert mean.tokens_out <= found.phases[phase].tokens_out, f"{phase}: a script says how much it says"
        assert mean.tokens_in <= found.phases[phase].tokens_in, phase
    assert sum(isinstance(line, Said) for line in record.log) > 5


# What is expected


async def test_what_is_expected_adds_up(workspace: Workspace) -> None:
    found = await estimate(workspace, "debate", model=MODEL, assumed=Assumed(samples=3, reply=400))
    assert found.expected is not None
    total = found.expected.total
    assert total.asks == 26, "three agents: texts, summaries and two replies in three rounds; the judge twice"
    assert total.tokens_out == 26 * 400
    assert total.asks == pytest.approx(sum(each.asks for each in found.expected.phases.values()))
    assert total.tokens_in == pytest.approx(sum(each.tokens_in for each in found.expected.phases.values()))
    assert 0 < found.expected.cacheable < 1
    assert set(found.expected.phases) <= set(found.phases)
    assert total.money == pytest.approx(total.tokens_in * 3 + total.tokens_out * 15, rel=0.01)


async def test_the_token_model_of_full_history_holds(workspace: Workspace) -> None:
    """T8: with a task of T0 tokens every ask reads it, so asks times the difference is the difference."""
    short, long = [
        await estimate(workspace, "debate", model=MODEL, assumed=Assumed(samples=1, matter=matter))
        for matter in (1_000, 3_000)
    ]
    assert short.expected is not None
    assert long.expected is not None
    assert long.expected.total.tokens_in - short.expected.total.tokens_in == 26 * 2_000
    assert long.expected.cacheable > short.expected.cacheable


@pytest.mark.parametrize("name", SCHEDULES)
async def test_what_is_expected_is_below_the_worst_case(workspace: Workspace, name: str) -> None:
    found = await estimate(workspace, name, model=MODEL, assumed=Assumed(samples=4))
    assert found.expected is not None
    for phase, worst in found.phases.items():
        mean = found.expected.phases.get(phase)
        if mean is not None:
            assert mean.asks <= worst.asks, phase
            assert mean.tokens_in <= worst.tokens_in, phase
            assert mean.money <= worst.money, phase
    assert found.unrepaired.tokens_in < found.worst.tokens_in
    assert found.single is not None
    assert found.single.tokens_in < found.expected.total.tokens_in


async def test_the_same_seed_expects_the_same(workspace: Workspace) -> None:
    first, again = [await estimate(workspace, "review", model=MODEL, assumed=Assumed(samples=20)) for _ in range(2)]
    assert estimate_data(first) == estimate_data(again)


# Prices and budgets


async def test_an_unknown_price_is_no_price(workspace: Workspace) -> None:
    panel = {"default": MODEL, "seats": {"judge": UNKNOWN}}
    found = await estimate(workspace, "debate", panel=panel, assumed=Assumed(samples=1))
    assert found.worst.unpriced == (UNKNOWN,)
    assert found.phases["SYNTHESIS"].unpriced == (UNKNOWN,)
    assert found.phases["CRITIQUE"].unpriced == ()
    data = estimate_data(found)
    assert data["phases"]["SYNTHESIS"]["worst"]["money"] is None
    assert data["phases"]["SYNTHESIS"]["expected"]["money"] is None
    assert data["worst"]["money"] > 0


@pytest.mark.parametrize(
    ("budget", "fits"),
    [
        (Budget(), None),
        (Budget(tokens=1_000_000_000), True),
        (Budget(tokens=100_000), False),
        (Budget(cents=10), False),
        (Budget(cents=1_000_000), True),
    ],
)
async def test_the_budget_is_compared_with_the_worst_case(
    workspace: Workspace, budget: Budget, fits: bool | None
) -> None:
    limited = replace(workspace, config=replace(workspace.config, budget=budget))
    assert (await estimate(limited, "debate", model=MODEL, assumed=Assumed(samples=1))).fits is fits


async def test_whether_unknown_money_fits_is_not_known(workspace: Workspace) -> None:
    limited = replace(workspace, config=replace(workspace.config, budget=Budget(cents=1_000_000)))
    assert (await estimate(limited, "debate", model=UNKNOWN, assumed=Assumed(samples=1))).fits is None


def test_a_limit_on_episodes_bounds_everything() -> None:
    free, tight = [catalog.build("debate", {"max_episodes": most}) for most in (None, 9)]
    every, few = [worst_of(sizes_of(each, seated(each), {}))[0] for each in (free, tight)]
    assert (every.asks, few.asks) == (58, 9)
    assert few.tokens_in < every.tokens_in


def test_every_repair_is_counted() -> None:
    protocol = catalog.build("debate")
    model = ModelParticipant(next(iter(seated(protocol).values())).spec, max_tokens=100, own_price=Price(1, 1))  # type: ignore[attr-defined]
    table = {seat: Person() if seat in protocol.people else model for seat in protocol.seats}
    sizes = sizes_of(protocol, table, {})
    (turn,) = [each for each in turns(sizes.schedule) if each.brief == "propose"]
    call = sizes.worst(turn, Seat("architect"))
    assert call.tokens_out == 3 * 100
    once = replace(sizes, repairs=0, worsts={}).worst(turn, Seat("architect"))
    assert (once.tokens_out, call.money) == (100, call.tokens_in + call.tokens_out)
    assert call.tokens_in == 3 * once.tokens_in + 3 * (100 + 400)


async def test_a_window_bounds_every_prompt(workspace: Workspace) -> None:
    wide, narrow = [
        await estimate(workspace, "workshop", panel={"default": {"model": MODEL, **more}}, assumed=Assumed(samples=1))
        for more in ({}, {"window": 20_000})
    ]
    assert narrow.worst.asks == wide.worst.asks == 80
    told = 20_000  # the form as a provider takes it, which is sent beside the prompt
    assert narrow.unrepaired.tokens_in <= 80 * (20_000 + told) < wide.unrepaired.tokens_in


def test_a_turn_counts_its_asks() -> None:
    protocol = catalog.build("debate")
    turn = next(turns(SCHEDULES["debate"](protocol, {})))
    assert isinstance(turn, Turn)
    assert (turn.asks, replace(turn, one=True).asks) == (6, 2)
