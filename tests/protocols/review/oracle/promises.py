"""What must become of a review's state, one function for each promise."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.protocols.review.rules.forms import Agreement, Amendment, Ballot, Compromise, Doubts, Examination
from quorate.protocols.review.rules.model import (
    CHAIR,
    CHECKS,
    SKEPTIC,
    Checked,
    Earlier,
    Item,
    Judgement,
    Member,
    Outcome,
    Phase,
    Stance,
    Standing,
    State,
    Step,
    Verdict,
    VetoClass,
)
from tests.protocols.review.oracle.narrow import is_narrow, refutes, skeptic_missing
from tests.protocols.review.oracle.readings import read_items
from tests.protocols.review.oracle.recount import M, Recount, judged, with_ground

NEVER_DEFERRED = (VetoClass.HARD_CODED_SECRET, VetoClass.SECURITY_HOLE, VetoClass.CIRCULAR_DEPENDENCY)
ANOTHER_BALLOT = (Outcome.AMENDED, Outcome.COMPROMISE, Outcome.REDEBATE)
"""What leads to another ballot, and nothing else does (R5)."""
END = (Outcome.AGREED, Outcome.QUORUM_MET)
UNCHECKED = (Checked.NOT_YET, Checked.FAILED)


def reply_of(moment: M, seat: Seat) -> object:
    """Return a seat's reply in this moment: None if it was not asked, Absent if it gave nothing usable."""
    return next((reply for ask, reply in moment.replies if ask.seat == seat), None)


def stands(member: Member) -> bool:
    """Return whether a veto of this member stands, from the last ballot or answered but not yet lifted."""
    return member.veto is not VetoClass.NONE or member.earlier is not Earlier.NONE


def veto_stands(state: State) -> bool:
    return state.checked is Checked.VETOED or any(stands(member) for member in state.members)


def checks_result(recount: Recount, moment: M) -> bool:
    """Proofs come only from an examination, and only an amended change replaces them (R4, R14, R17)."""
    before, after = moment.state, moment.after
    now = (after.checked, after.files, after.claims)
    known = (before.proved, before.passed)
    reply = reply_of(moment, CHECKS)
    if moment.phase is Phase.PROPOSAL and before.checked is Checked.NOT_YET:
        if not isinstance(reply, Examination) or not reply.applied:
            failed = (Checked.FAILED, before.files, before.claims)
            return now == failed and (after.proved, after.passed) == known
    elif not (moment.outcome is Outcome.AMENDED and isinstance(reply, Examination)):
        return now == (before.checked, before.files, before.claims) and (after.proved, after.passed) == known
    places = {(Key(f"F{each.file}"), each.subject) for each in reply.findings}
    if set(after.proved) != places or set(after.passed) != set(reply.passed):
        return False
    if any(each.veto is not VetoClass.NONE for each in reply.findings):
        return now == (Checked.VETOED, reply.files, reply.claims)
    blocks = any(each.severity in recount.blocking for each in reply.findings)
    return now == (Checked.BLOCKING if blocks else Checked.CLEAN, reply.files, reply.claims)


def proven(recount: Recount, moment: M) -> bool:
    """No approval with a proof of the checks outstanding, and no vote removes a proof (R14)."""
    return checks_result(recount, moment) and (
        moment.verdict is not Verdict.APPROVED or moment.after.checked is Checked.CLEAN
    )


def vetoes_stand(recount: Recount, moment: M) -> bool:
    """A veto begins only with a ballot that counts as one, and ends only with its member's vote (R13)."""
    before, after = moment.state.members, moment.after.members
    if moment.phase is not Phase.DEBATE:
        return [(m.seat, stands(m)) for m in before] == [(m.seat, stands(m)) for m in after]
    count = recount.of(moment)
    ballots = ((ask.seat, reply) for ask, reply in moment.replies if isinstance(reply, Ballot))
    insisting = {seat for seat, ballot in ballots if ballot.stance is Stance.VETO}
    for old, new in zip(before, after, strict=True):
        match count.counts.get(old.seat):
            case Stance.OPPOSE if old.seat in insisting:
                kept = new == old
            case Stance.SYNTHESIS | Stance.OPPOSE:
                kept = not stands(new)
            case Stance.VETO:
                kept = new.veto is count.vetoes[old.seat]
            case _:
                kept = new == old
        if not kept or new.seat != old.seat:
            return False
    return True


def answers_kept(recount: Recount, moment: M) -> bool:
    """The answer to a veto is kept until the next ballot; a refused compromise stays refused (R17, R18)."""
    answers = {Outcome.AMENDED: Earlier.AMENDED, Outcome.COMPROMISE: Earlier.OFFERED}
    for old, new in zip(moment.state.members, moment.after.members, strict=True):
        if moment.phase is Phase.DEBATE:
            expected = Member(old.seat, new.veto, old.earlier if old.earlier is Earlier.OFFERED else Earlier.NONE)
            known = new.veto is VetoClass.NONE or new == expected
        else:
            answer = answers.get(moment.outcome) if stands(old) else None  # type: ignore[call-overload]
            known = new == (old if answer is None else Member(old.seat, earlier=answer))
        if not known:
            return False
    return True


def no_approval_over_veto(recount: Recount, moment: M) -> bool:
    """No approval, and no INCONCLUSIVE but by the seed's limit, while a veto stands (R13 to R15, R29, R42)."""
    if recount.settings.reading.value == "seed" and moment.outcome is Outcome.IRRECONCILABLE:
        return moment.verdict in (Verdict.REQUEST_CHANGES, Verdict.INCONCLUSIVE)
    return moment.verdict in (None, Verdict.ABORTED, Verdict.REQUEST_CHANGES) or not veto_stands(moment.after)


def quorum(recount: Recount, moment: M) -> bool:
    """APPROVED, and REQUEST_CHANGES without a veto, need a ballot that met the quorum, recounted here (R10, R12)."""
    after = moment.after
    if is_narrow(recount) and moment.phase is Phase.DEBATE:
        if after.quorate != (moment.state.answered and not veto_stands(after)):
            return False
    elif moment.phase is Phase.DEBATE and moment.asks:
        met = recount.of(moment).carried and not veto_stands(after)
        if after.quorate != met:
            return False
    elif after.quorate != moment.state.quorate:
        return False
    if moment.verdict is Verdict.REQUEST_CHANGES and _only_checks_count(recount, after):
        return True
    if moment.verdict in (Verdict.APPROVED, Verdict.REQUEST_CHANGES):
        return after.quorate or (veto_stands(after) and moment.verdict is Verdict.REQUEST_CHANGES)
    return True


def rounds(recount: Recount, moment: M) -> bool:
    """A round is added exactly if another ballot follows; there are never more than five (R5)."""
    begun = moment.after.round - moment.state.round
    most = min(recount.settings.rounds, 5)
    return begun == (moment.outcome in ANOTHER_BALLOT) and moment.after.round <= most


def debate_leads(recount: Recount, moment: M) -> bool:
    """One veto outweighs any majority; agreement needs every vote; all else goes to the quorum check (R15)."""
    if moment.phase is not Phase.DEBATE or (is_narrow(recount) and not veto_stands(moment.after)):
        return True
    count = recount.of(moment)
    if veto_stands(moment.after):
        return moment.outcome is Outcome.CRITICAL_FLAW
    agreed = count.unanimous and count.carried
    return moment.outcome is (Outcome.CONSENSUS if agreed else Outcome.ABSTENTION)


def opposition(recount: Recount, moment: M) -> bool:
    """Opposition without a quorum follows from the last ballot alone (R21)."""
    after = moment.after
    if moment.phase is Phase.DEBATE:
        count = recount.of(moment)
        return after.opposed == (count.noes > 0 and not count.carried and not veto_stands(after))
    return after.opposed == (moment.state.opposed and moment.outcome not in ANOTHER_BALLOT)


def attendance(recount: Recount, moment: M) -> bool:
    """Absence, and whether too many were absent, follow from the last ballot alone (R9, R12)."""
    before, after = moment.state, moment.after
    if is_narrow(recount) and moment.phase is Phase.DEBATE:
        return True
    if moment.phase is Phase.DEBATE and moment.asks:
        count = recount.of(moment)
        expected = (len(count.counts) < len(before.members), count.deserted)
    elif moment.outcome in ANOTHER_BALLOT:
        expected = (False, False)
    else:
        expected = (before.absent, before.deserted)
    return (after.absent, after.deserted) == expected


def out_of_veto(recount: Recount, moment: M) -> bool:
    """A veto goes to the proposer, then the business driver, then the end; at once without rounds left (R16)."""
    before, after = moment.state, moment.after
    if moment.phase is not Phase.VETO:
        return after.step is before.step is Step.AMEND
    if before.round >= recount.settings.rounds:
        expected = Outcome.IRRECONCILABLE
    elif before.step is Step.COMPROMISE:
        expected = Outcome.COMPROMISE if _complete(moment) else Outcome.IRRECONCILABLE
    elif amended(moment):
        expected = Outcome.AMENDMENT_OFFERED if before.step is Step.AMEND else Outcome.AMENDED
    else:
        expected = Outcome.NO_AMENDMENT if _negotiable(before) else Outcome.IRRECONCILABLE
    steps = {Outcome.AMENDMENT_OFFERED: Step.APPLY, Outcome.NO_AMENDMENT: Step.COMPROMISE}
    used_up = before.round >= recount.settings.rounds
    return moment.outcome is expected and after.step is (Step.USED_UP if used_up else steps.get(expected, Step.AMEND))


def amended(moment: M) -> bool:
    """Return whether a non-blank patch was offered, or applied, which makes it an amendment (R17)."""
    return any(
        (isinstance(reply, Amendment) and not reply.blank) or (isinstance(reply, Examination) and reply.applied)
        for _, reply in moment.replies
    )


def _negotiable(state: State) -> bool:
    """Return whether a compromise is possible at all (R14, R18)."""
    return (
        state.checked is not Checked.VETOED
        and not any(member.veto in NEVER_DEFERRED or member.earlier is not Earlier.NONE for member in state.members)
        and any(member.seat == "business-driver" for member in state.members)
    )


def _complete(moment: M) -> bool:
    """Return whether every standing veto has a complete offer (R18)."""
    offers = next((reply.offers for _, reply in moment.replies if isinstance(reply, Compromise)), None)
    keys = [Key(f"V{number}") for number in range(1, sum(map(stands, moment.state.members)) + 1)]
    return offers is not None and all(key in offers and not offers[key].incomplete for key in keys)


def compromise(recount: Recount, moment: M) -> bool:
    """No compromise on what cannot be deferred, is proven, had one before, or without a business driver (R18)."""
    if moment.outcome is not Outcome.COMPROMISE:
        return True
    return _negotiable(moment.state) and _complete(moment) and not amended(moment)


def quorum_check(recount: Recount, moment: M) -> bool:
    """A quorum concludes; without one the debate continues if a member opposes and a round is left (R20, R21)."""
    if moment.phase is not Phase.ABSTAIN:
        return True
    state, settings = moment.state, recount.settings
    if state.quorate:
        return moment.outcome in (Outcome.CONFIRMED, Outcome.QUORUM_MET)
    again = settings.redebate and settings.reading.value != "seed" and state.opposed and state.round < settings.rounds
    return moment.outcome is (Outcome.REDEBATE if again else Outcome.NO_QUORUM)


def items_raised(recount: Recount, moment: M) -> bool:
    """The open items are exactly those of before and of this ballot that have not come to an end (R22, R38, R39)."""
    before, after = moment.state, moment.after
    if moment.phase is Phase.DEBATE:
        count = recount.of(moment)
        stay = tuple(item for item in before.items if item.key not in count.ended)
        raised = sum(fact.name == "raised" for fact in count.facts)
        if set(after.noted) != {*before.noted, *count.noted}:
            return False
        return after.items == (*stay, *count.opened) and after.raised == before.raised + raised
    if moment.outcome is Outcome.AMENDED:
        reply = reply_of(moment, CHECKS)
        kept = {each.item: Key(f"F{each.file}") for each in reply.kept} if isinstance(reply, Examination) else {}
        stay = tuple(replace(i, path=kept[i.key]) for i in before.items if i.grounded and i.key in kept)
        return after.items == stay and after.raised == before.raised and not after.noted
    if moment.outcome is Outcome.READ:
        opened = read_items(recount.settings, moment)
        new = tuple(item for item, opens in opened if opens)
        mute = recount.settings.unqualified_seats
        notes = {(i.seat, i.path, i.rule) for i, opens in opened if i.grounded and not opens and i.seat not in mute}
        if set(after.noted) != {*before.noted, *notes}:
            return False
        return after.items == (*before.items, *new) and after.raised == before.raised + len(opened)
    known = moment.outcome is Outcome.CONFIRMED or after.items == before.items
    known = known and after.noted == before.noted
    return known and after.raised == before.raised


def refuted(recount: Recount, moment: M) -> bool:
    """An item is dropped only by a refutation with a quotation; the skeptic is heard once (R23, R38)."""
    before, after = moment.state, moment.after
    if moment.outcome is not Outcome.CONFIRMED:
        return after.confirmed == before.confirmed
    if SKEPTIC in recount.settings.unqualified_seats:
        return after.confirmed and not before.confirmed and after.items == before.items
    gone = [item.key for item in before.items if _refuted(moment, item.key) or refutes(moment, item.key)]
    kept = tuple(_heard(moment, item) for item in before.items if item.key not in gone)
    return after.confirmed and not before.confirmed and after.items == kept


def _heard(moment: M, item: Item) -> Item:
    reply = reply_of(moment, SKEPTIC)
    doubt = reply.doubts.get(item.key) if isinstance(reply, Doubts) else None
    sure = doubt is not None and doubt.standing is Standing.CONFIRMED
    return replace(item, withheld=False) if sure else item


def _refuted(moment: M, key: Key) -> bool:
    reply = reply_of(moment, SKEPTIC)
    if not isinstance(reply, Doubts) or key not in reply.doubts:
        return False
    return reply.doubts[key].standing is Standing.REFUTED and key in reply.quoted


def claims(recount: Recount, moment: M) -> bool:
    """Claims are judged once per version of the change, and the worst judgement wins (R17, R24)."""
    before, after = moment.state, moment.after
    if moment.phase is Phase.DEBATE and moment.asks and before.claims and not before.judged:
        expected = (True, judged(recount.settings, moment))
    elif moment.outcome is Outcome.AMENDED:
        expected = (False, ())
    else:
        expected = (before.judged, before.unmet)
    return (after.judged, after.unmet) == expected


def office_holders(recount: Recount, moment: M) -> bool:
    """The skeptic or chair counts as missing exactly if it is asked at the end and absent (R26, R30)."""
    expected = moment.state.missing
    if moment.outcome is Outcome.CONFIRMED:
        expected = skeptic_missing(moment)
    elif moment.outcome in END and not is_narrow(recount):
        expected = expected or not isinstance(reply_of(moment, CHAIR), Agreement)
    return moment.after.missing == expected


def _only_checks_count(recount: Recount, state: State) -> bool:
    """Return whether a finding of the checks blocks, and no member counts (R49)."""
    seats = {str(member.seat) for member in state.members}
    return state.checked is Checked.BLOCKING and seats <= set(recount.settings.unqualified_seats)


def verdict(recount: Recount, moment: M) -> bool:
    """The verdict is the one that the rules give for the end (R27 to R29)."""
    after = moment.after
    if moment.to not in (Phase.CONCLUSION, Phase.ABORTED):
        return moment.verdict is None
    if moment.to is Phase.ABORTED:
        return moment.verdict is Verdict.ABORTED
    carried = with_ground(after)
    literal = recount.settings.reading.value == "seed"
    if veto_stands(after):
        limit = moment.state.round >= recount.settings.rounds and moment.outcome is Outcome.IRRECONCILABLE
        expected = Verdict.REQUEST_CHANGES
        if literal and limit and after.checked is not Checked.VETOED:
            expected = Verdict.INCONCLUSIVE
    elif after.checked is Checked.NOT_YET:
        expected = Verdict.ABORTED
    elif _only_checks_count(recount, after):
        expected = Verdict.REQUEST_CHANGES
    elif after.checked in UNCHECKED or not after.quorate:
        expected = Verdict.INCONCLUSIVE
    else:
        severities = {Judgement.FAIL: "high", Judgement.INSUFFICIENT_EVIDENCE: "medium"}
        blocking = {severity.value for severity in recount.blocking}
        unmet = any(severities[judgement] in blocking for _, judgement in after.unmet)
        waits = after.unread or after.gap or (any(item.withheld for item in carried) and not literal)
        clean = Verdict.INCONCLUSIVE if waits else Verdict.APPROVED
        blocks = any(not item.withheld for item in carried)
        expected = Verdict.REQUEST_CHANGES if blocks or unmet or after.checked is Checked.BLOCKING else clean
    named = {
        Outcome.IRRECONCILABLE: expected if veto_stands(after) else Verdict.REQUEST_CHANGES,
        Outcome.NO_QUORUM: Verdict.REQUEST_CHANGES if _only_checks_count(recount, after) else Verdict.INCONCLUSIVE,
    }
    return moment.verdict is expected and named.get(moment.outcome, expected) is expected  # type: ignore[call-overload]
