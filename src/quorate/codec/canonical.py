"""Canonical JSON and digests: equal values have equal texts and hashes on every machine."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from quorate.core.errors import StoreError

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which no valid text contains, by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return _NO_CHARACTER.sub(REPLACEMENT, text)


def canonical(value: Any) -> str:
    """Serialize plain data as JSON with sorted keys, no spaces and raw UTF-8; StoreError if it is not plain data."""
    refuse_strange(value, "the data")
    return dump(value)


_ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def dump(value: Any) -> str:
    """Serialize data that is known to be plain, as `canonical` does, without checking it."""
    text = _ENCODER.encode(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub(REPLACEMENT, text)
    return text


def refuse_strange(value: Any, place: str) -> None:
    """Raise StoreError for data without a canonical text: floats (they differ by machine), other types or keys."""
    match value:
        case None | bool() | int() | str():
            return
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise StoreError(f"{place} has the key {key!r}; only texts are keys in a journal")
                refuse_strange(inner, f"{place}.{key}")
        case list() | tuple():
            for index, inner in enumerate(value):
                refuse_strange(inner, f"{place}[{index}]")
        case _:
            raise StoreError(f"{place} is {value!r}; a journal keeps texts, whole numbers, true, false and null")


def digest_text(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, as hexadecimal."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
