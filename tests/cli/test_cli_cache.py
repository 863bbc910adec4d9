"""`--cache` names a folder; an empty name is a mistake, and scatters no files into the folder that one works in."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from quorate.cli.main import cli
from quorate.core.errors import SettingError
from quorate.workspace import find_workspace


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_refused_before_anything_is_done(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(cli, ["--cache", name, "debate", "Why?"])
    assert found.exit_code == 64
    assert "Invalid value for '--cache': it is empty; expected a folder." in found.stderr
    assert found.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_an_empty_setting_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    def read(environment: dict[str, str], *sets: str) -> str:
        with pytest.raises(SettingError) as caught:
            find_workspace(tmp_path, environment, store="memory:", sets=sets)
        assert caught.value.key == "cache"
        return str(caught.value)

    assert read({"QUORATE_CACHE": ""}) == "environment: cache: is empty; expected a folder"
    assert read({}, 'cache=""') == "--set: cache: is empty; expected a folder"
    (tmp_path / "quorate.yaml").write_text("curtail: true\ncache: ''\n")
    assert read({}).endswith("quorate.yaml:2: cache: is empty; expected a folder")


def test_the_folder_that_one_works_in_can_be_named(tmp_path: Path) -> None:
    assert find_workspace(tmp_path, {"QUORATE_CACHE": "."}, store="memory:").config.cache == Path()
