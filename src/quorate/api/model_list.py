"""What can sit on a seat: embedded models with their downloads, servers on this machine, providers, people, scripts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.core.errors import SettingError
from quorate.participants.providers import COMPATIBLE, PROVIDERS, has_key
from quorate.participants.weights import PACKAGED, Packaged, bytes_on_disk, located, packaged, parts_kept

if TYPE_CHECKING:
    from quorate.participants.downloads import PullProgress


@dataclass(frozen=True, slots=True)
class ModelKind:
    """A kind of participant that can be named in a panel."""

    name: str
    says: str
    ready: bool
    todo: str = ""
    bytes: int = 0
    """What its file takes on this disk; 0 for whoever has none."""


@dataclass(frozen=True, slots=True)
class PullNotice:
    """What somebody should know before a model is downloaded."""

    says: str
    """Empty if the model is here already."""
    parts: int
    bytes: int
    """Of the whole file."""


def models(environment: Mapping[str, str] | None = None) -> list[ModelKind]:
    """List the kinds of participants, and what each still needs."""
    env = os.environ if environment is None else environment
    found = [_embedded(package) for package in PACKAGED.values()]
    found.append(ModelKind("local:/path/to/model.gguf", "any GGUF file, run in process", True))
    for name, provider in PROVIDERS.items():
        where = "@http://host:port/v1" if name == COMPATIBLE else ""
        todo = _lacks(name, provider.keys, env)
        found.append(ModelKind(f"{name}:MODEL{where}", f"a model through {name}", not todo, todo))
    return [
        *found,
        ModelKind("person", "somebody answers, at the terminal or later with `quorate answer`", True),
        ModelKind("script:FILE.yaml", "replies from a file, for tests, demos and examples", True),
    ]


async def served_models(environment: Mapping[str, str] | None = None) -> list[ModelKind]:
    """List the models of servers on this machine, as a panel names them; it takes half a second at most."""
    from quorate.participants.model_servers import model_servers

    servers = await model_servers(os.environ if environment is None else environment)
    return [
        ModelKind(seat, f"a model of {server.title} at {server.address}", True)
        for server in servers
        for seat in server.seats
    ]


def pull_notice(name: str) -> PullNotice:
    """Return what to tell before a pull: size, licence, whose packages. Raises InputError for an unknown name."""
    package = packaged(name)
    says = _notice(package) if located(package) is None else ""
    return PullNotice(says, package.parts, package.bytes)


def pull_model(name: str, watch: Callable[[PullProgress], None] = lambda _: None) -> str:
    """Download the weights of an embedded model unless they are here, verify them, and return their path."""
    from quorate.participants.downloads import pull

    return str(pull(packaged(name), watch))


def remove_model(name: str) -> int:
    """Remove the weights of an embedded model from the user's cache, and return the bytes that became free."""
    from quorate.participants.downloads import remove

    return remove(packaged(name))


def _embedded(package: Packaged) -> ModelKind:
    todo = ""
    if located(package) is None:
        todo = f"quorate models pull {package.name}"
        if kept := parts_kept(package):
            todo += f" (goes on after part {len(kept)} of {package.parts})"
    return ModelKind(f"local:{package.name}", package.says, not todo, todo, bytes_on_disk(package))


def _notice(package: Packaged) -> str:
    if package.module:
        packages = f"a package of third parties, neither the model's authors nor Quorate: {package.requirement()}"
        done = "It is installed without its dependencies, and nothing of it is imported or run"
    else:
        names = f"{package.requirement()} to {package.requirement(package.parts)}"
        packages = f"{package.parts} packages of third parties, neither the model's authors nor Quorate: {names}"
        done = "Nothing of them is installed, imported or run"
    return (
        f"{package.name} ({package.size}) is {package.says}.\n"
        f"The weights have the licence {package.licence}, as their authors publish them. They come in {packages}, from "
        f"the package index that pip uses.\n"
        f"{done}. The file has to have the sha256 digest {package.sha256}."
    )


def _lacks(provider: str, variables: Sequence[str], env: Mapping[str, str]) -> str:
    """Return what to do before a provider can be called; an unreadable keyring is reported instead."""
    try:
        return "" if has_key(provider, env) else "set " + " or ".join(variables)
    except SettingError as error:
        return str(error)
