"""Near matches, measured on pairs made by hand: no two defects become one, most that are the same are seen (C14)."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.protocols.council.rules.taxonomy import Gate, Subcategory
from quorate.protocols.council.world.gates.near import MOST_PAIRS, Found, are_near, pairs, said


def found(key: str, told: str, place: str = "T1", *, by_gate: bool = False) -> Found:
    """Make a finding of `subcategory | description | evidence`."""
    name, description, evidence = (part.strip() for part in told.split("|"))
    subcategory = Subcategory[name]
    return Found(key, subcategory.gate, subcategory, place, by_gate, description, evidence)


def transcript(title: str) -> list[tuple[str, str]]:
    text = Path(__file__).with_name("near_pairs.txt").read_text(encoding="utf-8")
    section = text.split(f"# {title}\n")[1].split("\n# ")[0]
    blocks = [block.splitlines() for block in section.strip().split("\n\n")]
    return [(one, other) for one, other in blocks]


SAME, DIFFERENT = transcript("same"), transcript("different")


def near(one: str, other: str) -> bool:
    forth = are_near(found("F1", one), found("F2", other))
    assert forth == are_near(found("F2", other), found("F1", one)), "the rule must not depend on the order"
    return forth


def test_no_two_defects_become_one() -> None:
    assert len(DIFFERENT) >= 25
    assert [pair for pair in DIFFERENT if near(*pair)] == []


def test_most_of_what_is_the_same_is_seen() -> None:
    assert len(SAME) >= 25
    seen = [pair for pair in SAME if near(*pair)]
    print(f"\nnear matches: {len(seen)} of {len(SAME)} same pairs seen, none of {len(DIFFERENT)} different ones merged")
    assert 100 * len(seen) >= 60 * len(SAME)


def test_nothing_said_of_one_thing_is_near_to_what_is_said_of_another() -> None:
    """Over all combinations of the transcript, as if all of it were said of one ticket."""
    told = [found(f"F{number}", pair[0]) for number, pair in enumerate(SAME, start=1)]
    merged = [
        (one.description, other.description)
        for one in told
        for other in told
        if one.number < other.number and are_near(one, other)
    ]
    assert merged == []


BOUND = "MISSING_VERIFICATION | Criterion 2 has no verification command. | "
BOUND_TOO = "MISSING_VERIFICATION | No verification command is given for criterion 2. | "
OTHER = "INCOMPLETE_PLAN | The rollback step is missing altogether. | "
OF_ANOTHER_GATE = "INTENT_MISMATCH | Criterion 2 has no verification command. | "


def test_findings_of_two_tickets_or_two_gates_are_never_near() -> None:
    one = found("F1", BOUND)
    assert are_near(one, found("F2", BOUND))
    assert not are_near(one, found("F2", BOUND, place="T2"))
    assert not are_near(one, found("F2", OF_ANOTHER_GATE))


def test_a_gate_has_findings_of_one_category() -> None:
    """So that findings of one gate are of one category as well."""
    assert all(len({each.category for each in Subcategory if each.gate is gate}) <= 1 for gate in Gate)


def test_kept_is_the_lowest_number_and_there_are_no_chains() -> None:
    told = {"F2": BOUND, "F3": BOUND_TOO, "F10": BOUND, "F4": OTHER}
    assert pairs(found(key, text) for key, text in told.items()) == (("F2", "F3"), ("F2", "F10"))


def test_a_gates_finding_is_kept_whatever_its_number_and_never_merged() -> None:
    seats = [found("F1", BOUND), found("F2", BOUND_TOO)]
    gates = [found("F7", BOUND, by_gate=True), found("F8", BOUND, by_gate=True)]
    assert pairs([*seats, *gates]) == (("F7", "F1"), ("F7", "F2"))
    assert pairs(gates) == ()
    assert not are_near(*gates)
    assert pairs([seats[0], replace(gates[0], place="T2")]) == ()


def test_the_order_in_which_findings_come_does_not_matter() -> None:
    lines = [line for pair in SAME + DIFFERENT for line in pair]
    findings = [found(f"F{number}", line, f"T{number % 3}") for number, line in enumerate(lines, start=1)]
    expected = pairs(findings)
    assert expected
    for seed in range(5):
        random.Random(seed).shuffle(findings)
        assert pairs(findings) == expected
    kept, merged = {one for one, _ in expected}, [other for _, other in expected]
    assert not kept & set(merged)
    assert len(set(merged)) == len(merged)


def test_there_are_never_more_pairs_than_the_form_holds() -> None:
    many = [found(f"F{number}", BOUND) for number in range(1, MOST_PAIRS + 50)]
    assert len(pairs(many)) == MOST_PAIRS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The steps", "steps"),
        ("Make sure to properly migrate the rows", "migrating rows"),
        ("It verifies the caches", "verify cache"),
    ],
)
def test_forms_of_a_word_and_filler_make_no_difference(one: str, other: str) -> None:
    assert said(one) == said(other)


@pytest.mark.parametrize(
    "noise", ["/" * 600, "-a" * 300, "`" * 600, "a_" * 300, "A-" * 300, "1-" * 300, "ẞ̣" * 300, "not " * 150]
)
def test_hostile_descriptions_are_compared_like_others(noise: str) -> None:
    one = replace(found("F1", BOUND), description=noise, evidence=noise)
    assert not are_near(one, found("F2", BOUND))
    assert pairs([one, replace(one, key="F2")]) in ((), (("F1", "F2"),))
