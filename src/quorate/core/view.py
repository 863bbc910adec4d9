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
    """Cut sections, the highest `cut` number first and the last of equals first, until the view's text fits.

    Where even the least of every section that may be cut is too much, the view comes back larger than the budget.
    """
    sections = list(view.sections)
    over = len(view.text().encode()) - tokens * BYTES_PER_TOKEN
    receipt: list[Cut] = []
    for index in sorted(range(len(sections)), key=lambda index: (-sections[index].cut, -index)):
        section = sections[index]
        if over <= 0 or section.cut == 0:
            break
        size = len(section.text.encode())
        shorter, shown = _shortened(section.text, size - over)
        saved = size - len(shorter.encode())
        if saved > 0:
            over -= saved
            receipt.append(Cut(section.title, shown, len(section.text)))
            sections[index] = replace(section, text=shorter)
    return replace(view, sections=tuple(sections)), tuple(receipt)


def _shortened(text: str, room: int) -> tuple[str, int]:
    """Return as much of the beginning as has room in so many bytes beside a note of what is left out."""
    longest_note = _note(len(text), len(text))
    start = text.encode()[: max(0, room - len(longest_note) - 1)].decode(errors="ignore")
    if len(start) < LEAST_SHOWN:
        return longest_note, 0
    return f"{start}\n{_note(len(text) - len(start), len(text))}", len(start)


def _note(left_out: int, of: int) -> str:
    return f"[{left_out} of {of} characters are left out here]"
