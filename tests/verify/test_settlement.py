"""Settling early (design: the outcome is already certain) is proven, and told where it was not certain."""

from __future__ import annotations

from dataclasses import replace

from quorate.core.decisions import Decision
from quorate.core.protocol import Node
from quorate.core.types import Replies
from quorate.verify import ProofStatus
from tests.verify.toys import Ballot, Poll, ask, decide, poll, proof, result, settle, settle_too_early, story


def test_a_settlement_that_is_certain_is_proven() -> None:
    found = result(poll(Node(ask, decide, settle)), 7)
    assert found.status is ProofStatus.PROVEN
    assert found.detail == "VOTE settles with 3 incomplete sets of replies, and no completion decides otherwise"
    assert proof(poll(Node(ask, decide, settle))).ok


def test_without_a_settlement_there_is_nothing_to_prove() -> None:
    assert result(poll(), 7).detail == "no phase settles early"


def test_a_settlement_that_is_too_early_is_told_with_both_endings() -> None:
    found = result(poll(Node(ask, decide, settle_too_early)), 7)
    assert found.status is ProofStatus.FAILED
    assert found.detail == (
        "VOTE settles early with CARRIED; with the replies that are still open it could have decided LOST"
    )
    assert story(found) == (
        "Under 'the poll':\n"
        "  1. OPENING asks nobody.\n"
        "     It decides START: on to VOTE.\n"
        "  2. VOTE asks ann, bob and cat (vote about motion).\n"
        "       ann: Ballot (voice: aye)\n"
        "     It settles early with CARRIED: on to DONE.\n"
        "  3. The verdict is CARRIED.\n"
        "  4. Or instead: VOTE asks ann, bob and cat (vote about motion).\n"
        "       ann: Ballot (voice: aye)\n"
        "       bob: Ballot (voice: no)\n"
        "       cat: Ballot (voice: no)\n"
        "     It decides LOST (P4: none of the above): on to DONE.\n"
        "  5. The verdict is LOST.\n"
        "  => VOTE settles early with CARRIED; with the replies that are still open it could have decided LOST\n"
        f"     Where: {found.counterexample.where if found.counterexample else ''}"
    )


def test_a_settlement_that_leaves_another_state_is_found() -> None:
    def forgetful(state: Poll, replies: Replies) -> Decision[Poll] | None:
        made = settle(state, replies)
        return None if made is None else replace(made, state=replace(made.state, tries=5))

    assert "decided CARRIED and left another state" in result(poll(Node(ask, decide, forgetful)), 7).detail


def test_a_settlement_that_raises_is_an_outcome_that_is_not_defined() -> None:
    def strict(state: Poll, replies: Replies) -> Decision[Poll] | None:
        assert all(isinstance(reply, Ballot) for _, reply in replies)
        return None

    found = result(poll(Node(ask, decide, strict)), 3)
    assert "settle of VOTE raised AssertionError" in found.detail
    assert "absent" in story(found)


def test_replies_that_cannot_all_arrive_are_not_walked() -> None:
    """Whatever the order, two ayes settle before the third reply: what decides on three ayes is never reached."""

    def never_three(state: Poll, replies: Replies) -> Decision[Poll]:
        ayes = [reply for _, reply in replies if isinstance(reply, Ballot) and reply.voice.value == "aye"]
        if len(ayes) == 3:
            raise ValueError("this was settled")
        return decide(state, replies)

    assert result(poll(Node(ask, never_three)), 3).status is ProofStatus.FAILED
    assert result(poll(Node(ask, never_three, settle)), 3).status is ProofStatus.PROVEN
