"""The same server over every transport, with the SDK's own client: from what it offers to the evidence of a session."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from mcp.types import TextResourceContents

from quorate import api
from tests.cli.shell import script
from tests.mcp.assistant import Assistant, Project
from tests.mcp.test_mcp_sessions import PROBLEM, TOOLS

MODES = [pytest.param("legacy", marks=pytest.mark.slow), "auto"]
"""How client and server agree on a version: by the handshake, or by asking what the server offers."""


@pytest.mark.parametrize("mode", MODES)
async def test_a_whole_session(project: Project, mode: str, tmp_path: Path) -> None:
    project.shell.write(script(delay=0.6))
    async with replace(project, mode=mode).assistant() as assistant:
        client = assistant.client
        assert {each.name for each in (await client.list_tools()).tools} == TOOLS
        assert len((await client.list_prompts()).prompts) == 4
        given = {"interactive_clarifications": True}
        session = (await assistant.call("open_debate", problem=PROBLEM, settings=given))["session"]
        await _answer(assistant, session)
        told = await assistant.until(session, "verdict")
        assert (told["verdict"], told["exit_code"]) == ("SOLUTION", 0)
        _is_in_order(assistant.progress, told["last"])
        assert "append-only log" in (await assistant.call("report", session=session))["text"]
        assert "taken:" in (await assistant.call("explain", session=session))["text"]
        (bundle,) = (await client.read_resource(f"quorate://sessions/{session}/bundle.json")).contents
        assert isinstance(bundle, TextResourceContents)
        (tmp_path / "bundle.json").write_text(bundle.text)
        assert api.check(tmp_path / "bundle.json") == []
        prompt = await client.get_prompt("argue_a_decision", {"question": "Queue or table?"})
        assert "open_debate" in str(prompt.messages[0].content)
        other = (await assistant.call("open_debate", problem=PROBLEM, settings=given))["session"]
        await assistant.until(other, "waiting")
        assert (await assistant.call("cancel", session=other))["verdict"] == "ABORTED"


async def _answer(assistant: Assistant, session: str) -> None:
    await assistant.until(session, "waiting")
    (asked,) = (await assistant.call("questions", session=session))["questions"]
    answer = {"answers": {key: {"text": "About 200"} for key in asked["form"]["properties"]["answers"]["properties"]}}
    assert (await assistant.call("answer", session=session, ask=asked["ask"], answer=answer))["counted"] is True


def _is_in_order(progress: list[tuple[float, str | None]], last: int) -> None:
    numbers = [number for number, _ in progress]
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == last
    assert (progress[-1][1] or "").endswith("judge replied; verdict SOLUTION")


async def test_a_wait_that_is_given_up_ends_and_the_session_does_not(project: Project) -> None:
    project.shell.write(script(delay=0.4))
    async with project.assistant() as assistant:
        session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
        waiting = asyncio.create_task(assistant.call("wait", session=session, seconds=50))
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await assistant.until(session, "verdict"))["verdict"] == "SOLUTION"
