"""Shrink a form's JSON Schema for a small model, and tidy up texts that were cut at the limit.

The grammar that constrains an embedded model also limits the length of its texts; nothing else stops a tiny model
from rambling. The reply is still validated against the real form, whose limits are never narrower.
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
    """Return the schema with lists capped at `entries` items and all texts of a reply capped at about `characters`.

    Characters are allotted by the square root of each text's own limit: a text that may be a hundred times as long as
    another gets ten times as much. If one sentence per text would need more than twice the total, lists are shortened,
    down to one item: few whole sentences say more than many fragments. If there are still too many texts (an answer
    for each of forty claims), each gets less, so that the reply always ends.
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
    """Yield the limit of every text in a reply; a list item's texts are counted once for each possible item."""
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
    """Return the schema with a pattern on each text: plain sentences, a capital first and a full stop last.

    Without it a tiny model fills texts with numbers and brackets.
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
    """Trim every text that hit its limit to its last whole sentence or word; also return how many there were."""
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
    """Return whether a text hit its limit: it has the full length, or nearly and an unnatural full stop."""
    return most is not None and (len(text) >= most or (len(text) > most - LEAST and bool(_FORCED.search(text))))


def _rounded(text: str) -> str:
    sentence = max(text.rfind(stop) for stop in (". ", "! ", "? ", ".\n"))
    if sentence > len(text) // 2:
        return text[: sentence + 1]
    word = text.rfind(" ", 0, len(text) - 1)
    return (text[:word] if word > len(text) // 2 else text[:-2]).rstrip(" ,;:&(-") + " …"
