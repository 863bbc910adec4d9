"""The embedded model through a whole workshop: real prompts, forms and documents. Its opinion is not asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import api
from quorate.core.forms import Key
from quorate.core.types import Absent
from quorate.evidence.bundle import check_bundle
from quorate.participants.local import TINY
from quorate.participants.sheet import LEAST, Sheet
from quorate.protocols.workshop.definition import DEFINITION
from quorate.protocols.workshop.rules.artifacts import artifacts
from quorate.protocols.workshop.rules.result import result as result_of
from quorate.protocols.workshop.rules.rounds import rounds
from quorate.protocols.workshop.rules.synthesis import SYNTHESES
from quorate.protocols.workshop.rules.taxonomy import Workflow
from quorate.protocols.workshop.world.documents import write_documents
from quorate.protocols.workshop.world.workshop import open_workshop
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.protocols.workshop.oracle import with_oracle
from tests.support.embedded import UNEXAMINED
from tests.support.moments import moments, said

MODEL = "local:smollm2"
TOPIC = "A box at the door of a small town library takes books back when the library is closed."
AGENDA = """\
title: Returning books
topics:
  - id: returns
    name: Returning a book
    description: How a reader returns a book when the library is closed.
    critical: true
    done_when:
      criteria: [It is said who returns a book and how it ends]
      min_requirements: 1
      counts: [REQ]
"""
PERSON = """\
seats:
  person:
    escalate: {reason: They have time., decision: "", choice: go_on}
"""
PARTICIPANTS = ("product-manager", "qa-lead")


async def workshop(folder: Path) -> api.Result:
    """Hold three rounds on one topic, with the embedded model on every seat that is not code's or a person's."""
    (folder / "agenda.yaml").write_text(AGENDA, encoding="utf-8")
    (folder / "person.yaml").write_text(PERSON, encoding="utf-8")
    panel = folder / "panel.yaml"
    # A busy machine is not what is tested.
    panel.write_text(f"default: {{model: '{MODEL}', timeout: 3600}}\nscript: person.yaml\n", encoding="utf-8")
    store = f"sqlite:{folder / 'journal.db'}"
    sets = ("min_rounds=1", "max_rounds=3")
    workspace = find_workspace(folder, UNEXAMINED, store=store, sets=sets, scope="workshop")
    journal = open_journal(store)
    held = await open_workshop(
        workspace,
        journal,
        "specs",
        TOPIC,
        agenda=folder / "agenda.yaml",
        strategy="standard",
        participants=PARTICIPANTS,
        panel=panel,
        seed=7,
    )
    return await api.run(workspace, journal, held.session)


@pytest.mark.parametrize("workflow", list(Workflow))
def test_every_synthesis_leaves_a_tiny_model_room_for_sentences(workflow: Workflow) -> None:
    """However many lists it has, no text of an entry becomes a fragment, and the synthesis itself gets half."""
    keys = (Key("P1"), Key("K1"), Key("REQ-001"))
    rooms = Sheet(SYNTHESES[workflow], keys, TINY.characters, TINY.entries).rooms.texts
    assert min(rooms.values()) >= LEAST
    assert rooms["synthesis"] >= TINY.characters // 2 - 1


@pytest.mark.long
@pytest.mark.model
async def test_a_whole_workshop_with_valid_forms_and_documents(tmp_path: Path) -> None:
    """W4 to W26: a tiny model fills in every form, and whatever it makes is counted, kept and written down."""
    result = await workshop(tmp_path)
    record = result.record
    conclusion = record.session.conclusion
    assert conclusion is not None
    assert conclusion.verdict.name in ("COMPLETE", "INCOMPLETE")

    of_model = [line for line in said(record) if line.envelope.model == MODEL]
    assert {line.ask.seat for line in of_model} == {"facilitator", *PARTICIPANTS}
    assert {line.ask.brief for line in of_model} == {"question", "respond", "synthesise"}
    assert all(line.envelope.tokens_out > 0 for line in of_model)
    assert not [line for line in of_model if isinstance(line.reply, Absent)]

    invariants = with_oracle(record.protocol).invariants
    for moment in moments(record):
        assert [each.name for each in invariants if not each.holds(moment)] == [], moment.outcome
    assert check_bundle(json.loads(api.report(result, "json")), record.protocol, fates=DEFINITION.fates) == []

    data = result_of(record)
    assert data["verdict"] == conclusion.verdict.name
    assert len(data["rounds"]) == len(rounds(record)) <= 3
    assert all(each["facilitator_question"] and not each["fallback_question"] for each in data["rounds"])
    assert all(len(each["positions"]) == len(PARTICIPANTS) for each in data["rounds"])

    (written,) = write_documents(result, tmp_path / "documents", merge=False)
    assert written.path.name == "requirements.md"
    text = written.path.read_text(encoding="utf-8")
    made = [each["id"] for each in artifacts(record)]
    assert [each for each in made if each not in text] == []
