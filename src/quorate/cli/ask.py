"""Prompt a person at the terminal, one question at a time, without losing what was typed."""

from __future__ import annotations

import os
import select
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quorate.cli.line_wrap import plain_markdown, titled, wrapped
from quorate.cli.output import err, is_terminal
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quorate.core.shapes import Shape
    from quorate.core.types import Ask
    from quorate.core.view import Section, View

NO_ANSWER = "NA"
PASTED_WITHIN = 0.05
"""Seconds in which further lines count as pasted together with the first."""
_EXPLAINED: set[str] = set()
"""Briefs that this process has shown: whoever is asked the same again after every round has read them."""


class Stop(Exception):
    """The person stopped answering (Ctrl-C, Ctrl-D)."""


def can_ask() -> bool:
    """Return whether the terminal is interactive, for both output and input."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


@dataclass
class Asker:
    """Fills in one ask's form interactively; `given` holds the answers so far, in the form of `--set`."""

    ask: Ask
    view: View
    known: tuple[str, ...] = ()
    """Texts that the person knows already: the material is not shown again."""
    given: list[str] = field(default_factory=list)
    brief: str = ""
    """What explains the ask, as Markdown."""

    def fill(self) -> list[str]:
        """Prompt for all fields and return them. Raises Stop if the person ends it early."""
        from quorate.core.shapes import shape_of

        self.explain()
        shown = [section for section in self.view.sections if not self._key_of(section)]
        for section in shown:
            if section.text not in self.known:
                err("\n".join(["", *titled(section.title, section.text)]))
        self._ask(shape_of(self.ask.form), "", "")
        return self.given

    def explain(self, *, again: bool = False) -> None:
        """Show the explanation of the ask, once per process, or again on request."""
        if self.brief and (again or self.brief not in _EXPLAINED):
            _EXPLAINED.add(self.brief)
            err("\n".join(["", *wrapped(plain_markdown(self.brief), 0)]))

    def _key_of(self, section: Section) -> str:
        """Return the key of the item that a section is about; its title begins with that key."""
        first = section.title.split(",")[0].split(" ")[0]
        return first if first in self.ask.keys else ""

    def _ask(self, shape: Shape, path: str, says: str) -> None:
        from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Text

        match shape:
            case Text(most):
                self.given.append(f"{path}={self._text(path, says, most)}")
            case Flag():
                self._choose(path, says or "yes or no", ["yes", "no"], numbered=False)
            case Choice(enum):
                self._choose(path, says, [str(member.value) for member in enum])
            case OneKey():
                self._choose(path, says, [str(key) for key in self.ask.keys], numbered=False)
            case Number(low, high):
                self._number(path, says, low, high)
            case Many(item, most):
                self._many(item, most, path, says)
            case PerKey(item):
                for number, key in enumerate(self.ask.keys, start=1):
                    self._introduce(str(key), number)
                    self._ask(item, str(key) if self._keyed(path) else f"{path}.{key}", says)
            case Group():
                self._group(shape, path)

    def _group(self, shape: Shape, path: str) -> None:
        from quorate.cli.form_input import asked_fields, only_field
        from quorate.core.shapes import Group

        assert isinstance(shape, Group)
        if path and (only := only_field(shape)) is not None:
            self._ask(only.shape, path, only.says)
            return
        for each in asked_fields(shape):
            self._ask(each.shape, f"{path}.{each.name}" if path else each.name, each.says)

    def _keyed(self, path: str) -> bool:
        from quorate.cli.form_input import keyed_field
        from quorate.core.shapes import shape_of

        keyed = keyed_field(shape_of(self.ask.form))
        return keyed is not None and keyed.name == path

    def _introduce(self, key: str, number: int) -> None:
        of = f" ({number} of {len(self.ask.keys)})" if len(self.ask.keys) > 1 else ""
        section = next((each for each in self.view.sections if self._key_of(each) == key), None)
        title = one_line(section.title) if section is not None else key
        err("\n".join(["", f"{title}{of}", *(wrapped(section.text) if section is not None else ())]))

    # One value each

    def _text(self, path: str, says: str, most: int) -> str:
        blank = False
        while True:
            text = read(f"{path}> ").strip()
            if len(text) > most:
                err(f"That has {len(text):,} characters; at most {most:,} fit. Once more, please.")
            elif text:
                return text
            elif blank:
                err(f"{path}: {NO_ANSWER}")
                return NO_ANSWER
            else:
                blank = True
                err(f"An empty answer does not count ({says or 'a text'}). Enter again answers {NO_ANSWER}.")

    def _choose(self, path: str, says: str, names: Sequence[str], *, numbered: bool = True) -> None:
        from quorate.cli.choices import picked
        from quorate.core.errors import nearest

        while True:
            text = read(f"{path} ({says}; {' / '.join(names)})> ").strip()
            if found := picked(text, names, numbered=numbered):
                self.given.append(f"{path}={found}")
                return
            near = nearest(text, names)
            err("Enter one of " + ", ".join(names) + (f"; did you mean {near}?" if near else "."))

    def _number(self, path: str, says: str, low: int, high: int) -> None:
        while True:
            text = read(f"{path} ({says or 'a number'}, {low} to {high})> ").strip()
            if text.lstrip("-").isdecimal() and low <= int(text) <= high:
                self.given.append(f"{path}={text}")
                return
            err(f"Please a whole number from {low} to {high}.")

    def _many(self, item: Shape, most: int, path: str, says: str) -> None:
        from quorate.core.shapes import Text

        for index in range(most):
            if isinstance(item, Text):
                text = read(f"{path} {index + 1} ({says or 'a text'}; empty ends the list)> ").strip()
                if not text:
                    break
                self.given.append(f"{path}={text}")
            else:
                if read(f"{path}: add entry {index + 1}? (y/N)> ").strip().lower() not in ("y", "yes"):
                    break
                self._ask(item, f"{path}.{index}", says)
        if not any(each.startswith((f"{path}=", f"{path}.")) for each in self.given):
            self.given.append(f"{path}=")


def read(prompt: str) -> str:
    """Read one answer. Pasted lines stay together; a line that ends with `\\` continues on the next."""
    lines: list[str] = []
    while True:
        line = _line(prompt if not lines else "… ")
        if line.endswith("\\"):
            lines.append(line[:-1])
            continue
        lines.append(line)
        if not _more_waits():
            return "\n".join(lines)


def _line(prompt: str) -> str:
    try:
        if is_terminal(sys.stdout):
            _edit_lines()
            return input(prompt)
        sys.stderr.write(prompt)  # stdout is a file or a pipe and belongs to the result
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")
    except (EOFError, KeyboardInterrupt) as error:
        err()
        raise Stop from error
    except UnicodeDecodeError:
        err("That was not readable as text; once more, please.")
        return _line(prompt)


def _edit_lines() -> None:
    """Enable line editing (arrow keys) if Python has readline."""
    try:
        import readline

        readline.set_auto_history(False)
    except (ImportError, AttributeError):
        return


def _more_waits() -> bool:
    if os.name != "posix" or not is_terminal(sys.stdin):
        return False
    ready, _, _ = select.select([sys.stdin], [], [], PASTED_WITHIN)
    return bool(ready)
