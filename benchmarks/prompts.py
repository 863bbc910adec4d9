"""How much of a prompt is what is deliberated about: the share of shown text, by protocol, brief and window.

    python benchmarks/prompts.py STORE [STORE ...]

Every ask to a model of every session in the stores is rendered again as it was asked, for a provider's model and for an
embedded one, with several windows. Shown is what stands between the markers of data and of persons; the rest is briefs,
role, rules and form.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from quorate.api.sessions import load_alone
from quorate.core.record import Asked, Envelope, Record
from quorate.core.types import Ask
from quorate.core.view import View
from quorate.participants.prompt import render
from quorate.store.open import open_journal
from quorate.workspace import Workspace, find_workspace

KINDS: Mapping[str, dict[str, Any]] = {
    "provider": {"window": None, "tools": False},
    "provider, 8192": {"window": 8_192, "tools": False},
    "provider, 4096": {"window": 4_096, "tools": False},
    "embedded, 8192": {"window": 8_192, "tools": False, "in_parts": True},
    "embedded, 4096": {"window": 4_096, "tools": False, "in_parts": True},
}
"""Models as panels know them; `in_parts` is asked for its form part by part."""
_SHOWN = re.compile(r"^<<(?:data|person) .*?^<<end \w+>>", re.MULTILINE | re.DOTALL)
Sizes = tuple[int, int]
"""Bytes that are shown, and bytes of the whole prompt."""


def asks_of(record: Record) -> Iterator[tuple[Ask, View]]:
    """Yield every ask to a model or person with its view as it was then."""
    again, seen = Record(record.protocol, record.opening, record.material), 0
    for event, envelope in (*record.events(), (None, Envelope())):
        for line in again.log[seen:]:
            if isinstance(line, Asked) and line.ask.seat not in record.protocol.checks and line.ask.seat != "person":
                yield line.ask, record.protocol.view(again, line.ask)
        seen = len(again.log)
        if event is not None:
            again.take(event, envelope)


def sizes(record: Record, ask: Ask, view: View, kind: Mapping[str, Any]) -> Sizes:
    """Return how much of a prompt is shown text."""
    prompt, _ = render(record.protocol.briefs, view, ask, record.nonce, **kind)
    shown = sum(len(each[0].encode()) for each in _SHOWN.finditer(prompt.user))
    return shown, len(prompt.system.encode()) + len(prompt.user.encode())


async def measured(workspace: Workspace, store: str) -> dict[tuple[str, str], dict[str, list[Sizes]]]:
    """Return the sizes of all prompts of a store, by protocol and brief."""
    found: dict[tuple[str, str], dict[str, list[Sizes]]] = defaultdict(lambda: defaultdict(list))
    journal = open_journal(store)
    for listed in await journal.sessions():
        record = (await load_alone(workspace, journal, listed.id)).record
        for ask, view in asks_of(record):
            for name, kind in KINDS.items():
                found[listed.protocol, ask.brief][name].append(sizes(record, ask, view, kind))
    await journal.close()
    return found


def row(name: str, cells: Mapping[str, list[Sizes]]) -> str:
    """Return a line of the table: the share, and the bytes beside what is shown, for each kind of model."""
    told = []
    for each in KINDS:
        shown, whole = (sum(column) for column in zip(*cells[each], strict=True))
        told.append(f"{100 * shown / whole:3.0f} % {(whole - shown) // len(cells[each]):6,} B")
    return f"{name:28}{len(cells[next(iter(KINDS))]):5}  " + "".join(f"{each:>18}" for each in told)


def main(words: Sequence[str]) -> int:
    reader = argparse.ArgumentParser(description="The share of shown text in the prompts of sessions.")
    reader.add_argument("stores", nargs="+", metavar="STORE", help="such as sqlite:quorate.db")
    workspace = find_workspace(Path.cwd(), {})
    sys.stdout.write(f"{'protocol and brief':28}{'asks':>5}  " + "".join(f"{each:>18}" for each in KINDS) + "\n")
    for store in reader.parse_args(words).stores:
        found = asyncio.run(measured(workspace, store))
        for (protocol, brief), cells in sorted(found.items()):
            sys.stdout.write(row(f"{protocol} {brief}", cells) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
