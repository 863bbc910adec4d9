"""The event stream of a session, the same for every surface.

Each entry of the journal is told as exactly one event with the entry's sequence, so a stream has no gaps and can be
taken up again after any event: what was said or happened, the moves and asks that followed from it with their reasons,
and where the session stands afterwards. An event is plain JSON values and is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, assert_never

from quorate.codec.chain import Entry
from quorate.codec.entries import decode_entry, measured_to_data
from quorate.codec.replies import reply_to_data
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Envelope, Line, Opening, Record, Ruling, Said, Stopped
from quorate.core.session import Conclusion, Withdraw
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, Ask
from quorate.evidence.derivation import decision
from quorate.evidence.explain import Explainer
from quorate.evidence.prose import tree
from quorate.kit.gauges import Gauge

_SELDOM = ("unfit", "tokens_cached", "measured")
"""What is told of an answer only where there is any."""
_ENVELOPE = tuple(each.name for each in fields(Envelope) if each.name not in ("seq", "at", *_SELDOM))


@dataclass(frozen=True)
class Told:
    """One event of a stream."""

    seq: int
    data: Mapping[str, Any]
    """As programs get it."""
    reply: Reply | None = None
    """What was said, where something was."""

    @cached_property
    def shown(self) -> Mapping[str, Any]:
        """The event for the web page: the reply as its fields in order, with their shapes, and prose as trees."""
        if self.reply is None:
            return self.data
        rest = {name: value for name, value in self.data.items() if name != "reply"}
        return rest | {"said": _said(shape_of(type(self.reply)), self.data["reply"])}

    @cached_property
    def text(self) -> str:
        """The event as JSON, cached for all readers."""
        return json.dumps(self.data, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def shown_text(self) -> str:
        return json.dumps(self.shown, ensure_ascii=False, separators=(",", ":"))


def _said(form: Group, data: Mapping[str, Any]) -> list[list[Any]]:
    """Return the fields of a form or group as [name, shape, value], without marks."""
    return [[each.name, *_value(each.shape, data[each.name])] for each in form.fields if each.mark is None]


def _value(shape: Shape, value: Any) -> tuple[str, Any]:
    match shape:
        case Text():
            return "prose", tree(value)
        case Flag():
            return "flag", value
        case Choice():
            return "choice", value
        case Number():
            return "number", value
        case OneKey():
            return "key", value
        case Many(item):
            return "list", [["item", *_value(item, each)] for each in value]
        case PerKey(item):
            return "keyed", [[key, *_value(item, each)] for key, each in value.items()]
        case Group():
            return "group", _said(shape, value)
    assert_never(shape)


class Teller:
    """Turns a session's entries into events, one by one, from its opening on."""

    def __init__(
        self,
        protocol: Protocol[Any],
        opening: Opening,
        material: Mapping[str, str],
        gauges: Callable[[Record], tuple[Gauge, ...]] = lambda _: (),
    ) -> None:
        self.record = Record(protocol, opening, material)
        self._gauges = gauges
        self._explainer = Explainer(protocol)
        self._tokens_in = self._tokens_out = 0
        self._cost: int | None = 0

    def opened(self, entry: Entry, envelope: Envelope) -> Told:
        """Return the event of entry 0, with the first asks."""
        opening = self.record.opening
        told = {
            "session": opening.session,
            "protocol": opening.protocol,
            "version": opening.version,
            "digest": opening.digest,
            "title": opening.title,
            "seed": opening.seed,
            "settings": dict(opening.settings),
            "panel": dict(opening.panel),
            "material": dict(opening.material),
            "fork": opening.run.get("fork"),
        }
        head = {"seq": entry.seq, "at": envelope.at, "hash": entry.hash, "kind": "opened", "opening": told}
        return Told(entry.seq, head | self._followed(self.record.log))

    def take(self, entry: Entry) -> Told:
        """Return the event of the next entry; raises, and changes nothing, if the rules do not allow it."""
        event, envelope = decode_entry(entry.body, self.record.session.asks)
        known = len(self.record.log)
        self.record.take(event, envelope)
        lines = self.record.log[known:]
        self._tokens_in += envelope.tokens_in
        self._tokens_out += envelope.tokens_out
        self._cost = None if self._cost is None or envelope.cost is None else self._cost + envelope.cost
        head = {"seq": entry.seq, "at": envelope.at, "hash": entry.hash}
        first = lines[0]
        reply = first.reply if isinstance(first, Said) and not isinstance(first.reply, Absent) else None
        return Told(entry.seq, head | self._happened(first) | self._followed(lines), reply)

    def _happened(self, line: Line) -> dict[str, Any]:
        """Return what happened, from the first log line that the event led to."""
        match line:
            case Said(ask, reply, phase, round_, envelope):
                told = {"ask": _ask(ask, phase.name, round_)} | {each: getattr(envelope, each) for each in _ENVELOPE}
                if envelope.tokens_cached:
                    told |= {"tokens_cached": envelope.tokens_cached}
                if isinstance(reply, Absent):
                    return {"kind": "absent", "absent": reply.reason.value} | told
                if envelope.unfit:
                    told |= {"unfit": [asdict(each) for each in envelope.unfit]}
                if envelope.measured:
                    told |= {"measured": measured_to_data(envelope.measured)}
                return {"kind": "replied", "reply": reply_to_data(reply)} | told
            case Stopped(reason, envelope):
                return {"kind": "interrupted", "reason": reason.value, "detail": envelope.detail}
            case Ruling(verdict, by, reason, _):
                return {"kind": "ruled", "ruling": {"verdict": verdict.name, "by": by, "reason": reason}}
            case _:
                raise AssertionError(f"no event begins with the line {line!r}")

    def _followed(self, lines: list[Line]) -> dict[str, Any]:
        people = {ask.id for ask in self.record.waits_for_people()}
        asked = [line for line in lines if isinstance(line, Asked)]
        concluded = next((line for line in lines if isinstance(line, Conclusion)), None)
        return {
            "moves": [decision(move) for move in self._explainer.take(lines)],
            "asked": [
                _ask(line.ask, line.phase.name, line.round) | {"person": line.ask.id in people} for line in asked
            ],
            "withdrawn": [str(line.ask) for line in lines if isinstance(line, Withdraw)],
            "conclusion": self._conclusion(concluded) if concluded is not None else None,
            "after": self._after(),
        }

    def _conclusion(self, conclusion: Conclusion) -> dict[str, Any]:
        return {
            "verdict": conclusion.verdict.name,
            "phase": conclusion.phase.name,
            "degradation": conclusion.degradation.value,
            "interrupted": conclusion.interrupted.value if conclusion.interrupted else None,
            "exit_code": self.record.protocol.exit_codes[conclusion.verdict],
        }

    def _after(self) -> dict[str, Any]:
        session = self.record.session
        return {
            "phase": session.phase.name,
            "round": self.record.protocol.round(session.state),
            "open": [str(ask.id) for ask in session.open],
            "waiting": [{"ask": str(ask.id), "seat": str(ask.seat)} for ask in self.record.waits_for_people()],
            "episodes": session.episodes,
            "idle": session.idle,
            "tokens_in": self._tokens_in,
            "tokens_out": self._tokens_out,
            "cost": self._cost,
            "gauges": [asdict(gauge) for gauge in self._gauges(self.record)],
        }


def _ask(ask: Ask, phase: str, round_: int) -> dict[str, Any]:
    return {
        "id": str(ask.id),
        "seat": str(ask.seat),
        "brief": ask.brief,
        "form": ask.form.__name__,
        "keys": [str(key) for key in ask.keys],
        "phase": phase,
        "round": round_,
    }
