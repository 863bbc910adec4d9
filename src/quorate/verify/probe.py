"""The probe: wraps a protocol's functions to record their calls while the real engine runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError
from quorate.core.forms import Reply, SealedProse
from quorate.core.protocol import Degradation, Interrupt, Node, Protocol
from quorate.core.types import Question, Replies
from quorate.verify.options import ReasonWatch
from quorate.verify.purity import Purity

S = TypeVar("S")


class UnfitState(DefinitionError):
    """A state cannot be compared with others: it cannot be hashed, or holds prose."""


class DecisionCall(NamedTuple):
    """One call of a decision, settlement or fold by the engine; a fold has no phase."""

    phase: Enum | None
    replies: Replies


class Probe(Generic[S]):
    """Records the calls of one protocol. `calls` are those of the current step; `running` is the last function called.

    A phase that asks nobody is a pure function of the state, so its result is cached per state. That the functions are
    pure is not taken on trust: see purity.py.
    """

    def __init__(self, protocol: Protocol[S], watch: ReasonWatch) -> None:
        self.watch = watch
        self.purity = Purity()
        self.calls: list[DecisionCall] = []
        self.running: tuple[str, Callable[..., Any]] = ("start", type(protocol))
        self.watched = replace(
            protocol,
            nodes={phase: self._node(phase, node) for phase, node in protocol.nodes.items()},
            interrupts={reason: self._interrupt(reason, each) for reason, each in protocol.interrupts.items()},
            verdicts={phase: self._verdict(phase, each) for phase, each in protocol.verdicts.items()},
            degradation=self._degradation(protocol.degradation),
            progress=self._progress(protocol.progress),
        )

    def _node(self, phase: Enum, node: Node[S]) -> Node[S]:
        questions: dict[S, tuple[Question, ...]] = {}
        decisions: dict[S, Decision[S]] = {}
        purity = self.purity
        asking, deciding, settling = (f"{each} of {phase.name}" for each in ("asks", "decide", "settle"))

        def asks(state: S) -> tuple[Question, ...]:
            self.running = (asking, node.asks)
            try:
                found = questions.get(state)
            except (TypeError, SealedProse) as error:
                raise _unfit(error) from None
            if found is None:
                found = node.asks(state)
                purity.check(asking, node.asks, found, state)
                questions[state] = found
            return found

        def decide(state: S, replies: Replies) -> Decision[S]:
            self.running = (deciding, node.decide)
            if replies.pairs:
                self.watch.on = True
                decision = node.decide(state, replies)
                self.watch.on = False
                purity.sampled(deciding, node.decide, decision, state, replies)
            elif (found := decisions.get(state)) is None:
                decision = node.decide(state, replies)
                purity.check(deciding, node.decide, decision, state, replies)
                decisions[state] = decision
            else:
                decision = found
            self.calls.append(DecisionCall(phase, replies))
            return decision

        def settle(state: S, replies: Replies) -> Decision[S] | None:
            assert node.settle is not None
            self.running = (settling, node.settle)
            self.watch.on = True
            decision = node.settle(state, replies)
            self.watch.on = False
            purity.sampled(settling, node.settle, decision, state, replies)
            if decision is not None:
                self.calls.append(DecisionCall(phase, replies))
            return decision

        return Node(asks, decide, None if node.settle is None else settle)

    def _interrupt(self, reason: Enum, interrupt: Interrupt[S]) -> Interrupt[S]:
        what = f"fold of {reason.name}"

        def fold(state: S, replies: Replies) -> S:
            self.running = (what, interrupt.fold)
            _fit(state)
            self.watch.on = True
            after = interrupt.fold(state, replies)
            self.watch.on = False
            self.purity.sampled(what, interrupt.fold, after, state, replies)
            self.calls.append(DecisionCall(None, replies))
            return after

        return replace(interrupt, fold=fold)

    def _verdict(self, phase: Enum, verdict: Callable[[S], Enum]) -> Callable[[S], Enum]:
        what = f"verdict of {phase.name}"

        def conclude(state: S) -> Enum:
            self.running = (what, verdict)
            _fit(state)
            concluded = verdict(state)
            self.purity.sampled(what, verdict, concluded, state)
            return concluded

        return conclude

    def _degradation(self, function: Callable[[S], Degradation]) -> Callable[[S], Degradation]:
        def degradation(state: S) -> Degradation:
            self.running = ("degradation", function)
            found = function(state)
            self.purity.sampled("degradation", function, found, state)
            return found

        return degradation

    def _progress(self, function: Callable[[Reply], bool]) -> Callable[[Reply], bool]:
        def progress(reply: Reply) -> bool:
            try:
                return function(reply)
            except Exception:
                self.running = ("progress", function)
                raise

        return progress


def _fit(state: object) -> None:
    try:
        hash(state)
    except (TypeError, SealedProse) as error:
        raise _unfit(error) from None


def _unfit(error: Exception) -> UnfitState:
    if isinstance(error, SealedProse):
        return UnfitState("a state holds prose; it may hold what decisions need, and decisions cannot read prose")
    return UnfitState(f"a state cannot be hashed ({error}); use frozen dataclasses, tuples and frozensets")
