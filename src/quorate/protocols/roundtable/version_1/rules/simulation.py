"""Simulated agents of known accuracy in a roundtable.

Nothing here is right or wrong: a persona with an opinion contributes, one that abstains passes. The person elaborates
once, lets the personas talk until they stop, and continues; so what can be told is what that takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import SettingError
from quorate.core.forms import Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat
from quorate.kit.judgement import Judging, Mind, Truth
from quorate.protocols.roundtable.version_1.rules.forms import (
    Appended,
    Clarified,
    Entry,
    Framing,
    Insight,
    Intent,
    Kept,
    Manner,
    Menu,
    MenuChoice,
    Reading,
    Recorded,
    Synthesis,
    Turn,
    Utterance,
    WhatWasMeant,
    Written,
)
from quorate.protocols.roundtable.version_1.rules.model import (
    CLASSIFIER,
    FEWEST_PERSONAS,
    HELD_BY_CODE,
    PERSON,
    PERSONAS,
    State,
    Verdict,
)

TEXT, NONE = Prose("text"), Prose("")


def _voters(protocol: Protocol[Any]) -> tuple[Seat, ...]:
    others = (CLASSIFIER, PERSON, *HELD_BY_CODE)
    return tuple(seat for seat in protocol.seats if seat not in others)


def _seated(count: int) -> Mapping[str, Any]:
    if not FEWEST_PERSONAS <= count <= len(PERSONAS):
        raise SettingError(
            f"is {count}",
            key="seats",
            expected=f"a number from {FEWEST_PERSONAS} to {len(PERSONAS)}; more personas need role files of their own",
        )
    return {"personas": list(PERSONAS[:count])}


def _tells(ask: Ask, _: State) -> bool:
    """Whether the asked seat has heard the others, as whoever speaks or sums up has."""
    return ask.form in (Utterance, Synthesis)


def _filling(_: Protocol[Any]) -> Callable[[Ask, State, Mind], Reply]:
    return _fill


def _fill(ask: Ask, state: State, mind: Mind) -> Reply:
    match ask.form.__name__:
        case "Menu":
            return Menu(NONE, MenuChoice.CONTINUE if state.elaborations else MenuChoice.ELABORATE)
        case "Framing":
            return Framing(TEXT, TEXT, ask.keys[0])
        case "Utterance":
            silent = mind.opinion.right is None
            return Utterance(NONE if silent else TEXT, (), Manner.PASS if silent else Manner.CONTRIBUTE, silent)
        case "Synthesis":
            return Synthesis((Insight(TEXT, state.spoken[:1], (), False),), (), (), (), TEXT)
        case "Appended":
            return Appended(tuple(Entry(key, Written.ADDED, TEXT, 3) for key in ask.keys))
        case _:
            return _WORDS[ask.form]


_WORDS: Mapping[type[Reply], Reply] = {
    Turn: Turn(NONE, True, False),
    Reading: Reading(TEXT, (), Intent.SILENCE),
    Clarified: Clarified(WhatWasMeant.GO_ON),
    Recorded: Recorded(TEXT, Kept.WRITTEN),
}
"""What is said without judging: the person is silent, and the clerk writes."""

JUDGING = Judging(
    truths={"open": Truth("there is something to talk about")},
    voters=_voters,
    seated=_seated,
    filling=_filling,
    tells=_tells,
    undecided=frozenset({Verdict.ABORTED}),
)
