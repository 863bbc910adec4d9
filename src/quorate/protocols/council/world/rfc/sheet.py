"""Lenient reading of one YAML file: malformed values are noted as flaws, and reading continues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.files import Trouble
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Place

MOST_FLAWS = 40
"""Flaws of one file that are told one by one."""
MOST_PATH = 500
_WIDTHS = (2, 4, 8)
"""Spaces that a tab may have been meant for."""
MOST_ID = 100
"""Characters of an id; a longer one is no id."""


def place_of(node: Located) -> Place:
    """Return the location of a value."""
    key = node.key or ""
    return Place(node.file, node.line or 1, key if len(key) <= MOST_PATH else key[: MOST_PATH - 1] + "…")


@dataclass(slots=True)
class Sheet:
    """One file and its flaws."""

    file: str
    place: str = "RFC"
    """The key of the ticket or document."""
    flaws: list[Flaw] = field(default_factory=list)
    more: int = 0
    mute: bool = False
    """The file was mended to be read at all, so that what else is amiss may come from the mending."""

    def note(
        self,
        defect: Defect,
        what: str,
        at: Place | Located,
        field: Field = Field.WHOLE,
        expected: str = "",
        *,
        warns: bool = False,
    ) -> None:
        """Note a flaw, once."""
        where = place_of(at) if isinstance(at, Located) else at
        flaw = Flaw(defect, what, where, self.place, field, expected, warns)
        if self.mute or flaw in self.flaws:
            return
        if len(self.flaws) < MOST_FLAWS:
            self.flaws.append(flaw)
        else:
            self.more += 1

    def trouble(self, trouble: Trouble) -> None:
        """Note that the file as a whole cannot be read."""
        self.note(trouble.defect, trouble.what, Place(self.file, trouble.line), expected=trouble.expected)

    def told(self, place: str | None = None) -> tuple[Flaw, ...]:
        """Return the flaws, assigned to `place` if one is given."""
        flaws = list(self.flaws)
        if self.more:
            what = f"has {self.more} more flaws that are not listed"
            flaws.append(Flaw(Defect.WRONG_SHAPE, what, Place(self.file), self.place))
        return tuple(flaws if place is None else (replace(flaw, place=place) for flaw in flaws))

    def parse(self, text: str) -> Located | None:
        """Parse the text; None, with a flaw, if it is not valid YAML. A tab is always a flaw."""
        tab = text.find("\t")
        if tab >= 0:
            line, others = text.count("\n", 0, tab) + 1, text.count("\t") - 1
            what = "has a tab" if not others else f"has a tab, and {others} more"
            self.note(Defect.TAB, what, Place(self.file, line), expected="spaces")
        try:
            return load(text, self.file)
        except InputError as error:
            if tab >= 0:
                return self._mended(text, error)
            self._refuse(error)
            return None

    def _mended(self, text: str, error: InputError) -> Located | None:
        """Parse a text with its tabs replaced by spaces; if that works, tabs were the only problem."""
        for width in _WIDTHS:
            try:
                root = load(text.replace("\t", " " * width), self.file)
            except InputError:
                continue
            self.mute = True
            return root
        if "\t" not in text.split("\n")[(error.line or 1) - 1]:
            self._refuse(error)
        return None

    def _refuse(self, error: InputError) -> None:
        key = (error.key or "")[:MOST_PATH]
        self.note(Defect.NOT_YAML, error.what, Place(self.file, error.line or 1, key), expected=error.expected or "")

    # Readers

    def wrong(self, node: Located, expected: str, field: Field) -> None:
        self.note(Defect.WRONG_SHAPE, f"{_leaf(node)} {node.wrong(expected).what}", node, field, expected)

    def mapping(self, node: Located | None, field: Field) -> Mapping[str, Located]:
        """Return the entries of a mapping; empty for anything else, with a flaw unless the value is empty."""
        if node is None or node.value is None:
            return {}
        if isinstance(node.value, Mapping):
            return node.value
        self.wrong(node, "a mapping", field)
        return {}

    def items(self, node: Located | None, field: Field) -> tuple[Located, ...]:
        """Return the entries of a list; empty for anything else, with a flaw unless the value is empty."""
        if node is None or node.value is None:
            return ()
        if isinstance(node.value, tuple):
            return node.value
        self.wrong(node, "a list", field)
        return ()

    def text(self, node: Located | None, field: Field) -> str:
        """Return a value that must be a string, such as an id or a path, stripped; empty if there is none."""
        if node is None or node.value is None:
            return ""
        if isinstance(node.value, str):
            return node.value.strip()
        self.wrong(node, "a text", field)
        return ""

    def prose(self, node: Located | None, field: Field) -> str:
        """Return free text; numbers and booleans are converted to text."""
        if node is None or node.value is None:
            return ""
        if isinstance(node.value, str):
            return node.value.strip()
        if isinstance(node.value, bool):
            return "true" if node.value else "false"
        if isinstance(node.value, int | float):
            return str(node.value)
        self.wrong(node, "a text", field)
        return ""

    def first(self, entries: Mapping[str, Located], names: tuple[str, ...]) -> Located | None:
        """Return the first of these entries that exists and is not empty."""
        for name in names:
            node = entries.get(name)
            if node is not None and node.value is not None:
                return node
        return None


def _leaf(node: Located) -> str:
    """Return the name of a value, such as `depends_on` or `depends_on[2]`, for a sentence about it."""
    if not node.path:
        return "the file"
    names = [part for part in node.path if isinstance(part, str)]
    last = node.path[-1]
    name = (names[-1] if names else "entry")[:60]
    return f"`{name}`" if isinstance(last, str) else f"`{name}[{last}]`"


def walk(node: Located) -> Iterator[Located]:
    """Yield a value and all its descendants, pre-order."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        if isinstance(here.value, Mapping):
            waiting.extend(reversed(list(here.value.values())))
        elif isinstance(here.value, tuple):
            waiting.extend(reversed(here.value))
