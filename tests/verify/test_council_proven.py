"""The council is proven under its profiles: three seats and one, seven gates and nine, with lost seats and limits."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.protocols.council.rules.model import REVIEWERS
from quorate.verify import Report, Status, verify
from quorate.verify.counterexamples import Findings
from quorate.verify.explore import Walk
from tests.verify.council_mutants import MATERIAL, councils

PROMISED = (
    "findings raised are the sum over their resolutions, merged ones included",
    "what a gate found is never merged away, contested, dismissed or voted upon",
    "merges stay within one place and one gate",
    "a lone BLOCKER is not dismissed without a refutation",
    "no quorum without its votes, whoever is lost",
    "a lost seat stays lost, and too few seats end ABORTED",
    "no approval while something stands in its way",
    "DEADLOCKED exactly where agreement is lacking",
    "REMEDIATED by an edit that held, and by nothing else",
    "the vote alone settles early, and only where it is certain",
)
ALONE = "one seat, STANDARD"


def failed(report: Report) -> dict[int, str]:
    return {each.number: each.text() for each in report.results if each.status is Status.FAILED}


@pytest.mark.parametrize("name", catalog.profiles("council"))
def test_the_promises_are_among_the_invariants(name: str) -> None:
    kept = [invariant.name for invariant in catalog.profiles("council")[name].invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []
    assert len(kept) == len(set(kept)) >= 30


def test_every_promise_cites_a_rule() -> None:
    (first, *_) = catalog.profiles("council").values()
    assert all(invariant.rule.startswith("C") for invariant in first.invariants)


def test_the_profiles_keep_every_setting_of_the_rules_live() -> None:
    settings = [protocol.settings for protocol in catalog.profiles("council").values()]
    for name, value in {
        "depth": "STANDARD",
        "gates": "nine",
        "quorum": 3,
        "fail_fast": True,
        "remediate": True,
    }.items():
        assert value in [each[name] for each in settings]
    assert any(each["deadlock_min_severity"] != "INFO" for each in settings)


def test_one_seat_alone_is_proven() -> None:
    report = verify(catalog.profiles("council", [ALONE]), MATERIAL, whole=False)
    assert failed(report) == {}
    assert report.profiles[ALONE].worst.asks <= 9


def test_one_and_two_lost_seats_are_walked() -> None:
    """C36: in the small walks every seat is absent in every phase, alone and with another."""
    lost = {3: 0, 2: 0, 1: 0}
    walk = Walk(councils()["votes"], Findings())
    walk.run()
    for vertex in walk.vertices:
        active = sum(not each.lost for each in vertex.session.state.seats)
        if active in lost:
            lost[active] += 1
            ended = vertex.session.conclusion
            assert active >= 2 or (ended is not None and ended.verdict.name == "ABORTED")
    assert min(lost.values()) > 0


def test_a_full_council_takes_at_most_24_replies_of_seats() -> None:
    """C34: counted on the longest way through the small walk with edits, not read from the state."""
    report = verify({"edits": councils()["edits"]}, MATERIAL)
    worst = report.profiles["edits"].worst
    assert sum(count for seat, count in worst.by_seat.items() if seat in REVIEWERS) <= 24
