"""`quorate worker` and `quorate workers`: real processes, and the words of people who get them wrong."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.shell import CONFIG, Shell, script, session_of
from tests.support.temporal import free_port, new_namespace, temporal_server

PATIENCE = 60
USAGE = 64
EXAMPLES = Path(__file__).parents[2] / "examples"
on_temporal = pytest.mark.xdist_group("temporal")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path).write(script())


def test_the_help_says_which_is_for_one_machine(shell: Shell) -> None:
    ran = shell.call("worker", "--help")
    assert ran.code == 0
    assert "`quorate work`" in " ".join(ran.out.split())
    assert "quorate worker --temporal" in ran.out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("worker",), "temporal: is not set"),
        (("worker", "--temporal", "nowhere"), "HOST:PORT"),
        (("workers", "--temporal", "nowhere:0"), "HOST:PORT"),
        (("worker", "--temporal", "h:1", "--provider", "x=0"), "'x=0' is not PROVIDER=NUMBER"),
        (("worker", "--temporal", "h:1", "--rate", "x"), "'x' is not PROVIDER=NUMBER"),
        (("worker", "--temporal", "h:1", "--provider", "antropic=8"), "--provider: 'antropic' is not known"),
        (("worker", "--temporal", "h:1", "--rate", "opnai=2"), "did you mean 'openai'"),
        (("worker", "--temporal", "h:1", "--limit", "openai=0"), "'openai=0' is not PROVIDER=NUMBER"),
        (("worker", "--temporal", "h:1", "--limit", "opnai=2"), "did you mean 'openai'"),
        (("--store", "memory:", "worker", "--temporal", "h:1"), "store: is in the memory of this process"),
    ],
)
def test_what_is_wrong_is_said(shell: Shell, args: tuple[str, ...], says: str) -> None:
    ran = shell.call(*args)
    assert ran.code == USAGE, ran.err
    assert says in ran.err


@pytest.mark.slow
def test_a_server_that_is_not_there_is_named(shell: Shell) -> None:
    port = free_port()
    ran = shell.run("workers", "--temporal", f"127.0.0.1:{port}")
    assert ran.code != 0
    assert f"the Temporal server at 127.0.0.1:{port} cannot be reached" in ran.err


def begun(worker: subprocess.Popen[str]) -> str:
    """Wait until a worker works, and return what it has said: without one a command gives up after a while."""
    assert worker.stderr is not None
    said = ""
    while "works for" not in said:
        said += (line := worker.stderr.readline())
        assert line, said
    return said


@on_temporal
@pytest.mark.slow
def test_a_debate_by_a_worker_and_who_works_there(shell: Shell) -> None:
    temporal = new_namespace(temporal_server())
    words = ("worker", "--temporal", temporal, "--provider", "script", "--heartbeat", "3", "--metrics", "0")
    worker = shell.start(*words)
    try:
        assert temporal in begun(worker)
        ran = shell.run("--temporal", temporal, "debate", "How are orders stored?", "--json")
        assert ran.code == 0, ran.err
        assert ran.json()["verdict"] == "SOLUTION"
        assert ran.json()["session"] == session_of(ran)
        found = shell.run("--temporal", temporal, "workers", "--json")
        assert found.code == 0, found.err
        queues = {each["queue"]: each["workers"] for each in found.json()["queues"]}
        (debates,) = (name for name in queues if name.startswith("quorate-debate-"))
        assert any(each.startswith(f"{worker.pid}@") for each in queues[debates])
        assert any(each.startswith(f"{worker.pid}@") for each in queues["quorate-ask-script"])
        assert queues["quorate-ask-openai"] == []
        ends = time.monotonic() + PATIENCE
        shown = shell.run("workers", env={"QUORATE_TEMPORAL": temporal})
        while "0 sessions running" not in shown.out and time.monotonic() < ends:  # the list of the server lags behind
            shown = shell.run("workers", env={"QUORATE_TEMPORAL": temporal})
        assert "1 worker at" in shown.out
        assert "0 sessions running" in shown.out
    finally:
        worker.send_signal(signal.SIGINT)
        _, rest = worker.communicate(timeout=PATIENCE)
    assert "ending" in rest


ROLES = "product-manager,qa-lead,security-champion"
COMMANDS = {
    "review": ("review", "--diff", "change.diff"),
    "council": ("council", "rfc/documents/rfcs/RFC-0042"),
    "workshop": ("workshop", "agenda.yaml", "An audit log", "--participants", ROLES, "--no-input"),
}


@on_temporal
@pytest.mark.slow
def test_protocols_with_checks_end_as_they_do_alone(tmp_path: Path) -> None:
    temporal = new_namespace(temporal_server())
    shutil.copytree(EXAMPLES, tmp_path, dirs_exist_ok=True)
    shell = Shell(tmp_path)
    worker = shell.start("--store", "sqlite:there.db", "worker", "--temporal", temporal, stdout=subprocess.DEVNULL)
    try:
        begun(worker)
        for name, words in COMMANDS.items():
            command = (*words, "--panel", f"{name}-panel.yaml", "--seed", "7", "--json")
            there = shell.run("--temporal", temporal, "--store", "sqlite:there.db", *command)
            alone = shell.run("--store", "sqlite:alone.db", *command)
            assert (there.code, bool(alone.out)) == (alone.code, True), there.err + alone.err
            assert bool(alone.json()["verdict"]) is (name != "workshop"), "a workshop waits for its decision"
            assert len(there.json()["waiting"]) == len(alone.json()["waiting"])
            for told in ("verdict", "degradation", "absences", "interrupted"):
                assert there.json()[told] == alone.json()[told]
    finally:
        worker.terminate()
        worker.communicate(timeout=PATIENCE)


@on_temporal
@pytest.mark.slow
def test_what_nobody_can_drive_is_said(shell: Shell) -> None:
    temporal = new_namespace(temporal_server())
    shell.write(script(), {**CONFIG, "temporal": temporal})
    debate = shell.start("debate", "How are orders stored?")
    try:
        ends = time.monotonic() + PATIENCE
        found = shell.run("workers", "--json")
        while not found.json()["running"]:
            assert time.monotonic() < ends
            found = shell.run("workers", "--json")
        assert found.code == 1
        assert [each["session"] for each in found.json()["undriven"]] == [
            each["session"] for each in found.json()["running"]
        ]
        assert "no worker can drive debate-" in shell.run("workers").err
        _, err = debate.communicate(timeout=PATIENCE)
        assert debate.returncode not in (0, None)
        assert "no worker has the rules of session" in err
        assert "quorate resume" in err
    finally:
        debate.kill()
        debate.wait()
    assert json.loads(shell.run("list", "--json").out)
