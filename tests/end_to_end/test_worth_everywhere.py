"""Every surface tells the same worth of a session, with what history taught, and no bundle changes by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from quorate import AsyncQuorate, api
from quorate.workspace import find_workspace
from tests.cli.shell import Shell
from tests.http.served import serving
from tests.mcp.assistant import beside

EXAMPLES = Path(__file__).parents[2] / "examples"
SESSIONS = 3
FLIP = "a harmful flip"
MEASURED = "By what was measured they are worth about"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with sample reviews in which somebody was wrong, all labelled but the last."""
    made = Shell(tmp_path)
    (tmp_path / "quorate.yaml").write_text(json.dumps({"panel": str(EXAMPLES / "review-panel.yaml")}))
    (tmp_path / "change.diff").write_bytes((EXAMPLES / "change.diff").read_bytes())
    for seed in range(SESSIONS):
        more = ("--out", "before") if seed == SESSIONS - 1 else ()
        ran = made.call("review", "--diff", "change.diff", "--seed", str(seed), *more)
        assert ran.code == 1, ran.err
        if seed < SESSIONS - 1:
            assert made.call("label", "latest", "--truth", "defective").code == 0
    return made


async def told(shell: Shell, session: str) -> Mapping[str, Any]:
    """The worth of a session, the report and the explanation, as each surface gives them."""

    async def ran(*words: str) -> Any:
        return await asyncio.to_thread(shell.call, *words)

    found: dict[str, Any] = {}
    worth = (await ran("worth", session, "--json")).json()
    worth.pop("session")
    shown = (await ran("show", session, "--json")).json()
    found["command line"] = (worth, (await ran("report", session)).out, (await ran("explain", session)).out)
    assert shown["worth"] == worth
    workspace = find_workspace(shell.folder, {})
    async with serving(workspace) as served:
        summary = await served.get(f"/api/sessions/{session}")
        report = (await served.client.get(f"/api/sessions/{session}/reports/review-report.md")).text
        explained = (await served.client.get(f"/api/sessions/{session}/explanation")).text
        found["http"] = (summary["worth"], report, explained)
        found["bundle of http"] = (await served.client.get(f"/api/sessions/{session}/bundle")).text
    async with AsyncQuorate(shell.folder) as place:
        review = await place.get(session)
        found["python"] = ((await review.summary())["worth"], await review.report(), await review.explain())
        found["bundle of python"] = await review.report("json")
    async with beside(shell) as assistant:
        found["mcp"] = [(await assistant.call(name, session=session))["text"] for name in ("report", "explain")]
    journal = workspace.open()
    try:
        found["run again"] = api.summary(await api.run(workspace, journal, session))["worth"]
    finally:
        await journal.close()
    return found


@pytest.mark.slow
async def test_every_surface_tells_the_same_worth_and_bundles_stay(shell: Shell) -> None:
    session = (await asyncio.to_thread(shell.call, "show", "--json")).json()["session"]
    before = (shell.folder / "before" / "bundle.json").read_text()
    assert MEASURED in (shell.folder / "before" / "review-report.md").read_text(), "--out tells what was known by then"
    assert (await asyncio.to_thread(shell.call, "label", session, "--truth", "defective")).code == 0
    found = await told(shell, session)
    worth, report, explained = found["command line"]
    assert worth["votes"]["measured"]["items"] == SESSIONS
    assert FLIP in report
    assert MEASURED in explained
    for surface in ("http", "python"):
        assert found[surface][0] == worth, surface
        assert found[surface][1].strip() == report.strip(), surface
        assert found[surface][2].strip() == explained.strip(), surface
    assert FLIP in found["mcp"][0]
    assert MEASURED in found["mcp"][1]
    assert found["run again"] == worth
    assert found["bundle of http"] == found["bundle of python"] == before, "a label comes later than the seal"
    (shell.folder / "now.json").write_text(found["bundle of http"])
    assert api.check(shell.folder / "now.json") == []
