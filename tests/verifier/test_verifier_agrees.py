"""The independent verifier and the engine agree on sessions of all five protocols, whichever way they went."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate_verifier import verify
from quorate_verifier.__main__ import main
from quorate_verifier.verify import PROTOCOLS as KNOWN
from tests.support.examples import few
from tests.verifier.played import PROTOCOLS, built, bundle_of, profiles, unfinished

CASES = [(protocol, profile) for protocol in PROTOCOLS for profile in profiles(protocol)]


@pytest.mark.parametrize(("protocol", "profile"), CASES)
def test_a_session_without_incidents_is_derived_as_it_is_stated(protocol: str, profile: str) -> None:
    for seed in range(3):
        bundle = bundle_of(protocol, profile, seed, absent=0, stopped=0)
        report = verify(bundle)
        assert report.differences == []
        assert report.verdict == (bundle["verdict"] or {}).get("verdict")
        assert len(report.derived) == 2


@settings(few, max_examples=60)
@given(
    *(st.sampled_from(CASES), st.integers(0, 2**32), st.sampled_from((0.0, 0.06, 0.2)), st.sampled_from((0.0, 0.02))),
    st.booleans(),
)
def test_whatever_happened_both_come_to_the_same(
    case: tuple[str, str], seed: int, absent: float, stop: float, freely: bool
) -> None:
    bundle = bundle_of(*case, seed, absent, stop, freely=freely)
    report = verify(bundle)
    assert report.differences == []
    assert report.verdict == (bundle["verdict"] or {}).get("verdict")


def test_a_ruling_that_code_has_called_may_be_contested() -> None:
    """A workshop in which somebody contests a ruling on what was put to a person without a conflict."""
    bundle = bundle_of("workshop", "interactive, the required topics", 201, 0.06, 0.015, freely=True)
    assert "contests RUL-001 Ruling: what was put to a person" in [each["said"] for each in bundle["fates"]]
    assert verify(bundle).differences == []


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "profile"), CASES)
def test_many_sessions_of_every_profile_are_derived_as_they_are_stated(protocol: str, profile: str) -> None:
    for seed in range(100, 160):
        for freely in (False, True):
            absent, stopped = (0.0, 0.06, 0.2)[seed % 3], (0.0, 0.015)[seed % 2]
            bundle = bundle_of(protocol, profile, seed, absent, stopped, freely=freely)
            report = verify(bundle)
            assert report.differences == [], (seed, freely)
            assert report.verdict == (bundle["verdict"] or {}).get("verdict")


@pytest.mark.slow
def test_sessions_of_every_verdict_are_among_them() -> None:
    """A test that only sees sessions that were aborted would show little."""
    ends = {
        "debate": {"SOLUTION", "PARTIAL_SOLUTION", "FAILED", "ABORTED"},
        "review": {"APPROVED", "REQUEST_CHANGES", "INCONCLUSIVE"},
        "council": {"APPROVED", "REJECTED", "NEEDS_ADJUDICATION", "ABORTED"},
        "workshop": {"COMPLETE", "INCOMPLETE", "ABORTED"},
        "roundtable": {"CONTINUE", "SKIP"},
    }
    for protocol, wanted in ends.items():
        left = set(wanted)
        for seed in range(40):
            for profile in profiles(protocol):
                if left:
                    bundle = bundle_of(protocol, profile, seed, 0.03, 0.005)
                    left -= {verify(bundle).verdict or ""} if bundle["verdict"] else set()
        assert not left, protocol


def test_an_unfinished_session_has_no_verdict_and_holds() -> None:
    for protocol in PROTOCOLS:
        report = verify(unfinished(protocol))
        assert report.holds
        assert report.verdict is None
    assert KNOWN.keys() == set(PROTOCOLS)
    assert all(built(each, profiles(each)[0]).version in KNOWN[each] for each in PROTOCOLS)


def test_the_program_says_what_it_derived_and_what_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle_of("review", "four members", 5, 0, 0)), encoding="utf-8")
    assert main([str(path)]) == 0
    told = capsys.readouterr().out
    assert "derived again: who ballots" in told
    assert "not derived: marks of replies" in told
    assert told.splitlines()[-1].startswith("review-5: holds, verdict ")
    assert main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["holds"] is True
    assert main([str(tmp_path / "none.json")]) == 2
