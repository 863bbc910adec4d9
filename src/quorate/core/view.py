"""Views: what one seat is shown for one ask, in sections, cut in a stated order to a token budget."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of a view. Data is material or somebody's words, and is fenced before a model sees it."""

    title: str
    text: str
    data: bool = True
    cut: int = 0
    """0 is never cut; of the others the highest number is cut first."""


@dataclass(frozen=True, slots=True)
class View:
    """What a seat is shown: the brief that describes its role ('' for none), and the sections in order."""

    role: str
    sections: tuple[Section, ...]

    def text(self) -> str:
        return "\n\n".join(f"{section.title}\n{section.text}" for section in self.sections)


@dataclass(frozen=True, slots=True)
class Cut:
    """A receipt: how much of a section was shown."""

    title: str
    shown: int
    of: int


BYTES_PER_TOKEN = 3
"""A cautious figure: English text has about four bytes a token, code and other languages fewer."""
LEAST_SHOWN = 200
"""Characters of a section that are kept while anything of it is."""


def estimate_tokens(text: str) -> int:
    """Return a cautious estimate of the tokens in a text."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def fit(view: View, tokens: int) -> tuple[View, tuple[Cut, ...]]:
    """Cut sections, the highest `cut` number first and the last of equals first, until the view fits the budget."""
    sections = list(view.sections)
    over = sum(estimate_tokens(section.text) for section in sections) - tokens
    receipt: list[Cut] = []
    order = sorted(range(len(sections)), key=lambda index: (-sections[index].cut, -index))
    for index in order:
        section = sections[index]
        if over <= 0 or section.cut == 0:
            break
        size = estimate_tokens(section.text)
        keep = max(0, len(section.text) * (size - over) // size - 60) if size else 0
        keep = 0 if keep < LEAST_SHOWN else keep
        note = f"[{len(section.text) - keep} of {len(section.text)} characters are left out here]"
        shorter = f"{section.text[:keep]}\n{note}" if keep else note
        if len(shorter) < len(section.text):
            over -= size - estimate_tokens(shorter)
            receipt.append(Cut(section.title, keep, len(section.text)))
            sections[index] = replace(section, text=shorter)
    return replace(view, sections=tuple(sections)), tuple(receipt)
