"""The debate is proven under its profiles, and what the walk says of it is so."""

from __future__ import annotations

from typing import Any

import pytest

from quorate import catalog
from quorate.core.engine import begin, step
from quorate.core.types import Seat
from quorate.protocols.debate import DEFINITION
from quorate.protocols.debate.rules.model import Phase, State
from quorate.verify import Figure, ProofStatus, Report, verify
from quorate.verify.counterexamples import Failure, Failures
from quorate.verify.explore import Walk
from quorate.verify.story import events, path, tell
from tests.protocols.debate.oracle import with_oracle
from tests.support.debating import TWO, debate

SMALL: dict[str, Any] = {"agents": TWO, "rounds": 1}


@pytest.fixture(scope="module")
def report() -> Report:
    figures = {Seat(seat): Figure(3_000, 1_000, 2, 10) for seat in (*TWO, "judge")}
    return verify({"small": with_oracle(debate(**SMALL))}, DEFINITION.proven_with(), figures)


def test_a_small_debate_keeps_all_its_promises(report: Report) -> None:
    broken = [each.number for each in report.results if each.status is ProofStatus.FAILED]
    assert broken == [1, 9]  # not everything is live with one round and no clarifications
    assert "CLARIFICATION_INPUT is never entered" in report.results[0].detail
    assert "'evaluate-quality'" in report.results[8].detail


def test_the_worst_case_of_a_small_debate_is_the_one_counted_by_hand(report: Report) -> None:
    """Everybody fails once in every phase (D21): 2 asks for 2 agents in 3 phases, and 4 for the judge (D18, D25)."""
    worst = report.profiles["small"].worst
    assert (worst.rounds, worst.asks) == (1, 2 * 2 * 3 + 4)
    assert dict(worst.by_seat) == {"architect": 6, "security": 6, "judge": 4}
    assert worst.tokens == 16 * 4_000
    assert worst.cost == 16 * 16_000


def test_the_walk_is_a_walk_of_real_sessions() -> None:
    """Every path that the walk remembers can be played, event by event, through the engine, to where it says."""
    protocol = debate(**SMALL)
    walk: Walk[State] = Walk(protocol, Failures())
    walk.run()
    for place in range(0, len(walk.vertices), 7):
        now = begin(protocol)
        for leg, via in path(walk, place):
            for event in events(walk, leg, via):
                now = step(protocol, now.session, event)
        assert now.session == walk.vertices[place].session


def test_the_walk_visits_every_kind_of_end() -> None:
    walk: Walk[State] = Walk(debate(**SMALL), Failures())
    walk.run()
    assert {verdict.name for verdict in walk.observer.verdicts} == {
        "SOLUTION",
        "PARTIAL_SOLUTION",
        "UNJUDGED",
        "FAILED",
        "ABORTED",
    }
    wished = [v.session for v in walk.vertices if v.session.phase is Phase.SYNTHESIS and v.session.interrupted]
    assert wished
    assert all(not v.next for v in walk.vertices if v.session.conclusion is not None)


def test_a_story_of_the_debate_reads_like_one() -> None:
    walk: Walk[State] = Walk(debate(**SMALL), Failures())
    walk.run()
    place = next(n for n, v in enumerate(walk.vertices) if v.session.phase is Phase.FAILURE)
    told = tell(walk, Failure(5, "", "that was that", "", place), "small").text()
    assert told.startswith(
        "Under 'small':\n"
        "  1. INITIALIZATION asks nobody.\n"
        "     It decides START: on to CLARIFICATION.\n"
        "  2. CLARIFICATION asks nobody.\n"
        "     It decides ALL_CLEAR (D4: clarifications are off): on to ROUND_MANAGER.\n"
    )
    assert "PROPOSAL asks architect and security (propose).\n" in told
    assert "It decides RETRY (D21: retries used 0 < allowed 1): on to PROPOSAL." in told
    assert "The verdict is FAILED." in told


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "two agents, two rounds, stop at convergence" else pytest.mark.slow)
        for name in DEFINITION.profiles
    ],
)
def test_a_profile_holds_against_the_oracle(name: str) -> None:
    """The smallest profile here, the others in the slow suite."""
    report = verify({name: with_oracle(catalog.profiles(DEFINITION)[name])}, DEFINITION.proven_with(), whole=False)
    assert {each.number: each.text() for each in report.results if each.status is ProofStatus.FAILED} == {}
