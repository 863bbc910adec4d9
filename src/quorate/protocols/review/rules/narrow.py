"""The narrow review: what code makes of the answers in the place of ballots and of an agreement (R50 to R54)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, otherwise
from quorate.core.forms import Key
from quorate.core.types import Question, Replies
from quorate.core.values import replace
from quorate.kit.qualification import qualified, unqualified_facts
from quorate.protocols.review.rules.forms import Doubts
from quorate.protocols.review.rules.hits import STANDINGS, Refutation
from quorate.protocols.review.rules.judgements import unmet_claims
from quorate.protocols.review.rules.model import SKEPTIC, Outcome, ReviewSettings, Standing, State


@dataclass(frozen=True, slots=True)
class Narrow:
    """What follows from the answers of a narrow review."""

    settings: ReviewSettings

    def put_together(self, state: State, replies: Replies) -> Decision[State]:
        """Decide DEBATE without ballots: by what was answered for, and how the claims were judged (R24, R53)."""
        judged = len(replies) > 0
        unmet = unmet_claims(state.claims, qualified(replies, self.settings.unqualified_seats))
        after = replace(
            state,
            quorate=state.answered and not state.vetoed,
            deserted=not state.answered,
            absent=state.unseen,
            judged=state.judged or judged,
            unmet=unmet if judged else state.unmet,
        )
        tests = (
            Test("R53", Outcome.CONSENSUS, "all of the change is answered for", after.quorate and not state.unseen),
            otherwise("R53", Outcome.ABSTENTION),
        )
        told = tuple(Fact.of("claim unmet", key=key, judgement=each.value) for key, each in after.unmet if judged)
        return choose(after, tests, (*unqualified_facts(replies, self.settings.unqualified_seats), *told))

    def concluded(self, state: State, outcome: Outcome) -> Decision[State]:
        """Conclude without words of the chair (R50)."""
        test = Test("R53", outcome, "the quorum is met, and the answers are put together", True)
        return choose(state, (test,), (Fact.of("agreement", by="code"),))


def claims_to_refute(keys: Sequence[Key]) -> tuple[Question, ...]:
    """Return the questions to the skeptic, one for each hit (R52)."""
    return tuple(Question(SKEPTIC, "refute", Refutation, (key,)) for key in keys)


def skeptics_answers(replies: Replies) -> tuple[Mapping[Key, Standing], frozenset[Key]]:
    """Return what the skeptic makes of each item that it was put, and those that it refutes (R23, R52)."""
    found, refuted = dict[Key, Standing](), set[Key]()
    for ask, reply in replies:
        if isinstance(reply, Doubts):
            found |= {key: each.standing for key, each in reply.doubts.items()}
            refuted |= {key for key in reply.doubts if reply.refutes(key)}
        elif isinstance(reply, Refutation):
            (key,) = ask.keys
            found[key] = STANDINGS[reply.answer]
            refuted |= {key} if found[key] is Standing.REFUTED else set()
    return found, frozenset(refuted)
