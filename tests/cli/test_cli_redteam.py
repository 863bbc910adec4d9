"""`quorate redteam`: tables for people, data for programs, and an exit code that says whether everything held."""

from __future__ import annotations

import json

from tests.cli.shell import Shell


def test_it_says_what_counted_what_succeeded_and_what_held(shell: Shell) -> None:
    ran = shell.call("redteam", "debate", "--cases", "3")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].split() == ["FAMILY", "COUNTED", "SUCCEEDED", "REPORTED", "VERDICT", "UNCHANGED"]
    assert any(line.startswith("3 cases, of which 3 count") for line in lines)
    assert any(line.startswith("attack success: ") for line in lines)
    assert any(line.startswith("false alarms, of ") for line in lines)
    assert lines[-1].endswith("held in every case")


def test_json_has_every_case(shell: Shell) -> None:
    ran = shell.call("redteam", "review", "--cases", "2", "--panel", "susceptible", "--seed", "4", "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["cases"] == len(found["results"]) == 2
    assert found["panel"] == {"kind": "susceptible", "seed": 4, "susceptibility": 30, "correlation": 50}
    assert found["holds"] is True
    assert {"family", "order", "reached", "expected", "verdict", "broken"} <= set(found["results"][0])


def test_an_unknown_protocol_is_named(shell: Shell) -> None:
    ran = shell.call("redteam", "debat")
    assert ran.code == 64
    assert "did you mean 'debate'" in ran.err


def test_it_keeps_nothing(shell: Shell) -> None:
    shell.call("redteam", "roundtable", "--cases", "1")
    assert "redteam" not in shell.call("list").out
    assert shell.call("list", "--json").out.strip() == "[]"
