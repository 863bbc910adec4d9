"""The observer: checks every step of a walk and records broken promises."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from quorate.core.engine import MOST_SILENT_MOVES
from quorate.core.errors import DefinitionError
from quorate.core.forms import Prose, Reply, SealedProse
from quorate.core.protocol import Moment, Protocol
from quorate.core.session import Cause, Conclusion, Move, Session, Step
from quorate.core.shapes import shape_of
from quorate.core.types import Ask, Reason
from quorate.verify.counterexamples import Failure, Failures, Via, where, where_raised
from quorate.verify.probe import DecisionCall, Probe, UnfitState
from quorate.verify.purity import Impure

S = TypeVar("S")


class Observer(Generic[S]):
    """Collects what was reached and what failed."""

    def __init__(self, protocol: Protocol[S], probe: Probe[S], failures: Failures) -> None:
        self.protocol, self.probe, self.failures = protocol, probe, failures
        self.phases: set[Enum] = {protocol.initial}
        self.rows: set[tuple[Enum, Enum]] = set()
        self.verdicts: set[Enum] = set()
        self.briefs: set[str] = set()
        self.moves = 0
        self._silent: set[tuple[Any, ...]] = set()
        self._rested: set[Enum] = set()

    def broke(self, error: Exception, place: int, legs: tuple[tuple[int, Via], ...]) -> None:
        """Record an exception raised by a step."""
        what, function = self.probe.running
        stands = where_raised(error, function)
        number, name = 3, f"{what} raised {type(error).__name__}"
        calls = self.probe.calls
        if isinstance(error, SealedProse):
            name, says = "a decision read prose", f"{what} reads prose, which a decision cannot: {error}"
        elif isinstance(error, UnfitState):
            name, says = "unfit state", str(error)
            stands = where(self._decided_last() or function)
        elif isinstance(error, DefinitionError) and not isinstance(error, Impure) and len(calls) >= MOST_SILENT_MOVES:
            number, name, says = 4, "silent loop", f"the session passes phases for ever and asks nobody: {error}"
        elif isinstance(error, DefinitionError):
            name, says = str(error), str(error)
        else:
            says = f"{what} raised {type(error).__name__}: {error}"
        self.failures.add(Failure(number, name, says, stands, place, legs, again=not isinstance(error, Impure)))

    def _decided_last(self) -> Any:
        call = self.probe.calls[-1] if self.probe.calls else None
        return None if call is None or call.phase is None else self.protocol.nodes[call.phase].decide

    def saw(self, session: Session[S], after: Step[S], place: int, legs: tuple[tuple[int, Via], ...]) -> None:
        """Check every move of a step; the first one answers the session's asks."""
        asks = session.asks
        last = len(after.moves) - 1
        for number, (move, call) in enumerate(zip(after.moves, self.probe.calls, strict=True)):
            self.moves += 1
            self.phases.add(move.to)
            end = after.session.conclusion if number == last else None
            if move.cause is not Cause.INTERRUPTED:
                self.rows.add((move.phase, move.outcome))
            if number or not asks or session.pending is not None:
                if call.replies.pairs:
                    continue  # the same decision was looked at without the interruption that waits
                seen = (move.phase, move.before, move.outcome, move.to, end)
                if seen in self._silent:
                    continue
                self._silent.add(seen)
            self._because(move, place, legs)
            self._moment(move, call, asks if number == 0 else (), end, place, legs)

    def _because(self, move: Move, place: int, legs: tuple[tuple[int, Via], ...]) -> None:
        held = next((test.outcome for test in move.because if test.held), move.outcome)
        if held is not move.outcome:
            says = f"{move.phase.name} decided {move.outcome.name}, but its first test that held says {held.name}"
            stands = where(self.protocol.nodes[move.phase].decide)
            self.failures.add(Failure(3, "reasons contradict the outcome", says, stands, place, legs))

    def _moment(
        self,
        move: Move,
        call: DecisionCall,
        asks: tuple[Ask, ...],
        end: Conclusion | None,
        place: int,
        legs: tuple[tuple[int, Via], ...],
    ) -> None:
        reason = move.outcome if isinstance(move.outcome, Reason) and move.cause is Cause.INTERRUPTED else None
        moment = Moment(
            move.phase,
            move.before,
            asks,
            call.replies,
            move.outcome,
            move.to,
            move.after,
            None if end is None else end.verdict,
            reason,
            move.facts,
            None if end is None else end.degradation,
        )
        watch = self.probe.watch
        watch.on = True
        for invariant in self.protocol.invariants:
            try:
                holds, why = invariant.holds(moment), ""
            except Exception as error:  # an invariant that cannot tell has not held
                holds, why = False, f" (it raised {type(error).__name__}: {error})"
            if not holds:
                says = f"{invariant.name}: this does not hold when {move.phase.name} gives {move.outcome.name}{why}"
                stands = f"{where(invariant.holds)}; rule {invariant.rule}"
                self.failures.add(Failure(5, invariant.name, says, stands, place, legs))
        watch.on = False

    def rests(self, session: Session[S], place: int) -> int:
        """Check that a session at rest has valid open asks or a verdict. Returns its round."""
        if session.phase not in self._rested and (prose := _prose_in(session.state)):
            self._odd(3, "prose in a state", f"the state holds prose ({prose}); decisions cannot read it", place)
        self._rested.add(session.phase)
        if session.conclusion is not None:
            self._concluded(session.conclusion.verdict, place)
        elif not session.open:
            self._odd(4, "nothing open", f"{session.phase.name} waits for nobody and is not a verdict", place)
        self.briefs |= {ask.brief for ask in session.asks}
        for ask in session.asks:
            self._asked(session.phase, ask, place)
        try:
            return self.protocol.round(session.state)
        except Exception as error:
            says = f"the round cannot be told: {type(error).__name__}: {error}"
            self._odd(3, "the round", says, place, where_raised(error, self.protocol.round))
            return 0

    def _concluded(self, verdict: Enum, place: int) -> None:
        self.verdicts.add(verdict)
        if verdict not in self.protocol.exit_codes:
            self._odd(3, f"no exit code for {verdict.name}", f"the verdict {verdict.name} has no exit code", place)

    def _asked(self, phase: Enum, ask: Ask, place: int) -> None:
        stands = where(self.protocol.nodes[phase].asks)
        if ask.seat not in self.protocol.seats:
            says = f"{phase.name} asks {ask.seat!r}, which is not a seat of the protocol"
            self._odd(3, f"unknown seat {ask.seat}", says, place, stands)
        if len(set(ask.keys)) != len(ask.keys):
            says = f"{phase.name} asks {ask.seat} about the keys {list(ask.keys)}: they are not unique"
            self._odd(3, "keys are not unique", says, place, stands)
        try:
            shape_of(ask.form)
            fits = issubclass(ask.form, Reply)
        except DefinitionError as error:
            self._odd(3, f"form {ask.form.__name__}", str(error), place, stands)
            return
        if not fits:
            self._odd(3, f"form {ask.form.__name__}", f"{ask.form.__name__} is not derived from Reply", place, stands)
        if not self.protocol.briefs.get(ask.brief, "").strip():
            known = "is blank" if ask.brief in self.protocol.briefs else "does not exist"
            self._odd(
                9, f"brief {ask.brief}", f"{phase.name} uses the brief {ask.brief!r}, which {known}", place, stands
            )

    def _odd(self, number: int, name: str, says: str, place: int, stands: str = "") -> None:
        self.failures.add(Failure(number, name, says, stands, place))


def _prose_in(value: Any) -> str:
    """Return the name of a type in the state that holds prose; empty if there is none."""
    if isinstance(value, Prose):
        return "Prose"
    if isinstance(value, tuple | frozenset):
        return next((found for each in value if (found := _prose_in(each))), "")
    if is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            if _prose_in(getattr(value, each.name)):
                return f"{type(value).__name__}.{each.name}"
    return ""
