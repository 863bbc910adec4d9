"""The bundles of the recorded sessions of a protocol, made from their stores as `quorate report` makes them."""

from __future__ import annotations

import asyncio
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quorate.api.results import bundle
from quorate.api.sessions import load
from quorate.store.open import open_journal
from quorate.workspace import find_workspace
from tests.recorded import asking


@cache
def recorded(protocol: str, version: str = asking.KEPT.name) -> dict[str, dict[str, Any]]:
    """Return the bundle of every recorded session by its scene; they are shared, so copy before a change."""
    return asyncio.run(_recorded(protocol, asking.SESSIONS / version))


async def _recorded(protocol: str, kept: Path) -> dict[str, dict[str, Any]]:
    with TemporaryDirectory() as made:
        folder = asking.unpack(protocol, Path(made), kept)
        journal, workspace = open_journal(f"sqlite:{folder / 'store.db'}"), find_workspace(folder, {})
        found = {}
        for session, text in asking.kept_sessions(kept / protocol):
            result = await load(workspace, journal, session)
            found[text.stem] = json.loads(json.dumps(bundle(result)))
        await journal.close()
        return found
