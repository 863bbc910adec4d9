"""An assistant asks what a session would cost, what other rules make of it, how two differ, and passes the truth on."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from quorate.safety.secrets import without_secrets
from tests.cli.shell import Shell
from tests.mcp.assistant import Assistant, Refused, beside

PROBLEM = "How should a small shop keep an audit log?"


async def concluded(assistant: Assistant, **more: Any) -> str:
    session = str((await assistant.call("open_debate", problem=PROBLEM, **more))["session"])
    await assistant.until(session, "verdict")
    return session


def inside(text: str) -> Any:
    """The JSON between the markers."""
    found = re.fullmatch(r"<<data [^\n]*>>\n(.*)\n<<end [^\n]*>>", text.strip(), re.DOTALL)
    assert found, text[:200]
    return json.loads(found[1])


async def test_an_estimate_spends_and_keeps_nothing(shell: Shell) -> None:
    async with beside(shell) as assistant:
        told = await assistant.call("estimate", protocol="debate", inputs={"problem": PROBLEM}, budget={"tokens": 9})
        ran = await asyncio.to_thread(shell.call, "estimate", "debate", PROBLEM, "--set", "budget.tokens=9", "--json")
        own = ran.json()
        assert told["worst"] == own["worst"]
        assert told["expected"] == own["expected"]
        assert told["budget"]["fits"] is False
        assert (await assistant.call("list_sessions"))["sessions"] == []
        assert (await assistant.call("estimate", protocol="debate", inputs=None))["expected"]["asks"] > 0
        for wrong, said in (
            ({"protocol": "debat"}, "debate"),
            ({"protocol": "debate", "settings": {"roundz": 2}}, r"settings\.roundz"),
            ({"protocol": "debate", "panel": "../panel.yaml"}, "outside of what requests may use"),
            ({"protocol": "debate", "samples": 5}, "there is no argument 'samples'"),
        ):
            with pytest.raises(Refused, match=said):
                await assistant.call("estimate", **wrong)


async def test_a_session_is_decided_anew_and_compared(shell: Shell) -> None:
    async with beside(shell) as assistant:
        one, other = await concluded(assistant), await concluded(assistant, settings={"rounds": 2})
        told = await assistant.call("redecide", session=one, settings={"rounds": 2})
        assert (told["session"], told["recorded"], told["same"]) == (one, "SOLUTION", False)
        assert inside(told["text"])["settings"] == {"rounds": [1, 2]}
        same = await assistant.call("redecide", session=one, settings={})
        assert (same["redecided"], same["same"], same["not_recorded"]) == ("SOLUTION", True, 0)
        compared = await assistant.call("compare", sessions=[one, other])
        assert compared["verdicts"] == {one: "SOLUTION", other: "SOLUTION"}
        assert "settings.rounds" in inside(compared["text"])["differences"][0]["began"]
        (shell.folder / "mine.json").write_text("{}")
        for names, said in (
            ([one], "at least 2"),
            ([one, "mine.json"], "no session"),
            ([one, "./mine.json"], "no ses"),
        ):
            with pytest.raises(Refused, match=said):
                await assistant.call("compare", sessions=names)
        with pytest.raises(Refused, match=r"settings\.rounds"):
            await assistant.call("redecide", session=one, settings={"rounds": "many"})


async def test_the_truth_is_passed_on_and_told_from_then_on(shell: Shell) -> None:
    async with beside(shell) as assistant:
        session = await concluded(assistant)
        bundle = (await assistant.call("report", session=session, format="json"))["text"]
        with pytest.raises(Refused, match=r"truth: is 'rigth'.*did you mean 'right'"):
            await assistant.call("label", session=session, truth="rigth")
        secret = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
        told = await assistant.call("label", session="latest", truth="wrong", note=f"The key {secret} leaked.")
        assert told == {"session": session, "verdict": "SOLUTION", "truth": "wrong", "finding": "", "before": []}
        assert (await assistant.call("label", session=session, truth="right"))["before"] == ["wrong"]
        found = await assistant.call("calibration", protocol="debate")
        assert found["sessions"] == 1
        assert inside(found["text"])["verdicts"][0]["right"] == 1
        kept = (shell.folder / ".quorate" / "labels.jsonl").read_text()
        assert secret not in kept
        assert without_secrets(kept) == kept
        after = (await assistant.call("report", session=session, format="json"))["text"]
        drawn = re.compile(r"<<(data|end) .*>>")
        assert drawn.sub("", after) == drawn.sub("", bundle), "no label changes what is sealed"
        with pytest.raises(Refused, match="model: no labelled session"):
            await assistant.call("calibration", model="gpt")
