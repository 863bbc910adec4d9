"""C24 over all ballots: whatever settles a vote early, no ballot that was not waited for could have changed it.

`verify` walks ballots that treat all items alike, which is exact because items do not meet. Here they are mixed: every
seat is of its own mind on each of two items, or missing, and every part of what they say is heard first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product

import pytest

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.types import Absent, AbsentReason, Replies
from quorate.protocols.council.rules.forms import Ballot, Ballots, Vote
from tests.support.councils import Sitting

LESSER, BLOCKER = "AMBIGUOUS_SCOPE T1 scope", "COUSIN_VIOLATION T3 files_to_create"
GONE = Absent(AbsentReason.FAILED)


def ballot(vote: Vote, refuted: bool = False) -> Ballot:
    return Ballot(Prose(""), Prose(""), vote, refuted)


MINDS = (ballot(Vote.SUPPORT), ballot(Vote.OPPOSE), ballot(Vote.OPPOSE, refuted=True), ballot(Vote.ABSTAIN))


def two_findings(quorum: int) -> Sitting:
    """A lone BLOCKER and a lesser finding, both contested."""
    sitting = Sitting(quorum=quorum).review({"SA-1": [BLOCKER], "SA-2": [LESSER]})
    first, second = {"F1": "DISPUTE", "F2": "CONFIRM"}, {"F1": "CONFIRM", "F2": "DISPUTE"}
    sitting.respond({"SA-1": first, "SA-2": second, "SA-3": "DISPUTE"}).reach("vote")
    assert [each.lone for each in sitting.state.findings] == [False, True]
    return sitting


def finding_and_remedy(quorum: int) -> Sitting:
    """A contested finding and the remediation that its raiser offers."""
    sitting = Sitting(quorum=quorum).review({"SA-1": [LESSER]})
    return sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "DISPUTE"}).reach("vote")


@pytest.mark.parametrize("quorum", [2, 3])
@pytest.mark.parametrize("put", [two_findings, finding_and_remedy])
def test_c24_no_ballot_that_was_not_waited_for_changes_what_was_settled(
    put: Callable[[int], Sitting], quorum: int
) -> None:
    sitting = put(quorum)
    session, node = sitting.record.session, sitting.protocol.nodes[sitting.record.session.phase]
    asks = [ask for ask in session.open if ask.brief == "vote"]
    one, other = map(Key, asks[0].keys)
    minds: list[Reply | Absent] = [
        GONE,
        *(Ballots(Keyed({one: first, other: second})) for first, second in product(MINDS, repeat=2)),
    ]
    early = 0
    assert node.settle is not None
    for said in product(minds, repeat=len(asks)):
        heard = tuple(zip(asks, said, strict=True))
        whole = node.decide(session.state, Replies(heard))
        for some in (each for size in range(len(asks)) for each in combinations(heard, size)):
            settled = node.settle(session.state, Replies(some))
            if settled is not None:
                early += 1
                assert (settled.outcome, settled.state) == (whole.outcome, whole.state)
    assert early > 0
