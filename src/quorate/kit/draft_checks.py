"""What an author gets wrong in a draft, named before it runs: DefinitionError says where, and what would be right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from quorate.core.decisions import Decision
from quorate.core.errors import DefinitionError, SettingError
from quorate.core.forms import Reply
from quorate.core.types import Question
from quorate.kit.settings import describe, plain, read_settings

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a protocol may be called: it is a command, a part of addresses and the name of a tool."""
ENDINGS = "0 (favourable), 1 (changes requested, or rejected), 2 (a person has to decide) or 3 (aborted or failed)"


def check_name(name: str) -> None:
    """Raise DefinitionError unless every surface can offer a protocol of this name."""
    if not NAME.fullmatch(name):
        raise DefinitionError(f"a protocol cannot be called {name!r}: use small letters, digits, - and _")


def check_members(name: str, what: str, members: Iterable[object]) -> None:
    """Raise DefinitionError unless all of them are members of an Enum."""
    for each in members:
        if not isinstance(each, Enum):
            raise DefinitionError(
                f"{name}: the {what} {each!r} is a {type(each).__name__}; expected a member of an Enum"
            )


def check_ends(name: str, ends: Mapping[Any, int]) -> None:
    """Raise DefinitionError unless every verdict has an exit code that a verdict may have."""
    for end, code in ends.items():
        if code not in range(4):
            raise DefinitionError(f"{name}: {end.name} has the exit code {code!r}; a verdict has {ENDINGS}")


def check_seats(name: str, what: str, named: Iterable[str], seats: Iterable[str]) -> None:
    """Raise DefinitionError if a seat is named that the protocol does not have."""
    for seat in sorted(set(named) - set(seats)):
        raise DefinitionError(f"{name}: its {what} name the seat {seat!r}, which it does not have")


def check_forms(name: str, forms: Iterable[type[Any]]) -> None:
    """Raise DefinitionError unless all forms derive from Reply."""
    for form in forms:
        if not issubclass(form, Reply):
            raise DefinitionError(f"{name}: the form {form.__name__} does not derive from Reply")


def check_settings(name: str, settings: type[Any]) -> None:
    """Raise DefinitionError unless every setting has a default, of its kind and within its bounds."""
    describe(settings)
    try:
        read_settings(settings, plain(settings()))
    except SettingError as error:
        raise DefinitionError(f"{name}: the default of a setting is not allowed: {error}") from error


def asked(made: object) -> tuple[Question, ...]:
    """Return what `asks` of a phase gave; DefinitionError unless it is a tuple of questions."""
    if isinstance(made, tuple) and all(isinstance(each, Question) for each in made):
        return made
    kinds = sorted({type(each).__name__ for each in made}) if isinstance(made, tuple) else ()
    what = f"a tuple with {', '.join(kinds)}" if kinds else f"a {type(made).__name__}"
    raise DefinitionError(f"the function that asks returned {what}; expected a tuple of Question")


def decided(made: Decision[Any]) -> Decision[Any]:
    """Return what `decide` of a phase gave; DefinitionError unless it is a decision."""
    if not isinstance(made, Decision):
        what = "nothing" if made is None else f"a {type(made).__name__}"
        raise DefinitionError(f"the function that decides returned {what}; expected a Decision, as `choose` makes it")
    return made
