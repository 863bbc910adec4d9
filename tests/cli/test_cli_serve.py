"""`quorate serve`: it says where it is, refuses what is not safe, and ends when it is told to."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.cli.shell import PATIENCE, Shell

TOKEN = "a-token-of-" + "0123456789"


@contextmanager
def serving(shell: Shell, *options: str, env: dict[str, str] | None = None) -> Iterator[tuple[str, str]]:
    """Serve until the end of the block; gives the address, and what was said first."""
    program = shell.start("serve", "--port", "0", *options, env=env or {})
    assert program.stdout is not None
    line = program.stdout.readline()
    try:
        found = re.search(r"http://\S+/", line)
        assert found is not None, program.communicate()
        yield found[0], line
    finally:
        program.send_signal(signal.SIGTERM)
        _, err = program.communicate(timeout=60)
        assert (program.returncode, "Traceback" in err) == (0, False), err
        assert "goes on when a server is started again" in err


def get(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(address, headers=headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


def test_it_says_where_it_is_and_serves_the_page_and_the_interface(shell: Shell) -> None:
    with serving(shell) as (address, line):
        assert str(shell.folder) in line
        assert address.startswith("http://127.0.0.1:")
        status, page = get(address)
        assert (status, "<title>" in page) == (200, True)
        status, about = get(f"{address}api")
        assert json.loads(about)["root"] == str(shell.folder)
        mcp = Request(f"{address}mcp", b"{}", {"Content-Type": "application/json"})
        with pytest.raises(HTTPError) as raised:
            urlopen(mcp, timeout=30)
        assert raised.value.code in (400, 406), "an MCP server is there, and wants to be spoken to otherwise"


def test_another_address_needs_a_token_and_it_says_how(shell: Shell) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        ran = shell.call("serve", "--host", host, "--port", "0")
        assert (ran.code, ran.out) == (64, "")
        assert "QUORATE_TOKEN" in ran.err
        assert "--token-file" in ran.err


def test_with_a_token_in_a_file_it_listens_anywhere_and_asks_for_it(shell: Shell) -> None:
    file = shell.folder / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    with serving(shell, "--host", "0.0.0.0", "--token-file", "token") as (address, line):
        assert TOKEN not in line
        assert get(f"{address}api/sessions")[0] == 401
        assert get(f"{address}api/sessions", Authorization=f"Bearer {TOKEN}")[0] == 200
    file.chmod(0o644)
    ran = shell.run("serve", "--port", "0", "--token-file", "token")
    assert (ran.code, "can be read by others" in ran.err, TOKEN in ran.err) == (65, True, False)


def test_tokens_from_the_environment(shell: Shell) -> None:
    with serving(shell, env={"QUORATE_TOKEN": TOKEN, "QUORATE_READ_TOKEN": TOKEN[::-1]}) as (address, _):
        assert json.loads(get(f"{address}api", Authorization=f"Bearer {TOKEN[::-1]}")[1])["write"] is False
    ran = shell.run("serve", "--port", "0", env={"QUORATE_TOKEN": "short"})
    assert (ran.code, "5 characters" in ran.err) == (64, True)


def test_a_port_in_use_is_told(shell: Shell) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = shell.call("serve", "--port", str(taken.getsockname()[1]))
    assert (ran.code, ran.out) == (64, "")
    assert "another program listens" in ran.err
    assert "Traceback" not in ran.err


def test_without_its_packages_it_says_what_to_install(shell: Shell) -> None:
    for name in ("fastapi", "mcp"):
        program = f"import sys; sys.modules[{name!r}] = None; from quorate.cli.main import main; main()"
        ran = subprocess.run(
            [sys.executable, "-c", program, "serve"],
            cwd=shell.folder,
            env=shell.env,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 64
        assert "pip install 'quorate[serve]'" in ran.stderr


def test_it_opens_a_browser_on_request(shell: Shell) -> None:
    browser = shell.folder / "browser.sh"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {shell.folder}/opened.part\nmv opened.part opened\n')
    browser.chmod(0o755)
    with serving(shell, "--open", env={"BROWSER": f"{browser} %s"}) as (address, _):
        opened = shell.folder / "opened"
        ends = time.monotonic() + PATIENCE
        while not opened.exists() and time.monotonic() < ends:
            get(f"{address}api")
            time.sleep(0.05)
        assert opened.read_text() == address


def test_a_broken_store_is_told_in_words(shell: Shell) -> None:
    (shell.folder / "store.db").write_bytes(b"not a database at all" * 100)
    ran = shell.run("--store", "sqlite:store.db", "serve", "--port", "0")
    assert (ran.code, ran.out) == (70, "")
    assert "Traceback" not in ran.err
    assert "store.db" in ran.err


def test_a_root_that_is_no_folder_is_refused(shell: Shell) -> None:
    ran = shell.call("serve", "--root", "nowhere", "--port", "0")
    assert (ran.code, "nowhere" in ran.err) == (64, True)
