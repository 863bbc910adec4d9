"""Results 5 to 9 each fail for a poll that breaks them; limits and interruptions are walked too."""

from __future__ import annotations

from dataclasses import replace

from quorate.core.decisions import Decision
from quorate.core.protocol import Blindness, Interrupt, Invariant, Limits, Node, When
from quorate.core.record import Record
from quorate.core.types import Absent, Ask, Question, Reason, Replies
from quorate.core.view import Section, View
from quorate.verify import Figure, ProofStatus
from tests.verify.toys import (
    MEMBERS,
    MOTION,
    OPENING,
    ROWS,
    VOTE,
    Ballot,
    Outcome,
    Phase,
    Poll,
    Voice,
    ask,
    decide,
    failed,
    keep,
    poll,
    proof,
    result,
    story,
    view,
)

# 5


def too_generous(state: Poll, replies: Replies) -> Decision[Poll]:
    if any(isinstance(reply, Ballot) and reply.voice is Voice.AYE for _, reply in replies):
        return Decision(Outcome.CARRIED, Poll(carried=True))
    return decide(state, replies)


def test_5_an_invariant_that_does_not_hold_is_told_with_its_rule() -> None:
    found = result(poll(Node(ask, too_generous)), 5)
    assert found.status is ProofStatus.FAILED
    assert story(found) == (
        "Under 'the poll':\n"
        "  1. OPENING asks nobody.\n"
        "     It decides START: on to VOTE.\n"
        "  2. VOTE asks ann, bob and cat (vote about motion).\n"
        "       ann: Ballot (voice: aye)\n"
        "       bob: Ballot (voice: no)\n"
        "       cat: Ballot (voice: no)\n"
        "     It decides CARRIED: on to DONE.\n"
        "  3. The verdict is CARRIED.\n"
        "  => a majority carries, and nothing else: this does not hold when VOTE gives CARRIED\n"
        f"     Where: {found.counterexample.where if found.counterexample else ''}"
    )
    assert "toys.carried_by_majority, line" in story(found)
    assert story(found).endswith("; rule P2")


def test_5_an_invariant_that_cannot_tell_has_not_held() -> None:
    broken: Invariant[Poll] = Invariant("it is told", "P9", lambda moment: bool(1 // len(moment.asks)))
    found = result(poll(invariants=(broken,)), 5)
    assert "it raised ZeroDivisionError" in found.detail


def favours_ann(state: Poll, replies: Replies) -> Decision[Poll]:
    """Ann's absence is never excused."""
    if isinstance(replies.of(MEMBERS[0]), Absent):
        return Decision(Outcome.LOST, Poll())
    return decide(state, replies)


def test_5_seats_that_are_not_alike_although_they_are_declared_to_be() -> None:
    found = result(poll(Node(ask, favours_ann), invariants=()), 5)
    assert found.status is ProofStatus.FAILED
    assert "VOTE does not treat seats alike that are declared interchangeable" in found.detail
    assert "Or instead: VOTE asks" in story(found)
    assert 5 not in failed(poll(Node(ask, favours_ann), invariants=(), interchangeable=()))


# 6


def leaks(record: Record, asked: Ask) -> View:
    others = [said for seat in MEMBERS for said in record.said(seat, "vote")]
    words = " ".join(said.reply.reason.text for said in others if isinstance(said.reply, Ballot))
    return View("", (Section(f"Item {MOTION}", words),))


def test_6_a_view_that_shows_what_another_said() -> None:
    found = result(poll(view=leaks), 6)
    assert found.status is ProofStatus.FAILED
    assert found.detail == "the view of vote for bob shows what ann said to vote"
    assert "ann: Ballot (voice: aye)" in story(found)


def test_6_a_view_that_carries_a_name_lacks_its_keys_or_raises() -> None:
    nameless = Blindness(lambda asked, other: False, lambda asked: frozenset({MEMBERS[0]}) - {asked.seat})
    names = poll(blindness=nameless, view=lambda r, a: View("", (Section(f"Item {MOTION}", "ann wants it"),)))
    assert result(names, 6).detail == "the view of vote for bob carries the name of ann"
    longer = poll(blindness=nameless, view=lambda r, a: View("", (Section(f"Item {MOTION}", "annual"),)))
    assert result(longer, 6).status is ProofStatus.BOUNDED
    blank = poll(view=lambda r, a: View("", (Section("Item", "Shall we?"),)))
    assert result(blank, 6).detail == "ann is asked about motion, which the view of vote does not show"
    raises = poll(view=lambda r, a: View("", (Section("Item", r.material["diff"]),)))
    assert "the view of vote raised KeyError: 'diff'" in result(raises, 6).detail
    given = poll(view=lambda r, a: View("", (Section(f"Item {MOTION}", r.material["diff"]),)))
    assert result(given, 6, material={"diff": "+1"}).status is ProofStatus.BOUNDED


def test_6_the_views_of_asks_that_are_repeated_are_looked_at_too() -> None:
    def leaks_when_asked_again(record: Record, asked: Ask) -> View:
        return leaks(record, asked) if record.session.state.tries else view(record, asked)

    found = result(poll(view=leaks_when_asked_again), 6)
    assert found.status is ProofStatus.FAILED
    assert "RETRY" in story(found)


# 8


def test_8_the_worst_case_in_asks_tokens_and_money() -> None:
    figures = {seat: Figure(1_000, 200, price_in=3, price_out=15) for seat in MEMBERS}
    worst = proof(poll(), figures=figures).profiles["the poll"].worst
    assert dict(worst.by_seat) == dict.fromkeys(MEMBERS, 2)
    assert dict(worst.by_brief) == {"vote": 6}
    assert (worst.tokens, worst.cost, worst.unpriced) == (6 * 1_200, 6 * 6_000, ())
    some = proof(poll(interchangeable=()), figures={MEMBERS[0]: Figure(10, 1)}).profiles["the poll"].worst
    assert (some.tokens, some.unpriced) == (22, MEMBERS[1:])
    assert "7200 tokens, 0.036000 US dollars" in proof(poll(), figures=figures).text()


def test_8_an_interruption_that_wraps_up_adds_its_asks_to_the_worst_case() -> None:
    interrupts = {
        reason: Interrupt(Phase.STOPPED, When.NOW, keep) for reason in Reason if reason is not Reason.ESCALATION
    }
    annex: Node[Poll] = Node(
        lambda _: (Question(MEMBERS[0], "note", Ballot),), lambda s, r: Decision(Outcome.LOST, replace(s, tries=0))
    )
    wrapping = poll(
        nodes={Phase.OPENING: OPENING, Phase.VOTE: VOTE, Phase.ANNEX: annex},
        table=dict(ROWS) | {Phase.ANNEX: {Outcome.LOST: Phase.DONE}},
        interrupts=interrupts | {Reason.BUDGET: Interrupt(Phase.ANNEX, When.NOW, keep)},
        briefs={"vote": "Vote.", "note": "Note."},
    )
    worst = proof(wrapping).profiles["the poll"].worst
    assert dict(worst.by_brief) == {"note": 1, "vote": 6}
    assert worst.asks == 7  # two votes of three, and the budget ends with the second under way


# 9


def test_9_briefs_that_are_missing_blank_or_not_used() -> None:
    assert result(poll(briefs={}), 9).detail == "VOTE uses the brief 'vote', which does not exist"
    assert result(poll(briefs={"vote": " \n"}), 9).detail == "VOTE uses the brief 'vote', which is blank"
    assert result(poll(briefs={"vote": "Vote.", "chant": "Sing."}), 9).detail == "no ask uses the brief 'chant'"
    spare = poll(briefs={"vote": "Vote.", "roles/singer": "Sing.", "preamble": "Mind your words."})
    assert result(spare, 9).status is ProofStatus.PROVEN
    role = poll(view=lambda r, a: View("roles/singer", (Section(f"Item {MOTION}", ""),)))
    assert result(role, 9).detail == "the view of vote names the role 'roles/singer', which has no brief"


# Limits and interruptions


def test_limits_are_walked_and_their_states_told_apart() -> None:
    free = proof(poll()).profiles["the poll"]
    tight = proof(poll(limits=Limits(episodes=4)))
    assert tight.ok
    assert tight.profiles["the poll"].worst.asks == 4
    stalling = proof(poll(limits=Limits(stall=3), progress=lambda _: False))
    assert stalling.ok
    assert stalling.profiles["the poll"].symmetry == free.symmetry
    assert (free.worst.asks, stalling.profiles["the poll"].worst.asks) == (6, 3)


def test_an_interruption_whose_fold_reads_replies_is_tried_with_some_and_says_bounded() -> None:
    def count(state: Poll, replies: Replies) -> Poll:
        return replace(state, tries=len(replies))

    interrupts = {
        reason: Interrupt(Phase.STOPPED, When.NOW, count) for reason in Reason if reason is not Reason.ESCALATION
    }
    report = proof(poll(interrupts=interrupts))
    cuts = report.profiles["the poll"].cuts
    assert any("CANCELLED looks at the replies that are in" in cut for cut in cuts)
    assert report.results[4].status is ProofStatus.BOUNDED

    def refuse(state: Poll, replies: Replies) -> Poll:
        return replace(state, tries=1 // (2 - len(replies)))

    broken = {
        reason: Interrupt(Phase.STOPPED, When.NOW, refuse) for reason in Reason if reason is not Reason.ESCALATION
    }
    found = result(poll(interrupts=broken), 3)
    assert "fold of CANCELLED raised ZeroDivisionError" in found.detail
    assert "an interruption comes: cancelled, which acts now" in story(found)
