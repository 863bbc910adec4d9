"""The steps of the discussion: who has the word, how the person's turn is read, what a move costs (T9 to T20, T30)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare
from quorate.core.forms import Key
from quorate.core.types import Question, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.roundtable.rules.forms import Clarified, Intent, Manner, Reading, Turn, Utterance, WhatWasMeant
from quorate.protocols.roundtable.rules.model import (
    CLASSIFIER,
    MOST_IN_A_ROW,
    PERSON,
    READER,
    USER,
    WARN_BEFORE,
    Outcome,
    State,
    Step,
)
from quorate.protocols.roundtable.rules.personas import Cast

DID = {
    Manner.CONTRIBUTE: ("T9", Outcome.SPOKE, "spoken"),
    Manner.REDIRECT: ("T19", Outcome.REDIRECTED, "redirected"),
    Manner.PASS: ("T19", Outcome.PASSED, "passed"),
}
"""What a persona has done, by the manner that counts: the rule, the outcome, and the word for it."""


@dataclass(frozen=True, slots=True)
class Talk:
    """The discussion loop of one cast."""

    cast: Cast

    def asks(self, state: State) -> tuple[Question, ...]:
        keys = self.cast.keys
        match state.step:
            case Step.LISTEN | Step.LAST:
                return (Question(PERSON, "turn", Turn),)
            case Step.READ:
                return (Question(READER, "read", Reading, keys),)
            case Step.CLASSIFY:
                return (Question(CLASSIFIER, "classify", Reading, keys),)
            case Step.CLARIFY | Step.CONFIRM:
                return (Question(PERSON, "clarify", Clarified),)
            case _:
                speaker = state.queue[0]
                brief = "answer" if state.addressed or state.group else "speak"
                others = tuple(key for key in keys if key != Key(speaker))
                return (Question(self.cast.asked(speaker), brief, Utterance, others),)

    def decide(self, state: State, replies: Replies) -> Decision[State]:
        ((_, reply),) = replies
        match state.step:
            case Step.LISTEN:
                state = replace(state, row=0)
                return self._listened(state, reply if isinstance(reply, Turn) and not reply.blank else None)
            case Step.LAST:
                return self._ended(state, reply if isinstance(reply, Turn) and not reply.blank else None)
            case Step.READ | Step.CLASSIFY:
                return self._read(state, reply if isinstance(reply, Reading) else None)
            case Step.CLARIFY:
                leaving = isinstance(reply, Clarified) and reply.choice is WhatWasMeant.EXIT
                return self._leaves(state) if leaving else self._contributed(state)
            case Step.CONFIRM:
                goes_on = isinstance(reply, Clarified) and reply.choice is WhatWasMeant.GO_ON
                return self._confirmed(state, goes_on=goes_on)
            case _:
                return self._spoke(state, reply if isinstance(reply, Utterance) else None)

    # Personas

    def _spoke(self, state: State, said: Utterance | None) -> Decision[State]:
        """Take what the first of the queue said, or that it said nothing (T9, T17, T19)."""
        speaker, *rest = state.queue
        manner, facts = self._manner(speaker, said)
        asked: list[Seat] = []
        if said is not None and manner is Manner.CONTRIBUTE:
            facts += self._challenge(state, speaker, said)
            asked = [seat for seat in map(Seat, said.asks or said.calls) if seat != speaker]
            facts += [Fact.of("asked by name", by=speaker, of=seat) for seat in asked]
        if said is not None and manner is Manner.PASS and (state.addressed or state.group):
            facts.append(Fact.of("nothing to add", persona=speaker))  # who asked is owed an answer (T11, T12)
        over = state.free >= self._free_moves
        costs = manner is Manner.CONTRIBUTE or (manner is Manner.REDIRECT and over)
        state = replace(
            state,
            queue=(*asked, *(seat for seat in rest if seat not in asked)),
            row=state.row + (costs or manner is Manner.REDIRECT),
            addressed=bool(asked),
            spoken=state.spoken if manner is Manner.PASS else self.with_words(state.spoken, Key(speaker)),
            missing=state.missing or said is None,
            disputed=state.disputed or any(fact.name == "disagreement" for fact in facts),
        )
        rule, outcome, did = DID[manner]
        test = Test(rule, outcome, f"{speaker} has {did}", True)
        if costs:
            decision = self._spend(state, test, facts)
        else:
            decision = choose(replace(state, free=state.free + (not over)), (test,), facts)
        if decision.outcome is Outcome.LAST_WORD:
            return decision
        return replace(decision, state=self._handed_on(decision.state, passed_on=over and not costs))

    def _handed_on(self, state: State, *, passed_on: bool) -> State:
        """Return who has the word after a persona: the next of the queue, or the person (T10, T17, T30)."""
        before_the_last = state.row > 0 and state.turn >= self.cast.settings.turns - 1
        if state.queue and not before_the_last and state.row < MOST_IN_A_ROW and not passed_on:
            return state
        asked, others = state.queue[: state.addressed], state.queue[state.addressed :]
        waiting = tuple(seat for seat in self.cast.order if seat in others)
        return replace(state, step=Step.LISTEN, queue=(*asked, *waiting), addressed=False, group=False)

    def _manner(self, speaker: Seat, said: Utterance | None) -> tuple[Manner, list[Fact]]:
        """How it counts (T19): only the lead redirects, and without words nobody does anything but pass."""
        if said is None:
            return Manner.PASS, [Fact.of("persona missing", persona=speaker)]
        if said.blank or said.manner is Manner.PASS:
            return Manner.PASS, []
        if said.manner is Manner.REDIRECT and speaker != self.cast.lead.seat:
            return Manner.CONTRIBUTE, [Fact.of("redirect refused", persona=speaker)]
        return said.manner, []

    def _challenge(self, state: State, speaker: Seat, said: Utterance) -> list[Fact]:
        """A disagreement needs two positions: whom it is with must have spoken (T20)."""
        names = {key: "disagreement" if key in state.spoken else "challenge dropped" for key in said.challenges}
        return [Fact.of(name, by=speaker, against=key) for key, name in names.items()]

    # The person

    def _listened(self, state: State, turn: Turn | None) -> Decision[State]:
        """Words are said once they are heard, whatever they are read as, and settle what is disputed (T20, T22)."""
        if turn is None:
            return self._silent(state)
        if turn.command:
            test = Test("T31", Outcome.NO_COMMAND, "there is no such command", True)
            return self._unless_over(state, state, test)
        facts = list[Fact]()
        if turn.words:
            state, facts = self._settled(replace(state, spoken=self.with_words(state.spoken, USER)))
        test = Test("T15", Outcome.HEARD, "the person has spoken", True)
        waiting = tuple(each.seat for each in self.cast.others if each.seat in state.queue)
        return choose(replace(state, step=Step.READ, queue=waiting), (test,), facts)

    def _settled(self, state: State) -> tuple[State, list[Fact]]:
        """Nothing is disputed any more, once the person has spoken (T20)."""
        facts = [Fact.of("disagreements settled", by=USER)] if state.disputed else []
        return replace(state, disputed=False), facts

    def _silent(self, state: State) -> Decision[State]:
        """The personas go on, those first who did not come to speak (T14)."""
        test = Test("T14", Outcome.SILENT, "the person is silent, and the others go on", True)
        return self._unless_over(state, self._with_queue(state), test)

    def _ended(self, state: State, turn: Turn | None) -> Decision[State]:
        """The person has had the last word, or left it unused, and the talk is over (T9, T31)."""
        unknown, facts = turn is not None and turn.command, list[Fact]()
        if turn is not None and turn.words and not unknown:
            state, facts = self._settled(replace(state, spoken=self.with_words(state.spoken, USER)))
        tests = (
            Test("T31", Outcome.NO_COMMAND, "there is no such command", unknown and state.free < self._free_moves),
            compare("T9", Outcome.LIMIT_REACHED, ("turns", state.turn), ">=", ("limit", self.cast.settings.turns)),
        )
        decision = choose(state, tests, facts)
        again = decision.outcome is Outcome.NO_COMMAND
        return replace(decision, state=replace(state, free=state.free + 1) if again else to_synthesis(state))

    def _unless_over(self, state: State, after: State, test: Test) -> Decision[State]:
        """Go on for free, or ask the person whether to wrap up where nothing is free any more (T17)."""
        over = compare(
            "T17", Outcome.ASKED_BACK, ("free moves in a row", state.free), ">=", ("allowed", self._free_moves)
        )
        decision = choose(state, (over, test))
        if over.held:
            return replace(decision, state=replace(state, step=Step.CONFIRM))
        return replace(decision, state=replace(after, free=state.free + 1))

    def _confirmed(self, state: State, *, goes_on: bool) -> Decision[State]:
        """Wrap up, or go on for a turn, as the person says (T17)."""
        if goes_on:
            test = Test("T17", Outcome.SILENT, "the person wants to go on", True)
            return self._spend(self._with_queue(state), test, [])
        test = Test("T17", Outcome.INACTIVE, "nothing is said any more, and the person does not go on", True)
        return choose(to_synthesis(state), (test,))

    def _read(self, state: State, reading: Reading | None) -> Decision[State]:
        """Follow what the turn was read as (T11 to T15)."""
        intent = Intent.UNCLEAR if reading is None else reading.intent
        match intent:
            case Intent.EXIT:
                return self._leaves(state)
            case Intent.SILENCE if state.step is Step.READ:
                return self._silent(state)
            case Intent.UNCLEAR:
                return self._unclear(state)
            case Intent.GROUP:
                return self._contributed(state, group=True, rule="T12")
            case Intent.STRANGER if reading is not None:
                told = Fact.of("nobody of that name", nearest=next(iter(reading.addressed), ""))
                return self._contributed(state, rule="T32", facts=(told,))
            case Intent.ADDRESS if reading is not None and reading.addressed:
                return self._contributed(state, Seat(reading.addressed[0]), rule="T11")
            case _:
                return self._contributed(state)

    def _unclear(self, state: State) -> Decision[State]:
        """Somebody else reads it, then the person is asked back, as long as that is free (T15, T17)."""
        more = self.cast.settings.classifier and state.step is Step.READ
        tests = (
            Test("T15", Outcome.UNCLEAR, "a classifier has not read it yet", more),
            compare("T17", Outcome.ASKED_BACK, ("free moves in a row", state.free), "<", ("allowed", self._free_moves)),
            Test("T17", Outcome.READ, "it is taken as a contribution", True),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.UNCLEAR:
            return replace(decision, state=replace(state, step=Step.CLASSIFY))
        if decision.outcome is Outcome.ASKED_BACK:
            return replace(decision, state=replace(state, step=Step.CLARIFY, free=state.free + 1))
        return self._contributed(state, rule="T17")

    def _contributed(
        self,
        state: State,
        to: Seat | None = None,
        *,
        group: bool = False,
        rule: str = "T13",
        facts: tuple[Fact, ...] = (),
    ) -> Decision[State]:
        """The person's words cost a turn, and say who has the word next (T9 to T13)."""
        state, settled = self._settled(self._with_queue(state, to or self.cast.lead.seat))
        spoken = self.with_words(state.spoken, USER)
        state = replace(state, addressed=to is not None, group=group, spoken=spoken)
        test = Test(rule, Outcome.READ, f"{state.queue[0]} has the word", True)
        return self._spend(state, test, [*settled, *facts])

    def _leaves(self, state: State) -> Decision[State]:
        test = Test("T15", Outcome.EXIT_REQUESTED, "the person wants to wrap up", True)
        return choose(to_synthesis(state), (test,))

    # Turns

    @property
    def _free_moves(self) -> int:
        return self.cast.settings.free_moves

    def _with_queue(self, state: State, *first: Seat) -> State:
        """Give everybody the word: these first, then those who did not come to speak, then the lead (T10)."""
        queue = tuple(dict.fromkeys((*first, *state.queue, *self.cast.order)))
        return replace(state, step=Step.SPEAK, queue=queue)

    def with_words(self, spoken: tuple[Key, ...], key: Key) -> tuple[Key, ...]:
        """Return the seats that have spoken, in seat order."""
        return tuple(each for each in (*self.cast.keys, USER) if each == key or each in spoken)

    def _spend(self, state: State, test: Test, facts: list[Fact]) -> Decision[State]:
        """Count a turn, warn where it is time to, and at the limit ask for the last word (T9, T16)."""
        state = replace(state, turn=state.turn + 1, free=0)
        limit = self.cast.settings.turns
        stop = compare("T9", Outcome.LAST_WORD, ("turns", state.turn), ">=", ("limit", limit))
        decision = choose(state, (stop, test), [*facts, *self.warning(state.turn)])
        return replace(decision, state=replace(to_synthesis(state), step=Step.LAST)) if stop.held else decision

    def warning(self, turn: int) -> Iterable[Fact]:
        """The warning, if this turn is the one it is given at (T16)."""
        limit = self.cast.settings.turns
        return [Fact.of("turn warning", turn=turn, limit=limit)] if turn == warning_turn(limit) else []


def warning_turn(limit: int) -> int:
    """Return the turn at which the warning is given (T16)."""
    return limit - WARN_BEFORE


def to_synthesis(state: State) -> State:
    """End the talk; what was said and counted is kept."""
    return replace(state, step=Step.SYNTHESISE, queue=(), row=0, addressed=False, group=False, free=0)
