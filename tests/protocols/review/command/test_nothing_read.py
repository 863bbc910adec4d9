"""A check that has read nothing has not passed: it is skipped, and says so (R4)."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from quorate.evidence.junit import junit
from quorate.kit.change import Change, LeftOut, Why
from quorate.kit.check_result import CheckStatus
from quorate.kit.quote import result
from quorate.protocols.review.rules.forms import Examination
from quorate.protocols.review.world.checks.receipt import examination
from quorate.protocols.review.world.checks.run import CheckResults, run_checks
from tests.cli.shell import Shell
from tests.support.changes import change_of
from tests.support.reviewing import Project

BY_NAME = {"governance"}
"""It looks at names, which a file has that nobody can read."""
UNREADABLE = [Why.BINARY, Why.TOO_LARGE, Why.UNREADABLE]


def passed(examined: CheckResults) -> set[str]:
    return {each.check for each in examined.results if each.status is CheckStatus.PASS}


def unreadable(why: Why) -> Change:
    return change_of({}, {}, left_out=(LeftOut("logo.png", why),))


def form_of(change: Change) -> Examination:
    return examination(change, run_checks(change), election={})


@pytest.mark.parametrize("why", UNREADABLE)
def test_where_no_file_could_be_read_no_check_that_reads_has_passed_r4(why: Why) -> None:
    examined = run_checks(unreadable(why))
    assert passed(examined) <= BY_NAME
    for each in examined.results:
        assert each.status is not CheckStatus.SKIP or each.reason


@pytest.mark.parametrize(
    ("name", "text"),
    [("notes.md", "Some words.\n"), ("a.py", "x = 1\n"), ("a.css", "a { b: c }\n"), ("a.ts", "let a = 1\n")],
)
def test_no_check_passes_on_nought_of_anything_r4(name: str, text: str) -> None:
    for each in run_checks(change_of({}, {name: text})).results:
        counts_nothing = each.reason.startswith(
            ("0 ", "followed the imports of 0 ", "compared the public interfaces of 0 ")
        )
        assert not (each.status is CheckStatus.PASS and counts_nothing), each


def test_what_was_not_read_speaks_against_no_veto_r4_r40() -> None:
    assert form_of(unreadable(Why.BINARY)).passed == ()
    assert form_of(change_of({}, {"a.py": "x = 1\n"})).passed != ()


def test_a_check_without_findings_that_read_nothing_is_skipped() -> None:
    assert result("any", "0 lines", (), read=0).status is CheckStatus.SKIP
    assert result("any", "1 line", (), read=1).status is CheckStatus.PASS


def test_machines_are_told_that_it_was_skipped_r4() -> None:
    ran = json.loads(form_of(unreadable(Why.BINARY)).receipt.text)["checks"]
    text = junit((), {"checks": {"ran": ran}}, session="s", verdict=None, code=None)
    cases = {case.get("name"): case for case in ET.fromstring(text).iter("testcase")}
    assert cases["secrets"].find("skipped") is not None
    assert cases["governance"].find("skipped") is None


def test_checks_alone_end_with_two_where_no_file_could_be_read(project: Project) -> None:
    (project.folder / "logo.bin").write_bytes(b"\x00\x01\x02" * 500)
    project.commit()
    ran = Shell(project.folder).call("review", "--checks-only")
    assert ran.code == 2
    assert "none of the files could be read" in ran.out
    assert "PASS  secrets" not in ran.out
    data = json.loads(Shell(project.folder).call("review", "--checks-only", "--json").out)
    assert data["exit_code"] == 2
    assert [each["check"] for each in data["checks"] if each["status"] == "pass"] == ["governance"]


def test_nothing_to_review_is_no_success_where_no_file_could_be_read(project: Project) -> None:
    (project.folder / "logo.bin").write_bytes(b"\x00\x01\x02" * 500)
    project.commit()
    panel = str(project.beside / "panel.yaml")
    ran = Shell(project.folder).call("review", "--panel", panel, "--allow-empty")
    assert ran.code == 2, ran.err
