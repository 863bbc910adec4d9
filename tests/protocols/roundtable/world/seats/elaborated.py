"""A folder that was elaborated on, and how the seats that code holds are asked about it."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quorate.codec import form_schema
from quorate.core.forms import Key, Reply
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.check import Check
from quorate.participants.port import Answer, Prompt, Request
from quorate.protocols.roundtable.rules.forms import Appended, Recorded
from quorate.protocols.roundtable.world.seats.clerk import clerk

SESSION = "roundtable-20260102-030405-ab12"
AT = "2026-01-02T03:04:05Z"
REQUIREMENTS = "# Order export\n\nOrders can be exported.\n\n## Limits\n\nNone yet.\n"
META = '{\n  "slug": "order-export",\n  "ratio": 1.50,\n  "elaborations": []\n}\n'


def write(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "requirements.md").write_bytes(REQUIREMENTS.encode())
    (folder / "meta.json").write_bytes(META.encode())
    return folder


def document(key: str = "D1", path: str = "requirements.md", **lists: Any) -> dict[str, Any]:
    insight = {"text": "Exports of a year are large.", "by": "[Maya/Alex]"}
    return {"key": key, "name": path, "path": path, "digest": "", **(lists or {"insights": [insight]})}


def additions(*documents: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "session": SESSION,
        "elaboration": 1,
        "topic": "How large may an export be?",
        "phase": "01-requirements",
        "step": "01-03",
        "turns": 8,
        "max_turns": 10,
        "exit": "user-initiated",
        "participants": ["Maya Chen (Business Analyst)", "Alex Rivera (Solutions Architect)"],
        "spoke": ["Maya", "Alex", "User"],
        "documents": list(documents or [document()]),
    } | more


def record(**more: Any) -> dict[str, Any]:
    return {
        "session": SESSION,
        "elaboration": 1,
        "step_id": "01-03",
        "turn_count": 8,
        "personas_active": ["business-analyst", "solutions-architect", "system-designer"],
        "synthesis_summary": "Exports are limited.",
    } | more


async def ask(seat: Check, brief: str, form: type[Reply], keys: tuple[str, ...], *sections: Section) -> Answer:
    """Ask a seat, and return what it answers."""
    asked = Ask(AskId("7.0"), Seat(seat.name), brief, form, tuple(map(Key, keys)))
    request = Request(asked, View("", sections), Prompt("", ""), form_schema(form, asked.keys), 1, 1)
    found = await seat.reply(request, lambda _: None)
    assert found is not None
    return found


def seated(folder: Path, **how: Any) -> Check:
    return clerk({"folder": str(folder), "meta": "meta.json", "digests": {}}, now=lambda: NOW, **how)


NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


async def append(folder: Path, job: dict[str, Any], **how: Any) -> Appended:
    keys = tuple(each["key"] for each in job["documents"])
    found = await ask(seated(folder, **how), "append", Appended, keys, Section("Job", json.dumps(job)))
    assert isinstance(found.reply, Appended), found.detail
    return found.reply


async def keep(folder: Path, job: dict[str, Any], **how: Any) -> Recorded:
    found = await ask(seated(folder, **how), "record", Recorded, (), Section("Job", json.dumps(job)))
    assert isinstance(found.reply, Recorded), found.detail
    return found.reply


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


CHILD = """
import asyncio, json, os, signal, sys
sys.path[:0] = {path!r}
from pathlib import Path
from tests.protocols.roundtable.world.seats import elaborated
{before}
asyncio.run({call})
"""


def in_a_process(before: str, call: str) -> list[str]:
    """Return the command that does this in a process of its own."""
    return [sys.executable, "-c", CHILD.format(path=sys.path, before=before, call=call)]
