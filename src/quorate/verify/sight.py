"""Visibility checks: plays sessions with canaries in all prose, to see whether views show what they must not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any

from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.record import Envelope, Opening, Record, Said
from quorate.core.session import Session
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask, Event, Reason, Replied
from quorate.core.view import View
from quorate.verify.counterexamples import Failure, where
from quorate.verify.explore import Walk
from quorate.verify.options import Options
from quorate.verify.purity import Impure, Purity
from quorate.verify.story import events, path

MATERIAL: Mapping[str, str] = {"problem": "the matter in question", "context": ""}
LONGEST_PLAY = 300
CANARY = re.compile(r"canary-(\d+\.\d+)-\d+-end")
Kind = tuple[Enum, str, int, int, int, bool, Reason | None]
"""What tells asks apart: phase, brief, round, how many are asked about how many keys, asked again, interrupted."""
Player = Callable[[Ask, Options, bool], int]


class Sight:
    """Checks the views of one walked protocol, in typical sessions and on the way to every kind of ask."""

    def __init__(self, walk: Walk[Any], material: Mapping[str, str]) -> None:
        self.walk, self.protocol, self.material = walk, walk.protocol, material
        self.views = self.plays = 0
        self.purity = Purity()
        self.kinds: set[Kind] = set()

    def look(self) -> None:
        """Play typical sessions, then go to every kind of ask that they did not meet."""
        try:
            self._open()
        except Exception:
            return  # the walk itself tells of it
        for player in self._players():
            self._play(player)
        for place, vertex in enumerate(self.walk.vertices):
            if vertex.session.asks and not self._kinds(place) <= self.kinds:
                self._replay(place)

    def _players(self) -> Iterator[Player]:
        yield _first
        yield lambda ask, options, again: max(options.present - 1, 0)
        yield lambda ask, options, again: options.present // 2
        yield lambda ask, options, again: 0 if again else options.present
        for absent in self.protocol.seats:
            yield lambda ask, options, again, absent=absent: options.present if ask.seat == absent else 0  # type: ignore[misc]

    def _play(self, player: Player) -> None:
        record, happened, again = self._open(), list[Event](), False
        self.plays += 1
        while record.session.conclusion is None and len(happened) < LONGEST_PLAY:
            session = record.session
            self.kinds |= kinds(self.protocol.round(session.state), session, again)
            self._see(record, happened)
            if not self._answer(record, player, again, happened):
                return
            if record.session.entry != session.entry:
                again = record.session.phase is session.phase

    def _replay(self, place: int) -> None:
        """Replay to a vertex, and check its views while the replies come in one by one."""
        record, happened = self._open(), list[Event]()
        self.plays += 1
        self.kinds |= self._kinds(place)
        for leg, via in path(self.walk, place):
            for event in events(self.walk, leg, via):
                if not self._take(record, event, happened):
                    return
        self._see(record, happened)
        while len(record.session.open) > 1:
            if not self._answer(record, _first, False, happened):
                return
            self._see(record, happened)

    def _answer(self, record: Record, player: Player, again: bool, happened: list[Event]) -> bool:
        """Answer the first open ask; False if that raises, which the walk reports."""
        ask = record.session.open[0]
        try:
            options = self.walk.choices.of(ask)
        except Exception:
            return False
        return self._take(record, Replied(ask.id, options.said[player(ask, options, again)]), happened)

    def _open(self) -> Record:
        protocol = self.protocol
        opening = Opening(protocol.name, protocol.version, "", "", 0, protocol.settings, {}, {})
        return Record(protocol, opening, self.material)

    def _take(self, record: Record, event: Event, happened: list[Event]) -> bool:
        """Take an event with canaries in its prose; False if that raises, which the walk reports."""
        if isinstance(event, Replied) and not isinstance(event.reply, Absent):
            event = Replied(event.ask, _marked(event.reply, event.ask))
        try:
            record.take(event, Envelope(seq=len(happened) + 1))
        except Exception:
            return False
        happened.append(event)
        return True

    def _kinds(self, place: int) -> set[Kind]:
        vertex = self.walk.vertices[place]
        before = self.walk.vertices[vertex.parent].session.phase if vertex.parent >= 0 else None
        return kinds(vertex.round, vertex.session, before is vertex.session.phase)

    def _see(self, record: Record, happened: list[Event]) -> None:
        """Check the views of all open asks."""
        for ask in record.session.open:
            self._check(record, ask, happened)

    def _check(self, record: Record, ask: Ask, happened: list[Event]) -> None:
        self.views += 1
        name = f"view of {ask.brief}"
        try:
            view = self.protocol.view(record, ask)
            text = view.text()
        except Exception as error:
            self._found(6, f"{name} raises", f"the {name} raised {type(error).__name__}: {error}", happened)
            return
        self._pure(name, view, ask, happened)
        if view.role and not self.protocol.briefs.get(view.role, "").strip():
            self._found(
                9, f"role {view.role}", f"the {name} names the role {view.role!r}, which has no brief", happened
            )
        unseen = [key for key in ask.keys if not _shows(text, key)]
        if unseen:
            says = f"{ask.seat} is asked about {', '.join(unseen)}, which the {name} does not show"
            self._found(6, f"{name} lacks its keys", says, happened)
        if (blindness := self.protocol.blindness) is None:
            return
        shown = set(CANARY.findall(text))
        for line in record.log:
            if isinstance(line, Said) and line.ask.id in shown and blindness.hidden(ask, line.ask):
                says = f"the {name} for {ask.seat} shows what {line.ask.seat} said to {line.ask.brief}"
                self._found(6, f"{name} shows {line.ask.brief}", says, happened)
        for seat in sorted(blindness.nameless(ask)):
            if _shows(text, seat):
                says = f"the {name} for {ask.seat} carries the name of {seat}"
                self._found(6, f"{name} carries a name", says, happened)

    def _pure(self, name: str, view: View, ask: Ask, happened: list[Event]) -> None:
        """Check a sampled view for purity: build it again from a separate record of the same session."""
        if not self.purity.takes(name):
            return
        try:
            record = self._open()
            for seq, event in enumerate(happened, start=1):
                record.take(event, Envelope(seq=seq))
        except Exception:
            return  # a decision that is not pure, of which the walk tells
        try:
            self.purity.check(name, lambda asked: self.protocol.view(record, asked), view, ask)
        except Impure as error:
            self._found(6, f"{name} is not pure", str(error), happened)

    def _found(self, number: int, name: str, says: str, happened: list[Event]) -> None:
        stands = where(self.protocol.view) if hasattr(self.protocol.view, "__code__") else _of_class(self.protocol.view)
        self.walk.failures.add(Failure(number, name, says, stands, -1, (), tuple(happened)))


def _first(ask: Ask, options: Options, again: bool) -> int:
    return 0


def kinds(round_: int, session: Session[Any], again: bool) -> set[Kind]:
    """Return the kinds of the asks that are open in a session."""
    count = len(session.asks)
    return {
        (session.phase, ask.brief, round_, count, len(ask.keys), again, session.interrupted) for ask in session.asks
    }


def _of_class(view: object) -> str:
    return f"{type(view).__module__}.{type(view).__qualname__}"


def _shows(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def _marked(reply: Reply, ask: str) -> Reply:
    """Return the reply with a unique text in each prose; its marks do not change."""
    counter = iter(range(10_000))

    def fill(shape: Shape, value: Any) -> Any:
        match shape:
            case Text():
                return Prose(f"canary-{ask}-{next(counter)}-end")
            case Many(item=item):
                return tuple(fill(item, each) for each in value)
            case PerKey(item=item):
                return Keyed({key: fill(item, each) for key, each in value.items()})
            case Group(type=kind, fields=inner):
                return kind(**{each.name: fill(each.shape, getattr(value, each.name)) for each in inner})
            case _:
                return value

    marked = fill(shape_of(type(reply)), reply)
    assert isinstance(marked, Reply)
    return marked
