"""A real model behind a real OpenAI-compatible server: SmolLM2 on llama.cpp, on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quorate.participants.model import ModelParticipant
from quorate.participants.providers import ModelSpec
from tests.support.provider import (
    Opinion,
    request,
)


@pytest.fixture(scope="module")
def llama() -> Iterator[str]:
    xllamacpp = pytest.importorskip("xllamacpp")
    from quorate.participants.weights import find

    weights = find("smollm2")
    if weights is None:
        pytest.skip("the weights are not installed: quorate models pull smollm2")
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel = 2048, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.mark.model
@pytest.mark.parametrize("stream", [True, False])
async def test_a_real_model_fills_in_the_form(llama: str, stream: bool) -> None:
    said: list[str] = []
    spec = ModelSpec("openai-compatible", "smollm2", llama)
    who = ModelParticipant(
        spec, temperature=0.4, max_tokens=600, length=200, stream=stream, env={"QUORATE_OFFLINE": "1"}, timeout=120
    )
    found = await who.reply(request(system="You judge proposals. Answer with JSON."), said.append)
    assert found is not None
    assert isinstance(found.reply, Opinion), found.detail
    assert found.reply.reason.text
    assert found.tokens_in > 10
    assert found.tokens_out > 5
    assert found.cost == 0
    assert len(said) > (5 if stream else 0)
    again = await who.reply(request(system="You judge proposals. Answer with JSON."), lambda _: None)
    assert again is not None
    assert again.reply == found.reply  # the same seed gives the same words
