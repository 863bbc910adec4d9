"""What is asked about sessions before and after, over HTTP: estimates, other rules, others like it, and the truth."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from quorate import api
from quorate.api.estimate import estimate, estimate_data
from quorate.api.estimate_queue import AT_A_TIME, MOST_WAITING
from quorate.api.redecision import redecide, redecision_data
from quorate.core.errors import RuleViolation
from quorate.http.access import Access
from tests.http.served import PROBLEM, READ_TOKEN, TOKEN, Served, bearer, is_problem, project, serving


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    async with serving(project(tmp_path)) as found:
        yield found


@pytest_asyncio.fixture
async def session(served: Served) -> str:
    opened = await served.open()
    await served.concluded(opened)
    return opened


# Before


async def test_an_estimate_is_that_of_the_command_line(served: Served) -> None:
    body = {"inputs": {"problem": PROBLEM}, "settings": {"rounds": 2}, "budget": {"tokens": 1000}, "reply": 100}
    told = await served.post("/api/protocols/debate/estimate", body)
    from quorate.api.expected_cost import Assumed

    own = await estimate(
        served.host.workspace,
        "debate",
        {"problem": PROBLEM},
        settings={"rounds": 2},
        budget={"tokens": 1000},
        assumed=Assumed(reply=100),
    )
    assert told == estimate_data(own)
    assert told["budget"] == {"tokens": 1000, "cents": None, "fits": False}
    assert await served.get("/api/sessions") == {"sessions": [], "more": False}, "nothing is kept"


async def test_what_is_wrong_with_an_estimate_is_named(served: Served) -> None:
    async def refused(body: object, status: int = 422, name: str = "debate") -> dict[str, object]:
        return is_problem(await served.client.post(f"/api/protocols/{name}/estimate", json=body), status)

    assert (await refused({"settings": {"roundz": 1}}))["key"] == "settings.roundz"
    assert (await refused({"inputs": {"problm": "x"}}))["nearest"] == "problem"
    assert (await refused({"panel": "/etc/passwd"}))["key"] == "panel"
    assert (await refused({"model": "openai:x@http://127.0.0.1/"}))["key"] == "model"
    assert (await refused({"accuracy": "1.5"}))["key"] == "accuracy"
    assert (await refused({"samples": 10**9}))["key"] == "samples", "how long it computes is not the client's"
    assert "did you mean 'debate'" in str((await refused({}, 404, "debat"))["detail"])


async def test_only_so_many_wait_for_an_estimate(served: Served) -> None:
    most = AT_A_TIME + MOST_WAITING
    found = await asyncio.gather(
        *(served.desk.estimates.make("debate") for _ in range(most + 3)), return_exceptions=True
    )
    refused = [each for each in found if isinstance(each, RuleViolation)]
    assert (len(found) - len(refused), len(refused)) == (most, 3)
    assert "try again when they are done" in str(refused[0])
    await served.post("/api/protocols/debate/estimate", {})  # and then there is room again


# Afterwards


async def test_a_session_is_decided_anew_and_nothing_is_written(served: Served, session: str) -> None:
    before = (await served.get(f"/api/sessions/{session}"))["last"]
    told = await served.post(f"/api/sessions/{session}/redecide", {"settings": {"rounds": 2}})
    own = await redecide(served.host.workspace, served.host.journal, session, {"rounds": 2})
    assert told == redecision_data(own)
    assert told["settings"] == {"rounds": [1, 2]}
    assert (await served.get(f"/api/sessions/{session}"))["last"] == before
    wrong = await served.client.post(f"/api/sessions/{session}/redecide", json={"settings": {"rounds": "many"}})
    assert is_problem(wrong, 422)["key"] == "settings.rounds"
    gone = await served.client.post("/api/sessions/debate-x/redecide", json={"settings": {}})
    is_problem(gone, 404)


async def test_sessions_are_compared_and_no_file_is_read(served: Served, session: str) -> None:
    other = await served.open(settings={"rounds": 2})
    await served.concluded(other)
    told = await served.get(f"/api/sessions/{session}/comparison", params={"with": other})
    assert [each["session"] for each in told["sessions"]] == [session, other]
    assert "settings.rounds" in told["differences"][0]["began"]
    (served.folder / "mine.json").write_text(
        api.report(await api.load(served.host.workspace, served.host.journal, other), "json")
    )
    for name in ("mine.json", "nobody", f"{other},mine.json"):
        is_problem(await served.client.get(f"/api/sessions/{session}/comparison", params={"with": name}), 404)
    for name in ("", "../mine.json", ",".join([other] * 50)):
        is_problem(await served.client.get(f"/api/sessions/{session}/comparison", params={"with": name}), 422)


async def test_a_label_is_recorded_and_every_answer_tells_it(served: Served, session: str) -> None:
    before = await served.get(f"/api/sessions/{session}")
    bundle = (await served.client.get(f"/api/sessions/{session}/bundle")).content
    report = (await served.client.get(f"/api/sessions/{session}/reports/report.html")).text
    empty = await served.get(f"/api/sessions/{session}/labels")
    assert (empty["labels"], "right" in empty["truths"]) == ([], True)
    made = await served.post(f"/api/sessions/{session}/labels", {"truth": "Right", "note": "It held."}, 201)
    assert (made["truth"], made["note"], made["before"]) == ("right", "It held.", [])
    again = await served.post(f"/api/sessions/{session}/labels", {"truth": "wrong"}, 201)
    assert again["before"] == ["right"]
    assert [each["truth"] for each in (await served.get(f"/api/sessions/{session}/labels"))["labels"]] == [
        "right",
        "wrong",
    ]
    after = await served.get(f"/api/sessions/{session}")
    assert before["worth"]["truth"] == {}
    assert list(after["worth"]["truth"].values()) == [False], "the last label counts"
    assert (await served.client.get(f"/api/sessions/{session}/bundle")).content == bundle
    assert (await served.client.get(f"/api/sessions/{session}/reports/bundle.json")).content == bundle
    assert (await served.client.get(f"/api/sessions/{session}/reports/report.html")).text != report
    assert (await served.get("/api/calibration"))["sessions"] == 1
    assert (await served.get("/api/calibration", params={"protocol": "review"}))["sessions"] == 0


async def test_what_is_wrong_with_a_label_is_named(served: Served, session: str) -> None:
    async def refused(body: object, of: str = session, status: int = 422) -> dict[str, object]:
        return is_problem(await served.client.post(f"/api/sessions/{of}/labels", json=body), status)

    problem = await refused({"truth": "rigth"})
    assert (problem["key"], problem["nearest"]) == ("truth", "right")
    assert (await refused({"truth": "right", "finding": "F-1"}))["key"] == "finding"
    assert (await refused({"truth": "right", "note": "x" * 2001}))["key"] == "note"
    assert (await refused({"truth": "right", "by": "me"}))["key"] == "by"
    await refused({"truth": "right"}, of="nobody", status=404)
    begun = await served.open(start=False)
    assert "has not concluded" in str((await refused({"truth": "right"}, of=begun))["detail"])
    assert (await served.get(f"/api/sessions/{begun}/labels"))["truths"] == {}
    is_problem(await served.client.get("/api/calibration", params={"protocol": "debat"}), 422)
    await served.post(f"/api/sessions/{session}/labels", {"truth": "right"}, 201)
    unknown = await served.client.get("/api/calibration", params={"model": "gpt"})
    assert is_problem(unknown, 422)["key"] == "model"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/protocols/debate/estimate"),
        ("POST", "/api/sessions/s/redecide"),
        ("POST", "/api/sessions/s/labels"),
    ],
)
async def test_who_may_read_alone_may_not_send(tmp_path: Path, method: str, path: str) -> None:
    async with serving(project(tmp_path), Access(TOKEN, READ_TOKEN)) as served:
        is_problem(await served.client.request(method, path, json={}, headers=bearer(READ_TOKEN)), 403)
        is_problem(await served.client.request(method, path, json={}), 401)
        read = await served.client.get("/api/calibration", headers=bearer(READ_TOKEN))
        assert read.status_code == 200
