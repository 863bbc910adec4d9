"""The ledger across runs: nothing unchanged is new twice, nothing is lost, and no dismissal excuses anything worse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import RuleViolation, SettingError
from quorate.kit.debt import Dismissal, Pressure, pressure
from quorate.kit.findings import MOST_QUOTED, Finding, Severity, quotation
from quorate.kit.ledger import (
    Changes,
    Coverage,
    FindingStatus,
    Ledger,
    LedgerEntry,
    carry,
    dismiss,
    dismissed_keys,
    merge,
    touch,
)

LONG = Finding(
    "long-function", Severity.MEDIUM, "src/a.py", 10, "too long", "def run(self,  job):", raised_by=("size",)
)
VAGUE = Finding("usability", Severity.LOW, "src/a.py", message="vague", source="committee", raised_by=("design-hci",))
KEY = Finding("secret", Severity.CRITICAL, "src/b.py", 3, evidence='k = "[masked secret 2]"', veto="hard-coded secret")
DEBT = Dismissal("goes away with the parser", "Ann")


def everything(_: LedgerEntry) -> bool:
    return True


def nothing(_: LedgerEntry) -> bool:
    return False


def after(ledger: Ledger, *findings: Finding, run: str, covered: Callable[[LedgerEntry], bool] = everything) -> Ledger:
    return merge(ledger, findings, covered, run)[0]


def status(ledger: Ledger, finding: Finding) -> FindingStatus:
    return ledger.entries[finding.key].status


def told(changes: Changes) -> dict[str, list[str]]:
    names = ("new", "open", "regressed", "fixed", "dismissed")
    return {name: [e.finding.rule for e in getattr(changes, name)] for name in names if getattr(changes, name)}


# Keys


@pytest.mark.parametrize(
    "same",
    [
        replace(LONG, line=99),
        replace(LONG, evidence="def run(self,\n    job):"),
        replace(LONG, evidence="def run(self,job):"),
        replace(LONG, severity=Severity.HIGH, message="much too long", raised_by=("other",)),
    ],
)
def test_a_moved_line_or_rewrapped_white_space_is_the_same_finding(same: Finding) -> None:
    assert same.key == LONG.key


def test_the_numbers_of_masked_secrets_do_not_matter_but_the_secret_does() -> None:
    assert replace(KEY, evidence='k = "[masked secret 17]"').key == KEY.key
    assert replace(KEY, fingerprint="a1b2").key != replace(KEY, fingerprint="c3d4").key


@pytest.mark.parametrize("field", ["rule", "path", "evidence"])
def test_another_rule_path_or_text_is_another_finding(field: str) -> None:
    changes: Any = {field: "other"}
    assert replace(LONG, **changes).key != LONG.key
    assert replace(LONG, occurrence=1).key != LONG.key


def test_the_committee_is_known_by_rule_and_path_alone() -> None:
    assert replace(VAGUE, evidence="other words", message="worded anew").key == VAGUE.key


def test_a_path_that_is_no_utf_8_has_a_key() -> None:
    assert len(replace(LONG, path="src/\udc80.py").key) == 12


@given(st.text(max_size=2_000))
def test_what_is_kept_of_evidence_gives_the_same_key(evidence: str) -> None:
    kept = quotation(evidence)
    assert replace(LONG, evidence=kept).key == replace(LONG, evidence=evidence).key
    assert quotation(kept) == kept
    assert len(kept) <= 2 * MOST_QUOTED


# Runs


def test_a_finding_through_its_life() -> None:
    first, changes = merge(Ledger(), [LONG], everything, "run-1")
    assert (told(changes), status(first, LONG)) == ({"new": ["long-function"]}, FindingStatus.NEW)
    second, changes = merge(first, [replace(LONG, line=70)], everything, "run-2")
    assert (told(changes), status(second, LONG)) == ({"open": ["long-function"]}, FindingStatus.OPEN)
    third, changes = merge(second, [], everything, "run-3")
    assert (told(changes), status(third, LONG)) == ({"fixed": ["long-function"]}, FindingStatus.FIXED)
    assert told(merge(third, [], everything, "run-4")[1]) == {}, "it is fixed once"
    fourth, changes = merge(third, [LONG], everything, "run-5")
    assert (told(changes), status(fourth, LONG)) == ({"regressed": ["long-function"]}, FindingStatus.REGRESSED)
    assert status(after(fourth, LONG, run="run-6"), LONG) is FindingStatus.OPEN
    assert (fourth.entries[LONG.key].first_seen, fourth.entries[LONG.key].since) == ("run-1", "run-5")


def test_a_run_that_changes_nothing_leaves_no_trace() -> None:
    known = after(after(Ledger(), LONG, VAGUE, run="run-1"), LONG, VAGUE, run="run-2")
    assert after(known, replace(LONG, line=4), replace(VAGUE, message="in other words"), run="run-3") == known


def test_the_same_run_twice_changes_nothing_and_tells_the_same() -> None:
    known = after(after(Ledger(), LONG, KEY, run="run-1"), LONG, run="run-2")
    first = merge(known, [LONG, KEY, VAGUE], everything, "run-3")
    assert merge(first[0], [LONG, KEY, VAGUE], everything, "run-3") == first
    assert told(first[1]) == {"new": ["usability"], "open": ["long-function"], "regressed": ["secret"]}


def test_what_a_run_did_not_look_at_stays_as_it_was() -> None:
    known = after(Ledger(), LONG, run="run-1")
    assert merge(known, [], nothing, "run-2") == (known, Changes())


def test_the_worst_of_several_reports_of_one_finding_counts() -> None:
    known = after(
        Ledger(), VAGUE, replace(VAGUE, severity=Severity.HIGH), replace(VAGUE, severity=Severity.MEDIUM), run="1"
    )
    assert [entry.finding.severity for entry in known.entries.values()] == [Severity.HIGH]


def test_an_open_finding_is_as_severe_as_it_was_reported_last() -> None:
    known = after(after(Ledger(), VAGUE, run="1"), replace(VAGUE, severity=Severity.HIGH, blocking=False), run="2")
    kept = known.entries[VAGUE.key].finding
    assert (kept.severity, kept.blocking, kept.message) == (Severity.HIGH, False, "vague")


def test_no_line_is_kept_and_texts_are_bounded() -> None:
    huge = replace(LONG, message="m" * 10_000, action="a" * 10_000, evidence="e" * 10_000)
    kept = after(Ledger(), huge, run="1").entries[huge.key].finding
    assert (kept.line, len(kept.message), len(kept.action), len(kept.evidence)) == (0, 2_000, 2_000, MOST_QUOTED)


COVERAGE = Coverage(
    frozenset({"src/a.py", "src/gone.py"}), frozenset({"src/a.py"}), frozenset({"size"}), committee=True
)


@pytest.mark.parametrize(
    ("finding", "coverage", "covered"),
    [
        (LONG, COVERAGE, True),
        (replace(LONG, path="src/c.py"), COVERAGE, False),
        (replace(LONG, path="src/gone.py"), COVERAGE, True),
        (replace(LONG, raised_by=("lint",)), COVERAGE, False),
        (replace(LONG, path=""), COVERAGE, True),
        (VAGUE, COVERAGE, True),
        (VAGUE, replace(COVERAGE, committee=False), False),
        (replace(VAGUE, source="claim"), replace(COVERAGE, committee=False), False),
    ],
)
def test_what_a_run_covers(finding: Finding, coverage: Coverage, covered: bool) -> None:
    assert coverage(LedgerEntry(finding, FindingStatus.OPEN, "1", "1")) is covered


# Dismissals


def test_what_is_dismissed_is_never_new_again() -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, DEBT)
    again, changes = merge(known, [LONG], everything, "2")
    assert (again, told(changes)) == (known, {"dismissed": ["long-function"]})


def test_a_dismissed_finding_that_is_gone_is_fixed_and_its_debt_is_paid() -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, DEBT)
    assert known.debt == 1
    paid = after(known, run="2")
    assert (status(paid, LONG), paid.debt, paid.entries[LONG.key].dismissal) == (FindingStatus.FIXED, 0, None)
    assert status(after(paid, LONG, run="3"), LONG) is FindingStatus.REGRESSED


@pytest.mark.parametrize("worse", [{"severity": Severity.CRITICAL}, {"veto": "security hole"}])
def test_a_dismissal_excuses_nothing_worse(worse: dict[str, object]) -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, DEBT)
    now, changes = merge(known, [replace(LONG, **worse)], everything, "2")  # type: ignore[arg-type]
    assert (told(changes), now.debt) == ({"regressed": ["long-function"]}, 0)


def test_what_is_milder_than_it_was_stays_dismissed() -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, DEBT)
    assert after(known, replace(LONG, severity=Severity.LOW), run="2") == known


def test_a_proven_veto_can_only_be_a_false_positive() -> None:
    known = after(Ledger(), KEY, run="1")
    with pytest.raises(RuleViolation, match="hard-coded secret, which can neither be voted away nor deferred"):
        dismiss(known, KEY.key, DEBT)
    assert status(dismiss(known, KEY.key, replace(DEBT, false_positive=True)), KEY) is FindingStatus.DISMISSED


def test_what_is_fixed_cannot_be_dismissed() -> None:
    known = after(after(Ledger(), LONG, run="1"), run="2")
    with pytest.raises(RuleViolation, match="a finding that is FIXED cannot take DISMISSED"):
        dismiss(known, LONG.key, DEBT)


@pytest.mark.parametrize("blank", [{"reason": " \n"}, {"by": ""}])
def test_a_dismissal_has_a_reason_and_a_name(blank: dict[str, str]) -> None:
    with pytest.raises(RuleViolation, match="needs a reason, and the name"):
        dismiss(after(Ledger(), LONG, run="1"), LONG.key, replace(DEBT, **blank))  # type: ignore[arg-type]


def test_a_better_reason_keeps_the_weight() -> None:
    known = touch(dismiss(after(Ledger(), LONG, run="1"), LONG.key, DEBT), ["src/a.py"], "c1")
    again = dismiss(known, LONG.key, Dismissal("a better reason", "Bob"))
    assert again.entries[LONG.key].dismissal == Dismissal("a better reason", "Bob", touches=1, commit="c1")


def test_only_the_base_can_dismiss_a_proven_veto() -> None:
    excuse = Dismissal("an example", "Ann", false_positive=True)
    own = dismiss(dismiss(after(Ledger(), LONG, KEY, run="1"), KEY.key, excuse), LONG.key, DEBT)
    assert dismissed_keys(Ledger(), own, [LONG, KEY]) == {LONG.key: DEBT}, "a change cannot dismiss its own secret"
    assert dismissed_keys(own, own, [LONG, KEY]) == {LONG.key: DEBT, KEY.key: excuse}
    assert dismissed_keys(own, Ledger(), [LONG, KEY]) == {KEY.key: excuse}, "the tree counts for all others"


def test_a_deferral_in_the_base_dismisses_no_veto() -> None:
    deferred = dismiss(after(Ledger(), replace(KEY, veto=""), run="1"), KEY.key, DEBT)
    assert dismissed_keys(deferred, deferred, [KEY]) == {}


def test_another_secret_in_the_same_place_is_not_dismissed_with_the_first() -> None:
    example, real = replace(KEY, fingerprint="00aa"), replace(KEY, fingerprint="11bb")
    base = dismiss(after(Ledger(), example, run="1"), example.key, Dismissal("an example", "Ann", false_positive=True))
    assert list(dismissed_keys(base, base, [example, real])) == [example.key]


# Renames


def test_entries_follow_their_files() -> None:
    known = dismiss(after(Ledger(), LONG, VAGUE, run="1"), LONG.key, DEBT)
    moved = carry(known, {"src/a.py": "lib/a.py"})
    there = replace(LONG, path="lib/a.py", line=12)
    assert {entry.finding.path for entry in moved.entries.values()} == {"lib/a.py"}
    assert all(key == entry.key for key, entry in moved.entries.items())
    assert told(merge(moved, [there], everything, "2")[1]) == {"dismissed": ["long-function"], "fixed": ["usability"]}
    assert carry(moved, {"src/a.py": "lib/a.py"}) == moved
    assert dismissed_keys(Ledger(), known, [there], {"src/a.py": "lib/a.py"}) == {there.key: DEBT}


def test_a_swap_is_left_alone_and_what_stands_at_the_new_place_stays() -> None:
    other = replace(LONG, path="src/b.py")
    known = dismiss(after(Ledger(), LONG, other, run="1"), LONG.key, DEBT)
    assert carry(known, {"src/a.py": "src/b.py", "src/b.py": "src/a.py"}) == known
    moved = carry(known, {"src/a.py": "src/b.py"})
    assert {key: entry.status for key, entry in moved.entries.items()} == {other.key: FindingStatus.NEW}


# Debt


@pytest.mark.parametrize(("touches", "weight"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 16), (10**9, 16)])
def test_debt_doubles_with_every_touch_up_to_sixteen(touches: int, weight: int) -> None:
    assert replace(DEBT, touches=touches).weight == weight


def test_a_commit_touches_once_and_only_the_paths_that_it_changed() -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, replace(DEBT, commit="c0"))
    weights = []
    for commit, path in [
        ("c0", "src/a.py"),
        ("c1", "src/a.py"),
        ("c1", "src/a.py"),
        ("c2", "src/z.py"),
        ("", "src/a.py"),
    ]:
        known = touch(known, [path], commit)
        weights.append(known.debt)
    assert weights == [1, 2, 2, 2, 2]


def test_a_false_positive_owes_nothing() -> None:
    known = dismiss(after(Ledger(), LONG, run="1"), LONG.key, replace(DEBT, false_positive=True))
    assert (known.debt, touch(known, ["src/a.py"], "c1")) == (0, known)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        (0, "LOW_PRESSURE"),
        (2, "LOW_PRESSURE"),
        (5, "LOW_PRESSURE"),
        (6, "MODERATE"),
        (10, "MODERATE"),
        (15, "MODERATE"),
        (16, "HIGH"),
        (20, "HIGH"),
        (30, "HIGH"),
        (31, "CRITICAL"),
        (35, "CRITICAL"),
    ],
)
def test_how_hard_debt_presses(weight: int, expected: str) -> None:
    assert pressure(weight) is Pressure[expected]


def test_an_empty_ledger_owes_nothing() -> None:
    assert (Ledger().debt, Ledger().pressure) == (0, Pressure.LOW_PRESSURE)


# Finding one


def test_a_finding_is_found_by_the_start_of_its_key() -> None:
    known = after(Ledger(), LONG, KEY, run="1")
    assert known.find(LONG.key[:8].upper()).finding.rule == "long-function"
    assert known.find(KEY.key).finding.rule == "secret"
    for wrong in ("", "zzzz", LONG.key + "0"):
        with pytest.raises(SettingError, match="no finding"):
            known.find(wrong)


def test_a_start_that_fits_two_is_refused() -> None:
    many = after(Ledger(), *(replace(LONG, occurrence=number) for number in range(17)), run="1")
    start = next(key[0] for key in many.entries if sum(other[0] == key[0] for other in many.entries) > 1)
    with pytest.raises(SettingError, match=r"matches \d+ findings.*more characters of the key"):
        many.find(start)


# Whatever happens

FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(["secret", "lint", "usability"]),
    severity=st.sampled_from(Severity),
    path=st.sampled_from(["a.py", "b.py", ""]),
    evidence=st.sampled_from(["x = 1", "y  = 2"]),
    source=st.sampled_from(["check", "committee"]),
    raised_by=st.just(("lint",)),
    veto=st.sampled_from(["", "security hole"]),
)
RUNS = st.lists(
    st.tuples(st.lists(FINDINGS, max_size=4), st.sets(st.sampled_from(["a.py", "b.py"])), st.booleans(), st.booleans()),
    min_size=1,
    max_size=6,
)


@given(RUNS)
@settings(max_examples=200)
def test_whatever_runs_find_nothing_is_lost_or_new_twice(
    runs: list[tuple[list[Finding], set[str], bool, bool]],
) -> None:
    ledger = Ledger()
    new = list[str]()
    for number, (findings, paths, committee, excuse) in enumerate(runs):
        coverage = Coverage(frozenset(paths), frozenset(paths), frozenset({"lint"}), committee)
        before, (ledger, changes) = ledger, merge(ledger, findings, coverage, f"run-{number}")
        assert merge(ledger, findings, coverage, f"run-{number}") == (ledger, changes)
        assert set(ledger.entries) == set(before.entries) | {finding.key for finding in findings}
        assert all(key == entry.key for key, entry in ledger.entries.items())
        assert all((e.status is FindingStatus.DISMISSED) == (e.dismissal is not None) for e in ledger.entries.values())
        reported = {finding.key for finding in findings}
        groups = [changes.new, changes.open, changes.regressed, changes.dismissed]
        assert sorted(entry.key for group in groups for entry in group) == sorted(reported)
        assert all(e.key not in reported and coverage(before.entries[e.key]) for e in changes.fixed)
        new += [entry.key for entry in changes.new]
        for key, entry in ledger.entries.items():
            if excuse and entry.status is not FindingStatus.FIXED:
                ledger = dismiss(ledger, key, Dismissal("because", "Ann", false_positive=bool(entry.finding.veto)))
    assert len(new) == len(set(new))
