"""Match a typed choice by name (ignoring case), prefix or number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def picked(text: str, names: Sequence[str], *, numbered: bool = True) -> str | None:
    """Return the matching name: ignoring case, with a space for `_`, by prefix, or by number."""
    if text in names:
        return text
    typed = _plain(text)
    if not typed:
        return None
    if numbered and (number := text.strip()).isdecimal():
        return names[int(number) - 1] if len(number) < 4 and 1 <= int(number) <= len(names) else None
    same = [name for name in names if _plain(name) == typed]
    found = same or [name for name in names if _plain(name).startswith(typed)]
    return found[0] if len(found) == 1 else None


def same_word(text: str, names: Iterable[str]) -> str | None:
    """Return the name that equals a word, ignoring case and with a space or dash for `_`."""
    found = [name for name in names if _plain(name) == _plain(text)]
    return found[0] if len(found) == 1 else None


def _plain(text: str) -> str:
    return "_".join(text.replace("-", " ").replace("_", " ").split()).casefold()
