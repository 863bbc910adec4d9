"""What no member has read: `quorate review` reads large changes in parts, and approves nothing unread (R43 to R47)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate.protocols.review.rules import division, parts
from quorate.protocols.review.world.change import file_order
from quorate_verifier import verify_file
from tests.cli.shell import Shell, lines
from tests.protocols.review.command.reviewed import review
from tests.support.reviewing import Project, ballot, item, replies

MANY = {f"notes/n{number:03}.txt": f"note {number}\n" for number in range(261)}
LONG = {f"notes/{name}.txt": "".join(f"line {n} of a note\n" for n in range(300)) for name in ("a", "b", "c")}
SMALL_VIEWS = ("--set", "persona_tokens=4000")


def unread(project: Project, *words: str) -> dict[str, object]:
    told: dict[str, object] = json.loads(review(project, "--json", *words).out)["result"]["receipt"].get("unshown", {})
    return told


def test_261_files_are_all_read_and_approved_r43(project: Project, tmp_path: Path) -> None:
    project.write(MANY)
    project.commit()
    ran = review(project, *SMALL_VIEWS, "--out", str(tmp_path / "out"))
    assert ran.code == 0, ran.out
    assert lines(ran.out, ["Readings:", "parts of the change were read"])
    assert lines(ran.err, ["261 files under review"])
    assert "Read by nobody" not in ran.out
    bundle = json.loads((tmp_path / "out" / "bundle.json").read_text())
    of_files = [each["became"] for each in bundle["fates"] if each["what"] == "file"]
    assert of_files == ["read"] * 261
    assert verify_file(tmp_path / "out" / "bundle.json").holds


def test_readers_that_are_lost_leave_files_unread_which_the_output_names_r45(project: Project, tmp_path: Path) -> None:
    script = replies()
    del script["seats"]["*"]["read"]
    project.panel(script)
    project.write(LONG)
    project.commit()
    out = tmp_path / "out"
    ran = review(project, *SMALL_VIEWS, "--out", str(out))
    assert ran.code == 2, ran.out
    assert "Verdict: INCONCLUSIVE" in ran.out
    assert "Readings:  0 of 3 parts of the change were read" in ran.out
    report = (out / "review-report.md").read_text()
    for path in LONG:
        assert f"\n  {path}\n" in ran.out
        assert f"\n- {path}\n" in report
    bundle = json.loads((out / "bundle.json").read_text())
    assert {each["became"] for each in bundle["fates"] if each["what"] in ("file", "part")} == {"read by nobody"}
    assert verify_file(out / "bundle.json").holds


def test_a_verdict_that_approves_what_nobody_read_is_refuted_by_the_verifier_r45(
    project: Project, tmp_path: Path
) -> None:
    project.write(LONG)
    project.commit()
    out = tmp_path / "out"
    assert review(project, *SMALL_VIEWS, "--set", "readings=1", "--out", str(out)).code == 2
    bundle = json.loads((out / "bundle.json").read_text())
    bundle["verdict"]["verdict"] = "APPROVED"
    (out / "bundle.json").write_text(json.dumps(bundle))
    report = verify_file(out / "bundle.json")
    assert not report.holds
    assert any(each.place == "/verdict/verdict" for each in report.differences)


def test_parts_beyond_the_limit_are_unread_and_a_ruling_answers_for_them_r45_r47(project: Project) -> None:
    project.write(LONG)
    project.commit()
    ran = review(project, *SMALL_VIEWS, "--set", "readings=1")
    assert ran.code == 2, ran.out
    assert lines(ran.out, ["Readings:", "1 of 3 parts of the change were read"])
    ruled = Shell(project.folder).call(
        "adjudicate", "latest", "--verdict", "approved", "--reason", "I have read it.", "--by", "Ann"
    )
    assert ruled.code == 0, ruled.err
    named = [path for path in LONG if path in ruled.out]
    assert f"The ruling answers for {len(named)} files that nobody has read: {', '.join(named)}" in ruled.out
    assert len(named) == 2
    for command in ("explain", "show"):
        told = Shell(project.folder).call(command, "latest").out
        assert all(path in told for path in named), command
        assert "The ruling answers for" in told
    assert "ruled upon" in Shell(project.folder).call("explain", "latest").out


def test_a_ruling_names_its_files_in_the_bundle_and_the_report_r45_r47(project: Project, tmp_path: Path) -> None:
    words = "and so on, and so forth, " * 8
    project.write({f"notes/{n:02}.txt": "".join(f"{m} of {n}: {words}\n" for m in range(40)) for n in range(14)})
    project.commit()
    assert review(project, *SMALL_VIEWS, "--set", "readings=1").code == 2
    shell = Shell(project.folder)
    ruled = shell.call("adjudicate", "latest", "--verdict", "approved", "--reason", "I have read it.", "--by", "Ann")
    bundle_path = tmp_path / "bundle.json"
    assert shell.call("report", "latest", "--format", "json", "-o", str(bundle_path)).code == 0
    (ruling,) = json.loads(bundle_path.read_text())["rulings"]
    named = ruling["answers_for"]
    assert len(named) > 10
    assert f"and {len(named) - 10} more" in ruled.out
    assert verify_file(bundle_path).holds
    assert shell.call("check", str(bundle_path)).code == 0
    section = shell.call("report", "latest").out.partition("## Ruling")[2].partition("\n## ")[0]
    assert all(f"- {path}" in section for path in named)


def test_files_beyond_the_most_that_are_put_before_anybody_r45(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_order, "MOST_FILES", 20)
    project.write({name: MANY[name] for name in list(MANY)[:25]})
    project.commit()
    ran = review(project)
    left = sorted(MANY)[20:25]
    assert ran.code == 2, ran.out
    assert unread(project) == {"count": 5, "paths": left}
    assert lines(ran.err, ["FAIL", "coverage", "5 files shown to nobody"])
    assert parts.MOST_FILES == 1_000


def test_a_file_that_is_beyond_the_most_parts_in_part_is_named_r45_r47(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(division, "MOST_PARTS", 2)
    words = "and so on, and so forth, " * 8
    project.write({"notes/a.txt": "a note\n", "notes/b.txt": "".join(f"{n} {words}\n" for n in range(200))})
    project.commit()
    out = tmp_path / "out"
    ran = review(project, *SMALL_VIEWS, "--out", str(out))
    assert ran.code == 2, ran.out
    assert "Readings:  2 of 2 parts of the change were read" in ran.out
    assert "Read by nobody: 1 file\n  notes/b.txt\n" in ran.out
    fates = {each["said"]: each["became"] for each in json.loads((out / "bundle.json").read_text())["fates"]}
    assert (fates["notes/a.txt"], fates["notes/b.txt"]) == ("read", "read by nobody")
    assert verify_file(out / "bundle.json").holds


def test_fixes_that_remain_are_requested_all_the_same(project: Project) -> None:
    quoted = item(path="F0", evidence="line 7 of a note")
    project.panel(replies(operations_sre={"ballot": ballot(items=[quoted])}))
    project.write(LONG)
    project.commit()
    ran = review(project, *SMALL_VIEWS, "--set", "readings=1")
    assert ran.code == 1, ran.out
    assert "Verdict: REQUEST_CHANGES" in ran.out
    assert lines(ran.out, ["Read by nobody:"])


def test_what_a_reader_finds_alone_keeps_the_change_out_r46(project: Project) -> None:
    found = item(path="F0", evidence="line 299 of a note")
    read = {"read": {"summary": "Notes.", "items": [found]}}
    project.panel(replies(engineering_architect=read, operations_sre=read))
    project.write(LONG)
    project.commit()
    ran = review(project, *SMALL_VIEWS, "--members", "engineering-architect,operations-sre")
    assert ran.code == 1, ran.out
    assert lines(ran.out, ["FIX-001", "correctness"])


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


def test_files_that_are_not_listed_have_the_fate_of_their_reason_r47(project: Project, tmp_path: Path) -> None:
    (project.folder / "img").mkdir()
    for number in range(1_100):
        (project.folder / "img" / f"i{number}.png").write_bytes(b"\x89PNG\0%d" % number)
    project.change()
    ran = review(project, "--out", str(tmp_path / "out"))
    assert ran.code == 0, ran.out
    assert lines(ran.err, ["left out:", "1100 binary"])
    bundle = json.loads((tmp_path / "out" / "bundle.json").read_text())
    left = [each for each in bundle["fates"] if each["id"].startswith("L")]
    assert {each["became"] for each in left} == {"seen by checks only"}
    assert (len(left), left[-1]["said"]) == (1_001, "100 more files, not listed")
    assert verify_file(tmp_path / "out" / "bundle.json").holds


def test_a_file_that_became_a_link_takes_nothing_of_other_files_from_view_r43_r45(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.write({"src/a.py": "A = 1\n"})
    project.commit()
    project.git("checkout", "-q", "-B", "feature")
    fault = "return text.strip().upper().casefold()"
    code = "\n\n".join(f'def clean_{n}(text: str) -> str:\n    """Clean it."""\n    {fault}\n' for n in range(9))
    (project.folder / "src" / "a.py").unlink()
    (project.folder / "src" / "a.py").symlink_to("slug.py")
    project.write({"src/clean.py": code})
    project.commit()
    project.panel(replies(operations_sre={"ballot": ballot(items=[item(path="F2", evidence=fault)])}))
    ran = review(project)
    assert ran.code == 1, ran.out
    assert lines(ran.out, ["FIX-001", "HIGH", "src/clean.py", "correctness"])
    found = json.loads(Shell(project.folder).call("show", "latest", "--json").out)["result"]["receipt"]
    assert [file["path"] for file in found["files"]] == ["src/a.py", "src/clean.py"]
