"""Whether a server lives, whether it is ready, and what it counts: who may ask, and what they are told."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from dataclasses import replace
from pathlib import Path

from quorate.http.access import Access
from quorate.watching.process import as_service, forget
from quorate.watching.readiness import FRESH
from quorate.workspace import Workspace
from tests.cli.shell import PROGRAM, as_at_a_terminal
from tests.http.served import READ_TOKEN, TOKEN, bearer, is_problem, project, serving

ACCESS = Access(TOKEN, READ_TOKEN)


def counting(workspace: Workspace) -> Workspace:
    """Return the workspace of a service that counts."""
    made = replace(workspace, config=replace(workspace.config, watch=replace(workspace.config.watch, metrics=True)))
    as_service(made.config.watch)
    return made


async def test_a_server_lives_and_is_ready(tmp_path: Path) -> None:
    async with serving(project(tmp_path)) as served:
        assert await served.get("/healthz") == {"alive": True}
        assert await served.get("/readyz") == {"ready": True, "checks": {"store": "ok", "host": "ok"}}
        is_problem(await served.client.get("/metrics"), 404)
        is_problem(await served.client.post("/healthz"), 405)


async def test_metrics_are_there_when_they_are_asked_for(tmp_path: Path) -> None:
    workspace = counting(project(tmp_path))
    try:
        async with serving(workspace) as served:
            await served.concluded(await served.open())
            answer = await served.client.get("/metrics")
    finally:
        forget(workspace.config.watch)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert (
        'quorate_sessions_concluded_total{degradation="none",protocol="debate",verdict="SOLUTION"} 1.0' in answer.text
    )


async def test_probes_need_no_token_and_are_told_no_reasons(tmp_path: Path) -> None:
    workspace = counting(project(tmp_path))
    try:
        async with serving(workspace, ACCESS) as served:
            assert await served.get("/healthz") == {"alive": True}
            assert await served.get("/readyz") == {"ready": True}
            assert "checks" in await served.get("/readyz", headers=bearer(READ_TOKEN))
            is_problem(await served.client.get("/metrics"), 401)
            assert (await served.client.get("/metrics", headers=bearer(READ_TOKEN))).status_code == 200
    finally:
        forget(workspace.config.watch)


async def test_a_server_without_its_store_is_alive_and_not_ready(tmp_path: Path) -> None:
    async with serving(project(tmp_path), ACCESS) as served:
        await served.host.journal.close()
        for file in tmp_path.glob("store.db*"):
            file.unlink()
        (tmp_path / "store.db").write_bytes(b"this is no database" * 1000)
        assert await served.get("/healthz") == {"alive": True}
        answer = await served.client.get("/readyz")
        told = await served.client.get("/readyz", headers=bearer(TOKEN))
    assert (answer.status_code, answer.json()) == (503, {"ready": False})
    assert told.status_code == 503
    assert told.json()["checks"]["store"] != "ok"


async def test_a_host_that_does_not_look_after_its_sessions_is_not_ready(tmp_path: Path) -> None:
    async with serving(project(tmp_path)) as served:
        assert served.host.minding
        minder = served.host._minder
        assert minder is not None
        minder.cancel()
        await asyncio.gather(minder, return_exceptions=True)
        assert not served.host.minding
        await asyncio.sleep(FRESH)
        answer = await served.client.get("/readyz")
    assert answer.status_code == 503
    assert "restart the server" in answer.json()["checks"]["host"]


def test_the_commands_answer_where_they_say(tmp_path: Path) -> None:
    """`serve --metrics` and `work --metrics 0`, as processes, with logs as JSON."""
    project(tmp_path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("QUORATE")}
    env = {**kept, "HOME": str(tmp_path), "QUORATE_WATCH_LOGS": "json", "PYTHONUNBUFFERED": "1"}
    store = f"sqlite:{tmp_path / 'store.db'}"
    commands: dict[str, tuple[str, ...]] = {
        "serve": ("--port", "0", "--metrics"),
        "work": ("--stay", "--metrics", "0"),
    }
    for name, options in commands.items():
        command = [sys.executable, "-c", PROGRAM, name, *options, "--store", store]
        program = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=as_at_a_terminal,
        )
        try:
            assert program.stdout is not None
            assert program.stderr is not None
            said = program.stdout.readline() if name == "serve" else json.loads(program.stderr.readline())["says"]
            port = re.findall(r"\d+", said.rpartition("port" if name == "work" else "127.0.0.1:")[2])[0]
            for path, word in (("healthz", "alive"), ("readyz", "ready"), ("metrics", "quorate_info")):
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=60) as answer:
                    assert word in answer.read().decode()
        finally:
            program.send_signal(signal.SIGINT)
            _, rest = program.communicate(timeout=60)
        for line in rest.splitlines():
            if name == "serve":
                assert json.loads(line)["event"] == "service", line
