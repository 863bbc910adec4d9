"""`import quorate`: the names are there, typed and documented, and cost nothing until they are used."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import quorate

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference" / "python.md"
USER = '''
"""A program as a user would write it."""

import asyncio
from typing import Any

import quorate
from quorate import AsyncQuorate, InputError, OpenQuestion, Quorate, Request


def judge(request: Request) -> dict[str, Any] | None:
    return {"solution": request.prompt.user} if request.occurrence == 1 else None


def decide() -> str | None:
    with Quorate(".", store="memory:") as place:
        try:
            debate = place.open("debate", "How?", settings={"rounds": 1}, panel={"seats": {"judge": judge}})
        except InputError as error:
            return error.key
        for event in debate.events():
            print(event["seq"])
        questions: list[OpenQuestion] = debate.questions()
        for question in questions:
            debate.answer(question.ask, {"answers": {key: "NA" for key in question.keys}})
        bundle: dict[str, Any] = debate.bundle()
        return debate.verdict or bundle["session"]


async def main() -> int:
    async with AsyncQuorate() as place:
        debate = await place.open("debate", {"problem": "How?"}, model="local:smollm2", budget={"tokens": 9})
        async for event in debate.events(passing=True):
            print(event["kind"])
        fork = await debate.fork(at=3, settings={"rounds": 2})
        await fork.run()
        return fork.exit_code


assert quorate.prove("debate").ok
asyncio.run(main())
'''


def test_there_are_about_twenty_names_and_all_are_there() -> None:
    assert 18 <= len(quorate.__all__) <= 26
    assert quorate.__all__ == sorted(quorate.__all__)
    for name in quorate.__all__:
        assert getattr(quorate, name).__doc__, f"{name} says nothing of itself"
    assert set(quorate.__all__) <= set(dir(quorate))
    with pytest.raises(AttributeError, match="no attribute 'Quorat'"):
        _ = quorate.Quorat  # type: ignore[attr-defined]


def test_every_name_and_method_is_in_the_reference() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    for name in quorate.__all__:
        assert f"`{name}" in text, f"{name} is not in {REFERENCE.name}"
    for kind in (quorate.Quorate, quorate.Deliberation):
        for method in public(kind):
            assert f"`{method}" in text, f"{kind.__name__}.{method} is not in {REFERENCE.name}"


def public(kind: type[Any]) -> list[str]:
    return [name for name in vars(kind) if not name.startswith("_")]


@pytest.mark.parametrize(
    ("one", "other"),
    [(quorate.Quorate, quorate.AsyncQuorate), (quorate.Deliberation, quorate.AsyncDeliberation)],
    ids=lambda kind: kind.__name__,
)
def test_the_same_methods_with_and_without_await(one: type[Any], other: type[Any]) -> None:
    only = {"close"}  # leaving `async with` does it
    mine = set(public(one)) - only
    assert mine - {"says", "problems"} == set(public(other))
    for name in mine & set(public(other)):
        both = [vars(kind)[name] for kind in (one, other)]
        assert inspect.getdoc(both[0]) == inspect.getdoc(both[1]), f"{name} says two things"
        if not isinstance(both[0], property):
            assert parameters(both[0]) == parameters(both[1]), f"{name} takes two things"


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(each.name, each.default, each.annotation) for each in inspect.signature(function).parameters.values()]


CHECKER = """\
[mypy]
strict = true
[mypy-quorate.*]
follow_imports = silent
[mypy-pydantic.*,pydantic_ai.*,pydantic_core.*,rich.*,prompt_toolkit.*,jinja2.*,markdown_it.*,ruamel.*,genai_prices.*]
follow_imports = skip
"""
"""As strict as it gets for the user's file; Quorate is only read for its types, as an installed package is."""


@pytest.mark.slow
def test_a_users_program_passes_a_strict_type_checker(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(USER)
    (tmp_path / "wrong.py").write_text(USER.replace("quorate.prove", "quorate.proof").replace("at=3", 'at="3"'))
    (tmp_path / "mypy.ini").write_text(CHECKER)
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=mypy.ini", "--cache-dir=cache", "program.py", "wrong.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    told = [line for line in ran.stdout.splitlines() if ": error: " in line]
    assert all(line.startswith("wrong.py:") for line in told), ran.stdout
    assert 'Module has no attribute "proof"' in ran.stdout
    assert 'has incompatible type "str"' in ran.stdout


def test_importing_costs_nothing_until_a_name_is_used() -> None:
    program = "import sys, quorate; print([name for name in sys.modules if name.startswith('quorate.')])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
    program = "import sys, quorate; quorate.Prose; print('asyncio' in sys.modules, 'quorate.api' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False False"
