"""`quorate simulate`: bars for people, data for programs, a drawing, and errors that name the nearest thing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quorate.api.simulations import Chances, SimulationRequest, simulate
from quorate.cli.simulation_report import told
from quorate.cli.style import Styled
from quorate.workspace import find_workspace
from tests.cli.shell import Shell


def test_one_simulation_is_told_with_its_verdicts_and_what_it_takes(shell: Shell) -> None:
    ran = shell.call("simulate", "council", "--truth", "defective", "--correlation", "0.3")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "council, defective: there is a MAJOR defect in it"
    assert lines[2].endswith("worth 1.88 independent votes")
    (bar,) = [line for line in lines if "APPROVED_WITH_REMEDIATION" in line]
    assert bar.split()[1].startswith("█")
    assert bar.endswith("73.17 %")
    assert any(line.startswith("  right") and "73.17 %" in line and "+3.17 points" in line for line in lines)
    assert lines[-1].startswith("exact: every session was followed")


def test_what_varies_has_a_row_each_with_the_difference_to_the_first(shell: Shell) -> None:
    settings = ("--set", "veto_holders=[]", "--set", "rounds=1")
    ran = shell.call("simulate", "review", *settings, "--vary", "seats=3,4,5")
    assert ran.code == 0
    (heading,) = [line for line in ran.out.splitlines() if line.startswith("  SEATS")]
    assert heading.split() == ["SEATS", "RIGHT", "UNDECIDED", "ROUNDS", "ASKS", "TOKENS", "EFFECTIVE"]
    rows = {line.split()[0]: line.split() for line in ran.out.splitlines() if line.startswith(("  3 ", "  4 ", "  5 "))}
    assert rows["3"][1] == "78.40"
    assert rows["4"][1:4] == ["65.17", "%", "-13.23"]
    assert rows["5"][1:4] == ["52.82", "%", "-25.58"]


def test_a_setting_and_a_number_vary_together(shell: Shell) -> None:
    ran = shell.call("simulate", "review", "--seats", "3", "--vary", "quorum=1/2,1/1", "--vary", "phi=0,1", "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert [each["varied"] for each in found] == [
        {"quorum": share, "correlation": phi} for share in ("1/2", "1/1") for phi in ("0", "1")
    ]
    assert found[3]["right"]["exactly"] == "7/10", "three that err as one are one"
    assert found[3]["effective_votes"] == 1


def test_what_is_drawn_says_so(shell: Shell) -> None:
    words = ("simulate", "debate", "--sampled", "--samples", "200", "--seed", "5", "--fail", "0.1")
    ran = shell.call(*words)
    assert ran.code == 0
    assert "200 sessions from seed 5; ± is one standard error" in ran.out
    assert re.search(r"one seat alone is right in 63\.00 %: [+-]\d+\.\d ± \d\.\d points", ran.out), (
        "no surer than it is"
    )
    assert ran.out == shell.call(*words).out
    (data,) = json.loads(shell.call(*words, "--json").out)
    assert data["exact"] is False
    assert data["samples"] == 200
    assert data["right"]["standard_error"] > 0


def test_a_list_of_a_setting_may_vary(shell: Shell) -> None:
    ran = shell.call("simulate", "debate", "--vary", "agents=[architect,security],[architect,security,testing]")
    assert ran.code == 0
    assert "78.40 % right" in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("review", "--vary", "seats=3,4"),
            "seats 4 instead of 3: right 13.23 points less often, for 18 % more tokens",
        ),
        (("review", "--vary", "seats=3,4,5"), "right most often with seats 3, the first"),
        (
            ("review", "--vary", "seats=5,4,3"),
            "right most often with seats 3: 25.58 points more often than with seats 5",
        ),
        (("review", "--vary", "false_alarm=0,0"), "false_alarm 0 instead of 0: right as often, for as many tokens"),
        (("workshop", "--vary", "seats=2,3"), "seats 3 instead of 2: COMPLETE 29.40 points more often"),
        (("review", "--vary", "accuracy=0.7,0.71", "--sampled", "--samples", "60"), "no difference in how often"),
    ],
)
def test_a_comparison_is_answered_in_a_sentence(shell: Shell, words: tuple[str, ...], says: str) -> None:
    settings = () if words[0] != "review" else ("--set", "veto_holders=[]", "--set", "rounds=1")
    ran = shell.call("simulate", *words, *settings)
    assert ran.code == 0
    assert says in ran.out


@pytest.mark.parametrize("room", [80, 100])
@pytest.mark.parametrize("vary", [(), ("correlation=0,0.66",), ("seats=3,3", "correlation=0,0.3")])
@pytest.mark.parametrize("exact", [True, False])
def test_no_number_is_cut_off_by_a_narrow_terminal(
    tmp_path: Path, room: int, vary: tuple[str, ...], exact: bool
) -> None:
    asked = SimulationRequest({}, truth="defective", chances=Chances(samples=20, exact=exact))
    rows = simulate(find_workspace(tmp_path, {}), "council", asked, vary)
    wide, narrow = (_plain(told("council", rows, columns)) for columns in (1_000, room))
    assert all(len(line) <= room for line in narrow)
    numbers = [word for line in wide for word in line.split() if word[:1].isdigit()]
    assert set(numbers) <= {word for line in narrow for word in line.split()}


def _plain(lines: Iterable[Styled]) -> list[str]:
    return ["".join(each if isinstance(each, str) else each[0] for each in line).rstrip() for line in lines]


@pytest.mark.parametrize(
    "words", [("council",), ("workshop", "--vary", "seats=2,3"), ("review", "--vary", "truth=sound,dangerous")]
)
def test_it_draws(shell: Shell, words: tuple[str, ...]) -> None:
    ran = shell.call("simulate", *words, "--svg", "plot.svg")
    assert ran.code == 0
    assert "wrote plot.svg" in ran.err
    drawing = ElementTree.parse(shell.folder / "plot.svg").getroot()
    bars = [each for each in drawing.iter() if each.tag.endswith("rect") and each.get("height") == "20"]
    assert drawing.tag.endswith("svg")
    assert len(bars) >= 2


def test_long_names_have_room_in_a_drawing(shell: Shell) -> None:
    agents = "agents=[architect,security],[architect,security,testing,simplicity,performance]"
    assert shell.call("simulate", "debate", "--vary", agents, "--samples", "20", "--svg", "plot.svg").code == 0
    drawing = ElementTree.parse(shell.folder / "plot.svg").getroot()
    texts = ["".join(each.itertext()) for each in drawing.iter() if each.tag.endswith("text")]
    assert "debate, solvable: what changes with agents" in texts
    (name,) = [
        each for each in drawing.iter() if each.tag.endswith("text") and "performance]" in "".join(each.itertext())
    ]
    assert float(name.get("x", "0")) > 7 * len("agents [architect,security,testing,simplicity,performance]")


def test_a_long_note_is_whole_in_a_drawing(shell: Shell) -> None:
    agents = "accuracy 0.8, correlation 0.3, conform 0.2, stubborn 0.9, abstain 0.1, fail 0.05, recall 0.5, bias 0.1"
    words = [part for each in agents.split(", ") for part in (f"--{each.split()[0]}", each.split()[1])]
    ran = shell.call("simulate", "review", *words, "--seats", "3", "--sampled", "--samples", "20", "--svg", "plot.svg")
    assert ran.code == 0
    drawing = ElementTree.parse(shell.folder / "plot.svg").getroot()
    notes = [each for each in drawing.findall("{*}text") if each.get("class") == "note"]
    assert " ".join("".join(each.itertext()) for each in notes) == f"{agents} · {ran.out.splitlines()[-1]}"
    room = (int(drawing.get("width", "0")) - 32) / 6
    assert len(notes) == 2
    assert all(len("".join(each.itertext())) <= room for each in notes)
    (below,) = drawing.findall("{*}g")
    assert below.get("transform") == "translate(0 15)"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("council", "--recall", "0.4"), "recall plays no part: there is nothing to find"),
        (("council", "--false-alarm", "0.4", "--truth", "defective"), "false alarms plays no part"),
        (("council", "--recall", "0.4", "--truth", "defective"), ""),
        (("council", "--recall", "0.4", "--vary", "truth=sound,defective"), ""),
    ],
)
def test_a_rate_that_was_given_for_nothing_is_said(shell: Shell, words: tuple[str, ...], says: str) -> None:
    ran = shell.call("simulate", *words)
    assert ("plays no part" in ran.out) is bool(says)
    assert says in ran.out


def test_who_is_not_honest_is_named(shell: Shell) -> None:
    ran = shell.call("simulate", "council", "--malice", "1", "--obstruct", "1", "--contrary", "0.2")
    assert "of whom SA-3 always wrong, of whom SA-2 against everything" in " ".join(ran.out.split())
    assert "contrary 0.2, malice 1, obstruct 1" in ran.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("revew",), "did you mean 'review'"),
        (("review", "--set", "quorun=1/2"), "did you mean 'quorum'"),
        (("review", "--truth", "defectiv"), "did you mean 'defective'"),
        (("review", "--accuracy", "1.5"), "accuracy: is 1.5; expected a number from 0 to 1"),
        (("review", "--accuracy", "high"), "a number such as 0.7 or 2/3"),
        (("review", "--malice", "some"), "malice: is 'some'; expected a whole number"),
        (("review", "--obstruct", "0.5"), "obstruct: is '0.5'; expected a whole number"),
        (
            ("review", "--conform", "0.7", "--contrary", "0.7"),
            "contrary: is 7/10, and with the chance of 7/10 to conform it exceeds 1",
        ),
        (("review", "--vary", "quorun=1/2"), "did you mean 'quorum'"),
        (("review", "--vary", "quorum"), "expected key=a,b,c"),
        (("review", "--vary", "quorum=1/2,,2/3"), "expected key=a,b,c"),
        (("review", "--vary", "quorum=2"), "quorum"),
        (("review", "--vary", "seats=1,2,3,4,5", "--vary", "p=0.1,0.2,0.3,0.4,0.5"), "at most 24"),
        (("council", "--seats", "5"), "expected 3, or 1 for STANDARD depth"),
        (("review", "--families", "2", "--across", "0.5"), "at most the correlation"),
    ],
)
def test_a_mistake_is_named(shell: Shell, words: tuple[str, ...], says: str) -> None:
    ran = shell.call("simulate", *words)
    assert ran.code == 64
    assert says in ran.err
    assert "Traceback" not in ran.err
