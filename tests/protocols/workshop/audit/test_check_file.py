"""`check_file`: a session file on disk with its dumps; problems have their lines, and hostile files get an error."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError
from quorate.evidence.text import to_yaml
from quorate.protocols.workshop.audit import dumps, export_session
from quorate.protocols.workshop.world.session_check import check_file, is_session_file
from tests.protocols.workshop.audit.session_breaks import good
from tests.protocols.workshop.audit.session_files import Play

EXAMPLE = Path(__file__).parents[4] / "examples" / "workshop-session.yaml"


def written(folder: Path, file: dict[str, Any], of_rounds: dict[str, Any], *, as_json: bool = False) -> Path:
    """Write a session file and its dumps, as `--export` does."""
    path = folder / ("session.json" if as_json else "session.yaml")
    path.write_text(json.dumps(file, indent=2) if as_json else to_yaml(file), encoding="utf-8")
    for name, dump in of_rounds.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(to_yaml(dump), encoding="utf-8")
    return path


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in line)


@pytest.mark.parametrize("as_json", [False, True])
def test_a_good_file_with_its_dumps(tmp_path: Path, as_json: bool) -> None:
    file, of_rounds = good("debate")
    checked = check_file(written(tmp_path, file, of_rounds, as_json=as_json))
    assert checked.verdict == "pass"
    assert checked.holds
    assert checked.problems == ()
    assert checked.not_checked == ()
    assert (checked.session, checked.dumps) == (file["id"], len(of_rounds))


@pytest.mark.parametrize("as_json", [False, True])
def test_a_problem_has_the_line_where_it_stands(tmp_path: Path, as_json: bool) -> None:
    file, of_rounds = good("debate")
    file["metrics"]["artifacts"]["total"] = 12345
    of_rounds["rounds/001-02-qa-lead.yaml"]["stage"] = "elsewhere"
    path = written(tmp_path, file, of_rounds, as_json=as_json)
    checked = check_file(path)
    told = {each.problem.check: each for each in checked.problems}
    assert set(told) == {"STR-005", "DIAG-003"}
    assert told["STR-005"].line == line_of(path, "12345")
    dump = tmp_path / "rounds" / "001-02-qa-lead.yaml"
    assert (told["DIAG-003"].file, told["DIAG-003"].line) == (str(dump), line_of(dump, "elsewhere"))
    assert str(told["STR-005"]).startswith(f"{path}:{told['STR-005'].line}: STR-005 metrics.artifacts.total: is 12345")
    assert json.loads(json.dumps(checked.as_data()))["problems"][0]["line"] == told["STR-005"].line


def test_what_is_missing_has_the_line_of_what_should_hold_it(tmp_path: Path) -> None:
    file, _ = good("debate")
    del file["timing"]["started_at"]
    path = written(tmp_path, file, {})
    (told,) = check_file(path).problems
    assert (told.problem.severity.value, told.line) == ("critical", line_of(path, "timing:"))


def test_dumps_in_a_folder_that_has_the_name_of_the_file(tmp_path: Path) -> None:
    file, of_rounds = good("debate")
    path = written(tmp_path, file, {f"session/{name}": dump for name, dump in of_rounds.items()})
    assert check_file(path).dumps == len(of_rounds)
    assert check_file(path).problems == ()


def test_the_example_passes() -> None:
    checked = check_file(EXAMPLE)
    assert (checked.verdict, checked.problems) == ("pass", ())
    assert {each.check for each in checked.not_checked} == {"DIAG-001", "DIAG-002", "DIAG-003"}


def test_the_worst_comes_first(tmp_path: Path) -> None:
    file, _ = good("standard")
    del file["rounds"][0]["participant_positions"]["qa-lead"]
    file["status"] = "done"
    del file["id"]
    told = [each.problem.severity.value for each in check_file(written(tmp_path, file, {})).problems]
    assert told == ["critical", "error", "warning"]


def test_a_broken_dump_is_told_with_its_name_and_is_not_called_missing(tmp_path: Path) -> None:
    file, of_rounds = good("debate")
    path = written(tmp_path, file, of_rounds)
    (tmp_path / "rounds" / "001-02-qa-lead.yaml").write_text("a: [1\nb: 2\n", encoding="utf-8")
    (tmp_path / "rounds" / "001-03-facilitator.yaml").write_bytes(b"\x00\x01")
    told = check_file(path).problems
    assert [(each.problem.check, Path(each.file).name) for each in told] == [
        ("DIAG-001", "001-02-qa-lead.yaml"),
        ("DIAG-001", "001-03-facilitator.yaml"),
    ]


def test_a_dump_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "exported"
    folder.mkdir()
    file, of_rounds = good("debate")
    path = written(folder, file, of_rounds)
    outside = tmp_path / "outside.yaml"
    outside.write_text("secret: 1\n", encoding="utf-8")
    (folder / "rounds" / "001-02-qa-lead.yaml").unlink()
    (folder / "rounds" / "001-02-qa-lead.yaml").symlink_to(outside)
    (told,) = check_file(path).problems
    assert "is a link to somewhere else" in told.problem.what


# Hostile

HOSTILE = {
    "no-yaml": ("rounds: [\nagenda: 1\nartifacts: {\n", "cannot be read"),
    "alias-bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in pairwise("abcdefgh"))
        + "rounds: []\nagenda: []\nartifacts: {}\n",
        "more than 100000 values",
    ),
    "tag": ("rounds: !!python/object/apply:os.system [x]\nagenda: []\nartifacts: {}\n", "has the tag"),
    "deep": ("rounds: " + "[" * 500 + "]" * 500 + "\nagenda: []\nartifacts: {}\n", "nested deeper"),
    "key-twice": ("rounds: []\nagenda: []\nartifacts: {}\nrounds: []\n", "a second time"),
    "merge": ("x: &x {rounds: []}\nagenda: []\nartifacts: {}\nmetrics:\n  <<: *x\n", "merge keys"),
    "two-documents": ("rounds: []\nagenda: []\nartifacts: {}\n---\nx: 1\n", "a second document"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_with_its_line(tmp_path: Path, name: str) -> None:
    text, said = HOSTILE[name]
    path = tmp_path / "session.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=said) as refused:
        check_file(path)
    assert refused.value.line is not None
    assert is_session_file(path), "a file with a mistake in it is still told what it is"


def test_json_with_a_mistake_has_its_line(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.write_text('{"rounds": [],\n "agenda": [,]}', encoding="utf-8")
    with pytest.raises(InputError, match="is not JSON") as refused:
        check_file(path)
    assert refused.value.line == 2


def test_binary_folders_and_huge_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "session.yaml"
    path.write_bytes(b"rounds: \x00")
    with pytest.raises(InputError, match="binary"):
        check_file(path)
    path.write_bytes(b"#" * 5_000_001)
    with pytest.raises(InputError, match="more than 5000000 bytes"):
        check_file(path)
    assert not is_session_file(path), "a bundle may be as large, and is checked elsewhere"
    with pytest.raises(InputError, match="is a folder"):
        check_file(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        is_session_file(tmp_path / "nowhere.yaml")


def test_another_file_is_no_session_file(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("format: quorate\nentries: []\n", encoding="utf-8")
    assert not is_session_file(path)
    with pytest.raises(InputError, match="is not the session file"):
        check_file(path)
    path = tmp_path / "bundle.json"
    path.write_text('{"format": "quorate", "rounds": [], "agenda": [], "metrics": {}}', encoding="utf-8")
    assert not is_session_file(path)


def test_a_large_workshop_is_read_and_checked(tmp_path: Path) -> None:
    """20 rounds with eleven participants, and a dump of every ask."""
    play = next(play for seed in range(99) if len((play := _large(seed)).rounds) == 20)
    made = dumps(play.result(), play.session(), play.asks)
    assert len(made) == 20 * 13
    checked = check_file(written(tmp_path, export_session(play.result(), play.session()), made))
    assert checked.problems == ()
    assert checked.dumps == 260


def _large(seed: int) -> Play:
    return Play(seed, people=11, topics=6, most=20).run()
