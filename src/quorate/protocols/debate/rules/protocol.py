"""The phases of the debate: whom each asks and how it decides. The transition table is at the end.

Rule numbers (D1 to D36) refer to RULES.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare, otherwise
from quorate.core.draw import shuffled
from quorate.core.forms import Key, Keyed
from quorate.core.protocol import Degradation, Interrupt, Limits, Node, When
from quorate.core.types import Absent, Question, Reason, Replies, Seat
from quorate.core.values import replace
from quorate.kit.qualification import WHY, unqualified_fact
from quorate.protocols.debate.rules.model import (
    JUDGE,
    PERSON,
    Agent,
    Answer,
    Answers,
    Critiques,
    DebateSettings,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    Questions,
    Refinement,
    State,
    Summary,
    Synthesis,
    Termination,
    TerminationCondition,
    Verdict,
)
from quorate.protocols.debate.rules.questions import sort_questions
from quorate.protocols.debate.rules.responses import answered, lost, with_words

LEAST_AGENTS = 2
CAP_WITH_GAPS = 40


@dataclass(frozen=True, slots=True)
class Debate:
    """The pure functions of every phase, for given settings and seed."""

    settings: DebateSettings
    seed: int

    # What several phases share

    def labels(self, kind: str, round_: int, seat: Seat) -> dict[Key, Seat]:
        """Return what one seat calls the others in a round: `proposal-1`, … in an order drawn from the seed (D13)."""
        others = [Seat(name) for name in self.settings.agents if name != seat]
        if not self.settings.anonymous:
            return {Key(other): other for other in others}
        drawn = shuffled(others, self.seed, kind, round_, seat)
        return {Key(f"{kind}-{number}"): other for number, other in enumerate(drawn, start=1)}

    def targets(self, state: State, critic: Seat) -> dict[Key, Seat]:
        """Return the authors whose texts a critic is asked about, by label (D13)."""
        active = {agent.seat for agent in state.active}
        labels = self.labels("proposal", state.round, critic)
        return {key: seat for key, seat in labels.items() if seat in active}

    def critics(self, state: State, agent: Agent) -> dict[Key, Seat]:
        """Return the critics whose critiques an agent must answer, by label (D14)."""
        labels = self.labels("critique", state.round, agent.seat)
        return {key: seat for key, seat in labels.items() if seat in agent.critics}

    def _clip(self, size: int) -> int:
        """Cap a size at the threshold it is compared with; 0 without summaries (D11, D18)."""
        summaries = self.settings.summarization
        return min(size, summaries.threshold) if summaries.enabled else 0

    def _retry(self, state: State) -> Test:
        return compare("D21", Outcome.RETRY, ("retries used", state.tries), "<", ("allowed", self.settings.retries))

    def _gather(self, state: State, replies: Replies, complete: Outcome) -> Decision[State]:
        """Go on with all agents, ask the absent ones again, go on without them, or give up (D21 to D23)."""
        absent = replies.absent()
        left = len(state.active) - len(absent)
        tests = (
            compare("D3", complete, ("agents absent", len(absent)), "==", 0),
            self._retry(state),
            compare("D22", Outcome.FALLBACK, ("agents left", left), ">=", ("needed", LEAST_AGENTS)),
            otherwise("D23", Outcome.FAILED),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=_again(state, replies))
        agents = tuple(replace(agent, left=True) if agent.seat in absent else agent for agent in state.agents)
        gone = tuple(Fact.of("left the table", seat=seat) for seat in absent)
        return replace(decision, state=_leave(replace(state, agents=agents)), facts=decision.facts + gone)

    # INITIALIZATION and CLARIFICATION

    def initialize(self, state: State, _: Replies) -> Decision[State]:
        return choose(state, [otherwise("D2", Outcome.START)])

    def ask_for_questions(self, state: State) -> tuple[Question, ...]:
        settings = self.settings
        if not settings.interactive_clarifications or state.iteration >= settings.clarifications_max_iterations:
            return ()
        return tuple(Question(a.seat, "clarify", Questions) for a in state.active if not a.done)

    def take_questions(self, state: State, replies: Replies) -> Decision[State]:
        state, facts = sort_questions(state, replies, self.settings.clarifications_max_per_agent)
        absent, retry = len(replies.absent()), self._retry(state)
        tests = [
            Test("D4", Outcome.ALL_CLEAR, "clarifications are off", not self.settings.interactive_clarifications),
            Test("D21", Outcome.RETRY, f"agents absent {absent} > 0 and retries left", absent > 0 and retry.held),
            compare("D7", Outcome.QUESTIONS_PENDING, ("open questions", len(state.questions)), ">", 0),
            otherwise("D7", Outcome.ALL_CLEAR),
        ]
        decision = choose(state, tests, facts)
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=_again(state, replies))
        if decision.outcome is Outcome.ALL_CLEAR:
            return replace(decision, state=_clarified(state))
        return replace(decision, state=_leave(replace(state, iteration=state.iteration + 1)))

    def ask_person(self, state: State) -> tuple[Question, ...]:
        return (Question(PERSON, "answer", Answers, state.questions),)

    def take_answers(self, state: State, replies: Replies) -> Decision[State]:
        reply = replies.of(PERSON)
        answers = reply.answers if isinstance(reply, Answers) else Keyed[Answer]()
        waiting = tuple(key for key in state.questions if key not in answers or answers[key].blank)
        tests = (
            Test("D8", Outcome.FALLBACK, "the person did not answer", not isinstance(reply, Answers)),
            compare("D8", Outcome.ANSWERS_SUBMITTED, ("questions unanswered", len(waiting)), "==", 0),
            self._retry(state),
            otherwise("D8", Outcome.FALLBACK),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=_again(replace(state, questions=waiting), replies))
        dropped = tuple(Fact.of("question unanswered", id=key) for key in waiting)
        leave = _clarified if decision.outcome is Outcome.FALLBACK else _leave
        return replace(decision, state=leave(replace(state, questions=())), facts=decision.facts + dropped)

    # Rounds

    def manage_round(self, state: State, _: Replies) -> Decision[State]:
        tests = (
            compare("D10", Outcome.BEGIN_ROUND, ("rounds begun", state.round), "<", ("rounds", self.settings.rounds)),
            otherwise("D10", Outcome.MAX_ROUNDS_REACHED),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.BEGIN_ROUND:
            return replace(decision, state=replace(state, round=state.round + 1))
        return decision

    def ask_for_summaries(self, state: State) -> tuple[Question, ...]:
        settings = self.settings.summarization
        long = [a for a in state.active if not a.done and settings.enabled and a.history >= settings.threshold]
        return tuple(Question(agent.seat, "summarize", Summary) for agent in long)

    def take_summaries(self, state: State, replies: Replies) -> Decision[State]:
        replies = with_words(replies)
        most = self.settings.summarization.max_length
        sizes = {ask.seat: min(reply.size, most) for ask, reply in replies if isinstance(reply, Summary)}
        agents = tuple(replace(a, history=self._clip(sizes[a.seat])) if a.seat in sizes else a for a in state.agents)
        state = replace(state, agents=agents)
        absent = len(replies.absent())
        tests = (
            compare("D11", Outcome.CONTEXTS_READY, ("summaries missing", absent), "==", 0),
            self._retry(state),
            otherwise("D11", Outcome.FALLBACK),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=_again(state, replies))
        return replace(decision, state=_leave(state))

    def ask_for_proposals(self, state: State) -> tuple[Question, ...]:
        if state.round > 1:
            return ()  # refinements are carried over (D12)
        return tuple(Question(agent.seat, "propose", Proposal) for agent in state.active if not agent.done)

    def take_proposals(self, state: State, replies: Replies) -> Decision[State]:
        replies = with_words(replies)
        sizes = {ask.seat: reply.size for ask, reply in replies if isinstance(reply, Proposal)}
        state = self._grow(state, sizes) if state.round == 1 else state
        return self._gather(state, replies, Outcome.PROPOSALS_COMPLETE)

    def ask_for_critiques(self, state: State) -> tuple[Question, ...]:
        return tuple(
            Question(agent.seat, "criticise", Critiques, tuple(self.targets(state, agent.seat)))
            for agent in state.active
            if not agent.done
        )

    def take_critiques(self, state: State, replies: Replies) -> Decision[State]:
        critics: dict[Seat, list[Seat]] = {agent.seat: list(agent.critics) for agent in state.agents}
        size = state.critiques
        for ask, reply in replies:
            if isinstance(reply, Critiques):
                size += reply.size
                targets = self.targets(state, ask.seat)
                for key in reply.critiques:
                    critics[targets[key]].append(ask.seat)
        agents = tuple(replace(a, critics=self._in_seat_order(critics[a.seat])) for a in state.agents)
        state = replace(state, agents=agents, critiques=self._clip(size))
        return self._gather(state, replies, Outcome.CRITIQUES_COMPLETE)

    def ask_for_refinements(self, state: State) -> tuple[Question, ...]:
        return tuple(
            Question(agent.seat, "refine", Refinement, tuple(self.critics(state, agent)))
            for agent in state.active
            if not agent.done
        )

    def take_refinements(self, state: State, replies: Replies) -> Decision[State]:
        replies = with_words(replies)
        sizes = {ask.seat: reply.size for ask, reply in replies if isinstance(reply, Refinement)}
        decision = self._gather(self._grow(state, sizes), replies, Outcome.REFINEMENTS_COMPLETE)
        labels = {agent.seat: self.critics(state, agent) for agent in state.agents}
        given = {ask.seat: reply for ask, reply in replies}
        told = (*decision.facts, *answered(labels, given, self.settings.unqualified_seats))
        if decision.outcome is Outcome.RETRY:
            return replace(decision, facts=told)
        told = (*told, *lost(decision.state))
        standing = sum(a.history for a in decision.state.agents if a.left)  # their last texts stay (D22)
        agents = tuple(replace(agent, critics=()) if agent.critics else agent for agent in decision.state.agents)
        texts = self._clip(decision.state.texts + standing)
        return replace(decision, state=replace(decision.state, agents=agents, texts=texts), facts=told)

    # EVALUATION and SYNTHESIS

    def ask_for_evaluation(self, state: State) -> tuple[Question, ...]:
        condition = self.settings.termination_condition
        if condition.type is Termination.FIXED or state.round >= self.settings.rounds or self._note(Outcome.CONTINUE):
            return ()  # where it cannot matter it is not paid for (D15, D16, D36)
        return (Question(JUDGE, f"evaluate-{condition.type.value}", Evaluation),)

    def take_evaluation(self, state: State, replies: Replies) -> Decision[State]:
        condition, reply = self.settings.termination_condition, replies.of(JUDGE)
        fixed = Test("D15", Outcome.CONTINUE, "termination is fixed", condition.type is Termination.FIXED)
        last = compare(
            "D16", Outcome.MAX_ROUNDS_REACHED, ("round", state.round), ">=", ("rounds", self.settings.rounds)
        )
        if not isinstance(reply, Evaluation):
            return self._without_judge(state, replies, (fixed, last, *self._note(Outcome.CONTINUE)), "D24")
        return choose(_leave(state), (convinced(reply.confidence, condition), otherwise("D17", Outcome.CONTINUE)))

    def ask_for_synthesis(self, state: State) -> tuple[Question, ...]:
        settings = self.settings.summarization
        size = state.texts + state.critiques
        if settings.enabled and not state.summarised and size >= settings.threshold:
            return (Question(JUDGE, "summarize-debate", Summary),)
        return (Question(JUDGE, "synthesize", Synthesis),)

    def take_synthesis(self, state: State, replies: Replies) -> Decision[State]:
        replies = with_words(replies)
        ((ask, reply),) = replies
        if ask.form is Summary:
            allowed = ("allowed", self.settings.retries)
            skip = compare("D25", Outcome.CONTEXTS_READY, ("retries used", state.tries), ">=", allowed)
            ready = Test("D18", Outcome.CONTEXTS_READY, "the judge has summarised", not isinstance(reply, Absent))
            decision = choose(state, (ready, skip, otherwise("D21", Outcome.RETRY)))
            if decision.outcome is Outcome.RETRY:
                return replace(decision, state=_again(state, replies))
            return replace(decision, state=_leave(replace(state, summarised=True)))
        if not isinstance(reply, Synthesis) or reply.blank:
            decision = self._without_judge(state, replies, (), "D25")
            missing = decision.outcome is Outcome.FALLBACK
            return replace(decision, state=replace(decision.state, unjudged=missing))
        if note := self._note(Outcome.FALLBACK):
            return choose(_leave(state), note, [unqualified_fact(JUDGE)])
        confidence = counted(reply)
        capped = Fact.of("confidence capped", said=reply.confidence, counts=confidence)
        facts = [capped] if confidence < reply.confidence else []
        state = _leave(replace(state, judged=True, gaps=reply.gaps, confidence=confidence))
        gaps = Test("D20", Outcome.COMPLETE, "a major requirement is unfulfilled", reply.gaps)
        return choose(state, (gaps, otherwise("D20", Outcome.COMPLETE)), facts)

    def _note(self, leads: Outcome) -> tuple[Test, ...]:
        """Return the test that a judge fails whose word is a note; none where it counts (D36)."""
        return (Test("D36", leads, WHY, True),) if JUDGE in self.settings.unqualified_seats else ()

    def _without_judge(self, state: State, replies: Replies, before: tuple[Test, ...], rule: str) -> Decision[State]:
        """Decide when the judge is absent: not needed, asked again, or done without (D21, D24, D25)."""
        decision = choose(state, (*before, self._retry(state), otherwise(rule, Outcome.FALLBACK)))
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=_again(state, replies))
        return replace(decision, state=_leave(state))

    def _grow(self, state: State, sizes: Mapping[Seat, int]) -> State:
        """Count new texts: those of a phase's first entry replace the earlier ones, a retry adds to them (D18)."""
        agents = tuple(
            replace(a, history=self._clip(a.history + sizes[a.seat])) if a.seat in sizes else a for a in state.agents
        )
        before = state.texts if state.tries else 0
        return replace(state, agents=agents, texts=self._clip(before + sum(sizes.values())))

    def _in_seat_order(self, seats: Iterable[Seat]) -> tuple[Seat, ...]:
        order = {name: index for index, name in enumerate(self.settings.agents)}
        return tuple(sorted(seats, key=lambda seat: order[seat]))

    # The value

    def nodes(self) -> dict[Phase, Node[State]]:
        nobody = _nobody
        return {
            Phase.INITIALIZATION: Node(nobody, self.initialize),
            Phase.CLARIFICATION: Node(self.ask_for_questions, self.take_questions),
            Phase.CLARIFICATION_INPUT: Node(self.ask_person, self.take_answers),
            Phase.ROUND_MANAGER: Node(nobody, self.manage_round),
            Phase.SUMMARIZATION: Node(self.ask_for_summaries, self.take_summaries),
            Phase.PROPOSAL: Node(self.ask_for_proposals, self.take_proposals),
            Phase.CRITIQUE: Node(self.ask_for_critiques, self.take_critiques),
            Phase.REFINEMENT: Node(self.ask_for_refinements, self.take_refinements),
            Phase.EVALUATION: Node(self.ask_for_evaluation, self.take_evaluation),
            Phase.SYNTHESIS: Node(self.ask_for_synthesis, self.take_synthesis),
        }

    def limits(self) -> Limits:
        return Limits(self.settings.max_episodes, self.settings.stall_after)

    def degradation(self, state: State) -> Degradation:
        """Return how much of the table was missing at the end (D27)."""
        below = len(state.active) < self.settings.required_agents or (self.settings.judge_required and state.unjudged)
        if below:
            return Degradation.BELOW_SETTINGS
        whole = not state.unjudged and len(state.active) == len(state.agents)
        return Degradation.NONE if whole else Degradation.WITHIN_SETTINGS


def convinced(confidence: int, condition: TerminationCondition) -> Test:
    """Test whether the judge's confidence ends the rounds (D17)."""
    return compare(
        "D17", Outcome.CONSENSUS_REACHED, ("confidence", confidence), ">=", ("threshold", condition.threshold)
    )


def counted(synthesis: Synthesis) -> int:
    """Return the judge's confidence as it counts: capped where there are gaps (D19)."""
    return min(synthesis.confidence, CAP_WITH_GAPS) if synthesis.gaps else synthesis.confidence


def _nobody(_: State) -> tuple[Question, ...]:
    return ()


def _again(state: State, replies: Replies) -> State:
    """Retry the phase, asking only the agents that have not replied (D21)."""
    present = replies.present()
    agents = tuple(replace(a, done=True) if a.seat in present else a for a in state.agents)
    return replace(state, tries=state.tries + 1, agents=agents)


def _leave(state: State) -> State:
    """Clear the state of the current phase; there is none if all replied at once."""
    if not state.tries:
        return state
    agents = tuple(replace(agent, done=False) if agent.done else agent for agent in state.agents)
    return replace(state, tries=0, agents=agents)


def _clarified(state: State) -> State:
    """Clear the counters of the clarifications, which are not needed any more."""
    return _leave(replace(state, iteration=0, issued=0, asked=()))


def _keep(state: State, _: Replies) -> State:
    """Fold nothing into the state: the replies are in the record, and a wrap-up needs none of them."""
    return _leave(state)


TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.INITIALIZATION: {Outcome.START: Phase.CLARIFICATION},
    Phase.CLARIFICATION: {
        Outcome.QUESTIONS_PENDING: Phase.CLARIFICATION_INPUT,
        Outcome.ALL_CLEAR: Phase.ROUND_MANAGER,
        Outcome.RETRY: Phase.CLARIFICATION,
    },
    Phase.CLARIFICATION_INPUT: {
        Outcome.ANSWERS_SUBMITTED: Phase.CLARIFICATION,
        Outcome.RETRY: Phase.CLARIFICATION_INPUT,
        Outcome.FALLBACK: Phase.ROUND_MANAGER,
    },
    Phase.ROUND_MANAGER: {
        Outcome.BEGIN_ROUND: Phase.SUMMARIZATION,
        Outcome.MAX_ROUNDS_REACHED: Phase.SYNTHESIS,
    },
    Phase.SUMMARIZATION: {
        Outcome.CONTEXTS_READY: Phase.PROPOSAL,
        Outcome.RETRY: Phase.SUMMARIZATION,
        Outcome.FALLBACK: Phase.PROPOSAL,
    },
    Phase.PROPOSAL: {
        Outcome.PROPOSALS_COMPLETE: Phase.CRITIQUE,
        Outcome.RETRY: Phase.PROPOSAL,
        Outcome.FALLBACK: Phase.CRITIQUE,
        Outcome.FAILED: Phase.FAILURE,
    },
    Phase.CRITIQUE: {
        Outcome.CRITIQUES_COMPLETE: Phase.REFINEMENT,
        Outcome.RETRY: Phase.CRITIQUE,
        Outcome.FALLBACK: Phase.REFINEMENT,
        Outcome.FAILED: Phase.FAILURE,
    },
    Phase.REFINEMENT: {
        Outcome.REFINEMENTS_COMPLETE: Phase.EVALUATION,
        Outcome.RETRY: Phase.REFINEMENT,
        Outcome.FALLBACK: Phase.EVALUATION,
        Outcome.FAILED: Phase.FAILURE,
    },
    Phase.EVALUATION: {
        Outcome.CONTINUE: Phase.ROUND_MANAGER,
        Outcome.CONSENSUS_REACHED: Phase.SYNTHESIS,
        Outcome.MAX_ROUNDS_REACHED: Phase.SYNTHESIS,
        Outcome.RETRY: Phase.EVALUATION,
        Outcome.FALLBACK: Phase.ROUND_MANAGER,
    },
    Phase.SYNTHESIS: {
        Outcome.CONTEXTS_READY: Phase.SYNTHESIS,
        Outcome.COMPLETE: Phase.CONCLUDED,
        Outcome.RETRY: Phase.SYNTHESIS,
        Outcome.FALLBACK: Phase.CONCLUDED,
    },
}

INTERRUPTS: Mapping[Reason, Interrupt[State]] = {
    Reason.CANCELLED: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.BUDGET: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.EPISODES: Interrupt(Phase.ABORTED, When.NOW, _keep),
    Reason.STALL: Interrupt(Phase.ABORTED, When.AFTER_PHASE, _keep),
    Reason.WISH: Interrupt(Phase.SYNTHESIS, When.AFTER_PHASE, _keep),
}


def conclude(state: State) -> Verdict:
    """Return the conclusion of the debate (D20, D25)."""
    if not state.judged:
        return Verdict.UNJUDGED
    return Verdict.PARTIAL_SOLUTION if state.gaps else Verdict.SOLUTION


VERDICTS = {
    Phase.CONCLUDED: conclude,
    Phase.FAILURE: lambda _: Verdict.FAILED,
    Phase.ABORTED: lambda _: Verdict.ABORTED,
}

EXIT_CODES: Mapping[Verdict, int] = {
    Verdict.SOLUTION: 0,
    Verdict.PARTIAL_SOLUTION: 1,
    Verdict.UNJUDGED: 2,
    Verdict.FAILED: 3,
    Verdict.ABORTED: 3,
}
