"""The embedded model through a whole debate: real prompts, real forms, a real verdict. Its opinion is not asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import api
from quorate.core.record import Said
from quorate.core.types import Absent
from quorate.evidence.bundle import check_bundle
from quorate.protocols.debate.definition import DEFINITION
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.support.embedded import UNEXAMINED

PROBLEM = "How should a small shop keep an audit log of its orders? Entries must not be changed unnoticed."


@pytest.mark.slow
@pytest.mark.model
async def test_a_whole_debate_with_valid_forms(tmp_path: Path) -> None:
    store = f"sqlite:{tmp_path / 'journal.db'}"
    sets = ("agents=[architect, security]", "rounds=1", "retries=1")
    workspace = find_workspace(tmp_path, UNEXAMINED, store=store, sets=sets, scope="debate")
    journal = open_journal(store)
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM}, seed=7)
    result = await api.run(workspace, journal, session)
    conclusion = result.record.session.conclusion
    assert conclusion is not None
    assert conclusion.verdict.name in ("SOLUTION", "PARTIAL_SOLUTION")
    said = [line for line in result.record.log if isinstance(line, Said)]
    assert len(said) >= 7
    assert not [line for line in said if isinstance(line.reply, Absent)]
    assert all(line.envelope.tokens_out > 0 and line.envelope.model == "local:smollm2" for line in said)
    assert check_bundle(json.loads(api.report(result, "json")), result.record.protocol, fates=DEFINITION.fates) == []
