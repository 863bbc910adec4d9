"""A workshop of version 1 under way, with the words of `Meeting`: what happened before the rules were changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from quorate import catalog
from quorate.core.protocol import Protocol
from quorate.core.types import Ask
from quorate.kit.settings import plain, read_settings
from quorate.protocols.workshop.version_1.definition import DEFINITION, build
from quorate.protocols.workshop.version_1.rules.result import result
from quorate.protocols.workshop.version_1.rules.settings import WorkshopSettings
from tests.support.workshops import Meeting, Values


@cache
def _briefs() -> dict[str, str]:
    return catalog.briefs(DEFINITION)


class Before(Meeting):
    """The same steps under the frozen rules: no conflict names anything, and documents have no parts."""

    def built(self, settings: Values) -> tuple[Protocol[Any], dict[str, Any]]:
        read = read_settings(WorkshopSettings, dict(settings))
        return build(read, _briefs(), 7), plain(read)

    @property
    def result(self) -> dict[str, Any]:
        return result(self.record)

    def _titled(self, said: Values) -> dict[str, Any]:
        made = super()._titled(said)
        own = [{k: v for k, v in each.items() if k != "about"} for each in made.get("conflicts", ())]
        return {**made, **({"conflicts": own} if own else {})}

    def _quiet(self, ask: Ask) -> dict[str, Any]:
        said: Mapping[str, Any] = super()._quiet(ask)
        return {name: value for name, value in said.items() if (ask.brief, name) != ("agenda", "parts")}
