"""Labels: the names of a form's texts, where a small model writes them itself before or behind its text."""

from __future__ import annotations

import re

from quorate.core.shapes import FormField, Group, Many, PerKey, Shape
from quorate.participants.sheet import Sheet, asked, title

_MARKERS = re.compile(r"^[ \t]*<<(?:data|end|person)\b[^\n>]*>{0,2}[ \t]*\n*", re.MULTILINE)
"""Fences of the prompt, which small models copy into what they write."""


class Labels:
    """The names of a sheet's texts where a model writes them itself: before its text, or before the next one."""

    def __init__(self, sheet: Sheet) -> None:
        self.names = sorted({name for name in _names(sheet.shape)}, key=len, reverse=True)

    def end(self, each: FormField, text: str) -> int | None:
        """Return where a text ends because the model has gone on to another."""
        others = "|".join(re.escape(name) for name in self.names if name not in (each.name, title(each.name)))
        if not others:
            return None
        pattern = rf"\n[ \t]*(?:#{{1,6}}[ \t]*(?:{others})[ \t]*:?[ \t]*\n|\*\*(?:{others}):?\*\*|(?:{others}):[ \t])"
        found = re.search(pattern, text, re.IGNORECASE)
        return None if found is None or not text[: found.start()].strip() else found.start()

    def own(self, each: FormField, text: str) -> str:
        """Return a text without its own label in front, and without copies of the prompt's fences."""
        names = "|".join(re.escape(name) for name in {each.name, title(each.name)})
        label = rf"\A\s*(?:#{{1,6}}[ \t]*)?(?:\*\*)?[\"`]?(?:{names})[\"`]?(?:\*\*)?[ \t]*(?::(?:\*\*)?|\n)"
        return re.sub(label, "", _MARKERS.sub("", text), count=1, flags=re.IGNORECASE)


def _names(shape: Shape) -> set[str]:
    match shape:
        case Group():
            found = {title(each.name) for each in asked(shape)} | {each.name for each in asked(shape)}
            return found.union(*(_names(each.shape) for each in asked(shape)))
        case Many(item) | PerKey(item):
            return _names(item)
        case _:
            return set()
