"""Replies as text: labelled passages, closed values, and a one-line gist."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quorate.cli.text import one_line, safe

if TYPE_CHECKING:
    from quorate.core.forms import Reply
    from quorate.core.shapes import Shape

LEADING = ("question", "position", "synthesis", "says", "solution", "text", "summary")
"""Fields that say what a reply is about, the first that it has before all others; reasons are longer and say why."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One field of a reply: its path, its text, and whether it is free text."""

    label: str
    text: str
    prose: bool


def passages(reply: Reply) -> list[Passage]:
    """Return all filled-in fields of a reply, in the order of the form."""
    from quorate.core.shapes import shape_of

    return list(_walk(shape_of(type(reply)), reply, ()))


def closed_values(reply: Reply) -> str:
    """Return the top-level closed values, such as `confidence 80`."""
    found = [each for each in passages(reply) if not each.prose and " " not in each.label]
    return ", ".join(f"{each.label} {each.text}" for each in found)


def gist(reply: Reply, most: int = 0) -> str:
    """Return a one-line summary: the leading field, or else the longest free text."""
    texts = {each.label: each.text for each in passages(reply) if each.prose}
    leading = next((texts[name] for name in LEADING if texts.get(name, "").strip()), "")
    return one_line(leading or max(texts.values(), key=len, default=""), most)


def transcript(reply: Reply, indent: str = "  ") -> str:
    """Return the whole reply, with a labelled paragraph for each non-empty field."""
    parts: list[str] = []
    for each in passages(reply):
        text = safe(each.text).strip()
        if "\n" in text or len(text) > 90:
            body = "\n".join(f"{indent}  {line}" if line else "" for line in text.splitlines())
            parts.append(f"{indent}{each.label}:\n{body}")
        elif text:
            parts.append(f"{indent}{each.label}: {text}")
    return "\n".join(parts)


def _walk(shape: Shape, value: Any, path: tuple[str, ...]) -> Iterator[Passage]:
    from quorate.core.shapes import Choice, Flag, Group, Many, PerKey, Text

    label = " ".join(path)
    match shape:
        case Text():
            yield Passage(label, value.text, prose=True)
        case Flag():
            yield Passage(label, "yes" if value else "no", prose=False)
        case Choice():
            yield Passage(label, str(value.value), prose=False)
        case Many(item=item):
            for number, each in enumerate(value, start=1):
                yield from _walk(item, each, (*path[:-1], f"{path[-1]} {number}"))
        case PerKey(item=item):
            for key, each in value.items():
                yield from _walk(item, each, (*path[:-1], str(key)))
        case Group(fields=fields):
            for each in fields:
                if each.mark is None:
                    yield from _walk(each.shape, getattr(value, each.name), (*path, each.name.replace("_", "-")))
        case _:
            yield Passage(label, str(value), prose=False)
