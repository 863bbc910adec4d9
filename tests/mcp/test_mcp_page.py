"""The page on MCP is true: its entries are entries, and it names every tool and prompt that there is."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from click.testing import CliRunner

from quorate.cli.main import cli
from tests.cli.shell import Shell
from tests.docs.book import ROOT, blocks
from tests.mcp.assistant import beside

PAGE = ROOT / "docs" / "how-to" / "mcp.md"


def test_every_entry_can_be_read_and_its_command_exists() -> None:
    entries = [json.loads(block.body) for block in blocks(PAGE) if block.language == "json" and not block.title]
    tables = [tomllib.loads(block.body) for block in blocks(PAGE) if block.language == "toml"]
    servers = [each["mcpServers"]["quorate"] for each in entries]
    servers += [each["mcp_servers"]["quorate"] for each in tables]
    started = [each for each in servers if "command" in each]
    assert len(started) == 2
    for each in started:
        assert each["command"] == "quorate"
        words = [str(Path.cwd()) if word.startswith("/") else word for word in each["args"]]
        assert CliRunner().invoke(cli, [*words, "--help"]).exit_code == 0
    (reached,) = (each["url"] for each in servers if "url" in each)
    assert reached.endswith("/mcp")


async def test_every_tool_and_prompt_is_named(shell: Shell) -> None:
    text = PAGE.read_text(encoding="utf-8")
    async with beside(shell) as assistant:
        tools = (await assistant.client.list_tools()).tools
        prompts = (await assistant.client.list_prompts()).prompts
    for each in (*tools, *prompts):
        assert f"`{each.name}`" in text, each.name
