"""Sessions that cost as much as chance makes them: long words, malformed replies, absences, all through the exchange.

Models are real participants with a real exchange; only the wire is drawn. What they write has up to four bytes a token,
as most languages have, and is counted by it; what they read is counted as the budget counts.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from quorate.codec import Malformed, parse_reply
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Record
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, AbsentReason, Ask, Question, Replied, Seat
from quorate.core.view import estimate_tokens
from quorate.participants.check import Check
from quorate.participants.exchange import Exchange
from quorate.participants.model import ModelParticipant
from quorate.participants.person import Person
from quorate.participants.port import Answer, Participant
from quorate.participants.prices import Price
from quorate.participants.providers import ModelSpec
from quorate.participants.relay import Relay
from quorate.runtime.asks import envelope_of, request_of, usable, who_answers
from quorate.runtime.waves import due
from tests.faults.tables import opening_of, written
from tests.support.filling import fill

BYTES = 4
"""Of a token that is written."""
WORDS = ("plain words of the usual kind ", "größere Wörter für alle Fälle ", "x", "日本語の言葉 ")
MOST_EVENTS = 400


def seated(protocol: Protocol[Any], max_tokens: int = 600) -> dict[Seat, Participant]:
    """Models on all seats that are nobody's, with a price; people and code on theirs."""
    model = ModelParticipant(
        ModelSpec("openai", "drawn"), max_tokens=max_tokens, stream=False, own_price=Price(3, 15), env={}
    )
    found: dict[Seat, Participant] = {}
    for seat in protocol.seats:
        code, person = seat in protocol.checks, seat in protocol.people
        found[seat] = Check(lambda _: Absent(AbsentReason.SILENT), "code") if code else Person() if person else model
    return found


def relayed(protocol: Protocol[Any], *, dear_first: bool = False) -> dict[Seat, Participant]:
    """The same table with two models on every seat of models: one that is dear, and one that is cheap and narrow."""
    dear = ModelParticipant(ModelSpec("openai", "dear"), max_tokens=900, stream=False, own_price=Price(30, 150), env={})
    cheap = ModelParticipant(
        ModelSpec("openai", "cheap"), max_tokens=300, stream=False, own_price=Price(1, 2), env={}, window=12_000
    )
    both = Relay(dear, cheap) if dear_first else Relay(cheap, dear)
    return {seat: both if isinstance(each, ModelParticipant) else each for seat, each in seated(protocol).items()}


def run(
    record: Record,
    table: Mapping[Seat, Participant],
    seed: int,
    *,
    hard: bool = False,
    curtail: bool | None = None,
) -> Record:
    """Drive a session to its end, or as far as it comes; every reply is drawn from its form's domain.

    With `curtail` any ask of a wave is answered next, without it any that is open; where nothing is said the first.
    A hard session is as long as anybody can make it: each seat is absent once wherever it is asked again, and otherwise
    needs all repairs and says all that it can.
    """
    chance = Random(f"costly {seed}")
    gone = chance.choice((0.0, 0.0, 0.1, 0.4))

    async def drive() -> None:
        while record.session.conclusion is None and len(record.envelopes) < MOST_EVENTS:
            waiting = due(record.protocol, record.session, ()) if curtail else record.session.open
            ask = waiting[0] if curtail is None else chance.choice(waiting)
            who = who_answers(table, record, ask)
            request, cuts = request_of(record, ask, who, None)
            reply = _drawn(record, ask, chance)
            if isinstance(who, ModelParticipant):
                absent = record.protocol.name == "debate" and request.occurrence % 2 == 1 if hard else None
                texts = _texts(ask, reply, who.max_tokens, chance, gone, absent)
                exchange = Exchange(who, _wire(texts), request, lambda _: None)
                said, detail = await exchange.run()
                cost = who.price(exchange.tokens_in, exchange.tokens_out)
                answer = Answer(said, who.name, exchange.tokens_in, exchange.tokens_out, cost, exchange.calls, detail)
            else:
                answer = Answer(reply, who.name)
            answer = usable(record, ask, answer, lambda _, each: each)
            envelope = replace(envelope_of(answer, who, 0, cuts), seq=len(record.envelopes) + 1)
            record.take(Replied(ask.id, answer.reply), envelope)

    asyncio.run(drive())
    return record


def opened(table: int, seed: int, protocol: Protocol[Any], material: Mapping[str, str]) -> Record:
    """A session at its beginning."""
    return Record(protocol, opening_of(table, seed, "costly")[0], material)


def _drawn(record: Record, ask: Ask, chance: Random) -> Reply:
    values = record.protocol.domains[ask.form].values(Question(ask.seat, ask.brief, ask.form, ask.keys))
    if ask.seat in record.protocol.checks and chance.random() < 0.8:
        values = (max(values, key=lambda each: len(_written(written(each)))),)  # much to say keeps a session going
    if ask.brief == "menu" and chance.random() < 0.8:
        values = tuple(each for each in values if each.choice.value == "elaborate")  # type: ignore[attr-defined]
    for drawn in (chance.choice(values) for _ in range(20)):
        try:
            return parse_reply(ask, written(drawn))
        except Malformed:
            continue
    return fill(ask)


def _texts(ask: Ask, reply: Reply, max_tokens: int, chance: Random, gone: float, absent: bool | None) -> list[str]:
    """What the model writes, try by try: perhaps nonsense first, and perhaps nothing but nonsense."""
    most = max_tokens * BYTES
    size = most if absent is not None else chance.randrange(1, most)
    good = _stuffed(ask, reply, size, chance.choice(WORDS))
    if absent is not None:
        return [("no form, " * most)[:most]] * (3 if absent else 2) + [good]
    bad = chance.choice(("no form at all, " * 400, '{"strange": 1}', "[1, 2"))[:most]
    return [bad] * (3 if chance.random() < gone else chance.choice((0, 0, 1, 2))) + [good]


def _stuffed(ask: Ask, reply: Reply, size: int, word: str) -> str:
    """The reply with its texts as long as fit into so many bytes, and into the form."""
    data, room = written(reply), size
    while room > 8:
        text = _written(_filled(shape_of(ask.form), data, word * (room // len(word.encode()) + 1), room))
        if len(text.encode()) <= size:
            return text
        room = room * 9 // 10
    return _written(data)


def _filled(shape: Shape, data: Any, text: str, room: int) -> Any:
    match shape:
        case Text(most):
            return (data + text.encode()[:room].decode(errors="ignore"))[:most] if data.strip() else data
        case Many(item):
            return [_filled(item, each, text, room) for each in data]
        case PerKey(item):
            return {key: _filled(item, each, text, room) for key, each in data.items()}
        case Group(fields=fields):
            shapes = {each.name: each.shape for each in fields}
            return {name: _filled(shapes[name], each, text, room) for name, each in data.items()}
        case _:
            return data


def _written(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _wire(texts: list[str]) -> FunctionModel:
    waiting = iter(texts)

    async def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        text = next(waiting)
        read = sum(estimate_tokens(str(getattr(part, "content", ""))) for each in messages for part in each.parts)
        read += estimate_tokens(str(getattr(messages[0], "instructions", "") or ""))
        usage = RequestUsage(input_tokens=read, output_tokens=-(-len(text.encode()) // BYTES))
        return ModelResponse([TextPart(text)], usage=usage, finish_reason="stop")

    return FunctionModel(answer, model_name="drawn")
