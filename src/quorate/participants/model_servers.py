"""Model servers on this machine: found by asking their usual ports on the loopback interface which models they have.

Whatever answers there may be anything, so an answer is read up to a limit and within a time, redirects and proxies are
never followed, and a model is offered only under a name that a panel takes as it is.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from quorate.core.errors import InputError
from quorate.kit.strict_json import strict_json
from quorate.participants.providers import COMPATIBLE, OLLAMA_URL, PROVIDERS, ModelSpec, parse_spec

LOOPBACK = "127.0.0.1"
WITHIN = 0.5
"""Seconds for all servers together."""
MOST_BYTES = 1_000_000
"""Of one answer."""
MOST_MODELS = 50
"""That are offered of one server."""
_NAME = re.compile(r"[A-Za-z0-9/_.~](?:[A-Za-z0-9/_.~:+@-]{0,198}[A-Za-z0-9/_.~+-])?")
"""Names that YAML takes as they are."""
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "organization_owner": "LM Studio"}
"""What the servers call themselves in their lists."""


@dataclass(frozen=True, slots=True)
class Port:
    """Where a kind of server usually listens, and how it is asked for its models."""

    title: str
    number: int
    host: str = LOOPBACK
    ollama: bool = False

    @property
    def address(self) -> str:
        return f"[{self.host}]:{self.number}" if ":" in self.host else f"{self.host}:{self.number}"


OLLAMA = Port("Ollama", 11434, ollama=True)
PORTS = (OLLAMA, Port("llama.cpp", 8080), Port("LM Studio", 1234), Port("vLLM", 8000))


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A model server that answered: what it is, where, and its models as a panel names them."""

    title: str
    address: str
    seats: tuple[str, ...]
    unnamed: int = 0
    """Models that are not offered: there are too many, or their names would not fit into a panel."""


async def model_servers(
    env: Mapping[str, str], ports: Sequence[Port] = PORTS, within: float = WITHIN
) -> tuple[ModelServer, ...]:
    """Return the servers that answer on these ports, all asked at once; those that do not are left out."""
    wanted = [ollama_port(env, port) if port.ollama else port for port in ports]
    found = await asyncio.gather(*(_ask(port, env, within) for port in wanted))
    return tuple(server for server in found if server is not None)


def ollama_port(env: Mapping[str, str], usual: Port = OLLAMA) -> Port:
    """Return where Ollama listens: as OLLAMA_HOST says if that names this machine, else its usual port."""
    said = env.get("OLLAMA_HOST", "").strip()
    if not said:
        return usual
    try:
        parts = urlsplit(said if "://" in said else f"http://{said}")
        host, number = parts.hostname or LOOPBACK, parts.port or usual.number
    except ValueError:
        return usual
    if host == "localhost" or host in ("0.0.0.0", "::"):  # noqa: S104 (it listens there; this machine is asked)
        host = LOOPBACK
    try:
        here = parts.scheme == "http" and ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = False
    return Port(usual.title, number, host, ollama=True) if here else usual


async def _ask(port: Port, env: Mapping[str, str], within: float) -> ModelServer | None:
    try:
        async with asyncio.timeout(within):
            body = await _get(port, "/api/tags" if port.ollama else "/v1/models")
        return _server(port, strict_json(body), env)
    except (OSError, TimeoutError, ValueError, RecursionError):
        return None


async def _get(port: Port, path: str) -> bytes:
    """Return the body of an answer with status 200. Anything else is a ValueError."""
    reader, writer = await asyncio.open_connection(port.host, port.number, limit=MOST_BYTES)
    try:
        # HTTP/1.0, so that the answer is in one piece and ends with the connection.
        writer.write(f"GET {path} HTTP/1.0\r\nHost: {port.address}\r\nAccept: application/json\r\n\r\n".encode())
        await writer.drain()
        answer = bytearray()
        while not _complete(answer) and (piece := await reader.read(65_536)):
            answer += piece
            if len(answer) > MOST_BYTES:
                raise ValueError("the answer is too long")
    finally:
        writer.close()
    head, blank, body = bytes(answer).partition(b"\r\n\r\n")
    if not blank or re.match(rb"HTTP/1\.[01] 200(?: |\r\n|$)", head) is None:
        raise ValueError("the answer is not a list of models")
    return body


def _complete(answer: bytearray) -> bool:
    """Whether the length that the answer states is there; a server may keep the connection open all the same."""
    head, blank, body = bytes(answer).partition(b"\r\n\r\n")
    stated = re.search(rb"\r\ncontent-length:[ \t]*(\d{1,9})[ \t]*(?:\r\n|$)", head, re.IGNORECASE)
    return bool(blank) and stated is not None and len(body) >= int(stated[1])


def _server(port: Port, answer: Any, env: Mapping[str, str]) -> ModelServer:
    """Read the list of models of an answer. One that is not such a list is a ValueError."""
    models = answer.get("models" if port.ollama else "data") if isinstance(answer, dict) else None
    if not isinstance(models, list) or not all(isinstance(each, dict) for each in models):
        raise ValueError("the answer is not a list of models")
    names = [each.get("name" if port.ollama else "id") for each in models]
    texts = dict.fromkeys(name for name in names if isinstance(name, str))
    seats = [seat for name in texts if (seat := _seat(port, name, env)) is not None]
    owners = (each.get("owned_by") for each in models)
    title = next((_OWNERS[owner] for owner in owners if isinstance(owner, str) and owner in _OWNERS), port.title)
    offered = tuple(seats[:MOST_MODELS])
    return ModelServer(title, port.address, offered, len(models) - len(offered))


def _seat(port: Port, name: str, env: Mapping[str, str]) -> str | None:
    """Return what a panel has to say for this model; None where the name would be read as something else."""
    if _NAME.fullmatch(name) is None or "://" in name:
        return None
    url = f"http://{port.address}/v1"
    usual = port == OLLAMA and (env.get(PROVIDERS["ollama"].elsewhere) or OLLAMA_URL) == OLLAMA_URL
    wanted = ModelSpec("ollama", name, None if usual else url) if port.ollama else ModelSpec(COMPATIBLE, name, url)
    try:
        return str(wanted) if parse_spec(str(wanted)) == wanted else None
    except InputError:
        return None
