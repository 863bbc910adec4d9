"""Model servers on this machine: found by their lists, offered as a panel names them, and never believed."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from quorate.participants.model_servers import (
    MOST_BYTES,
    MOST_MODELS,
    OLLAMA,
    PORTS,
    ModelServer,
    Port,
    model_servers,
    ollama_port,
)
from quorate.participants.panel import load_panel
from tests.support.model_server import serving, speaking

BUSY = 30.0
"""Seconds that a busy machine may take for an answer that does come."""
HEAD = b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n"
LIST = b'{"object": "list", "data": [{"id": "m"}]}'


def tags(*names: Any) -> dict[str, Any]:
    """What Ollama answers."""
    return {"/api/tags": {"models": [{"name": name, "size": 1} for name in names]}}


def listed(*ids: Any, owner: str = "somebody") -> dict[str, Any]:
    """What the others answer."""
    return {"/v1/models": {"object": "list", "data": [{"id": name, "owned_by": owner} for name in ids]}}


async def test_servers_are_found_with_the_lines_of_a_panel() -> None:
    with serving(tags("qwen3:0.6b", "gemma3:4b")) as ollama, serving(listed("org/qwen3", owner="vllm")) as other:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            closed = taken.getsockname()[1]
        ports = (Port("Ollama", ollama, ollama=True), Port("LM Studio", closed), Port("llama.cpp", other))
        found = await model_servers({}, ports, BUSY)
    assert found == (
        ModelServer(
            "Ollama",
            f"127.0.0.1:{ollama}",
            (f"ollama:qwen3:0.6b@http://127.0.0.1:{ollama}/v1", f"ollama:gemma3:4b@http://127.0.0.1:{ollama}/v1"),
        ),
        ModelServer("vLLM", f"127.0.0.1:{other}", (f"openai-compatible:org/qwen3@http://127.0.0.1:{other}/v1",)),
    )
    for seat in (seat for server in found for seat in server.seats):
        table = load_panel({"default": seat}, ("judge",), env={})
        assert table.describe() == {"judge": seat}
        assert table.problems() == []


def test_the_usual_ports_are_those_of_the_servers() -> None:
    assert {port.title: port.number for port in PORTS} == {
        "Ollama": 11434,
        "llama.cpp": 8080,
        "LM Studio": 1234,
        "vLLM": 8000,
    }
    assert {port.host for port in PORTS} == {"127.0.0.1"}


async def test_a_server_without_models_is_found_all_the_same() -> None:
    with serving(tags()) as port:
        (found,) = await model_servers({}, [Port("Ollama", port, ollama=True)], BUSY)
    assert (found.seats, found.unnamed) == ((), 0)


async def test_a_server_that_keeps_its_connection_open_is_not_waited_for() -> None:
    done = threading.Event()

    def speak(connection: socket.socket) -> None:
        connection.sendall(HEAD.replace(b"\r\n\r\n", b"\r\ncontent-length: %d\r\n\r\n" % len(LIST)) + LIST)
        done.wait(10)

    with speaking(speak) as port:
        (found,) = await model_servers({}, [Port("vLLM", port)], BUSY)
        done.set()
    assert found.seats == (f"openai-compatible:m@http://127.0.0.1:{port}/v1",)


@pytest.mark.parametrize(
    "name",
    [
        "\x1b[31mred\x1b[0m",
        "two\nlines",
        "right\u202eleft",
        "with space",
        "a: b",
        "a #comment",
        "ends:",
        "-flag",
        "*anchor",
        "'quoted'",
        "m@http://evil.example/v1",
        "x" * 300,
        "",
        7,
        None,
        {"a": 1},
    ],
)
async def test_a_name_that_a_panel_would_read_as_something_else_is_not_offered(name: Any) -> None:
    with serving(listed("good", name, "good")) as port:
        (found,) = await model_servers({}, [Port("vLLM", port)], BUSY)
    assert found.seats == (f"openai-compatible:good@http://127.0.0.1:{port}/v1",)
    assert found.unnamed == 2


async def test_a_list_without_end_is_cut() -> None:
    with serving(listed(*(f"m{number}" for number in range(MOST_MODELS + 5)))) as port:
        (found,) = await model_servers({}, [Port("vLLM", port)], BUSY)
    assert (len(found.seats), found.unnamed) == (MOST_MODELS, 5)


def says(answer: bytes = b"") -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(answer)


def drips(connection: socket.socket) -> None:
    """Send a byte now and then, for ever."""
    pause = threading.Event()
    connection.sendall(HEAD)
    while True:
        connection.sendall(b" ")
        pause.wait(0.01)


def never_ends(connection: socket.socket) -> None:
    connection.sendall(HEAD)
    while True:
        connection.sendall(b" " * 65_536)


def says_nothing(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.mark.parametrize(
    "speak",
    [
        says(),
        says_nothing,
        drips,
        never_ends,
        says(HEAD + b'{"data": [{"id": "' + b"x" * MOST_BYTES + b'"}]}'),
        says(HEAD + b"<!DOCTYPE html><title>a web page</title>"),
        says(HEAD + b"[" * 200_000),
        says(HEAD + b'{"data": [{"id": "m", "id": "n"}]}'),
        says(HEAD + b"[]"),
        says(HEAD + b'{"data": {"id": "m"}}'),
        says(HEAD + b'{"data": ["m"]}'),
        says(HEAD + b"\xff\xfe"),
        says(b"HTTP/1.0 200 OK\r\n" + LIST),
        says(b"HTTP/1.0 401 Unauthorized\r\n\r\n" + LIST),
        says(b"SSH-2.0-OpenSSH_9.9\r\n"),
        says(b"\r\n\r\n" + LIST),
    ],
)
async def test_whatever_else_answers_is_no_model_server(speak: Callable[[socket.socket], None]) -> None:
    with speaking(speak) as port:
        both = [Port("vLLM", port), Port("Ollama", port, ollama=True)]
        assert await asyncio.wait_for(model_servers({}, both), 30) == ()


async def test_a_redirect_is_not_followed() -> None:
    asked: list[bytes] = []

    def note(connection: socket.socket) -> None:
        asked.append(b"asked")
        connection.sendall(HEAD + LIST)

    with speaking(note) as other:
        there = b"HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:%d/v1/models\r\n\r\n" % other
        with speaking(says(there + LIST)) as port:
            assert await model_servers({}, [Port("vLLM", port)]) == ()
    assert asked == []


# OLLAMA_HOST


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("", "127.0.0.1:11434"),
        ("127.0.0.1", "127.0.0.1:11434"),
        ("127.0.0.1:5000", "127.0.0.1:5000"),
        (":5000", "127.0.0.1:5000"),
        ("http://localhost:5000/", "127.0.0.1:5000"),
        ("0.0.0.0:5000", "127.0.0.1:5000"),
        ("[::1]:5000", "[::1]:5000"),
        ("127.0.0.2:5000", "127.0.0.2:5000"),
        ("gpu.example:5000", "127.0.0.1:11434"),
        ("10.0.0.5", "127.0.0.1:11434"),
        ("https://127.0.0.1:5000", "127.0.0.1:11434"),
        ("127.0.0.1:99999", "127.0.0.1:11434"),
        ("http://[", "127.0.0.1:11434"),
        ("two words", "127.0.0.1:11434"),
    ],
)
def test_ollama_is_asked_where_its_variable_says_if_that_is_this_machine(said: str, address: str) -> None:
    assert ollama_port({"OLLAMA_HOST": said}).address == address


async def test_the_variable_is_heeded_and_the_line_says_where() -> None:
    with serving(tags("qwen3:0.6b")) as port:
        (found,) = await model_servers({"OLLAMA_HOST": f"127.0.0.1:{port}"}, [OLLAMA], BUSY)
    assert found.seats == (f"ollama:qwen3:0.6b@http://127.0.0.1:{port}/v1",)


async def test_at_its_usual_place_ollama_needs_no_address_unless_the_provider_looks_elsewhere() -> None:
    try:
        with serving(tags("qwen3:0.6b"), number=OLLAMA.number):
            (plain,) = await model_servers({}, [OLLAMA], BUSY)
            (elsewhere,) = await model_servers({"OLLAMA_BASE_URL": "http://gpu.example:11434/v1"}, [OLLAMA], BUSY)
    except OSError:
        pytest.skip("something listens at Ollama's port on this machine")
    assert plain.seats == ("ollama:qwen3:0.6b",)
    assert elsewhere.seats == ("ollama:qwen3:0.6b@http://127.0.0.1:11434/v1",)


# A real server


@pytest.fixture(scope="module")
def llama() -> Iterator[int]:
    xllamacpp = pytest.importorskip("xllamacpp")
    from quorate.participants.weights import find

    weights = find("smollm2")
    if weights is None:
        pytest.skip("the weights are not installed: quorate models pull smollm2")
    parameters = xllamacpp.CommonParams()
    parameters.model.path, parameters.model_alias = str(weights), {"smollm2"}
    parameters.n_ctx, parameters.n_parallel = 256, 1
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    yield int(server.listening_address.rpartition(":")[2])
    del server


@pytest.mark.model
async def test_a_real_server_of_llama_cpp_is_found(llama: int) -> None:
    (found,) = await model_servers({}, [Port("vLLM", llama)], BUSY)
    assert found == ModelServer(
        "llama.cpp", f"127.0.0.1:{llama}", (f"openai-compatible:smollm2@http://127.0.0.1:{llama}/v1",)
    )
