"""A change that does everything to get through: nothing of it may be voted on unseen, and nothing leaks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.shell import Shell
from tests.protocols.review.command.reviewed import everything_kept, review
from tests.support.reviewing import MENDED, PAY, SECRET, TEST, Project, ballot, replies

LENIENT = "review: {blocking_severity: critical}\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def commit_all(project: Project) -> None:
    """Commit what is ours as well."""
    project.git("add", "-A")
    project.git("commit", "-q", "--allow-empty", "-m", "all of it")


def test_source_that_no_check_can_read_blocks(project: Project) -> None:
    project.change()
    (project.folder / "src" / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'\n")
    project.commit()
    ran = review(project)
    assert ran.code == 1, ran.err
    assert "coverage/unread" in ran.out


def test_generated_files_alone_are_still_searched(project: Project) -> None:
    project.write({"dist/app.min.js": f'key = "{SECRET}"\n'})
    project.commit()
    assert review(project, "--allow-empty").code == 1
    project.write({"dist/app.min.js": "x = 1\n"})
    project.commit()
    assert review(project, "--allow-empty").code == 0


def test_what_git_copies_into_the_heading_of_a_hunk_is_not_kept(project: Project) -> None:
    body = "".join(f"    a{n} = {n}\n" for n in range(12))
    project.git("checkout", "-q", "main")
    project.write({"src/long.py": f'def f(key="{SECRET}"):\n{body}'})
    project.commit()
    project.git("checkout", "-q", "-B", "feature")
    project.write({"src/long.py": f'def f(key="{SECRET}"):\n{body}    b = 1\n', "src/test_long.py": TEST})
    project.commit()
    assert review(project).code in (0, 1)
    assert SECRET.encode() not in everything_kept(project)


@pytest.mark.parametrize("name", ["quorate.yaml", ".quorate/briefs/roles/operations-sre.md"])
def test_what_decides_the_review_cannot_be_changed_by_it(project: Project, name: str) -> None:
    """R14."""
    project.change(**{name: LENIENT})
    commit_all(project)
    ran = review(project)
    assert ran.code == 1, ran.err
    assert "veto: rule violation" in ran.err


def test_settings_that_are_left_out_or_a_link_decide_all_the_same(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.write({".quorateignore": "*.yaml\n", "tests/lenient.yaml": LENIENT})
    project.commit()
    project.git("checkout", "-q", "-B", "feature")
    project.change(**{"quorate.yaml": LENIENT})
    assert "veto: rule violation" in review(project).err
    project.git("checkout", "-q", "-B", "linked", "main")
    project.change()
    (project.folder / "quorate.yaml").symlink_to("tests/lenient.yaml")
    project.commit()
    assert "veto: rule violation" in review(project).err


def test_a_folder_of_ours_that_is_a_link_is_refused(project: Project, tmp_path: Path) -> None:
    project.change()
    (project.folder / ".quorate").symlink_to(tmp_path)
    ran = review(project)
    assert ran.code == 64
    assert "is a link" in ran.err
    assert not (tmp_path / "quorate.db").exists()


def test_a_dismissal_that_comes_with_the_change_does_not_count(project: Project) -> None:
    project.write({"src/slug.py": MENDED.replace("slug", "slugs")})
    project.commit()
    assert review(project).code == 1
    shell = Shell(project.folder)
    for key in (line.split()[0] for line in shell.call("findings").out.splitlines() if "interface" in line):
        assert shell.call("dismiss", key, "--reason", "Nobody calls it.", "--by", "Ada").code == 0
    assert review(project).code == 0, "it stands in the working tree"
    commit_all(project)
    ran = review(project)
    assert ran.code == 1, "it is part of the change now"
    assert "governance/ledger" in ran.err


def test_a_secret_that_a_member_puts_together_is_masked(project: Project) -> None:
    project.change()
    project.panel(replies(operations_sre={"ballot": ballot(opinion=f"They joined are {SECRET}, which is a key.")}))
    ran = review(project, "--out", "left")
    left = b"".join(path.read_bytes() for path in (project.folder / "left").iterdir())
    assert SECRET.encode() not in everything_kept(project) + left + ran.out.encode() + ran.err.encode()
    assert b"[masked secret]" in left


def test_a_secret_in_a_reason_is_masked(project: Project) -> None:
    project.change(**{"src/pay.py": PAY})
    review(project)
    shell = Shell(project.folder)
    key = next(line.split()[0] for line in shell.call("findings").out.splitlines() if "secrets/" in line)
    told = shell.call("dismiss", key, "--false-positive", "--reason", f"{SECRET} is an example", "--by", "Ada")
    assert told.code == 0, told.err
    assert SECRET.encode() not in everything_kept(project) + told.out.encode()


def test_an_amendment_cannot_make_a_file_unreadable(project: Project) -> None:
    """R17: what was proven about a text is not disproven by making it none."""
    project.change(**{"src/pay.py": PAY})
    (project.folder / "src" / "pay.py").write_bytes(PAY.encode() + b"\x00\n")
    patch = project.git("diff", "--binary")
    project.git("checkout", "-q", "--", ".")
    project.panel(replies(proposer={"amend": {"reason": "A remark.", "patch": patch + "\n"}}))
    ran = review(project)
    assert ran.code == 1, ran.err
    assert "Verdict: REQUEST_CHANGES" in ran.out


def test_nobody_decides_by_default(project: Project) -> None:
    project.change()
    ran = Shell(project.folder).call("review")
    assert ran.code == 64
    assert "--checks-only needs none" in ran.err
