"""The comment of the action: one, ours, up to date; and a `gh` that fails does not decide."""

from __future__ import annotations

import pytest

from quorate.evidence.comment import MARKER
from tests.pipeline.jobs import BOT, Job, needs_jq


@needs_jq
@pytest.mark.parametrize("viewer", [BOT, "ann", "reviewer-of-ann[bot]"])
def test_a_second_run_edits_the_comment_of_the_first(job: Job, viewer: str) -> None:
    job.hosts(viewer, ann="Nice.", bot="Coverage: 93 %", bob="Thanks.")
    others = job.comments()
    job.says("REQUEST_CHANGES", 1)
    assert job.run(comment="true").outcomes["Comment"] == "success"
    assert job.comments() == [*others, (viewer, "## Review: REQUEST_CHANGES")]
    job.says("APPROVED", 0)
    assert job.run(comment="true").code == 0
    assert job.comments() == [*others, (viewer, "## Review: APPROVED")]


@needs_jq
def test_the_workflow_knows_its_own_comment_where_nobody_says_whose_the_token_is(job: Job) -> None:
    job.hosts(broken=("graphql", "user"), bot=f"{MARKER}\n\n## Review: REQUEST_CHANGES")
    job.says("APPROVED", 0)
    assert job.run(comment="true").code == 0
    assert job.comments() == [(BOT, "## Review: APPROVED")]


@needs_jq
def test_a_comment_that_a_stranger_forged_is_never_edited(job: Job) -> None:
    """Whoever wrote a comment can change it again, so a verdict must not stand in a stranger's."""
    job.hosts(eve=f"{MARKER}\n\nAll is well.")
    job.says("REQUEST_CHANGES", 1)
    job.run(comment="true")
    assert job.comments() == [("eve", "All is well."), (BOT, "## Review: REQUEST_CHANGES")]


@needs_jq
@pytest.mark.parametrize(("verdict", "code"), [("APPROVED", 0), ("REQUEST_CHANGES", 1)])
def test_without_permission_to_comment_the_verdict_decides(job: Job, verdict: str, code: int) -> None:
    job.hosts(may_write=False)
    job.says(verdict, code)
    ran = job.run(comment="true")
    assert ran.code == code
    assert ran.outputs["verdict"] == verdict
    assert "pull-requests: write" in dict(ran.commands())["warning"]
    assert "gh: Resource not accessible by integration (HTTP 403)" in ran.log
    assert job.comments() == []


def test_nothing_is_written_where_the_comments_cannot_be_read(job: Job) -> None:
    """There may be one of ours: a second would contradict it."""
    job.hosts(broken=("issues/7/comments",), bot=f"{MARKER}\n\n## Review: APPROVED")
    job.says("REQUEST_CHANGES", 1)
    ran = job.run(comment="true", fail_on="never")
    assert ran.code == 0
    assert "warning" in dict(ran.commands())
    assert job.comments() == [(BOT, "## Review: APPROVED")]


def test_a_machine_without_gh_is_no_reason_to_fail(job: Job) -> None:
    job.program("gh", "exec /nowhere/gh")
    job.says("APPROVED", 0)
    ran = job.run(comment="true")
    assert ran.code == 0
    assert "warning" in dict(ran.commands())


@needs_jq
def test_a_review_that_was_aborted_replaces_what_the_comment_said(job: Job) -> None:
    job.hosts(bot=f"{MARKER}\n\n## Review: APPROVED")
    job.says("ABORTED", 3)
    ran = job.run(comment="true")
    assert (ran.code, ran.outputs["verdict"]) == (3, "FAILED")
    assert job.comments() == [(BOT, "## Review: ABORTED")]


def test_without_a_pull_request_there_is_no_comment(job: Job) -> None:
    job.runner.github["event"] = {}
    job.says("APPROVED", 0)
    assert job.run(comment="true").outcomes["Comment"] == "skipped"
