"""Counterexamples as text: the steps from the opening to the failure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, assert_never

from quorate.core.engine import begin, step
from quorate.core.forms import Key, Reply
from quorate.core.protocol import Protocol, When
from quorate.core.session import Cause, Move, Session, Step
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask, Event, Interrupted, Replied, Ruled
from quorate.verify.counterexamples import Failure, Via
from quorate.verify.explore import Walk


@dataclass(frozen=True, slots=True)
class Story:
    """The steps, what failed at the end, and the location of the rule."""

    profile: str
    steps: tuple[str, ...]
    broke: str
    where: str

    def text(self) -> str:
        numbered = []
        for number, each in enumerate(self.steps, start=1):
            first, *rest = each.split("\n")
            numbered += [f"{number:>3}. {first}", *(f"     {line}" for line in rest)]
        place = [f"     Where: {self.where}"] if self.where else []
        return "\n".join([f"Under {self.profile!r}:", *numbered, f"  => {self.broke}", *place])


def tell(walk: Walk[Any], failure: Failure, profile: str) -> Story:
    """Return the story of a failure."""
    protocol, steps = walk.protocol, list[str]()
    if not failure.again:
        return Story(profile, tuple(_recounted(walk, failure)), failure.what, failure.where)
    try:
        opening = begin(protocol)
    except Exception as error:
        steps.append(f"{protocol.initial.name} opens the session. This raises {type(error).__name__}.")
        return Story(profile, tuple(steps), failure.what, failure.where)
    steps += _passed(opening)
    way = failure.events or tuple(e for place, via in path(walk, failure.place) for e in events(walk, place, via))
    steps += _narrate(protocol, opening.session, way)
    before = -1
    for place, via in failure.legs:
        instead = place == before
        rules = _unsettled(protocol) if instead else protocol
        told = _narrate(rules, walk.vertices[place].session, events(walk, place, via))
        steps += [f"Or instead: {told[0]}", *told[1:]] if instead else told
        before = place
    return Story(profile, tuple(steps), failure.what, failure.where)


def _recounted(walk: Walk[Any], failure: Failure) -> list[str]:
    """Tell the path from the walk's data alone, without calling the protocol again."""
    initial, legs = walk.protocol.initial, [*path(walk, failure.place), *failure.legs]
    steps: list[str] = []
    for place, via in legs:
        session = walk.vertices[place].session
        if steps:
            steps[-1] += f"\nOn to {session.phase.name}."
        elif session.phase is not initial:
            steps.append(f"{initial.name} opens the session, which goes on to {session.phase.name}.")
        said = [f"  {_event(walk.protocol, session.asks, each)}" for each in events(walk, place, via)]
        steps.append("\n".join([f"{session.phase.name} asks {_asked(session.asks)}.", *said]))
    return steps or [f"{initial.name} opens the session."]


def path(walk: Walk[Any], place: int) -> list[tuple[int, Via]]:
    """Return the steps from the opening to a vertex, each with the vertex it starts from."""
    legs: list[tuple[int, Via]] = []
    while place > 0:
        vertex = walk.vertices[place]
        legs.append((vertex.parent, vertex.via))
        place = vertex.parent
    return legs[::-1]


def events(walk: Walk[Any], place: int, via: Via) -> list[Event]:
    """Return the events of one step, in order; an interruption that waits for the phase comes before its replies."""
    asks = walk.vertices[place].session.asks
    replied: list[Event] = []
    for number in via.arrived():
        reply = via.replies[number]
        if reply is not None:
            replied.append(Replied(asks[number].id, walk.choices.of(asks[number]).said[reply]))
    if via.reason is None:
        return replied
    later = walk.protocol.interrupts[via.reason].when is When.AFTER_PHASE
    stop: list[Event] = [Interrupted(via.reason)]
    return [*stop, *replied] if later else [*replied, *stop]


def _unsettled(protocol: Protocol[Any]) -> Protocol[Any]:
    """Return the protocol with early settlement turned off."""
    nodes = {phase: replace(node, settle=None) for phase, node in protocol.nodes.items()}
    return replace(protocol, nodes=nodes)


def _narrate(protocol: Protocol[Any], session: Session[Any], happened: Sequence[Event]) -> list[str]:
    """Tell a sequence of events, one step for each phase that asked somebody or was passed."""
    steps: list[str] = []
    lines: list[str] = []
    for event in happened:
        lines = lines or [f"{session.phase.name} asks {_asked(session.asks)}."]
        lines.append("  " + _event(protocol, session.asks, event))
        try:
            after = step(protocol, session, event)
        except Exception as error:
            lines.append(f"This raises {type(error).__name__}.")
            break
        session = after.session
        if after.moves:
            steps += ["\n".join([*lines, _move(after.moves[0])]), *_passed(after, skip=1)]
            lines = []
    return [*steps, "\n".join(lines)] if lines else steps


def _passed(after: Step[Any], skip: int = 0) -> list[str]:
    told = _silent(after.moves[skip:])
    if after.session.conclusion is not None:
        told.append(f"The verdict is {after.session.conclusion.verdict.name}.")
    return told


def _silent(moves: tuple[Move, ...]) -> list[str]:
    return [
        _move(move) if move.cause is Cause.INTERRUPTED else f"{move.phase.name} asks nobody.\n{_move(move)}"
        for move in moves
    ]


def _move(move: Move) -> str:
    if move.cause is Cause.INTERRUPTED:
        return f"Interrupted ({move.outcome.value}): on to {move.to.name}."
    held = next((test for test in move.because if test.held), None)
    reason = f" ({held.rule}: {held.claim})" if held is not None and len(move.because) > 1 else ""
    early = " settles early with" if move.cause is Cause.SETTLED else " decides"
    return f"It{early} {move.outcome.name}{reason}: on to {move.to.name}."


def _event(protocol: Protocol[Any], asks: tuple[Ask, ...], event: Event) -> str:
    match event:
        case Interrupted(reason):
            return f"an interruption comes: {reason.value}, which acts {protocol.interrupts[reason].when.value}"
        case Replied(ask_id, reply):
            asked = next((ask.seat for ask in asks if ask.id == ask_id), f"{ask_id}, which is not asked")
            return f"{asked}: {in_words(reply)}"
        case Ruled(verdict, by, _):
            return f"{by} rules {verdict}"
    assert_never(event)


def _asked(asks: tuple[Ask, ...]) -> str:
    briefs: dict[tuple[str, tuple[Key, ...]], list[str]] = {}
    for ask in asks:
        briefs.setdefault((ask.brief, ask.keys), []).append(ask.seat)
    parts = []
    for (brief, keys), seats in briefs.items():
        about = f" about {', '.join(map(str, keys))}" if keys else ""
        parts.append(f"{_listed(seats)} ({brief}{about})")
    return _listed(parts) or "nobody"


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def in_words(reply: Reply | Absent) -> str:
    """Describe the typed fields of a reply, without its prose."""
    if isinstance(reply, Absent):
        return f"absent ({reply.reason.value})"
    said = ", ".join(_fields(shape_of(type(reply)), reply))
    return f"{type(reply).__name__}{f' ({said})' if said else ''}"


def _fields(group: Group, value: Any) -> Iterator[str]:
    for each in group.fields:
        if (words := _words(each.shape, getattr(value, each.name))) is not None:
            yield f"{each.name}: {words}"


def _words(shape: Shape, value: Any) -> str | None:
    match shape:
        case Text():
            return None
        case Flag():
            return "yes" if value else "no"
        case Choice():
            return str(value.value) if isinstance(value, Enum) else str(value)
        case Number() | OneKey():
            return str(value)
        case Many(item=item):
            return _list(len(value), [_words(item, each) for each in value])
        case PerKey(item=item):
            inner = {key: _words(item, each) for key, each in value.items()}
            return ", ".join(f"{key} ({words})" if words else str(key) for key, words in inner.items()) or "none"
        case Group():
            return ", ".join(_fields(shape, value)) or None


def _list(size: int, words: list[str | None]) -> str:
    told = [each for each in words if each is not None]
    if not told:
        return str(size) if size else "none"
    return f"{size} ({'; '.join(told)})"
