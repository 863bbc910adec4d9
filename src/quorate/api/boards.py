"""Boards as plain data: what a session shows beside its transcript, as of any journal entry."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import asdict, dataclass, field
from typing import Any

from quorate import catalog
from quorate.api.folds import Fold
from quorate.codec.entries import decode_entry
from quorate.core.record import Record
from quorate.evidence.prose import tree
from quorate.kit.board import Board

MOST_PLACES = 8
MOST_BOARDS = 300


def board_of(record: Record) -> Board:
    """Return the board of a record."""
    return catalog.definition_of(record.opening).board(record)


def board_data(board: Board, *, trees: bool) -> dict[str, Any]:
    """Return a board as JSON data; with `trees`, prose is given as a tree."""
    told = asdict(board)
    if trees:
        for card in told["findings"]:
            card["text"] = tree(card["text"])
        for card in told["topics"]:
            card["criteria"] = [each | {"text": tree(each["text"])} for each in card["criteria"]]
        for card in told["artifacts"]:
            card["fields"] = [[name, tree(text)] for name, text in card["fields"]]
        for each in told["conversation"]:
            each["text"] = tree(each["text"])
    return told


@dataclass
class _Place:
    """A record folded up to one entry, so that moving forward in time continues from it."""

    record: Record
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def seq(self) -> int:
        return len(self.record.envelopes)


@dataclass
class Boards:
    """LRU cache of boards, and of how far each session was folded for them. For one event loop."""

    _places: OrderedDict[str, _Place] = field(default_factory=OrderedDict)
    _made: OrderedDict[tuple[str, str, bool], dict[str, Any]] = field(default_factory=OrderedDict)
    """By session, hash of the entry, and whether texts are trees."""

    async def at(self, fold: Fold, seq: int, *, trees: bool) -> dict[str, Any]:
        """Return the board of a session as of an entry, without blocking the event loop."""
        key = (fold.session, fold.entries[seq].hash, trees)
        if key not in self._made:
            place = self._places.get(fold.session)
            if place is None or place.record.opening is not fold.teller.record.opening:
                place = self._places[fold.session] = _Place(_fresh(fold))
            async with place.lock:
                told = await asyncio.to_thread(_told, place, fold, seq, trees)
            self._made[key] = told
            _keep(self._made, key, MOST_BOARDS)
            _keep(self._places, fold.session, MOST_PLACES)
        return self._made[key]


def _told(place: _Place, fold: Fold, seq: int, trees: bool) -> dict[str, Any]:
    if seq < place.seq:
        place.record = _fresh(fold)
    for entry in fold.entries[place.seq + 1 : seq + 1]:
        place.record.take(*decode_entry(entry.body, place.record.session.asks))
    return board_data(board_of(place.record), trees=trees)


def _fresh(fold: Fold) -> Record:
    known = fold.teller.record
    return Record(known.protocol, known.opening, known.material)


def _keep(held: OrderedDict[Any, Any], key: Any, most: int) -> None:
    """Move an item to the most recently used end, and evict the least recently used."""
    if key in held:
        held.move_to_end(key)
    while len(held) > most:
        held.popitem(last=False)
