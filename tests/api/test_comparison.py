"""Comparing sessions and bundles of one protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import api
from quorate.api.comparison import compare, comparison_data, read_bundle
from quorate.api.sessions import Result
from quorate.core.errors import InputError, SettingError
from quorate.store.journal import Journal, UnknownSession
from quorate.workspace import Workspace
from tests.cli.shell import SCRIPT, script


async def debated(workspace: Workspace, journal: Journal, folder: Path, confidence: int = 82) -> Result:
    synthesis = {**SCRIPT["seats"]["judge"]["synthesize"], "confidence": confidence}
    (folder / "script.yaml").write_text(json.dumps(script(judge={"synthesize": synthesis})))
    session = await api.open_session(workspace, journal, "debate", {"problem": "Where to keep a log?"}, seed=5)
    return await api.run(workspace, journal, session)


async def test_sessions_side_by_side(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    first = await debated(workspace, journal, tmp_path)
    same = await debated(workspace, journal, tmp_path)
    other = await debated(workspace, journal, tmp_path, 40)
    found = await compare(workspace, journal, [first.session, same.session, other.session])
    alike, unlike = found.differences
    assert (alike.parting, alike.decision, alike.began, alike.findings) == (None, None, {}, None)
    assert unlike.parting is not None
    assert (unlike.parting.seat, unlike.parting.brief) == ("judge", "synthesize")
    assert [(each.path, each.first, each.other) for each in unlike.parting.fields] == [("/confidence", 82, 40)]
    assert unlike.decision is None, "it decided nothing"
    data = comparison_data(found)
    assert [each["verdict"] for each in data["sessions"]] == ["SOLUTION"] * 3
    assert data["sessions"][0]["asks"] == data["sessions"][1]["asks"] > 0
    assert data["sessions"][0]["findings"] is None
    assert json.loads(json.dumps(data)) == data


async def test_a_bundle_is_as_good_as_its_session(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    first = await debated(workspace, journal, tmp_path)
    file = tmp_path / "bundle.json"
    file.write_text(api.report(first, "json"))
    found = await compare(workspace, journal, ["latest", str(file)])
    (alike,) = found.differences
    assert (alike.parting, alike.began) == (None, {})
    assert found.names == (first.session, str(file))
    assert [each.entries for each in found.results] == [first.entries] * 2
    yaml = tmp_path / "bundle.yaml"
    yaml.write_text(api.report(first, "yaml"))
    assert read_bundle(yaml).record.session == first.record.session


async def test_a_bundle_that_does_not_hold_is_refused(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    first = await debated(workspace, journal, tmp_path)
    data = json.loads(api.report(first, "json"))
    data["entries"][-1]["body"]["reply"]["confidence"] = 12
    (tmp_path / "forged.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match="is not valid: "):
        read_bundle(tmp_path / "forged.json")


async def test_what_cannot_be_compared(workspace: Workspace, journal: Journal, tmp_path: Path) -> None:
    first = await debated(workspace, journal, tmp_path)
    with pytest.raises(SettingError, match="1 to compare; expected two"):
        await compare(workspace, journal, [first.session])
    with pytest.raises(UnknownSession):
        await compare(workspace, journal, [first.session, "debate-1999"])
    with pytest.raises(InputError, match=r"no\.json: cannot be read"):
        await compare(workspace, journal, [first.session, str(tmp_path / "no.json")])
