"""Refutations: whether what the skeptic quotes has to do with the item that it refutes, as far as code can tell (R23).

The skeptic's view marks what may be quoted: each file under its key, and each item with its file and its evidence. A
line of a patch begins with its column, and a line of evidence with a space here, so neither can be taken for a mark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.core.view import Section
from quorate.kit.ground import Ground
from quorate.kit.line_keys import without_numbers

LEAST_OF_NAME = 4
"""Characters of a name that makes lines of two files speak of the same thing."""
_MARK = re.compile(r"=== (F\d+|I\d+)(?: (F\d+))?")
_NAME = re.compile(rf"[^\W\d]\w{{{LEAST_OF_NAME - 1},}}")
_WORDS = (
    "abstract assert async await boolean break case catch char class const continue default define delete double "
    "elif else enum except export extends false final finally float from func function global goto impl implements "
    "import include instanceof interface lambda long match module mutable namespace none nonlocal null operator "
    "override package pass private protected public raise readonly require return self short signed static string "
    "struct super switch template then this throw throws trait true type typedef typeof undefined union unless "
    "unsigned until using value void volatile where while with yield"
)
_OF_LANGUAGES = frozenset(_WORDS.split(" "))
"""Words that stand in code of any kind, so that sharing one says nothing."""


def as_file(section: Section) -> Section:
    """Return a file of the change as the skeptic may quote it, under its key."""
    return replace(section, quotable=f"=== {section.title.partition(' ')[0]}\n{without_numbers(section.text)}")


def as_item(section: Section, key: str, path: Key, evidence: str) -> Section:
    """Return an item as the skeptic is shown it; of its words none may be quoted."""
    lines = "".join(f"\n {line}" for line in evidence.split("\n"))
    return replace(section, quotable=f"=== {key} {path}{lines}")


@dataclass(slots=True)
class _Shown:
    """What a skeptic was shown: files by key, and of each item the file that it names and its evidence."""

    files: dict[str, Ground] = field(default_factory=dict)
    items: dict[str, tuple[str, str]] = field(default_factory=dict)


def refuting(reply: Any, material: str) -> tuple[Key, ...]:
    """A mark: the items of which something is quoted from the change that has to do with them."""
    shown = _shown(material)
    return tuple(key for key, doubt in reply.doubts.items() if _relates(doubt.quotation.text, key, shown))


def _shown(material: str) -> _Shown:
    found, title, path, lines = _Shown(), "", "", list[str]()

    def close() -> None:
        if title.startswith("F"):
            found.files[title] = Ground("\n".join(lines))
        elif title:
            found.items[title] = path, "\n".join(line[1:] for line in lines)

    for line in material.split("\n"):
        if mark := _MARK.fullmatch(line):
            close()
            title, path, lines = mark[1], mark[2] or "", []
        else:
            lines.append(line)
    close()
    return found


def _relates(quotation: str, key: str, shown: _Shown) -> bool:
    """Return whether a quotation stands in the change and has to do with an item (R23)."""
    stands = _standing(quotation, shown.files)
    if not stands or key not in shown.items:
        return False
    path, evidence = shown.items[key]
    own = _standing(evidence, shown.files) | ({path} & shown.files.keys())
    return not own or bool(own & stands) or bool(_names(quotation) & _names(evidence))


def _standing(quotation: str, files: Mapping[str, Ground]) -> set[str]:
    """Return the files in which a quotation stands."""
    return {key for key, ground in files.items() if ground.holds(quotation)}


def _names(text: str) -> set[str]:
    return {name for found in _NAME.findall(text) if (name := found.casefold()) not in _OF_LANGUAGES}
