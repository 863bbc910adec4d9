"""`quorate run`: any protocol from the command line, somebody's own among them."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.elaborated import TOPIC, Elaborated
from tests.cli.shell import Shell, session_of
from tests.support.convened import Drafted
from tests.support.reviewing import Project

HIRING = Path(__file__).parents[2] / "examples" / "hiring"
ENTRY = "[quorate.protocols]\nhiring = hiring:DEFINITION\n"


@pytest.fixture
def hiring(tmp_path: Path) -> Shell:
    """The tutorial's package, installed as `pip` would install it."""
    shutil.copytree(HIRING, tmp_path, dirs_exist_ok=True)
    info = tmp_path / "hiring-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hiring\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(ENTRY)
    return Shell(tmp_path)


def at(shell: Shell) -> dict[str, str]:
    return {"PYTHONPATH": f"{shell.folder}:{':'.join(sys.path)}"}


def test_a_debate_runs_as_it_does_under_its_own_name(shell: Shell) -> None:
    ran = shell.call("run", "debate", "How should we store audit logs?", "--seed", "3", "--json")
    own = shell.call("debate", "How should we store audit logs?", "--seed", "3", "--json")
    assert (ran.code, own.code) == (0, 0)
    assert ran.json()["result"] == own.json()["result"]
    assert session_of(ran).startswith("debate-")


def test_the_text_may_come_from_a_file_from_stdin_or_by_name(shell: Shell) -> None:
    (shell.folder / "problem.md").write_text("# How should we store audit logs?\n")
    for words in (("-f", "problem.md"), ("--input", "problem=@problem.md"), ("--input", "problem=How?")):
        assert shell.call("run", "debate", *words, "--json").json()["verdict"] == "SOLUTION"
    assert shell.run("run", "debate", "-f", "-", "--json", stdin="How?").json()["title"] == "How?"


def test_settings_and_results_are_as_with_every_command(shell: Shell) -> None:
    ran = shell.call("run", "debate", "How?", "--set", "rounds=2", "--set", "budget.tokens=900000", "--out", "result")
    assert ran.code == 0, ran.err
    assert (shell.folder / "result" / "report.md").exists()
    bundle = json.loads((shell.folder / "result" / "bundle.json").read_text())
    assert bundle["protocol"]["settings"]["rounds"] == 2


def test_a_review_with_inputs_of_several_kinds(project: Project) -> None:
    project.change(**{"docs/note.md": "# Note\n"})
    shell = Shell(project.folder)
    ran = shell.call(
        *("run", "review", "--input", "base=main", "--input", "solo=yes", "--input", "paths=src,docs"),
        *("--panel", str(project.beside / "panel.yaml"), "--json"),
    )
    assert ran.code == 0, ran.err
    assert ran.json()["verdict"] == "APPROVED"
    assert "the committee: adjudicator" in ran.err


def test_a_council_on_a_folder(tmp_path: Path) -> None:
    Drafted(tmp_path)
    ran = Shell(tmp_path).call("run", "council", "--input", "rfc=rfc", "--panel", "panel.yaml", "--json")
    assert ran.code == 0, ran.err
    assert ran.json()["verdict"] == "APPROVED"


def test_a_roundtable_waits_for_its_person(tmp_path: Path) -> None:
    shell = Elaborated(tmp_path).prepare()
    ran = shell.call("run", "roundtable", TOPIC, "--input", "docs=specs", "--set", "step=01-03", "--no-input")
    assert ran.code == 4, ran.err
    assert "documents: requirements.md" in ran.err


def test_somebodys_own_protocol_runs_waits_and_goes_on(hiring: Shell) -> None:
    ran = hiring.run("run", "hiring", "-f", "notes.md", "--panel", "panel.yaml", "--no-input", env=at(hiring))
    assert ran.code == 4, ran.err
    session = session_of(ran)
    assert session.startswith("hiring-")
    assert "manager" in ran.err
    words = ("--set", "evidence=She listens when it counts.", "--set", "vote=yes", "--resume")
    ran = hiring.run("answer", session, *words, env=at(hiring))
    assert ran.code == 0, ran.err
    assert "HIRE" in ran.out
    told = hiring.run("explain", session, env=at(hiring)).out
    assert "H3" in told
    assert "H5" in told


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("debat", "How?"), "did you mean 'debate'?"),
        (("debate",), "--input problem: is missing"),
        (("debate", "How?", "-f", "x.md"), "either as a text or with -f"),
        (("debate", "How?", "--input", "problem=Who?"), "problem is given twice"),
        (("debate", "How?", "--input", "contxt=src"), "did you mean 'context'?"),
        (("debate", "How?", "--input", "context"), "has no value"),
        (("debate", "How?", "--input", "context=nowhere"), "--input context: 'nowhere' is not a folder"),
        (("debate", "How?", "--input", "rounds=2"), "--input rounds: is a setting"),
        (("debate", "How?", "--set", "ronds=2"), "did you mean 'rounds'?"),
        (("debate", "How?", "--panel", "nowhere.yaml"), "panel: 'nowhere.yaml' is not a file"),
        (("council", "An RFC"), "takes no text"),
        (("council", "--input", "rfc=nowhere"), "--input rfc: "),
        (("workshop", "A topic", "--input", "kind=spec"), "did you mean 'specs'?"),
        (("workshop", "A topic", "--input", "kind=specs", "--input", "merge=maybe"), "true or false"),
        (("debate", "--input", "problem=@nowhere.md"), "nowhere.md: cannot be read"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_what_is_wrong_is_told_as_it_stands_on_the_command_line(
    words: tuple[str, ...], says: str, shell: Shell
) -> None:
    ran = shell.call("run", *words, "--no-input")
    assert says in ran.err
    assert ran.code != 0
    assert "Traceback" not in ran.err
    assert shell.call("list", "--json").json() == []
