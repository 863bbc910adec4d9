"""`audit`: nothing against any bundle that Quorate makes, and every single break named with its rule and place."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.protocols.council.audit import Kind, audit
from quorate.protocols.council.audit.names import fits
from quorate.protocols.council.rules.modes import MODES
from quorate.protocols.council.rules.result.bundle import review_bundle
from tests.protocols.council.audit.breaks import BREAKS, MADE, change, good, named, whole
from tests.support.councils import Sitting


@pytest.mark.parametrize("name", MADE)
def test_a_bundle_by_quorate_has_no_deviation(name: str) -> None:
    """C43: whichever way a council ends."""
    assert audit(good(name)) == ()


@pytest.mark.parametrize("seed", [25, 62, 76, 293, "a text", 0])
def test_a_draw_that_was_repeated_is_accepted(seed: int | str) -> None:
    """C4: seeds 25, 62, 76 and 293 need a second draw."""
    asked: dict[str, Any] = {"session_seed": seed} if isinstance(seed, str) else {"seed": seed}
    assert audit(review_bundle(Sitting(**asked).finish().record)) == ()


@pytest.mark.parametrize(
    ("name", "place", "value", "rule", "at"),
    [(*row[:4], row[-1] if len(row) > 4 else row[1]) for row in BREAKS],
    ids=[f"{row[0]} {row[1]} {row[3]}" for row in BREAKS],
)
def test_a_single_break_is_named_with_its_rule(name: str, place: str, value: Any, rule: str, at: str) -> None:
    found = audit(change(good(name), whole(place), value))
    assert (rule, whole(at)) in named(found), "\n".join(map(str, found))
    assert all(each.says and each.right for each in found if each.kind is Kind.BROKEN)


def test_the_table_breaks_every_rule_that_a_bundle_can_break_in_one_place() -> None:
    rules = "1 2 3 4 5 6 7 8 9 10 14 15 17 18 19 20 21 22 25 26 27 30 31 32 33 34 35 36 37 43"
    assert {row[3] for row in BREAKS} == {f"C{number}" for number in rules.split()}


def test_a_lone_blocker_is_not_dismissed_without_a_refutation() -> None:
    """C23: two who oppose it do not make it go away."""
    bundle = change(good("refuted"), "findings[0].lone", True)
    assert ("C23", "findings[0].agreement_status") not in named(audit(bundle))
    found = audit(change(bundle, "findings[0].refuted", False))
    assert ("C23", "findings[0].agreement_status") in named(found)


def test_a_change_behind_the_seal_shows_without_any_rule_but_the_seal() -> None:
    bundle = good()
    bundle["findings"][0]["description"] = "It is harmless."
    assert named(audit(bundle)) == {("C43", "seal.digest")}


def test_too_many_majors_reject_by_the_recorded_setting() -> None:
    """C31: `most_majors` counts, and three by default."""
    bundle = good("with_remediation")
    assert audit(bundle) == ()
    assert ("C31", "verdict") in named(audit(change(bundle, "council_metadata.settings.most_majors", 0)))


# Names of modes


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_answers_to_its_own_name_and_to_no_other(mode: int) -> None:
    """C3: the table's own names are never in doubt."""
    name = MODES[mode].name
    assert [number for number in MODES if fits(name, number)] == [mode]
    assert fits(name.lower().replace(" / ", "-").replace(" ", "-"), mode)


@pytest.mark.parametrize(
    ("mode", "name", "right"),
    [
        (1, "Deduction", True),
        (6, "Constraint Satisfiability", True),
        (23, "Maximum Entropy", True),
        (48, "optimisation", True),
        (56, "theory of mind", True),
        (70, "engineering", True),
        (79, "Adversarial Red-Team", True),
        (3, "type-theoretic", False),
        (42, "root cause analysis", False),
        (80, "red-team", False),
        (70, "experimental design", False),
        (24, "imprecise probability", False),
        (12, "", False),
    ],
)
def test_names_are_compared_by_their_stems(mode: int, name: str, right: bool) -> None:
    assert fits(name, mode) is right
