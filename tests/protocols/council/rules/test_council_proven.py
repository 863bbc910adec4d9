"""The council is proven under its profiles: three seats and one, seven gates and nine, with lost seats and limits."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.protocols.council.rules.model import REVIEWERS
from quorate.verify import ProofStatus, Report, verify
from quorate.verify.counterexamples import Failures
from quorate.verify.explore import Walk
from tests.protocols.council.defects.mutants import MATERIAL, councils
from tests.protocols.council.oracle import with_oracle

PROMISED = (
    "findings raised are the sum over their resolutions, merged ones included",
    "what a gate found is never merged away, contested, dismissed or voted upon",
    "code joins within a group alone, and no gate's finding becomes another",
    "every finding raised has exactly one fate",
    "no severity falls without a vote",
    "no approval while something was shown to nobody",
    "no approval over a finding that nobody could answer",
    "no approval that nobody judged",
    "no gate passes on nothing",
    "a lone BLOCKER is not dismissed without a refutation",
    "no quorum without its votes, whoever is lost",
    "a lost seat stays lost, and too few seats end ABORTED",
    "no approval while something stands in its way",
    "DEADLOCKED exactly where agreement is lacking",
    "REMEDIATED by an edit that held, and by nothing else",
    "the vote alone settles early, and only where it is certain",
)
RECOUNTED = {
    "DEADLOCKED exactly where agreement is lacking",
    "the vote alone settles early, and only where it is certain",
}
ALONE = "one seat, STANDARD"


def failed(report: Report) -> dict[int, str]:
    return {each.number: each.text() for each in report.results if each.status is ProofStatus.FAILED}


@pytest.mark.parametrize("name", catalog.profiles("council"))
def test_the_promises_are_among_the_invariants(name: str) -> None:
    """Those that need a second coding of the rules are the oracle's."""
    own = catalog.profiles("council")[name]
    kept = [invariant.name for invariant in with_oracle(own).invariants]
    assert [promise for promise in PROMISED if promise not in kept] == []
    assert len(kept) == len(set(kept)) >= 30
    assert {promise for promise in PROMISED if promise not in [each.name for each in own.invariants]} == RECOUNTED


def test_every_promise_cites_a_rule() -> None:
    (first, *_) = catalog.profiles("council").values()
    assert all(invariant.rule.startswith("C") for invariant in with_oracle(first).invariants)


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


def test_one_seat_alone_agrees_with_the_oracle() -> None:
    alone = catalog.profiles("council", [ALONE])[ALONE]
    assert failed(verify({ALONE: with_oracle(alone)}, MATERIAL, whole=False)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.profiles("council"))
def test_the_council_agrees_with_the_oracle(name: str) -> None:
    own = catalog.profiles("council", [name])[name]
    assert failed(verify({name: with_oracle(own)}, MATERIAL, whole=False)) == {}


def test_one_and_two_lost_seats_are_walked() -> None:
    """C36: in the small walks every seat is absent in every phase, alone and with another."""
    lost = {3: 0, 2: 0, 1: 0}
    walk = Walk(councils()["votes"], Failures())
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
