"""The engine that runs every protocol: `begin`, `step`, `replay`. Illegal input raises and changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import TypeVar, assert_never

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError, RuleViolation
from quorate.core.form_values import keys_in, repeated_key, seal
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol, When
from quorate.core.session import Cause, Conclude, Conclusion, Effect, Move, Session, Step, Withdraw
from quorate.core.types import Absent, Ask, AskId, Event, Interrupted, Question, Reason, Replied, Replies, Ruled
from quorate.core.values import replace

S = TypeVar("S")

MOST_SILENT_MOVES = 100
"""Phases passed in a row without asking anybody; more is a loop in the protocol."""
MOST_NAME = 200
MOST_REASON = 4_000
"""Characters of the name under which somebody rules, and of the reason."""


def begin(protocol: Protocol[S]) -> Step[S]:
    """Open a session: enter the initial phase and return its asks."""
    return _enter(protocol, Session(protocol.initial, protocol.start))


def step(protocol: Protocol[S], session: Session[S], event: Event) -> Step[S]:
    """Apply one event. Pure and deterministic; the order in which replies arrive does not matter."""
    if session.conclusion is not None and not isinstance(event, Ruled):
        raise RuleViolation(f"the session has concluded with {session.conclusion.verdict.name}")
    match event:
        case Replied(ask, reply):
            return _replied(protocol, session, ask, reply)
        case Interrupted(reason):
            return _interrupted(protocol, session, reason)
        case Ruled():
            check_ruling(protocol, session, event)
            return Step(session)  # what was concluded stays as it was
    assert_never(event)


def replay(protocol: Protocol[S], events: Iterable[Event]) -> Step[S]:
    """Fold a journal into the session after its last event, with the effects and moves of all events."""
    now = begin(protocol)
    effects, moves = list(now.effects), list(now.moves)
    for event in events:
        now = step(protocol, now.session, event)
        effects += now.effects
        moves += now.moves
    return Step(now.session, tuple(effects), tuple(moves))


def check_reply(ask: Ask, reply: Reply | Absent) -> None:
    """Raise RuleViolation unless the reply has the ask's form and names only its keys, each once."""
    if isinstance(reply, Absent):
        return
    if type(reply) is not ask.form:
        raise RuleViolation(f"ask {ask.id} expects the form {ask.form.__name__}, not {type(reply).__name__}")
    for key in keys_in(reply):
        if key not in ask.keys:
            raise RuleViolation(f"ask {ask.id} to {ask.seat}: unknown key {key!r}; use {', '.join(ask.keys) or 'none'}")
    if (twice := repeated_key(reply)) is not None:
        raise RuleViolation(f"ask {ask.id} to {ask.seat}: the key {twice!r} is given twice; give it once")


def check_ruling(protocol: Protocol[S], session: Session[S], ruled: Ruled) -> None:
    """Raise RuleViolation unless this ruling is allowed on the session's verdict."""
    if session.conclusion is None:
        raise RuleViolation(f"cannot adjudicate: the session is still in {session.phase.name}; wait for its verdict")
    verdict = session.conclusion.verdict
    allowed = [each.name for each in protocol.rulings.get(verdict, ())]
    if not allowed:
        on = ", ".join(each.name for each in protocol.rulings)
        only = f"only {on} can be ruled on" if on else f"{protocol.name} verdicts are final"
        raise RuleViolation(f"cannot adjudicate: the session concluded {verdict.name}, and {only}")
    if ruled.verdict not in allowed:
        raise RuleViolation(f"{ruled.verdict!r} is not a ruling that {verdict.name} allows; use {' or '.join(allowed)}")
    for name, text, most in (("name", ruled.by, MOST_NAME), ("reason", ruled.reason, MOST_REASON)):
        if not text.strip() or len(text) > most:
            raise RuleViolation(f"a ruling needs a {name} of 1 to {most:,} characters")


def _replied(protocol: Protocol[S], session: Session[S], ask_id: AskId, reply: Reply | Absent) -> Step[S]:
    ask = session.ask(ask_id)
    if ask is None:
        raise RuleViolation(f"ask {ask_id} is not open in {session.phase.name}")
    if ask_id in session.replies:
        raise RuleViolation(f"ask {ask_id} to {ask.seat} already has a reply")
    check_reply(ask, reply)
    sealed = reply if isinstance(reply, Absent) else seal(reply)
    session = session.hearing(ask_id, sealed)
    node = protocol.nodes[session.phase]
    if len(session.replies) < len(session.asks) and node.settle is None:
        return Step(session)
    heard = session.heard()
    if len(heard) == len(session.asks):
        return _move(protocol, session, heard, node.decide(session.state, heard), Cause.DECIDED)
    if node.settle is not None and (decision := node.settle(session.state, heard)) is not None:
        return _move(protocol, session, heard, decision, Cause.SETTLED)
    return Step(session)


def _interrupted(protocol: Protocol[S], session: Session[S], reason: Reason) -> Step[S]:
    interrupt = protocol.interrupts.get(reason)
    if interrupt is None:
        raise RuleViolation(
            f"protocol {protocol.name} cannot be interrupted for {reason.name}: it declares no such interrupt"
        )
    if session.interrupted is reason:
        return Step(session)  # the wrap-up it led to is under way
    if interrupt.when is When.NOW:
        return _divert(protocol, session, session.heard(), reason)
    waits = session.pending is not None and (interrupt.detour or not protocol.interrupts[session.pending].detour)
    if waits or interrupt.to is session.phase:
        return Step(session)  # the first one that waits counts; and where it leads the session stands already
    return Step(replace(session, pending=reason))


def _row(protocol: Protocol[S], phase: Enum, outcome: Enum) -> Enum:
    """Return the phase that an outcome leads to; a missing row raises DefinitionError."""
    to = protocol.table[phase].get(outcome)
    if to is None:
        raise DefinitionError(f"{protocol.name}: {phase.name} has no row for {outcome.name}")
    return to


def _moved(session: Session[S], decision: Decision[S], to: Enum, cause: Cause) -> Move:
    return Move(
        session.entry,
        session.phase,
        decision.outcome,
        to,
        cause,
        session.state,
        decision.state,
        decision.because,
        decision.facts,
    )


def _move(protocol: Protocol[S], session: Session[S], heard: Replies, decision: Decision[S], cause: Cause) -> Step[S]:
    """Follow the decision's row to the next phase, unless an interruption is pending or the session has stalled."""
    to = _row(protocol, session.phase, decision.outcome)
    move = _moved(session, decision, to, cause)
    withdrawn = tuple(Withdraw(ask.id) for ask in session.open) if cause is Cause.SETTLED else ()
    idle, stalled = _count_progress(protocol, session, heard)
    session = replace(session, phase=to, state=decision.state, entry=session.entry + 1, asks=(), replies={}, idle=idle)
    reason = session.pending or (Reason.STALL if stalled else None)
    if reason is None or to in protocol.verdicts:
        after = _enter(protocol, session)
    elif to is protocol.interrupts[reason].to:
        interrupted = session.interrupted if protocol.interrupts[reason].detour else reason
        after = _enter(protocol, replace(session, interrupted=interrupted, pending=None))
    else:
        after = _divert(protocol, session, Replies(), reason)
    return Step(after.session, (*withdrawn, *after.effects), (move, *after.moves))


def _divert(protocol: Protocol[S], session: Session[S], heard: Replies, reason: Reason) -> Step[S]:
    """Go to the interruption's phase; replies already received are folded into the state."""
    interrupt = protocol.interrupts[reason]
    withdrawn = tuple(Withdraw(ask.id) for ask in session.open)
    state = interrupt.fold(session.state, heard)
    move = Move(session.entry, session.phase, reason, interrupt.to, Cause.INTERRUPTED, session.state, state)
    idle, interrupted = (session.idle, session.interrupted) if interrupt.detour else (0, reason)
    session = Session(
        interrupt.to, state, session.entry + 1, interrupted=interrupted, episodes=session.episodes, idle=idle
    )
    after = _enter(protocol, session)
    return Step(after.session, (*withdrawn, *after.effects), (move, *after.moves))


def _count_progress(protocol: Protocol[S], session: Session[S], heard: Replies) -> tuple[int, bool]:
    """Return how many consecutive replies made no progress, and whether the stall limit is reached.

    The replies of one phase count together: if one of them is progress, none of them is idle. A phase that
    may settle early is not counted, because which of its replies are heard depends on timing.
    """
    if protocol.nodes[session.phase].settle is not None:
        return session.idle, False
    counted = [reply for ask, reply in heard if ask.seat not in protocol.uncounted]
    if any(not isinstance(reply, Absent) and protocol.progress(reply) for reply in counted):
        return 0, False
    idle = session.idle + len(counted)
    limit = protocol.limits.stall if session.interrupted is not Reason.STALL else None
    return idle, bool(counted) and limit is not None and idle >= limit


def _enter(protocol: Protocol[S], session: Session[S]) -> Step[S]:
    """Enter the session's phase, and pass through phases that ask nobody."""
    moves: list[Move] = []
    for _ in range(MOST_SILENT_MOVES):
        if session.phase in protocol.verdicts:
            return Step(*_concluded(protocol, session), tuple(moves))
        node = protocol.nodes[session.phase]
        questions = node.asks(session.state)
        if questions:
            asked = _ask(protocol, session, questions)
            return Step(asked.session, asked.effects, (*moves, *asked.moves))
        decision = node.decide(session.state, Replies())
        to = _row(protocol, session.phase, decision.outcome)
        moves.append(_moved(session, decision, to, Cause.DECIDED))
        session = replace(session, phase=to, state=decision.state, entry=session.entry + 1)
    raise DefinitionError(f"{protocol.name}: {MOST_SILENT_MOVES} phases in a row asked nobody; the table has a loop")


def _ask(protocol: Protocol[S], session: Session[S], questions: tuple[Question, ...]) -> Step[S]:
    counted = sum(question.seat not in protocol.uncounted for question in questions)
    limit = protocol.limits.episodes if session.interrupted is not Reason.EPISODES else None
    if limit is not None and session.episodes + counted > limit:
        return _divert(protocol, session, Replies(), Reason.EPISODES)
    asks = tuple(
        Ask(AskId(f"{session.entry}.{index}"), q.seat, q.brief, q.form, q.keys) for index, q in enumerate(questions)
    )
    return Step(replace(session, asks=asks, replies={}, episodes=session.episodes + counted), asks)


def _concluded(protocol: Protocol[S], session: Session[S]) -> tuple[Session[S], tuple[Effect, ...]]:
    verdict = protocol.verdicts[session.phase](session.state)
    conclusion = Conclusion(session.phase, verdict, protocol.degradation(session.state), session.interrupted)
    return replace(session, conclusion=conclusion), (Conclude(conclusion),)
