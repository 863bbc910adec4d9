"""Planted defects of the review that are made by hand, on the review as a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.forms import Keyed
from quorate.core.protocol import When
from quorate.core.record import Record
from quorate.core.types import Absent, Ask, Question, Reason, Replies, Seat
from quorate.core.view import View
from quorate.protocols.review.rules.forms import Amendment, Ballot, Compromise, Doubts, Examination
from quorate.protocols.review.rules.model import (
    CHAIR,
    CHECKS,
    PROPOSER,
    SKEPTIC,
    Checked,
    Earlier,
    Member,
    Outcome,
    Phase,
    Stance,
    State,
    Step,
    Verdict,
)
from tests.verify.planted import Defect, P, asking, briefs, deciding, interrupting, more, showing, with_node


def hearing(phase: Phase, change: Callable[[Any], Any]) -> Defect:
    """A phase that takes what it hears for something else."""

    def plant(protocol: P) -> P:
        decide = protocol.nodes[phase].decide

        def misheard(state: State, heard: Replies) -> Decision[State]:
            pairs = tuple((ask, reply if isinstance(reply, Absent) else change(reply)) for ask, reply in heard)
            made: Decision[State] = decide(state, Replies(pairs))
            return made

        return with_node(protocol, phase, decide=misheard)

    return plant


def outvoted(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """A majority outvotes a veto."""
    votes = next((dict(fact.values) for fact in made.facts if fact.name == "tally"), None)
    if votes is None:  # a check has proven a veto, and nobody was asked
        return made
    if made.outcome is Outcome.CRITICAL_FLAW and int(votes["synthesis"]) >= int(votes["opposing"]) > 0:
        after = replace(made.state, members=tuple(Member(m.seat) for m in made.state.members), quorate=True)
        return Decision(Outcome.ABSTENTION, after, facts=made.facts)
    return made


def proof_outvoted(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Where all vote for it, what a check has proven is forgotten."""
    ballots = [reply for _, reply in heard if isinstance(reply, Ballot)]
    if made.state.checked is Checked.VETOED and all(each.stance is Stance.SYNTHESIS for each in ballots):
        return Decision(Outcome.CONSENSUS, replace(made.state, checked=Checked.CLEAN, quorate=True), facts=made.facts)
    return made


def refuting(reply: Any) -> Any:
    """Every refutation counts as if it quoted something."""
    if not isinstance(reply, Doubts):
        return reply
    return replace(reply, quoted=tuple(reply.doubts))


def complete(reply: Any) -> Any:
    if not isinstance(reply, Compromise):
        return reply
    return replace(reply, offers=Keyed({key: replace(offer, incomplete=False) for key, offer in reply.offers.items()}))


def any_offer_will_do(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    offered = any(isinstance(reply, Compromise) and len(reply.offers) > 0 for _, reply in heard)
    if made.outcome is Outcome.IRRECONCILABLE and offered:
        members = tuple(Member(m.seat, earlier=Earlier.OFFERED) if m.vetoes else m for m in state.members)
        after = replace(state, members=members, round=state.round + 1, step=Step.AMEND, absent=False, deserted=False)
        return Decision(Outcome.COMPROMISE, after)
    return made


def absent_chair_ends_it(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    alone = made.outcome is Outcome.AGREED and isinstance(heard.of(CHAIR), Absent)
    return replace(made, state=replace(made.state, quorate=False)) if alone else made


def chair_drops_items(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    return replace(made, state=replace(made.state, items=())) if made.outcome is Outcome.AGREED else made


def absent_skeptic_refutes(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    gone = isinstance(heard.of(SKEPTIC), Absent)
    return replace(made, state=replace(made.state, items=())) if gone else made


def amended(change: Callable[[State, State], State]) -> Defect:
    """A defect in what an amendment leaves behind."""

    def after(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
        return replace(made, state=change(state, made.state)) if made.outcome is Outcome.AMENDED else made

    return deciding(Phase.VETO, after)


def lost_checks_are_clean(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    gone = made.state.checked is Checked.FAILED
    return replace(made, state=replace(made.state, checked=Checked.CLEAN)) if gone else made


def unshown_is_clean(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    return replace(made, state=replace(made.state, gap=False)) if made.state.gap else made


def favours_a_seat(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    """Only the first holder's veto outweighs the others."""
    first = next((m.seat for m in state.members if m.seat == "operations-sre"), None)
    members = tuple(Member(m.seat) if m.seat == first else m for m in made.state.members)
    return replace(made, state=replace(made.state, members=members))


def reads_prose(state: State, heard: Replies, made: Decision[State]) -> Decision[State]:
    for _, reply in heard:
        if isinstance(reply, Ballot) and "approve" in reply.opinion.text:
            return replace(made, outcome=Outcome.CONSENSUS, because=())
    return made


def driver_first(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """The business driver is asked although the proposer has not been."""
    seats = [member.seat for member in state.members]
    offer = Question(Seat("business-driver"), "compromise", Compromise)
    return (*asks, offer) if asks and asks[0].seat == PROPOSER and "business-driver" in seats else asks


def counts_what_is_in(state: State, heard: Replies) -> State:
    """A ballot that is cut short counts as it stands."""
    return replace(state, quorate=any(isinstance(reply, Ballot) for _, reply in heard) or state.quorate)


def shows_ballots(record: Record, ask: Ask, seen: View) -> View:
    state: State = record.session.state
    said = [s.reply.opinion.text for s in record.in_round("ballot", state.round) if isinstance(s.reply, Ballot)]
    return more(seen, " ".join(said))


def names_the_members(record: Record, ask: Ask, seen: View) -> View:
    state: State = record.session.state
    return more(seen, ", ".join(str(member.seat) for member in state.members))


def approves_all(protocol: P) -> P:
    conclude = protocol.verdicts[Phase.CONCLUSION]

    def verdict(state: State) -> Any:
        return Verdict.APPROVED if state.quorate or state.vetoed else conclude(state)

    return replace(protocol, verdicts={**protocol.verdicts, Phase.CONCLUSION: verdict})


def also_the_chair(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    return (*asks, Question(CHAIR, "ballot", Ballot, asks[0].keys))


def nobody_applies(state: State, asks: tuple[Question, ...]) -> tuple[Question, ...]:
    """The proposer examines its own patch."""
    return tuple(replace(each, seat=PROPOSER) if each.seat == CHECKS else each for each in asks)


DEFECTS: Mapping[str, Defect] = {
    "a majority outvotes a veto": deciding(Phase.DEBATE, outvoted),
    "a proven secret is voted away": deciding(Phase.DEBATE, proof_outvoted),
    "a refutation without a quotation": hearing(Phase.SYNTHESIS, refuting),
    "an absent skeptic refutes every item": deciding(Phase.SYNTHESIS, absent_skeptic_refutes),
    "a patch that does not apply is an amendment": hearing(
        Phase.VETO, lambda r: replace(r, applied=True) if isinstance(r, Examination) else r
    ),
    "a blank patch is offered": hearing(
        Phase.VETO, lambda r: replace(r, blank=False) if isinstance(r, Amendment) else r
    ),
    "an offer with a blank text is one": hearing(Phase.VETO, complete),
    "an offer on one veto answers all": deciding(Phase.VETO, any_offer_will_do),
    "an amendment lifts the vetoes": amended(
        lambda _, made: replace(made, members=tuple(Member(m.seat) for m in made.members))
    ),
    "an amended change is not examined": amended(lambda state, made: replace(made, checked=state.checked)),
    "an amendment costs no round": amended(lambda state, made: replace(made, round=state.round)),
    "claims are not judged for an amended change": amended(lambda _, made: replace(made, judged=True)),
    "checks that gave no result are clean": deciding(Phase.PROPOSAL, lost_checks_are_clean),
    "what nobody was shown is clean": deciding(Phase.PROPOSAL, unshown_is_clean),
    "the chair's absence changes the verdict": deciding(Phase.SYNTHESIS, absent_chair_ends_it),
    "the chair drops items": deciding(Phase.SYNTHESIS, chair_drops_items),
    "one holder's veto does not count": deciding(Phase.DEBATE, favours_a_seat),
    "a decision reads prose": deciding(Phase.DEBATE, reads_prose),
    "members ballot twice": asking(Phase.DEBATE, lambda _, asks: asks + asks),
    "the chair votes": asking(Phase.DEBATE, also_the_chair),
    "the business driver is asked first": asking(Phase.VETO, driver_first),
    "the proposer examines its own patch": asking(Phase.VETO, nobody_applies),
    "the skeptic is not asked about the last item": asking(
        Phase.SYNTHESIS, lambda _, asks: tuple(replace(each, keys=each.keys[:-1]) for each in asks)
    ),
    "a ballot cut short counts": interrupting(Reason.BUDGET, fold=counts_what_is_in),
    "a cancelled session concludes": interrupting(Reason.CANCELLED, to=Phase.CONCLUSION),
    "a wish cuts a ballot short": interrupting(Reason.WISH, when=When.NOW),
    "a verdict that looks at nothing but the vote": approves_all,
    "a member is shown a ballot of the round under way": showing("ballot", shows_ballots),
    "a member is shown the others' names": showing("ballot", names_the_members),
    "the skeptic's view lacks what it is asked about": showing(
        "doubt", lambda record, ask, seen: replace(seen, sections=seen.sections[:1])
    ),
    "a brief is missing": briefs({"mediate": None}),
    "a brief is not used": briefs({"bribe": "Offer something."}),
}
