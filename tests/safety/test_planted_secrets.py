"""No secret that comes in, by whatever way, is found in anything that a run of any protocol leaves or shows."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from quorate.workspace import find_workspace
from tests.http.served import serving
from tests.safety.planted_secrets import IN_REPLIES, PROTOCOLS, SECRETS, Planted

AFTERWARDS = (
    ("show",),
    ("show", "--json"),
    ("explain",),
    ("replay",),
    ("report", "--format", "md"),
    ("report", "--format", "json"),
    ("report", "--format", "yaml"),
    ("report", "--format", "html"),
    ("report", "--format", "sarif"),
    ("report", "--format", "junit"),
    ("report", "--format", "comment"),
    ("list", "--json"),
)


def found_in(name: str, data: bytes) -> list[str]:
    """Name every secret that something holds, be it written as it is or with JSON's escapes."""
    held = [each for each in SECRETS if each.encode() in data or json.dumps(each)[1:-1].encode() in data]
    return [f"{name} holds {each[:12]}…" for each in held]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_nothing_that_a_run_leaves_or_shows_holds_a_planted_secret(tmp_path: Path, protocol: str) -> None:
    shell = Planted(tmp_path)
    ran = PROTOCOLS[protocol](shell)
    assert ran.code in (0, 1, 2, 3, 4), ran.err
    session = json.loads(shell.call("list", "--json").out)[0]["session"]
    for name, *words in AFTERWARDS:
        shell.call(name, *([session] if name != "list" else []), *words)
    leaks = [leak for name, data in shell.kept() for leak in found_in(name, data)]
    leaks += [leak for number, text in enumerate(shell.said) for leak in found_in(f"output {number}", text.encode())]
    leaks += asyncio.run(_served(tmp_path, session))
    assert leaks == []
    assert b"[masked secret" in b"".join(data for _, data in shell.kept()), "nothing was masked: was it planted?"


async def _served(folder: Path, session: str) -> list[str]:
    """Ask everything of a session over HTTP that can be asked with its id alone."""
    leaks: list[str] = []
    async with serving(find_workspace(folder, {})) as served:
        about = (await served.client.get("/api/openapi.json")).json()
        asked = 0
        for path, methods in about["paths"].items():
            if "get" not in methods or path.count("{") > 1 or "events" in path:
                continue
            if "{" in path and "{session}" not in path and "{id}" not in path:
                continue
            answer = await served.client.get(path.replace("{session}", session).replace("{id}", session))
            asked += answer.status_code == 200
            leaks += found_in(f"GET {path}", answer.content)
        assert asked >= 5
        wrong = await served.client.post("/api/sessions", json={"protocol": IN_REPLIES, "inputs": {}})
        leaks += found_in("a problem", wrong.content)
    return leaks
