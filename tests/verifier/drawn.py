"""Replies drawn at random from all that a form allows, marks included: far more ways than the domains of the proofs."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, cast

from quorate.core.engine import check_reply
from quorate.core.errors import RuleViolation
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text
from quorate.core.shapes import shape_of as shape
from quorate.core.types import Ask

FITTING = {
    **dict.fromkeys(("supported_by", "opposed_by", "proposed_by", "parties"), "P"),
    **dict.fromkeys(("artifact", "supersedes", "builds_on", "affected_ideas", "risk"), "-"),
    **{"covered": "K", "document": "D", "applied": "RUL"},
}
"""By field what its keys have in them, so that most replies name something of the right kind."""
SMALL = {
    "criteria": 2,
    "parts": 2,
    "minimum": 1,
    "parent": 3,
    "tickets": 3,
    "claims": 2,
    "size": 300,
    "refused": 1,
    "first": 30,
    "last": 40,
}
"""Numbers that are drawn below these, so that sessions come to an end."""
LIKED = ("ELABORATE", "CONTRIBUTE", "AMEND", "RESOLVE", "SYNTHESIS", "SUPPORT", "GO_ON", "MINOR", "CONFIRM")
"""Choices that lead on, drawn more often."""
TOPIC_KINDS = ("REQ", "ARCH", "IDEA", "BR")


def drawn(ask: Ask, chance: Random) -> Reply:
    """Return a reply that the ask allows."""
    for _ in range(50):
        reply = cast("Reply", _draw(shape(ask.form), ask, chance, ""))
        try:
            check_reply(ask, reply)
        except RuleViolation:
            continue  # a key stood in it twice
        return reply
    raise AssertionError(f"nothing fits {ask}")


def _keys(ask: Ask, name: str) -> list[Key]:
    fitting = [key for key in ask.keys if FITTING.get(name, "") in key]
    return fitting or list(ask.keys)


def _draw(given: Shape, ask: Ask, chance: Random, name: str) -> Any:
    match given:
        case Text():
            return Prose(chance.choice(("", "text", "text")))
        case Flag():
            return chance.random() < 0.2
        case Choice(enum):
            liked = [each for each in enum if each.name in LIKED]
            return chance.choice(liked if liked and chance.random() < 0.5 else list(enum))
        case Number(low, high):
            return chance.randint(low, min(high, max(low, SMALL.get(name, high))))
        case OneKey():
            return chance.choice(_keys(ask, name))
        case PerKey(item):
            return Keyed({key: _draw(item, ask, chance, name) for key in ask.keys if chance.random() < 0.85})
        case Many(item, most):
            return _several(item, most, ask, chance, name)
        case Group(type=made, fields=inner):
            return made(**{each.name: _draw(each.shape, ask, chance, each.name) for each in inner})


def _several(item: Shape, most: int, ask: Ask, chance: Random, name: str) -> tuple[Any, ...]:
    if isinstance(item, OneKey):
        keys = _keys(ask, name)
        rarely = name in ("contested", "opposed_by", "supersedes") and chance.random() < 0.7
        count = 0 if rarely else len(keys) if chance.random() < 0.5 else chance.randint(0, len(keys))
        return tuple(chance.sample(keys, min(count, most))) if ask.keys else ()
    if isinstance(item, Choice) and name == "counts":
        return tuple(each for each in item.enum if each.name in TOPIC_KINDS)
    if name == "topics":
        made = [_draw(item, ask, chance, name) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 3)))]
        return tuple(replace(each, key=Key(f"T{number}")) for number, each in enumerate(made, start=1))
    if isinstance(item, Group) and not ask.keys and any(isinstance(each.shape, OneKey) for each in item.fields):
        return ()
    count = chance.choice((1, 2, 3, 4) if name in ("changes", "edits", "documents") else (0, 0, 0, 0, 1, 2))
    return tuple(_draw(item, ask, chance, name) for _ in range(min(most, count)))
