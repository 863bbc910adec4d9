"""`quorate worth` as a person uses it."""

from __future__ import annotations

from pathlib import Path

from tests.cli.shell import Shell, session_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def reviewed(shell: Shell) -> str:
    ran = shell.call(
        *(
            "review",
            "--diff",
            str(EXAMPLES / "change.diff"),
            "--panel",
            str(EXAMPLES / "review-panel.yaml"),
            "--seed",
            "7",
        )
    )
    assert ran.code == 1, ran.err
    return session_of(ran).rstrip(",")


def test_a_review_is_told_as_a_table_and_sentences(shell: Shell) -> None:
    session = reviewed(shell)
    told = shell.call("worth", session)
    assert told.code == 0
    first, empty, headings, *rest = told.out.splitlines()
    assert (first, empty, headings.split()) == (session, "", ["asks", "tokens", "share", "money"])
    rows = [line.split()[0] for line in rest[: rest.index("")]]
    assert rows == ["PROPOSAL", "DEBATE", "VETO", "SYNTHESIS", "all"]
    assert any("would have concluded the same (REQUEST_CHANGES) with 37 % of the tokens" in line for line in rest)
    assert shell.call("worth").out == told.out, "the latest is taken where none is named"


def test_data_report_and_explanation_tell_the_same(shell: Shell) -> None:
    session = reviewed(shell)
    data = shell.call("worth", session, "--json").json()
    assert data["session"] == session
    assert data["first_round"]["by_the_rules"] == data["first_round"]["concluded"] == "REQUEST_CHANGES"
    assert data["all"]["tokens"] == sum(each["tokens"] for each in data["phases"].values())
    report = shell.call("report", session).out
    assert "## What it was worth" in report
    assert data["says"][0] in shell.call("explain", session).out
    assert shell.call("report", session, "--format", "json").json()["worth"] == {
        name: value for name, value in data.items() if name != "session"
    }


def test_a_label_makes_a_flip_helpful_or_harmful(shell: Shell) -> None:
    session = reviewed(shell)
    assert "flip" not in shell.call("worth", session).out
    assert shell.call("label", session, "--truth", "defective").code == 0
    assert "(a harmful flip)" in shell.call("worth", session).out
    assert "(a harmful flip)" in shell.call("explain", session).out
    assert shell.call("report", session, "-o", "bundle.json").code == 0
    assert shell.call("check", "bundle.json").code == 0, "what was learnt is given, and the rest follows"


def test_one_labelled_session_makes_nobody_worth_more_votes_than_there_are(shell: Shell) -> None:
    """Two of four were wrong: their errors correlate by -1/3, and Kish's number has no bound there."""
    session = reviewed(shell)
    assert shell.call("label", session, "--truth", "defective").code == 0
    told = shell.call("worth", session).out
    resting = "correlation of errors -0.33, 1 labelled session of these seats, too few to rely on"
    assert f"By what was measured they are worth about 4.0 ({resting})." in told
    assert shell.call("worth", session, "--json").json()["votes"]["measured"]["effective"] == "4.00"
    measured = "error correlation -0.33 in 1 session, too few to rely on"
    counted = f"{measured}: they do not err together, so 4 seats count as 4 votes"
    assert counted in shell.call("calibration").out


def test_an_unknown_session_is_named(shell: Shell) -> None:
    assert shell.call("worth", "nothing").code != 0
