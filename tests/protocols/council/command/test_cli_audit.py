"""`quorate audit`: any council bundle, in YAML or JSON, with places, lines and exit codes that a pipeline can use."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from quorate.core.errors import InputError
from quorate.evidence.text import to_json, to_yaml
from quorate.files.json_places import lines_of
from quorate.files.yaml import load_whole
from quorate.protocols.council.world.bundle_audit import audit_file
from tests.cli.shell import Shell
from tests.protocols.council.audit.breaks import MADE, good

BUNDLES = Path(__file__).parents[4] / "examples" / "bundles"


@pytest.mark.parametrize("name", MADE)
def test_what_quorate_writes_keeps_the_rules_in_both_formats(name: str, tmp_path: Path) -> None:
    """C43: the seal survives YAML and JSON."""
    for written, text in (("a.yaml", to_yaml(good(name))), ("a.json", to_json(good(name)))):
        (tmp_path / written).write_text(text, encoding="utf-8")
        found = audit_file(tmp_path / written)
        assert (found.holds, found.found.deviations) == (True, ())


def test_a_kept_bundle_ends_with_0(shell: Shell) -> None:
    ran = shell.call("audit", str(BUNDLES / "kept.yaml"))
    assert ran.code == 0
    assert "keeps the rules" in ran.out.splitlines()[-1]
    assert "C43  seal:" in ran.out


def test_a_broken_bundle_ends_with_1_and_names_rule_place_and_line(shell: Shell) -> None:
    file = BUNDLES / "approved-with-blockers.yaml"
    ran = shell.call("audit", str(file))
    assert ran.code == 1
    line = next(n for n, text in enumerate(file.read_text().splitlines(), 1) if text.startswith("verdict:"))
    assert ran.out.startswith(f"C31  verdict ({file}:{line})\n")
    assert "right: REJECTED" in ran.out
    assert "21 deviations" in ran.out.splitlines()[-1]


def test_json_has_everything_a_program_needs(shell: Shell) -> None:
    ran = shell.call("audit", str(BUNDLES / "invented-signatures.json"), "--json")
    told = ran.json()
    assert (ran.code, told["holds"], told["verdict"], told["rfc_id"]) == (1, False, "APPROVED", "RFC-0120")
    assert told["broken"] + told["missing"] - told["left_out"] == len(told["deviations"])
    slug = next(each for each in told["deviations"] if each["place"] == "findings[2].signature")
    assert (slug["kind"], slug["rule"], slug["line"]) == ("BROKEN", "C27", 62)


def test_a_folder_of_results_is_searched_for_its_bundle(shell: Shell) -> None:
    (shell.folder / "result").mkdir()
    missing = shell.call("audit", "result")
    assert missing.code == 65
    assert "rfc_review.yaml or rfc_review.json" in missing.err
    shutil.copy(BUNDLES / "kept.yaml", shell.folder / "result" / "rfc_review.yaml")
    assert shell.call("audit", "result").code == 0


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.yaml", b"verdict: [", "a.yaml:1"),
        ("a.json", b'{"verdict": ', "a.json:1"),
        ("a.json", b'{"verdict": 1, "verdict": 2}', "appears twice"),
        ("a.yaml", b"verdict: 1\nverdict: 2\n", "a.yaml:2"),
        ("a.yaml", b"a: &a [*a]\n", "contains itself"),
        ("a.yaml", b"verdict: !!python/object:os.system {}\n", "tag"),
        ("a.yaml", b"verdict: \xff\n", "not UTF-8"),
        ("a.yaml", b"verdict: \0\n", "binary"),
        ("a.json", b"{" + b'"a":{' * 100_000, "cannot be read"),
        ("a.yaml", b"[" * 500, "nested deeper"),
    ],
)
def test_what_cannot_be_read_is_told_and_ends_with_65(shell: Shell, name: str, data: bytes, said: str) -> None:
    (shell.folder / name).write_bytes(data)
    ran = shell.call("audit", name)
    assert (ran.code, ran.out) == (65, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("command", ["audit", "check"])
def test_only_plain_files_are_opened(shell: Shell, command: str) -> None:
    os.mkfifo(shell.folder / "pipe.yaml")
    (shell.folder / "link.yaml").symlink_to("pipe.yaml")
    (shell.folder / "loop.yaml").symlink_to("loop.yaml")
    for name, said in (
        ("pipe.yaml", "not a regular file"),
        ("link.yaml", "not a regular file"),
        ("loop.yaml", "cannot be read"),
    ):
        ran = shell.call(command, name)
        assert (ran.code, ran.out) == (65, "")
        assert said in ran.err


def test_check_leaves_the_review_of_a_council_to_audit(shell: Shell) -> None:
    shutil.copy(BUNDLES / "kept.yaml", shell.folder / "rfc_review.yaml")
    ran = shell.call("check", "rfc_review.yaml")
    assert (ran.code, ran.out) == (65, "")
    assert "review bundle of a council" in ran.err
    assert "quorate audit" in ran.err


def test_no_file_and_no_argument_are_told(shell: Shell) -> None:
    assert shell.call("audit", "nowhere.yaml").code == 65
    assert shell.call("audit").code == 64


def test_the_bundle_of_a_journal_is_left_to_check(tmp_path: Path) -> None:
    file = tmp_path / "bundle.json"
    file.write_text(json.dumps({"format": "quorate-bundle/1", "entries": []}))
    with pytest.raises(InputError, match="quorate check"):
        audit_file(file)


@pytest.mark.parametrize("data", ["just a text", "[]", "null", "42", ""])
def test_what_is_no_mapping_is_no_bundle(tmp_path: Path, data: str) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(data)
    found = audit_file(file)
    assert (found.holds, found.found.broken) == (False, 1)


def test_a_hostile_bundle_cannot_steer_the_terminal(shell: Shell) -> None:
    data = {
        "verdict": "\x1b]0;owned\x07\x1b[2J APPROVED",
        "rfc_id": "\u202eRFC",
        "\x1b[31m": 1,
        "findings": [{"\x1b[1m": {}}],
    }
    (shell.folder / "a.json").write_text(json.dumps(data))
    for more in ((), ("--json",)):
        ran = shell.call("audit", "a.json", *more)
        assert ran.code == 1
        assert not {"\x1b", "\x07", "\u202e"} & set(ran.out)


def test_a_large_bundle_is_read_with_its_lines(tmp_path: Path) -> None:
    """A bundle beyond what settings may have is read all the same."""
    bundle = good()
    bundle["warnings"] = ["a long warning " * 1_000] * 80
    bundle["verdict"] = "FINE"
    for name, text in (("a.yaml", to_yaml(bundle)), ("a.json", to_json(bundle))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert len(text) > 1_000_000
        lines = {each.place: each.line for each in audit_file(tmp_path / name).found.deviations}
        assert "FINE" in text.splitlines()[(lines["verdict"] or 0) - 1]


# Lines of JSON


def every_path(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    below: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        below = list(value.items())
    elif isinstance(value, list):
        below = list(enumerate(value))
    return [path, *(each for key, inner in below for each in every_path(inner, (*path, key)))]


@pytest.mark.parametrize("indent", [None, 2])
def test_lines_of_json_are_those_of_the_whole_reader(indent: int | None) -> None:
    data = {"a": [1, {"b": 'x"\\ {[,:', "": [[], {}, [None, -1.5e3]]}], "c\n": {"d": "e", "f": {}}, "g": True}
    text = json.dumps(data, indent=indent)
    paths = every_path(data)
    source = load_whole(text, "a.json")
    assert lines_of(text, paths) == {path: source.line_of(path) for path in paths}


def test_a_path_that_is_not_there_has_the_line_of_what_holds_it() -> None:
    text = '{\n "a": {\n  "b": 1\n }\n}'
    assert lines_of(text, [("a", "c"), ("x", 3), ("a", "b")]) == {("a", "c"): 2, ("x", 3): 1, ("a", "b"): 3}
