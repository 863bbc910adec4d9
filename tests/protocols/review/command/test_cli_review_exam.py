"""A model that has not passed the exam sits on the committee: what `quorate review` and the rest make of its words."""

from __future__ import annotations

import json

import pytest

from quorate_verifier import verify_file
from tests.cli.shell import Shell, lines
from tests.protocols.review.command.reviewed import review
from tests.support.candidates import candidate_server
from tests.support.examined import examined
from tests.support.provider import Says, Server
from tests.support.reviewing import PAY, Project, ballot, item, replies

ARCHITECT, SRE = "engineering-architect", "operations-sre"
QUOTED = "text.lower().split()"
VETO = ballot("veto", veto_class="security hole", veto_evidence=QUOTED, items=[item("critical", evidence=QUOTED)])

server = pytest.fixture(candidate_server)


@pytest.fixture
def model(server: Server, project: Project, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model that vetoes whatever it is shown, on the seat that holds a veto."""
    monkeypatch.setenv("XDG_DATA_HOME", str(project.folder))  # as the shell has it
    name = f"openai-compatible:tiny@{server.will(Says(json.dumps(VETO))).url}"
    project.change()
    project.panel(replies(), seats={SRE: name})
    return name


def test_its_veto_is_a_note_that_every_surface_tells(project: Project, model: str) -> None:
    """R48."""
    examined(model, "review", 7)
    ran = review(project, "--out", "result")
    assert ran.code == 0, ran.err
    assert lines(ran.out, ["Verdict: APPROVED"])
    said = f"Exam: {model}: not told apart from chance (7 of 12 pairs, 2026-03-01); what {SRE} said is a note"
    assert ran.out.splitlines()[-1] == said
    assert lines(ran.out, [SRE, "ABSTAIN", "(said VETO: its model has not passed the exam (R48))"])
    report = (project.folder / "result" / "review-report.md").read_text()
    assert report.splitlines()[0].startswith("# APPROVED (with notes), 1 of 2 members has not passed the exam: ")
    assert f"What is said by {SRE} is a note" in report
    assert "noted: whoever said it has not passed the exam" in report
    shell = Shell(project.folder)
    assert lines(shell.call("explain", "latest").out, ["unqualified", SRE, "its model has not passed the exam"])
    checked = verify_file(project.folder / "result" / "bundle.json")
    assert checked.differences == []
    assert checked.verdict == "APPROVED"


@pytest.mark.parametrize("right", [12, None])
def test_a_model_that_passed_or_never_sat_it_counts(project: Project, model: str, right: int | None) -> None:
    if right is not None:
        examined(model, "review", right)
    ran = review(project)
    assert ran.code == 1, ran.err
    assert ran.out.splitlines()[-1] == f"Exam: {model}: " + (
        "qualified (12 of 12 pairs, 2026-03-01)" if right else "unexamined"
    )


def test_with_count_it_counts_as_ever(project: Project, model: str) -> None:
    examined(model, "review", 7)
    assert review(project, "--set", "unqualified=count").code == 1


def test_what_was_known_at_the_opening_holds_and_another_setting_decides_again(project: Project, model: str) -> None:
    examined(model, "review", 7)
    assert review(project).code == 0
    examined(model, "review", 12)
    shell = Shell(project.folder)
    assert shell.call("redecide", "latest").code == 0
    everybody = shell.call("redecide", "latest", "--set", "unqualified_seats=[]", "--json").json()
    assert everybody["settings"] == {"unqualified_seats": [[SRE], []]}
    assert everybody["divergence"][1]["outcome"] == "CRITICAL_FLAW"
    forked = shell.call("fork", "latest", "--at", "0", "--json")
    assert forked.code == 1, forked.err


def test_where_nobody_counts_only_the_checks_decide(project: Project, model: str) -> None:
    """R49."""
    examined(model, "review", 7)
    everywhere = str(project.beside / "panel.yaml")
    (project.beside / "panel.yaml").write_text(json.dumps({"default": model}))
    assert review(project).code == 2
    project.write({"src/pay.py": PAY})
    project.commit()
    assert Shell(project.folder).call("review", "--panel", everywhere).code == 1


@pytest.mark.parametrize(("given", "says"), [("unqualified=maybe", "notes, count"), ("unqualified=3", "text")])
def test_a_wrong_value_is_named(project: Project, given: str, says: str) -> None:
    project.change()
    ran = review(project, "--set", given)
    assert ran.code == 64
    assert lines(ran.err, ["unqualified", says])


def test_nobody_but_the_opening_says_who_is_unqualified(project: Project) -> None:
    project.change()
    ran = review(project, "--set", f"unqualified_seats=[{ARCHITECT}]")
    assert ran.code == 64
    assert lines(ran.err, ["review.unqualified_seats", "is filled in when a session is opened"])
