"""Outside a project sessions go into the user's own store, which is said, and `latest` is one of this folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.shell import CONFIG, Shell, script

SAID = "no project here: using your own store"


@pytest.fixture
def own(tmp_path: Path) -> Shell:
    """A shell in a folder without a project; what it is called with stands in the user's own settings."""
    home = Shell(tmp_path).write(script())
    folder = tmp_path / "quorate"
    folder.mkdir()
    for name in ("quorate.yaml", "panel.yaml", "script.yaml"):
        (tmp_path / name).rename(folder / name)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    assert json.loads((folder / "quorate.yaml").read_text()) == CONFIG
    return home


def test_it_is_said_once_and_beside_the_result(own: Shell) -> None:
    ran = own.call("-C", "one", "debate", "How to queue?", "--json")
    assert ran.code == 0, ran.err
    assert ran.json()["verdict"] == "SOLUTION"
    store = own.folder / "quorate" / "quorate.db"
    assert ran.err.count(SAID) == 1
    assert f"{SAID} {store}; `quorate init` makes one for this folder" in ran.err
    listed = own.call("-C", "one", "list", "--json")
    assert (len(listed.json()), listed.err.count(SAID)) == (1, 1)
    shown = own.call("-C", "one", "show", "latest")
    assert (shown.code, shown.err.count(SAID)) == (0, 1)


def test_the_latest_is_the_latest_of_this_folder(own: Shell) -> None:
    first = own.call("-C", "one", "debate", "In one?", "--json").json()["session"]
    second = own.call("-C", "two", "debate", "In two?", "--json").json()["session"]
    for folder, session in (("one", first), ("two", second)):
        assert own.call("-C", folder, "show", "latest", "--json").json()["session"] == session
    ran = own.call("show", "latest")
    assert ran.code == 64
    assert "none of the sessions in your own store was opened from this folder" in ran.err
    assert f"the newest is {second}" in ran.err
    assert own.call("show", first, "--json").json()["session"] == first
    fork = own.call("-C", "two", "fork", first, "--at", "3", "--json").json()["session"]
    assert own.call("-C", "two", "show", "latest", "--json").json()["session"] == fork
    assert own.call("-C", "one", "show", "latest", "--json").json()["session"] == first


def test_no_evidence_tells_which_folder_it_was(own: Shell) -> None:
    own.call("-C", "one", "debate", "In one?")
    for format_ in ("json", "yaml", "md", "html"):
        ran = own.call("-C", "one", "report", "latest", "--format", format_)
        assert (ran.code, str(own.folder / "one") in ran.out) == (0, False), format_


def test_a_store_that_is_named_is_used_without_a_word(own: Shell) -> None:
    store = f"sqlite:{own.folder / 'named.db'}"
    ran = own.call("-C", "one", "--store", store, "debate", "How to queue?", "--json")
    assert (ran.code, SAID in ran.err) == (0, False)
    for words, env in ((("--store", store), {}), ((), {"QUORATE_STORE": store})):
        shown = own.call("-C", "two", *words, "show", "latest", "--json", env=env)
        assert shown.json()["session"] == ran.json()["session"], "in a store that is named, the latest of all"
        assert SAID not in shown.err
    project = own.call("-C", "two", "init")
    assert project.code == 0
    assert SAID not in own.call("-C", "two", "list").err


def test_what_needs_no_store_says_nothing_and_neither_does_completion(own: Shell) -> None:
    own.call("-C", "one", "debate", "How to queue?")
    assert SAID not in own.call("-C", "one", "protocols").err
    words = {"_QUORATE_COMPLETE": "bash_complete", "COMP_WORDS": "quorate show ", "COMP_CWORD": "2"}
    offered = own.run(env=words)
    assert "latest" in offered.out
    assert offered.err == ""
