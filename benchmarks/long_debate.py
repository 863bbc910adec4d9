"""A debate of any length, offered by an entry point as anybody's protocol is: for benchmarks of long sessions."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from quorate.core.forms import Between
from quorate.protocols.debate import DEFINITION as DEBATE
from quorate.protocols.debate.rules.model import DebateSettings


@dataclass(frozen=True)
class LongSettings(DebateSettings):
    """Those of a debate, without its bound on rounds."""

    rounds: Annotated[int, Between(1, 100_000), "the most rounds"] = 3


DEFINITION = replace(
    DEBATE, name="long", settings=LongSettings, build=lambda *how: replace(DEBATE.build(*how), name="long")
)


def install(folder: Path) -> dict[str, str]:
    """Offer it to this process, and return the environment in which another one finds it too."""
    named = folder / "long_debate-1.dist-info"
    named.mkdir()
    (named / "METADATA").write_text("Metadata-Version: 2.1\nName: long-debate\nVersion: 1\n")
    (named / "entry_points.txt").write_text("[quorate.protocols]\nlong = long_debate:DEFINITION\n")
    sys.path.insert(0, str(folder))
    return {"PYTHONPATH": f"{folder}:{Path(__file__).parent}"}
