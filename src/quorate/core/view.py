"""Views: what one seat is shown for one ask, in sections that are cut in a defined order to a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorate.core.values import replace, value


@value(frozen=True, slots=True)
class Section:
    """A titled part of a view. Data (material, or what another seat said) is fenced before a model sees it."""

    title: str
    text: str
    data: bool = True
    cut: int = 0
    """0 is never cut; of the others the highest number is cut first."""
    quotable: str = ""
    """What a quotation may be taken from: the thing deliberated about itself, never somebody's words about it."""
    person: bool = False
    """The words of a person at this table: no data, they have authority, and models are told to follow them."""
    lines: str = ""
    """The key under which its lines may be named by their numbers (`kit/line_keys.py`); empty where they have none."""
    common: bool = False
    """Whether views of other seats and rounds begin with it too: what stands before a task is paid for once."""


def common(sections: Iterable[Section]) -> Iterator[Section]:
    """Mark the sections as a prefix that many views of a session share."""
    return (replace(section, common=True) for section in sections)


@value(frozen=True, slots=True)
class View:
    """What a seat is shown: the brief of its role ('' for none), and the sections in order."""

    role: str
    sections: tuple[Section, ...]
    whole: bool = True
    """Whether nothing that may be quoted was cut from it."""

    def text(self) -> str:
        return "\n\n".join(f"{section.title}\n{section.text}" for section in self.sections)

    def material(self) -> str:
        """Return the texts that a quotation may be taken from."""
        return "\n\n".join(section.quotable for section in self.sections if section.quotable)


@value(frozen=True, slots=True)
class Cut:
    """A receipt: how much of a section was shown."""

    title: str
    shown: int
    of: int
    meant: bool = False
    """Whether it is short by design, as a brief is for a small window, and nothing is missing."""


BYTES_PER_TOKEN = 3
"""A cautious figure: English text has about four bytes a token, code and other languages fewer."""
BETWEEN = 3
"""Bytes between a title and its text, and between sections."""
LEAST_SHOWN = 200
"""Characters of a section that are kept while anything of it is."""


def estimate_tokens(text: str) -> int:
    """Return a cautious estimate of the tokens in a text."""
    size = len(text) if text.isascii() else len(text.encode())
    return -(-size // BYTES_PER_TOKEN)


def fit(view: View, tokens: int, frame: int = 0) -> tuple[View, tuple[Cut, ...]]:
    """Cut sections until the view fits: the highest `cut` number first, and of equal ones the last first.

    First texts are shortened to a note; where all notes together are too much, sections go altogether, in the same
    order, and one at the end counts them. Only what is never cut can leave a view larger than the budget. `frame` is
    what each section costs beside its title and text, in bytes.
    """
    sections = list(view.sections)
    over = len(view.text().encode()) + frame * len(sections) - tokens * BYTES_PER_TOKEN
    order = [index for index, section in enumerate(sections) if section.cut]
    order.sort(key=lambda index: (-sections[index].cut, -index))
    receipt: dict[int, Cut] = {}
    for index in order:
        if over <= 0:
            break
        section = sections[index]
        size = len(section.text.encode())
        shorter, shown = _shortened(section.text, size - over)
        saved = size - len(shorter.encode())
        if saved > 0:
            over -= saved
            receipt[index] = Cut(section.title, shown, len(section.text))
            sections[index] = replace(section, text=shorter)
    if over <= 0 or len(order) <= 1:
        return replace(view, sections=tuple(sections)), tuple(receipt.values())
    gone = _dropped(sections, order, over, frame)
    receipt |= {index: Cut(sections[index].title, 0, len(view.sections[index].text)) for index in gone}
    kept = [section for index, section in enumerate(sections) if index not in gone]
    return replace(view, sections=(*kept, _counted(len(gone)))), tuple(
        receipt[index] for index in order if index in receipt
    )


def _dropped(sections: list[Section], order: list[int], over: int, frame: int) -> set[int]:
    """Return the sections to drop entirely, leaving room for the section that counts them."""
    over += len(_counted(len(order)).title) + len(_counted(len(order)).text) + BETWEEN + frame
    gone: set[int] = set()
    for index in order:
        if over <= 0:
            break
        over -= len(sections[index].title.encode()) + len(sections[index].text.encode()) + BETWEEN + frame
        gone.add(index)
    return gone


def _counted(gone: int) -> Section:
    return Section("Not shown for want of room", f"{gone} sections", data=False)


def _shortened(text: str, room: int) -> tuple[str, int]:
    """Return the longest prefix that fits into so many bytes together with a note of what is left out."""
    longest_note = _note(len(text), len(text))
    start = text.encode()[: max(0, room - len(longest_note) - 1)].decode(errors="ignore")
    if len(start) < LEAST_SHOWN:
        return longest_note, 0
    return f"{start}\n{_note(len(text) - len(start), len(text))}", len(start)


def _note(left_out: int, of: int) -> str:
    return f"[{left_out} of {of} characters are left out here]"
