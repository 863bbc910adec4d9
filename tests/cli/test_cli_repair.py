"""`quorate repair`, and what other commands say of a damaged session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Ran, Shell, script
from tests.support.damaging import FLIPPED, change, spoil_page

PROBLEM = "How should a small shop keep an audit log?"


@pytest.fixture
def damaged(tmp_path: Path) -> Shell:
    """A project with a debate that has its bundle, and a byte in the journal that has flipped since."""
    shell = Shell(tmp_path)
    shell.write(script())
    assert shell.call("debate", PROBLEM, "--out", "result").code == 0
    change(store_of(shell), FLIPPED)
    return shell


def store_of(shell: Shell) -> Path:
    return shell.folder / ".quorate" / "quorate.db"


def saved(shell: Shell) -> list[Path]:
    return list(store_of(shell).parent.glob("*.damaged-*"))


@pytest.mark.parametrize("command", ["show", "report", "explain"])
def test_commands_that_read_say_it_in_the_heading_and_by_their_exit_code(damaged: Shell, command: str) -> None:
    ran = damaged.call(command)
    assert ran.code == 70
    head = "\n".join(ran.out.splitlines()[:5])
    assert "DAMAGED, read-only: entry 3: its body was changed" in head
    assert "entries 0 to 2 of 7 hold" in head


def test_check_tells_a_session_of_the_store_to_the_entry(damaged: Shell) -> None:
    ran = damaged.call("check", "latest")
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "entry 3: its body was changed, or an entry before it was taken out",
        "entries 0 to 2 of 7 hold",
    ]
    found = damaged.call("check", "latest", "--json").json()
    assert (found["holds"], found["damage"]["whole"]) == (False, 3)
    assert "repair" in ran.err


@pytest.mark.parametrize("command", ["resume", "cancel", "conclude", "answer"])
def test_commands_that_write_refuse(damaged: Shell, command: str) -> None:
    before = store_of(damaged).read_bytes()
    ran = damaged.call(command, "latest")
    assert ran.code == 70
    assert "is damaged and can only be read: entry 3" in ran.err
    assert store_of(damaged).read_bytes() == before


def test_machines_get_no_half_of_a_session(damaged: Shell) -> None:
    ran = damaged.call("report", "--format", "json")
    assert (ran.code, ran.out) == (70, "")
    assert "needs the whole session" in ran.err
    told = damaged.call("show", "--json").json()
    assert (told["damage"]["whole"], told["verdict"], told["exit_code"]) == (3, None, 70)
    assert "resume" not in told


def test_repair_says_what_it_would_do_and_does_it_with_yes(damaged: Shell) -> None:
    before = store_of(damaged).read_bytes()
    ran = damaged.call("repair", "latest", "--from", "result/bundle.json")
    assert ran.code == 0
    assert "  replace entry 3" in ran.out.splitlines()
    assert "Nothing was changed" in ran.err
    assert (store_of(damaged).read_bytes(), saved(damaged)) == (before, [])
    ran = damaged.call("repair", "latest", "--from", "result/bundle.json", "--yes")
    assert ran.code == 0
    assert ran.out.splitlines()[-1].endswith(": holds")
    assert len(saved(damaged)) == 1
    assert _sound(damaged.call("check", "latest"))
    assert damaged.call("show").code == 0
    assert damaged.call("repair", "latest", "--from", "result/bundle.json", "--yes").out.endswith(
        "not damaged; there is nothing to repair\n"
    )


def _sound(ran: Ran) -> bool:
    return ran.code == 0 and ": holds (8 entries, head " in ran.out


def test_repair_as_json(damaged: Shell) -> None:
    told = damaged.call("repair", "latest", "--from", "result/bundle.json", "--json").json()
    assert (told["done"], told["replaced"], told["added"]) == (False, [3], [])
    told = damaged.call("repair", "latest", "--from", "result/bundle.json", "--json", "--yes").json()
    assert (told["done"], told["holds"], told["left"]) == (True, True, None)


def test_a_store_that_cannot_be_opened_is_still_read_and_repaired(damaged: Shell) -> None:
    data = store_of(damaged).read_bytes()
    store_of(damaged).write_bytes(data[: -4 * 512])
    assert damaged.call("list").code == 70
    ran = damaged.call("show")
    assert ran.code == 70
    assert "DAMAGED, read-only" in ran.out
    ran = damaged.call("repair", "latest", "--from", "result/bundle.json", "--yes")
    assert ran.code == 0, ran.err
    assert "make a new file" in ran.out
    assert _sound(damaged.call("check", "latest"))
    assert damaged.call("list").code == 0


def test_a_damaged_page_is_repaired_from_another_store(damaged: Shell) -> None:
    assert damaged.call("repair", "latest", "--from", "result/bundle.json", "--yes").code == 0
    (damaged.folder / "replica.db").write_bytes(store_of(damaged).read_bytes())
    spoil_page(store_of(damaged), b"Use one queue and a log.")
    assert damaged.call("check", "latest").code == 1
    assert damaged.call("repair", "latest", "--from", "sqlite:replica.db", "--yes").code == 0
    assert _sound(damaged.call("check", "latest"))


def test_what_holds_can_be_forked(damaged: Shell) -> None:
    """Where there is no source, one begins anew from the last entry that holds."""
    session = damaged.call("show", "--json").json()["session"]
    refused = damaged.call("fork", session, "--at", "3")
    assert refused.code == 64
    assert "0 to 2" in refused.err
    ran = damaged.call("fork", session, "--at", "2")
    assert ran.code == 0, ran.err
    assert _sound(damaged.call("check", "latest"))
    assert damaged.call("check", session).code == 1


def test_nothing_is_repaired_from_a_bundle_that_does_not_hold(damaged: Shell) -> None:
    bundle = damaged.folder / "result" / "bundle.json"
    bundle.write_text(bundle.read_text().replace("append-only", "append-never"))
    ran = damaged.call("repair", "latest", "--from", "result/bundle.json", "--yes")
    assert ran.code == 65
    assert "is not valid" in ran.err
    assert saved(damaged) == []


def test_a_name_that_is_neither_file_nor_session_is_told_as_that(damaged: Shell) -> None:
    ran = damaged.call("check", "nothing-here")
    assert ran.code == 64
    assert "there is no session 'nothing-here'" in ran.err
    assert damaged.call("check", "nothing.json").code == 65
