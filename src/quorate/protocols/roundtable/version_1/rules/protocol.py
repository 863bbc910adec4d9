"""The phases of the roundtable: whom each asks and how it decides. The transition table is at the end.

Rule numbers (T1 to T29) refer to RULES.md; the steps of the discussion are in talk.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare
from quorate.core.forms import Key, Reply
from quorate.core.protocol import Degradation, Limits, Node
from quorate.core.types import Question, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.roundtable.version_1.rules.forms import (
    Appended,
    Framing,
    Intent,
    Kept,
    Manner,
    Menu,
    MenuChoice,
    Reading,
    Recorded,
    Synthesis,
    Utterance,
    Written,
)
from quorate.protocols.roundtable.version_1.rules.harvest import harvest, targets
from quorate.protocols.roundtable.version_1.rules.model import (
    CLERK,
    MANY_TURNS,
    MOST_TEXTS,
    MOST_TRIES,
    PERSON,
    USER,
    Outcome,
    Phase,
    RoundtableSettings,
    State,
    Step,
    Verdict,
)
from quorate.protocols.roundtable.version_1.rules.personas import Cast
from quorate.protocols.roundtable.version_1.rules.talk import Talk


@dataclass(frozen=True, slots=True)
class Roundtable:
    """The pure functions of every phase, for one cast."""

    cast: Cast

    # MENU and ENTRY

    def ask_menu(self, state: State) -> tuple[Question, ...]:
        return (Question(PERSON, "menu", Menu),)

    def take_choice(self, state: State, replies: Replies) -> Decision[State]:
        """Elaborate, leave, or hear the feedback and offer the menu again (T4, T5)."""
        settings, reply = self.cast.settings, replies.of(PERSON)
        choice = reply.choice if isinstance(reply, Menu) else MenuChoice.CONTINUE
        skips = choice is MenuChoice.SKIP and not settings.at_phase_boundary
        text = choice is MenuChoice.TEXT or (choice is MenuChoice.SKIP and settings.at_phase_boundary)
        wanted = choice is MenuChoice.ELABORATE
        open_ = may_elaborate(settings, state)
        tests = (
            Test("T4", Outcome.SKIP, "the person skips the rest of the phase", skips),
            Test("T4", Outcome.ELABORATE, "the person elaborates, and may", wanted and open_),
            Test("T5", Outcome.FEEDBACK, f"a text, after {state.texts} in a row", text and state.texts < MOST_TEXTS),
            Test("T4", Outcome.CONTINUE, "none of the above", True),
        )
        facts = [Fact.of("feedback", number=state.texts + 1)] if text else []
        facts += [Fact.of("elaborations used up", most=settings.max_elaborations)] if wanted and not open_ else []
        decision = choose(state, tests, facts)
        texts = state.texts + 1 if decision.outcome is Outcome.FEEDBACK else 0
        return replace(decision, state=replace(state, texts=texts, skipped=decision.outcome is Outcome.SKIP))

    def introduce(self, state: State, _: Replies) -> Decision[State]:
        """Begin an elaboration at turn 0 (T7), and say what is odd about its settings (T3)."""
        settings, number = self.cast.settings, state.elaborations + 1
        facts = [Fact.of("introduced", elaboration=number, lead=self.cast.lead.seat, limit=settings.turns)]
        if not self.cast.lead_known:
            facts.append(Fact.of("lead unknown", phase=settings.phase, lead=self.cast.lead.seat))
        if settings.turns > MANY_TURNS:
            facts.append(Fact.of("many turns", limit=settings.turns, advised=MANY_TURNS))
        test = Test("T7", Outcome.INTRODUCED, f"elaboration {number} begins", True)
        return choose(replace(state, elaborations=number, step=Step.FRAME), (test,), facts)

    # TOPIC_FRAMING

    def ask_lead(self, state: State) -> tuple[Question, ...]:
        others = tuple(Key(each.seat) for each in self.cast.others)
        return (Question(self.cast.asked(self.cast.lead.seat), "frame", Framing, others),)

    def take_framing(self, state: State, replies: Replies) -> Decision[State]:
        """The lead's framing, or code's, is turn 1; whom it addresses has the word (T8, T10)."""
        ((_, reply),) = replies
        others = [each.seat for each in self.cast.others]
        framed = isinstance(reply, Framing)
        first = Seat(reply.addressed) if isinstance(reply, Framing) else others[0]
        facts = [] if framed else [Fact.of("framing by code", lead=self.cast.lead.seat)]
        state = replace(
            state,
            turn=1,
            step=Step.SPEAK,
            queue=(first, *(seat for seat in others if seat != first)),
            addressed=True,
            spoken=(Key(self.cast.lead.seat),) if framed else (),
            missing=state.missing or not framed,
        )
        test = Test("T8", Outcome.FRAMED, f"{first} has the word", True)
        return choose(state, (test,), [*facts, *self.talk.warning(1)])

    # SYNTHESIS

    def ask_synthesis(self, state: State) -> tuple[Question, ...]:
        if state.step is Step.APPEND:
            return (Question(CLERK, "append", Appended, state.targets),)
        if state.step in (Step.RECORD, Step.END) or state.mechanical or only_framed(state):
            return ()
        keys = (*self.cast.keys, USER, *self.cast.documents)
        return (Question(self.cast.asked(self.cast.lead.seat), "synthesise", Synthesis, keys),)

    def take_synthesis(self, state: State, replies: Replies) -> Decision[State]:
        if not replies.pairs:
            return self._without_asking(state)
        ((_, reply),) = replies
        if state.step is Step.APPEND:
            return self._appended(state, reply if isinstance(reply, Appended) else None)
        if isinstance(reply, Synthesis):
            return self._synthesised(state, reply)
        tests = (
            compare("T21", Outcome.RETRY, ("tries", state.tries + 1), "<", ("allowed", MOST_TRIES)),
            Test("T21", Outcome.SUMMARISED, "the lead gave no synthesis", True),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.RETRY:
            return replace(decision, state=replace(state, tries=state.tries + 1))
        facts = (Fact.of("synthesis by code", why="the lead gave no synthesis"),)
        return replace(decision, state=replace(to_record(state), missing=True), facts=facts)

    def _without_asking(self, state: State) -> Decision[State]:
        """Nothing was said, a synthesis was interrupted, or there is only the framing (T21, T26, T27)."""
        over = state.step is Step.RECORD
        why = "no model may be asked any more" if state.mechanical else "only the framing was said"
        tests = (
            Test("T27", Outcome.GIVEN_UP, "a limit left nothing that could be wrapped up", state.step is Step.END),
            compare("T26", Outcome.NOTHING_SAID, ("turns", state.turn), "==", 0),
            Test("T27", Outcome.NOTHING_TO_ADD, "the synthesis is done", over),
            Test("T21", Outcome.SUMMARISED, why, True),
        )
        decision = choose(state, tests)
        if decision.outcome is not Outcome.SUMMARISED:
            return decision
        facts = (Fact.of("synthesis by code", why=why),)
        return replace(decision, state=to_record(state), facts=facts)

    def _synthesised(self, state: State, reply: Synthesis) -> Decision[State]:
        kept = harvest(self.cast, reply, state.spoken)
        found = targets(self.cast, kept)
        tests = (
            compare("T23", Outcome.SYNTHESISED, ("documents to add to", len(found)), ">", 0),
            Test("T23", Outcome.NOTHING_TO_ADD, "there is nothing to add", True),
        )
        state = replace(to_record(state), step=Step.APPEND, targets=found) if found else to_record(state)
        facts = [Fact.of("synthesised", items=len(kept)), *(fact for each in kept for fact in each.dropped)]
        return choose(state, tests, facts)

    def _appended(self, state: State, reply: Appended | None) -> Decision[State]:
        """What became of every document; one that is not reported was not written (T23, T25)."""
        entries = {entry.document: entry for entry in reply.documents} if reply is not None else {}
        results = {key: entries[key].result if key in entries else Written.FAILED for key in state.targets}
        lines = {key: entries[key].lines if key in entries else 0 for key in state.targets}
        facts = [Fact.of(f"document {each.value}", key=key, lines=lines[key]) for key, each in results.items()]
        failed = Written.FAILED in results.values()
        test = Test("T23", Outcome.APPENDED, "the clerk has been asked", True)
        return choose(replace(to_record(state), unkept=state.unkept or failed), (test,), facts)

    # STATE_PERSIST

    def ask_record(self, state: State) -> tuple[Question, ...]:
        return (Question(CLERK, "record", Recorded),)

    def take_record(self, state: State, replies: Replies) -> Decision[State]:
        """One record for the elaboration; then the menu again, or the end (T24 to T27)."""
        reply = replies.of(CLERK)
        result = reply.result if isinstance(reply, Recorded) else Kept.FAILED
        facts = [Fact.of(f"record {result.value}", elaboration=state.elaborations, turns=state.turn)]
        tests = (
            Test("T26", Outcome.CONCLUDED, "the session is to end", state.leaving),
            Test("T24", Outcome.RECORDED, "the menu comes again", True),
        )
        after = State(
            elaborations=state.elaborations,
            missing=state.missing,
            unkept=state.unkept or result is Kept.FAILED,
            leaving=state.leaving,
        )
        return choose(after, tests, facts)

    # What all phases share

    @property
    def talk(self) -> Talk:
        return Talk(self.cast)

    def limits(self) -> Limits:
        return Limits(self.cast.settings.max_episodes, self.cast.settings.stall_after)

    def degradation(self, state: State) -> Degradation:
        """Return how much was missing or lost (T25)."""
        if state.unkept:
            return Degradation.BELOW_SETTINGS
        return Degradation.WITHIN_SETTINGS if state.missing else Degradation.NONE

    def nodes(self) -> Mapping[Phase, Node[State]]:
        return {
            Phase.MENU: Node(self.ask_menu, self.take_choice),
            Phase.ENTRY: Node(lambda _: (), self.introduce),
            Phase.TOPIC_FRAMING: Node(self.ask_lead, self.take_framing),
            Phase.DISCUSSION_LOOP: Node(self.talk.asks, self.talk.decide),
            Phase.SYNTHESIS: Node(self.ask_synthesis, self.take_synthesis),
            Phase.STATE_PERSIST: Node(self.ask_record, self.take_record),
        }


def may_elaborate(settings: RoundtableSettings, state: State) -> bool:
    """Whether the menu's E may be taken once more (T4)."""
    return state.elaborations < settings.max_elaborations


def only_framed(state: State) -> bool:
    """Whether nobody has said anything since the framing; words beside an exit cost no turn, and count (T21)."""
    return state.turn <= 1 and USER not in state.spoken


def to_record(state: State) -> State:
    """Return the state for the record phase, which needs only the count of turns."""
    return replace(state, step=Step.RECORD, spoken=(), tries=0, targets=())


def progress(reply: Reply) -> bool:
    """Whether a model's reply is progress: a pass is not, nor is a reading that stays unclear."""
    match reply:
        case Utterance(manner=Manner.PASS) | Utterance(blank=True) | Reading(intent=Intent.UNCLEAR):
            return False
        case _:
            return True


VERDICTS = {
    Phase.LEFT: lambda state: Verdict.SKIP if state.skipped else Verdict.CONTINUE,
    Phase.ABORTED: lambda _: Verdict.ABORTED,
}

EXIT_CODES = {Verdict.CONTINUE: 0, Verdict.SKIP: 0, Verdict.ABORTED: 3}

TABLE: Mapping[Phase, Mapping[Outcome, Phase]] = {
    Phase.MENU: {
        Outcome.ELABORATE: Phase.ENTRY,
        Outcome.CONTINUE: Phase.LEFT,
        Outcome.SKIP: Phase.LEFT,
        Outcome.FEEDBACK: Phase.MENU,
    },
    Phase.ENTRY: {Outcome.INTRODUCED: Phase.TOPIC_FRAMING},
    Phase.TOPIC_FRAMING: {Outcome.FRAMED: Phase.DISCUSSION_LOOP},
    Phase.DISCUSSION_LOOP: {
        Outcome.SPOKE: Phase.DISCUSSION_LOOP,
        Outcome.PASSED: Phase.DISCUSSION_LOOP,
        Outcome.REDIRECTED: Phase.DISCUSSION_LOOP,
        Outcome.HEARD: Phase.DISCUSSION_LOOP,
        Outcome.SILENT: Phase.DISCUSSION_LOOP,
        Outcome.READ: Phase.DISCUSSION_LOOP,
        Outcome.UNCLEAR: Phase.DISCUSSION_LOOP,
        Outcome.ASKED_BACK: Phase.DISCUSSION_LOOP,
        Outcome.EXIT_REQUESTED: Phase.SYNTHESIS,
        Outcome.LIMIT_REACHED: Phase.SYNTHESIS,
        Outcome.INACTIVE: Phase.SYNTHESIS,
    },
    Phase.SYNTHESIS: {
        Outcome.RETRY: Phase.SYNTHESIS,
        Outcome.SYNTHESISED: Phase.SYNTHESIS,
        Outcome.APPENDED: Phase.STATE_PERSIST,
        Outcome.NOTHING_TO_ADD: Phase.STATE_PERSIST,
        Outcome.SUMMARISED: Phase.STATE_PERSIST,
        Outcome.NOTHING_SAID: Phase.LEFT,
        Outcome.GIVEN_UP: Phase.ABORTED,
    },
    Phase.STATE_PERSIST: {Outcome.RECORDED: Phase.MENU, Outcome.CONCLUDED: Phase.LEFT},
}
