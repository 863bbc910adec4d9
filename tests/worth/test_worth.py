"""What a session was worth, on sessions played by hand: every figure here is counted from the replies above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from quorate import catalog
from quorate.core.record import Record
from quorate.core.types import AbsentReason, Reason, Replied
from quorate.evidence.explain import explain_text
from quorate.evidence.report import GENERIC, html, markdown
from quorate.kit.positions import MATTER
from quorate.worth.first_round import FirstRound, FirstRoundVerdict, side_of
from quorate.worth.mind_changes import in_short
from quorate.worth.votes import ASSUMED
from quorate.worth.worth import Learnt, Survived, Worth, worth, worth_data
from tests.support import councils_ended as ended
from tests.support.councils import Sitting
from tests.support.filling import fill
from tests.support.reviewed import FOUR, Reviewed, approved, compromised, inconclusive, item
from tests.support.roundtables import Talk
from tests.support.workshops import ONE, THREE, TWO, Meeting, req

TOKENS = 120
"""What every reply of a played review takes."""


def worth_of(record: Record, **more: Any) -> Worth:
    return worth(record, catalog.definition(record.opening.protocol), **more)


def first_of(found: Worth) -> FirstRound:
    assert found.first is not None
    return found.first


def test_a_review_in_which_one_changed_after_two() -> None:
    record = compromised().record
    found = worth_of(record)
    first = first_of(found)
    assert {each.seat: each.holds for each in first.alone} == {
        "knowledge-manager": False,  # a veto
        "engineering-architect": False,  # opposes
        "business-driver": True,
        "operations-sre": True,
    }
    assert first.majority is None, "two to two"
    assert (first.verdict, first.side, first.same) == ("REQUEST_CHANGES", False, False)
    # The checks, the chair, and a ballot of each of four members with its judgement of claims, but for the last one's.
    assert (first.tokens, first.of) == (9 * TOKENS, 19 * TOKENS)
    assert found.swayed is not None
    (changed,) = found.swayed
    assert (changed.seat, changed.round, changed.helped) == ("operations-sre", 2, None)
    assert (changed.before, changed.after) == ("synthesis", "synthesis, with items that block")
    assert set(changed.seen) == {"knowledge-manager", "engineering-architect", "business-driver"}
    assert set(changed.towards) == {"knowledge-manager", "engineering-architect"}
    assert found.survived == Survived(by_seats=5, by_checks=1)
    told = "5 findings of seats and 1 finding of checks left open: 456 tokens and $0.00456 for each that a seat raised."
    assert told in found.sentences, "19 replies of 120 tokens and 1,200 millionths, by five"
    assert sum(spent.tokens for spent in found.phases.values()) == found.whole.tokens == 19 * TOKENS


@pytest.mark.parametrize("sound", [False, True])
def test_where_the_truth_is_known_a_flip_is_helpful_or_harmful(sound: bool) -> None:
    found = worth_of(compromised().record, learnt=Learnt(truth={MATTER: sound}))
    assert found.swayed is not None
    assert [each.helped for each in found.swayed] == [not sound]
    told = str(found.swayed[0])
    assert told.endswith(f"(a {'harmful' if sound else 'helpful'} flip).")
    assert found.sentences.count(told) == found.short.count(told) == 1
    assert not any("1 change of position" in sentence for sentence in found.sentences), "one is told, and not counted"
    twice = in_short((found.swayed[0], replace(found.swayed[0], helped=sound)))
    assert twice == "2 changes of position, 1 of them helpful and 1 harmful."
    unknown = worth_of(compromised().record, learnt=Learnt(truth={"F-none": True}))
    assert unknown.swayed is not None
    assert unknown.swayed[0].helped is None


def test_a_council_in_which_the_third_follows_the_others() -> None:
    found = worth_of(ended.with_remediation().record)
    first = first_of(found)
    assert [(each.seat, each.holds, each.tokens) for each in first.alone] == [
        ("SA-1", False, 1000),
        ("SA-2", False, 1000),
        ("SA-3", True, 1000),
    ]
    assert (first.majority, first.side, first.same) == (False, False, True)
    assert (first.tokens, first.of, first.percent) == (3000, 11_000, 27)
    assert found.sentences[:3] == (
        "A plain majority of the first positions (2 of 3) would have held that there is a MAJOR defect in it, as the "
        "session concluded (APPROVED_WITH_REMEDIATION); it would have done so with 27 % of the tokens.",
        "Alone, SA-1 and SA-2 would have held that there is a MAJOR defect in it, as the session did; SA-3 that "
        "nothing is wrong with the RFC.",
        "2 of the 3 alone would have concluded as the session did; their replies took 9 % of the tokens each.",
    )
    assert found.swayed is not None
    assert [(each.seat, each.towards) for each in found.swayed] == [("SA-3", ("SA-1", "SA-2"))]
    assert found.survived == Survived(by_seats=1, by_checks=0)


def test_a_council_that_leaves_open_what_a_plain_vote_would_have_decided() -> None:
    found = worth_of(ended.split().record)
    first = first_of(found)
    assert (first.verdict, first.side, first.majority, first.same) == ("NEEDS_ADJUDICATION", None, True, False)
    assert first.count == {True: 2, False: 1, None: 0}
    assert next(iter(first.sentences)).endswith("; the session concluded NEEDS_ADJUDICATION.")
    assert len(list(first.sentences)) == 1, "nobody alone can have concluded what was left open"


@pytest.mark.parametrize("sitting", [ended.rejected_by_gate, ended.failed_fast], ids=["gate", "fail fast"])
def test_where_a_gate_has_proven_it_no_seat_takes_a_position(sitting: Callable[[], Sitting]) -> None:
    found = worth_of(sitting().record)
    assert (found.votes, found.first) == (None, None)
    assert not any("plain" in sentence or "reviewer" in sentence for sentence in found.sentences)
    assert "No seat took a position that code could read: nothing could flip." in found.sentences


def test_a_debate_has_one_vote_and_voices(debate: Callable[..., Any]) -> None:
    found = worth_of(debate().play().record)
    assert found.first is None
    assert any("there is no first vote and no single seat to compare with" in each for each in found.sentences)
    assert found.votes is not None
    assert found.voices is not None
    assert (found.votes.seats, found.votes.assumed) == (("judge",), None)
    assert found.voices.seats == ("architect", "performance", "simplicity")
    assert (found.first, found.swayed, found.survived) == (None, None, None), "nothing typed tells"
    assert found.sentences[0] == "1 seat took a position on the matter (judge 1)."
    assert ASSUMED in found.sentences, "it is told for the voices"


NO_POSITIONS = (
    "The protocol roundtable takes no positions that code could read: nothing can flip, and there is no first vote to "
    "compare with."
)


@pytest.mark.parametrize(
    ("protocol", "told"),
    [
        ("workshop", "No seat has taken a position yet that code could read: nothing could flip."),
        ("roundtable", NO_POSITIONS),
    ],
)
def test_where_there_are_no_positions_it_says_so_and_has_no_figures_of_them(protocol: str, told: str) -> None:
    from tests.verifier.played import MATERIAL, built, profiles

    rules = built(protocol, profiles(protocol)[0])
    opening = approved().record.opening
    record = Record(rules, type(opening)(protocol, "1", "", "", 7, rules.settings, {}, {}), MATERIAL[protocol])
    data = worth_data(worth_of(record))
    for name in ("votes", "voices", "changes", "first_round", "findings", "prompts"):
        assert data[name] is None
    assert data["says"] == [told]
    for text in (markdown(record, GENERIC, "s", "", {}, worth_of(record)), explain_text(record, worth_of(record))):
        assert "nothing c" in text
        assert "flip" in text


def test_a_roundtable_has_voices_and_nothing_that_could_flip() -> None:
    found = worth_of(Talk().elaborate().frame().round().user("That is all.").wrap_up().record)
    assert (found.votes, found.swayed, found.first) == (None, None, None)
    assert found.voices is not None
    assert set(found.voices.seats) <= {"business-analyst", "solutions-architect", "system-designer"}
    assert found.sentences[0].startswith(f"{found.voices.nominal} seats spoke without a vote on the matter")
    assert NO_POSITIONS in found.sentences
    assert NO_POSITIONS in found.short


def test_a_workshop_tells_who_changed_on_which_draft() -> None:
    meeting = Meeting(strategy="consensus-driven", participants=[ONE, TWO, THREE])
    meeting.round(requirements=[req("P1")]).vote({ONE: "BLOCK"})
    alone = "nobody took a side of the same one twice, so nothing could flip"
    assert any(
        sentence.startswith("So far positions") and alone in sentence for sentence in worth_of(meeting.record).sentences
    )
    found = worth_of(meeting.vote("SUPPORT").finish().record)
    assert found.swayed is not None
    (changed,) = found.swayed
    assert (changed.seat, changed.about, changed.towards) == (ONE, "REQ-001", (TWO, THREE))
    told = "Positions were taken on single things, none on the matter as a whole: there is no first vote on it to "
    assert f"{told}compare with." in found.sentences
    assert (found.votes, found.first) == (None, None)
    assert found.voices is not None


def test_abstentions_and_absences_are_no_votes() -> None:
    review = Reviewed(FOUR, rounds=1, veto_holders=[]).table()
    review.vote("engineering-architect").vote("knowledge-manager", "abstain")
    review.absent("business-driver", AbsentReason.FAILED).vote("operations-sre", "oppose")
    found = worth_of(review.record)
    assert found.votes is not None
    assert found.votes.seats == ("engineering-architect", "operations-sre")
    assert first_of(found).count == {True: 1, False: 1, None: 1}


def test_by_the_rules_of_the_protocol() -> None:
    record = approved().record
    same = first_of(worth_of(record, ruled=FirstRoundVerdict("APPROVED", 3 * TOKENS, all=False)))
    assert same.same is True
    assert next(iter(same.sentences)) == (
        "A plain vote in round 1, counted by the protocol's own rules, would have concluded the same (APPROVED) with "
        "43 % of the tokens."
    ), "three replies of seven"
    other = first_of(worth_of(record, ruled=FirstRoundVerdict("INCONCLUSIVE", 3 * TOKENS, all=False)))
    assert other.same is False
    assert "INCONCLUSIVE with 43 % of the tokens; the deliberation changed that to APPROVED." in next(
        iter(other.sentences)
    )
    whole = first_of(worth_of(record, ruled=FirstRoundVerdict("APPROVED", 7 * TOKENS, all=True)))
    assert "no more than one round" in next(iter(whole.sentences))


def test_asks_without_an_answer_are_said_and_not_counted() -> None:
    council = worth_of(ended.with_remediation().record)
    assert council.sentences[-1] == "1 ask was spared: its vote could not have changed what was decided."
    data = worth_data(council)
    assert (data["all"]["asks"], data["all"]["spared"], data["all"]["withdrawn"]) == (11, 1, 0)
    assert data["all"]["by_code"] == 3, "the gates and the matcher"
    review = worth_of(Reviewed(FOUR).table().interrupt(Reason.CANCELLED).record)
    assert review.sentences[-1] == (
        "4 asks were withdrawn before an answer came; what calls under way had taken by then is not counted."
    )
    assert not any(
        "withdrawn" in sentence or "spared" in sentence for sentence in worth_of(approved().record).sentences
    )


def test_a_session_under_way_is_compared_with_nothing() -> None:
    review = Reviewed(FOUR).table()
    assert worth_of(review.record).first is None
    review.vote("engineering-architect", "oppose", items=[item()]).rest()
    found = worth_of(review.record)
    assert (first_of(found).verdict, first_of(found).same) == (None, None)
    told = next(iter(first_of(found).sentences))
    assert (
        told
        == "A plain majority of the first positions (3 of 4) would have held that nothing is wrong with the change."
    )
    assert found.survived is None
    stopped = worth_of(review.interrupt(Reason.CANCELLED).record)
    assert first_of(stopped).verdict == "ABORTED"


def test_verdicts_have_sides() -> None:
    sides: dict[str, dict[str, bool | None]] = {
        "review": {"APPROVED": True, "REQUEST_CHANGES": False, "INCONCLUSIVE": None, "ABORTED": None},
        "council": {"APPROVED": True, "APPROVED_WITH_REMEDIATION": False, "REJECTED": False},
        "debate": {"SOLUTION": None, "UNJUDGED": None},
    }
    for protocol, expected in sides.items():
        judging = catalog.definition(protocol).judging
        verdicts = {each.name: each for each in catalog.build(protocol).exit_codes}
        assert {name: side_of(judging, verdicts[name]) for name in expected} == expected
    assert side_of(None, verdicts["SOLUTION"]) is None


def test_what_people_read() -> None:
    record = compromised().record
    found = worth_of(record)
    text = markdown(record, GENERIC, "s", "head", {}, found)
    part = text.partition("## What it was worth\n")[2].partition("\n## ")[0]
    assert part.count("\n- ") == len(found.sentences)
    assert "operations\\-sre changed" in part or "operations-sre changed" in part
    assert 'href="#' in html(text)
    assert "What it was worth" in html(text)
    short = explain_text(record, found)
    assert "operations-sre changed in round 2" in short
    assert "worth about 1.7 independent ones" in short
    assert "570 tokens" not in short, "explain is in short"
    assert "changed in round" not in explain_text(record)
    assert "What it was worth" not in markdown(record, GENERIC, "s", "head")


def test_a_price_that_is_not_known_is_not_said_to_be_nothing() -> None:
    found = worth_of(inconclusive().record)
    assert any("720 tokens and $0.0072 for each" in sentence for sentence in found.sentences), (
        "six replies, one finding"
    )
    review = Reviewed(FOUR, rounds=1, veto_holders=[]).table()
    for seat in FOUR:
        ask = review.ask(seat)
        items = [item()] if seat == FOUR[0] else []
        plain = {"opinion": "", "veto_class": "none", "veto_evidence": "", "items": items}
        ballot = fill(ask, {"stance": "oppose", "confidence": 80, **plain})
        review.take(Replied(ask.id, review.record.marked(ask, ballot)), tokens_in=120, cost=None)
    found = worth_of(review.record)
    assert any("at least $0.0024 for each" in sentence for sentence in found.sentences), "two known, four not"
    assert found.whole.unpriced == 4
    free = replace(found, whole=replace(found.whole, cost=0))  # the checks cost nothing, and the chair is a script
    assert any("tokens and an unknown price for each" in sentence for sentence in free.sentences)
