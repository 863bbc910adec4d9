"""Bytes as choices: the same bytes always make the same numbers, texts and plain data, and an end makes zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from quorate.core.forms import Key
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text

T = TypeVar("T")
DEEPEST = 6
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**63, -(2**70), 10**400, 0.0, 80.0, 0.1, 1e308, float("nan"), float("inf")),
    *("", " ", "\0", "\ud800", "\u202e", "\u200b", "approve", "APPROVE", "true", "null", "1", "yes", "k1", "*"),
    *([], {}, [[]], {"": ""}, {"__class__": "x"}, "x" * 5_000, ["k1", "k1"], {"reply": {}}, "[masked secret 1]"),
)
"""What readers have stumbled over elsewhere."""
SYNTAX = (
    *('{"', '":', "[", "]", "{", "}", ",", "\\u0000", "\\ud800", "1e999", "NaN", "-0", "0x1f", "- ", ": ", "&a ", "*a"),
    *("<<: ", "!!python/object:x ", "|\n  ", ">-\n ", "---\n", "...\n", "%YAML 1.1\n", "#", "'", '"', "\t", "\r\n"),
    *("diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1 +1 @@\n", "rename from x\n", "seq", "ask", "absent"),
)
"""Pieces of the languages that are read."""


class Draws:
    """Choices drawn from bytes, from first to last."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    @property
    def left(self) -> bool:
        return self.at < len(self.data)

    def byte(self) -> int:
        value = self.data[self.at] if self.left else 0
        self.at += 1
        return value

    def number(self, low: int, high: int) -> int:
        """Return a whole number within bounds; both of them are drawn often."""
        kind = self.byte()
        if kind < 40:
            return low
        if kind < 80:
            return high
        return low + int.from_bytes(bytes(self.byte() for _ in range(4))) % (high - low + 1)

    def often(self, chances: int) -> bool:
        """Whether something happens that happens in so many of 256 cases."""
        return 256 - chances <= self.byte()

    def pick(self, values: Sequence[T]) -> T:
        return values[(self.byte() | self.byte() << 8) % len(values)]

    def text(self, most: int = 40) -> str:
        words: list[str] = []
        for _ in range(self.byte() % 8):
            piece = self.pick(SYNTAX) if self.often(128) else chr(self.number(0, 0x10FFFF))
            words.append(piece)
        return "".join(words)[:most]

    def rest(self) -> bytes:
        value, self.at = self.data[self.at :], len(self.data)
        return value

    def plain(self, depth: int = 0) -> Any:
        """Return plain data, often odd."""
        match self.byte() % (4 if depth < DEEPEST else 3):
            case 0:
                return self.pick(ODD)
            case 1:
                return self.text()
            case 2:
                return self.number(-1_000, 1_000)
            case _ if self.often(128):
                return [self.plain(depth + 1) for _ in range(self.byte() % 4)]
            case _:
                return {self.text(12): self.plain(depth + 1) for _ in range(self.byte() % 4)}

    def shaped(self, shape: Shape, keys: Sequence[Key], odd: int = 6) -> Any:
        """Return data for a shape of a form as a participant may write it; `odd` of 256 values do not fit."""
        if self.often(odd):
            return self.plain()
        match shape:
            case Text(most):
                return self.text(most)
            case Flag():
                return self.often(128)
            case Choice(enum):
                return self.pick([member.value for member in enum])
            case Number(low, high):
                return self.number(low, high)
            case OneKey():
                return str(self.pick(keys)) if keys else "k1"
            case Many(item, most):
                return [self.shaped(item, keys, odd) for _ in range(self.byte() % (min(most, 3) + 1))]
            case PerKey(item):
                return {str(key): self.shaped(item, keys, odd) for key in keys if not self.often(20)}
            case Group(fields=fields):
                known = [each for each in fields if each.mark is None and not self.often(odd // 2)]
                made = {each.name: self.shaped(each.shape, keys, odd) for each in known}
                return made | ({self.text(12): self.plain()} if self.often(odd // 2) else {})
