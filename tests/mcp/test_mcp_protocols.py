"""Every protocol of ours is opened by its own tool, from what it is opened with to what it leaves."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from mcp.types import TextContent

from quorate import authoring as q
from quorate import catalog
from tests.cli.shell import Shell
from tests.mcp.assistant import Assistant, Refused, beside
from tests.support.reviewing import MENDED, PAY, TEST
from tests.support.reviewing import Project as Reviewed

EXAMPLES = Path(__file__).parents[2] / "examples"


async def _to_verdict(assistant: Assistant, session: str, answers: dict[str, Any]) -> dict[str, Any]:
    """Answer whatever is asked, by the brief, until there is a verdict."""
    for _ in range(40):
        told = await assistant.call("wait", session=session, seconds=20)
        if told["verdict"]:
            return told
        for asked in (await assistant.call("questions", session=session))["questions"]:
            await assistant.call("answer", session=session, ask=asked["ask"], answer=answers[asked["brief"]])
    raise AssertionError(f"{session} has no verdict: {told}")


async def test_a_review_of_a_branch(tmp_path: Path) -> None:
    project = Reviewed(tmp_path)
    project.write({"src/slug.py": MENDED, "tests/test_slug.py": TEST, "src/pay.py": PAY})
    project.commit()
    roots = (project.folder, project.beside)
    async with beside(Shell(project.folder), roots=roots) as assistant:
        panel = next(str(file) for file in project.beside.glob("*panel*"))
        opened = await assistant.call("open_review", base="main", panel=panel)
        assert opened["says"]
        assert all(line.startswith("⟦data: ") for line in opened["says"])
        told = await assistant.until(opened["session"], "verdict")
        assert (told["verdict"], told["exit_code"]) == ("REQUEST_CHANGES", 1)
        sarif = await assistant.call("report", session=opened["session"], format="sarif")
        assert "src/pay.py" in sarif["text"]
        with pytest.raises(Refused, match="there is no report format"):
            await assistant.call("report", session=opened["session"], format="docx")
        with pytest.raises(Refused, match=r"inputs\.commit|commit"):
            await assistant.call("open_review", commit="no-such-commit", panel=panel)


@pytest.fixture
def rfc(shell: Shell) -> str:
    """A folder with the RFC to start from."""
    assert shell.call("init", "council", "rfc").code == 0
    return "rfc"


async def test_a_council_on_an_rfc(shell: Shell, rfc: str) -> None:
    async with beside(shell, roots=(shell.folder, EXAMPLES)) as assistant:
        panel = str(EXAMPLES / "council-panel.yaml")
        session = (await assistant.call("open_council", rfc=rfc, panel=panel))["session"]
        told = await assistant.until(session, "verdict")
        assert told["protocol"] == "council"
        review = await assistant.call("report", session=session, format="rfc_review.yaml")
        assert "verdict:" in review["text"]


async def test_a_workshop_leaves_its_documents(shell: Shell) -> None:
    async with beside(shell, roots=(shell.folder, EXAMPLES)) as assistant:
        opened = await assistant.call(
            "open_workshop",
            topic="An audit log for a small online shop",
            agenda=str(EXAMPLES / "agenda.yaml"),
            documents="docs",
            settings={"participants": ["product-manager", "qa-lead", "security-champion"]},
            panel=str(EXAMPLES / "workshop-panel.yaml"),
        )
        answers = {"escalate": {"choice": "accept"}}
        told = await _to_verdict(assistant, opened["session"], answers)
        assert told["protocol"] == "workshop"
        assert list((shell.folder / "docs").glob("*.md"))


async def test_a_roundtable_is_asked_and_answered(shell: Shell) -> None:
    docs = shell.folder / "docs"
    docs.mkdir()
    (docs / "requirements.md").write_text("# Search\n\nShoppers find things.\n")
    (docs / "meta.json").write_text(json.dumps({"source": "manual", "slug": "search"}))
    async with beside(shell, roots=(shell.folder, EXAMPLES)) as assistant:
        opened = await assistant.call(
            "open_roundtable", topic="Errors", docs="docs", panel=str(EXAMPLES / "roundtable-panel.yaml")
        )
        session = opened["session"]
        await assistant.until(session, "waiting")
        (asked,) = (await assistant.call("questions", session=session))["questions"]
        assert set(asked["form"]["properties"]["choice"]["enum"]) == set(asked["choices"])
        assert "text" not in asked["form"]["required"]
        with pytest.raises(Refused, match="needs a `text`"):
            await assistant.call("answer", session=session, ask=asked["ask"], answer={"choice": "text"})
        await assistant.call("answer", session=session, ask=asked["ask"], answer={"choice": "continue"})
        assert (await assistant.until(session, "verdict"))["verdict"]


async def test_a_session_that_cannot_be_driven_says_why(shell: Shell) -> None:
    async with beside(shell) as assistant:
        session = (await assistant.call("open_debate", problem="x"))["session"]
        await assistant.until(session, "verdict")
        given = {"interactive_clarifications": True}
        session = (await assistant.call("open_debate", problem="y", settings=given))["session"]
        await assistant.until(session, "waiting")
        kept = (shell.folder / "script.yaml").read_text()
        (shell.folder / "script.yaml").unlink()
        (asked,) = (await assistant.call("questions", session=session))["questions"]
        await assistant.call("answer", session=session, ask=asked["ask"], decline=True)
        told = await assistant.call("wait", session=session, seconds=30)
        assert told["verdict"] is None
        assert "It does not go on" in told["next"]
        assert "script.yaml" in told["next"]
        (shell.folder / "script.yaml").write_text(kept)
        assert (await assistant.until(session, "verdict"))["verdict"] == "SOLUTION"


async def test_a_protocol_of_somebody_else_offers_its_own_prompts(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    hire = q.Shortcut(
        "hire_somebody",
        "Hire somebody",
        "A panel decides on a candidate.",
        (q.Input("name", "Who it is.", q.Kind.LINE, required=True), q.Input("why", "The post.", q.Kind.TEXT)),
        lambda given: (f"Have {given['name']} judged{given['why']}: call `open_hiring`.",),
        after="Tell nobody else.",
    )
    made = q.define("hiring", "A panel", catalog.definition("debate").build, package="tests", tool="Hire.")
    monkeypatch.setitem(cast("Any", catalog.definitions()), "hiring", replace(made, shortcuts=(hire,)))
    async with beside(shell) as assistant:
        (found,) = (each for each in (await assistant.client.list_prompts()).prompts if each.name == "hire_somebody")
        assert (found.title, found.description) == ("Hire somebody", "A panel decides on a candidate.")
        assert [(each.name, each.description, each.required) for each in found.arguments or ()] == [
            ("name", "Who it is.", True),
            ("why", "The post.", False),
        ]
        told = await assistant.client.get_prompt("hire_somebody", {"name": "Ann"})
        (message,) = told.messages
        assert isinstance(message.content, TextContent)
        first, afterwards, last = message.content.text.split("\n\n")
        assert (first, last) == ("Have Ann judged: call `open_hiring`.", "Tell nobody else.")
        assert afterwards.startswith("Then call `wait` until there is a verdict.")
        assert "open_hiring" in (assistant.client.instructions or "")
