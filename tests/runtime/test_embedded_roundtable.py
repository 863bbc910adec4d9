"""The embedded model through a whole roundtable of eight turns. What it says is not asserted, what is kept of it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import api
from quorate.core.record import Said
from quorate.core.types import Absent
from quorate.evidence.bundle import check_bundle
from quorate.protocols.roundtable.definition import DEFINITION
from quorate.protocols.roundtable.rules.model import PERSONAS
from quorate.protocols.roundtable.world.roundtable import open_roundtable
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.support.embedded import UNEXAMINED

MODEL = "local:smollm2"
TURNS = 8
TOPIC = "Which errors may a reader see at the box that takes books back?"
DOCUMENT = """\
# Requirements of the return box

## Errors

A full box refuses books.

## Out of scope

Paying fees at the box.
"""
PERSON = """\
seats:
  person:
    menu:
      - {text: "", choice: elaborate}
      - {text: "", choice: continue}
    turn:
      - {text: A reader must see that the box is full before it opens.}
      - reply: {text: The staff should see every refused book the next morning.}
        repeat: true
    clarify: {choice: go_on}
"""


@pytest.mark.long
@pytest.mark.model
async def test_a_whole_roundtable_with_valid_forms(tmp_path: Path) -> None:
    """T3, T8 to T24: eight turns at most, documents that only grow, and one record in meta.json."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "requirements.md").write_text(DOCUMENT, encoding="utf-8")
    (tmp_path / "person.yaml").write_text(PERSON, encoding="utf-8")
    panel = tmp_path / "panel.yaml"
    # A busy machine is not what is tested.
    panel.write_text(f"default: {{model: '{MODEL}', timeout: 3600}}\nscript: person.yaml\n", encoding="utf-8")
    store = f"sqlite:{tmp_path / 'journal.db'}"
    workspace, journal = find_workspace(tmp_path, UNEXAMINED, store=store, scope="roundtable"), open_journal(store)
    opened = await open_roundtable(
        workspace, journal, TOPIC, docs, phase="01-requirements", step="01-03", max_turns=TURNS, panel=panel, seed=7
    )
    result = await api.run(workspace, journal, opened.session)

    record = result.record
    assert record.session.conclusion is not None
    assert record.session.conclusion.verdict.name == "CONTINUE"
    said = [line for line in record.log if isinstance(line, Said)]
    of_model = [line for line in said if line.envelope.model == MODEL]
    assert {line.ask.seat for line in of_model} >= set(PERSONAS)
    assert {line.ask.brief for line in of_model} >= {"frame", "answer", "synthesise"}
    assert not [line for line in of_model if isinstance(line.reply, Absent)]
    assert all(line.envelope.tokens_out > 0 for line in of_model)
    assert check_bundle(json.loads(api.report(result, "json")), record.protocol, fates=DEFINITION.fates) == []

    (kept,) = json.loads((docs / "meta.json").read_text(encoding="utf-8"))["elaborations"]
    assert kept["step_id"] == "01-03"
    assert 1 < kept["turn_count"] <= TURNS
    assert kept["personas_active"]
    lines = iter((docs / "requirements.md").read_text(encoding="utf-8").splitlines())
    assert all(line in lines for line in DOCUMENT.splitlines()), "a line was changed, moved or taken away"
