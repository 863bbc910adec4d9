"""Evidence over HTTP: what is saved is what the program writes, and nothing of it can run in the page's origin."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from quorate import api
from quorate.api.results import check, reports
from tests.http.served import PROBLEM, Served, project, serving

HOSTILE = "<script>alert(1)</script> [x](javascript:alert(2)) \u202e <img src=x onerror=alert(3)>"


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    hostile = {"reasoning": HOSTILE, "text": HOSTILE}
    async with serving(project(tmp_path, every={"propose": hostile})) as found:
        yield found


@pytest_asyncio.fixture
async def session(served: Served) -> str:
    opened = await served.open()
    await served.concluded(opened)
    return opened


async def test_every_file_is_what_the_program_writes_and_is_saved_never_shown(served: Served, session: str) -> None:
    result = await api.load(served.host.workspace, served.host.journal, session)
    written = reports(result)
    listed = await served.get(f"/api/sessions/{session}/reports")
    assert [each["name"] for each in listed] == list(written)
    for each in listed:
        answer = await served.client.get(f"/api/sessions/{session}/reports/{each['name']}")
        assert answer.text == written[each["name"]]
        assert len(answer.content) == each["bytes"]
        assert answer.headers["content-type"].split(";")[0] == each["media_type"]
        assert answer.headers["content-disposition"] == f'attachment; filename="{each["name"]}"'
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    missing = await served.client.get(f"/api/sessions/{session}/reports/report.mf")
    assert (missing.status_code, "report.md" in missing.json()["detail"]) == (404, True)


async def test_a_report_comes_as_a_tree_in_which_nothing_runs(served: Served, session: str) -> None:
    found = await served.get(f"/api/sessions/{session}/reports/report.md", params={"prose": "tree"})
    text = json.dumps(found["tree"])
    assert "alert(1)" in text, "nothing is lost"
    tags = set[str]()

    def walk(node: object) -> None:
        if isinstance(node, list):
            tags.add(node[0])
            assert node[1] is None or set(node[1]) <= {"href", "start"} or node[1] == {"align": "right"}
            for child in node[2:]:
                walk(child)

    for node in found["tree"]:
        walk(node)
    assert tags
    assert not tags & {"script", "img", "iframe", "style"}
    assert "javascript:" not in [each for each in text.split('"') if each.startswith("javascript:")]
    no_tree = await served.client.get(f"/api/sessions/{session}/reports/bundle.json", params={"prose": "tree"})
    assert no_tree.status_code == 404


async def test_the_bundle_is_whole_and_checks(served: Served, session: str, tmp_path: Path) -> None:
    answer = await served.client.get(f"/api/sessions/{session}/bundle")
    assert answer.headers["content-disposition"] == f'attachment; filename="{session}.bundle.json"'
    file = tmp_path / "saved.json"
    file.write_bytes(answer.content)
    assert check(file) == []


async def test_a_seal_holds_until_somebody_touches_the_store(served: Served, session: str) -> None:
    found = await served.get(f"/api/sessions/{session}/seal")
    assert (found["ok"], found["entries"], found["problems"]) == (True, 8, [])
    with sqlite3.connect(served.folder / "store.db") as store:
        store.execute("UPDATE entry SET body = replace(body, 'vague', 'clear') WHERE seq = 3")
    found = await served.get(f"/api/sessions/{session}/seal")
    assert found["ok"] is False
    assert found["problems"][0]["place"] == "/entries/3"
    told = await served.get(f"/api/sessions/{session}")
    assert (told["damage"]["whole"], told["last"], told["verdict"], told["exit_code"]) == (3, 2, None, 70)
    assert told["damage"]["flaws"][0]["place"] == "entry 3"


async def test_a_damaged_session_is_read_up_to_the_damage_and_nothing_can_be_done_to_it(
    served: Served, session: str
) -> None:
    with sqlite3.connect(served.folder / "store.db") as store:
        store.execute("DELETE FROM entry WHERE seq = 5")
    at = f"/api/sessions/{session}"
    seal = await served.get(f"{at}/seal")  # which reads it anew, as a server that has just started does
    assert (seal["ok"], seal["problems"][0]["place"]) == (False, "/entries/5")
    entries = await served.get(f"{at}/entries")
    assert (entries["last"], [each["seq"] for each in entries["events"]]) == (4, [0, 1, 2, 3, 4])
    assert (await served.client.get(f"{at}/explanation")).text.startswith("DAMAGED, read-only: entry 5: it is missing")
    names = [each["name"] for each in await served.get(f"{at}/reports")]
    assert names
    assert "bundle.json" not in names
    report = await served.client.get(f"{at}/reports/{names[0]}")
    assert "DAMAGED, read-only: entry 5" in report.text
    stream = await served.client.get(f"{at}/events", params={"until": "conclusion"})
    assert stream.text.count("event: entry") == 5
    assert "event: problem" in stream.text
    assert await served.get(f"{at}/questions") == []
    for act, body in (("bundle", None), ("cancel", {}), ("conclude", {}), ("resume", {})):
        url = f"{at}/{act}"
        answer = await (served.client.get(url) if body is None else served.client.post(url, json=body))
        assert answer.status_code == 409, (act, answer.text)
        assert answer.json()["type"] == "urn:quorate:problem:damaged", act
        assert str(served.folder) not in answer.text


async def test_the_explanation_and_the_material_are_text(served: Served, session: str) -> None:
    answer = await served.client.get(f"/api/sessions/{session}/explanation")
    result = await api.load(served.host.workspace, served.host.journal, session)
    assert answer.text == api.explain(result)
    assert answer.headers["content-type"].startswith("text/plain")
    material = await served.client.get(f"/api/sessions/{session}/material/problem")
    assert material.text == PROBLEM
    assert "attachment" in material.headers["content-disposition"]
    assert (await served.client.get(f"/api/sessions/{session}/material/other")).status_code == 404


@pytest.mark.parametrize("prose", ["text", "tree"])
async def test_a_board_is_that_of_its_entry(served: Served, session: str, prose: str) -> None:
    last = await served.get(f"/api/sessions/{session}/board", params={"prose": prose})
    same = await served.get(f"/api/sessions/{session}/board", params={"prose": prose, "at": 7})
    assert last == same
    first = await served.get(f"/api/sessions/{session}/board", params={"prose": prose, "at": 0})
    assert first["seq"] == 0
    assert set(first["board"]) == {"findings", "topics", "artifacts", "conversation", "warnings"}
