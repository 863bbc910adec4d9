"""Which change `quorate review` takes, its options, and the checks alone."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from quorate.files.yaml import load
from tests.cli.shell import Shell, lines
from tests.protocols.review.command.reviewed import review
from tests.support.reviewing import MENDED, PAY, SECRET, TEST, Project

# Where the change comes from


def test_what_is_staged(project: Project) -> None:
    project.write({"src/slug.py": MENDED, "src/test_slug.py": TEST})
    project.git("add", "-A")
    project.write({"src/later.py": "not staged\n"})
    ran = review(project, "--staged")
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["what is staged on feature"])
    assert lines(ran.err, ["2 files under review"])


def test_one_commit(project: Project) -> None:
    wanted = project.change()
    project.write({"src/other.py": '"""Other."""\n'})
    project.commit()
    ran = review(project, "--commit", wanted)
    assert ran.code == 0, ran.err
    assert lines(ran.err, [f"commit {wanted[:10]}"])
    assert lines(ran.err, ["2 files under review"])


def test_a_diff_from_stdin_and_paths_narrow_it(project: Project) -> None:
    project.change()
    diff = project.git("diff", "main")
    panel = str(project.beside / "panel.yaml")
    ran = Shell(project.folder).run("review", "--diff", "-", "--panel", panel, stdin=diff + "\n")
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["a diff from standard input"])
    assert lines(ran.err, ["2 files under review"])
    narrow = Shell(project.folder).run("review", "--diff", "-", "--panel", panel, "src/slug.py", stdin=diff + "\n")
    assert lines(narrow.err, ["1 file under review"]), narrow.err


def test_a_diff_outside_of_any_repository(project: Project, tmp_path: Path) -> None:
    project.change()
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "change.diff").write_text(project.git("diff", "main") + "\n")
    ran = Shell(outside).call("review", "--diff", "change.diff", "--panel", str(project.beside / "panel.yaml"))
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["SKIP", "circular imports"])
    assert "ledger:" not in ran.err


def test_paths_alone_are_whole_files(project: Project) -> None:
    ran = review(project, "src")
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["src as it stands"])
    assert lines(ran.err, ["1 file under review, +3 -0"])


def test_a_base_that_does_not_exist_is_named_with_the_nearest(project: Project) -> None:
    project.change()
    ran = review(project, "--base", "mian")
    assert ran.code == 64
    assert "did you mean 'main'?" in ran.err


def test_outside_of_a_repository_it_says_so(tmp_path: Path, project: Project) -> None:
    (tmp_path / "plain").mkdir()
    ran = Shell(tmp_path / "plain").call("review", "--panel", str(project.beside / "panel.yaml"))
    assert ran.code == 65
    assert "is not in a git repository" in ran.err


def test_nothing_to_review_is_an_error_unless_it_is_allowed(project: Project) -> None:
    ran = review(project)
    assert ran.code == 65
    assert "has no changes that main lacks" in ran.err
    allowed = review(project, "--allow-empty", "--json")
    assert allowed.code == 0
    assert allowed.json()["verdict"] is None
    (project.folder / "logo.bin").write_bytes(b"\0\1\2")
    project.commit()
    binary = review(project)
    assert binary.code == 65
    assert "left out (binary)" in binary.err


# Options


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--staged", "--commit", "HEAD"), "--staged and --commit"),
        (("--solo", "--members", "design-hci"), "--solo and --members"),
        (("--comment", "--json"), "--comment and --json"),
        (("--checks-only", "--out", "x"), "--out cannot go with --checks-only"),
        (("--checks-only", "--no-ledger"), "--no-ledger cannot go with --checks-only"),
    ],
)
def test_options_that_contradict_each_other_are_refused(project: Project, words: tuple[str, ...], says: str) -> None:
    ran = Shell(project.folder).call("review", *words)
    assert ran.code == 64
    assert says in ran.err


def test_a_missing_file_is_named(project: Project) -> None:
    project.change()
    for option in ("--rules", "--claims"):
        ran = review(project, option, "nowhere.yaml")
        assert ran.code == 65
        assert "nowhere.yaml" in ran.err


def test_out_leaves_reports_findings_and_the_bundle(project: Project) -> None:
    project.change()
    assert review(project, "--out", "result").code == 0
    names = {path.name for path in (project.folder / "result").iterdir()}
    assert {"review-report.md", "fix-requests.md", "findings.sarif", "findings.junit.xml", "bundle.json"} <= names
    assert json.loads((project.folder / "result" / "findings.sarif").read_text())["version"] == "2.1.0"
    assert Shell(project.folder).call("check", "result/bundle.json").code == 0


def test_a_comment_takes_the_place_of_the_result(project: Project) -> None:
    project.change()
    ran = review(project, "--comment")
    assert ran.code == 0
    assert ran.out.startswith("<!-- quorate-review -->\n")
    assert "## Review: APPROVED" in ran.out
    assert "Verdict:" not in ran.out


# Checks alone


def test_checks_alone_need_no_model_and_leave_nothing(project: Project) -> None:
    project.change()
    ran = Shell(project.folder).call("review", "--checks-only")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == "result  nothing blocks"
    assert not (project.folder / ".quorate").exists()


def test_checks_alone_block_what_they_prove(project: Project) -> None:
    project.write({"src/pay.py": PAY})
    project.git("add", "-A")
    ran = Shell(project.folder).call("review", "--staged", "--checks-only")
    assert ran.code == 1
    assert ran.out.splitlines()[-1] == "result  1 finding blocks, 1 with a veto"
    assert SECRET not in ran.out + ran.err
    told = Shell(project.folder).call("review", "--staged", "--checks-only", "--json").json()
    worst = told["findings"][0]
    assert (worst["rule"], worst["path"], worst["line"]) == ("secrets/stripe", "src/pay.py", 3)
    assert worst["blocks"]
    assert told["exit_code"] == 1
    assert SECRET not in json.dumps(told)


def test_checks_alone_with_nothing_to_check_are_content(project: Project) -> None:
    ran = Shell(project.folder).call("review", "--staged", "--checks-only")
    assert ran.code == 0
    assert "nothing to review: nothing is staged" in ran.err


def test_the_pre_commit_hook_runs_what_it_names(project: Project) -> None:
    """The entry of the hook, run by git itself before a commit."""
    hook = load(Path(__file__).parents[4] / ".pre-commit-hooks.yaml").plain()[0]
    shell = Shell(project.folder)
    words = hook["entry"].split()
    assert words[0] == "quorate"
    script = project.folder / ".git" / "hooks" / "pre-commit"
    script.parent.mkdir(exist_ok=True)
    program = "from quorate.cli.main import main; main()"
    script.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c '{program}' {' '.join(words[1:])}\n")
    script.chmod(0o755)
    project.write({"src/pay.py": PAY})
    project.git("add", "-A")
    commit = ["git", "-c", "user.name=Ada", "-c", "user.email=a@b.c", "commit", "-q", "-m", "a key"]
    refused = subprocess.run(commit, cwd=project.folder, env=shell.env, capture_output=True, text=True)
    assert refused.returncode != 0
    assert "veto: hard-coded secret" in refused.stdout + refused.stderr
    project.write({"src/pay.py": '"""Payments."""\n'})
    project.git("add", "-A")
    taken = subprocess.run(commit, cwd=project.folder, env=shell.env, capture_output=True, text=True)
    assert taken.returncode == 0, taken.stderr


def test_a_missing_package_is_one_clear_error(project: Project) -> None:
    program = "import sys; sys.modules['lizard'] = None; from quorate.cli.main import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", program, "review", "--staged", "--checks-only"],
        cwd=project.folder,
        env=Shell(project.folder).env,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 64
    assert (
        ran.stderr
        == "quorate: the checks need lizard, which is not installed; expected pip install 'quorate[review]'\n"
    )
