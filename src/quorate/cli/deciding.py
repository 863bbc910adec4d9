"""Asking a person to decide at the terminal: all that it is about, then the choice, then only what the choice needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING

from quorate.cli.ask import Asker, read
from quorate.cli.output import err
from quorate.cli.text import one_line, safe

if TYPE_CHECKING:
    from quorate.core.types import Ask
    from quorate.core.view import View

CHOICE = "choice"
DEMANDED = {("workshop", "escalate"): {"decide": "decision"}, ("workshop", "pause"): dict[str, str]()}
"""By protocol and brief: the text that a choice is nothing without; where another is chosen it is left empty."""


def asker_of(protocol: str, ask: Ask, view: View, known: tuple[str, ...] = ()) -> Asker:
    """Return who asks a person this: one that begins with the choice where everything else hangs on it."""
    demanded = DEMANDED.get((protocol, ask.brief))
    return Asker(ask, view, known) if demanded is None else Decider(ask, view, known, demanded=demanded)


@dataclass
class Decider(Asker):
    """Fills in a form that is a choice with texts."""

    demanded: Mapping[str, str] = field(default_factory=dict)

    def fill(self) -> list[str]:
        """Show everything, ask for the choice and for what it needs; raises Stop where the person ends it early."""
        from quorate.cli.filling import asked_fields
        from quorate.core.forms import Choice, Text, shape_of

        for section in self.view.sections:
            if section.text not in self.known:
                err(f"\n{one_line(section.title)}\n{_wrapped(section.text)}")
        err()
        fields = {each.name: each for each in asked_fields(shape_of(self.ask.form))}
        shape = fields.pop(CHOICE).shape
        assert isinstance(shape, Choice)
        self._choose(CHOICE, "what you want", [str(member.value) for member in shape.enum])
        chosen = self.given[-1].partition("=")[2]
        for each in sorted(fields.values(), key=lambda each: each.name not in self.demanded.values()):
            assert isinstance(each.shape, Text)
            if each.name not in self.demanded.values():
                self.given.append(f"{each.name}={self._optional(each.name, each.says, each.shape.most)}")
            elif self.demanded.get(chosen) == each.name:
                self.given.append(f"{each.name}={self._needed(each.name, each.shape.most)}")
            else:
                self.given.append(f"{each.name}=")
        return self.given

    def _needed(self, name: str, most: int) -> str:
        while not (text := self._bounded(f"{name}> ", most)):
            err("This choice needs your words.")
        return text

    def _optional(self, name: str, says: str, most: int) -> str:
        return self._bounded(f"{name} ({says}; may be empty)> ", most)

    def _bounded(self, prompt: str, most: int) -> str:
        while len(text := read(prompt).strip()) > most:
            err(f"That has {len(text):,} characters; at most {most:,} fit. Once more, please.")
        return text


def _wrapped(text: str) -> str:
    """The text with a margin, broken between words; every line keeps its own indentation."""
    width = max(40, get_terminal_size().columns - 1)
    lines: list[str] = []
    for line in safe(text).strip().splitlines():
        margin = " " * (2 + len(line) - len(line.lstrip(" ")))
        lines += wrap(line.strip(), width, initial_indent=margin, subsequent_indent=f"{margin}  ") or [""]
    return "\n".join(lines)
