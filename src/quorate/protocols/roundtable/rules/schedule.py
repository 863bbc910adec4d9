"""The schedule of a roundtable: all its elaborations, each to its last turn with every free move before it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.schedule import Either, Schedule, Turn
from quorate.kit.settings import read_settings
from quorate.protocols.roundtable.rules.elaborations import MOST_GREETED
from quorate.protocols.roundtable.rules.forms import (
    Appended,
    Clarified,
    Framing,
    Menu,
    Reading,
    Recorded,
    Synthesis,
    Utterance,
)
from quorate.protocols.roundtable.rules.forms import Turn as Words
from quorate.protocols.roundtable.rules.model import (
    CLASSIFIER,
    CLERK,
    ENSEMBLE,
    MOST_TEXTS,
    MOST_TRIES,
    PERSON,
    READER,
    Contexts,
    Phase,
    RoundtableSettings,
    Start,
)
from quorate.protocols.roundtable.rules.views import LAST_WORDS


def schedule(protocol: Protocol[Any], _: Mapping[str, str]) -> Schedule:
    """Return the longest roundtable under these settings: nobody leaves, and passing is as long as it is free."""
    return tuple(_turns(read_settings(RoundtableSettings, protocol.settings)))


def _turns(settings: RoundtableSettings) -> Iterator[Turn | Either]:
    for number in range(settings.max_elaborations):
        if number or settings.start is Start.MENU:
            yield _menu(number)
        yield from _elaboration(settings, number)
    yield _synthesis(settings)  # whoever wants to leave while it is made has it made again
    yield _menu(settings.max_elaborations)


def _menu(done: int) -> Turn:
    return Turn(Phase.MENU, "menu", Menu, (PERSON,), 1 + MOST_TEXTS, shows=(("synthesise", done + 1),))


def _moves(settings: RoundtableSettings) -> tuple[int, int]:
    """The most moves of one elaboration, and how many of them may be the person's.

    Before each turn that is spent there are at most `free_moves` others, all of which may be the person's: commands
    that nobody knows (T31). One pass more may follow them, after which the person has the word (T17). A persona has
    the word first, and again after each turn that the person spends; so one move in each of these stretches is a
    persona's, the turn itself or one before it.
    """
    stretches = settings.turns - 1
    return stretches * _stretch(settings), stretches * (_stretch(settings) - 1)


def _stretch(settings: RoundtableSettings) -> int:
    """Free moves, the pass that follows them, and the turn that is spent."""
    return settings.free_moves + 2


def _spoken(settings: RoundtableSettings, moves: int) -> int:
    """How many of the moves may have words: those that cost a turn, and the lead's, who alone redirects for free."""
    return min(moves, settings.turns - 1 + moves // len(settings.personas) + 1)


def _speakers(settings: RoundtableSettings) -> tuple[Seat, ...]:
    return (ENSEMBLE,) if settings.contexts is Contexts.SHARED else tuple(map(Seat, settings.personas))


def _synthesis(settings: RoundtableSettings) -> Turn:
    moves, heard = _moves(settings)
    shows = (("frame", 1), ("speak|answer", _spoken(settings, moves)), ("turn", heard))
    keys = len(settings.personas) + 1 + settings.documents
    return Turn(Phase.SYNTHESIS, "synthesise", Synthesis, _speakers(settings), one=True, keys=keys, shows=shows)


def _elaboration(settings: RoundtableSettings, number: int) -> Iterator[Turn | Either]:
    personas, speakers = settings.personas, _speakers(settings)
    keys = len(personas) + 1
    earlier = ("synthesise", min(number, MOST_GREETED))
    talk = Phase.DISCUSSION_LOOP
    yield Turn(Phase.TOPIC_FRAMING, "frame", Framing, speakers, one=True, keys=keys, shows=(earlier,))
    moves, heard = _moves(settings)
    for said in range(moves):
        words = min(max(said - said // _stretch(settings), 1), heard)
        shows = (earlier, ("frame", 1), ("speak|answer", _spoken(settings, said)), ("turn", words))
        spoken = [
            (Turn(talk, brief, Utterance, speakers, one=True, keys=keys, shows=shows),) for brief in ("speak", "answer")
        ]
        listens = said % _stretch(settings) > 0
        yield Either((*spoken, tuple(_heard(settings, keys, said)))) if listens else Either(tuple(spoken))
    last = (("frame", 1), ("speak|answer", _spoken(settings, moves)), ("turn", 1))
    yield Turn(talk, "turn", Words, (PERSON,), settings.free_moves + 1, shows=last)
    yield from (_synthesis(settings) for _ in range(MOST_TRIES))
    yield Turn(Phase.SYNTHESIS, "append", Appended, (CLERK,), keys=settings.documents)
    yield Turn(Phase.STATE_PERSIST, "record", Recorded, (CLERK,))


def _heard(settings: RoundtableSettings, keys: int, said: int) -> Iterator[Turn]:
    """The person's turn: it is read by code, by a classifier where code cannot tell, and asked back."""
    talk = Phase.DISCUSSION_LOOP
    shows = (("frame", 1), ("speak|answer", _spoken(settings, said)), ("turn", 1))
    yield Turn(talk, "turn", Words, (PERSON,), shows=shows)
    yield Turn(talk, "read", Reading, (READER,), keys=keys)
    if settings.classifier:
        few = (("speak|answer", LAST_WORDS), ("turn", 1))
        yield Turn(talk, "classify", Reading, (CLASSIFIER,), keys=keys, shows=few)
    yield Turn(talk, "clarify", Clarified, (PERSON,), shows=(("turn", 1),))
