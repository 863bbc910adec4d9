"""Substance: whether edits change what will be done or tested, or only the prose about it (C38).

A dependency, a requirement, a path, a step, a command, a criterion, a test and a status are substance. Titles,
summaries, descriptions, notes, purposes and dates are prose. A step or criterion is compared by the words that say
something, so that filler, another order of words, or a copy of what stands there already is prose as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from textwrap import dedent
from typing import Any

from quorate.core.errors import InputError
from quorate.files.yaml import load
from quorate.protocols.council.world.gates.words import FILLER, STOP, names_in, said
from quorate.protocols.council.world.rfc.model import Document, Rfc, Shape, Ticket

PROSE = frozenset(
    {
        *("title", "subtitle", "summary", "description", "desc", "abstract", "overview", "introduction", "preamble"),
        *("note", "notes", "comment", "comments", "remark", "remarks", "rationale", "background", "context"),
        *("motivation", "discussion", "purpose", "problem", "problem_statement", "explanation", "clarification"),
    }
)
"""Keys of a file under which there is prose, whatever the file."""
_BOOKKEEPING = re.compile(r"(?:.*_)?(?:date|updated|updated_at|modified|modified_at|revision|changelog)")
"""Keys that say when something was written, which changes nothing about it."""
_TELLING = frozenset({"before", "after", "until", "unless", "all", "every", "each", "any", "only", "between"})
"""Stop words that make a difference to one who has to do it."""
_SIGNS = re.compile(r"!?[<>=]=?|[≤≥≠]")


def changes_substance(before: Rfc, after: Rfc) -> bool:
    """Return whether an RFC differs after edits in anything but prose. Tickets are matched by id."""
    tickets, edited = _tickets(before), _tickets(after)
    if tickets.keys() != edited.keys():
        return True
    if any(is_substantive(ticket, edited[name]) for name, ticket in tickets.items()):
        return True
    documents, amended = ({each.key: _document(each, rfc) for each in rfc.documents} for rfc in (before, after))
    return documents != amended


def change_at(before: Rfc, after: Rfc, place: str, first: Rfc) -> tuple[bool, bool]:
    """Return whether the text and the substance of a ticket or document differ. `place` is a key of `first`."""
    tickets, edited = _tickets(before), _tickets(after)
    known = next((each for each in first.tickets if each.key == place), None)
    if known is not None:
        same = [name for name, each in tickets.items() if known.id and each.id == known.id]
        same += [name for name, each in tickets.items() if each.key == place]
        if not same:
            return False, False
        old, new = tickets[same[0]], edited.get(same[0])
        return (True, True) if new is None else (old.text != new.text, is_substantive(old, new))
    was, now = ({each.key: each for each in rfc.documents}.get(place) for rfc in (before, after))
    if was is None or now is None:
        return was is not now, was is not now
    mine, amended = ({name: each for name, each in of.items() if each.at.file == was.name} for of in (tickets, edited))
    planned = mine.keys() != amended.keys() or any(is_substantive(mine[name], amended[name]) for name in mine)
    return was.text != now.text, planned or _document(was, before) != _document(now, after)


def hollowed(first: Rfc, after: Rfc) -> Iterator[str]:
    """Yield how documents would lose their content: all of it, or most of their fields."""
    amended = {each.key: each for each in after.documents}
    for document in first.documents:
        other = amended.get(document.key)
        if other is None or other.text == document.text:
            continue
        found, left = _plain(document.text), _plain(other.text)
        was, now = _names_at(found, 2) - _holders(found), _names_at(left, 3)
        if not now and (was or (left and not found)):
            yield f"{document.key} would be left without content"
        elif 2 * len(was - now) > len(was):
            yield f"{document.key} would lose most of its fields"


def _holders(found: Mapping[str, Any]) -> frozenset[str]:
    """Return the top-level keys that only contain fields."""
    return frozenset(key for key, value in found.items() if isinstance(value, dict))


def _names_at(found: Mapping[str, Any], deep: int) -> frozenset[str]:
    """Return the keys of a mapping that have a value, down to `deep` levels."""
    names = frozenset(key for key, value in found.items() if value not in (None, "", [], {}))
    inner = [_names_at(value, deep - 1) for value in found.values() if deep > 1 and isinstance(value, dict)]
    return names.union(*inner)


def is_substantive(before: Ticket, after: Ticket) -> bool:
    """Return whether a ticket differs in anything but prose."""
    return before != after and _substance(before) != _substance(after)


def _tickets(rfc: Rfc) -> dict[tuple[str, str, int], Ticket]:
    """Return the tickets by id; those with a missing or duplicate id also by file and place."""
    named: dict[tuple[str, str, int], Ticket] = {}
    for ticket in rfc.tickets:
        name = (ticket.id, "" if ticket.id else ticket.at.file, 0)
        while name in named:
            name = (name[0], ticket.at.file, name[2] + 1)
        named[name] = ticket
    return named


def _substance(ticket: Ticket) -> tuple[object, ...]:
    return (
        ticket.id,
        ticket.status,
        ticket.rfc_id,
        frozenset(each.id for each in ticket.requirements),
        frozenset(each.id for each in ticket.depends_on),
        frozenset(each.path for each in ticket.modifies),
        frozenset(each.path for each in ticket.creates),
        _once(map(_meant, ticket.steps)),
        frozenset(_command(each.code) for each in ticket.examples),
        frozenset((_meant(each.text), _command(each.verification)) for each in ticket.criteria) - {_NOTHING},
        frozenset((each.id, _meant(each.description), _command(each.command)) for each in ticket.tests),
        frozenset(map(_command, ticket.commands)),
        frozenset(each.id for each in ticket.evidence),
        (ticket.component, ticket.extension_point),
        _scope(ticket),
    )


def _meant(text: str) -> frozenset[str]:
    """Return the content of a step or criterion as a set: significant words, names and comparisons."""
    telling = _TELLING.intersection(re.findall(r"[a-z]+", text.casefold()))
    return said(text) | telling | names_in(text) | frozenset(_SIGNS.findall(text))


def _command(text: str) -> tuple[str, ...]:
    """Return a command, or other verification, as its words in order."""
    words = text.split()
    return tuple(word for word in words if word.strip(".,;:").casefold() not in STOP | FILLER)


_NOTHING: tuple[frozenset[str], tuple[str, ...]] = (frozenset(), ())


def _once(steps: Iterable[frozenset[str]]) -> tuple[frozenset[str], ...]:
    """Return the steps in order, without empty ones and repetitions."""
    return tuple(step for step in dict.fromkeys(steps) if step)


def _scope(ticket: Ticket) -> object:
    """Return what is in and out of scope; only one ticket shape has that."""
    if ticket.shape is not Shape.C:
        return None
    found = _plain(ticket.text)
    for level in (found, found.get("ticket_meta"), found.get("ticket")):
        if isinstance(level, Mapping) and "scope" in level:
            return _structure(level["scope"])
    return None


def _document(document: Document, rfc: Rfc) -> object:
    """Return the substance of a document, without the tickets in it, which are compared as tickets."""
    found = _plain(document.text)
    if not found:
        return frozenset(document.text.split())
    own = frozenset({"tickets"}) if any(each.at.file == document.name for each in rfc.tickets) else frozenset[str]()
    return _structure(found, own)


def _plain(text: str) -> Mapping[str, Any]:
    """Return the mapping in a text as plain data; empty if there is none."""
    try:
        found = load(dedent(text), "text").plain()
    except InputError:
        return {}
    return found if isinstance(found, dict) else {}


def _structure(value: Any, without: frozenset[str] = frozenset()) -> object:
    """Return the substance of plain data: no prose, no dates, texts by their significant words."""
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if not _is_prose(key) and key not in without}
        return frozenset((key, _structure(each, without)) for key, each in kept.items())
    if isinstance(value, list):
        return tuple(dict.fromkeys(_structure(each, without) for each in value))
    return _meant(value) if isinstance(value, str) and " " in value.strip() else (type(value).__name__, value)


def _is_prose(key: str) -> bool:
    folded = key.casefold()
    return folded in PROSE or _BOOKKEEPING.fullmatch(folded) is not None
