"""The steps of the discussion: who has the word, how the person's turn is read, what a move costs (T9 to T20)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quorate.core.decisions import Decision, Fact, Test, choose, compare
from quorate.core.forms import Key
from quorate.core.types import Question, Replies, Seat
from quorate.core.values import replace
from quorate.protocols.roundtable.version_1.rules.forms import (
    Clarified,
    Intent,
    Manner,
    Reading,
    Turn,
    Utterance,
    WhatWasMeant,
)
from quorate.protocols.roundtable.version_1.rules.model import (
    CLASSIFIER,
    PERSON,
    READER,
    USER,
    WARN_BEFORE,
    Outcome,
    State,
    Step,
)
from quorate.protocols.roundtable.version_1.rules.personas import Cast


@dataclass(frozen=True, slots=True)
class Talk:
    """The discussion loop of one cast."""

    cast: Cast

    def asks(self, state: State) -> tuple[Question, ...]:
        keys = self.cast.keys
        match state.step:
            case Step.LISTEN:
                return (Question(PERSON, "turn", Turn),)
            case Step.READ:
                return (Question(READER, "read", Reading, keys),)
            case Step.CLASSIFY:
                return (Question(CLASSIFIER, "classify", Reading, keys),)
            case Step.CLARIFY:
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
                return self._listened(state, reply if isinstance(reply, Turn) and not reply.blank else None)
            case Step.READ | Step.CLASSIFY:
                return self._read(state, reply if isinstance(reply, Reading) else None)
            case Step.CLARIFY:
                leaving = isinstance(reply, Clarified) and reply.choice is WhatWasMeant.EXIT
                return self._leaves(state) if leaving else self._contributed(state)
            case _:
                return self._spoke(state, reply if isinstance(reply, Utterance) else None)

    # Personas

    def _spoke(self, state: State, said: Utterance | None) -> Decision[State]:
        """Take what the first of the queue said, or that it said nothing (T9, T17, T19)."""
        speaker, *rest = state.queue
        manner, facts = self._manner(speaker, said)
        facts += self._challenge(state, speaker, said) if said is not None and manner is Manner.CONTRIBUTE else []
        if said is not None and manner is Manner.PASS and (state.addressed or state.group):
            facts.append(Fact.of("nothing to add", persona=speaker))  # who asked is owed an answer (T11, T12)
        spoken = state.spoken if manner is Manner.PASS else self.with_words(state.spoken, Key(speaker))
        state = replace(
            state,
            queue=tuple(rest),
            step=Step.SPEAK if rest else Step.LISTEN,
            addressed=False,
            group=state.group and bool(rest),
            spoken=spoken,
            missing=state.missing or said is None,
        )
        if manner is Manner.CONTRIBUTE:
            return self._spend(state, Test("T9", Outcome.SPOKE, f"{speaker} has spoken", True), facts)
        outcome = Outcome.PASSED if manner is Manner.PASS else Outcome.REDIRECTED
        return self._for_free(state, Test("T19", outcome, f"{speaker} has {outcome.value}", True), facts)

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
        """Words are said once they are heard, whatever they are read as (T22)."""
        if turn is None:
            return self._silent(state)
        spoken = self.with_words(state.spoken, USER) if turn.words else state.spoken
        test = Test("T15", Outcome.HEARD, "the person has spoken", True)
        return choose(replace(state, step=Step.READ, spoken=spoken), (test,))

    def _silent(self, state: State) -> Decision[State]:
        """The personas go on, unless too little has been said for too long (T14, T17)."""
        tests = (
            compare("T17", Outcome.INACTIVE, ("free moves in a row", state.free), ">=", ("allowed", self._free_moves)),
            Test("T14", Outcome.SILENT, "the person is silent, and the others go on", True),
        )
        decision = choose(state, tests)
        if decision.outcome is Outcome.INACTIVE:
            return replace(decision, state=to_synthesis(state))
        return replace(decision, state=replace(self._with_queue(state, self.cast.order), free=state.free + 1))

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
        self, state: State, to: Seat | None = None, *, group: bool = False, rule: str = "T13"
    ) -> Decision[State]:
        """The person's words cost a turn, and say who has the word next (T9 to T13)."""
        queue = self.cast.order if to is None else self.cast.first_with(to)
        state = replace(
            self._with_queue(state, queue),
            addressed=to is not None,
            group=group,
            spoken=self.with_words(state.spoken, USER),
        )
        return self._spend(state, Test(rule, Outcome.READ, f"{queue[0]} has the word", True), [])

    def _leaves(self, state: State) -> Decision[State]:
        test = Test("T15", Outcome.EXIT_REQUESTED, "the person wants to wrap up", True)
        return choose(to_synthesis(state), (test,))

    # Turns

    @property
    def _free_moves(self) -> int:
        return self.cast.settings.free_moves

    def _with_queue(self, state: State, queue: tuple[Seat, ...]) -> State:
        return replace(state, step=Step.SPEAK, queue=queue)

    def with_words(self, spoken: tuple[Key, ...], key: Key) -> tuple[Key, ...]:
        """Return the seats that have spoken, in seat order."""
        return tuple(each for each in (*self.cast.keys, USER) if each == key or each in spoken)

    def _for_free(self, state: State, test: Test, facts: list[Fact]) -> Decision[State]:
        """Go on without a turn, unless the free moves are used up (T17)."""
        if state.free >= self._free_moves:
            return self._spend(state, test, facts)
        return choose(replace(state, free=state.free + 1), (test,), facts)

    def _spend(self, state: State, test: Test, facts: list[Fact]) -> Decision[State]:
        """Count a turn, warn where it is time to, and stop at the limit (T9, T16)."""
        state = replace(state, turn=state.turn + 1, free=0)
        limit = self.cast.settings.turns
        stop = compare("T9", Outcome.LIMIT_REACHED, ("turns", state.turn), ">=", ("limit", limit))
        decision = choose(state, (stop, test), [*facts, *self.warning(state.turn)])
        return replace(decision, state=to_synthesis(state)) if stop.held else decision

    def warning(self, turn: int) -> Iterable[Fact]:
        """The warning, if this turn is the one it is given at (T16)."""
        limit = self.cast.settings.turns
        return [Fact.of("turn warning", turn=turn, limit=limit)] if turn == warning_turn(limit) else []


def warning_turn(limit: int) -> int:
    """Return the turn at which the warning is given (T16)."""
    return limit - WARN_BEFORE


def to_synthesis(state: State) -> State:
    """End the talk; what was said and counted is kept."""
    return replace(state, step=Step.SYNTHESISE, queue=(), addressed=False, group=False, free=0)
