"""Entries of a panel file: the allowed keys and their values, also as a JSON Schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.participants.prices import PRICE_SCHEMA, read_price
from quorate.participants.providers import PROVIDERS, checked_url
from quorate.participants.relay import FROM_ROUND
from quorate.participants.wire import Output

DEFAULT_MODEL = "local:smollm2"
WHO = ("model", "script")
STRONGER = "stronger"
FROM = "from_round"
CONFIRMS = "confirms"
MOST_ROUND = 1_000
TOP = ("default", "seats", "script", "concurrency")
MOST_AT_ONCE = 1_000
SAMPLES = "samples"
FEWEST_SAMPLES, MOST_SAMPLES = 2, 25
LOCAL_OPTIONS = ("temperature", "timeout", "window", SAMPLES, "measure")
OPTIONS: Mapping[str, dict[str, Any]] = {
    "temperature": {"type": "number", "minimum": 0, "maximum": 2},
    "max_tokens": {"type": "integer", "minimum": 1, "maximum": 1_000_000, "description": "of one reply"},
    "timeout": {"type": "number", "minimum": 0.1, "maximum": 3600, "description": "seconds for one call"},
    "output": {"enum": [mode.value for mode in Output], "description": "how the model is asked for the form"},
    "stream": {"type": "boolean", "description": "false for servers that cannot stream"},
    "retries": {"type": "integer", "minimum": 0, "maximum": 20, "description": "for errors of transport"},
    "window": {"type": "integer", "minimum": 512, "maximum": 100_000_000, "description": "tokens, prompt and reply"},
    "length": {"type": "integer", "minimum": 200, "maximum": 1_000_000, "description": "characters of a whole reply"},
    "base_url": {"type": "string", "description": "the address of an OpenAI-compatible server, or of a proxy"},
    "prompt_cache": {"type": "boolean", "description": "false where the provider shall not cache prompts"},
    "price": PRICE_SCHEMA,
    SAMPLES: {
        "type": "integer",
        "minimum": FEWEST_SAMPLES,
        "maximum": MOST_SAMPLES,
        "description": "replies drawn for each ask, of which one is taken; an odd number decides more",
    },
    "measure": {
        "type": "boolean",
        "description": "of an embedded model: false leaves closed fields as it filled them in",
    },
}


def option_of(name: str, node: Located) -> Any:
    """Return the value of an option, or raise InputError with its file and line."""
    kind = OPTIONS[name]
    match name:
        case "output":
            return Output(node.choice(kind["enum"], "output mode"))
        case "price":
            return read_price(node)
        case "stream" | "prompt_cache" | "measure":
            return node.flag()
        case "base_url":
            try:
                return checked_url(node.text())
            except InputError as problem:
                raise node.error(problem.what, problem.expected) from problem
        case _ if kind["type"] == "integer":
            return node.whole(kind["minimum"], kind["maximum"])
        case _:
            return node.number(kind["minimum"], kind["maximum"])


def panel_schema(seats: Collection[str] = ()) -> dict[str, Any]:
    """Return a JSON Schema of panel files, for editors. With `seats`, only those seats are allowed."""
    name = {
        "type": "string",
        "pattern": r"^(person|[a-z-]+:.+)$",
        "examples": ["openai:gpt-5", DEFAULT_MODEL, "person"],
    }
    path = {"type": "string", "description": "a file of replies, as seen from this file"}
    later = {
        FROM: {"type": "integer", "minimum": 2, "maximum": MOST_ROUND, "default": FROM_ROUND},
        CONFIRMS: {"type": "boolean", "default": False},
    }

    def entries(more: Mapping[str, Any]) -> list[dict[str, Any]]:
        by_model = {"model": name, **OPTIONS, **more}
        by_script = {"script": path, **more}
        found = [(by_model, "model"), (by_script, "script")]
        return [
            {"type": "object", "properties": properties, "required": [who], "additionalProperties": False}
            for properties, who in found
        ]

    stronger = {"anyOf": [name, *entries(later)], "description": "who speaks from a later round on, or confirms"}
    entry = {"anyOf": [name, *entries({STRONGER: stronger})]}
    named: dict[str, Any] = {"type": "object", "additionalProperties": entry}
    if seats:
        named = {"type": "object", "properties": dict.fromkeys(seats, entry), "additionalProperties": False}
    limits = {provider: {"type": "integer", "minimum": 1, "maximum": MOST_AT_ONCE} for provider in PROVIDERS}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A panel: who sits on which seat",
        "type": "object",
        "properties": {
            "default": entry,
            "seats": named,
            "script": path,
            "concurrency": {"type": "object", "properties": limits, "additionalProperties": False},
        },
        "additionalProperties": False,
    }
