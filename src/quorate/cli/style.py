"""Styled lines: colour at a terminal, plain text elsewhere."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import dropwhile, groupby
from typing import TextIO

from quorate.cli.output import err, is_terminal, out
from quorate.cli.text import one_line

Fragment = str | tuple[str, str]
"""A text, or a text with a style such as `red` or `bold`."""
Styled = tuple[Fragment, ...]
MARGIN = -1
"""The number of no fragment: of the blanks before what goes on."""


def show(lines: Iterable[Styled], *, result: bool = False) -> None:
    """Write lines to stderr, or to stdout if they are the result. They are cut to the terminal's width."""
    stream = sys.stdout if result else sys.stderr
    if not coloured(stream):
        for line in lines:
            (out if result else err)("".join(_text(fragment) for fragment in line).rstrip())
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for line in lines:
        text = Text()
        for fragment in line:
            text.append(_text(fragment), style=_style(fragment))
        console.print(text, no_wrap=True, overflow="ellipsis", crop=True)


def broken(line: Styled, room: int, hang: int = 0) -> Iterator[Styled]:
    """Wrap a line at spaces to the given columns; continuation lines are indented by `hang`."""
    signs = [(sign, number) for number, fragment in enumerate(line) for sign in _whole(fragment)]
    while len(signs) > room:
        blanks = (place for place in range(room, hang, -1) if signs[place][0] == " ")
        place = next(blanks, room)
        yield _fragments(line, signs[:place])
        goes_on = dropwhile(lambda each: each[0] == " ", signs[place:])
        signs = [(" ", MARGIN)] * hang + list(goes_on)
    yield _fragments(line, signs)


def _fragments(line: Styled, signs: Iterable[tuple[str, int]]) -> Styled:
    """Join characters back into their fragments. Fragments are not merged, since the blanks between them count."""
    parts = ((number, "".join(sign for sign, _ in run)) for number, run in groupby(signs, key=lambda each: each[1]))
    return tuple((text, _style(line[number]) if number != MARGIN else "") for number, text in parts)


def _whole(fragment: Fragment) -> str:
    return fragment[0] if isinstance(fragment, tuple) else fragment


def _style(fragment: Fragment) -> str:
    return fragment[1] if isinstance(fragment, tuple) else ""


def coloured(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that shows colours and moves its cursor."""
    return is_terminal(stream) and os.environ.get("TERM", "") not in ("", "dumb")


def _text(fragment: Fragment) -> str:
    """Return the text of a fragment, made safe; surrounding spaces are kept, since they align columns."""
    text = _whole(fragment)
    kept = text.strip(" ")
    if not kept:
        return text
    return text[: len(text) - len(text.lstrip(" "))] + one_line(kept) + text[len(text.rstrip(" ")) :]


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner at a terminal; yields a function that updates its text."""
    if not coloured(sys.stderr):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with console.status(Text(what, style="dim")) as status:
        yield lambda name: status.update(Text(f"{what}: {one_line(name)}" if name else what, style="dim"))
