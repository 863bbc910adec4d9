"""How far a request reaches: with roots, no default, no repository, no fork and no model leads out of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quorate import api
from quorate.api.forks import fork
from quorate.api.opening import open_named
from quorate.api.order import checked_model
from quorate.api.roots import Roots, check_reach
from quorate.api.world import world_of
from quorate.catalog import definition
from quorate.config import MOST_VALUES
from quorate.core.errors import InputError, SettingError
from quorate.protocols.review.world.change.source import Branch
from quorate.protocols.review.world.review import open_review
from quorate.store.journal import Journal
from quorate.workspace import Workspace, find_workspace
from tests.support.reviewing import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path)
    made.change(**{"docs/note.md": "# Note\n", "secret/plan.md": "# Plan\n"})
    return made


async def reviewed(project: Project, roots: Roots, **inputs: Any) -> tuple[Workspace, Journal, dict[str, Any]]:
    """What a review is opened with; the roots get the panel's folder too."""
    workspace = find_workspace(project.folder, {}, store="memory:")
    journal = workspace.open()
    panel = project.beside / "panel.yaml"
    opened = await open_named(workspace, journal, "review", {**inputs, "solo": True}, panel=panel, roots=roots)
    run: dict[str, Any] = (await api.load(workspace, journal, opened.session)).record.opening.run["review"]
    await journal.close()
    return workspace, journal, run


async def test_without_a_folder_a_review_stays_inside_the_roots(project: Project) -> None:
    roots = Roots((project.folder / "docs", project.beside))
    _, _, run = await reviewed(project, roots, base="main")
    assert (run["folder"], run["paths"]) == (str(project.folder / "docs"), ["docs/note.md"])


async def test_a_diff_is_narrowed_to_the_roots_and_so_are_its_paths(project: Project) -> None:
    roots = Roots((project.folder / "docs", project.beside))
    diff = project.git("diff", "main", "HEAD") + "\n"
    _, _, run = await reviewed(project, roots, diff=diff, folder=".")
    assert run["paths"] == ["docs/note.md"]
    for path in ("..", "../secret", str(project.folder / "secret")):
        with pytest.raises(InputError, match="outside of what requests may use") as raised:
            await reviewed(project, roots, diff=diff, folder=".", paths=[path])
        assert raised.value.key == "inputs.paths"
    _, _, whole = await reviewed(project, Roots((project.folder, project.beside)), diff=diff, folder="docs")
    assert "secret/plan.md" in whole["paths"], "a diff names its files from the root of the repository"


@pytest.mark.parametrize("name", [".quorate/briefs", ".git/hooks", ".GIT/hooks"])
async def test_nothing_is_left_in_folders_of_git_or_the_store(project: Project, name: str) -> None:
    workspace = find_workspace(project.folder, {}, store="memory:")
    journal = workspace.open()
    for place in ("documents", "export"):
        inputs = {"topic": "t", "kind": "specs", place: name}
        with pytest.raises(InputError, match="belongs to git or to the store"):
            await open_named(
                workspace, journal, "workshop", inputs, model="local:smollm2", roots=Roots((project.folder,))
            )
    await journal.close()


async def test_a_fork_reaches_no_further_than_the_roots(project: Project) -> None:
    workspace = find_workspace(project.folder, {}, store="memory:")
    journal = workspace.open()
    opened = await open_review(
        workspace, journal, Branch("main"), folder=project.folder, panel=project.beside / "panel.yaml"
    )
    with pytest.raises(InputError, match=r"outside the folders that requests may use \(its review.folder\)"):
        await fork(workspace, journal, opened.session, at=0, roots=Roots((project.folder / "docs",)))
    made = await fork(workspace, journal, opened.session, at=0, roots=Roots((project.folder,)))
    assert (await api.load(workspace, journal, made)).record.opening.run["review"]["remote"] is True
    own = await fork(workspace, journal, opened.session, at=0)
    assert "remote" not in (await api.load(workspace, journal, own)).record.opening.run["review"]
    await journal.close()


@pytest.mark.parametrize(
    ("run", "name"),
    [
        ({"context": "/etc"}, "context"),
        ({"workshop": {"export": "/etc/x", "merge": True}}, "workshop.export"),
        ({"council": {"folder": "ROOT", "repo": "/etc"}}, "council.repo"),
        ({"roundtable": {"folder": "/etc"}}, "roundtable.folder"),
        ({"review": {"folder": "ROOT", "rules": "/etc/rules.yaml"}}, "review.rules"),
        ({"review": {"folder": "ROOT", "source": {"kind": "diff", "file": "../x"}}}, "review.source.file"),
        ({"context": "ROOT/.git"}, "context"),
    ],
)
def test_every_place_that_a_session_goes_on_with_is_looked_at(run: dict[str, Any], name: str, tmp_path: Path) -> None:
    def placed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: placed(each) for key, each in value.items()}
        return value.replace("ROOT", str(tmp_path)) if isinstance(value, str) else value

    with pytest.raises(InputError, match=f"its {name}"):
        check_reach(placed(run), Roots((tmp_path,)), read_again(placed(run)))
    fine = {"panel": "/etc", "review": {"folder": str(tmp_path), "source": {"file": "-"}}, "context": ""}
    check_reach(fine, Roots((tmp_path,)), read_again(fine))


def read_again(run: dict[str, Any]) -> dict[str, str]:
    """What the protocol's own code reads again, as a fork asks for it."""
    reaches = world_of(definition("review")).reaches(run.get("review", {}))
    return {f"review.{part}": place for part, place in reaches.items()}


def test_a_model_of_ones_own_is_known_or_lies_inside_the_roots(tmp_path: Path) -> None:
    roots = Roots((tmp_path,))
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    assert checked_model("local:smollm2", roots) == "local:smollm2"
    assert checked_model("local:mine.gguf", roots) == f"local:{tmp_path / 'mine.gguf'}"
    for name in ("..", ".", "etc", "", "smollm3", "nowhere.gguf"):
        with pytest.raises(InputError) as raised:
            checked_model(f"local:{name}", roots)
        assert raised.value.key == "model"
        assert "folder" not in raised.value.what


@pytest.mark.parametrize(
    "settings",
    [
        {"critical_keywords": ["x"] * 100_000},
        {"critical_keywords": [["x"] * 10] * 10_000},
        {"x": {str(number): 1 for number in range(100_000)}},
    ],
)
def test_settings_of_a_request_are_few_and_are_not_quoted_at_length(settings: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=f"000 entries; expected at most {MOST_VALUES:,} values") as raised:
        find_workspace(tmp_path, {}, store="memory:").with_settings("workshop", settings)
    assert len(str(raised.value)) < 200


def test_a_wrong_setting_is_told_briefly(tmp_path: Path) -> None:
    workspace = find_workspace(tmp_path, {}, store="memory:")
    with pytest.raises(SettingError, match="critical_keywords: is a list of 500; expected a list of names, at most 40"):
        workspace.with_settings("workshop", {"critical_keywords": ["x"] * 500})
    for value in ("y" * 9_000, 10**5_000):
        with pytest.raises(SettingError) as raised:
            workspace.with_settings("workshop", {"critical_keywords": value})
        assert len(str(raised.value)) < 400
