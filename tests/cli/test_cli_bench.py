"""`quorate bench`: tables for people, data for programs, files in a folder, and an exit code for a run cut short."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.lab.bench import recorded


def test_it_lists_what_there_is(shell: Shell) -> None:
    found = json.loads(shell.call("bench", "--json").out)
    assert found["tasks"][:2] == ["arithmetic", "knights"]
    assert {"single", "sc", "protocol", "debate"} <= set(found["methods"])
    assert "tasks: arithmetic, knights" in shell.call("bench").out


@pytest.mark.parametrize("command", ["decisions", "review", "import"])
def test_all_commands_have_a_help_with_examples(command: str, shell: Shell) -> None:
    ran = shell.call("bench", command, "--help")
    assert ran.code == 0
    assert f"  quorate bench {command}" in ran.out


def test_decisions_are_measured_and_left_in_the_folder(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "measured"
    words = ("bench", "decisions", "--n", "3", "--methods", "single,reask", "--accuracy", "0.7", "--out", str(folder))
    ran = shell.call(*words)
    assert ran.code == 0
    assert ran.out.startswith("note: simulated seats of known accuracy")
    assert "METHOD  TASKS  RIGHT" in ran.out
    assert {each.name for each in folder.iterdir()} >= {
        *("cells.jsonl", "sessions.db", "results.json", "report.md", "plot.svg")
    }
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert json.loads(shell.call(*words, "--json").out) == results
    assert {row["method"] for row in results["rows"]} == {"single", "reask"}


def test_reviews_are_measured_and_left_in_the_folder(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "reviewed"
    words = ("bench", "review", "--items", "2", "--methods", "plain,plain3", "--accuracy", "1", "--out", str(folder))
    ran = shell.call(*words)
    assert ran.code == 0
    assert ran.out.startswith("note: simulated seats of known accuracy")
    assert "METHOD  FAULTY  FOUND" in ran.out
    assert {each.name for each in folder.iterdir()} >= {"cells.jsonl", "sessions.db", "results.json", "report.md"}
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert json.loads(shell.call(*words, "--json").out) == results
    assert [row["strict"]["share"] for row in results["rows"]] == [1.0, 1.0]
    short = shell.call(*words[:-1], str(tmp_path / "short"), "--tokens", "1")
    assert short.code == 3
    assert "nothing was reviewed\n\nnot finished: the tokens of the run are spent" in short.out
    wrong = shell.call("bench", "review", "--methods", "plian", "--accuracy", "1", "--out", str(folder))
    assert (wrong.code, "did you mean 'plain'" in wrong.err) == (64, True)


def test_a_run_that_its_tokens_end_says_so(shell: Shell, tmp_path: Path) -> None:
    words = ("bench", "decisions", "--methods", "single", "--accuracy", "1", "--tokens", "9000")
    ran = shell.call(*words, "--out", str(tmp_path / "short"))
    assert ran.code == 3
    assert "not finished" in ran.out
    none = shell.call(*words[:-1], "1", "--out", str(tmp_path / "none"))
    assert none.code == 3
    assert "nothing was decided\n\nnot finished: the tokens of the run are spent" in none.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--accuracy", "2"), "a number from 0 to 1"),
        (("--accuracy", "half"), "a number from 0 to 1"),
        (("--accuracy", "1e999999999"), "a number from 0 to 1"),
        (("--accuracy", "1/0"), "a number from 0 to 1"),
        (("--correlation", "0.2"), "--accuracy beside it"),
        (("--accuracy", "0.5", "--model", "local:smollm2"), "no --panel and no --model"),
        (("--panel", "a.yaml", "--panel", "b.yaml"), "two panels are given"),
        (("--tasks", "sums"), "is 'sums'"),
        (("--methods", "sinlge", "--accuracy", "1"), "did you mean 'single'"),
        (("--methods", "single,review", "--accuracy", "1"), "review fits none of these tasks"),
    ],
)
def test_wrong_options_are_told(words: tuple[str, ...], says: str, shell: Shell, tmp_path: Path) -> None:
    ran = shell.call("bench", "decisions", *words, "--out", str(tmp_path / "out"))
    assert ran.code == 64
    assert says in ran.err


@pytest.mark.parametrize("format_", ["mallm", "dylan"])
def test_recorded_debates_are_decided_again(format_: str, shell: Shell, tmp_path: Path) -> None:
    getattr(recorded, format_)(tmp_path / "records.json")
    target = tmp_path / "ballots.jsonl"
    ran = shell.call("bench", "import", format_, str(tmp_path / "records.json"), "--out", str(target))
    assert ran.code == 0
    assert ran.out.startswith("40 items, 40 with a known truth, 3 voters")
    assert "error correlation phi" in ran.out
    assert "curtailed majority" in ran.out
    again = shell.call("bench", "import", "ballots", str(target), "--quorum", "1/3", "--json")
    rules = {(each["rule"], each["ballots"]) for each in json.loads(again.out)["rules"]}
    assert ("quorum 1/3", "first") in rules
    assert ("quorum 2/3", "first") not in rules


def test_a_file_of_another_format_is_refused(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "records.json").write_text("{}", encoding="utf-8")
    ran = shell.call("bench", "import", "mallm", str(tmp_path / "records.json"))
    assert ran.code == 65
    assert "records.json" in ran.err


def test_what_the_records_lack_is_said_first_and_a_table_tells_the_truth(shell: Shell, tmp_path: Path) -> None:
    file, table = tmp_path / "records.json", tmp_path / "questions.csv"
    recorded.completions(file, [[["It is (A)", None], ["(B)", "(A)"]], [["(C)", None], ["(C)", None]]])
    unknown = shell.call("bench", "import", "dylan", str(file))
    assert unknown.out.startswith("note: 2 questions have no truth: name the table of questions with --truth\n2 items")
    assert "RULE" not in unknown.out
    table.write_text("Which?,1,2,3,4,A\nAnd then?,1,2,3,4,C\n", encoding="utf-8")
    known = json.loads(shell.call("bench", "import", "dylan", str(file), "--truth", str(table), "--json").out)
    assert (known["labelled"], known["accuracy"], known["missing"]) == (2, 0.75, [])
    refused = shell.call("bench", "import", "mallm", str(file), "--truth", str(table))
    assert (refused.code, "which says what is true itself" in refused.err) == (64, True)


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_finished_and_the_same_command_goes_on(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "cut"
    words = ["bench", "decisions", "--n", "40", "--methods", "single,reask", "--accuracy", "0.7", "--out", str(folder)]
    heard = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"  # who runs the tests may ignore it
    )
    start = [sys.executable, "-c", f"{heard}; from quorate.cli.main import main; main()", *words]
    with subprocess.Popen(start, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, cwd=tmp_path, text=True) as run:
        cells = folder / "cells.jsonl"
        while run.poll() is None and (not cells.exists() or cells.read_bytes().count(b'"done"') < 3):
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=60)
    finished = cells.read_bytes().count(b'"done"')
    assert run.returncode == 130
    assert "run the same command to continue" in said
    assert 3 <= finished < 160
    assert shell.call(*words).code == 0
    assert cells.read_bytes().count(b'"done"') == 160
