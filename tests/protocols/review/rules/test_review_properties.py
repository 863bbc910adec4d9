"""Any ballots whatever: counted a second time by a dumb implementation, in any order, and replayed."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from quorate.core.session import Cause
from quorate.core.types import Absent, AbsentReason, Ask, Interrupted
from quorate.protocols.review.rules.model import Checked, VetoClass
from tests.protocols.review.oracle import with_oracle
from tests.support.committee import SIX, Committee, ballot, doubt, examination, fix, offer, parts
from tests.support.examples import modest
from tests.support.moments import moments

CLASSES = [each.value for each in VetoClass]
LARGE = {"divided": True, "parts": parts([1], [2], sensitive=[2])}
"""A change that is read in two parts."""
HOLDERS = ("operations-sre", "knowledge-manager")


class Cast(NamedTuple):
    """A ballot in a few plain values; without a stance its member is absent."""

    stance: str | None
    confidence: int
    veto: str
    evidence: bool
    items: tuple[str, ...]

    def values(self) -> dict[str, Any] | Absent:
        if self.stance is None:
            return Absent(AbsentReason.FAILED)
        said = f"{self.stance} {self.confidence}"
        quoted = "return total * rate" if self.evidence else ""
        return ballot(said, *self.items, veto_class=self.veto, veto_evidence=quoted)


CASTS = st.builds(
    Cast,
    st.sampled_from([None, "synthesis", "oppose", "veto", "abstain"]),
    st.sampled_from([0, 49, 50, 51, 100]),
    st.sampled_from(CLASSES),
    st.booleans(),
    st.lists(
        st.sampled_from(["F1 tests low", "F1 tests medium", "F1 tests critical", "F2 security high"]), max_size=3
    ).map(tuple),
)
COMMITTEES = st.integers(1, 6).flatmap(lambda size: st.lists(CASTS, min_size=size, max_size=size))


def counts_as(seat: str, cast: Cast) -> str:
    """What a ballot counts as, said as dumbly as can be (R7, R8, R9)."""
    if cast.stance is None:
        return "absent"
    if cast.confidence < 50:
        return "abstain"
    if cast.stance != "veto":
        return cast.stance
    return "veto" if seat in HOLDERS and cast.veto != "none" and cast.evidence else "oppose"


def outcome_of(members: list[str], casts: list[Cast]) -> str:
    """Where DEBATE leads, by hand (R10, R12, R15)."""
    counted = [counts_as(seat, cast) for seat, cast in zip(members, casts, strict=True)]
    if "veto" in counted:
        return "CRITICAL_FLAW"
    ayes, noes = counted.count("synthesis"), counted.count("oppose")
    came = len(counted) - counted.count("absent")
    met = ayes + noes > 0 and ayes * 3 >= (ayes + noes) * 2 and came * 2 >= len(counted)
    return "CONSENSUS" if met and ayes + noes == len(counted) else "ABSTENTION"


def voted(casts: list[Cast], order: list[int] | None = None, **more: Any) -> Committee:
    members = SIX[: len(casts)]
    committee = Committee(*members, **more).tabled()
    asks = committee.open
    for place in order or range(len(casts)):
        committee.reply(asks[place], casts[place].values())
    return committee


@modest
@given(COMMITTEES)
def test_quorum_and_veto_are_those_of_a_second_implementation(casts: list[Cast]) -> None:
    committee = voted(casts)
    members = SIX[: len(casts)]
    outcome = outcome_of(members, casts)
    assert committee.outcomes[2] == outcome
    told = {fact["seat"]: fact["counts"] for fact in committee.facts("ballot")}
    counted = {seat: counts_as(seat, cast) for seat, cast in zip(members, casts, strict=True)}
    assert told == {seat: stance for seat, stance in counted.items() if stance != "absent"}


@modest
@given(COMMITTEES, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(casts: list[Cast], random: Any) -> None:
    order = list(range(len(casts)))
    random.shuffle(order)
    one, other = voted(casts), voted(casts, order)
    assert one.state == other.state
    assert [(m.outcome, m.because, m.facts) for m in one.moves] == [
        (m.outcome, m.because, m.facts) for m in other.moves
    ]
    assert one.asked() == other.asked()


def answer(committee: Committee, ask: Ask, draw: Any) -> dict[str, Any] | Absent | None:
    """Any reply to any ask."""
    if draw(st.integers(0, 9)) == 0:
        return Absent(draw(st.sampled_from(AbsentReason)))
    match ask.brief:
        case "ballot":
            cast: Cast = draw(CASTS)
            return cast._replace(items=tuple(each for each in cast.items if each[:2] in ask.keys)).values()
        case "examine" | "apply":
            found = draw(st.lists(st.sampled_from(["low", "high", "low hard-coded secret"]), max_size=1))
            told = draw(st.sampled_from([{}, {"applied": False}, {"beyond": 1}, LARGE]))
            return examination(*found, claims=draw(st.integers(0, 1)), **told)
        case "read":
            return {
                "whole": draw(st.booleans()),
                "items": [fix(each) for each in draw(CASTS).items if each[:2] in ask.keys],
            }
        case "judge":
            judged = draw(st.sampled_from(["pass", "fail", "insufficient-evidence"]))
            return {"claims": {key: {"judgement": judged} for key in ask.keys}}
        case "amend":
            return {"patch": draw(st.sampled_from(["", "a patch"]))}
        case "compromise":
            return {"offers": {key: offer() for key in ask.keys if draw(st.booleans())}}
        case "doubt":
            standings = st.sampled_from(["confirmed", "plausible", "refuted"])
            quotations = st.sampled_from(["return total * rate", "made up entirely"])
            return {
                "doubts": {key: doubt(draw(standings), draw(quotations)) for key in ask.keys if draw(st.booleans())}
            }
        case _:
            return None


@modest
@given(st.data(), st.integers(1, 4))
def test_whatever_is_said_a_review_ends_replays_and_approves_nothing_that_it_must_not(data: Any, size: int) -> None:
    committee = Committee(*SIX[:size])
    while committee.conclusion is None:
        if data.draw(st.integers(0, 40)) == 0:
            committee.take(Interrupted(data.draw(st.sampled_from(list(committee.record.protocol.interrupts)))))
            continue
        ask = data.draw(st.sampled_from(committee.open))
        committee.reply(ask, answer(committee, ask, data.draw))
    assert len(committee.facts("tally")) <= 5
    assert repr(committee.again().session) == repr(committee.record.session)
    checks = with_oracle(committee.protocol).invariants
    for move, moment in zip(committee.moves, moments(committee.record), strict=True):
        broken = [] if move.cause is Cause.INTERRUPTED else [each.name for each in checks if not each.holds(moment)]
        assert broken == [], move.outcome
    if committee.verdict == "APPROVED":
        last = committee.facts("tally")[-1]
        assert 3 * last["synthesis"] >= 2 * (last["synthesis"] + last["opposing"]) > 0
        assert committee.state.checked is Checked.CLEAN
        assert not committee.state.vetoed
        assert committee.state.items == ()
