"""Sessions of an earlier version of a protocol: read, reported and checked by its rules, and never continued."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from quorate import api, catalog
from quorate.api.readable import read
from quorate.api.redecision import redecide
from quorate.api.results import bundle, check, explain, reports
from quorate.api.session_list import Listing, Wanted
from quorate.core.errors import DefinitionError, RulesChanged
from quorate.core.protocol import Protocol
from quorate.core.types import Reason
from quorate.kit.definition import Definition
from quorate.protocols.debate.definition import DEFINITION
from quorate.store.journal import Journal
from quorate.workspace import Workspace
from tests.cli.shell import Shell, script
from tests.support.damaging import PROBLEM

EARLIER = "quorate.protocols.debate.definition:DEFINITION"
UNDER_2 = "the session began under version 2 of debate"


def _build(settings: Any, briefs: Mapping[str, str], seed: int) -> Protocol[Any]:
    return replace(DEFINITION.build(settings, briefs, seed), version="3")


NEXT = replace(DEFINITION, build=_build, result=lambda _: {"version": 3}, earlier={**DEFINITION.earlier, "2": EARLIER})
"""The debate after a change of its rules."""


@pytest.fixture
def rules_change(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Installs the debate of version 3."""
    known = cast("dict[str, Definition]", catalog.definitions())
    return lambda: monkeypatch.setitem(known, "debate", NEXT)


async def test_a_concluded_session_is_read_by_the_rules_it_began_under(
    workspace: Workspace, journal: Journal, rules_change: Any, tmp_path: Path
) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    before = await api.run(workspace, journal, session)
    said = explain(before), reports(before), bundle(before)
    rules_change()
    after = await read(workspace, journal, session)
    assert (explain(after), reports(after), bundle(after)) == said
    assert after.record.protocol.version == "2"
    kept = tmp_path / "bundle.json"
    kept.write_text(json.dumps(said[2]), encoding="utf-8")
    assert check(kept) == []
    ((row,), _) = await Listing(journal).page(Wanted())
    assert (row["verdict"], row["exit_code"], row["problem"]) == ("SOLUTION", 0, None)
    assert (await api.run(workspace, journal, session)).exit_code == before.exit_code  # nothing is left to run


async def test_an_unfinished_session_is_read_and_refused_by_name(
    workspace: Workspace, journal: Journal, rules_change: Any
) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    rules_change()
    held = await read(workspace, journal, session)
    assert held.record.session.open != ()
    with pytest.raises(RulesChanged, match=UNDER_2):
        await api.run(workspace, journal, session)
    with pytest.raises(RulesChanged, match=UNDER_2):
        await api.interrupt(workspace, journal, session, Reason.CANCELLED)
    with pytest.raises(RulesChanged, match=UNDER_2):
        await api.answer(workspace, journal, session, held.record.session.open[0].id, {})
    assert (await read(workspace, journal, session)).entries == held.entries


async def test_a_session_of_an_earlier_version_is_not_decided_anew(
    workspace: Workspace, journal: Journal, rules_change: Any
) -> None:
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    await api.run(workspace, journal, session)
    rules_change()
    with pytest.raises(RulesChanged, match=f"{UNDER_2}, and today's rules cannot decide on its answers again"):
        await redecide(workspace, journal, session)


def test_what_is_refused_is_not_offered(tmp_path: Path, rules_change: Any) -> None:
    shell = Shell(tmp_path).write(script())
    assert shell.call("debate", PROBLEM, "--clarify").code == 4
    rules_change()
    ran = shell.call("resume", "latest")
    assert UNDER_2 in ran.err
    assert "the session is kept" not in ran.err


async def test_new_sessions_begin_under_the_current_version(
    workspace: Workspace, journal: Journal, rules_change: Any
) -> None:
    rules_change()
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    assert (await api.run(workspace, journal, session)).record.opening.version == "3"


async def test_a_version_that_is_not_kept_is_told(
    workspace: Workspace, journal: Journal, rules_change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules_change()
    session = await api.open_session(workspace, journal, "debate", {"problem": PROBLEM})
    monkeypatch.setitem(cast("dict[str, Definition]", catalog.definitions()), "debate", DEFINITION)
    with pytest.raises(RulesChanged, match="began under version 3 of debate; this is version 2"):
        await read(workspace, journal, session)


def test_what_is_no_definition_is_the_authors_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(NEXT, earlier={"1": "quorate.protocols.debate.definition:SAMPLE"})
    monkeypatch.setitem(cast("dict[str, Definition]", catalog.definitions()), "debate", wrong)
    with pytest.raises(DefinitionError, match="version 1 of protocol debate is not a Definition"):
        catalog.build("debate", version="1")
