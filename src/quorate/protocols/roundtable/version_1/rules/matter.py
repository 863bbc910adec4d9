"""The material of a roundtable: the topic, the target documents, and the contents of meta.json."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.kit.settings import read_settings
from quorate.kit.strict_json import strict_json
from quorate.protocols.roundtable.version_1.rules.model import RoundtableSettings, document_keys
from quorate.protocols.roundtable.version_1.rules.personas import Cast, cast


def topic(record: Record) -> str:
    """The topic in the user's words; empty where a session was opened without one, as `verify` does."""
    return record.material.get("topic", "")


def documents(record: Record) -> dict[Key, Mapping[str, Any]]:
    """The target documents by key: name, path, text and digest of each."""
    found = {Key(each["key"]): each for each in _parsed(record.material.get("documents", "[]"))}
    count = int(record.protocol.settings.get("documents", 0))
    return {key: found.get(key, {"key": key, "name": str(key)}) for key in document_keys(count)}


def meta(record: Record) -> Mapping[str, Any]:
    """What meta.json held when the session was opened, as the intake has read it."""
    found: Mapping[str, Any] = _parsed(record.material.get("meta", "{}"))
    return found


def cast_of(record: Record) -> Cast:
    """Who sits at the table of a record."""
    return cast(read_settings(RoundtableSettings, record.protocol.settings), record.protocol.briefs)


@lru_cache(maxsize=16)
def _parsed(text: str) -> Any:
    return strict_json(text)
