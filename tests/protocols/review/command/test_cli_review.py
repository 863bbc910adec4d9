"""`quorate review` as a user runs it: verdicts and committees, with real checks and a scripted committee."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate_verifier import verify_file
from tests.cli.shell import Shell, lines
from tests.protocols.review.command.reviewed import everything_kept, review
from tests.support.reviewed import whole
from tests.support.reviewing import PAY, SECRET, SLUG, Project, ballot, item, replies

OBJECTION = ballot("oppose", opinion="The approach is wrong.")


# Verdicts


def test_a_clean_change_is_approved(project: Project) -> None:
    """R27: agreement with no remaining fix item."""
    project.change()
    ran = review(project)
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1] == "Verdict: APPROVED"
    assert lines(ran.err, ["review", "feature against main"])
    assert lines(ran.err, ["2 files under review, +6 -1"])
    assert lines(ran.err, ["PASS", "secrets"])
    assert lines(ran.err, ["SKIP", "dependencies", "no list of dependencies is changed"])
    assert lines(ran.err, ["seats", "engineering-architect, operations-sre (veto)"])
    assert lines(ran.err, ["LOW: 2 files in 1 module"])


def test_a_fix_item_requests_changes(project: Project) -> None:
    """R22, R23, R27."""
    project.change()
    project.panel(replies(engineering_architect={"ballot": ballot(items=[item()])}))
    ran = review(project)
    assert ran.code == 1, ran.err
    assert "Verdict: REQUEST_CHANGES" in ran.out
    assert "FIX-001 HIGH src/slug.py" in ran.out


def test_a_lesser_item_is_a_note(project: Project) -> None:
    project.change()
    project.panel(replies(engineering_architect={"ballot": ballot(items=[item("low")])}))
    ran = review(project)
    assert ran.code == 0, ran.err
    assert review(project, "--set", "blocking_severity=low").code == 1


def test_without_a_quorum_it_waits_for_a_ruling(project: Project) -> None:
    """R21, R28."""
    project.change()
    project.panel(replies(engineering_architect={"ballot": OBJECTION}))
    ran = review(project, "--set", "redebate=false")
    assert ran.code == 2, ran.err
    assert "Verdict: INCONCLUSIVE" in ran.out
    assert "quorate adjudicate" in ran.err
    shell = Shell(project.folder)
    assert (
        shell.call("adjudicate", "latest", "--verdict", "approved", "--reason", "I read it.", "--by", "Ada").code == 0
    )
    assert shell.call("resume", "latest").code == 0


def test_too_few_ballots_are_a_degraded_verdict(project: Project) -> None:
    """R12, R30."""
    project.change()
    project.panel(replies(**{"*": {"ballot": {"absent": "failed"}}}))
    assert review(project).code == 5


def test_a_proven_secret_is_a_veto_whatever_the_committee_says(project: Project) -> None:
    """R14."""
    project.change(**{"src/pay.py": PAY})
    ran = review(project, "--out", "result")
    assert ran.code == 1, ran.err
    assert lines(ran.err, ["CRITICAL", "veto: hard-coded secret", "src/pay.py:3"])
    assert "Verdict: REQUEST_CHANGES" in ran.out
    left = b"".join(path.read_bytes() for path in (project.folder / "result").iterdir())
    kept = everything_kept(project) + left + ran.out.encode() + ran.err.encode()
    assert b"masked secret 1" in kept
    assert SECRET.encode() not in kept


# The committee


def test_solo_seats_the_adjudicator_alone(project: Project) -> None:
    """R36."""
    project.change()
    ran = review(project, "--solo")
    assert ran.code == 0, ran.err
    assert lines(ran.err, ["seats", "adjudicator (veto)"])


def test_members_take_the_place_of_the_election(project: Project) -> None:
    """R36."""
    project.change()
    ran = review(project, "--members", "design-hci,product-manager", "--json")
    assert ran.code == 0, ran.err
    assert [each["seat"] for each in ran.json()["result"]["committee"]] == ["design-hci", "product-manager"]


def test_a_member_without_a_persona_is_refused_with_the_nearest_name(project: Project) -> None:
    project.change()
    ran = review(project, "--members", "operation-sre")
    assert ran.code == 64
    assert "did you mean 'operations-sre'?" in ran.err


def test_members_of_the_settings_count_and_a_persona_may_be_the_projects_own(project: Project) -> None:
    roles = project.folder / ".quorate" / "briefs" / "roles"
    roles.mkdir(parents=True)
    (roles / "lawyer.md").write_text("# You look at licences\n")
    (project.folder / "quorate.yaml").write_text("review: {members: [lawyer]}\n")
    project.change()
    ran = review(project)
    assert lines(ran.err, ["seats", "lawyer"]), ran.err


def test_severe_findings_raise_the_committee(project: Project) -> None:
    """R35: three hard-coded keys in one file."""
    keys = "".join(f'KEY_{name} = "{SECRET[:-1]}{name}"\n' for name in "xyz")
    project.write({"src/slug.py": f"{SLUG}\n{keys}"})
    project.commit()
    ran = review(project)
    assert lines(ran.err, ["raised from", "by 3 findings"]), ran.err
    assert not lines(ran.err, ["seats", "adjudicator"])


def test_a_panel_for_all_personas_serves_every_committee(project: Project) -> None:
    """A panel names seats that the size of this change does not elect."""
    project.change()
    everybody = {name: {"ballot": ballot()} for name in ("operations-sre", "design-hci", "adjudicator")}
    script = replies()
    script["seats"] |= everybody
    project.panel(script, seats={"product-manager": "script:replies.yaml"})
    assert review(project).code == 0
    project.panel(script, seats={"product-owner": "script:replies.yaml"})
    ran = review(project)
    assert ran.code == 65
    assert "did you mean 'product-manager'?" in ran.err


@pytest.mark.parametrize("panel", [{"seats": {"checks": "script:replies.yaml"}}, {"seats": {"checks": "person"}}])
def test_nobody_may_sit_as_the_checks(project: Project, panel: dict[str, object]) -> None:
    """R14: a panel that says what the checks found would void it."""
    project.change(**{"src/pay.py": PAY})
    project.panel(replies(), **panel)
    ran = review(project)
    assert ran.code == 65
    assert "seats.checks" in ran.err
    assert "is reserved for built-in checks" in ran.err


def test_a_script_cannot_speak_for_the_checks_either(project: Project) -> None:
    project.change(**{"src/pay.py": PAY})
    clean = {"receipt": "{}", "change": "", "findings": [], "files": 1, "claims": 0, "applied": True, **whole(1)}
    project.panel(replies(checks={"examine": clean}))
    assert review(project).code == 65
    project.panel(replies(**{"*": {"examine": clean, "ballot": ballot()}}))
    assert review(project).code == 1, "the wildcard of a script does not reach the seat"


def test_nor_can_a_panel_that_comes_later(project: Project) -> None:
    project.change(**{"src/pay.py": PAY})
    project.panel(replies(), seats={"proposer": "person"})
    ran = review(project, "--no-input")
    assert ran.code == 4
    clean = {"receipt": "{}", "change": "", "findings": [], "files": 1, "claims": 0, "applied": True, **whole(1)}
    project.panel(replies(checks={"apply": clean}))
    again = Shell(project.folder).call("resume", "latest", "--panel", str(project.beside / "panel.yaml"))
    assert again.code == 65
    assert "is reserved for built-in checks" in again.err


def test_a_panel_may_name_the_seats_of_every_protocol(project: Project) -> None:
    project.change()
    project.panel(replies(), seats={"judge": "person", "security": "person"})
    assert review(project).code == 0
    (project.folder / "quorate.yaml").write_text(f"panel: {project.beside / 'panel.yaml'}\n")
    looked = Shell(project.folder).call("doctor")
    assert looked.code == 0, looked.out
    assert not lines(looked.out, ["checks"]), "what is held by code needs no trying"


@pytest.mark.parametrize("name", ["ballot", "preamble", "balot"])
def test_a_brief_is_nobodys_seat(project: Project, name: str) -> None:
    project.change()
    project.panel(replies(), seats={name: "person"})
    ran = review(project)
    assert ran.code != 0
    assert f"unknown seat '{name}'" in ran.err
    seats = ran.err.partition("expected one of ")[2].replace("\n", " ").split(", ")
    assert {"chair", "operations-sre", "adjudicator"} <= set(seats)
    assert not {"ballot", "preamble", "examine"} & set(seats)
    assert not {"judge", "facilitator", "SA-1"} & set(seats), "those of other protocols do not help"
    assert "checks" not in {each.strip() for each in seats}, "that seat is held by code"


def test_a_panel_may_name_the_seats_of_other_sessions_and_protocols(project: Project) -> None:
    project.change()
    project.panel(replies(), seats={"design-hci": "person", "software-architect": "person"})
    assert review(project).code == 0


def test_one_item_too_many_loses_that_item_alone_and_everybody_is_told_r41(project: Project, tmp_path: Path) -> None:
    """13 grounded items of a veto holder are ten that block and three that are refused by name, and no approval."""
    items = [item("critical", consequence=f"Reason {number}.") for number in range(13)]
    project.panel(replies(operations_sre={"ballot": json.dumps(ballot("oppose", items=items))}))
    project.change()
    ran = review(project, "--set", "redebate=false", "--out", str(tmp_path / "out"))
    assert "Verdict: APPROVED" not in ran.out
    assert lines(ran.err, ["operations-sre ballot replied", "(3 entries refused)"])
    assert lines(ran.err, ["warning: not all that was said fitted its form (operations-sre: 3 entries refused)"])
    bundle = json.loads((tmp_path / "out" / "bundle.json").read_text())
    assert len([each for each in bundle["fates"] if each["what"] == "fix item"]) == 10
    lost = [each for each in bundle["fates"] if each["what"] == "unfit entry"]
    assert [each["became"] for each in lost] == ["refused: the list has at most 10 entries"] * 3
    assert "Reason 12." in lost[-1]["said"]
    assert verify_file(tmp_path / "out" / "bundle.json").holds


def test_a_text_of_a_script_that_is_too_long_is_told_where_its_item_is_lost_r41(
    project: Project, tmp_path: Path
) -> None:
    """A script's text is never cut: its item is refused, which the terminal says and the fates tell."""
    long = item("critical", consequence="y" * 900)
    project.panel(replies(operations_sre={"ballot": json.dumps(ballot("oppose", items=[long]))}))
    project.change()
    ran = review(project, "--set", "redebate=false", "--out", str(tmp_path / "out"))
    assert lines(ran.err, ["warning: not all that was said fitted its form (operations-sre: 1 entry refused)"])
    told = (tmp_path / "out" / "review-report.md").read_text()
    assert "refused: consequence: has 900 characters; expected at most 400" in told
