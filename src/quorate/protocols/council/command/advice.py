"""What to do with the sample RFC that `quorate init council` writes."""

from __future__ import annotations

import shlex
from pathlib import Path


def after_init(folder: Path, written: list[Path]) -> str:
    """Return the commands that run the gates and the council on it."""
    there = any(path.name == "quorate.yaml" for path in written)
    sit = ["quorate", "council", "." if there else str(folder)]
    go = f"cd {shlex.quote(str(folder))} && " if there else ""  # its settings, panel and store count in its folder
    return f"`{go}{shlex.join([*sit, '--gates-only'])}` runs the gates\n      `{go}{shlex.join(sit)}` the council"
