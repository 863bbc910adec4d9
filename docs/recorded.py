"""Recorded sessions: the examples, really run, then written down with ids and times that are always the same.

No model is called, so nothing took any time: each reply is given the time it would take at 30 tokens a second, one
after the other, and the journal is sealed anew. So the same rules and scripts give the same session.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quorate import catalog
from quorate.api.answers import answer
from quorate.api.opening import open_named
from quorate.api.sessions import Result, run
from quorate.codec import decode_opening, encode_entry, encode_opening
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.config import read_config
from quorate.core.record import PERSON, Envelope, Record, Said
from quorate.core.session import Step
from quorate.core.types import Replied
from quorate.runtime.writer import status_of
from quorate.store.journal import Journal
from quorate.workspace import Workspace

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
BEGAN = 1_767_603_600_000
"""2026-01-05 09:00 UTC."""
TOKENS_PER_SECOND = 30
PERSON_TAKES = 40_000
"""Milliseconds that a person thinks."""


@dataclass(frozen=True)
class Example:
    """A session that the examples script: what it is opened with, and what people answer, in order."""

    protocol: str
    title: str
    inputs: Mapping[str, Any]
    panel: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    answers: Sequence[Mapping[str, Any]] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that it reads, by their path in the folder `here`, which inputs may name."""


REVIEW = Example(
    "review",
    "Totals of invoices in three currencies",
    {"diff": (EXAMPLES / "change.diff").read_text(encoding="utf-8")},
    "review-panel.yaml",
)
DEBATE = Example(
    "debate",
    "An audit log for a small online shop",
    {"problem": (EXAMPLES / "problem.md").read_text(encoding="utf-8")},
    "scripted-panel.yaml",
)
ASKING = replace(DEBATE, title="An audit log, with questions first", settings={"interactive_clarifications": True})
COUNCIL = Example(
    "council",
    "Readers go on where they stopped",
    {"rfc": "here"},
    "council-panel.yaml",
    {"depth": "COUNCIL", "remediate": True},
    files=catalog.definition("council").sample,
)
WORKSHOP = Example(
    "workshop",
    "What the audit log has to do",
    {"topic": "An audit log for a small online shop", "agenda": str(EXAMPLES / "agenda.yaml")},
    "workshop-panel.yaml",
    {"participants": ["product-manager", "qa-lead", "security-champion"]},
)
ROUNDTABLE = Example(
    "roundtable",
    "How long do we keep searches?",
    {"topic": "How long do we keep searches?", "docs": "here"},
    "roundtable-panel.yaml",
    {"phase": "01-requirements", "step": "01-03"},
    answers=(
        {"choice": "elaborate", "text": ""},
        {"text": "Most people come back within a week. What do we have to keep for the law?"},
        {"text": "Morgan, could a shopper switch it off?"},
    ),
    files=catalog.definition("roundtable").sample,
)


async def record(example: Example) -> Record:
    """Run an example in a folder of its own, as far as it goes with these answers, and return its record."""
    with TemporaryDirectory() as folder:
        here = Path(folder) / "here"
        for name, text in example.files.items():
            (here / name).parent.mkdir(parents=True, exist_ok=True)
            (here / name).write_text(text, encoding="utf-8")
        inputs = {name: str(here) if value == "here" else value for name, value in example.inputs.items()}
        workspace = Workspace(Path(folder), read_config([], {}, ()), f"sqlite:{folder}/quorate.db")
        journal = workspace.open()
        try:
            panel = EXAMPLES / example.panel
            opened = await open_named(
                workspace, journal, example.protocol, inputs, settings=example.settings, panel=panel, seed=7
            )
            result = await run(workspace, journal, opened.session)
            for given in example.answers:
                await answer(workspace, journal, opened.session, str(result.waiting[0].id), given)
                result = await run(workspace, journal, opened.session)
            return result.record
        finally:
            await journal.close()


def written_down(ran: Record, title: str, began: int = BEGAN) -> Result:
    """Return the same session with a fixed id and fixed times, its replies in the order of their asks."""
    said = {line.ask.id: line for line in ran.log if isinstance(line, Said)}
    name = f"{ran.opening.protocol}-{began // 1000:x}"
    opening = replace(ran.opening, session=name, title=title, run={"budget": ran.opening.run["budget"]})
    body = encode_opening(opening, Envelope(at=began))
    entries = [Entry(0, body, chain(GENESIS, body))]
    again, now = Record(ran.protocol, opening, ran.material), began
    while line := next((said[ask.id] for ask in again.session.open if ask.id in said), None):
        person = line.envelope.model == PERSON
        took = PERSON_TAKES if person else 400 + line.envelope.tokens_out * 1000 // TOKENS_PER_SECOND
        now += took
        envelope = replace(line.envelope, seq=len(entries), at=now, elapsed=took, attempts=1)
        event = Replied(line.ask.id, line.reply)
        again.take(event, envelope)
        body = encode_entry(event, envelope)
        entries.append(Entry(envelope.seq, body, chain(entries[-1].hash, body)))
    return Result(name, again, entries)


async def keep(journal: Journal, result: Result) -> None:
    """Write a session into a store as it is."""
    record, opening = result.record, result.record.opening
    said = [line for line in record.log if isinstance(line, Said)]
    texts = {opening.material[name]: text for name, text in record.material.items()}
    texts |= {opening.briefs[name]: text for name, text in record.protocol.briefs.items()}
    past = [(entry.body, str(line.ask.id)) for entry, line in zip(result.entries[1:], said, strict=True)]
    began = decode_opening(result.entries[0].body)[1].at
    status = status_of(record, Step(record.session, (), ()))
    await journal.create(
        result.session, opening.protocol, opening.title, began, result.entries[0].body, texts, status, past
    )
