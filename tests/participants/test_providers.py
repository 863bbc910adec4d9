"""Providers: every one can be reached, keys go where they belong, and offline nothing leaves this machine."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quorate.core.errors import InputError
from quorate.core.types import Absent, AbsentReason
from quorate.participants.model import ModelParticipant
from quorate.participants.prices import Price, listed_price
from quorate.participants.providers import PROVIDERS, ModelSpec, Unusable, connect, is_loopback, parse_spec
from tests.support.provider import (
    Says,
    Server,
    participant,
    request,
)

# Providers, keys and the network


SPECS = (
    "openai:gpt-5",
    "anthropic:claude-sonnet-5",
    "google:gemini-2.5-pro",
    "mistral:mistral-large-latest",
    "groq:llama-3.3-70b-versatile",
    "ollama:qwen3:0.6b",
    "openai-compatible:qwen3@http://localhost:8080/v1",
)
KEYS = {name: "x" for provider in PROVIDERS.values() for name in provider.keys}


@pytest.mark.parametrize("text", SPECS)
def test_every_provider_can_be_connected(text: str) -> None:
    spec = parse_spec(text)
    model = connect(spec, KEYS)
    assert model.model_name == spec.model
    assert str(spec) == text


def test_every_provider_is_covered_here() -> None:
    assert [text.partition(":")[0] for text in SPECS] == list(PROVIDERS)


@pytest.mark.parametrize("text", SPECS)
async def test_offline_nothing_leaves_this_machine(text: str) -> None:
    """The switch that tests of the whole product set: a call to another machine is refused before it is made."""
    spec, env = parse_spec(text), {**KEYS, "QUORATE_OFFLINE": "1"}
    if is_loopback(str(connect(spec, KEYS).base_url)):
        assert connect(spec, env).model_name == spec.model
        return
    found = await ModelParticipant(spec, env=env).reply(request(), lambda _: None)
    assert found is not None
    assert (found.reply, found.attempts) == (Absent(AbsentReason.FAILED), 0)
    assert "QUORATE_OFFLINE is set" in found.detail


async def test_a_missing_key_says_which(server: Server) -> None:
    found = await ModelParticipant(parse_spec("google:gemini-2.5-pro"), env={}).reply(request(), lambda _: None)
    assert found is not None
    assert found.reply == Absent(AbsentReason.FAILED)
    assert found.detail == (
        "google:gemini-2.5-pro needs a key: set GOOGLE_API_KEY or GEMINI_API_KEY in the environment"
    )


def test_an_address_is_needed_where_there_is_no_usual_one() -> None:
    with pytest.raises(Unusable, match="has no address"):
        connect(ModelSpec("openai-compatible", "x"), {})


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "http://localhost/v1", "http://[::1]:80/", "http://127.9.9.9"]
)
def test_loopback(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize("url", ["http://127.0.0.1.example.com/", "http://10.0.0.1/", "https://localhost.example", ""])
def test_not_loopback(url: str) -> None:
    assert not is_loopback(url)


@pytest.mark.parametrize("text", ["gpt-5", "openai", "openai:", "opnai:gpt-5", "ollama:@http://x/v1"])
def test_what_is_no_model(text: str) -> None:
    with pytest.raises(InputError):
        parse_spec(text)


def test_importing_imports_no_provider() -> None:
    """`quorate --help` must not pay for clients it does not use."""
    code = (
        "import sys, quorate.participants.panel, quorate.participants.model\n"
        "heavy = ('pydantic_ai', 'openai', 'anthropic', 'google.genai', 'genai_prices', 'xllamacpp', 'httpx2')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Prices and limits


def test_prices() -> None:
    assert listed_price("openai", "gpt-4o", 1000, 100) == 3500
    assert listed_price("openai", "no-such-model", 1000, 100) is None
    assert ModelParticipant(parse_spec("openai:gpt-4o"), env={}).price(1000, 100) == 3500
    assert ModelParticipant(parse_spec("openai:x"), own_price=Price(2, 8), env={}).price(1000, 100) == 2800
    assert ModelParticipant(parse_spec("ollama:qwen3"), env={}).price(1000, 100) == 0
    assert ModelParticipant(parse_spec("openai-compatible:x@http://127.0.0.1:1/v1"), env={}).price(9, 9) == 0
    assert ModelParticipant(parse_spec("openai-compatible:x@https://host.example/v1"), env={}).price(9, 9) is None


async def test_no_exchange_costs_more_than_was_announced(server: Server) -> None:
    who = participant(server.will(Says("never JSON")), max_tokens=200)
    found = await who.reply(request(), lambda _: None)
    assert found is not None
    assert found.tokens_in + found.tokens_out <= who.most_tokens(100)


def test_one_limit_for_each_server() -> None:
    first, second = (parse_spec(f"openai-compatible:x@http://{host}/v1") for host in ("one.example", "two.example"))
    assert ModelParticipant(first, env={}).provider != ModelParticipant(second, env={}).provider
    assert ModelParticipant(first, limit=9, env={}).concurrency == 9
