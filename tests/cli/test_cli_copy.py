"""`quorate copy`, and the command line on a PostgreSQL server."""

from __future__ import annotations

import json

import pytest

from tests.cli.shell import Shell, lines, session_of
from tests.support.postgres import ON_POSTGRES, Postgres, shared_postgres

postgres = pytest.fixture(scope="session")(shared_postgres)
PROBLEM = "Where should a shop keep its audit log?"


def debated(shell: Shell, *more: str) -> str:
    ran = shell.call("debate", PROBLEM, *more)
    assert ran.code == 0, ran.err
    return session_of(ran)


def test_sessions_are_copied_once(shell: Shell) -> None:
    first, second = debated(shell), debated(shell)
    ran = shell.call("copy", first, "--to", "sqlite:other.db")
    assert (ran.code, ran.out) == (0, "1 session: 1 copied\n")
    assert lines(ran.err, [f"1/1 {first} copied, 8 entries"])
    ran = shell.call("copy", "--all", "--to", "sqlite:other.db", "--json")
    assert [(each["session"], each["outcome"]) for each in ran.json()] == [(first, "equal"), (second, "copied")]
    heads = [shell.call("replay", first, *at).out for at in ((), ("--store", "sqlite:other.db"))]
    assert heads[0] == heads[1]
    assert shell.call("report", second, "--store", "sqlite:other.db").code == 0
    back = shell.call("copy", "latest", "latest", "--from", "sqlite:other.db", "--to", "sqlite:third.db")
    assert (back.code, back.out) == (0, "1 session: 1 copied\n")


def test_what_is_refused_has_an_exit_code(shell: Shell) -> None:
    session = debated(shell)
    shell.call("fork", session, "--at", "0", "--no-run")
    fork = json.loads(shell.call("list", "--json").out)[0]["session"]
    assert shell.call("copy", fork, "--to", "sqlite:other.db").code == 0
    assert shell.call("cancel", fork).code == 0
    assert shell.call("cancel", fork, "--store", "sqlite:other.db").code == 0
    ran = shell.call("copy", fork, session, "--to", "sqlite:other.db")
    assert (ran.code, ran.out) == (1, "2 sessions: 1 refused, 1 copied\n")
    assert lines(ran.err, [f"{fork} refused", "differs from entry 1 on"])


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("--to", "sqlite:other.db"), 64, "Name sessions, or give --all."),
        (("latest", "--all", "--to", "sqlite:other.db"), 64, "Name sessions or give --all, not both."),
        (("latest", "--to", "memory:"), 64, "--to: is lost when this command ends"),
        (("latest", "--to", "sqlit:x"), 64, "--to: is 'sqlit:x'"),
        (
            ("--all", "--from", "sqlite:backpu.db", "--to", "sqlite:other.db"),
            64,
            "--from: sqlite:backpu.db does not exist",
        ),
        (("latest",), 64, "Missing option '--to'"),
        (("nobody", "--to", "sqlite:other.db"), 64, "there is no session 'nobody'"),
        (("latest", "--to", "postgresql://me:pw@127.0.0.1:1/d"), 70, "postgresql://me@127.0.0.1:1/d cannot be reached"),
    ],
)
def test_what_cannot_be_copied(shell: Shell, args: tuple[str, ...], code: int, words: str) -> None:
    debated(shell)
    ran = shell.call("copy", *args)
    assert ran.code == code
    assert words in ran.err.replace("\n", " ")
    assert ran.out == ""
    assert not (shell.folder / "backpu.db").exists(), "looking for a store makes none"


def test_nothing_to_copy(shell: Shell) -> None:
    ran = shell.call("copy", "--all", "--to", "sqlite:other.db")
    assert (ran.code, ran.out) == (0, "There are no sessions to copy.\n")


@ON_POSTGRES
def test_the_command_line_on_a_server(shell: Shell, postgres: Postgres) -> None:
    at = ("--store", postgres.url())
    session = debated(shell, *at)
    assert session in shell.call("list", *at).out
    assert shell.call("list").out == "", "the project's own store has nothing of it"
    assert shell.call("report", session, "--format", "json", "-o", "bundle.json", *at).code == 0
    assert shell.call("check", "bundle.json").code == 0
    assert shell.call("fork", session, "--at", "3", *at).code == 0
    assert shell.call("copy", "--all", "--from", at[1], "--to", "sqlite:here.db").out == "2 sessions: 2 copied\n"
    assert shell.call("replay", session, "--store", "sqlite:here.db").out == shell.call("replay", session, *at).out
