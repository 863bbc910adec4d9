"""The reader's seat: it reads the turn in its view, and answers in its form (T15)."""

from __future__ import annotations

import json

import pytest

from quorate.core.types import Absent, AbsentReason
from quorate.core.view import Section
from quorate.protocols.roundtable.rules.forms import Intent, Reading
from quorate.protocols.roundtable.world.seats.reader import reader
from tests.protocols.roundtable.world.seats.elaborated import ask

KEYS = ("business-analyst", "solutions-architect")
PERSONAS = Section(
    "Personas",
    json.dumps(
        [
            {"key": "business-analyst", "first": "Maya", "name": "Maya Chen", "role": "Business Analyst"},
            {"key": "solutions-architect", "first": "Alex", "name": "Alex Rivera", "role": "Solutions Architect"},
        ]
    ),
)


@pytest.mark.parametrize(
    ("words", "intent", "addressed"),
    [
        ("Alex, is it safe?", Intent.ADDRESS, ("solutions-architect",)),
        ("I'm not done", Intent.CONTRIBUTION, ()),
        ("done", Intent.EXIT, ()),
        ("done?", Intent.UNCLEAR, ()),
        ("Team, what now?", Intent.GROUP, ()),
        ("  ", Intent.SILENCE, ()),
    ],
)
async def test_the_reader_says_what_a_turn_means(words: str, intent: Intent, addressed: tuple[str, ...]) -> None:
    found = await ask(reader(), "read", Reading, KEYS, Section("Turn", words), PERSONAS)
    assert isinstance(found.reply, Reading), found.detail
    assert (found.reply.intent, found.reply.addressed) == (intent, addressed)
    assert ": " in found.reply.reason.text


async def test_who_may_not_be_addressed_is_not() -> None:
    found = await ask(reader(), "read", Reading, KEYS[:1], Section("Turn", "Alex, is it safe?"), PERSONAS)
    assert isinstance(found.reply, Reading)
    assert (found.reply.intent, found.reply.addressed) == (Intent.STRANGER, ())


@pytest.mark.parametrize(
    "sections",
    [
        [],
        [Section("Turn", "done")],
        [PERSONAS],
        [Section("Turn", "done"), Section("Turn", "not done"), PERSONAS],
        [Section("Turn", "done"), Section("Personas", "{}")],
        [Section("Turn", "done"), Section("Personas", "no json")],
        [Section("Turn", "done"), Section("Personas", '[{"key": 1, "first": "Maya"}]')],
    ],
)
async def test_a_view_that_cannot_be_read_is_an_absence(sections: list[Section]) -> None:
    found = await ask(reader(), "read", Reading, KEYS, *sections)
    assert found.reply == Absent(AbsentReason.FAILED)


async def test_the_reader_reads_and_does_nothing_else() -> None:
    found = await ask(reader(), "append", Reading, KEYS, Section("Turn", "done"), PERSONAS)
    assert found.reply == Absent(AbsentReason.FAILED)
    assert "'append'" in found.detail
