"""Model providers: the known ones, where their keys come from, and how to connect.

A key comes from the environment, or from the system keyring if `QUORATE_KEYRING` is set, and never from a file. A
provider's own key is sent to that provider only: if a panel names another address, the key is read from the variable
named after that host, so that no file can leak a key.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from quorate.core.errors import InputError, SettingError, nearest

if TYPE_CHECKING:
    from pydantic_ai.models import Model

COMPATIBLE = "openai-compatible"
OFFLINE = "QUORATE_OFFLINE"
"""Set to 1, every call to another machine is refused."""
KEYRING = "QUORATE_KEYRING"
"""Set to 1, keys that are not in the environment are looked for in the system's keyring."""
OLLAMA_URL = "http://localhost:11434/v1"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider: the environment variables for its key, and its default concurrency limit."""

    keys: tuple[str, ...]
    package: str
    concurrency: int = 4
    elsewhere: str = ""
    """The variable that names another address, where there is one."""


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(("OPENAI_API_KEY",), "openai", elsewhere="OPENAI_BASE_URL"),
    "anthropic": Provider(("ANTHROPIC_API_KEY",), "anthropic", elsewhere="ANTHROPIC_BASE_URL"),
    "google": Provider(("GOOGLE_API_KEY", "GEMINI_API_KEY"), "google.genai", elsewhere="GOOGLE_GEMINI_BASE_URL"),
    "mistral": Provider(("MISTRAL_API_KEY",), "mistralai"),
    "groq": Provider(("GROQ_API_KEY",), "groq", elsewhere="GROQ_BASE_URL"),
    "ollama": Provider((), "openai", 2, "OLLAMA_BASE_URL"),
    COMPATIBLE: Provider((), "openai", 2),
}


class Unusable(Exception):
    """A model cannot be called; the message says what to do and never contains a key."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as people write it: `provider:name`, or `provider:name@http://host:port/v1`."""

    provider: str
    model: str
    base_url: str | None = None

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" + (f"@{self.base_url}" if self.base_url else "")

    @property
    def host(self) -> str | None:
        return None if self.base_url is None else urlsplit(self.base_url).hostname

    @property
    def variables(self) -> tuple[str, ...]:
        """Environment variables for the key; the first one that is set is used."""
        if self.host is None:
            return PROVIDERS[self.provider].keys
        return ("QUORATE_KEY_" + re.sub(r"[^A-Z0-9]+", "_", self.host.upper()),)

    @property
    def key_required(self) -> bool:
        return self.base_url is None and bool(PROVIDERS[self.provider].keys)

    def address(self, env: Mapping[str, str]) -> str | None:
        """Return the base URL from the panel or the environment; None for the provider's default."""
        return self.base_url or env.get(PROVIDERS[self.provider].elsewhere) or None

    def key(self, env: Mapping[str, str]) -> str | None:
        """Return the key from the environment, else from the keyring if that is enabled."""
        found = next((env[name] for name in self.variables if env.get(name)), None)
        if found is None and env.get(KEYRING, "0") not in ("", "0"):
            found = next((key for name in self.variables if (key := _kept_in_keyring(name))), None)
        return found

    def problem(self, env: Mapping[str, str]) -> str | None:
        """Return what is missing to call this model and how to fix it, or None."""
        if find_spec("pydantic_ai") is None or not _installed(PROVIDERS[self.provider].package):
            return f"{self} needs a package that is not installed: pip install 'quorate[models]'"
        if self.key_required and self.key(env) is None:
            where = " or in the keyring" if env.get(KEYRING, "0") not in ("", "0") else ""
            return f"{self} needs a key: set {' or '.join(self.variables)} in the environment{where}"
        return None


def has_key(provider: str, env: Mapping[str, str]) -> bool:
    """Return whether a provider's key is in the environment, or in the keyring if that is enabled."""
    usual = ModelSpec(provider, "")
    return not usual.key_required or usual.key(env) is not None


def _kept_in_keyring(variable: str) -> str | None:
    """Return the system keyring's entry for the service `quorate` and the name of a variable."""
    try:
        ring = import_module("keyring")
    except ImportError as error:
        raise SettingError(
            "the keyring is asked for, but its package is not installed", key=KEYRING, expected="pip install keyring"
        ) from error
    try:
        kept = ring.get_password("quorate", variable)
    except Exception as error:  # every system's keyring fails in ways of its own
        what = f"the keyring cannot be read: {type(error).__name__}"
        raise SettingError(what, key=KEYRING, expected=f"a keyring that is open, or {variable}") from error
    return kept if isinstance(kept, str) and kept else None


def _installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False


def parse_spec(text: str) -> ModelSpec:
    """Parse `provider:name[@url]`. Raises InputError for an unknown provider or a bad address."""
    provider, colon, rest = text.partition(":")
    known = ", ".join(PROVIDERS)
    if not colon or not rest:
        raise InputError(f"{text!r} is not a model", expected=f"provider:name, with a provider among {known}")
    if provider not in PROVIDERS:
        near = nearest(provider, PROVIDERS)
        raise InputError(f"unknown provider {provider!r}", expected=f"one of {known}", nearest=near)
    at = rest.rfind("@http")
    model, base_url = (rest, None) if at < 0 else (rest[:at], checked_url(rest[at + 1 :]))
    if not model:
        raise InputError(f"{text!r} names no model", expected="provider:name")
    return ModelSpec(provider, model, base_url)


def checked_url(text: str) -> str:
    """Validate a server address, or raise InputError. Passwords are refused, because addresses are recorded."""
    try:
        parts = urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise InputError(f"{text!r} is not an address", expected="http://host:port/v1 or https://host/v1")
    if parts.username is not None or parts.password is not None or parts.query:
        raise InputError(
            "the address contains more than host, port and path",
            expected="a plain address; put keys into the environment",
        )
    return text


def is_loopback(url: str) -> bool:
    """Return whether a URL points to this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def connect(spec: ModelSpec, env: Mapping[str, str]) -> Model[Any]:
    """Return the Pydantic AI model for a spec, or raise Unusable. Makes no call."""
    if (problem := spec.problem(env)) is not None:
        raise Unusable(problem)
    if spec.provider == COMPATIBLE and spec.base_url is None:
        raise Unusable(f"{spec} has no address: write {spec}@http://host:port/v1, or set `base_url`")
    model = _model(spec, spec.key(env), env)
    base_url = str(model.base_url or "")
    if env.get(OFFLINE, "0") not in ("", "0") and not is_loopback(base_url):
        raise Unusable(f"{OFFLINE} is set, and {urlsplit(base_url).hostname or spec} is not on this machine")
    return model


def _model(spec: ModelSpec, key: str | None, env: Mapping[str, str]) -> Model[Any]:
    # Servers without a key get a placeholder: the clients want one, and would look for another provider's otherwise.
    placeholder = key or "none"
    match spec.provider:
        case "openai" if spec.address(env) is None:
            from pydantic_ai.models.openai import OpenAIResponsesModel
            from pydantic_ai.providers.openai import OpenAIProvider

            return OpenAIResponsesModel(spec.model, provider=OpenAIProvider(api_key=key))
        case "openai":  # a proxy or another server: Chat Completions is what they all speak
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.providers.openai import OpenAIProvider

            base_url = spec.address(env)
            return OpenAIChatModel(spec.model, provider=OpenAIProvider(base_url=base_url, api_key=placeholder))
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return AnthropicModel(spec.model, provider=AnthropicProvider(api_key=placeholder, base_url=spec.base_url))
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return GoogleModel(spec.model, provider=GoogleProvider(api_key=placeholder, base_url=spec.base_url))
        case "mistral":
            from pydantic_ai.models.mistral import MistralModel
            from pydantic_ai.providers.mistral import MistralProvider

            return MistralModel(spec.model, provider=MistralProvider(api_key=placeholder, base_url=spec.base_url))
        case "groq":
            from pydantic_ai.models.groq import GroqModel
            from pydantic_ai.providers.groq import GroqProvider

            return GroqModel(spec.model, provider=GroqProvider(api_key=placeholder, base_url=spec.base_url))
        case "ollama":
            from pydantic_ai.models.ollama import OllamaModel
            from pydantic_ai.providers.ollama import OllamaProvider

            base_url = spec.address(env) or OLLAMA_URL
            return OllamaModel(spec.model, provider=OllamaProvider(base_url=base_url, api_key=placeholder))
        case _:
            from pydantic_ai.models.openai import OpenAIChatModel
            from pydantic_ai.profiles.openai import OpenAIModelProfile
            from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

            assert spec.base_url is not None
            profile = OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False)  # `max_tokens` all know
            provider = OpenAICompatibleProvider(
                COMPATIBLE, base_url=spec.base_url, api_key=placeholder, profile=profile
            )
            return OpenAIChatModel(spec.model, provider=provider)
