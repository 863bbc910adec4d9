"""Asking a provider to cache the start of prompts, where there is an interface for it.

Prompts of a session begin alike: the system prompt, then what all seats are shown. Anthropic, and OpenAI from GPT-5.6
on, cache what a request marks: that start is marked, and in a conversation with looks into a folder what was said so
far as well. OpenAI and Mistral take a key that brings requests with the same start to the same machine. Google and Groq
cache by themselves, and so do servers of open models; there is nothing to ask of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from quorate.participants.port import Prompt, Request

if TYPE_CHECKING:
    from pydantic_ai.messages import UserPromptPart
    from pydantic_ai.settings import ModelSettings

    from quorate.participants.model import ModelParticipant

_KEYS = {"openai": "openai_prompt_cache_key", "mistral": "mistral_prompt_cache_key"}
"""The setting of a provider that takes a key for requests which begin alike."""
MARKING = frozenset({"anthropic", "openai"})
"""Providers that cache what is marked; which of their models do, the profile of the model says."""


def cache_settings(who: ModelParticipant, request: Request) -> ModelSettings:
    """Return the settings that ask for caching: of the start alone, or of a conversation that goes on for some turns.

    Other addresses than the provider's own are asked for nothing by key: not every server takes one.
    """
    found: dict[str, Any] = {}
    if who.prompt_cache and who.spec.provider in _KEYS and who.spec.base_url is None:
        start = f"{request.prompt.system}\n{request.prompt.user[: request.prompt.shared]}"
        found[_KEYS[who.spec.provider]] = f"quorate-{sha256(start.encode()).hexdigest()[:24]}"
    if who.prompt_cache and who.spec.provider in MARKING:
        found["cache"] = True if request.tools is not None else {"messages": False}
    return found  # type: ignore[return-value]  # keys of single providers, which others pass over


def marked(who: ModelParticipant, prompt: Prompt, more: str, profile: Mapping[str, Any]) -> UserPromptPart:
    """Return the user's part of a prompt and more words, marked behind what all seats are shown if that is cached."""
    from pydantic_ai.messages import CachePoint, UserPromptPart

    text = prompt.user + more
    caches = who.prompt_cache and who.spec.provider in MARKING and profile.get("supports_cache", False)
    if not caches or not 0 < prompt.shared < len(text):
        return UserPromptPart(text)
    return UserPromptPart([text[: prompt.shared], CachePoint(), text[prompt.shared :]])
