"""The forms of the roundtable: what each seat fills in, reasons first and decisions last."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.forms import AtMost, Between, Key, Prose, Refers, Reply, is_blank, mark
from quorate.core.values import value
from quorate.protocols.roundtable.version_1.rules.farewell import says_more

MOST_ITEMS = 8
"""Entries of each list of a synthesis."""
MOST_SUMMARY = 100
MOST_LINES = 100_000

By = Annotated[
    tuple[Annotated[Key, Refers()], ...], AtMost(7), "who said it, by key: only those who did, `user` for the person"
]
Document = Annotated[
    tuple[Annotated[Key, Refers()], ...], AtMost(1), "the document it belongs to, by key; none for the first"
]


# The person


class MenuChoice(Enum):
    ELABORATE = "elaborate"
    CONTINUE = "continue"
    SKIP = "skip"
    TEXT = "text"


@value(frozen=True, slots=True)
class Menu(Reply):
    """What the person does at a boundary between steps or phases."""

    text: Annotated[Prose, AtMost(4_000), "feedback, if you choose text; otherwise empty"]
    choice: Annotated[MenuChoice, "elaborate with the personas, continue, skip the rest of the phase, or text"]


@value(frozen=True, slots=True)
class Turn(Reply):
    """What the person says, in any words."""

    text: Annotated[Prose, AtMost(8_000), "what you say; empty to let the others go on"]
    blank: bool = mark(lambda turn: is_blank(turn.text))
    words: bool = mark(lambda turn: says_more(turn.text.text))


class WhatWasMeant(Enum):
    EXIT = "exit"
    GO_ON = "go_on"


@value(frozen=True, slots=True)
class Clarified(Reply):
    """What the person meant by words that nobody could read."""

    choice: Annotated[WhatWasMeant, "exit to wrap up, go_on if it was a contribution"]


# The personas


@value(frozen=True, slots=True)
class Framing(Reply):
    """How the lead opens."""

    summary: Annotated[Prose, AtMost(1_500), "what is known about the topic so far, in two to four sentences"]
    question: Annotated[Prose, AtMost(400), "one focus question"]
    addressed: Annotated[Key, "the persona who is to answer first, by key"]


class Manner(Enum):
    CONTRIBUTE = "contribute"
    REDIRECT = "redirect"
    PASS = "pass"  # noqa: S105  (no password)


@value(frozen=True, slots=True)
class Utterance(Reply):
    """What a persona says when it has the word."""

    says: Annotated[Prose, AtMost(1_500), "what you say, to the others by their first names; empty if you pass"]
    challenges: Annotated[
        tuple[Key, ...], AtMost(1), "the persona whose position you contradict, by key; otherwise an empty list"
    ]
    manner: Annotated[
        Manner, "contribute; redirect if the talk has left the topic (the lead only); pass if you have nothing distinct"
    ]
    blank: bool = mark(lambda utterance: is_blank(utterance.says))


# Reading a turn


class Intent(Enum):
    EXIT = "exit"
    ADDRESS = "address"
    GROUP = "group"
    CONTRIBUTION = "contribution"
    SILENCE = "silence"
    UNCLEAR = "unclear"


@value(frozen=True, slots=True)
class Reading(Reply):
    """What the person's turn means for the conversation."""

    reason: Annotated[Prose, AtMost(300), "which rule it follows from"]
    addressed: Annotated[tuple[Key, ...], AtMost(1), "the persona who is spoken to, by key, if the intent is address"]
    intent: Annotated[Intent, "what the person wants"]


# The synthesis


@value(frozen=True, slots=True)
class Insight:
    text: Annotated[Prose, AtMost(400), "one insight, in a sentence"]
    by: By
    document: Document
    blank: bool = mark(lambda item: is_blank(item.text))


@value(frozen=True, slots=True)
class Decided:
    text: Annotated[Prose, AtMost(400), "what was decided"]
    rationale: Annotated[Prose, AtMost(400), "why"]
    by: By
    document: Document
    blank: bool = mark(lambda item: is_blank(item.text))


@value(frozen=True, slots=True)
class OpenQuestion:
    text: Annotated[Prose, AtMost(400), "what is open"]
    why_open: Annotated[Prose, AtMost(400), "why it could not be settled here"]
    resolver: Annotated[
        tuple[Annotated[Key, Refers()], ...], AtMost(1), "who is to settle it, by key; none if nobody was named"
    ]
    document: Document
    blank: bool = mark(lambda item: is_blank(item.text))


@value(frozen=True, slots=True)
class ActionItem:
    text: Annotated[Prose, AtMost(400), "what is to be done"]
    owner: Annotated[
        tuple[Annotated[Key, Refers()], ...], AtMost(1), "who is to do it, by key; none if nobody was named"
    ]
    document: Document
    blank: bool = mark(lambda item: is_blank(item.text))


@value(frozen=True, slots=True)
class Synthesis(Reply):
    """What came of the conversation, item by item; nothing in it that nobody said."""

    insights: Annotated[tuple[Insight, ...], AtMost(MOST_ITEMS), "what is understood now that was not before"]
    decisions: Annotated[tuple[Decided, ...], AtMost(MOST_ITEMS), "everything that was decided"]
    open_questions: Annotated[tuple[OpenQuestion, ...], AtMost(MOST_ITEMS), "what stayed open"]
    action_items: Annotated[tuple[ActionItem, ...], AtMost(MOST_ITEMS), "what somebody is to do"]
    summary: Annotated[Prose, AtMost(MOST_SUMMARY), "the whole in one short line"]


# The clerk. Its view has one section, titled `Job`, which is one JSON object.
#
# append: session, elaboration (number), topic, phase, step, turns, max_turns, exit (user-initiated, turn-limit,
#   inactivity, or the reason of an interrupt), participants (names with roles), spoke (the first names of those who
#   said something, `User` among them), documents: for each key of the ask key, name, path, digest, and the lists
#   insights (text, by), decisions (text, rationale, by), open_questions (text, why_open, resolver) and action_items
#   (text, owner); by is `[Maya/Alex]`, resolver and owner are names or "". No text has a name in square brackets.
# record: session, elaboration, step_id, turn_count, personas_active, synthesis_summary.
#
# Within a session the elaboration's number says which one it is, also where the clerk is asked again under another id.
# The reader's view has two sections: `Turn`, the person's words as they are, and `Personas`, a JSON list of
# {key, first, name, role}.


class Written(Enum):
    ADDED = "added"
    MISSING = "missing"
    FAILED = "failed"


@value(frozen=True, slots=True)
class Entry:
    """What became of one document."""

    document: Annotated[Key, "the document, by key"]
    result: Written
    section: Annotated[Prose, AtMost(1_000), "the heading it was added under, or why it was not"]
    lines: Annotated[int, Between(0, MOST_LINES), "lines added"]


@value(frozen=True, slots=True)
class Appended(Reply):
    documents: Annotated[tuple[Entry, ...], AtMost(12), "one entry for each document"]


class Kept(Enum):
    WRITTEN = "written"
    REPAIRED = "repaired"
    FAILED = "failed"


@value(frozen=True, slots=True)
class Recorded(Reply):
    detail: Annotated[Prose, AtMost(2_000), "what was repaired, or why it failed"]
    result: Kept
