"""Logs: every line is JSON with the session's id, and none has a word of what was said."""

from __future__ import annotations

import json
import logging
from io import StringIO
from pathlib import Path
from typing import Any

from quorate import api
from quorate.watching.process import as_service
from tests.watching.watched_sessions import PROSE, at_work, opened, place


async def test_a_session_is_logged_in_lines_of_json(tmp_path: Path) -> None:
    stream = StringIO()
    workspace = place(tmp_path, {"logs": "json"}, every={"propose": {"absent": "refused"}})
    as_service(workspace.config.watch, stream)
    async with at_work(workspace) as journal:
        session = await opened(workspace, journal)
        await api.run(workspace, journal, session)
    lines: list[dict[str, Any]] = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert {line["session"] for line in lines} == {session}
    assert {line["protocol"] for line in lines} == {"debate"}
    assert all(line["timestamp"].endswith("Z") for line in lines)
    events = [line["event"] for line in lines]
    assert events[0] == "driven"
    assert events.count("asking") == events.count("answered") > 0
    assert "moved" in events
    assert events[-1] == "concluded"
    assert {line["level"] for line in lines if line.get("outcome") == "refused"} == {"warning"}
    assert not any(word in stream.getvalue() for word in PROSE)


def test_what_a_host_and_libraries_say_is_json_without_secrets(tmp_path: Path) -> None:
    stream = StringIO()
    workspace = place(tmp_path, {"logs": "json"})
    logs = as_service(workspace.config.watch, stream).logs
    assert logs is not None
    secret = "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    logs.say("debate-1", "is driven\nand forged")
    logs.say("debate-1", f"failed: the key {secret} is wrong")
    logs.say("", "the disk is full")
    logging.getLogger("some.library").warning("it broke with %s", secret)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["info", "error", "error", "warning"]
    assert "session" not in lines[2]
    assert lines[3]["logger"] == "some.library"
    assert secret not in stream.getvalue()
