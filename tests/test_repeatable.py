"""`make test` says the same of the same tree: property tests draw the same examples, and no other chance is unseeded.

Random search has its place in `make fuzz` and `make test-long`, which set `HYPOTHESIS_PROFILE=search`.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
FILES = sorted(HERE.rglob("*.py"))
OWN = ("derandomize", "database")
"""What the profile decides, and no test."""
DRAWN = """\
from hypothesis import given, settings, strategies as st

@settings(max_examples=5)
@given(st.integers(0, 10**12))
def test_drawn(number):
    print("drew", number)
"""


def drawn(folder: Path, profile: str | None) -> list[str]:
    """Run a property test of somebody else's under our conftest, and return what it drew."""
    (folder / "conftest.py").write_text((HERE / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    (folder / "test_drawn.py").write_text(DRAWN, encoding="utf-8")
    environment = {name: each for name, each in os.environ.items() if name not in ("HYPOTHESIS_PROFILE", "CI")}
    environment |= {} if profile is None else {"HYPOTHESIS_PROFILE": profile}
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "test_drawn.py"]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=True)
    return [line for line in ran.stdout.splitlines() if "drew" in line]


def test_a_property_draws_the_same_examples_every_time(tmp_path: Path) -> None:
    first = drawn(tmp_path, None)
    assert len(first) == 5
    assert drawn(tmp_path, None) == first
    assert not (tmp_path / ".hypothesis" / "examples").exists()


def test_a_search_draws_others(tmp_path: Path) -> None:
    assert len({tuple(drawn(tmp_path, "search")) for _ in range(3)}) > 1


def test_the_tests_themselves_are_under_the_profile(request: pytest.FixtureRequest) -> None:
    searching = os.environ.get("HYPOTHESIS_PROFILE") == "search"
    properties = [each for each in request.session.items if each.get_closest_marker("hypothesis")]
    made = [getattr(each, "obj", None) for each in properties]
    others = [each for each in (getattr(one, "_hypothesis_internal_use_settings", None) for one in made) if each]
    assert {each.derandomize for each in (*others, settings())} == {not searching}


def test_no_chance_is_left_to_itself() -> None:
    trees = {file.relative_to(HERE): ast.parse(file.read_text(encoding="utf-8")) for file in FILES}
    assert len(trees) > 100
    found = [f"{name}: {each}" for name, tree in trees.items() for each in left_to_chance(tree, name.parts)]
    assert found == []


def left_to_chance(tree: ast.Module, name_of_file: tuple[str, ...]) -> Iterator[str]:
    """Yield each line that draws without a seed, or takes from the profile what is its own."""
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "random"
    }
    may_choose = name_of_file == ("conftest.py",)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    seeded = any(isinstance(call.func, ast.Attribute) and call.func.attr == "seed" for call in calls)
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        of_module = isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", None) in modules
        if (name == "Random" and not call.args) or (of_module and name != "Random" and not seeded):
            yield f"line {call.lineno}: {name} without a seed"
        if name == "settings" and not may_choose and any(each.arg in OWN for each in call.keywords):
            yield f"line {call.lineno}: {', '.join(OWN)} belong to the profile"
        if name in ("load_profile", "register_profile") and not may_choose:
            yield f"line {call.lineno}: profiles are chosen in tests/conftest.py"
