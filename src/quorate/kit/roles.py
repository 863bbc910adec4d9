"""Roles: the briefs `roles/<name>` that describe a seat. Every other brief is a task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

FOLDER = "roles/"


def is_role(brief: str) -> bool:
    """Whether a brief is a role."""
    return brief.startswith(FOLDER)


def roles_in(briefs: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the roles among the briefs, in order."""
    return tuple(name.removeprefix(FOLDER) for name in briefs if is_role(name))


def with_roles(briefs: Mapping[str, str], seated: Iterable[str]) -> dict[str, str]:
    """Return the briefs without unused roles."""
    kept = {f"{FOLDER}{name}" for name in seated}
    return {name: text for name, text in briefs.items() if not is_role(name) or name in kept}
