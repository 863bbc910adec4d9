"""Drafts: a small protocol from what is its own, with settings, rounds, keys and early settlement."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Any

import pytest

from quorate.core.decisions import Decision, choose, compare, otherwise
from quorate.core.errors import DefinitionError
from quorate.core.forms import Between, Key, Keyed, Prose, Reply
from quorate.core.protocol import Degradation, Domain, Invariant, Limits, Moment, Node, Protocol
from quorate.core.record import Envelope, Opening, Record, Said
from quorate.core.types import Absent, AbsentReason, Ask, Interrupted, Question, Reason, Replied, Replies, Seat
from quorate.core.view import Section, View
from quorate.kit.drafts import Kept, came_to, define, draft, told
from quorate.kit.inputs import QUESTION
from quorate.kit.reply_text import worded
from quorate.verify import ProofStatus, verify

Phase = Enum("Phase", "VOTE PASSED FAILED")
VOTE, PASSED, FAILED = Phase
Outcome = Enum("Outcome", "AYE NO AGAIN")
AYE, NO, AGAIN = Outcome
SEATS = (Seat("a"), Seat("b"))
ITEMS = (Key("k1"), Key("k2"))


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    reason: Annotated[Prose, "why"]
    aye: Annotated[bool, "whether"]
    items: Annotated[Keyed[bool], "of each item"]


@dataclass(frozen=True, slots=True)
class VoteSettings:
    rounds: Annotated[int, Between(1, 9), "how often"] = 2


def voting(
    settings: VoteSettings = VoteSettings(),  # noqa: B008
    *,
    settles: bool = False,
    hasty: bool = False,
    counts_wrong: bool = False,
    **more: Any,
) -> Protocol[Kept[int]]:
    """Vote until both are for it, or until the rounds are over; the state counts the rounds.

    `hasty` plants a settlement that the last vote could still turn, `counts_wrong` a round too many.
    """

    def ask(_: int) -> tuple[Question, ...]:
        return tuple(Question(seat, "vote", Ballot, ITEMS) for seat in SEATS)

    def count(rounds: int, replies: Replies) -> Decision[int]:
        ayes = sum(isinstance(reply, Ballot) and reply.aye for _, reply in replies)
        passed = compare("V1", AYE, ("ayes", ayes), ">=", len(SEATS))
        again = compare("V2", AGAIN, ("rounds", rounds + 1), "<", settings.rounds + counts_wrong)
        return choose(rounds + 1, (passed, again, otherwise("V3", NO)))

    def settle(rounds: int, replies: Replies) -> Decision[int] | None:
        lost = any(isinstance(reply, Absent) or not reply.aye for _, reply in replies)  # type: ignore[attr-defined]
        over = rounds + 1 >= settings.rounds
        return choose(rounds + 1, (otherwise("V4", NO),)) if (lost or hasty) and over else None

    return draft(
        "voting",
        seats=SEATS,
        forms=(Ballot,),
        briefs={"vote": "# Vote", "roles/a": "You are a."},
        phases={VOTE: Node(ask, count, settle if settles else None)},
        table={VOTE: {AYE: PASSED, NO: FAILED, AGAIN: VOTE}},
        ends={PASSED: 0, FAILED: 1},
        stopped=FAILED,
        start=0,
        settings=settings,
        **more,
    )


def record(protocol: Protocol[Any]) -> Record:
    return Record(protocol, Opening("voting", "1", "", "t", 0, {}, {}, {}), {"question": "Shall we?"})


def say(taken: Record, seat: str, reply: Ballot | Absent) -> None:
    ask = next(ask for ask in taken.session.open if ask.seat == seat)
    taken.take(Replied(ask.id, reply), Envelope(seq=len(taken.envelopes) + 1))


def ballot(aye: bool, words: str = "because") -> Ballot:
    return Ballot(Prose(words), aye, Keyed(dict.fromkeys(ITEMS, aye)))


def test_it_is_proven_with_settings_and_rounds() -> None:
    report = verify({"two": voting(), "one": voting(VoteSettings(1)), "three": voting(VoteSettings(3))})
    assert report.ok, report.text()
    assert voting(VoteSettings(3)).settings == {"rounds": 3}


def test_settling_early_is_proven_like_any() -> None:
    report = verify({"two": voting(settles=True)})
    settled = next(result for result in report.results if result.number == 7)
    assert settled.status is not ProofStatus.FAILED, settled.text()
    assert "VOTE settles" in settled.detail


def test_a_settlement_that_the_last_vote_could_turn_is_found() -> None:
    report = verify({"two": voting(settles=True, hasty=True)})
    settled = next(result for result in report.results if result.number == 7)
    assert settled.status is ProofStatus.FAILED, report.text()


def within(rounds: int) -> Invariant[int]:
    """What the author promises, of the author's own state."""

    def holds(moment: Moment[int]) -> bool:
        return moment.state <= moment.after <= rounds

    return Invariant("no more rounds than were set", "V2", holds)


def test_an_invariant_is_handed_the_authors_own_state() -> None:
    report = verify({"two": voting(invariants=(within(2),))})
    assert report.ok, report.text()
    promised = next(result for result in report.results if result.number == 5)
    assert promised.status is not ProofStatus.FAILED
    assert "1 invariant" in promised.detail, promised.detail


def test_an_invariant_finds_a_planted_defect_and_the_story_names_it() -> None:
    report = verify({"two": voting(counts_wrong=True, invariants=(within(2),))})
    failed = [result for result in report.results if result.status is ProofStatus.FAILED]
    assert [result.number for result in failed] == [5], report.text()
    assert "no more rounds than were set" in failed[0].text()


def test_all_else_that_a_protocol_promises_is_a_parameter() -> None:
    def seen(taken: Record, ask: Ask) -> View:
        return View("", (Section("all there is", taken.material["question"]),))

    made = voting(
        people=(SEATS[0],),
        checks=("b",),
        limits=Limits(episodes=7),
        view=seen,
        blindness=None,
        round=lambda rounds: rounds + 1,
        degradation=lambda rounds: Degradation.BELOW_SETTINGS if rounds else Degradation.NONE,
        rulings={FAILED: (PASSED,)},
        domains={Ballot: Domain(lambda _: (ballot(True), ballot(False)), "both", exact=True)},
    )
    assert (made.people, made.checks) == (frozenset({SEATS[0]}), frozenset({SEATS[1]}))
    assert (made.limits.episodes, made.blindness, made.rulings) == (7, None, {FAILED: (PASSED,)})
    taken = record(made)
    assert taken.protocol.view(taken, taken.session.open[0]).text() == "all there is\nShall we?"
    for seat in SEATS * 2:
        say(taken, seat, ballot(False))
    assert [line.round for line in taken.log if isinstance(line, Said)] == [1, 1, 2, 2], "as the author counts"
    assert taken.session.conclusion is not None
    assert taken.session.conclusion.degradation is Degradation.BELOW_SETTINGS
    assert made.domains[Ballot].why == "both"


def test_what_knows_no_state_may_also_be_replaced() -> None:
    made = replace(voting(), limits=Limits(episodes=99), people=frozenset({SEATS[0]}))
    assert verify({"two": made}).ok


def test_a_seat_that_is_not_there_is_named() -> None:
    with pytest.raises(DefinitionError, match="voting: its checks name the seat 'screen', which it does not have"):
        voting(checks=("screen",))
    with pytest.raises(DefinitionError, match="voting: its people name the seat 'ann', which it does not have"):
        voting(people=("ann",))


def test_who_sees_what() -> None:
    taken = record(voting())
    say(taken, "a", ballot(False, "not yet"))
    (open_,) = taken.session.open
    view = taken.protocol.view(taken, open_)
    assert "not yet" not in view.text(), "nobody sees what others say in the same phase"
    assert "Shall we?" in view.text()
    assert all(key in view.text() for key in ITEMS)
    assert view.role == "", "b has no role file"
    say(taken, "b", ballot(True, "at once"))
    first = next(ask for ask in taken.session.open if ask.seat == "a")
    view = taken.protocol.view(taken, first)
    assert view.role == "roles/a"
    assert "not yet" in view.text()
    assert "at once" in view.text()


def test_who_was_missing_is_kept() -> None:
    whole, lacking = record(voting()), record(voting())
    for taken, reply in ((whole, ballot(False)), (lacking, Absent(AbsentReason.FAILED))):
        say(taken, "a", reply)
        say(taken, "b", ballot(False))
        for seat in SEATS:
            say(taken, seat, ballot(True))
        assert taken.session.conclusion is not None
        assert taken.session.conclusion.verdict is PASSED
    assert whole.session.conclusion is not None
    assert whole.session.conclusion.degradation is Degradation.NONE
    assert lacking.session.conclusion is not None
    assert lacking.session.conclusion.degradation is Degradation.WITHIN_SETTINGS


@pytest.mark.parametrize("reason", [reason for reason in Reason if reason is not Reason.ESCALATION])
def test_every_interruption_stops_it(reason: Reason) -> None:
    taken = record(voting())
    say(taken, "a", ballot(True))
    taken.take(Interrupted(reason), Envelope(seq=2))
    assert taken.session.conclusion is not None
    assert taken.session.conclusion.verdict is FAILED
    assert came_to(taken)["said"][0]["seat"] == "a", "what was said is kept"


def test_what_came_of_it_as_data_and_as_text() -> None:
    taken = record(voting(VoteSettings(1)))
    assert came_to(taken) == {"verdict": None, "said": []}
    assert told(came_to(taken)) == "**under way**\n"
    say(taken, "a", ballot(True, "It is short."))
    say(taken, "b", ballot(False, "It is vague."))
    result = came_to(taken)
    assert result["verdict"] == "FAILED"
    assert result["said"][0] == {
        "seat": "a",
        "brief": "vote",
        "reply": {"reason": "It is short.", "aye": True, "items": {"k1": True, "k2": True}},
    }
    assert "- reason: It is vague.\n- aye: no\n- items: k1 no; k2 no" in told(result)
    assert worded(Absent(AbsentReason.TIMED_OUT)) == "nothing: timed_out"


def test_a_definition_is_whole() -> None:
    found = define("voting", "They vote", lambda settings, briefs, seed: voting(settings), package="tests")
    assert found.brings == (QUESTION,)
    assert found.result is came_to
    assert found.profiles == {"default": {}}


def test_what_does_not_fit_is_named() -> None:
    good = voting()
    common: dict[str, Any] = {"seats": ("a",), "forms": (), "briefs": {}, "start": None}
    node: Node[None] = Node(lambda _: (), lambda state, _: choose(state, (otherwise("X", AYE),)))
    with pytest.raises(DefinitionError, match="`stopped` is VOTE, which is not one of its ends"):
        draft("x", phases={VOTE: node}, table={VOTE: {AYE: PASSED}}, ends={PASSED: 0}, stopped=VOTE, **common)
    with pytest.raises(DefinitionError, match="has no phases"):
        draft("x", phases={}, table={}, ends={PASSED: 0}, stopped=PASSED, **common)
    with pytest.raises(DefinitionError, match="the table leads to FAILED, which is neither"):
        draft("x", phases={VOTE: node}, table={VOTE: {AYE: FAILED}}, ends={PASSED: 0}, stopped=PASSED, **common)
    report = verify({"x": replace(good, table={VOTE: {AYE: PASSED, NO: FAILED}})})
    assert not report.ok


NODE: Node[None] = Node(lambda _: (), lambda state, _: choose(state, (otherwise("X", AYE),)))
SMALL: dict[str, Any] = {
    **{"seats": ("a",), "forms": (), "briefs": {}, "start": None, "phases": {VOTE: NODE}},
    **{"table": {VOTE: {AYE: PASSED}}, "ends": {PASSED: 0}, "stopped": PASSED},
}


@dataclass(frozen=True, slots=True)
class Loose:
    aye: Annotated[bool, "whether"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"phases": {"VOTE": NODE}}, "x: the phase 'VOTE' is a str; expected a member of an Enum"),
        ({"table": {VOTE: {"AYE": PASSED}}}, "x: the outcome 'AYE' is a str; expected a member of an Enum"),
        ({"ends": {"PASSED": 0}}, "x: the end 'PASSED' is a str; expected a member of an Enum"),
        ({"ends": {PASSED: 300}}, r"x: PASSED has the exit code 300; a verdict has 0 \(favourable\), 1"),
        ({"ends": {PASSED: 4}}, "x: PASSED has the exit code 4; a verdict has 0"),
        ({"forms": (Loose,)}, "x: the form Loose does not derive from Reply"),
    ],
)
def test_what_an_author_mistakes_is_named_before_it_runs(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(DefinitionError, match=f"^{says}"):
        draft("x", **{**SMALL, **wrong})


def gives(what: Any) -> Any:
    """A function of a phase that returns this, whatever it is handed."""
    return lambda *_: what


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (Node(gives([]), NODE.decide), "the function that asks returned a list; expected a tuple of Question"),
        (Node(gives(SEATS), NODE.decide), "the function that asks returned a tuple with Seat; expected"),
        (Node(NODE.asks, gives(None)), "the function that decides returned nothing; expected a Decision"),
    ],
)
def test_what_a_phase_returns_by_mistake_is_named_by_the_proof(node: Any, says: str) -> None:
    report = verify({"x": draft("x", **{**SMALL, "phases": {VOTE: node}})})
    assert says in report.text()


@dataclass(frozen=True, slots=True)
class HighSettings:
    rounds: Annotated[int, Between(1, 5), "how often"] = 9


def test_a_definition_that_no_surface_could_offer_is_refused() -> None:
    def build(settings: Any, briefs: Any, seed: int) -> Protocol[Kept[int]]:
        return voting()

    with pytest.raises(DefinitionError, match="a protocol cannot be called 'hiring panel': use small letters"):
        define("hiring panel", "They hire", build, package="tests")
    with pytest.raises(DefinitionError, match="x: the default of a setting is not allowed: rounds: is 9"):
        define("x", "They vote", build, package="tests", settings=HighSettings)
