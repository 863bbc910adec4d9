"""The review's invariants: short statements about one move, which `verify` proves of every session.

They decide nothing; `ballot_count` does, and the verifier and the tests' oracle decide it again, each from RULES.md.
"""

from __future__ import annotations

from collections.abc import Callable

from quorate.core.protocol import Degradation, Invariant, Moment
from quorate.core.types import Reason
from quorate.kit.qualification import qualified
from quorate.protocols.review.rules.ballot_count import doubtful_items
from quorate.protocols.review.rules.coverage import nothing_unread, readers
from quorate.protocols.review.rules.forms import Ballot, ClaimJudgements, Compromise, Doubts, Examination
from quorate.protocols.review.rules.hits import Refutation
from quorate.protocols.review.rules.item_invariants import (
    ballots_of,
    ended_by_its_rule,
    no_lost_veto,
    nothing_carried_remains,
    one_fate,
    raised_as_said,
    somebody_judged,
)
from quorate.protocols.review.rules.model import (
    BUSINESS_DRIVER,
    CHECKS,
    CLAIM_SEVERITY,
    NEVER_DEFERRED,
    PROPOSER,
    Checked,
    Earlier,
    Judgement,
    Outcome,
    Phase,
    ReviewSettings,
    Stance,
    State,
    Step,
    Verdict,
    VetoClass,
    veto_keys,
)
from quorate.protocols.review.rules.narrow_invariants import NARROW
from quorate.protocols.review.rules.qualification import QUALIFICATION, checks_decide

M = Moment[State]
Check = Callable[[ReviewSettings, M], bool]
ANOTHER_BALLOT = (Outcome.AMENDED, Outcome.COMPROMISE, Outcome.REDEBATE)  # nothing else leads to one (R5)


def _examined(moment: M) -> list[Examination]:
    """Return the checks' report of this moment, if it became the result of the checks."""
    reported = moment.outcome in (Outcome.EXAMINED, Outcome.AMENDED)
    return [reply for _, reply in moment.replies if isinstance(reply, Examination) and reply.applied and reported]


# Verdicts


def no_approval_over_veto(settings: ReviewSettings, moment: M) -> bool:
    """While a veto stands the verdict is REQUEST_CHANGES, or the session was aborted (R13 to R15, R29, R42)."""
    limit = settings.literal and moment.phase is Phase.VETO and moment.after.checked is not Checked.VETOED
    allowed = {None, Verdict.ABORTED, Verdict.REQUEST_CHANGES, *([Verdict.INCONCLUSIVE] if limit else [])}
    return not moment.after.vetoed or moment.verdict in allowed


def quorum(settings: ReviewSettings, moment: M) -> bool:
    """APPROVED, and REQUEST_CHANGES without a veto, need a quorum and a vote for it (R10, R12, R20, R27, R49)."""
    after = moment.after
    vetoed = after.vetoed or checks_decide(settings, moment)
    if moment.phase is Phase.DEBATE and moment.interrupted is None:
        in_favour = settings.narrow or any(ballot.stance is Stance.SYNTHESIS for ballot in ballots_of(moment).values())
        if after.quorate and (after.vetoed or after.deserted or after.opposed or not in_favour):
            return False
    elif after.quorate != moment.state.quorate:
        return False
    decides = moment.verdict is Verdict.APPROVED or (moment.verdict is Verdict.REQUEST_CHANGES and not vetoed)
    return after.quorate or not decides


def proven(settings: ReviewSettings, moment: M) -> bool:
    """What the checks report stands until they examine an amended change, and a proof is never approved (R4, R14)."""
    checked, reports = moment.after.checked, _examined(moment)
    found = [finding for report in reports for finding in report.findings]
    if any(finding.veto is not VetoClass.NONE for finding in found):
        return checked is Checked.VETOED
    if any(settings.blocks(finding.severity) for finding in found) and checked is not Checked.BLOCKING:
        return False
    if moment.outcome is Outcome.EXAMINED and not reports:
        return checked is Checked.FAILED
    if moment.outcome not in (Outcome.EXAMINED, Outcome.AMENDED) and checked is not moment.state.checked:
        return False
    return moment.verdict is not Verdict.APPROVED or checked is Checked.CLEAN


def nothing_remains(settings: ReviewSettings, moment: M) -> bool:
    """An approval leaves no fix item and no claim whose item blocks (R24, R27)."""
    unmet = (CLAIM_SEVERITY[judgement] for _, judgement in moment.after.unmet)
    blocks = any(map(settings.blocks, unmet)) and moment.verdict is Verdict.APPROVED
    return nothing_carried_remains(settings, moment) and not blocks


def ends(settings: ReviewSettings, moment: M) -> bool:
    """An irreconcilable veto requests changes, no quorum waits for a person, unexamined is aborted (R28, R29)."""
    if moment.verdict is not None and moment.after.checked is Checked.NOT_YET:
        return moment.verdict is Verdict.ABORTED
    if moment.outcome is Outcome.IRRECONCILABLE:
        used_up = moment.state.round >= settings.rounds and moment.after.checked is not Checked.VETOED
        wanted = Verdict.INCONCLUSIVE if settings.literal and used_up else Verdict.REQUEST_CHANGES
        return moment.verdict is wanted and moment.after.vetoed
    wanted = Verdict.REQUEST_CHANGES if checks_decide(settings, moment) else Verdict.INCONCLUSIVE
    return moment.outcome is not Outcome.NO_QUORUM or moment.verdict is wanted


def degraded(settings: ReviewSettings, moment: M) -> bool:
    """A verdict says how much of the table was missing, and never too little (R30)."""
    after = moment.after
    if moment.verdict is None:
        return moment.degradation is None
    if after.deserted or after.checked in (Checked.NOT_YET, Checked.FAILED):
        return moment.degradation is Degradation.BELOW_SETTINGS
    return (moment.degradation is Degradation.NONE) != (after.absent or after.missing)


# Order


def voters(settings: ReviewSettings, moment: M) -> bool:
    """Only members vote, each once in a round (R1, R3)."""
    asked = [ask.seat for ask in moment.asks if ask.form is Ballot]
    members = [member.seat for member in moment.state.members]
    ballot = moment.phase is Phase.DEBATE and moment.state.checked is not Checked.VETOED and not settings.narrow
    return asked == (members if ballot else [])


def no_call_for_a_proof(settings: ReviewSettings, moment: M) -> bool:
    """While a proof of the checks stands only the proposer is asked, and the checks (R14)."""
    return moment.state.checked is not Checked.VETOED or all(ask.seat in (PROPOSER, CHECKS) for ask in moment.asks)


def rounds(settings: ReviewSettings, moment: M) -> bool:
    """A round is added exactly if another ballot follows; there are never more than five (R5)."""
    begun = moment.after.round - moment.state.round
    return begun == (moment.outcome in ANOTHER_BALLOT) and moment.after.round <= min(settings.rounds, 5)


def examined_first(settings: ReviewSettings, moment: M) -> bool:
    """The change is examined before it is read and tabled (R4, R43)."""
    return moment.phase is not Phase.PROPOSAL or (moment.outcome is Outcome.EXAMINED) == (
        moment.state.checked is Checked.NOT_YET
    )


def debate_leads(settings: ReviewSettings, moment: M) -> bool:
    """One veto outweighs any majority; agreement needs a quorum and everybody's vote (R15)."""
    if moment.phase is not Phase.DEBATE:
        return True
    if moment.after.vetoed or moment.outcome is Outcome.CRITICAL_FLAW:
        return moment.after.vetoed and moment.outcome is Outcome.CRITICAL_FLAW
    voted = sum(ballot.stance is not Stance.ABSTAIN for ballot in ballots_of(moment).values())
    everybody = moment.after.quorate and (settings.narrow or voted == len(moment.state.members))
    return moment.outcome is Outcome.ABSTENTION or everybody


def quorum_check(settings: ReviewSettings, moment: M) -> bool:
    """Without a quorum the debate goes on only while somebody opposes and a round is left (R20, R21)."""
    state = moment.state
    if moment.outcome is Outcome.REDEBATE:
        return settings.redebate and state.opposed and not state.quorate and state.round < settings.rounds
    return moment.phase is not Phase.ABSTAIN or (moment.outcome is Outcome.NO_QUORUM) != state.quorate


# Vetoes


def vetoes_stand(settings: ReviewSettings, moment: M) -> bool:
    """A veto begins with its member's veto, stands on any, and ends with its vote for or against (R13)."""
    ballots = ballots_of(moment)
    for old, new in zip(moment.state.members, moment.after.members, strict=True):
        said = ballots[old.seat].stance if old.seat in ballots else Stance.ABSTAIN
        by = (Stance.VETO,) if new.vetoes else (Stance.SYNTHESIS, Stance.OPPOSE)
        if new.seat != old.seat or (new.vetoes != old.vetoes and said not in by):
            return False
    return True


def out_of_veto(settings: ReviewSettings, moment: M) -> bool:
    """The proposer comes first, then the business driver; when the rounds are used up nobody is asked (R16, R17)."""
    if moment.phase is not Phase.VETO:
        return True
    if moment.state.round >= settings.rounds:
        return not moment.asks and moment.outcome is Outcome.IRRECONCILABLE
    came_from = {Outcome.AMENDED: Step.APPLY, Outcome.COMPROMISE: Step.COMPROMISE}
    applied = moment.outcome is not Outcome.AMENDED or bool(_examined(moment))
    return applied and came_from.get(moment.outcome, moment.state.step) is moment.state.step  # type: ignore[call-overload]


def compromise(settings: ReviewSettings, moment: M) -> bool:
    """No compromise on what is proven, never deferred or was answered before; each veto has a full offer (R14, R18)."""
    state = moment.state
    offers = [reply.offers for _, reply in moment.replies if isinstance(reply, Compromise)]
    deferrable = not any(each.veto in NEVER_DEFERRED or each.earlier is not Earlier.NONE for each in state.members)
    seated = any(member.seat == BUSINESS_DRIVER for member in state.members)
    offered = any(all(key in each and not each[key].incomplete for key in veto_keys(state)) for each in offers)
    allowed = state.checked is not Checked.VETOED and deferrable and seated and offered
    return moment.outcome is not Outcome.COMPROMISE or allowed


def one_compromise(settings: ReviewSettings, moment: M) -> bool:
    """A member that refuses its compromise is not offered another on the same change (R18)."""
    pairs = zip(moment.state.members, moment.after.members, strict=True)
    refused = [new for old, new in pairs if old.earlier is Earlier.OFFERED and new.vetoes]
    return moment.outcome is Outcome.AMENDED or all(each.earlier is Earlier.OFFERED for each in refused)


# Items and claims


def skeptic_heard(settings: ReviewSettings, moment: M) -> bool:
    """Nothing is agreed before the skeptic was put every item that would block, once (R23, R25)."""
    agreed = moment.outcome in (Outcome.AGREED, Outcome.QUORUM_MET)
    asked = {key for ask in moment.asks if ask.form in (Doubts, Refutation) for key in ask.keys}
    about, before = {item.key for item in doubtful_items(moment.state)}, moment.state.confirmed
    if moment.outcome is Outcome.CONFIRMED:
        return moment.after.confirmed and not before and asked == about
    heard = before or not (agreed and settings.confirm_items and about)
    return heard and (not asked or asked == about)


def claims(settings: ReviewSettings, moment: M) -> bool:
    """A claim that a member failed is not met until an amended change is judged (R17, R24)."""
    if moment.outcome is Outcome.AMENDED:
        return not moment.after.judged
    replies = [reply for _, reply in qualified(moment.replies, settings.unqualified_seats)]
    given = [item for reply in replies if isinstance(reply, ClaimJudgements) for item in reply.claims.items()]
    failed = {key for key, each in given if each.judgement is Judgement.FAIL}
    unmet = dict(moment.after.unmet)
    return all(unmet.get(key) is Judgement.FAIL for key in failed) and (
        moment.phase is Phase.DEBATE or moment.after.unmet == moment.state.unmet
    )


VERDICTS: tuple[tuple[str, str, Check], ...] = (
    ("no approval while a veto stands", "R13-R15 R29", no_approval_over_veto),
    ("no verdict without its quorum", "R10 R12 R20 R27", quorum),
    ("a proven secret never ends APPROVED", "R4 R14 R17", proven),
    ("no approval while something was shown to nobody", "R27 R43 R45", nothing_unread),
    ("no approval while a fix item or a claim blocks", "R24 R27", nothing_remains),
    ("an end without an agreement has its verdict", "R28 R29", ends),
    ("a verdict says how much of the table was missing", "R30", degraded),
    ("every finding raised has exactly one fate", "R22 R39 R41", one_fate),
    ("no approval with a veto that left no trace", "R7 R8 R38", no_lost_veto),
    ("no approval that nobody judged", "R10 R12", somebody_judged),
)
"""They hold at interruptions too."""
DECISIONS: tuple[tuple[str, str, Check], ...] = (
    ("only members vote, each once in a round", "R1 R3", voters),
    ("always ends within five ballots", "R5", rounds),
    ("the change is examined before it is tabled", "R4", examined_first),
    ("one veto outweighs any majority, agreement needs everybody's vote", "R15", debate_leads),
    ("without quorum the debate goes on only while somebody opposes and a round is left", "R20 R21", quorum_check),
    ("a veto stands until its member votes otherwise", "R13", vetoes_stand),
    ("parts of a large change are put to members, as many as the settings allow", "R43 R44", readers),
    ("out of a veto the proposer comes first, then the business driver", "R16 R17", out_of_veto),
    ("no compromise where there must be none", "R14 R18", compromise),
    ("each veto has one compromise", "R18", one_compromise),
    ("an item opens as it was said, and its evidence counts as it was found", "R8 R22 R38 R40", raised_as_said),
    ("an item ends by its member, by an amendment or by a refutation alone", "R23 R38 R39", ended_by_its_rule),
    ("a proof costs no call of a model", "R14", no_call_for_a_proof),
    ("the skeptic is heard before anything is agreed", "R23 R25", skeptic_heard),
    ("a claim that a member failed is not met", "R17 R24", claims),
)


def interruption(settings: ReviewSettings, moment: M) -> bool:
    """An interruption ends the session and changes nothing; a wish and a stall withdraw no ask (R29)."""
    if moment.interrupted is None:
        return True
    target = Phase.ABORTED if moment.interrupted is Reason.CANCELLED else Phase.CONCLUSION
    withdrawn = moment.interrupted in (Reason.WISH, Reason.STALL) and moment.asks
    return moment.to is target and moment.after == moment.state and not withdrawn


def invariants(settings: ReviewSettings) -> tuple[Invariant[State], ...]:
    """Return the review's invariants under these settings; phases that others add have their own."""

    def named(name: str, rule: str, check: Check) -> Invariant[State]:
        return Invariant(name, rule, lambda moment: not isinstance(moment.phase, Phase) or check(settings, moment))

    def decided(check: Check) -> Check:
        return lambda settings, moment: moment.interrupted is not None or check(settings, moment)

    return (
        *(named(*each) for each in (*VERDICTS, *(NARROW if settings.narrow else ()))),
        *(named(*each) for each in (QUALIFICATION if settings.unqualified_seats else ())),
        *(named(name, rule, decided(check)) for name, rule, check in DECISIONS),
        named("an interruption decides nothing and keeps what is decided", "R29", interruption),
    )
