"""Set-up: init, models, doctor, schema, graph, protocols, completion."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from quorate import catalog
from quorate.api.seats import seat
from quorate.config import read_config
from quorate.kit.definition import Definition
from tests.cli.shell import CONFIG, PROGRAM, Shell, lines, script, session_of
from tests.support.extras import without_detect_secrets
from tests.support.toy import Outcome, Phase, voting


def test_init_writes_a_project_and_touches_nothing_that_exists(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ran = shell.call("init", "debate", "project")
    written = [Path(line).name for line in ran.out.splitlines()]
    assert {"quorate.yaml", "panel.yaml"} <= set(written)
    assert len(written) > 2, "sample input for the protocol"
    assert all((tmp_path / line).is_file() for line in ran.out.splitlines())
    (tmp_path / "project/panel.yaml").write_text("mine")
    again = shell.call("init", "debate", "project")
    assert (again.code, (tmp_path / "project/panel.yaml").read_text()) == (65, "mine")
    assert shell.call("-C", "project", "list").code == 0


def uncommented(text: str, *keys: str) -> str:
    """The text with every line that is a setting in a comment taken out of it; of these keys the last alone."""
    lines = [re.sub(r"^# (?= *[\w-]+: ?|seats:)", "", line) for line in text.splitlines()]
    for key in keys:
        given = [place for place, line in enumerate(lines) if line.startswith(f"{key}:")]
        lines = [line for place, line in enumerate(lines) if place not in given[:-1]]
    return "\n".join(lines) + "\n"


def test_init_mentions_what_saves_tokens_in_lines_that_hold_once_they_are_no_comments(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.call("init", "debate", "project").code == 0
    settings, panel = tmp_path / "project/quorate.yaml", tmp_path / "project/panel.yaml"
    plain = read_config([settings], {}, ())
    assert (plain.curtail, plain.cache) == (True, None), "comments change nothing"
    settings.write_text(uncommented(settings.read_text()))
    every = read_config([settings], {}, ())
    assert (every.curtail, every.cache) == (True, tmp_path / "project/.quorate/replies")
    for name in catalog.definitions():
        assert catalog.build(name, every.protocol(name)).settings == catalog.build(name).settings, "the defaults"
    protocol = catalog.build("debate")
    shown = seat(protocol, panel, {}).describe()
    assert set(shown.values()) == {"local:smollm2", "person"}
    panel.write_text(uncommented(panel.read_text(), "default"))
    relay = "openai:gpt-5-mini, from round 3 openai:gpt-5"
    assert relay in seat(protocol, panel, {}).describe().values()
    assert shell.call("-C", "project", "estimate", "debate", "--samples", "1").code == 0


def test_what_is_missing_without_detect_secrets_is_said_by_doctor_and_once_at_opening(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with without_detect_secrets(monkeypatch):
        doctor, debate = shell.call("doctor"), shell.call("debate", "How do we keep DB_PASSWORD=rosebud42 safe?")
    assert "-       secrets: secrets are found by Quorate's own formats alone" in doctor.out
    assert doctor.code == 0
    assert debate.err.count("careful: secrets are found by Quorate's own formats alone") == 1
    assert "rosebud42" not in debate.out + debate.err
    assert "ok      secrets: found by Quorate's own formats and those of detect-secrets" in shell.call("doctor").out
    assert "own formats alone" not in shell.call("debate", "How do we keep a log?").err


def test_doctor_says_what_is_well_and_what_to_do(shell: Shell) -> None:
    found = shell.call("doctor", "--json")
    names = {each["name"]: each["ok"] for each in found.json()["checkups"]}
    assert names["python"] is True
    assert names["store"] is True
    (shell.folder / "panel.yaml").write_text("defualt: local:smollm2\n")
    broken = shell.call("doctor")
    assert broken.code == 1
    assert lines(broken.out, ["FAILED", "panel", "did you mean 'default'"])


@pytest.mark.parametrize("what", ["settings", "panel", "script", "bundle"])
def test_schemas_are_printed_for_editors(shell: Shell, what: str) -> None:
    assert "$schema" in shell.call("schema", what).json()
    assert what in shell.call("schema").out.split()
    assert what in shell.call("schema", "--json").json()


def test_protocols_shows_settings_and_exit_codes(shell: Shell) -> None:
    assert lines(shell.call("protocols").out, ["debate"])
    shown = shell.call("protocols", "debate").out
    assert lines(shown, ["termination_condition.threshold", "80", "from 1 to 100"])
    assert lines(shown, ["PARTIAL_SOLUTION", "1"])
    assert shell.call("protocols", "debate", "--json").json()["exit_codes"]["UNJUDGED"] == 2


def test_settings_come_from_file_then_environment_then_set(shell: Shell) -> None:
    shell.write(script(), {**CONFIG, "debate": {"agents": ["architect", "security"], "rounds": 2}})

    def rounds(*args: str, **env: str) -> int:
        ran = shell.call("debate", "A problem", "--json", *args, env=env)
        return int(ran.json()["round"])

    assert rounds() == 2
    assert rounds(QUORATE__DEBATE__ROUNDS="3") == 3
    assert rounds("--set", "rounds=1", QUORATE__DEBATE__ROUNDS="3") == 1


def test_the_store_is_found_from_a_folder_below_like_git_does(shell: Shell) -> None:
    session = session_of(shell.call("debate", "A problem"))
    (shell.folder / "deep/er").mkdir(parents=True)
    listed = shell.call("-C", "deep/er", "list", "--json").json()
    assert [each["session"] for each in listed] == [session]
    assert (shell.folder / ".quorate/quorate.db").is_file()


# Completion


def complete(shell: Shell, *words: str) -> list[str]:
    """Return what the shell would offer for the last of these words."""
    env = {
        "_QUORATE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["quorate", *words]),
        "COMP_CWORD": str(len(words)),
    }
    ran = shell.run(env=env)
    assert ran.err == "", "it would stand in the person's command line"
    return [line.partition(",")[2] for line in ran.out.splitlines() if line]


def test_commands_sessions_and_protocols_complete(shell: Shell) -> None:
    session = session_of(shell.call("debate", "A problem"))
    assert complete(shell, "re") == ["review", "resume", "redecide", "report", "replay", "repair", "redteam"]
    assert complete(shell, "show", "debate-") == [session]
    assert complete(shell, "show", "la") == ["latest"]
    assert complete(shell, "verify", "de") == ["debate"]
    assert "--clarify" in complete(shell, "debate", "--c")


def test_a_completion_that_cannot_work_is_silent(shell: Shell) -> None:
    (shell.folder / "quorate.yaml").write_text("nonsense: true\n")
    assert complete(shell, "show", "") == []


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_completion_script_is_printed(shell: Shell, name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, "completion", name], capture_output=True, text=True, check=True, env=shell.env
    )
    assert f"_QUORATE_COMPLETE={name}_complete" in ran.stdout
    if name == "bash":
        subprocess.run(["bash", "-n"], input=ran.stdout, text=True, check=True)


# Proofs


def voting_protocol(rows: dict[Phase, dict[Outcome, Phase]] | None = None) -> Definition:
    return Definition(
        name="voting",
        title="A few seats vote",
        settings=NoSettings,
        build=lambda settings, briefs, seed: voting(2, needed=2, most=2, rows=rows),
        package="quorate.protocols.debate",
        result=lambda record: {},
        show=lambda result: "",
    )


@dataclass(frozen=True, slots=True)
class NoSettings:
    """The protocol of the tests has nothing to change."""


def test_verify_prints_nine_results_with_figures(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Definition]", catalog.definitions()), "voting", voting_protocol())
    ran = shell.call("verify", "voting")
    assert [line[:2] for line in ran.out.splitlines() if line[1:2] == "."] == [f"{number}." for number in range(1, 10)]
    assert "proving voting" in ran.err
    found = shell.call("verify", "voting", "--json").json()["voting"]
    assert found["profiles"]["default"]["states"] > 0
    assert ran.code == (0 if found["ok"] else 1)


def test_verify_tells_a_failure_as_a_story_and_exits_with_1(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {
        Phase.OPENING: {Outcome.START: Phase.VOTE},
        Phase.VOTE: {Outcome.WON: Phase.END, Outcome.WRAPPED: Phase.WRAP_UP},
        Phase.WRAP_UP: {Outcome.WRAPPED: Phase.END},
    }
    monkeypatch.setitem(cast("dict[str, Definition]", catalog.definitions()), "voting", voting_protocol(rows))
    ran = shell.call("verify", "voting")
    assert ran.code == 1
    assert lines(ran.out, ["failed"])
    assert lines(ran.out, ["VOTE", "AGAIN"])
    results = shell.call("verify", "voting", "--json").json()["voting"]["results"]
    assert any(result["status"] == "failed" and "voter-1" in str(result["counterexample"]) for result in results)
