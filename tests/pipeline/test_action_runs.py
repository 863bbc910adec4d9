"""The action in a job: all its steps with GitHub's own shell flags, files and conditions."""

from __future__ import annotations

import shlex
import sys

import pytest

from tests.pipeline.jobs import BOT, Job, needs_jq
from tests.support.reviewing import PAY, ballot, item, replies

# What the program concludes


@needs_jq
def test_an_approval_is_told_and_passes(job: Job) -> None:
    job.project.change()
    ran = job.review(comment="true", settings="rounds=2\n\nredebate=false")
    assert set(ran.outcomes.values()) == {"success"}
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("APPROVED", "0")
    assert (job.project.folder / ran.outputs["sarif"]).is_file()
    assert (job.project.folder / ran.outputs["report"]).read_text().startswith("#")
    assert "## Review: APPROVED" in ran.summary
    assert job.comments() == [(BOT, "## Review: APPROVED")]


@needs_jq
@pytest.mark.parametrize(("fail_on", "code"), [("undecided", 1), ("changes", 1), ("never", 0)])
def test_requested_changes_are_told_before_the_verdict_decides(job: Job, fail_on: str, code: int) -> None:
    job.project.change(**{"src/pay.py": PAY})
    ran = job.review(comment="true", fail_on=fail_on)
    assert ran.code == code, ran.log
    assert ran.outcomes["Review"] == ran.outcomes["Comment"] == "success"
    assert ran.outcomes["Verdict"] == ("failure" if code else "success")
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("REQUEST_CHANGES", "1")
    assert (job.project.folder / ran.outputs["sarif"]).is_file()
    assert "## Review: REQUEST_CHANGES" in ran.summary
    assert job.comments() == [(BOT, "## Review: REQUEST_CHANGES")]


@pytest.mark.parametrize(("fail_on", "code"), [("undecided", 2), ("changes", 0)])
def test_an_inconclusive_review_is_told(job: Job, fail_on: str, code: int) -> None:
    job.project.panel(replies(engineering_architect={"ballot": ballot("oppose", items=[item()])}))
    job.project.change()
    ran = job.review(fail_on=fail_on, settings="redebate=false")
    assert ran.code == code, ran.log
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("INCONCLUSIVE", "2")
    assert "## Review: INCONCLUSIVE" in ran.summary


def test_the_checks_alone_are_told_before_the_verdict_decides(job: Job) -> None:
    job.project.change(**{"src/pay.py": PAY})
    ran = job.run(checks_only="true", comment="true")
    assert ran.code == 1
    assert ran.outcomes["Review"] == "success"
    assert ran.outcomes["Comment"] == "skipped"
    assert (ran.outputs["verdict"], ran.outputs["exit-code"], ran.outputs["sarif"]) == ("CHECKED", "1", "")
    assert "with a veto" in ran.log
    assert "with a veto" in (job.project.folder / "quorate-review" / "checks.txt").read_text()
    assert job.run(checks_only="true", fail_on="never").code == 0


@pytest.mark.parametrize(
    ("fail_on", "code", "ends"),
    [
        ("undecided", 0, 0),
        ("undecided", 1, 1),
        ("undecided", 2, 2),
        ("undecided", 4, 4),
        ("undecided", 5, 5),
        ("changes", 1, 1),
        ("changes", 5, 0),
        ("never", 2, 0),
        ("never", 3, 3),
        ("never", 70, 70),
    ],
)
def test_the_verdict_fails_the_job_as_it_was_asked_to(job: Job, fail_on: str, code: int, ends: int) -> None:
    job.says("X", code)
    ran = job.run(fail_on=fail_on)
    assert ran.code == ends
    assert ran.outputs["exit-code"] == str(code)


def test_an_unknown_fail_on_is_refused_before_anything_is_spent(job: Job) -> None:
    job.says("APPROVED", 0)
    ran = job.run(fail_on="sometimes")
    assert ran.code == 64
    assert "fail-on is 'sometimes'" in dict(ran.commands())["error"]
    assert ran.outputs["verdict"] == "FAILED"
    assert ran.summary == ""


# What goes wrong


@pytest.mark.parametrize("code", [64, 65, 70, 127, 137])
@pytest.mark.parametrize("checks_only", ["true", "false"])
def test_a_review_that_did_not_run_fails_whatever_was_asked(job: Job, code: int, checks_only: str) -> None:
    job.quorate(f"echo 'quorate: it is broken' >&2; exit {code}")
    ran = job.run(comment="true", fail_on="never", checks_only=checks_only)
    assert ran.code == code
    assert (ran.outputs["verdict"], ran.outputs["exit-code"]) == ("FAILED", str(code))
    assert ran.outputs["folder"] == "quorate-review"
    assert "quorate: it is broken" in ran.log
    assert str(code) in dict(ran.commands())["error"]
    assert job.comments() == []


@pytest.mark.parametrize(
    ("env", "said"), [({"NO_INDEX": "1"}, "No matching distribution"), ({"OLD": "1"}, "Python 3.11")]
)
def test_an_installation_that_fails_says_why_and_nothing_else_runs(job: Job, env: dict[str, str], said: str) -> None:
    job.runner.env |= env
    ran = job.run(comment="true", fail_on="never")
    assert ran.code == 1
    assert said in ran.log
    assert ran.outcomes == {
        "Install Quorate": "failure",
        "Review": "skipped",
        "Comment": "skipped",
        "Verdict": "skipped",
    }
    assert ran.outputs["verdict"] == "FAILED"


def test_an_installation_that_cannot_start_fails_where_it_was_installed(job: Job) -> None:
    """Python ends with 1 where an import fails, which is the code of requested changes."""
    job.program("quorate", "echo 'ModuleNotFoundError: click' >&2; exit 1")
    ran = job.run(fail_on="never")
    assert ran.outcomes["Install Quorate"] == "failure"
    assert ran.outputs["verdict"] == "FAILED"


def test_no_module_of_the_change_is_imported_while_installing(job: Job) -> None:
    """Python looks for a module that it is told to run (`-m`) in the working copy first."""
    evil = "open('pwned', 'w')\n"
    job.project.change(**{"venv.py": evil, "pip.py": evil, "sitecustomize.py": evil})
    quick = '[[ "$*" != *"-m venv "* ]] || set -- "$@" --without-pip'
    job.program("python", f'{quick}\nexec {shlex.quote(sys.executable)} "$@"')
    ran = job.run()
    assert not (job.project.folder / "pwned").exists()
    assert "No module named pip" in ran.log
    assert ran.outcomes["Install Quorate"] == "failure"


def test_what_the_change_left_in_the_folder_is_not_taken_for_ours(job: Job) -> None:
    forged = {f"quorate-review/{name}": "forged" for name in ("review-report.md", "findings.sarif", "comment.md")}
    job.project.change(**forged)
    job.quorate("exit 70")
    ran = job.run(comment="true")
    assert (ran.outputs["report"], ran.outputs["sarif"], ran.summary) == ("", "", "")
    assert job.comments() == []


def test_what_others_wrote_is_never_a_command(job: Job) -> None:
    """A branch or a setting with shell in it reaches the program as one word."""
    job.quorate('printf "%s\\n" "$@" > words')
    evil = "$(touch pwned); `touch pwned`"
    job.run(base=evil, settings=f"x={evil}", members=evil)
    said = (job.project.folder / "words").read_text().splitlines()
    assert said.count(evil) == 2
    assert f"x={evil}" in said
    assert not (job.project.folder / "pwned").exists()


@pytest.mark.parametrize("checks_only", ["true", "false"])
def test_what_others_wrote_is_no_command_to_the_runner(job: Job, checks_only: str) -> None:
    """A line of the log that begins with `::` is one, whoever wrote it."""
    evil = "  ::set-output name=sarif::/etc/passwd"
    job.quorate(f"echo '{evil}'; echo '{evil}' >&2; exit 70")
    ran = job.run(checks_only=checks_only)
    assert evil in ran.log
    assert [name for name, _ in ran.commands()] == ["error"]


# A fork


def test_a_fork_without_secrets_says_which_key_is_missing(job: Job) -> None:
    """GitHub gives an empty text for a secret that there is not, and a token that may only read."""
    job.project.change()
    job.hosts(may_write=False)
    job.runner.env["ANTHROPIC_API_KEY"] = ""
    ran = job.run(comment="true", model="anthropic:claude-sonnet-4-5", fail_on="never")
    assert ran.code == 64
    assert ran.outputs["verdict"] == "FAILED"
    assert "ANTHROPIC_API_KEY" in ran.log
    assert job.run(checks_only="true", comment="true").outputs["verdict"] == "CHECKED"
