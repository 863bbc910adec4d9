"""The review's phases: whom each asks and how it decides, and the transition table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare, otherwise
from quorate.core.protocol import Degradation, Interrupt, Limits, Node, When
from quorate.core.types import Question, Reason, Replies
from quorate.core.values import replace
from quorate.kit.qualification import unqualified_fact
from quorate.protocols.review.rules.ballot_count import (
    GONE,
    UNGROUNDED,
    blocking_items,
    count_round,
    doubtful_items,
    ended,
    withheld_vetoes,
)
from quorate.protocols.review.rules.forms import (
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
from quorate.protocols.review.rules.hits import Refutation
from quorate.protocols.review.rules.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    CLAIM_SEVERITY,
    NEVER_DEFERRED,
    PROPOSER,
    SKEPTIC,
    Checked,
    Earlier,
    Item,
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
    file_key,
    file_keys,
    veto_keys,
)
from quorate.protocols.review.rules.narrow import Narrow, claims_to_refute, skeptics_answers
from quorate.protocols.review.rules.readings import Readings


@dataclass(frozen=True, slots=True)
class Review:
    """The review under one choice of settings."""

    settings: ReviewSettings
    seed: int

    @property
    def readings(self) -> Readings:
        return Readings(self.settings)

    # PROPOSAL

    def ask_to_table(self, state: State) -> tuple[Question, ...]:
        if state.checked is Checked.NOT_YET:
            return (Question(CHECKS, "examine", Examination),)
        if to_read := self.readings.asks(state):
            return to_read
        nobody = state.checked is Checked.VETOED or self.settings.narrow
        return () if nobody else (Question(CHAIR, "table", Tabling),)

    def table(self, state: State, replies: Replies) -> Decision[State]:
        if state.checked is Checked.NOT_YET:
            after = self._examined(state, replies.of(CHECKS))
            examined = Test("R4", Outcome.EXAMINED, f"the checks have been asked: {after.checked.value}", True)
            return choose(after, (examined,))
        if self.readings.due(state):
            after, told = self.readings.heard(state, replies)
            claim = f"parts put to readers: {len(replies)}"
            return choose(after, (Test("R43", Outcome.READ, claim, True),), told)
        facts = (Fact.of("tabled", by="chair" if isinstance(replies.of(CHAIR), Tabling) else "code"),)
        return choose(state, (Test("R4", Outcome.TABLED, "the change is tabled", True),), facts)

    def _examined(self, state: State, reply: object) -> State:
        """Return the state with what the checks proved, and the parts in which the change is read (R4, R14, R43)."""
        if not isinstance(reply, Examination) or not reply.applied:
            return replace(state, checked=Checked.FAILED)
        if any(finding.veto is not VetoClass.NONE for finding in reply.findings):
            checked = Checked.VETOED
        elif any(self.settings.blocks(finding.severity) for finding in reply.findings):
            checked = Checked.BLOCKING
        else:
            checked = Checked.CLEAN
        proved = {(file_key(each.file), each.subject) for each in reply.findings}
        after = replace(
            state,
            checked=checked,
            files=reply.files,
            claims=reply.claims,
            proved=tuple(sorted(proved, key=lambda each: (int(each[0][1:]), each[1].value))),
            passed=tuple(dict.fromkeys(reply.passed)),
            unread=reply.parts,
            gap=reply.gap,
            divided=reply.divided,
            answered=False,
        )
        return self.readings.ended(after)

    # DEBATE

    def ask_for_ballots(self, state: State) -> tuple[Question, ...]:
        if state.checked is Checked.VETOED:
            return ()
        files = file_keys(state.files)
        voters = () if self.settings.narrow else state.members
        ballots = tuple(
            Question(member.seat, "ballot", Ballot, (*files, *state.open_of(member.seat))) for member in voters
        )
        if state.claims == 0 or state.judged:
            return ballots
        keys = claim_keys(state.claims)
        return (*ballots, *(Question(member.seat, "judge", ClaimJudgements, keys) for member in state.members))

    def take_ballots(self, state: State, replies: Replies) -> Decision[State]:
        if state.checked is Checked.VETOED:
            return choose(state, (Test("R14", Outcome.CRITICAL_FLAW, "a check has proven a veto", True),))
        if self.settings.narrow:
            return Narrow(self.settings).put_together(state, replies)
        count = count_round(self.settings, state, replies)
        after, numbers = count.state, count.tally
        standing = sum(member.vetoes for member in after.members)
        all_voted = Test("R15", Outcome.CONSENSUS, f"everybody voted and {numbers.arithmetic()}", False)
        tests = (
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
                return (Question(CHECKS, "apply", Examination, tuple(item.key for item in _with_ground(state))),)
            case Step.COMPROMISE | Step.USED_UP:
                offer = Question(BUSINESS_DRIVER, "compromise", Compromise, tuple(veto_keys(state)))
                return (offer, Question(CHAIR, "mediate", Mediation))

    def answer_veto(self, state: State, replies: Replies) -> Decision[State]:
        if self._last(state):
            used_up = compare(
                "R16", Outcome.IRRECONCILABLE, ("round", state.round), ">=", ("rounds", self.settings.rounds)
            )
            return choose(replace(state, step=Step.USED_UP), (used_up,))
        match state.step:
            case Step.AMEND:
                reply = replies.of(PROPOSER)
                patched = isinstance(reply, Amendment) and not reply.blank
                offered = Test("R16", Outcome.AMENDMENT_OFFERED, "the proposer offers a patch", patched)
                return self._no_amendment(state, offered)
            case Step.APPLY:
                reply = replies.of(CHECKS)
                applied = isinstance(reply, Examination) and reply.applied
                amended = Test("R17", Outcome.AMENDED, "the patch applies", applied)
                if isinstance(reply, Examination) and applied:
                    return self._amended(state, reply, amended)
                return self._no_amendment(state, amended)
            case Step.COMPROMISE | Step.USED_UP:
                return self._compromise(state, replies)

    def _amended(self, state: State, reply: Examination, test: Test) -> Decision[State]:
        """Begin anew with the amended change; an item goes on where its ground stands there as well (R17, R39)."""
        places = {each.item: file_key(each.file) for each in reply.kept}
        grounded = _with_ground(state)
        kept = tuple(replace(item, path=places[item.key]) for item in grounded if item.key in places)
        facts = tuple(
            ended(item, GONE if item in grounded else UNGROUNDED)
            for item in state.items
            if item not in grounded or item.key not in places
        )
        fresh = replace(self._again(state, Earlier.AMENDED), judged=False, unmet=(), items=kept, noted=())
        return choose(self._examined(fresh, reply), (test,), facts)

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
        doubtful = doubtful_items(state)
        if self.settings.confirm_items and doubtful and not state.confirmed:
            keys = tuple(item.key for item in doubtful)
            return claims_to_refute(keys) if self.settings.narrow else (Question(SKEPTIC, "doubt", Doubts, keys),)
        return () if self.settings.narrow else (Question(CHAIR, "agree", Agreement),)

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
            self._not_met(state),
            Test("R21", Outcome.REDEBATE, claim, again),
            otherwise("R21", Outcome.NO_QUORUM),
        )
        return choose(self._again(state) if again else state, tests)

    def _not_met(self, state: State) -> Test:
        """Return the test of a quorum that is not met, as what it lacks (R12, R20, R49)."""
        if self._nobody_counts(state):
            return Test("R49", Outcome.QUORUM_MET, "a member has passed the exam, or never sat it", False)
        if self.settings.narrow:
            return Test("R53", Outcome.QUORUM_MET, "a member whose word counts has answered", False)
        if state.deserted:
            return Test("R12", Outcome.QUORUM_MET, "enough members gave a ballot", False)
        return Test("R20", Outcome.QUORUM_MET, "the quorum is met", False)

    def _nobody_counts(self, state: State) -> bool:
        return not any(self.settings.counts(member.seat) for member in state.members)

    def _may_debate_again(self, state: State) -> bool:
        """Return whether a re-debate follows; the seed has none, and ends without quorum at once (R21, R42)."""
        wanted = self.settings.redebate and not self.settings.literal
        return wanted and state.opposed and not self._last(state)

    def _agree(self, state: State, replies: Replies, outcome: Outcome) -> Decision[State]:
        if any(ask.form in (Doubts, Refutation) for ask, _ in replies):
            return self._doubted(state, replies)
        if self.settings.narrow:
            return Narrow(self.settings).concluded(state, outcome)
        chair = isinstance(replies.of(CHAIR), Agreement)
        facts = (Fact.of("agreement", by="chair" if chair else "code"),)
        after = replace(state, missing=state.missing or not chair)
        rule = "R25" if chair else "R26"
        return choose(after, (Test(rule, outcome, "the quorum is met and the agreement is written", True),), facts)

    def _doubted(self, state: State, replies: Replies) -> Decision[State]:
        """Drop items that were refuted; a veto withheld that is confirmed blocks (R23, R38, R48, R52)."""
        standings, refutations = skeptics_answers(replies)
        put, counts = doubtful_items(state), self.settings.counts(SKEPTIC)
        refuted = refutations if counts else frozenset()
        confirmed = {key for key, each in standings.items() if each is Standing.CONFIRMED and counts}
        kept = tuple(
            replace(item, withheld=item.withheld and item.key not in confirmed)
            for item in state.items
            if item.key not in refuted
        )
        facts = tuple(
            Fact.of(
                "item",
                key=item.key,
                path=item.path,
                rule=item.rule.value,
                severity=item.severity.value,
                standing=standings[item.key].value if item.key in standings else "not looked at",
                kept=item.key not in refuted,
            )
            for item in put
        )
        after = replace(state, items=kept, confirmed=True, missing=bool(replies.absent()))
        if replies.present() and not counts:
            facts += (unqualified_fact(SKEPTIC),)
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
        """Return the verdict for the end that was reached (R27 to R29, R42, R49)."""
        if state.vetoed:
            at_limit = state.step is Step.USED_UP and state.checked is not Checked.VETOED
            return Verdict.INCONCLUSIVE if self.settings.literal and at_limit else Verdict.REQUEST_CHANGES
        if state.checked is Checked.NOT_YET:
            return Verdict.ABORTED
        if state.checked is Checked.BLOCKING and self._nobody_counts(state):
            return Verdict.REQUEST_CHANGES
        if state.checked is Checked.FAILED or not state.quorate:
            return Verdict.INCONCLUSIVE
        remaining = blocking_items(state) or self.blocking_claims(state) or state.checked is Checked.BLOCKING
        if remaining:
            return Verdict.REQUEST_CHANGES
        waits = state.unseen or (withheld_vetoes(state) and not self.settings.literal)
        return Verdict.INCONCLUSIVE if waits else Verdict.APPROVED

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


def _with_ground(state: State) -> tuple[Item, ...]:
    """Return the items whose own evidence an amendment may take away (R39)."""
    return tuple(item for item in state.items if item.grounded)


def _yes(value: bool) -> str:
    return "yes" if value else "no"


TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.PROPOSAL: {
        Outcome.EXAMINED: Phase.PROPOSAL,
        Outcome.READ: Phase.PROPOSAL,
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
