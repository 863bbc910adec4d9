"""The phases of the workshop: whom each asks and how it decides. The transition table is at the end."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.decisions import Decision, Fact, Test, choose, otherwise
from quorate.core.forms import Key
from quorate.core.protocol import Degradation, Interrupt, Limits, Node, When
from quorate.core.types import Question, Reason, Replies
from quorate.core.values import replace
from quorate.kit.lifecycle import advance
from quorate.protocols.workshop.rules.agreement import (
    confidence_of,
    confirmed,
    contest,
    denials,
    judges,
    take_votes,
)
from quorate.protocols.workshop.rules.closure import close_topics, conditions, to_put
from quorate.protocols.workshop.rules.focus import (
    begin_round,
    candidates,
    contestable,
    drafts,
    next_place,
    topic_in_focus,
    votes_now,
)
from quorate.protocols.workshop.rules.forms import (
    AgendaReport,
    Focus,
    PauseChoice,
    PauseReply,
    Reading,
    Response,
    Ruling,
    RulingChoice,
    Votes,
)
from quorate.protocols.workshop.rules.holds import confirm, next_ids
from quorate.protocols.workshop.rules.lives import ROUND, SESSION, RoundEvent, RoundStage, Trigger
from quorate.protocols.workshop.rules.model import (
    CLERK,
    FACILITATOR,
    MOST_LOST,
    MOST_TOPICS,
    PERSON,
    Member,
    Outcome,
    Phase,
    State,
    Topic,
    Verdict,
)
from quorate.protocols.workshop.rules.next_action import BY_READING, Action, next_action
from quorate.protocols.workshop.rules.parts import part_for
from quorate.protocols.workshop.rules.plan import Plan
from quorate.protocols.workshop.rules.rulings import by_person, choice_of, issue, not_put, reasons, with_more_rounds
from quorate.protocols.workshop.rules.settings import EscalateOn
from quorate.protocols.workshop.rules.synthesis import SYNTHESES, Synthesis
from quorate.protocols.workshop.rules.synthesis_effects import criterion, process
from quorate.protocols.workshop.rules.taxonomy import MAKES

TOPICS = tuple(Key(f"T{number}") for number in range(1, MOST_TOPICS + 1))
_ACTIONS = {
    Action.CONTINUE: Outcome.CONTINUE,
    Action.CONCLUDE: Outcome.CONCLUDE,
    Action.ESCALATE: Outcome.ESCALATE,
}
_RESUMES = {
    RoundStage.QUESTION: Outcome.RESUME_QUESTION,
    RoundStage.RESPONSES: Outcome.RESUME_RESPONSES,
    RoundStage.SYNTHESIS: Outcome.RESUME_SYNTHESIS,
    RoundStage.ARTIFACTS: Outcome.RESUME_PROCESSING,
}


class Workshop:
    """The functions of one workshop, for its plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.settings = plan.settings

    def start(self) -> State:
        return State(tuple(Member(seat) for seat in self.plan.participants))

    # OPENING

    def ask_for_agenda(self, _: State) -> tuple[Question, ...]:
        return (Question(CLERK, "agenda", AgendaReport, TOPICS),)

    def take_agenda(self, state: State, replies: Replies) -> Decision[State]:
        reply = replies.of(CLERK)
        topics = reply.topics if isinstance(reply, AgendaReport) else ()
        readable = bool(topics)
        tests = (
            Test("W2", Outcome.UNREADABLE, "the agenda has no topics", not readable),
            otherwise("W2", Outcome.OPENED),
        )
        if not readable:
            return choose(_closed(state, Trigger.ERROR), tests)
        some = any(topic.required for topic in topics)  # where nothing is required everything is
        read = tuple(
            Topic(each.key, each.required or not some, each.criteria, each.minimum, each.counts, each.stage.stage)
            for each in topics
        )
        assert isinstance(reply, AgendaReport)
        state = replace(state, topics=read, parts=reply.parts, unlisted=reply.unlisted)
        return choose(begin_round(state, self.plan), tests)

    # QUESTION

    def ask_for_question(self, state: State) -> tuple[Question, ...]:
        return (Question(FACILITATOR, "question", Focus, candidates(state, self.plan)),)

    def take_question(self, state: State, replies: Replies) -> Decision[State]:
        reply = replies.of(FACILITATOR)
        asked = isinstance(reply, Focus) and not reply.blank
        focus = reply.focus if isinstance(reply, Focus) else candidates(state, self.plan)[0]
        state = replace(
            state,
            focus=focus,
            stage=advance(ROUND, state.stage, RoundEvent.ASKED),
            missed=state.missed or not asked,
        )
        tests = (
            Test("W8", Outcome.ASKED, "the facilitator asks", asked),
            otherwise("W8", Outcome.FALLBACK),
        )
        return choose(state, tests, (Fact.of("focus", key=focus),))

    # RESPONSES

    def ask_for_responses(self, state: State) -> tuple[Question, ...]:
        if votes_now(state, self.plan):
            voted = (*drafts(state), *(each.id for each in state.rulings))
            return tuple(Question(member.seat, "vote", Votes, voted) for member in state.members)
        keys = (*contestable(state), *(each.id for each in state.rulings))
        return tuple(Question(member.seat, "respond", Response, keys) for member in state.members)

    def take_responses(self, state: State, replies: Replies) -> Decision[State]:
        said = {ask.seat: reply for ask, reply in replies}
        voting, voted = votes_now(state, self.plan), drafts(state)
        members = tuple(self._heard(each, said[each.seat]) for each in state.members)
        state = replace(state, members=members)
        read = {part for each in self.plan.voices(state) for part in (1, part_for(state, self.plan, each.seat))}
        state = replace(
            state,
            missed=state.missed or any(each.confidence is None for each in members),
            stage=advance(ROUND, state.stage, RoundEvent.RESPONDED),
            read=tuple(sorted({*state.read, *read})),
        )
        denied = tuple(Fact.of("denied", id=k, by=", ".join(seats)) for k, seats in denials(state, replies).items())
        state, applied = confirm(state, tuple(confirmed(state, replies)))
        if voting:
            state, facts = take_votes(state, self.plan, voted, replies)
        else:
            contested = {key for _, reply in replies if isinstance(reply, Response) for key in reply.contested}
            state, facts = contest(state, contested)
        facts = (*applied, *denied, *facts)
        answered = len(state.answered)
        tests = (
            Test("W13", Outcome.NO_RESPONSES, f"responses {answered} == 0", answered == 0),
            otherwise("W10", Outcome.RESPONDED),
        )
        return choose(state, tests, facts)

    def _heard(self, member: Member, reply: object) -> Member:
        sure = confidence_of(reply)
        return replace(
            member,
            confidence=sure,
            heard=member.heard or sure is not None,
            judged=member.judged or (judges(reply) and self.plan.counts(member.seat)),
        )

    # SYNTHESIS

    def ask_for_synthesis(self, state: State) -> tuple[Question, ...]:
        if not state.answered:
            return ()
        positions = tuple(self.plan.position(member.seat) for member in state.members)
        heard = tuple(self.plan.position(member.seat) for member in state.answered)
        topic = topic_in_focus(state)
        assert topic is not None
        unmet = tuple(criterion(n) for n in range(1, topic.criteria + 1) if n not in topic.met)
        artifacts = tuple(each.id for each in state.artifacts)  # what may not be moved is refused by name (W14)
        new = next_ids(state, MAKES[self.settings.workflow])
        form = SYNTHESES[self.settings.workflow]
        return (
            Question(FACILITATOR, "synthesise", form, (*positions, *unmet, topic.key, *artifacts, *new)),
            Question(CLERK, "read", Reading, heard),
        )

    def take_synthesis(self, state: State, replies: Replies) -> Decision[State]:
        reply, reading = replies.of(FACILITATOR), replies.of(CLERK)
        led = isinstance(reply, Synthesis)
        facts: tuple[Fact, ...] = ()
        state = self._with_doubts(state, reading if isinstance(reading, Reading) else None)
        if isinstance(reply, Synthesis):
            state, facts = process(state, self.plan, reply)
            state = replace(state, advised=state.round if reply.advises else state.advised)
        state = replace(
            state,
            led=led,
            missed=state.missed or not led,
            stage=advance(ROUND, state.stage, RoundEvent.SYNTHESISED),
        )
        tests = (
            Test("W4", Outcome.SYNTHESISED, "there is a synthesis", led),
            otherwise("W13", Outcome.FALLBACK),
        )
        return choose(state, tests, facts)

    def _with_doubts(self, state: State, reading: Reading | None) -> State:
        """Note whose response asks for escalation; where nobody could look for words every one has some (W23)."""
        topic = topic_in_focus(state)
        every = self.settings.escalate_on is EscalateOn.ANY or reading is None or (topic is not None and topic.required)
        critical = set() if reading is None else set(reading.critical)
        members = tuple(
            replace(
                member,
                unsure=self.plan.counts(member.seat)
                and member.confidence is not None
                and member.confidence < self.settings.confidence_below
                and (every or self.plan.position(member.seat) in critical),
            )
            for member in state.members
        )
        return replace(state, members=members)

    # PROCESSING

    def decide_next(self, state: State, _: Replies) -> Decision[State]:
        state = replace(
            state,
            stage=advance(ROUND, state.stage, RoundEvent.PROCESSED),
            complete=state.complete + state.led,
            lost=0 if state.led else state.lost + 1,
        )
        lost = Test("W13", Outcome.FAILED, f"rounds in a row without a result {state.lost} >= {MOST_LOST}", False)
        if state.lost >= MOST_LOST:
            return choose(_closed(state, Trigger.ERROR), (replace(lost, held=True),))
        state, facts = close_topics(state, self.plan)
        decision = self._go(state, heard=False, facts=facts)
        return replace(decision, because=(lost, *decision.because))

    def _go(self, state: State, *, heard: bool, facts: tuple[Fact, ...], sent_on: bool = False) -> Decision[State]:
        """Apply the ordered rule for the next action (W22)."""
        now = conditions(state, self.plan, heard=heard, sent_on=sent_on)
        rule = BY_READING[self.settings.reading]
        action, place = next_action(now, rule)
        tests = tuple(
            Test("W22", _ACTIONS[row.action], row.says, at == place) for at, row in enumerate(rule[: place + 1])
        )
        facts = (*facts, *(not_put(state, self.plan, rule[place]) if now.triggered else ()))
        if action is Action.CONCLUDE:
            ends = Trigger.AGENDA_CLOSED if now.finished else Trigger.MAX_ROUNDS
            return choose(_closed(state, ends), tests, facts)
        if action is Action.ESCALATE:
            return choose(state, tests, (*facts, reasons("escalated", state, self.plan)))
        if self.settings.interactive and not heard:
            pause = (*(replace(test, held=False) for test in tests), Test("W25", Outcome.PAUSE, "interactive", True))
            return choose(state, pause, facts)
        return choose(self._next_round(state), tests, facts)

    def _next_round(self, state: State) -> State:
        place = next_place(state, self.plan)
        return begin_round(replace(state, scene=place.scene, attempt=place.attempt, focus=place.focus), self.plan)

    # PAUSE and ESCALATION

    def ask_at_pause(self, state: State) -> tuple[Question, ...]:
        return (Question(PERSON, "pause", PauseReply, tuple(each.id for each in state.rulings)),)

    def take_pause(self, state: State, replies: Replies) -> Decision[State]:
        reply = replies.of(PERSON)
        choice = reply.choice if isinstance(reply, PauseReply) else PauseChoice.GO_ON
        state, facts = confirm(state, by_person(state, choice is PauseChoice.APPLIED))
        tests = (
            Test("W25", Outcome.CONCLUDE, "a person concludes", choice is PauseChoice.CONCLUDE),
            Test("W25", Outcome.ESCALATE, "a person wants to be asked", choice is PauseChoice.ESCALATE),
            otherwise("W25", Outcome.CONTINUE),
        )
        match choice:
            case PauseChoice.CONCLUDE:
                return choose(_closed(state, Trigger.PERSON), tests, facts)
            case PauseChoice.ESCALATE:
                return choose(state, tests, facts)
            case PauseChoice.GO_ON | PauseChoice.APPLIED:
                return choose(self._next_round(state), tests, facts)

    def ask_for_ruling(self, state: State) -> tuple[Question, ...]:
        named = (*to_put(state, self.plan), *state.rulings)
        return (Question(PERSON, "escalate", Ruling, tuple(dict.fromkeys(each.id for each in named))),)

    def take_ruling(self, state: State, replies: Replies) -> Decision[State]:
        reply = replies.of(PERSON)
        waiting = to_put(state, self.plan)
        choice = choice_of(state, reply, waiting)
        state, facts = confirm(state, by_person(state, choice is RulingChoice.APPLIED))
        conflicts = tuple(each for each in waiting if each.open_conflict)
        facts = (*facts, Fact.of("ruling", choice=choice.value, conflicts=", ".join(each.id for each in conflicts)))
        if choice in (RulingChoice.GO_ON, RulingChoice.APPLIED):
            state = with_more_rounds(state, waiting)
        else:
            state = with_more_rounds(state, tuple(each for each in waiting if not each.open_conflict))
            state, issued = issue(state, self.plan, conflicts)
            facts = (*facts, *issued)
        if state.stage in _RESUMES:
            resumed = _RESUMES[state.stage]
            return choose(state, (Test("W25", resumed, f"the round waits for its {state.stage.value}", True),), facts)
        state, closed = close_topics(state, self.plan)
        return self._go(state, heard=True, facts=(*facts, *closed), sent_on=choice is RulingChoice.GO_ON)

    # The value

    def nodes(self) -> dict[Phase, Node[State]]:
        return {
            Phase.OPENING: Node(self.ask_for_agenda, self.take_agenda),
            Phase.QUESTION: Node(self.ask_for_question, self.take_question),
            Phase.RESPONSES: Node(self.ask_for_responses, self.take_responses),
            Phase.SYNTHESIS: Node(self.ask_for_synthesis, self.take_synthesis),
            Phase.PROCESSING: Node(lambda _: (), self.decide_next),
            Phase.PAUSE: Node(self.ask_at_pause, self.take_pause),
            Phase.ESCALATION: Node(self.ask_for_ruling, self.take_ruling),
        }

    def limits(self) -> Limits:
        return Limits(self.settings.max_episodes, self.settings.stall_after)

    def conclude(self, state: State) -> Verdict:
        """Return the conclusion of the workshop (W26)."""
        if state.topics and conditions(state, self.plan).finished:
            return Verdict.COMPLETE
        return Verdict.CLOSED if state.closed_by is Trigger.PERSON else Verdict.INCOMPLETE

    def degradation(self, state: State) -> Degradation:
        """Return how much of the table was missing (W35)."""
        if state.lost or not all(member.heard for member in state.members):
            return Degradation.BELOW_SETTINGS
        return Degradation.WITHIN_SETTINGS if state.missed else Degradation.NONE


def _closed(state: State, trigger: Trigger) -> State:
    return replace(state, status=advance(SESSION, state.status, trigger), closed_by=trigger)


def _ended_by_person(state: State, _: Replies) -> State:
    return _closed(state, Trigger.PERSON)


def _ended_by_error(state: State, _: Replies) -> State:
    return _closed(state, Trigger.ERROR)


def _as_it_is(state: State, _: Replies) -> State:
    return state


TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.OPENING: {
        Outcome.OPENED: Phase.QUESTION,
        Outcome.UNREADABLE: Phase.ABORTED,
    },
    Phase.QUESTION: {
        Outcome.ASKED: Phase.RESPONSES,
        Outcome.FALLBACK: Phase.RESPONSES,
    },
    Phase.RESPONSES: {
        Outcome.RESPONDED: Phase.SYNTHESIS,
        Outcome.NO_RESPONSES: Phase.SYNTHESIS,
    },
    Phase.SYNTHESIS: {
        Outcome.SYNTHESISED: Phase.PROCESSING,
        Outcome.FALLBACK: Phase.PROCESSING,
    },
    Phase.PROCESSING: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.PAUSE: Phase.PAUSE,
        Outcome.ESCALATE: Phase.ESCALATION,
        Outcome.CONCLUDE: Phase.CLOSED,
        Outcome.FAILED: Phase.ABORTED,
    },
    Phase.PAUSE: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.ESCALATE: Phase.ESCALATION,
        Outcome.CONCLUDE: Phase.CLOSED,
    },
    Phase.ESCALATION: {
        Outcome.CONTINUE: Phase.QUESTION,
        Outcome.CONCLUDE: Phase.CLOSED,
        Outcome.RESUME_QUESTION: Phase.QUESTION,
        Outcome.RESUME_RESPONSES: Phase.RESPONSES,
        Outcome.RESUME_SYNTHESIS: Phase.SYNTHESIS,
        Outcome.RESUME_PROCESSING: Phase.PROCESSING,
    },
}

INTERRUPTS: Mapping[Reason, Interrupt[State]] = {
    Reason.CANCELLED: Interrupt(Phase.ABORTED, When.NOW, _ended_by_error),
    Reason.BUDGET: Interrupt(Phase.ABORTED, When.NOW, _ended_by_error),
    Reason.EPISODES: Interrupt(Phase.ABORTED, When.NOW, _ended_by_error),
    Reason.STALL: Interrupt(Phase.ABORTED, When.AFTER_PHASE, _ended_by_error),
    Reason.WISH: Interrupt(Phase.CLOSED, When.NOW, _ended_by_person),
    Reason.ESCALATION: Interrupt(Phase.ESCALATION, When.AFTER_PHASE, _as_it_is, detour=True),
}

EXIT_CODES: Mapping[Verdict, int] = {
    Verdict.COMPLETE: 0,
    Verdict.INCOMPLETE: 1,
    Verdict.CLOSED: 1,
    Verdict.ABORTED: 3,
}
