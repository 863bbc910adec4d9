"""By whose rules a change is judged: never by those that whoever sends it could have written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorate import api
from quorate.api.opening import open_named
from quorate.api.roots import Roots
from quorate.core.errors import InputError
from quorate.protocols.review.world.change.source import Branch, Commit, Diff, Source
from quorate.protocols.review.world.examination import Examined, examine
from quorate.workspace import find_workspace
from tests.support.reviewing import Project

RULES = "quorate.rules.yaml"


def commanding(mark: Path, name: str = "evil") -> str:
    """House rules with a command that leaves a mark."""
    rule = {"id": name, "severity": "low", "paths": ["**"], "message": "x", "command": ["touch", str(mark)]}
    return json.dumps({"rules": [rule]}, indent=1) + "\n"


def removing(path: str, text: str) -> str:
    """A diff that says to have taken a file away."""
    lines = text.splitlines()
    head = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n"
    return head + f"@@ -1,{len(lines)} +0,0 @@\n" + "".join(f"-{line}\n" for line in lines)


def examined(project: Project, source: Source) -> Examined:
    workspace = find_workspace(project.folder, {}, store="memory:")
    return examine(workspace, source, folder=project.folder)


def house(found: Examined) -> str:
    return next((each.reason for each in found.results if each.check == "house rules"), "")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def backwards(project: Project) -> str:
    """A diff that is in the last commit already, so that it can only be taken off."""
    project.change()
    return project.git("diff", "main", "HEAD") + "\n"


def test_a_diff_does_not_bring_the_rules_before_it(project: Project, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    diff = backwards(project) + removing(RULES, commanding(mark))
    with pytest.raises(InputError, match=r"the diff changes quorate\.rules\.yaml"):
        examined(project, Diff.of_text(diff))
    assert not mark.exists()


def test_a_diff_does_not_take_the_rules_away_by_saying_that_they_are_new(project: Project, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    project.change(**{RULES: commanding(mark)})
    with pytest.raises(InputError, match=r"the diff changes quorate\.rules\.yaml"):
        examined(project, Diff.of_text(project.git("diff", "main", "HEAD") + "\n"))
    assert not mark.exists()


def test_a_diff_that_leaves_the_rules_alone_is_held_to_those_of_the_last_commit(
    project: Project, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    project.write({RULES: commanding(mark, "own")})
    project.commit()
    base = project.git("rev-parse", "HEAD")
    project.change()
    assert "own" in house(examined(project, Diff.of_text(project.git("diff", base, "HEAD") + "\n")))
    assert mark.exists()


def test_a_diff_dismisses_and_ignores_nothing(project: Project) -> None:
    secret = "AKIA" + "IOSFODNN7" + "EXAMPLF"
    project.change(**{"src/key.py": f'KEY = "{secret}"\n'})
    diff = project.git("diff", "main", "HEAD") + "\n"
    plain = examined(project, Diff.of_text(diff))
    assert plain.blocking
    hiding = examined(project, Diff.of_text(diff + removing(".quorateignore", "src/\n")))
    assert {file.path for file in plain.files} <= {file.path for file in hiding.files}
    ledger = "this would be read if it counted, and is no ledger\n"
    dismissing = examined(project, Diff.of_text(diff + removing(".quorate/ledger.json", ledger)))
    assert {each.key for each in plain.blocking} <= {each.key for each in dismissing.blocking}


def test_a_commit_is_held_to_the_rules_of_the_branch_that_its_history_left(project: Project, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    project.write({RULES: commanding(mark)})
    project.commit("the author's own rules")
    project.change()
    assert "is new" in house(examined(project, Commit("HEAD")))
    assert not mark.exists()
    project.git("checkout", "-q", "main")
    project.git("merge", "-q", "feature")
    examined(project, Commit("HEAD"))
    assert mark.exists(), "what the default branch has counts"


def test_what_is_checked_out_is_no_rule_for_an_earlier_commit(project: Project, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    earlier = project.change()
    project.write({RULES: commanding(mark)})
    project.commit("the author's own rules")
    assert "newer than what the change began from" in house(examined(project, Commit(earlier)))
    assert not mark.exists()


async def test_for_somebody_elsewhere_only_committed_commands_run(project: Project, tmp_path: Path) -> None:
    mark, own = tmp_path / "ran", tmp_path / "own"
    project.git("checkout", "-q", "main")
    project.write({RULES: commanding(mark, "old")})
    old = project.commit("old rules")
    project.write({RULES: commanding(own, "own")})
    project.commit("new rules")
    project.change()
    project.write({"made/rules.yaml": commanding(mark)})
    workspace = find_workspace(project.folder, {}, store="memory:")
    journal = workspace.open()
    roots = Roots((project.folder, project.beside))
    for inputs in ({"base": old}, {"commit": "HEAD", "rules": "made/rules.yaml"}, {"commit": "HEAD"}):
        assert not own.exists()
        opened = await open_named(
            workspace, journal, "review", {**inputs, "solo": True}, panel=project.beside / "panel.yaml", roots=roots
        )
        run = (await api.load(workspace, journal, opened.session)).record.opening.run["review"]
        assert run["remote"] is True
    assert own.exists()
    assert not mark.exists()
    await journal.close()
    found = examined(project, Branch(old))
    assert mark.exists(), "who sits here names a base they know"
    assert "old" in house(found)
