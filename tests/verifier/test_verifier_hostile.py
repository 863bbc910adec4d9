"""The verifier stands alone, and no bundle, however strange, makes it raise."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest

import quorate_verifier
from quorate_verifier import verify
from quorate_verifier.reading import Unreadable, read
from tests.verifier.played import PROTOCOLS, bundle_of, profiles, resealed

PACKAGE = Path(quorate_verifier.__file__).parent
STRANGE: tuple[Any, ...] = (None, True, -1, 10**30, "", "x", [], {}, [[]], {"a": None}, "\u202e", ["T1"], {"P1": 1})


def test_it_imports_the_standard_library_and_itself_alone() -> None:
    for path in PACKAGE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in {*sys.stdlib_module_names, "quorate_verifier"}, f"{path.name}: {name}"


def test_it_runs_where_nothing_else_is_installed(tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle_of("council", "the council", 3, 0, 0)), encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import runpy; sys.argv[1:] = [{str(path)!r}]; "
    code += "runpy.run_module('quorate_verifier', run_name='__main__')"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "holds, verdict " in ended.stdout


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_anything_anywhere_is_a_difference_or_nothing_and_never_an_exception(protocol: str) -> None:
    chance = Random(protocol)
    bundles = [bundle_of(protocol, profile, 3, 0, 0) for profile in profiles(protocol)]
    for number in range(150):
        changed = deepcopy(chance.choice(bundles))
        for _ in range(chance.randint(1, 3)):
            _spoil(changed, chance)
        if number % 2 and isinstance(changed.get("entries"), list):
            try:
                changed = resealed(changed)
            except Exception:
                continue  # too broken even for the forger
        assert isinstance(verify(changed).holds, bool)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_number_however_large_is_counted_up_to(protocol: str) -> None:
    bundle = bundle_of(protocol, profiles(protocol)[0], 3, 0, 0, freely=True)
    for number in (10**9, 10**30, -(10**30)):
        for index in range(min(8, len(bundle["entries"]))):
            changed = deepcopy(bundle)
            body = changed["entries"][index]["body"]
            _enlarge(body["opening"]["settings"] if index == 0 else body.get("reply", {}), number)
            assert isinstance(verify(resealed(changed)).holds, bool)


def _enlarge(value: Any, number: int) -> None:
    """Put a number in place of every other number."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(each, dict | list):
            _enlarge(each, number)
        elif isinstance(each, int) and not isinstance(each, bool):
            value[key] = number


def _spoil(bundle: dict[str, Any], chance: Random) -> None:
    inner: Any = bundle
    while True:
        key = chance.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
        if isinstance(inner[key], dict | list) and inner[key] and chance.random() < 0.85:
            inner = inner[key]
            continue
        inner[key] = deepcopy(chance.choice(STRANGE))
        return


@pytest.mark.parametrize("data", [None, [], "x", 1, {}, {"format": "quorate-bundle/1"}, {"entries": [1]}, 1.5])
def test_what_is_no_bundle_does_not_hold(data: Any) -> None:
    assert not verify(data).holds


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": 1, "a": 2}', '{"a": 1.5}', '{"a": NaN}', "[" * 100_000, '{"a": "\\ud800"}', "\xff"]
)
def test_what_is_no_plain_json_is_not_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bundle.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(Unreadable):
        read(path)


def test_a_hostile_name_does_not_speak_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from quorate_verifier.__main__ import main

    bundle = bundle_of("debate", profiles("debate")[0], 3, 0, 0)
    bundle["session"] = "a\x1b[2Jb"
    path = tmp_path / "bundle.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    assert main([str(path)]) == 1
    assert "\x1b" not in capsys.readouterr().out
