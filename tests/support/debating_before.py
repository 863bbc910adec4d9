"""A debate of version 1 under way, driven like those of today: what happened before the rules were changed."""

from __future__ import annotations

from typing import Any

from quorate import catalog
from quorate.core.record import Opening, Record
from quorate.core.types import Event
from quorate.kit.settings import plain, read_settings
from quorate.protocols.debate.version_1.definition import DEFINITION, build
from quorate.protocols.debate.version_1.rules.model import DebateSettings
from tests.support.debating import PROBLEM, Table


class TableBefore(Table):
    """The same steps under the frozen rules."""

    def __init__(self, seed: int = 7, problem: str = PROBLEM, context: str = "", **settings: Any) -> None:
        read = read_settings(DebateSettings, settings)
        self.protocol: Any = build(read, catalog.briefs(DEFINITION), seed)
        self.opening = Opening("debate", "1", "", "A debate", seed, plain(read), {}, {})
        self.material = {"problem": problem, "context": context}
        self.record = Record(self.protocol, self.opening, self.material)
        self.events: list[Event] = []
