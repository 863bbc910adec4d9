"""`quorate estimate`: a table for people, data for programs, and errors that name the nearest thing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

import pytest

from quorate.api.estimate import Estimate, estimate
from quorate.api.expected_cost import Assumed
from quorate.api.worst_case import Basis
from quorate.cli.estimate_report import told
from quorate.cli.style import Styled
from quorate.workspace import find_workspace
from tests.cli.shell import Shell

FEW = ("--samples", "5")
MODEL = ("--panel", "claude.yaml")


@pytest.fixture
def shell(shell: Shell) -> Shell:
    """A shell with panels of models beside the scripted one."""
    (shell.folder / "claude.yaml").write_text("default: anthropic:claude-sonnet-4-5\n", encoding="utf-8")
    (shell.folder / "unknown.yaml").write_text("default: openai:no-such-model-7\n", encoding="utf-8")
    return shell


def cells(out: str, name: str) -> list[str]:
    """The cells of one row of the table."""
    (line,) = [line for line in out.splitlines() if line.startswith(f"  {name} ")]
    return line.removeprefix(f"  {name}").split()


def test_a_debate_is_told_phase_by_phase_and_in_all(shell: Shell) -> None:
    ran = shell.call("estimate", "debate", "--set", "agents=[architect, security, testing]", *MODEL, *FEW)
    assert ran.code == 0
    assert ran.out.startswith("debate: what a session costs in asks, tokens and money\n")
    assert "material: 2,000 tokens, assumed" in ran.out
    assert cells(ran.out, "PHASE") == ["ASKS", "IN", "OUT", "MONEY"] * 2
    assert cells(ran.out, "PROPOSAL")[0] == "3.0"
    assert cells(ran.out, "PROPOSAL")[4] == "6", "each of the three is asked again once"
    expected, worst = cells(ran.out, "in all")[:4], cells(ran.out, "in all")[4:]
    assert worst[0] == "22"
    assert expected[3].startswith("$")
    assert "not subtracted" in ran.out
    assert "one call  of anthropic:claude-sonnet-4-5" in ran.out
    assert "asks bounded by the protocol's schedule" in ran.out
    assert "simulated, 5 sessions from seed 1" in ran.out


def test_the_input_is_measured_and_read_as_run_reads_it(shell: Shell) -> None:
    (shell.folder / "long.md").write_text("# A queue\n\n" + "Orders wait in it. " * 600, encoding="utf-8")
    ran = shell.call("estimate", "debate", "-f", "long.md", *MODEL, *FEW, "--json")
    assert ran.code == 0
    data = json.loads(ran.out)
    assert data["material"]["measured"] is True
    assert 3_700 < data["material"]["tokens"] < 3_900
    assert data["worst"]["asks"] == 16
    assert data["worst"]["basis"] == "bounded by the protocol's schedule"
    assert data["expected"]["basis"] == "simulated"
    assert data["phases"]["CRITIQUE"]["worst"]["asks"] == 4
    assert data["assumed"] == {"accuracy": "0.7", "samples": 5, "seed": 1, "reply": 500, "matter": 2_000}
    assert shell.call("list", "--json").out.strip() == "[]", "nothing is kept"


def test_no_key_is_needed_and_an_unknown_price_is_said_to_be_one(shell: Shell) -> None:
    ran = shell.call("estimate", "debate", "--panel", "unknown.yaml", *FEW)
    assert ran.code == 0
    assert cells(ran.out, "in all")[3::4] == ["?", "?"]
    assert "prices    not known: openai:no-such-model-7" in ran.out


def test_a_price_that_is_known_in_part_says_what_is_missing(shell: Shell) -> None:
    panel = "default: anthropic:claude-sonnet-4-5\nseats: {judge: 'openai:no-such-model-7'}\n"
    (shell.folder / "mixed.yaml").write_text(panel, encoding="utf-8")
    ran = shell.call("estimate", "debate", "--panel", "mixed.yaml", *FEW)
    assert ran.code == 0
    assert cells(ran.out, "in all")[7].endswith("+")
    assert cells(ran.out, "SYNTHESIS")[7] == "?"
    assert "as far as it is known; not known: openai:no-such-model-7" in ran.out


def test_two_models_on_a_seat_and_votes_that_are_spared_are_told(shell: Shell) -> None:
    panel = "default: {model: 'anthropic:claude-sonnet-4-5', stronger: 'openai:no-such-model-7'}\n"
    (shell.folder / "relay.yaml").write_text(panel, encoding="utf-8")
    council = ("estimate", "council", "--set", "depth=COUNCIL", "--panel", "relay.yaml", "--samples", "50")
    ran = shell.call(*council)
    assert ran.code == 0
    assert "anthropic:claude-sonnet-4-5, from round 2 openai:no-such-model-7: SA-1, SA-2, SA-3" in ran.out
    assert "as far as it is known; not known: openai:no-such-model-7\n" in ran.out, "the other one's price is known"
    assert cells(ran.out, "CYCLE_1")[3].startswith("$"), "the first cycle is the first one's"
    assert cells(ran.out, "CYCLE_2")[3] == "?"
    assert cells(ran.out, "CYCLE_1")[7].endswith("+")
    assert "of two models on a seat the dearer is counted for every ask" in ran.out
    assert "of two models on a seat the one is asked whose round it is" in ran.out
    assert "votes that cannot matter are not asked for (`curtail`): 0." in ran.out
    data = json.loads(shell.call(*council, "--json").out)
    assert data["relayed"] == ["SA-1", "SA-2", "SA-3"]
    assert data["expected"]["curtailed"] is True
    assert data["expected"]["asks_spared"] > 0
    every = shell.call(*council, "--set", "curtail=false")
    assert "spared" not in every.out
    assert json.loads(shell.call(*council, "--set", "curtail=false", "--json").out)["expected"]["asks_spared"] == 0


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        ("100000000", "100,000,000 tokens: the worst case fits"),
        ("90000", "90,000 tokens: the worst case does not fit; what is expected fits"),
        ("1000", "1,000 tokens: the worst case does not fit; what is expected does not fit either"),
    ],
)
def test_the_budget_is_held_against_it(shell: Shell, tokens: str, told: str) -> None:
    ran = shell.call("estimate", "debate", "--set", f"budget.tokens={tokens}", *MODEL, *FEW)
    assert ran.code == 0
    assert f"  budget    {told}" in ran.out


def test_people_are_counted_apart(shell: Shell) -> None:
    ran = shell.call("estimate", "debate", "--set", "interactive_clarifications=true", *MODEL, *FEW)
    assert ran.code == 0
    assert "people    asked at most 6 times, without a token" in ran.out


@pytest.mark.parametrize("known", [True, False])
def test_money_that_is_not_known_fits_no_budget(shell: Shell, known: bool) -> None:
    """The judge's price is known and alone above the budget at worst; what the others cost nobody knows."""
    others = "anthropic:claude-sonnet-4-5" if known else "openai:no-such-model-7"
    panel = f"default: '{others}'\nseats: {{judge: {{model: 'openai:a', price: {{in: 30, out: 150}}}}}}\n"
    (shell.folder / "part.yaml").write_text(panel, encoding="utf-8")
    ran = shell.call("estimate", "debate", "--panel", "part.yaml", "--set", "budget.cents=500", *FEW)
    assert ran.code == 0
    mean = "what is expected fits" if known else "whether what is expected fits is not known"
    assert f"  budget    $5.00: the worst case does not fit; {mean}\n" in ran.out


@pytest.mark.parametrize("room", [60, 80, 100])
@pytest.mark.parametrize("name", ["debate", "review", "council", "workshop", "roundtable"])
async def test_nothing_is_cut_where_a_terminal_is_narrow(shell: Shell, name: str, room: int) -> None:
    workspace = find_workspace(shell.folder, {})
    panel = shell.folder / ("unknown.yaml" if name == "council" else "claude.yaml")
    found = await estimate(workspace, name, panel=panel, assumed=Assumed(samples=1))
    wide, narrow = (_plain(told(found, columns)) for columns in (1_000, room))
    assert all(len(line) <= room for line in narrow)
    assert sorted(" ".join(wide).split()) == sorted(" ".join(_once(narrow, found)).split())
    assert wide == _plain(told(found)), "a pipe has all the room it wants"


def _once(lines: list[str], found: Estimate) -> list[str]:
    """Lines with the names of the phases once, also where they stand before what is expected and before the rest."""
    names = ["PHASE", *found.phases, "in all"]
    second = [line for line in lines if line.strip().startswith("AT MOST")]
    if not second:
        return lines
    below = lines.index(second[0]) + 1
    for number, name in enumerate(names, start=below):
        assert lines[number].startswith(f"  {name} ")
        lines[number] = lines[number].removeprefix(f"  {name}")
    return lines


def _plain(lines: Iterable[Styled]) -> list[str]:
    return ["".join(each if isinstance(each, str) else each[0] for each in line).rstrip() for line in lines]


async def test_a_protocol_that_cannot_be_simulated_has_a_worst_case_alone(shell: Shell) -> None:
    workspace = find_workspace(shell.folder, {})
    found = await estimate(workspace, "debate", panel=shell.folder / "claude.yaml", assumed=Assumed(samples=1))
    lines = _plain(told(_unknown(found)))
    (total,) = [line.split() for line in lines if line.startswith("  in all")]
    assert total[2:6] == ["-"] * 4
    assert total[6] == "16"
    assert "at most: asks proven by a walk over every session," in lines
    assert lines[-1] == "expected: not known; debate does not say how agents take part in it"


def _unknown(found: Estimate) -> Estimate:
    return replace(found, expected=None, basis=Basis.WALK)


def test_what_is_wrong_is_named(shell: Shell) -> None:
    assert "did you mean 'debate'" in shell.call("estimate", "debat", *MODEL).err
    assert "accuracy" in shell.call("estimate", "debate", "--accuracy", "often", *MODEL).err
    wrong = shell.call("estimate", "debate", "--input", "problm=x", *MODEL)
    assert wrong.code != 0
    assert "--input problm" in wrong.err
    assert "problem" in wrong.err
