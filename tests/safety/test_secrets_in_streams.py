"""No secret that is planted reaches whoever watches a session while it runs: over HTTP, over MCP, in logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from quorate.watching.process import as_service, forget
from quorate.workspace import find_workspace
from tests.cli.shell import CONFIG, script
from tests.http.served import serving
from tests.mcp.assistant import Refused, beside
from tests.safety.planted_secrets import IN_ENVIRONMENT, IN_MATERIAL, IN_REPLIES, PEM, SPEAKS, Planted
from tests.safety.test_planted_secrets import found_in

PROBLEM = f"How should a shop keep its audit log? {SPEAKS}"
SAYS = f"I would take {IN_REPLIES} for\nthe gateway {IN_ENVIRONMENT} and this key:\n{PEM}and {IN_MATERIAL}."
"""What is spoken aloud; the script gives it out word by word, so that the key comes in pieces."""


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    """A project whose environment, problem and replies hold secrets, and whose seats speak while they answer."""
    monkeypatch.setenv("OPENAI_API_KEY", IN_ENVIRONMENT)
    shell = Planted(tmp_path)
    speaks: Any = {"reply": {"reasoning": f"It is simple. {SAYS}", "text": f"Use one queue. {SAYS}"}, "say": SAYS}
    shell.write(script(0.2, every={"propose": speaks}), {**CONFIG, "watch": {"logs": "json", "prose": True}})
    return shell


@contextmanager
def logged(shell: Planted) -> Iterator[StringIO]:
    """Write the log of this process into a text."""
    stream, watch = StringIO(), find_workspace(shell.folder, {}).config.watch
    as_service(watch, stream)
    try:
        yield stream
    finally:
        forget(watch)


def leaks_of(shell: Planted, log: StringIO, received: list[str]) -> list[str]:
    """Name every secret in what was received, in the log and in what the run has left."""
    leaks = [leak for number, text in enumerate(received) for leak in found_in(f"message {number}", text.encode())]
    leaks += found_in("the log", log.getvalue().encode())
    return leaks + [leak for name, data in shell.kept() for leak in found_in(name, data)]


async def test_events_over_http_hold_no_secret(shell: Planted) -> None:
    received: list[str] = []
    with logged(shell) as log:
        async with serving(find_workspace(shell.folder, {})) as served:
            body = {"protocol": "debate", "inputs": {"problem": PROBLEM}, "seed": 5, "start": False}
            session = (await served.post("/api/sessions", body, 201))["session"]
            url = f"/api/sessions/{session}/events"
            async with served.client.stream("GET", url, params={"until": "conclusion"}, timeout=60) as answer:
                texts = answer.aiter_text()
                heard = [await anext(texts)]  # whoever comes later may miss what is said first
                await served.post(f"/api/sessions/{session}/resume")
                received.append("".join([*heard, *[text async for text in texts]]))
            told = [json.loads(line[6:]) for line in received[0].splitlines() if line.startswith("data: ")]
            live: dict[str, str] = {}
            for each in (each for each in told if "text" in each and "ask" in each):
                live[each["ask"]] = live.get(each["ask"], "") + each["text"]
            received += live.values()
            for way in ("report?format=md", "report?format=html", "report?format=json", "explanation", "entries"):
                received.append((await served.client.get(f"/api/sessions/{session}/{way}")).text)
    assert [text for text in live.values() if text.startswith("I would take [masked secret] for\nthe gateway")]
    assert "[masked secret]" in received[0]
    assert leaks_of(shell, log, received) == []
    assert '"concluded"' in log.getvalue()


async def test_what_an_assistant_receives_over_mcp_holds_no_secret(shell: Planted) -> None:
    received: list[str] = []
    with logged(shell) as log:
        async with beside(shell) as assistant:
            session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
            received.append(json.dumps(await assistant.until(session, "verdict"), ensure_ascii=False))
            for tool in ("status", "report", "explain", "questions"):
                result = await assistant.client.call_tool(tool, {"session": session})
                received.append(result.model_dump_json())
            for tool in ("list_sessions", "protocols"):
                received.append((await assistant.client.call_tool(tool, {})).model_dump_json())
            for name in ("report.md", "bundle.json", "explanation.txt"):
                found = await assistant.client.read_resource(f"quorate://sessions/{session}/{name}")
                received += [each.text for each in found.contents if hasattr(each, "text")]
            received.append((await assistant.client.list_resources()).model_dump_json())
            with pytest.raises(Refused) as refused:
                await assistant.call("open_session", protocol=f"debate {SPEAKS}", inputs={"problem": SPEAKS})
            received.append(str(refused.value))
            received.append(repr(assistant.progress))
    assert assistant.progress
    assert sum("[masked secret" in text for text in received) >= 3
    assert leaks_of(shell, log, received) == []
