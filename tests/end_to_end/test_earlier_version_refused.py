"""A recorded session of version 1 that waits for a person: every surface reads it, and refuses by name to go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import Quorate, QuorateError
from quorate.workspace import find_workspace
from tests.cli.shell import Shell, script
from tests.http.served import is_problem, serving
from tests.mcp.assistant import Refused, beside
from tests.recorded import asking

Kept = tuple[Shell, str, str, str]


@pytest.fixture(params=["council", "debate", "review", "roundtable", "workshop"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Kept:
    """A project with the recorded store of a protocol, an unfinished session, an ask to a person, and what is said."""
    shell, protocol = Shell(tmp_path).write(script()), request.param
    asking.unpack(protocol, tmp_path, asking.SESSIONS / "version_1")
    config = json.loads((tmp_path / "quorate.yaml").read_text())
    (tmp_path / "quorate.yaml").write_text(json.dumps({**config, "store": f"sqlite:{tmp_path / 'store.db'}"}))
    listed = json.loads(shell.call("list", "--json").out)
    session = next(each["session"] for each in listed if each["protocol"] == protocol and not each["verdict"])
    ask = json.loads(shell.call("show", session, "--json").out)["waiting"][0]["ask"]
    return shell, session, ask, f"the session began under version 1 of {protocol}"


def test_the_command_line_refuses_it(kept: Kept) -> None:
    shell, session, ask, why = kept
    changing = (("resume", session), ("answer", session), ("answer", session, ask, "--decline"), ("cancel", session))
    for words in (*changing, ("fork", session, "--at", "0"), ("conclude", session)):
        ran = shell.call(*words)
        assert ran.code == 70, (words, ran.err)
        assert why in ran.err, words
    for words in (("show", session), ("explain", session), ("check", session), ("report", session)):
        ran = shell.call(*words)
        assert ran.code in (0, 4), (words, ran.err)


def test_python_refuses_it(kept: Kept) -> None:
    shell, session, ask, why = kept
    with Quorate(shell.folder, store=f"sqlite:{shell.folder / 'store.db'}") as place:
        held = place.get(session)
        assert held.report().startswith("# ")
        assert held.bundle()["protocol"]["version"] == "1"
        for act in (held.run, lambda: held.decline(ask), lambda: held.answer(ask, {}), held.cancel, held.conclude):
            with pytest.raises(QuorateError, match=why):
                act()
        with pytest.raises(QuorateError, match=why):
            held.fork(at=0)
        with pytest.raises(QuorateError, match=why):
            held.redecide({})


async def test_http_refuses_it(kept: Kept) -> None:
    shell, session, ask, why = kept
    async with serving(find_workspace(shell.folder, {}, store=f"sqlite:{shell.folder / 'store.db'}")) as served:
        address = f"/api/sessions/{session}"
        assert (await served.get(address))["verdict"] is None
        acts = (("resume", None), ("cancel", None), ("conclude", None), ("fork", {"at": 0, "start": False}))
        for act, body in (*acts, (f"answers/{ask}", {"decline": True})):
            answer = await served.client.post(f"{address}/{act}", json=body)
            assert why in is_problem(answer, 409)["detail"], act
        assert session not in [each["session"] for each in await served.get("/api/inbox")]


async def test_mcp_refuses_it(kept: Kept) -> None:
    shell, session, ask, why = kept
    async with beside(shell) as assistant:
        assert (await assistant.call("status", session=session))["verdict"] is None
        with pytest.raises(Refused, match=why):
            await assistant.call("answer", session=session, ask=ask, decline=True)
        with pytest.raises(Refused, match=why):
            await assistant.call("fork", session=session, at=0)
