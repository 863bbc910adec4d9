"""`quorate redecide` and `quorate compare` as a person uses them."""

from __future__ import annotations

import json

import pytest

from quorate.cli.compare import beside
from tests.cli.shell import Ran, Shell, lines
from tests.support.reviewing import Project, ballot, item, replies

USUAL = ("--base", "main", "--no-input", "--no-ledger", "--seed", "3")


@pytest.fixture
def shell(project: Project) -> Shell:
    project.change()
    return Shell(project.folder)


def review(project: Project, shell: Shell, *words: str, **seats: object) -> Ran:
    panel = project.panel(replies(**{seat: {"ballot": given} for seat, given in seats.items()}))
    return shell.call("review", *USUAL, "--panel", str(panel), *words)


def test_another_quorum_is_told_with_its_numbers(project: Project, shell: Shell) -> None:
    four = "members=[engineering-architect, knowledge-manager, business-driver, operations-sre]"
    assert review(project, shell, "--set", "rounds=1", "--set", four, operations_sre=ballot("oppose")).code == 0
    ran = shell.call("redecide", "latest", "--set", "quorum=4/5")
    assert ran.code == 2, ran.err
    assert lines(ran.out, ["quorum: 2/3 -> 4/5"])
    assert lines(ran.out, ["recorded:", "APPROVED"])
    assert lines(ran.out, ["redecided: INCONCLUSIVE"])
    assert lines(ran.out, ["They part in DEBATE, round 1"])
    assert lines(ran.out, ["R15 (", "did not hold [CONSENSUS]"])
    assert lines(ran.out, ["The verdict changes."])
    assert ran.out.count("vetoes standing") == 0, "a test that came out alike in both tells nothing"
    assert lines(ran.out, ["ABSTAIN -> CONCLUSION: NO_QUORUM"])
    assert json.loads(shell.call("list", "--json").out)[1:] == [], "nothing is written"


def test_settings_that_change_nothing_are_said_to(project: Project, shell: Shell) -> None:
    assert review(project, shell).code == 0
    ran = shell.call("redecide", "latest", "--set", "quorum=3/4")
    assert ran.code == 0
    assert "The settings change nothing: the same moves lead to the same verdict and the same findings." in ran.out
    assert lines(shell.call("redecide", "latest").out, ["with the settings that it had"])


def test_what_was_not_recorded_has_its_own_code(project: Project, shell: Shell) -> None:
    noes = {"operations_sre": ballot("oppose"), "engineering_architect": ballot("oppose")}
    assert review(project, shell, "--set", "rounds=1", **noes).code == 2
    ran = shell.call("redecide", "latest", "--set", "rounds=2")
    assert ran.code == 6
    assert lines(ran.out, ["redecided: not decided: an answer is missing"])
    assert lines(ran.out, ["chair would be asked to mediate in ABSTAIN, round 1: it was never asked this"])
    assert lines(ran.out, ["  quorate fork review-", "--at N --set rounds=2"])
    found = shell.call("redecide", "latest", "--set", "rounds=2", "--json").json()
    assert (found["exit_code"], found["redecided"], found["same"]) == (6, None, False)
    assert found["settings"] == {"rounds": [1, 2]}
    assert found["not_recorded"][0]["brief"] == "mediate"


def test_findings_that_block_no_more(project: Project, shell: Shell) -> None:
    assert review(project, shell, operations_sre=ballot(items=[item("medium")])).code == 1
    ran = shell.call("redecide", "latest", "--set", "blocking_severity=high")
    assert ran.code == 0
    assert lines(ran.out, ["Findings that block no more:"])
    assert lines(ran.out, ["medium correctness src/slug.py"])
    assert lines(ran.out, ["replies were given to other words than these settings would have shown"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--set", "qorum=1/2"), "settings.qorum: unknown setting"),
        (("--set", "quorum=3"), "settings.quorum: is 3; expected a text such as 2/3"),
        (("--set", "quorum=3/0"), "settings.quorum"),
        (("--set", "debate.rounds=1"), "--set debate: has no effect on this session; expected settings of a review"),
        (("--set", "budget.tokens=1"), "--set budget: has no effect"),
    ],
)
def test_a_wrong_setting_is_told(project: Project, shell: Shell, words: tuple[str, ...], told: str) -> None:
    review(project, shell)
    ran = shell.call("redecide", "latest", *words)
    assert ran.code == 64
    assert told in ran.err


def test_sessions_are_compared(project: Project, shell: Shell) -> None:
    review(project, shell)
    first = json.loads(shell.call("list", "--json").out)[0]["session"]
    review(project, shell, operations_sre=ballot(items=[item("high")], confidence=70))
    ran = shell.call("compare", first, "latest")
    assert ran.code == 0
    assert lines(ran.out, ["verdict", "APPROVED", "REQUEST_CHANGES"])
    assert lines(ran.out, ["findings", "0, 0 blocking", "1, 1 blocking"])
    assert lines(ran.out, ["A and B part in DEBATE, round 1, operations-sre (ballot"])
    assert lines(ran.out, ["confidence: 90 | 70"])
    assert lines(ran.out, ["They decide otherwise in SYNTHESIS"])
    assert lines(ran.out, ["Only in B: 1"])
    assert lines(ran.out, ["high correctness src/slug.py"])
    alike = shell.call("compare", first, first)
    assert "A and B do not part" in alike.out


def test_sessions_that_part_in_a_decision_are_told_by_their_letters(project: Project, shell: Shell) -> None:
    review(project, shell, operations_sre=ballot(confidence=70))
    first = json.loads(shell.call("list", "--json").out)[0]["session"]
    review(project, shell, "--set", "abstain_below=75", "--set", "attendance=1/1", operations_sre=ballot(confidence=70))
    ran = shell.call("compare", first, "latest")
    assert lines(ran.out, ["A and B began differently:"])
    assert lines(ran.out, ["settings.abstain_below: 50 | 75"])
    assert lines(ran.out, ["A and B part in DEBATE, round 1:"])
    assert lines(ran.out, ["  A  CONSENSUS by R15 ("])
    assert lines(ran.out, ["  B  "])
    assert "the first decides" not in ran.out


def test_bundles_are_compared_and_three_at_once(project: Project, shell: Shell) -> None:
    review(project, shell)
    assert shell.call("report", "latest", "--format", "json", "-o", "bundle.json").code == 0
    found = shell.call("compare", "bundle.json", "latest", "bundle.json", "--json").json()
    assert found["sessions"][0]["name"] == "bundle.json"
    assert [each["parting"] for each in found["differences"]] == [None, None]
    (project.folder / "bundle.json").write_text("{}")
    ran = shell.call("compare", "bundle.json", "latest")
    assert ran.code == 65
    assert "is not valid" in ran.err


def test_sessions_that_have_no_room_beside_each_other_stand_below() -> None:
    numbers = {letter: {"verdict": "APPROVED_WITH_REMEDIATION", "asks": "12"} for letter in "ABCDE"}
    (whole,) = beside(numbers, 1_000)
    assert whole.split("\n")[0].split() == ["A", "B", "C", "D", "E"]
    first, _, second, _, third = beside(numbers, 80)
    tables = [each.split("\n") for each in (first, second, third)]
    assert [table[0].split() for table in tables] == [["A", "B"], ["C", "D"], ["E"]]
    assert all(len(line) <= 80 for table in tables for line in table)
    assert [table[1].split() for table in tables][2] == ["verdict", "APPROVED_WITH_REMEDIATION"]
    narrow = list(beside(numbers, 20))
    assert len([each for each in narrow if each]) == 5, "each has its table, however narrow it is"


def test_what_cannot_be_compared(project: Project, shell: Shell) -> None:
    review(project, shell)
    assert shell.call("compare", "latest").code == 64
    ran = shell.call("compare", "latest", "review-1999")
    assert (ran.code, "there is no session 'review-1999'" in ran.err) == (64, True)
