"""Model families: models of one vendor, which are likely to err alike."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAMED: Mapping[str, str] = {
    "anthropic": r"claude",
    "openai": r"gpt(?!-?(?:j|neo|2\b))|chatgpt|o[1-9]\b|codex|davinci|text-embedding",
    "google": r"gemini|gemma|palm",
    "mistral": r"mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|open-mi[sx]tral",
    "llama": r"llama|meta-llama|codellama|code-llama",
    "smollm2": r"smollm",
    "qwen": r"qwen|qwq",
    "deepseek": r"deepseek",
    "microsoft": r"phi(?=[-\d]|$)|wizardlm",
    "xai": r"grok",
    "cohere": r"command(?=[-_]|$)|c4ai|aya(?=[-_]|$)",
    "amazon": r"nova(?=[-_])|titan(?=[-_])",
    "moonshot": r"kimi|moonshot",
    "zhipu": r"glm|chatglm",
    "ibm": r"granite",
}
_NAMES = [(name, re.compile(expression)) for name, expression in _NAMED.items()]
_VENDORS = ("openai", "anthropic", "google", "mistral")
"""Providers that serve nothing but models of their own, as long as no other address is named."""
NO_MODEL: Mapping[str, str] = {"script": "scripts", "person": "people"}
"""Who may sit on a seat beside models, as one and as several."""


def family(model: str) -> str:
    """Return the family of a model as a record names it, such as `anthropic` for `anthropic:claude-opus-4`.

    A script and a person are of none, and stand for themselves. A model that is not known here is its own family, by
    its name without provider and address: two such names are taken for two families, which may be too kind.
    """
    plain, _, address = model.strip().lower().partition("@")
    provider, found, rest = plain.partition(":")
    if provider in NO_MODEL:
        return provider
    name = rest if found else plain
    last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    last = last.removesuffix(".gguf").partition(":")[0]
    for known, expression in _NAMES:
        if expression.match(last):
            return known
    if found and provider in _VENDORS and not address:
        return provider
    return last or plain or "unknown"
