"""Sessions over HTTP, against a real server: opened, listed, read, answered, ended, forked and ruled upon."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from quorate import api
from quorate.store.sqlite import SqliteJournal
from tests.cli.shell import CONFIG
from tests.http.served import PROBLEM, Served, project, serving

CLARIFYING = {**CONFIG, "debate": {**CONFIG["debate"], "interactive_clarifications": True}}  # type: ignore[dict-item]


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path)) as found:
        yield found


@pytest_asyncio.fixture
async def asking(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path, config=CLARIFYING)) as found:
        yield found


async def waiting(served: Served) -> tuple[str, dict[str, Any]]:
    """Open a debate that asks a person, and return it with its question."""
    session = await served.open()
    async for event in served.follow(session):
        if event.kind == "entry" and event.data["after"]["waiting"]:
            break
    (question,) = await served.get(f"/api/sessions/{session}/questions")
    return session, question


async def test_a_session_is_opened_driven_and_read(served: Served) -> None:
    session = await served.open(settings={"rounds": 1}, budget={"tokens": 500_000})
    found = await served.concluded(session)
    assert (found["verdict"], found["exit_code"], found["phase"]) == ("SOLUTION", 0, "CONCLUDED")
    assert found["opening"]["settings"]["rounds"] == 1
    assert found["budget"]["tokens"] == 500_000
    assert found["last"] == 7
    assert len(found["head"]) == 64
    assert found["rulings"] == []
    assert found["fork"] is None
    told = await api.load(served.host.workspace, served.host.journal, session)
    assert {name: found[name] for name in api.summary(told)} == json.loads(json.dumps(api.summary(told)))


async def test_a_session_that_is_not_started_waits_for_it(served: Served) -> None:
    session = await served.open(start=False)
    found = await served.get(f"/api/sessions/{session}")
    assert (found["last"], found["running"]) == (0, False)
    resumed = await served.post(f"/api/sessions/{session}/resume")
    assert resumed["session"] == session
    assert (await served.concluded(session))["verdict"] == "SOLUTION"
    again = await served.client.post(f"/api/sessions/{session}/resume")
    assert again.status_code == 409
    assert "has concluded" in again.json()["detail"]


async def test_sessions_are_listed_filtered_and_paged(served: Served) -> None:
    sessions = [await served.open(start=False, inputs={"problem": f"Problem {word}"}) for word in ("one", "two")]
    ended = await served.open(inputs={"problem": "Problem three"})
    await served.concluded(ended)

    async def ids(**query: Any) -> list[str]:
        found = await served.get("/api/sessions", params=query)
        return [each["id"] for each in found["sessions"]]

    assert set(await ids()) == {*sessions, ended}
    assert await ids(status="concluded") == [ended]
    assert await ids(q="PROBLEM TWO") == [sessions[1]]
    assert await ids(q="problem nothing") == []
    assert await ids(protocol="review") == []
    first = await served.get("/api/sessions", params={"limit": 2})
    assert first["more"] is True
    rest = await served.get("/api/sessions", params={"limit": 2, "before": first["sessions"][-1]["id"]})
    assert rest["more"] is False
    assert {each["id"] for each in [*first["sessions"], *rest["sessions"]]} == {*sessions, ended}
    async with asyncio.timeout(60):  # whoever drove it leaves what it leaves after its last entry
        while (await served.get(f"/api/sessions/{ended}"))["running"]:
            await asyncio.sleep(0.02)
    (row,) = (await served.get("/api/sessions", params={"status": "concluded"}))["sessions"]
    assert (row["verdict"], row["exit_code"], row["degraded"], row["running"]) == ("SOLUTION", 0, None, False)
    assert row["tokens"] > 0
    assert row["title"] == "Problem three"
    missing = await served.client.get("/api/sessions", params={"before": "nothing"})
    assert missing.status_code == 404


async def test_a_question_is_shown_with_its_schema_and_answered_once(asking: Served) -> None:
    session, question = await waiting(asking)
    assert question["seat"] == "person"
    assert question["keys"] == ["q1", "q2"]
    assert question["schema"]["type"] == "object"
    assert question["says"][0][0] in ("p", "h3", "h4")
    assert any("orders a minute" in json.dumps(section) for section in question["sections"])
    (row,) = (await asking.get("/api/sessions"))["sessions"]
    assert (row["status"], row["waiting"]) == ("waiting", ["person"])
    (asked,) = await asking.get("/api/inbox")
    assert (asked["session"], asked["ask"], asked["title"]) == (session, question["ask"], PROBLEM)
    assert "sections" not in asked

    url = f"/api/sessions/{session}/answers/{question['ask']}"
    wrong = await asking.client.post(url, json={"answer": {"answers": {"q1": 5}}})
    assert wrong.status_code == 422
    assert wrong.json()["key"]
    bad: list[dict[str, Any]] = [{}, {"answer": {}, "decline": True}, {"decline": False}, {"anser": {}}, {"answer": []}]
    for body in bad:
        assert (await asking.client.post(url, json=body)).status_code == 422
    filled = _filled(question["schema"])
    assert (await asking.post(url, {"answer": filled})) == {"counted": True}
    assert (await asking.post(url, {"answer": filled})) == {"counted": False}
    assert (await asking.concluded(session))["verdict"] == "SOLUTION"
    assert (await asking.get("/api/inbox")) == []


def _filled(schema: dict[str, Any]) -> Any:
    """Return something that a schema allows."""
    match schema.get("type"):
        case "object":
            return {name: _filled(each) for name, each in schema["properties"].items()}
        case "string":
            return schema["enum"][0] if "enum" in schema else "About 200"
        case "array":
            return []
        case "boolean":
            return True
        case _:
            return schema.get("minimum", 0)


async def test_declining_lets_the_session_go_on(asking: Served) -> None:
    session, question = await waiting(asking)
    url = f"/api/sessions/{session}/answers/{question['ask']}"
    assert (await asking.post(url, {"decline": True})) == {"counted": True}
    found = await asking.concluded(session)
    assert [each["reason"] for each in found["absences"]] == ["silent"]
    unknown = await asking.client.post(f"/api/sessions/{session}/answers/99.0", json={"decline": True})
    assert unknown.status_code == 409


async def test_an_answer_from_elsewhere_is_seen_and_driven_on(asking: Served) -> None:
    session, question = await waiting(asking)
    elsewhere = SqliteJournal(asking.folder / "store.db")
    assert await api.decline(asking.host.workspace, elsewhere, session, question["ask"])
    await elsewhere.close()
    assert (await asking.concluded(session))["verdict"] == "SOLUTION"


async def test_a_session_is_cancelled_with_a_reason(asking: Served) -> None:
    session, _ = await waiting(asking)
    done = await asking.post(f"/api/sessions/{session}/cancel", {"why": "Solved otherwise"})
    assert done["verdict"] == "ABORTED"
    found = await asking.get(f"/api/sessions/{session}")
    assert found["interrupted"] == "cancelled"
    told = await asking.get(f"/api/sessions/{session}/entries")
    assert told["events"][-1]["detail"] == "Solved otherwise"
    again = await asking.client.post(f"/api/sessions/{session}/cancel")
    assert (again.status_code, again.json()["type"]) == (409, "urn:quorate:problem:rule")


async def test_a_wish_to_conclude_leads_to_the_wrap_up(asking: Served) -> None:
    session, _ = await waiting(asking)
    await asking.post(f"/api/sessions/{session}/conclude")
    await asking.post(f"/api/sessions/{session}/suspend")
    refused = await asking.client.post(f"/api/sessions/{session}/escalate")
    assert refused.status_code == 409, "a debate cannot be escalated to a person"
    (question,) = await asking.get(f"/api/sessions/{session}/questions")
    await asking.post(f"/api/sessions/{session}/answers/{question['ask']}", {"decline": True})
    await asking.post(f"/api/sessions/{session}/resume")
    found = await asking.concluded(session)
    assert found["interrupted"] == "wish"


async def test_a_fork_has_the_same_past_and_other_settings(served: Served) -> None:
    session = await served.open()
    await served.concluded(session)
    made = await served.post(f"/api/sessions/{session}/fork", {"at": 2, "settings": {"rounds": 2}}, 201)
    found = await served.concluded(made["session"])
    assert found["fork"]["of"] == session
    assert found["fork"]["at"] == 2
    assert found["opening"]["settings"]["rounds"] == 2
    old = (await served.get(f"/api/sessions/{session}/entries"))["events"]
    new = (await served.get(f"/api/sessions/{made['session']}/entries"))["events"]
    assert [each.get("reply") for each in new[1:3]] == [each.get("reply") for each in old[1:3]]
    assert len(new) > len(old)
    for body in ({"at": 99}, {"at": -1}, {"at": 1, "panel": "/etc/passwd"}, {"at": 1, "settings": {"runds": 1}}, {}):
        assert (await served.client.post(f"/api/sessions/{session}/fork", json=body)).status_code == 422, body


async def test_a_verdict_that_waits_for_nobody_takes_no_ruling(served: Served) -> None:
    session = await served.open()
    await served.concluded(session)
    ruling = {"verdict": "SOLUTION", "by": "Ada", "reason": "because"}
    answer = await served.client.post(f"/api/sessions/{session}/ruling", json=ruling)
    assert answer.status_code == 409
    missing = await served.client.post(f"/api/sessions/{session}/ruling", json={"verdict": "SOLUTION"})
    assert missing.status_code == 422


async def test_panels_and_models_are_listed(served: Served) -> None:
    assert (await served.get("/api/panels")) == [{"path": "panel.yaml", "seats": []}]
    models = await served.get("/api/models")
    assert {"person", "local:smollm2"} <= {each["name"] for each in models}
    session = await served.open(panel="panel.yaml")
    assert (await served.concluded(session))["verdict"] == "SOLUTION"


async def test_protocols_are_described(served: Served) -> None:
    names = [each["name"] for each in await served.get("/api/protocols")]
    assert names == ["council", "debate", "review", "roundtable", "workshop"]
    for name in names:
        found = await served.get(f"/api/protocols/{name}")
        assert found["table"]
        assert found["rules"]
        assert found["inputs"]["properties"]
        assert found["diagram"]["boxes"]
        for format_, kind in (("svg", "image/svg+xml"), ("mermaid", "text/vnd.mermaid"), ("md", "text/markdown")):
            answer = await served.client.get(f"/api/protocols/{name}/diagram", params={"format": format_})
            assert answer.headers["content-type"].startswith(kind)
        plan = await served.get(f"/api/protocols/{name}/diagram", params={"format": "plan"})
        assert plan == found["diagram"]
    missing = await served.client.get("/api/protocols/debat")
    assert (missing.status_code, "debate" in missing.json()["detail"]) == (404, True)
    assert (await served.get("/api/protocols/debate/proof"))["status"] == "unknown"
