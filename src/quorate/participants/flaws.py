"""Flaws of a reply's texts: cut, empty, a heading alone, going round in circles, or said where nobody is shown it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.core.errors import InputError
from quorate.core.forms import Prose, Reply
from quorate.core.shapes import Group, Many, PerKey, Shape, Text, shape_of
from quorate.participants.sheet import LONG, REASONING, SUBSTANCE, asked, main_text, may_be_empty
from quorate.participants.wholeness import flaw, is_alike, is_ended, loop_start, says_no_more

ECHO = "only repeats the question"
BRIEF = 200
"""Characters of a main text below which it is compared with what was put into `reasoning` instead."""


def flaws(reply: Reply, *, cut: bool = False) -> list[InputError]:
    """Return what keeps the texts of a reply from being whole: cut, empty, a heading alone, going round in circles.

    With `cut` the provider has said that it stopped the reply, so a text has to end where a sentence does.
    """
    shape = shape_of(type(reply))
    found = [*_flaws(shape, reply, "", "", cut=cut)]
    if (main := main_text(shape)) is not None and not may_be_empty(main):
        said = getattr(reply, main.name).text.strip()
        if not said:
            found.append(InputError("says nothing", key=main.name, expected="a whole text that says something"))
        elif len(said) < BRIEF and len(_reasoning(reply)) > 3 * len(said):
            what = (
                f"has {len(said)} characters, and `{REASONING}`, which nobody is shown, has {len(_reasoning(reply)):,}"
            )
            found.append(InputError(what, key=main.name, expected="the whole text where it is asked for"))
    return found


def _reasoning(reply: Reply) -> str:
    said = getattr(reply, REASONING, None)
    return said.text if isinstance(said, Prose) else ""


def _flaws(shape: Shape, value: Any, path: str, asked_for: str, *, cut: bool) -> Iterator[InputError]:
    match shape:
        case Group():
            for each in asked(shape):
                if not (isinstance(each.shape, Text) and may_be_empty(each)):
                    inner = f"{path}.{each.name}" if path else each.name
                    yield from _flaws(each.shape, getattr(value, each.name), inner, each.says, cut=cut)
        case Text(most) if most >= SUBSTANCE and value.text.strip():
            if problem := _flaw(value.text, most, asked_for, cut=cut):
                yield InputError(problem, key=path, expected="a whole text that says something")
        case PerKey(item):
            for key, each in value.items():
                yield from _flaws(item, each, f"{path}.{key}", asked_for, cut=cut)
        case Many(item):
            for number, each in enumerate(value):
                yield from _flaws(item, each, f"{path}[{number}]", asked_for, cut=cut)
        case _:
            return


def _flaw(text: str, most: int, asked_for: str, *, cut: bool) -> str:
    if most < LONG:
        found = "repeats itself" if loop_start(text) is not None else ""
    else:
        found = flaw(text) or ("ends in mid-sentence" if cut and not is_ended(text) else "")
    echoes = len(text) < 2 * len(asked_for) and says_no_more(text, asked_for)
    return found or (ECHO if echoes else "")


def says_nothing_new(entry: Any, before: list[Any], asked_for: str) -> bool:
    """Return whether an entry is empty, says only what was asked for, or what an earlier one said."""
    said = " ".join(map(str, _texts(entry)))
    return (
        not said.strip()
        or says_no_more(said, asked_for)
        or any(is_alike(said, " ".join(map(str, _texts(each)))) for each in before)
    )


def _texts(entry: Any) -> list[Any]:
    """Return the texts of an entry."""
    return list(entry.values()) if isinstance(entry, Mapping) else [entry]
