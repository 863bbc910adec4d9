"""A roundtable of version 1 under way, with the words of `Talk`: what happened before the rules were changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from quorate import catalog
from quorate.core.record import Opening, Record
from quorate.kit.settings import plain, read_settings
from quorate.protocols.roundtable.rules.transcript import Spoken
from quorate.protocols.roundtable.version_1.definition import DEFINITION, build
from quorate.protocols.roundtable.version_1.rules.model import RoundtableSettings
from quorate.protocols.roundtable.version_1.rules.transcript import transcript
from tests.support.roundtables import DOCUMENTS, TOPIC, Talk


class TalkBefore(Talk):
    """The same steps under the frozen rules: no persona asks another by name, and every name is a word."""

    def __init__(self, **settings: Any) -> None:
        read = read_settings(RoundtableSettings, {"phase": "01-requirements", "step": "01-03", **settings})
        self.protocol: Any = build(read, catalog.briefs(DEFINITION), 7)
        self.material = {"topic": TOPIC, "documents": json.dumps(DOCUMENTS), "meta": "{}"}
        opening = Opening("roundtable", "1", "", "A roundtable", 7, plain(read), {}, {}, session="roundtable-1")
        self.record = Record(self.protocol, opening, self.material)
        self.seq = 0

    def reply(self, brief: str, given: Any) -> Talk:
        if isinstance(given, Mapping):
            given = {name: value for name, value in given.items() if name != "asks"}
        return super().reply(brief, given)

    def read(self, intent: str, addressed: str = "") -> Talk:
        """An address of nobody was a contribution, and nothing else (T13)."""
        return super().read("contribution") if intent == "stranger" else super().read(intent, addressed)

    @property
    def lines(self) -> tuple[Spoken, ...]:
        return cast("tuple[Spoken, ...]", transcript(self.record))
