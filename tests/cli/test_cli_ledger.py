"""`quorate findings` and `quorate dismiss`: the ledger as people and programs see it, in a real repository."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from quorate.api import dismissed_keys, settle
from quorate.kit.findings import Finding, Severity
from quorate.kit.ledger import Coverage, LedgerEntry
from quorate.store.ledger import read_ledger
from tests.cli.shell import Shell, lines

LINT = Finding("unused-import", Severity.LOW, "src/a.py", 1, "unused", "import os", raised_by=("lint",))
SIZE = Finding("too-large", Severity.MEDIUM, "", message="too large", evidence="900 lines", raised_by=("size",))
SECRET = Finding("secret", Severity.CRITICAL, "src/b.py", 4, evidence="[masked secret 1]", veto="hard-coded secret")


class Project(Shell):
    """A git repository whose reviews are played by hand."""

    @property
    def ledger(self) -> Path:
        return self.folder / ".quorate" / "ledger.json"

    def git(self, *words: str) -> str:
        ran = subprocess.run(["git", *words], cwd=self.folder, env=self.env, check=True, capture_output=True, text=True)
        return ran.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def review(self, run: str, *findings: Finding, commit: str = "", paths: tuple[str, ...] = ()) -> list[str]:
        covered = Coverage(PATHS, PATHS, frozenset({"lint", "size"}), committee=True)
        changes = settle(self.folder, findings, covered, run, commit, paths, {})
        return [entry.finding.rule for entry in changes.new]


PATHS = frozenset({"src/a.py", "src/b.py"})


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    (tmp_path / ".gitconfig").write_text("[user]\n\tname = Ann Author\n\temail = ann@example.org\n")
    made.git("init", "-q", "-b", "main")
    made.commit()
    return made


def test_findings_lists_what_is_to_do_the_worst_first(project: Project) -> None:
    empty = project.call("findings")
    assert (empty.code, empty.out, "Nothing has been found" in empty.err) == (0, "", True)
    assert project.review("run-1", LINT, SIZE, SECRET) == ["unused-import", "too-large", "secret"]
    shown = project.call("findings").out.splitlines()
    assert [line.split()[0] for line in shown[1:4]] == [SECRET.key, SIZE.key, LINT.key]
    assert shown[0].split() == ["KEY", "STATUS", "SEVERITY", "RULE", "PATH", "WEIGHT", "REASON"]
    assert lines(shown[3], [LINT.key, "new", "low", "unused-import", "src/a.py"])
    assert shown[-1] == "3 new; debt 0 (LOW_PRESSURE)"


def test_a_dismissal_is_a_debt_that_grows_when_it_is_touched(project: Project) -> None:
    project.review("run-1", LINT)
    ran = project.call("dismiss", LINT.key[:5], "--reason", "goes away with the parser")
    assert (ran.code, ran.out) == (0, f"dismissed {LINT.key} as a debt of weight 1: unused-import in src/a.py\n")
    assert f"commit {project.ledger}" in ran.err
    assert project.review("run-2", LINT, commit=project.git("rev-parse", "HEAD"), paths=("src/a.py",)) == []
    assert project.call("findings", "--json").json()["debt"] == 1, "the commit at which it was dismissed is no touch"
    weights = []
    for number in range(3, 8):
        project.review(f"run-{number}", LINT, commit=project.commit(), paths=("src/a.py",))
        weights.append(project.call("findings", "--json").json()["debt"])
    assert weights == [2, 4, 8, 16, 16]
    last = project.call("findings").out
    assert lines(last, [LINT.key, "dismissed", "16", "goes away with the parser (Ann Author <ann@example.org>)"])
    assert last.endswith("1 dismissed; debt 16 (HIGH)\n")


def test_a_proven_veto_is_dismissed_only_as_a_false_positive(project: Project) -> None:
    project.review("run-1", SECRET)
    refused = project.call("dismiss", SECRET.key, "--reason", "later")
    assert (refused.code, "can neither be voted away nor deferred" in refused.err) == (64, True)
    ran = project.call("dismiss", SECRET.key, "--reason", "an example", "--false-positive", "--by", "Bob", "--json")
    told = ran.json()
    assert (told["status"], told["weight"], told["dismissal"]["by"]) == ("dismissed", 0, "Bob")
    assert "counts once" in ran.err
    tree = read_ledger(project.ledger)
    assert dismissed_keys(read_ledger(""" {"version": 1, "findings": {}} """), tree, [SECRET]) == {}
    project.commit()
    base = read_ledger(project.git("show", "HEAD:.quorate/ledger.json"))
    assert list(dismissed_keys(base, tree, [SECRET])) == [SECRET.key]


def test_what_cannot_be_dismissed_is_refused_with_64_and_writes_nothing(project: Project) -> None:
    project.review("run-1", *(replace(LINT, occurrence=number) for number in range(17)))
    project.review("run-2", SIZE)
    before = project.ledger.read_bytes()
    for words, says in [
        (("dismiss", "zzz", "--reason", "r"), "there is no finding 'zzz'"),
        (("dismiss", "", "--reason", "r"), "there is no finding"),
        (("dismiss", SIZE.key, "--reason", " "), "--reason: has 0 characters"),
        (("dismiss", SIZE.key, "--reason", "r" * 2_001), "--reason: has 2,001 characters"),
        (("dismiss", SIZE.key, "--reason", "r", "--by", " "), "--by: has 0 characters"),
        (("dismiss", LINT.key, "--reason", "r"), "a finding that is FIXED cannot take DISMISSED"),
        (("dismiss", SIZE.key), "Missing option '--reason'"),
    ]:
        ran = project.call(*words)
        assert (ran.code, says in ran.err, ran.out) == (64, True, ""), ran
    keys = list(json.loads(before)["findings"])
    start = next(key[0] for key in keys if sum(other[0] == key[0] for other in keys) > 1)
    assert "more characters of the key" in project.call("dismiss", start, "--reason", "r").err
    assert project.ledger.read_bytes() == before


def test_a_run_that_changes_nothing_leaves_the_tree_clean(project: Project) -> None:
    project.review("run-1", LINT, SIZE)
    project.review("run-2", LINT, SIZE)
    project.commit()
    project.review("run-3", replace(LINT, line=50), SIZE)
    assert project.git("status", "--porcelain") == ""


def test_a_project_without_findings_gets_no_file(project: Project) -> None:
    project.review("run-1")
    assert not project.ledger.exists()
    assert project.git("status", "--porcelain") == ""


def test_git_takes_the_ledger_and_leaves_sessions_alone(project: Project) -> None:
    project.review("run-1", LINT)
    (project.folder / ".quorate" / "quorate.db").write_text("")
    (project.folder / ".quorate" / "quorate.db-wal").write_text("")
    untracked = project.git("status", "--porcelain", "--untracked-files=all").splitlines()
    assert sorted(untracked) == ["?? .quorate/.gitignore", "?? .quorate/ledger.json"]


def test_a_ledger_that_git_ignores_is_told(project: Project) -> None:
    (project.folder / ".gitignore").write_text(".quorate/\n")
    project.review("run-1", LINT)
    assert "git ignores" in project.call("dismiss", LINT.key, "--reason", "r").err


def test_what_is_fixed_is_shown_with_all(project: Project) -> None:
    project.review("run-1", LINT)
    project.review("run-2")
    assert project.call("findings").out == "1 fixed; debt 0 (LOW_PRESSURE)\n"
    assert lines(project.call("findings", "--all").out, [LINT.key, "fixed"])
    told = project.call("findings", "--all", "--json").json()
    assert [(each["key"], each["first_seen"], each["since"]) for each in told["findings"]] == [
        (LINT.key, "run-1", "run-2")
    ]
    assert told["counts"]["fixed"] == 1
    assert project.call("findings", "--json").json()["findings"] == []


def test_a_damaged_ledger_ends_with_65_and_its_line(project: Project) -> None:
    project.review("run-1", LINT)
    text = project.ledger.read_text()
    project.ledger.write_text(text.replace('"status": "new"', '"status": "nwe"'))
    ran = project.call("findings")
    assert (ran.code, f"{project.ledger}:5: {LINT.key}.status" in ran.err, "'new'" in ran.err) == (65, True, True)
    assert project.call("dismiss", LINT.key, "--reason", "r").code == 65


def test_hostile_words_reach_no_terminal(project: Project) -> None:
    project.review("run-1", replace(LINT, path="src/\x1b]0;x\x07\u202e.py", rule="\x1b[2Jrule"))
    shown = project.call("findings").out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "rule" in shown


def test_outside_of_a_project_there_is_no_ledger(tmp_path: Path) -> None:
    ran = Shell(tmp_path).call("findings")
    assert (ran.code, "there is no project here" in ran.err) == (64, True)


def test_without_git_the_login_signs(tmp_path: Path) -> None:
    shell = Project(tmp_path)
    (tmp_path / "quorate.yaml").write_text("{}\n")
    shell.review("run-1", LINT)
    ran = shell.run("dismiss", LINT.key, "--reason", "r", "--json", env={"PATH": "", "LOGNAME": "carol"})
    assert (ran.code, ran.json()["dismissal"]["by"]) == (0, "carol")


def test_a_finding_completes_with_tab(project: Project) -> None:
    project.review("run-1", LINT, SIZE)
    words = {"_QUORATE_COMPLETE": "bash_complete", "COMP_WORDS": f"quorate dismiss {LINT.key[:3]}", "COMP_CWORD": "2"}
    assert LINT.key in project.run(env=words).out


def test_entries_follow_a_renamed_file(project: Project) -> None:
    project.review("run-1", LINT)
    project.call("dismiss", LINT.key, "--reason", "r")
    moved = replace(LINT, path="lib/a.py")

    def covered(entry: LedgerEntry) -> bool:
        return entry.finding.path == "lib/a.py"

    changes = settle(project.folder, [moved], covered, "run-2", "", ["lib/a.py"], {"src/a.py": "lib/a.py"})
    assert [entry.key for entry in changes.dismissed] == [moved.key]
    assert (changes.new, changes.fixed) == ((), ())
