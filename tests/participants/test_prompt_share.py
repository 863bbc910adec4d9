"""Prompts of real sessions in small windows are mostly about what is deliberated, not about how."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quorate.api.sessions import load_alone
from quorate.core.record import Asked, Envelope, Record
from quorate.participants.prompt import render
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.recorded.asking import unpack

SHOWN = re.compile(r"^<<(?:data|person) .*?^<<end \w+>>", re.MULTILINE | re.DOTALL)
LITTLE = 600
"""Characters of material below which no share can be reached: a topic of one sentence."""


@pytest.mark.parametrize("window", [4_096, 8_192])
@pytest.mark.parametrize(
    ("protocol", "least"), [("review", 0.5), ("council", 0.5), ("debate", 0.3), ("roundtable", 0.3), ("workshop", 0.3)]
)
async def test_material_has_its_share_of_every_prompt(protocol: str, least: float, window: int, tmp_path: Path) -> None:
    journal = open_journal(f"sqlite:{unpack(protocol, tmp_path) / 'store.db'}")
    workspace = find_workspace(tmp_path, {})
    found: dict[str, list[tuple[int, int]]] = {}
    for listed in await journal.sessions():
        record = (await load_alone(workspace, journal, listed.id)).record
        for brief, shown, whole in sizes(record, window):
            found.setdefault(brief, []).append((shown, whole))
    await journal.close()
    assert len(found) > 2
    for brief, each in found.items():
        shown, whole = (sum(column) for column in zip(*each, strict=True))
        assert shown >= least * whole, f"{brief}: {shown} of {whole}"


def sizes(record: Record, window: int) -> list[tuple[str, int, int]]:
    """Return brief, shown text and size of each prompt of an embedded model that shows more than a little."""
    found: list[tuple[str, int, int]] = []
    again, done = Record(record.protocol, record.opening, record.material), 0
    for event, envelope in (*record.events(), (None, Envelope())):
        for line in again.log[done:]:
            if not isinstance(line, Asked) or line.ask.seat in record.protocol.checks or line.ask.seat == "person":
                continue
            view = record.protocol.view(again, line.ask)
            prompt, _ = render(record.protocol.briefs, view, line.ask, record.nonce, window, in_parts=True, tools=False)
            shown = sum(len(each[0]) for each in SHOWN.finditer(prompt.user))
            if shown > LITTLE:
                found.append((line.ask.brief, shown, len(prompt.system + prompt.user)))
        done = len(again.log)
        if event is not None:
            again.take(event, envelope)
    return found
