"""Councils as a use case: what is opened, with which lenses, depth, seed and budget, and what it leaves as data."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from quorate import api, catalog
from quorate.api.results import own_files, reports
from quorate.core.errors import InputError, SettingError
from quorate.evidence.text import from_text
from quorate.kit.definition import Definition
from quorate.protocols.council.rules.lenses import ANCHORS, draw_modes
from quorate.protocols.council.rules.sample import SAMPLE
from quorate.protocols.council.world.council import open_council
from quorate.protocols.council.world.gate_passage import Sources, pass_gates
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from tests.support.convened import Drafted
from tests.support.played_debate import open_debate


@pytest.fixture
def draft(tmp_path: Path) -> Drafted:
    return Drafted(tmp_path)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "quorate.yaml").write_text("panel: panel.yaml\n")
    return find_workspace(tmp_path, {}, store="memory:")


async def test_what_is_opened_says_what_everybody_looks_through(
    draft: Drafted, workspace: Workspace, journal: Journal
) -> None:
    """C3: two anchors first, then the three drawn."""
    convened = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL", seed="42")
    assert (convened.depth, convened.why, convened.session_seed) == ("COUNCIL", "as asked for", "42")
    assert [each.seat for each in convened.seats] == ["SA-1", "SA-2", "SA-3"]
    for each in convened.seats:
        numbers = tuple(number for number, _ in each.lenses)
        assert tuple(sorted(numbers)) == draw_modes(42)[each.seat]
        assert numbers[:2] == {str(seat): anchors for seat, anchors in ANCHORS.items()}[each.seat]
    result = await api.load(workspace, journal, convened.session)
    opening = result.record.opening
    assert opening.title == "RFC-0001 Readers go on where they stopped"
    assert (opening.seed, opening.settings["depth"]) == (42, "COUNCIL")
    assert opening.panel["gates"] == "gates"
    assert opening.panel["matcher"] == "matcher"


async def test_what_the_gates_need_in_another_process_is_kept(
    draft: Drafted, workspace: Workspace, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C38: paths are kept whole, so that edits can be tried from any folder."""
    monkeypatch.chdir(draft.folder)
    convened = await open_council(workspace, journal, Sources(Path("rfc"), tickets=Path("rfc/tickets")))
    kept = (await api.load(workspace, journal, convened.session)).record.opening.run["council"]
    assert kept["folder"] == str(draft.rfc)
    assert kept["tickets"] == str(draft.rfc / "tickets")
    assert kept["gates"] == "seven"
    assert len(kept["digest"]) == 64
    assert "repo" not in kept


async def test_the_budget_is_the_councils_unless_one_is_named(
    draft: Drafted, workspace: Workspace, journal: Journal
) -> None:
    """C35."""
    convened = await open_council(workspace, journal, Sources(draft.rfc))
    opening = (await api.load(workspace, journal, convened.session)).record.opening
    assert opening.run["budget"]["tokens"] == convened.tokens == 135_000
    own = find_workspace(draft.folder, {"QUORATE__BUDGET__TOKENS": "9000"}, store="memory:")
    named = await open_council(own, journal, Sources(draft.rfc), depth="COUNCIL")
    opening = (await api.load(own, journal, named.session)).record.opening
    assert opening.run["budget"]["tokens"] == named.tokens == 9_000
    assert named.tight
    assert not convened.tight


async def test_a_seed_of_its_own_follows_from_the_rfc(draft: Drafted, workspace: Workspace, journal: Journal) -> None:
    """C5: the folder does not matter, one letter does."""
    first = await open_council(workspace, journal, Sources(draft.rfc))
    draft.rfc.rename(draft.folder / "moved")
    moved = await open_council(workspace, journal, Sources(draft.folder / "moved"))
    assert moved.session_seed == first.session_seed
    assert moved.session != first.session
    text = SAMPLE["02_design_decisions.yaml"]
    (draft.folder / "moved/02_design_decisions.yaml").write_text(text.replace("no database", "a database"))
    changed = await open_council(workspace, journal, Sources(draft.folder / "moved"))
    assert changed.session_seed != first.session_seed


async def test_an_rfc_that_is_too_long_is_said_to_be(draft: Drafted, workspace: Workspace, journal: Journal) -> None:
    for number in range(4, 10):
        notes = "notes: |\n" + "".join(f"  Line {line} of the notes.\n" for line in range(12_000))
        text = SAMPLE["tickets/TCK-00002.yaml"].replace("TCK-00002", f"TCK-{number:05}")
        draft.write({f"tickets/TCK-{number:05}.yaml": text + notes})
    with pytest.raises(InputError, match="characters long with its tickets") as told:
        await open_council(workspace, journal, Sources(draft.rfc))
    assert "--gates-only" in str(told.value)
    assert pass_gates(workspace, Sources(draft.rfc)).receipt["rfc"]["tickets"] == 9


async def test_nothing_is_opened_without_seats(draft: Drafted, journal: Journal, tmp_path: Path) -> None:
    (tmp_path / "quorate.yaml").write_text("{}\n")
    bare = find_workspace(tmp_path, {}, store="memory:")
    with pytest.raises(SettingError, match="no model is chosen"):
        await open_council(bare, journal, Sources(draft.rfc))
    assert not await api.list_sessions(journal)


async def test_a_council_is_run_to_its_verdict(draft: Drafted, workspace: Workspace, journal: Journal) -> None:
    convened = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL")
    result = await api.run(workspace, journal, convened.session)
    assert api.summary(result)["verdict"] == "APPROVED"
    assert result.exit_code == 0
    again = await api.replay(workspace, journal, convened.session)
    assert again.verdict == "APPROVED"


def test_gates_say_what_they_found_with_its_place(draft: Drafted, workspace: Workspace) -> None:
    draft.change("tickets/TCK-00002.yaml", "depends_on: [TCK-00001]", "depends_on: [TCK-00009]")
    gated = pass_gates(workspace, Sources(draft.rfc), gates="nine")
    (found,) = [each for each in gated.findings if each.severity == "BLOCKER"]
    assert (found.subcategory, found.file, found.line) == ("BROKEN_REF", "tickets/TCK-00002.yaml", 7)
    assert "TCK-00009" in found.message
    assert gated.blocking == 1
    assert [each.type for each in gated.gates].count("LLM-ASSISTED") == 5


# Documents


def test_documents_are_written_as_json_and_as_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    played = open_debate().play()
    result = api.Result("s", played.record, played.entries)
    data = {"verdict": "SOLUTION", "texts": ["one\ntwo\n", "ü"], "none": None}
    debate = replace(
        catalog.definition("debate"), documents=lambda _: {"minutes": data}, files=lambda _: {"a.txt": "a"}
    )
    monkeypatch.setitem(cast("dict[str, Definition]", catalog.definitions()), "debate", debate)
    left = reports(result)
    assert list(left) == ["report.md", "report.html", "minutes.json", "minutes.yaml", "a.txt", "bundle.json"]
    assert json.loads(left["minutes.json"]) == data
    assert from_text(left["minutes.yaml"], "minutes.yaml") == data
    assert api.report(result, "minutes.yaml") == left["minutes.yaml"]
    assert api.report(result, "a.txt") == own_files(result)["a.txt"] == "a"
    with pytest.raises(SettingError, match=r"did you mean 'minutes\.yaml'"):
        api.report(result, "minuts.yaml")
