"""A file that no member was shown: `quorate review` approves nothing of it and says which it is (R27, R33)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate.protocols.review.rules.model import MOST_FILES
from quorate_verifier import verify_file
from tests.cli.reviewed import review
from tests.cli.shell import lines
from tests.support.reviewing import Project, ballot, item, replies

MANY = {f"notes/n{number:03}.txt": f"note {number}\n" for number in range(MOST_FILES + 61)}
LONG = {f"notes/{name}.txt": "".join(f"line {n} of a note\n" for n in range(300)) for name in ("a", "b", "c")}


def unshown(project: Project, *words: str) -> dict[str, object]:
    told: dict[str, object] = json.loads(review(project, "--json", *words).out)["result"]["receipt"].get("unshown", {})
    return told


def test_files_beyond_the_most_that_a_committee_is_shown(project: Project, tmp_path: Path) -> None:
    project.write(MANY)
    project.commit()
    ran = review(project, "--out", str(tmp_path / "out"))
    left = sorted(MANY)[MOST_FILES:]
    assert ran.code == 2, ran.out
    assert "Verdict: INCONCLUSIVE" in ran.out
    assert unshown(project) == {"count": 61, "paths": left}
    assert lines(ran.err, ["FAIL", "coverage", "61 files shown to nobody"])
    report = (tmp_path / "out" / "review-report.md").read_text()
    for path in left:
        assert f"\n  {path}\n" in ran.out
        assert f"\n- {path}\n" in report
    assert verify_file(tmp_path / "out" / "bundle.json").holds


def test_files_that_are_cut_from_every_view(project: Project) -> None:
    project.write(LONG)
    project.commit()
    ran = review(project, "--set", "persona_tokens=4000")
    assert ran.code == 2, ran.out
    cut = {"count": 2, "paths": ["notes/b.txt", "notes/c.txt"]}
    assert unshown(project, "--set", "persona_tokens=4000") == cut
    assert lines(ran.err, ["FAIL", "coverage", "2 files shown to nobody: cut from every view"])
    whole = review(project)
    assert whole.code == 0, whole.out
    assert unshown(project) == {}
    assert lines(whole.err, ["PASS", "coverage"])


def test_fixes_that_remain_are_requested_all_the_same(project: Project) -> None:
    project.panel(replies(operations_sre={"ballot": ballot(items=[item(path="F0")])}))
    project.write(MANY)
    project.commit()
    ran = review(project)
    assert ran.code == 1, ran.out
    assert "Verdict: REQUEST_CHANGES" in ran.out
    assert "Shown to nobody: 61 files" in ran.out


@pytest.mark.parametrize("large", [b"\x89PNG\0" + b"\1" * 1_100_000, None])
def test_binary_and_ignored_files_are_named_and_do_not_count(project: Project, large: bytes | None) -> None:
    project.git("checkout", "-q", "main")
    project.write({".quorateignore": "notes/\n"})
    project.commit()
    project.git("checkout", "-q", "-B", "feature")
    project.write(MANY)
    if large is not None:
        (project.folder / "logo.png").write_bytes(large)
    project.change()
    ran = review(project)
    assert ran.code == 0, ran.out
    assert lines(ran.err, ["left out:", f"{len(MANY)} ignored"])
    assert lines(ran.err, ["PASS", "coverage"])
