"""Size bounds: how long the prompt of an ask can become, and what answering it can cost a participant.

Counted as the budget counts: three bytes are one token, which is conservative for most languages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, assert_never

from quorate.core.forms import Key
from quorate.core.protocol import Protocol
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import BYTES_PER_TOKEN, View, estimate_tokens
from quorate.kit.roles import is_role
from quorate.kit.schedule import Schedule, Turn, turns
from quorate.participants.exchange import LOOKS
from quorate.participants.formwords import schema_of
from quorate.participants.model import ModelParticipant
from quorate.participants.port import MOST_REPAIRS, Participant, those_behind, those_speaking
from quorate.participants.prompt import SMALL_WINDOW, render
from quorate.participants.relay import FRAME_TOKENS, Confirmation, Relay
from quorate.participants.samples import Samples
from quorate.participants.script import ScriptParticipant
from quorate.participants.scriptfile import EVERY, ScriptLine
from quorate.participants.standin import StandIn

MOST_BYTES = 4
"""Of one character."""
KEY = "key-{:03}-of-some-item"
"""A key as long as keys become."""
LABELS = 100
"""Tokens of labels and markers around a reply that is shown, and of the sections that hold no words of others."""
WORDY = 4, 3
"""A token that is written may be read as a little more than one: text has more than three bytes a token."""


@dataclass(frozen=True, slots=True)
class CallCost:
    """Cost of one ask: tokens, and millionths of a US dollar (None if a price is unknown)."""

    tokens_in: int
    tokens_out: int
    money: int | None


@dataclass(frozen=True)
class Sizes:
    """Sizes of one session: its protocol, participants, schedule and material."""

    protocol: Protocol[Any]
    table: Mapping[Seat, Participant]
    schedule: Schedule
    matter: int
    """Tokens of the material."""
    looks: bool = False
    """Models may look into a folder."""
    repairs: int = MOST_REPAIRS
    """How often a malformed reply is asked for again."""
    worsts: dict[tuple[int, Seat], CallCost] = field(default_factory=dict)
    """What was computed already, by turn and seat."""
    _told: dict[tuple[str, int, bool], tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def roles(self) -> int:
        """Tokens of the longest role."""
        texts = (text for name, text in self.protocol.briefs.items() if is_role(name))
        return max(map(estimate_tokens, texts), default=0)

    @cached_property
    def system(self) -> int:
        """Tokens of the system prompt, with which every prompt begins."""
        first = next(turns(self.schedule))
        return estimate_tokens(self._prompt(first, None).system)

    @cached_property
    def replies(self) -> Mapping[str, int]:
        """Maximum tokens of a reply as shown to others, by brief."""
        found: dict[str, int] = {}
        for turn in turns(self.schedule):
            writers = [each for seat in turn.seats for each in those_behind(self.table[seat])]
            most = max((self._written(turn, each) for each in writers), default=0)
            found[turn.brief] = max(found.get(turn.brief, 0), most)
        return found

    def speaker(self, seat: Seat, round_: int) -> Participant:
        """Return the participant who speaks on a seat in a round; for a relay, the one for that round."""
        return next(those_speaking(self._sitting(seat, round_)))

    def _sitting(self, seat: Seat, round_: int) -> Participant:
        sits = self.table[seat]
        return sits.in_round(round_) if isinstance(sits, Relay) else sits

    def unpriced(self, seat: Seat) -> Iterator[str]:
        """Names of participants behind a seat that cost money at an unknown price."""
        for each in those_behind(self.table[seat]):
            if each.most_tokens(1) and each.price(1, 1) is None:
                yield each.name

    def fixed(self, turn: Turn, participant: Participant) -> int:
        """Tokens of the constant part of a prompt: briefs, role and form."""
        return self._fixed(turn, participant)[0] + self.roles

    def prompt(self, turn: Turn, participant: Participant) -> int:
        """Maximum tokens of a participant's prompt."""
        words = LABELS
        for briefs, count in (*turn.shows, *turn.rare):
            words += count * (max((self.replies.get(brief, 0) for brief in briefs.split("|")), default=0) + LABELS)
        return self._whole(turn, participant, self.matter * turn.material + words)

    def _whole(self, turn: Turn, participant: Participant, shown: int) -> int:
        """Tokens of a prompt that shows this many, cut to the limits of settings and window."""
        if turn.most is not None:
            # What settings cut a view to does not count the markers around its sections.
            shown = min(shown, turn.most + turn.most // 3 + LABELS)
        fixed, window = self.fixed(turn, participant), participant.window
        return fixed + shown if window is None else min(fixed + shown, max(fixed, window))

    def worst(self, turn: Turn, seat: Seat) -> CallCost:
        """Maximum cost of one ask, repairs included, of whoever is asked for the seat.

        For a relay that is the one for the round, so the dearer counts; every sample counts, and so does a draft. Money
        is what is known of prices, and None if none is known; `unpriced` names the others.
        """
        return self._worst(turn, self.table[seat])

    def _worst(self, turn: Turn, participant: Participant, draft: int = 0) -> CallCost:
        """Return the maximum cost of a participant, whose prompt has a draft of so many tokens beside the view."""
        prompt = self.prompt(turn, participant) + draft
        match participant:
            case Relay(first, stronger):
                either = self._worst(turn, first, draft), self._worst(turn, stronger, draft)
                known = [each.money for each in either if each.money is not None]
                return CallCost(
                    max(each.tokens_in for each in either),
                    max(each.tokens_out for each in either),
                    max(known, default=None),
                )
            case Confirmation(first, stronger):
                drafted = self._written(turn, next(those_behind(first))) + FRAME_TOKENS
                return _added((self._worst(turn, first), self._worst(turn, stronger, drafted)))
            case Samples(inner, count):
                return _added([self._worst(turn, inner, draft)] * count)
            case StandIn(inner):
                return self._worst(turn, inner, draft)
            case ModelParticipant():
                sent = prompt + self._fixed(turn, participant)[1]
                all_ = participant.most_tokens(sent, self.repairs, looks=self.looks)
                calls = 1 + self.repairs + (LOOKS if self.looks else 0)
                out = min(all_ - sent, calls * participant.max_tokens)
                return _priced(participant, all_ - (1 + self.repairs) * participant.max_tokens, out)
            case ScriptParticipant():
                script = participant.script
                found = _priced(participant, max(prompt, script.most_shown), script.longest)
                dearest = max((line.cost or 0 for line in script.lines()), default=0)
                return CallCost(found.tokens_in, found.tokens_out, max(found.money or 0, dearest))
            case _:
                all_ = participant.most_tokens(prompt, self.repairs)
                return _priced(participant, all_, all_)

    def expected(self, turn: Turn, seat: Seat, reply: int, shown: int = 0, round_: int = 1) -> CallCost:
        """Typical cost of an ask that is answered at once, whose prompt shows this many replies of this length."""
        return self._expected(turn, self._sitting(seat, round_), reply, shown)

    def single(self, turn: Turn, seat: Seat, reply: int) -> CallCost:
        """Typical cost of one call to whoever speaks on a seat at first."""
        return self._expected(turn, self.speaker(seat, 1), reply, 0)

    def _expected(self, turn: Turn, participant: Participant, reply: int, shown: int) -> CallCost:
        match participant:
            case Confirmation(first, stronger):  # a draft is one reply more that is shown
                calls = self._expected(turn, first, reply, shown), self._expected(turn, stronger, reply, shown + 1)
                return _added(calls)
            case Samples(inner, count):
                return _added([self._expected(turn, inner, reply, shown)] * count)
            case StandIn(inner):
                return self._expected(turn, inner, reply, shown)
        if not participant.most_tokens(1):
            return CallCost(0, 0, 0)
        told = self._fixed(turn, participant)[1] if isinstance(participant, ModelParticipant) else 0
        written = min(reply, self._written(turn, participant))
        if isinstance(participant, ScriptParticipant):
            written = min(written, participant.script.longest)  # by the tokens that it says, which may be fewer
        tokens_in = self._whole(turn, participant, self.matter + shown * reply) + told
        if isinstance(participant, ModelParticipant):  # what a cache gives or takes is not known before
            return CallCost(tokens_in, written, participant.cost(tokens_in, written))
        return _priced(participant, tokens_in, written)

    def cacheable(self, turn: Turn, participant: Participant, *, asked_before: bool) -> int:
        """Tokens at the start of a prompt that an earlier prompt to the same model started with."""
        window = participant.window
        if window is not None and window <= SMALL_WINDOW:
            return 0
        matter = self.matter if turn.most is None else min(self.matter, turn.most)
        return self.fixed(turn, participant) + matter if asked_before else self.system + matter

    def _fixed(self, turn: Turn, participant: Participant) -> tuple[int, int]:
        """Tokens of the prompt without its role, and of the form as sent to providers."""
        window = participant.window
        key = (turn.brief, turn.keys, window is not None and window <= SMALL_WINDOW)
        if key not in self._told:
            prompt = self._prompt(turn, window if key[2] else None)
            form: Any = turn.form
            schema = json.dumps(schema_of(form, _keys(turn)), ensure_ascii=False)
            told = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
            self._told[key] = told, estimate_tokens(schema)
        return self._told[key]

    def _prompt(self, turn: Turn, window: int | None) -> Any:
        ask = Ask(AskId("0.0"), turn.seats[0], turn.brief, turn.form, _keys(turn))
        return render(self.protocol.briefs, View("", ()), ask, "0" * 8, window)[0]

    def _written(self, turn: Turn, participant: Participant) -> int:
        """Maximum tokens of a participant's reply: bounded by its form and by the participant."""
        by_form = -(-_bytes(shape_of(turn.form), turn.keys) // BYTES_PER_TOKEN)
        match participant:
            case ModelParticipant(max_tokens=most):
                return min(by_form, most * WORDY[0] // WORDY[1])
            case ScriptParticipant(script=script):
                return min(by_form, max((_length(line, turn.keys) for line in script.lines()), default=0))
            case _:
                return by_form


def _priced(participant: Participant, tokens_in: int, tokens_out: int) -> CallCost:
    price = participant.price(tokens_in, tokens_out) if tokens_in or tokens_out else 0
    return CallCost(tokens_in, tokens_out, price)


def _added(calls: Iterable[CallCost]) -> CallCost:
    """Return the cost of several calls; money is that of the known prices, and None where none is known."""
    every = list(calls)
    known = [each.money for each in every if each.money is not None]
    return CallCost(
        sum(each.tokens_in for each in every), sum(each.tokens_out for each in every), sum(known) if known else None
    )


def _length(line: ScriptLine, keys: int) -> int:
    """Tokens of a scripted reply when serialized, whatever cost it declares."""
    said = "" if line.reply is None else json.dumps(line.reply.plain(), ensure_ascii=False)
    spread = max(1, keys) if f'"{EVERY}"' in said else 1
    return estimate_tokens(said) * spread * WORDY[0] // WORDY[1]


def _keys(turn: Turn) -> tuple[Key, ...]:
    return tuple(Key(KEY.format(number)) for number in range(turn.keys))


def _bytes(shape: Shape, keys: int) -> int:
    """Maximum bytes of a shape's value, field names included."""
    match shape:
        case Text(most):
            return MOST_BYTES * most
        case Flag() | Number():
            return 20
        case Choice(enum):
            return max(len(str(each.value).encode()) for each in enum)
        case OneKey():
            return len(KEY)
        case Many(item, most):
            return most * (_bytes(item, keys) + BYTES_PER_TOKEN)
        case PerKey(item):
            return keys * (_bytes(item, keys) + len(KEY))
        case Group(_, fields):
            return sum(_bytes(each.shape, keys) + len(each.name) + 2 * BYTES_PER_TOKEN for each in fields)
        case _:
            assert_never(shape)
