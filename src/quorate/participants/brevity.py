"""Brevity: a form's schema made small enough for a small model, and what is done about texts that met the limit.

The grammar that holds an embedded model to its form can hold it to a length too, which is the only thing that stops a
tiny model from running on. The reply is still read against the real form; the limits here are never wider.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Any

LEAST = 120
"""Characters that any text may have, so that a sentence fits; fewer only where a reply has very many texts."""
SHORTEST = 20
"""Characters of the shortest plain sentence."""


def shorten(schema: Mapping[str, Any], characters: int, entries: int) -> dict[str, Any]:
    """Return the schema with lists of at most `entries`, and about `characters` for all texts of a reply together.

    The room is shared out by the square roots of the texts' own limits: a text that may be a hundred times as long as
    another gets ten times as much. Where a sentence for each text would be more than twice the room, lists have fewer
    entries, down to one: few whole sentences say more than many fragments. A reply that has too many texts even then
    (an answer for each of forty claims) has shorter ones, so that it still ends.
    """
    narrow = _with_entries(schema, entries)
    limits = list(text_limits(narrow))
    if entries > 1 and LEAST * len(limits) > 2 * characters:
        return shorten(schema, characters, entries - 1)
    if not limits:
        return narrow
    least = min(LEAST, max(SHORTEST, 2 * characters // len(limits)))
    return _with_lengths(narrow, characters / max(1.0, sum(sqrt(limit) for limit in limits)), least)


def text_limits(schema: Mapping[str, Any]) -> Iterator[int]:
    """Go through the limits of all texts that a reply can hold, an entry's texts as often as there can be entries."""
    if schema.get("type") == "string" and "enum" not in schema:
        yield schema.get("maxLength", 0)
    for inner in schema.get("properties", {}).values():
        yield from text_limits(inner)
    if schema.get("type") == "array":
        yield from list(text_limits(schema["items"])) * schema["maxItems"]


def _with_entries(schema: Mapping[str, Any], entries: int) -> dict[str, Any]:
    found = _descend(schema, lambda inner: _with_entries(inner, entries))
    return found | {"maxItems": min(found["maxItems"], entries)} if found.get("type") == "array" else found


def _with_lengths(schema: Mapping[str, Any], share: float, least: int) -> dict[str, Any]:
    found = _descend(schema, lambda inner: _with_lengths(inner, share, least))
    if "maxLength" in found:
        most = min(found["maxLength"], max(least, int(sqrt(found["maxLength"]) * share)))
        found |= {"maxLength": most, "minLength": 1}
    return found


def in_sentences(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with each text held to plain sentences: a capital first, a full stop last, no code between.

    Without it a tiny model fills texts with numbers and brackets, which it has seen more often in JSON.
    """
    found = _descend(schema, in_sentences)
    if (most := found.get("maxLength", 0)) > 2:
        least = min(SHORTEST, most) - 2
        del found["maxLength"], found["minLength"]
        found["pattern"] = rf'^[A-Z][^"\\{{}}\[\]<>|_*#`=\n\t\r]{{{least},{most - 2}}}[.!?]$'
    return found


def _descend(schema: Mapping[str, Any], change: Any) -> dict[str, Any]:
    found = dict(schema)
    if "properties" in found:
        found["properties"] = {name: change(inner) for name, inner in found["properties"].items()}
    if "items" in found:
        found["items"] = change(found["items"])
    return found


def round_off(value: Any, schema: Mapping[str, Any]) -> tuple[Any, int]:
    """End every text that met its limit after its last whole sentence or word, visibly; return how many there were."""
    match value:
        case str() if _met_limit(value, schema.get("maxLength")):
            return _rounded(value), 1
        case dict():
            inner = {name: round_off(each, schema.get("properties", {}).get(name, {})) for name, each in value.items()}
            return {name: each for name, (each, _) in inner.items()}, sum(count for _, count in inner.values())
        case list():
            entries = [round_off(each, schema.get("items", {})) for each in value]
            return [each for each, _ in entries], sum(count for _, count in entries)
        case _:
            return value, 0


_FORCED = re.compile(r"[\s,;:&(-]+[.!?]$")


def _met_limit(text: str, most: int | None) -> bool:
    """A text met its limit if it is as long, or nearly and closed by a stop that no sentence would have there."""
    return most is not None and (len(text) >= most or (len(text) > most - LEAST and bool(_FORCED.search(text))))


def _rounded(text: str) -> str:
    sentence = max(text.rfind(stop) for stop in (". ", "! ", "? ", ".\n"))
    if sentence > len(text) // 2:
        return text[: sentence + 1]
    word = text.rfind(" ", 0, len(text) - 1)
    return (text[:word] if word > len(text) // 2 else text[:-2]).rstrip(" ,;:&(-") + " …"
