"""Which agenda a workshop goes by: that of a built-in kind, or one from a user's file (W2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate.core.errors import SettingError, nearest
from quorate.files.yaml import load
from quorate.protocols.workshop.rules.workflows import WORKFLOWS, agenda
from quorate.protocols.workshop.rules.workflows.vocabulary import COUNTED
from quorate.protocols.workshop.world.agenda import read_agenda

ENDINGS = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class Chosen:
    """An agenda, and whose it is."""

    agenda: Mapping[str, Any]
    is_own: bool
    """The kind itself is a user's file."""

    @property
    def workflow(self) -> str:
        return str(self.agenda["workflow"])

    @property
    def bound(self) -> bool:
        """Whether its topics are bound to stages (W6)."""
        return any(topic["stage"] for topic in self.agenda["topics"])


def choose_agenda(kind: str, file: Path | None) -> Chosen:
    """Return the agenda of a built-in kind or of a file; InputError if it cannot be read."""
    if kind in WORKFLOWS:
        return Chosen(agenda(kind) if file is None else _for_kind(file, kind), is_own=False)
    path = Path(kind)
    if not (kind.endswith(ENDINGS) or path.is_file()):
        raise SettingError(
            f"{kind!r} is neither a kind of workshop nor an agenda file",
            expected=f"{', '.join(WORKFLOWS)}, or an agenda file",
            nearest=nearest(kind, WORKFLOWS),
        )
    if file is not None:
        raise SettingError(
            f"{kind} is itself an agenda", key="--agenda", expected=f"--agenda only with {' or '.join(WORKFLOWS)}"
        )
    return Chosen(read_agenda(path), is_own=True)


def _for_kind(file: Path, kind: str) -> dict[str, Any]:
    """Read an agenda for a built-in kind: it may name no other workflow, and count what this one makes alone."""
    read, root = read_agenda(file), load(file)
    if "workflow" in root.mapping():
        if read["workflow"] != kind:
            where = root.mapping()["workflow"]
            raise where.error(f"is {read['workflow']!r}, but the workshop is {kind!r}", f"{kind}, or no workflow")
        return read
    for place, topic in enumerate(read["topics"]):
        counts = root.mapping()["topics"].items()[place].mapping()["done_when"].mapping().get("counts")
        topic["done_when"]["counts"] = list(COUNTED[kind]) if counts is None else topic["done_when"]["counts"]
        for name in topic["done_when"]["counts"]:
            if name not in COUNTED[kind]:
                assert counts is not None
                raise counts.error(f"{name} does not count in this workflow", f"one of {', '.join(COUNTED[kind])}")
    return {**read, "workflow": kind}
