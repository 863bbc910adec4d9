"""Prompt a person for a choice at the terminal, then only for the fields that the choice needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.cli.ask import Asker, read
from quorate.cli.choices import picked
from quorate.cli.line_wrap import titled, wrapped
from quorate.cli.output import err

if TYPE_CHECKING:
    from quorate.core.types import Ask
    from quorate.core.view import View
    from quorate.kit.offers import Offer

HELP = ("?", "help", "/help")


def asker_of(ask: Ask, view: View, offer: Offer | None, known: tuple[str, ...] = (), brief: str = "") -> Asker:
    """Return the asker for a form; for a form that is a choice, one that prompts for the choice first.

    `brief` is the explanation of the ask as Markdown, shown once per process and again on request.
    """
    if offer is None:
        return Asker(ask, view, known, brief=brief)
    return Decider(ask, view, known, brief=brief, offer=offer)


@dataclass
class Decider(Asker):
    """Fills in a form that consists of a choice and texts."""

    offer: Offer | None = None

    def fill(self) -> list[str]:
        """Show the context, prompt for the choice and the fields it needs. Raises Stop if the person ends it early."""
        from quorate.cli.form_input import asked_fields
        from quorate.core.shapes import Text, shape_of
        from quorate.kit.offers import CHOICE

        assert self.offer is not None
        for section in self.view.sections:
            if section.text not in self.known:
                err("\n".join(["", *titled(section.title, section.text)]))
        self.explain()
        choice = self._chosen(self.offer)
        self.given.append(f"{CHOICE}={choice}")
        fields = {each.name: each for each in asked_fields(shape_of(self.ask.form))}
        asked = self.offer.asked_with(choice)
        for name in asked:
            shape = fields[name].shape
            assert isinstance(shape, Text)
            needed = name in self.offer.kept_for
            ask = self._needed if needed else self._optional
            self.given.append(f"{name}={ask(name, fields[name].says, shape.most)}")
        self.given += [f"{name}=" for name in self.offer.optional if name not in asked]
        return self.given

    def _chosen(self, offer: Offer) -> str:
        from quorate.kit.offers import CHOICE

        names = list(offer.does)
        wide = max(map(len, names))
        lines = [f"  {number} {name.ljust(wide)}  {offer.does[name]}" for number, name in enumerate(names, start=1)]
        enter = f"Enter is {offer.unanswered}; " if offer.unanswered else ""
        err("\n".join(["", *lines]))
        while True:
            text = read(f"{CHOICE} ({' / '.join(names)}; {enter}? explains)> ").strip()
            if text.casefold() in HELP:
                self.explain(again=True)
                err("\n".join(["", *lines]))
            elif found := picked(text, names) or ("" if text else offer.unanswered):
                if found != text:
                    err(f"{CHOICE}: {found}")
                return found
            else:
                err("Enter one of " + ", ".join(names) + "; ? explains them.")

    def _needed(self, name: str, _: str, most: int) -> str:
        while not (text := self._bounded(f"{name}> ", most)):
            err("This choice needs your words.")
        return text

    def _optional(self, name: str, says: str, most: int) -> str:
        # What a long explanation says stands above the prompt: a line editor counts columns from the prompt's first.
        err("\n".join(wrapped(f"{name}: {says}; may be empty", 0)))
        return self._bounded(f"{name} (Enter for none)> ", most)

    def _bounded(self, prompt: str, most: int) -> str:
        while len(text := read(prompt).strip()) > most:
            err(f"That has {len(text):,} characters; at most {most:,} fit. Once more, please.")
        return text
