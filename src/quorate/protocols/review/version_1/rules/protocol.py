"""The review's phases: whom each asks and how it decides, and the transition table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare, otherwise
from quorate.core.protocol import Degradation, Interrupt, Limits, Node, When
from quorate.core.types import Question, Reason, Replies
from quorate.core.values import replace
from quorate.protocols.review.version_1.rules.ballot_count import count_round
from quorate.protocols.review.version_1.rules.forms import (
    Agreement,
    Amendment,
    Ballot,
    ClaimJudgements,
    Compromise,
    Doubts,
    Examination,
    Mediation,
    Tabling,
)
from quorate.protocols.review.version_1.rules.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    CLAIM_SEVERITY,
    NEVER_DEFERRED,
    PROPOSER,
    SKEPTIC,
    Checked,
    Earlier,
    Member,
    Outcome,
    Phase,
    ReviewSettings,
    Standing,
    State,
    Step,
    Verdict,
    VetoClass,
    claim_keys,
    file_keys,
    item_keys,
    veto_keys,
)


@dataclass(frozen=True, slots=True)
class Review:
    """The review under one choice of settings."""

    settings: ReviewSettings
    seed: int

    # PROPOSAL

    def ask_to_table(self, state: State) -> tuple[Question, ...]:
        if state.checked is Checked.NOT_YET:
            return (Question(CHECKS, "examine", Examination),)
        return (Question(CHAIR, "table", Tabling),)

    def table(self, state: State, replies: Replies) -> Decision[State]:
        if state.checked is Checked.NOT_YET:
            after = self._examined(state, replies.of(CHECKS))
            examined = Test("R4", Outcome.EXAMINED, f"the checks have been asked: {after.checked.value}", True)
            return choose(after, (examined,))
        facts = (Fact.of("tabled", by="chair" if isinstance(replies.of(CHAIR), Tabling) else "code"),)
        return choose(state, (Test("R4", Outcome.TABLED, "the change is tabled", True),), facts)

    def _examined(self, state: State, reply: object) -> State:
        """Return the state with what the checks proved, and whether every file is shown (R4, R14, R33)."""
        if not isinstance(reply, Examination) or not reply.examined:
            return replace(state, checked=Checked.FAILED)
        if any(finding.veto is not VetoClass.NONE for finding in reply.findings):
            checked = Checked.VETOED
        elif any(self.settings.blocks(finding.severity) for finding in reply.findings):
            checked = Checked.BLOCKING
        else:
            checked = Checked.UNSHOWN if reply.partial else Checked.CLEAN
        return replace(state, checked=checked, files=reply.files, claims=reply.claims)

    # DEBATE

    def ask_for_ballots(self, state: State) -> tuple[Question, ...]:
        ballots = tuple(Question(member.seat, "ballot", Ballot, file_keys(state.files)) for member in state.members)
        if state.claims == 0 or state.judged:
            return ballots
        keys = claim_keys(state.claims)
        return (*ballots, *(Question(member.seat, "judge", ClaimJudgements, keys) for member in state.members))

    def take_ballots(self, state: State, replies: Replies) -> Decision[State]:
        count = count_round(self.settings, state, replies)
        after, numbers = count.state, count.tally
        standing = sum(member.vetoes for member in after.members)
        all_voted = Test("R15", Outcome.CONSENSUS, f"everybody voted and {numbers.arithmetic()}", False)
        tests = (
            Test("R14", Outcome.CRITICAL_FLAW, "a check has proven a veto", after.checked is Checked.VETOED),
            compare("R15", Outcome.CRITICAL_FLAW, ("vetoes standing", standing), ">=", 1),
            replace(all_voted, held=count.silent == 0 and after.quorate),
            otherwise("R15", Outcome.ABSTENTION),
        )
        return choose(after, tests, count.facts())

    # VETO

    def ask_about_veto(self, state: State) -> tuple[Question, ...]:
        if self._last(state):
            return ()
        match state.step:
            case Step.AMEND:
                return (Question(PROPOSER, "amend", Amendment),)
            case Step.APPLY:
                return (Question(CHECKS, "apply", Examination),)
            case Step.COMPROMISE:
                offer = Question(BUSINESS_DRIVER, "compromise", Compromise, tuple(veto_keys(state)))
                return (offer, Question(CHAIR, "mediate", Mediation))

    def answer_veto(self, state: State, replies: Replies) -> Decision[State]:
        if self._last(state):
            used_up = compare(
                "R16", Outcome.IRRECONCILABLE, ("round", state.round), ">=", ("rounds", self.settings.rounds)
            )
            return self._irreconcilable(state, (used_up,))
        match state.step:
            case Step.AMEND:
                reply = replies.of(PROPOSER)
                patched = isinstance(reply, Amendment) and not reply.blank
                offered = Test("R16", Outcome.AMENDMENT_OFFERED, "the proposer offers a patch", patched)
                return self._no_amendment(state, offered)
            case Step.APPLY:
                reply = replies.of(CHECKS)
                applied = isinstance(reply, Examination) and reply.examined
                amended = Test("R17", Outcome.AMENDED, "the patch applies", applied)
                if applied:
                    fresh = replace(self._again(state, Earlier.AMENDED), judged=False, unmet=())
                    return choose(self._examined(fresh, reply), (amended,))
                return self._no_amendment(state, amended)
            case Step.COMPROMISE:
                return self._compromise(state, replies)

    def _no_amendment(self, state: State, first: Test) -> Decision[State]:
        """Continue with the amendment if one was offered; else seek a compromise if possible, or end (R16, R18)."""
        tests = (first, *self._obstacles(state), otherwise("R16", Outcome.NO_AMENDMENT))
        decision = choose(state, tests)
        match decision.outcome:
            case Outcome.AMENDMENT_OFFERED:
                return replace(decision, state=replace(state, step=Step.APPLY))
            case Outcome.NO_AMENDMENT:
                return replace(decision, state=replace(state, step=Step.COMPROMISE))
            case _:
                return self._irreconcilable(state, tests)

    def _obstacles(self, state: State) -> tuple[Test, ...]:
        """Return the tests of what makes any compromise impossible (R18)."""
        never = sum(member.veto in NEVER_DEFERRED for member in state.members)
        unmoved = sum(member.earlier is not Earlier.NONE for member in state.members)
        seated = any(member.seat == BUSINESS_DRIVER for member in state.members)
        end = Outcome.IRRECONCILABLE
        return (
            Test("R14", end, "a check has proven a veto", state.checked is Checked.VETOED),
            compare("R18", end, ("vetoes of a class that is never deferred", never), ">=", 1),
            compare("R18", end, ("vetoers that refused an answer to their veto, or gave none", unmoved), ">=", 1),
            Test("R18", end, "no business driver sits on the committee", not seated),
        )

    def _compromise(self, state: State, replies: Replies) -> Decision[State]:
        reply, wanted = replies.of(BUSINESS_DRIVER), veto_keys(state)
        offers = reply.offers if isinstance(reply, Compromise) else {}
        good = sum(key in offers and not offers[key].incomplete for key in wanted)
        tests = (
            compare("R18", Outcome.COMPROMISE, ("complete offers", good), ">=", ("vetoes", len(wanted))),
            otherwise("R16", Outcome.IRRECONCILABLE),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.IRRECONCILABLE:
            return self._irreconcilable(state, tests)
        return replace(decision, state=self._again(state, Earlier.OFFERED))

    def _irreconcilable(self, state: State, tests: tuple[Test, ...]) -> Decision[State]:
        return choose(replace(state, step=Step.AMEND), tests)

    def _again(self, state: State, earlier: Earlier = Earlier.NONE) -> State:
        """Return the state for another ballot: the last one's data is reset, but its vetoes stand (R13)."""
        members = tuple(Member(m.seat, earlier=earlier) if m.vetoes else m for m in state.members)
        return replace(
            state,
            members=members,
            round=state.round + 1,
            step=Step.AMEND,
            opposed=False,
            absent=False,
            deserted=False,
        )

    def _last(self, state: State) -> bool:
        return state.round >= self.settings.rounds

    # SYNTHESIS and ABSTAIN

    def ask_to_agree(self, state: State) -> tuple[Question, ...]:
        if self.settings.confirm_items and state.items and not state.confirmed:
            return (Question(SKEPTIC, "doubt", Doubts, item_keys(len(state.items))),)
        return (Question(CHAIR, "agree", Agreement),)

    def agree(self, state: State, replies: Replies) -> Decision[State]:
        return self._agree(state, replies, Outcome.AGREED)

    def ask_about_quorum(self, state: State) -> tuple[Question, ...]:
        if state.quorate:
            return self.ask_to_agree(state)
        if self._may_debate_again(state):
            return (Question(CHAIR, "mediate", Mediation),)
        return ()

    def check_quorum(self, state: State, replies: Replies) -> Decision[State]:
        if state.quorate:
            return self._agree(state, replies, Outcome.QUORUM_MET)
        rounds_left = self.settings.rounds - state.round
        again = self._may_debate_again(state)
        claim = f"rounds left {rounds_left}, opposed {_yes(state.opposed)}, redebate {_yes(self.settings.redebate)}"
        tests = (
            Test("R12", Outcome.QUORUM_MET, "enough members gave a ballot", False)
            if state.deserted
            else Test("R20", Outcome.QUORUM_MET, "the quorum is met", False),
            Test("R21", Outcome.REDEBATE, claim, again),
            otherwise("R21", Outcome.NO_QUORUM),
        )
        return choose(self._again(state) if again else state, tests)

    def _may_debate_again(self, state: State) -> bool:
        return self.settings.redebate and state.opposed and not self._last(state)

    def _agree(self, state: State, replies: Replies, outcome: Outcome) -> Decision[State]:
        ((ask, reply),) = replies
        if ask.form is Doubts:
            return self._doubted(state, reply)
        chair = isinstance(reply, Agreement)
        facts = (Fact.of("agreement", by="chair" if chair else "code"),)
        after = replace(state, missing=state.missing or not chair)
        rule = "R25" if chair else "R26"
        return choose(after, (Test(rule, outcome, "the quorum is met and the agreement is written", True),), facts)

    def _doubted(self, state: State, reply: object) -> Decision[State]:
        """Drop the items that were refuted with a quotation; all others stay (R23)."""
        doubts = reply.doubts if isinstance(reply, Doubts) else {}
        refuted = {key for key, d in doubts.items() if d.standing is Standing.REFUTED and d.quoted}
        keyed = dict(zip(item_keys(len(state.items)), state.items, strict=True))
        kept = tuple(item for key, item in keyed.items() if key not in refuted)
        facts = [
            Fact.of(
                "item",
                key=key,
                path=item.path,
                rule=item.rule.value,
                severity=item.severity.value,
                standing=doubts[key].standing.value if key in doubts else "not looked at",
                kept=key not in refuted,
            )
            for key, item in keyed.items()
        ]
        heard = isinstance(reply, Doubts)
        after = replace(state, items=kept, confirmed=True, missing=not heard)
        return choose(after, (Test("R23", Outcome.CONFIRMED, "the items have been put to the skeptic", True),), facts)

    # The value

    def nodes(self) -> dict[Phase, Node[State]]:
        return {
            Phase.PROPOSAL: Node(self.ask_to_table, self.table),
            Phase.DEBATE: Node(self.ask_for_ballots, self.take_ballots),
            Phase.VETO: Node(self.ask_about_veto, self.answer_veto),
            Phase.SYNTHESIS: Node(self.ask_to_agree, self.agree),
            Phase.ABSTAIN: Node(self.ask_about_quorum, self.check_quorum),
        }

    def conclude(self, state: State) -> Verdict:
        """Return the verdict for the end that was reached (R27 to R29)."""
        if state.vetoed:
            return Verdict.REQUEST_CHANGES
        if state.checked is Checked.NOT_YET:
            return Verdict.ABORTED
        if state.checked is Checked.FAILED or not state.quorate:
            return Verdict.INCONCLUSIVE
        remaining = state.items or self.blocking_claims(state) or state.checked is Checked.BLOCKING
        if remaining:
            return Verdict.REQUEST_CHANGES
        return Verdict.INCONCLUSIVE if state.checked is Checked.UNSHOWN else Verdict.APPROVED

    def blocking_claims(self, state: State) -> tuple[str, ...]:
        """Return the claims whose item blocks (R24)."""
        return tuple(key for key, judged in state.unmet if self.settings.blocks(CLAIM_SEVERITY[judged]))

    def limits(self) -> Limits:
        return Limits(self.settings.max_episodes)

    def degradation(self, state: State) -> Degradation:
        """Return how much of the table was missing at the end (R30)."""
        if state.deserted or state.checked in (Checked.FAILED, Checked.NOT_YET):
            return Degradation.BELOW_SETTINGS
        missing = state.absent or state.missing
        return Degradation.WITHIN_SETTINGS if missing else Degradation.NONE


def _keep(state: State, _: Replies) -> State:
    """Keep the state of a ballot that is cut short; its replies stay in the record only (R29)."""
    return state


def _yes(value: bool) -> str:
    return "yes" if value else "no"


TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.PROPOSAL: {
        Outcome.EXAMINED: Phase.PROPOSAL,
        Outcome.TABLED: Phase.DEBATE,
    },
    Phase.DEBATE: {
        Outcome.CRITICAL_FLAW: Phase.VETO,
        Outcome.CONSENSUS: Phase.SYNTHESIS,
        Outcome.ABSTENTION: Phase.ABSTAIN,
    },
    Phase.VETO: {
        Outcome.AMENDMENT_OFFERED: Phase.VETO,
        Outcome.NO_AMENDMENT: Phase.VETO,
        Outcome.AMENDED: Phase.PROPOSAL,
        Outcome.COMPROMISE: Phase.DEBATE,
        Outcome.IRRECONCILABLE: Phase.CONCLUSION,
    },
    Phase.SYNTHESIS: {
        Outcome.CONFIRMED: Phase.SYNTHESIS,
        Outcome.AGREED: Phase.CONCLUSION,
    },
    Phase.ABSTAIN: {
        Outcome.CONFIRMED: Phase.ABSTAIN,
        Outcome.QUORUM_MET: Phase.CONCLUSION,
        Outcome.REDEBATE: Phase.DEBATE,
        Outcome.NO_QUORUM: Phase.CONCLUSION,
    },
}

INTERRUPTS: Mapping[Reason, Interrupt[State]] = {
    Reason.CANCELLED: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.BUDGET: Interrupt(Phase.CONCLUSION, When.NOW, _keep),
    Reason.EPISODES: Interrupt(Phase.CONCLUSION, When.NOW, _keep),
    Reason.STALL: Interrupt(Phase.CONCLUSION, When.AFTER_PHASE, _keep),
    Reason.WISH: Interrupt(Phase.CONCLUSION, When.AFTER_PHASE, _keep),
}

EXIT_CODES: Mapping[Verdict, int] = {
    Verdict.APPROVED: 0,
    Verdict.REQUEST_CHANGES: 1,
    Verdict.INCONCLUSIVE: 2,
    Verdict.ABORTED: 3,
}
