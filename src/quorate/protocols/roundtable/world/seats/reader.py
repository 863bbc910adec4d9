"""The reader: says what the person's turn means for the conversation, by rules and from the words alone (T15)."""

from __future__ import annotations

from quorate.core.errors import InputError, RuleViolation
from quorate.core.forms import Key, Prose
from quorate.kit.strict_json import strict_json
from quorate.participants.check import Check
from quorate.participants.port import Request
from quorate.protocols.roundtable.rules.forms import Reading
from quorate.protocols.roundtable.rules.turn_reader import read_turn
from quorate.protocols.roundtable.world.seats.job import section


def reader() -> Check:
    """Return who reads the turns; it needs nothing but its view: the sections `Turn` and `Personas`."""

    def answer(request: Request) -> Reading:
        if request.ask.brief != "read":
            raise RuleViolation(f"the reader cannot answer the brief {request.ask.brief!r}; it answers 'read'")
        found = read_turn(section(request.view, "Turn"), _personas(request))
        addressed = () if found.addressed is None else (found.addressed,)
        return Reading(Prose(f"{found.rule}: {found.reason}"), addressed, found.intent)

    return Check(answer, name="reader")


def _personas(request: Request) -> dict[Key, str]:
    """Return first names by key, of those who may be addressed."""
    rows = strict_json(section(request.view, "Personas"))
    if not isinstance(rows, list) or not all(_is_named(row) for row in rows):
        raise InputError("is not a list of personas", key="Personas", expected="objects with `key` and `first`")
    return {Key(row["key"]): row["first"] for row in rows if row["key"] in request.ask.keys}


def _is_named(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("key"), str) and isinstance(row.get("first"), str)
