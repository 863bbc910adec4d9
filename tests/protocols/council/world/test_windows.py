"""A session is opened with views that fit into the smallest window on its seats, so that they are shown whole (C42)."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorate import api
from quorate.participants.prompt import render
from quorate.protocols.council.world.council import least_room, open_council
from quorate.protocols.council.world.gate_passage import Sources
from quorate.store.journal import Journal
from quorate.workspace import find_workspace
from tests.support.convened import Drafted
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting, briefs

TICKETS = 12


def room(folder: Path, windows: str) -> int | None:
    panel = folder / "panel.yaml"
    panel.write_text(f"default: {{model: 'openai:gpt-5', {windows}}}\n", encoding="utf-8")
    return least_room(find_workspace(folder, {}, store="memory:"), {}, panel, None, TICKETS)


def test_c42_where_no_seat_has_a_window_nothing_is_limited(tmp_path: Path) -> None:
    assert room(tmp_path, "temperature: 0") is None


def test_c42_the_smallest_window_counts(tmp_path: Path) -> None:
    panel = {
        "default": {"model": "openai:gpt-5"},
        "seats": {"SA-2": {"model": "openai:gpt-5", "window": 9_000}, "SA-3": {"model": "openai:o3", "window": 90_000}},
    }
    workspace = find_workspace(tmp_path, {}, store="memory:")
    found, less, more = (
        least_room(workspace, {}, panel, None, TICKETS),
        room(tmp_path, "window: 9000"),
        room(tmp_path, "window: 12000"),
    )
    assert found is not None
    assert (less or 0) <= found < (more or 0)


@pytest.mark.parametrize("window", [8_192, 12_000, 32_000])
@pytest.mark.parametrize("brief", ["score mock-run assure", "assess"])
def test_c42_a_view_of_this_size_is_not_cut_again_by_the_window(tmp_path: Path, window: int, brief: str) -> None:
    found = room(tmp_path, f"window: {window}")
    assert found is not None
    about = rfc(TICKETS)
    for each in (*about["documents"], *about["tickets"]):
        each["text"] = f"{each['key']} begins. " + "word " * 900
    sitting = Sitting(about=about, seat_tokens=found).gates()
    if brief == "assess":
        sitting.review({seat: ["AMBIGUOUS_SCOPE T1 scope"] * 8 for seat in SEATS})
    for ask in sitting.reach(brief).open:
        view = sitting.protocol.view(sitting.record, ask)
        _, cuts = render(briefs(), view, ask, sitting.record.nonce, window)
        assert [each.title for each in cuts if not each.title.startswith("brief ")] == []


async def test_c42_a_council_is_opened_with_what_a_window_leaves(
    tmp_path: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    draft = Drafted(tmp_path)
    (tmp_path / "small.yaml").write_text("default: {model: 'openai:gpt-5', window: 8192}\n", encoding="utf-8")
    workspace = find_workspace(tmp_path, {}, store="memory:")
    convened = await open_council(
        workspace, journal, Sources(draft.rfc), depth="COUNCIL", panel=tmp_path / "small.yaml"
    )
    opening = (await api.load(workspace, journal, convened.session)).record.opening
    assert opening.settings["seat_tokens"] == convened.shown < 8_192 * 2 // 3
    wide = await open_council(workspace, journal, Sources(draft.rfc), depth="COUNCIL", panel=tmp_path / "panel.yaml")
    assert wide.shown > convened.shown
