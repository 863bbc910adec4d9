"""What code proves about new requirements, from their lines alone: nothing is downloaded and nothing is run."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from typing import Any

from quorate import authoring as q

from .protocol import MOST, Fault, Found, Screening

LISTED = "dependencies"
"""The material that the screen reads."""
NEW, GONE, KEPT = "- new: ", "- gone: ", "- kept: "
WELL_KNOWN = """boto3 certifi click cryptography django fastapi flask httpx jinja2 matplotlib numpy pandas pillow
pydantic pytest pyyaml requests rich scikit-learn scipy setuptools sqlalchemy urllib3"""
KNOWN = frozenset(WELL_KNOWN.split())
"""Names that others like to be taken for."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PINNED = re.compile(r"\s*(\[[^\]]*\])?\s*==\s*[0-9][\w.!+]*\s*(;.*|--hash=.*)?")


def requirements(text: str, file: str) -> tuple[str, ...]:
    """Return what a requirements file or a pyproject.toml requires, a line each; comments are left out."""
    lines = _of_project(text, file) if file.endswith(".toml") else text.replace("\\\n", " ").splitlines()
    plain = (" ".join(re.sub(r"(^|\s)#.*", "", line).split()) for line in lines)
    return tuple(dict.fromkeys(line for line in plain if line))


def _of_project(text: str, file: str) -> list[str]:
    try:
        project: dict[str, Any] = tomllib.loads(text).get("project", {})
        extras = project.get("optional-dependencies", {}).values()
        return [" ".join(each.split()) for some in (project.get("dependencies", []), *extras) for each in some]
    except (tomllib.TOMLDecodeError, AttributeError, TypeError) as error:
        raise q.InputError(f"cannot be read: {error}", file=file, expected="a pyproject.toml") from error


def listed(before: Collection[str], after: Collection[str]) -> str:
    """Return both states as one list, which reads well as plain text and on the page: what is new, goes, stays."""
    new, gone = (each for each in after if each not in before), (each for each in before if each not in after)
    kept = (each for each in after if each in before)
    return "\n".join([*(NEW + each for each in new), *(GONE + each for each in gone), *(KEPT + each for each in kept)])


def new_in(text: str) -> list[str]:
    """Return what is new, from what `listed` wrote."""
    return [line.removeprefix(NEW) for line in text.splitlines() if line.startswith(NEW)]


def screen(denied: Collection[str]) -> q.Check:
    """Return who sits on the seat `screen`: a function of what it is shown and no more, so a replay says the same."""

    def look(request: q.Request) -> Screening:
        text = next(each.text for each in request.view.sections if each.title == LISTED)
        new = new_in(text)
        found = [Found(q.Prose(line), fault) for line in new for fault in faults(line, denied)]
        return Screening(tuple(found[:MOST]), min(len(new), MOST))

    return q.Check(look, name="screen")


def faults(line: str, denied: Collection[str]) -> Iterator[Fault]:
    """Yield what is wrong with a requirement."""
    found = _NAME.match(line)
    if found is None or "://" in line.partition(";")[0] or " @ " in line:
        yield Fault.ELSEWHERE
        return
    name = normal(found[0])
    if not _PINNED.fullmatch(line[found.end() :]):
        yield Fault.UNPINNED
    if name in map(normal, denied):
        yield Fault.DENIED
    if name not in KNOWN and any(one_edit_apart(name, known) for known in KNOWN):
        yield Fault.LOOKALIKE


def normal(name: str) -> str:
    """Return a name as the index compares names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def one_edit_apart(one: str, other: str) -> bool:
    """Whether a letter was put in, left out or replaced, or two beside each other were swapped."""
    short, long = sorted((one, other), key=len)
    at = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if len(short) != len(long):
        return short[at:] == long[at + 1 :]
    swapped = long[at + 1 : at + 2] + long[at : at + 1] + long[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or short[at:] == swapped
