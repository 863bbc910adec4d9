"""Named SQL statements: all SQL of a store in one file, each statement with a name."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def statements(name: str) -> dict[str, str]:
    """Return the statements of a file of this package, by the name in `-- name: ...`."""
    text = (files(__package__) / name).read_text(encoding="utf-8")
    parts = re.split(r"^-- name: (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))
