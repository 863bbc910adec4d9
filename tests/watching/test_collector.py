"""The program and a collector: traces of separate processes are one, and a collector that is away stops nothing."""

from __future__ import annotations

import json
import socket
from pathlib import Path

from quorate.watching.telemetry import trace_id
from tests.cli.shell import CONFIG, SCRIPT, Shell, script, session_of
from tests.watching.receiver import receiving
from tests.watching.watched_sessions import PROSE

STORE = ("--store", "sqlite:s.db")


def test_the_processes_of_a_session_send_one_trace(tmp_path: Path) -> None:
    shell = Shell(tmp_path).write(script(), CONFIG)
    (tmp_path / "panel.yaml").write_text(json.dumps({"script": "script.yaml", "seats": {"judge": "person"}}))
    answer = json.dumps(SCRIPT["seats"]["judge"]["synthesize"])
    with receiving() as collector:
        env = {"QUORATE_WATCH_TRACES": collector.url, "QUORATE_WATCH_PUSH_METRICS": "true"}
        first = shell.run("debate", "The zebra's log", *STORE, "--json", env=env)
        session = str(first.json()["session"])
        before = len(collector.spans())
        (tmp_path / "answer.json").write_text(answer)
        answered = shell.run("answer", session, "--file", "answer.json", *STORE, env=env)
    assert first.code == 4, first
    assert answered.code == 0, answered
    spans = collector.spans()
    assert before > 0
    assert {int.from_bytes(span.trace_id) for span in spans} == {trace_id(session)}
    assert len({span.span_id for span in spans}) == len(spans)
    assert not any(word.encode() in collector.raw for word in PROSE)


def test_a_collector_that_is_away_is_said_once_and_changes_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path).write(script(), CONFIG)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        ran = shell.run("debate", "Where to keep logs?", *STORE, env={"QUORATE_WATCH_TRACES": url})
    assert ran.code == 0, ran
    assert ran.err.count("traces are lost") <= 1
    assert "Traceback" not in ran.err
    assert session_of(ran)


def test_the_variables_of_opentelemetry_are_enough(tmp_path: Path) -> None:
    shell = Shell(tmp_path).write(script(), CONFIG)
    with receiving() as collector:
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_SERVICE_NAME": "our-debates"}
        ran = shell.run("debate", "Where to keep logs?", *STORE, env=env)
        off = shell.run("debate", "Where else?", *STORE, env={**env, "OTEL_SDK_DISABLED": "true"})
    assert (ran.code, off.code) == (0, 0), (ran, off)
    assert {int.from_bytes(span.trace_id) for span in collector.spans()} == {trace_id(session_of(ran))}
    assert b"our-debates" in collector.raw
