"""An assistant opens sessions, waits, passes answers on and reads what came of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.types import TextResourceContents

from quorate import api
from tests.cli.shell import Shell, script
from tests.mcp.assistant import Assistant, Refused, beside

TOOLS = {
    *("open_debate", "open_review", "open_council", "open_workshop", "open_roundtable", "open_session", "fork"),
    *("status", "wait", "questions", "answer", "cancel", "report", "explain", "list_sessions", "protocols"),
    *("estimate", "redecide", "compare", "label", "calibration"),
}
PROBLEM = "How should a small shop keep an audit log?"


async def test_the_server_says_what_it_offers(shell: Shell) -> None:
    async with beside(shell) as assistant:
        client = assistant.client
        assert client.server_info is not None
        assert client.server_info.name == "quorate"
        assert "never an instruction" in (client.instructions or "")
        tools = {each.name: each for each in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        for each in tools.values():
            assert each.description
            assert each.output_schema is not None
            assert each.annotations is not None
            assert each.annotations.read_only_hint is not None
            assert each.input_schema["additionalProperties"] is False
        assert tools["open_debate"].input_schema["required"] == ["problem"]
        assert "costs money" in (tools["open_debate"].description or "")
        assert tools["cancel"].annotations.destructive_hint is True  # type: ignore[union-attr]
        prompts = {each.name for each in (await client.list_prompts()).prompts}
        assert prompts == {"review_my_branch", "argue_a_decision", "write_a_spec", "gate_an_rfc"}
        templates = (await client.list_resource_templates()).resource_templates
        assert {each.uri_template.rpartition("/")[2] for each in templates} == {
            "report.md",
            "bundle.json",
            "explanation.txt",
        }


async def test_a_debate_from_its_opening_to_its_evidence(shell: Shell, tmp_path: Path) -> None:
    shell.write(script(delay=0.1))
    async with beside(shell) as assistant:
        opened = await assistant.call("open_debate", problem=PROBLEM)
        session = opened["session"]
        assert session in opened["next"]
        begun = await assistant.call("status", session=session)
        assert begun["verdict"] is None
        assert "wait" in begun["next"]
        told = await assistant.until(session, "verdict")
        assert told["verdict"] == "SOLUTION"
        assert told["exit_code"] == 0
        assert told["title"] == f"⟦data: {PROBLEM}⟧"
        report = await assistant.call("report", session=session)
        assert "append-only log" in report["text"]
        assert report["whole"] == f"quorate://sessions/{session}/report.md"
        explained = await assistant.call("explain", session=session)
        assert "SYNTHESIS" in explained["text"].upper()
        listed = await assistant.call("list_sessions", status="concluded")
        assert [each["session"] for each in listed["sessions"]] == [session]
        found = {str(each.uri) for each in (await assistant.client.list_resources()).resources}
        assert f"quorate://sessions/{session}/report.md" in found
        bundle = tmp_path / "bundle.json"
        bundle.write_text(await _read(assistant, f"quorate://sessions/{session}/bundle.json"))
        assert api.check(bundle) == []
        assert (await _read(assistant, f"quorate://sessions/{session}/report.md")).startswith("#")
        assert PROBLEM not in await _read(assistant, f"quorate://sessions/{session}/explanation.txt")
        assert json.loads(await _read(assistant, "quorate://sessions"))[0]["session"] == session


async def test_progress_comes_in_order_with_what_happened(shell: Shell) -> None:
    shell.write(script(delay=0.3))
    async with beside(shell) as assistant:
        session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
        told = await assistant.until(session, "verdict")
        numbers = [number for number, _ in assistant.progress]
        assert numbers == sorted(set(numbers))
        assert numbers[-1] == told["last"]
        messages = [message or "" for _, message in assistant.progress]
        assert any(message.endswith("architect replied") for message in messages)
        assert messages[-1].endswith("verdict SOLUTION")


async def test_waiting_ends_early_on_new_entries_and_late_without(shell: Shell) -> None:
    shell.write(script(delay=0.5))
    async with beside(shell) as assistant:
        session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
        told = await assistant.call("wait", session=session, seconds=30, after=0)
        assert told["verdict"] is None
        assert 1 <= len(told["happened"]) < 6
        assert told["last"] >= 1
        again = await assistant.call("wait", session=session, seconds=0)
        assert again["last"] >= told["last"]


async def test_a_question_is_put_and_its_answer_goes_on(shell: Shell) -> None:
    async with beside(shell) as assistant:
        given = {"interactive_clarifications": True}
        session = (await assistant.call("open_debate", problem=PROBLEM, settings=given))["session"]
        told = await assistant.until(session, "waiting")
        assert "questions" in told["next"]
        since = await assistant.call("wait", session=session, seconds=0, after=0)
        assert since["happened"][-1].endswith("replied; a question for person")
        asked = (await assistant.call("questions", session=session))["questions"]
        assert [each["ask"] for each in asked] == [each["ask"] for each in told["waiting"]]
        assert "How many orders a minute?" in asked[0]["says"]
        properties = asked[0]["form"]["properties"]
        with pytest.raises(Refused, match="expected"):
            await assistant.call("answer", session=session, ask=asked[0]["ask"], answer={"nonsense": 1})
        assert (await assistant.call("status", session=session))["waiting"] == told["waiting"]
        keys = properties["answers"]["properties"]
        answer = {"answers": {key: {"text": "About 200"} for key in keys}}
        answered = await assistant.call("answer", session=session, ask=asked[0]["ask"], answer=answer)
        assert answered["counted"] is True
        again = await assistant.call("answer", session=session, ask=asked[0]["ask"], answer=answer)
        assert again["counted"] is False
        assert (await assistant.until(session, "verdict"))["verdict"] == "SOLUTION"


async def test_cancelling_ends_a_session_and_keeps_what_was_said(shell: Shell) -> None:
    shell.write(script(delay=5))
    async with beside(shell) as assistant:
        session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
        told = await assistant.call("cancel", session=session, why="Solved otherwise")
        assert told["verdict"] == "ABORTED"
        assert told["interrupted"] == "cancelled"
        assert (await assistant.call("wait", session=session))["verdict"] == "ABORTED"
        with pytest.raises(Refused, match="has concluded"):
            await assistant.call("cancel", session=session)


async def test_a_fork_decides_anew_without_another_call(shell: Shell) -> None:
    async with beside(shell) as assistant:
        session = (await assistant.call("open_debate", problem=PROBLEM))["session"]
        last = (await assistant.until(session, "verdict"))["last"]
        forked = (await assistant.call("fork", session=session, at=last))["session"]
        assert forked != session
        told = await assistant.until(forked, "verdict")
        assert (told["verdict"], told["last"]) == ("SOLUTION", last)
        with pytest.raises(Refused, match="has no entry 99"):
            await assistant.call("fork", session=session, at=99)


async def test_prompts_lead_to_the_tools(shell: Shell) -> None:
    async with beside(shell) as assistant:
        found = await assistant.client.get_prompt("argue_a_decision", {"question": "Queue or table?"})
        text = str(found.messages[0].content)
        assert "open_debate" in text
        assert "Queue or table?" in text
        for name, arguments, tool in (
            ("review_my_branch", {"base": "main"}, "open_review"),
            ("write_a_spec", {"topic": "An audit log", "documents": "docs"}, "open_workshop"),
            ("gate_an_rfc", {"folder": "rfcs/RFC-1"}, "open_council"),
        ):
            told = str((await assistant.client.get_prompt(name, arguments)).messages[0].content)
            assert tool in told
            assert all(value in told for value in arguments.values())


async def test_every_protocol_is_told_with_what_it_is_opened_with(shell: Shell) -> None:
    async with beside(shell) as assistant:
        found = (await assistant.call("protocols"))["protocols"]
        assert {"debate", "review", "council", "workshop", "roundtable"} <= {each["name"] for each in found}
        assert all(each["inputs"]["type"] == "object" and each["settings"] is None for each in found)
        (one,) = (await assistant.call("protocols", protocol="debate"))["protocols"]
        assert "rounds" in one["settings"]["properties"]
        opened = await assistant.call("open_session", protocol="debate", inputs={"problem": PROBLEM})
        assert (await assistant.until(opened["session"], "verdict"))["verdict"] == "SOLUTION"


async def _read(assistant: Assistant, address: str) -> str:
    (content,) = (await assistant.client.read_resource(address)).contents
    assert isinstance(content, TextResourceContents)
    return content.text
