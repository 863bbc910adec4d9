"""Proofs of protocols: run in a subprocess, one at a time, and cached.

The cache key is a digest of the code that a proof is about: the protocol's package, the engine and the prover. Any
change there is proven again.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from quorate import catalog
from quorate.codec import protocol_digest
from quorate.kit.strict_json import strict_json

PROGRAM = "from quorate.cli.main import main; main()"
MOST_SECONDS = 2 * 60 * 60.0
MOST_BYTES = 20_000_000
POLITE = 10
"""Niceness of the proving process."""
CODE = ("quorate.core", "quorate.verify")


@dataclass(frozen=True, slots=True)
class ProofState:
    """State of the proof of a protocol."""

    status: str
    """`unknown` (nobody has asked for it), `running` (or waiting for its turn), `done` or `failed`."""
    report: dict[str, Any] | None = None
    """As `quorate verify --json` has it; a proof that found a counterexample is done too."""
    detail: str = ""
    """Why it failed."""


@dataclass
class Proofs:
    """The proofs of one process. For one event loop."""

    folder: Path = field(default_factory=lambda: Path(platformdirs.user_cache_dir("quorate")) / "proofs")
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _running: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)

    def get(self, name: str) -> ProofState:
        """Return the state of a protocol's proof; an unknown name raises SettingError."""
        digest = rules_digest(name)
        if name in self._running:
            return ProofState("running")
        if (report := self._kept(digest)) is not None:
            return ProofState("done", report)
        return ProofState("failed", detail=self._failed[name]) if name in self._failed else ProofState("unknown")

    def start(self, name: str) -> ProofState:
        """Start to prove a protocol unless it is proven or in progress, and return the state."""
        found = self.get(name)
        if found.status in ("done", "running"):
            return found
        self._failed.pop(name, None)
        task = asyncio.create_task(self._prove(name, rules_digest(name)))
        self._running[name] = task
        task.add_done_callback(lambda _: self._running.pop(name, None))
        return ProofState("running")

    async def close(self) -> None:
        """Stop the running proof."""
        tasks = list(self._running.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _prove(self, name: str, digest: str) -> None:
        async with self._turn:
            try:
                text = await asyncio.wait_for(_verified(name), MOST_SECONDS)
                self._keep(digest, json.loads(text)[name])
            except TimeoutError:
                self._failed[name] = f"it took longer than {MOST_SECONDS / 60:.0f} minutes"
            except (OSError, ValueError, KeyError) as error:
                self._failed[name] = str(error) or type(error).__name__

    def _kept(self, digest: str) -> dict[str, Any] | None:
        """Read a cached proof; None if the file is missing, damaged or foreign."""
        try:
            path = self.folder / f"{digest}.json"
            if path.stat().st_size > MOST_BYTES:
                return None
            kept = strict_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return None
        fits = isinstance(kept, dict) and kept.get("digest") == digest and _is_report(kept.get("report"))
        return kept["report"] if fits else None

    def _keep(self, digest: str, report: Any) -> None:
        if not _is_report(report):
            raise ValueError("the proof process returned no valid report")
        self.folder.mkdir(parents=True, exist_ok=True)
        draft = self.folder / f".{digest}.{secrets.token_hex(4)}"
        try:
            draft.write_text(json.dumps({"digest": digest, "report": report}), encoding="utf-8")
            draft.replace(self.folder / f"{digest}.json")
        finally:
            draft.unlink(missing_ok=True)


def _is_report(data: Any) -> bool:
    if not isinstance(data, dict) or set(data) != {"ok", "results", "profiles"} or not isinstance(data["ok"], bool):
        return False
    results = data["results"]
    shaped = isinstance(results, list) and isinstance(data["profiles"], dict)
    return shaped and all(isinstance(each, dict) and {"number", "title", "status"} <= set(each) for each in results)


async def _verified(name: str) -> str:
    """Run `quorate verify` in a subprocess; raise OSError or ValueError if it returns no report."""
    command = [sys.executable, "-P", "-c", PROGRAM, "verify", name, "--json"]
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=MOST_BYTES,
    )
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, POLITE)
    try:
        out, err = await process.communicate()
    except BaseException:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        raise
    if process.returncode not in (0, 1) or not out.strip():
        lines = err.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(lines[-1][:500] if lines else f"the proof process ended with exit code {process.returncode}")
    return out.decode("utf-8")


def rules_digest(name: str) -> str:
    """Return the digest of all code that a proof of this protocol depends on; an unknown name raises SettingError."""
    found = catalog.definition(name)
    return _digest(name, found.package)


@cache
def _digest(name: str, package: str) -> str:
    parts = [version("quorate"), name, json.dumps(dict(catalog.definition(name).proven_with()))]
    parts += [f"{profile}:{protocol_digest(built)}" for profile, built in catalog.profiles(name).items()]
    parts += [_source(each) for each in (package, *CODE)]
    return sha256("\n".join(parts).encode()).hexdigest()


def _source(package: str) -> str:
    """Return a digest of all Python files of a package."""
    told = sha256()
    for path, data in sorted(_files(resources.files(package), "")):
        told.update(f"{path}\0{len(data)}\0".encode() + data)
    return told.hexdigest()


def _files(folder: Any, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        if item.is_dir():
            found += _files(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".py"):
            found.append((f"{prefix}{item.name}", item.read_bytes()))
    return found
