"""Rebuild the prompts of a session from its record, in the order they were asked, without a call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

from quorate.core.record import Asked, Record, Said
from quorate.core.types import AskId
from quorate.participants.port import Participant
from quorate.runtime.asks import request_of
from quorate.worth.cacheable import Cacheable, Prompted, cacheable

MOST_PROMPTS = 200
"""Prompts that are built again; in a longer session those of the beginning stand for all."""
_ROOMY = cast("Participant", SimpleNamespace(window=None))
"""Whom prompts are built for: a record does not tell how much room a model had, and cut prompts cache worse."""


def prompts(record: Record) -> Iterator[Prompted]:
    """Yield every prompt that a model or a script was sent, as if its context window had room for everything."""
    models = {line.ask.id: line.envelope.model for line in record.log if isinstance(line, Said)}
    again = Record(record.protocol, record.opening, record.material)
    told: set[AskId] = set()
    for event, envelope in (*record.events(), (None, None)):
        for ask in again.session.open:
            if ask.id not in told:
                told.add(ask.id)
                model = models.get(ask.id) or record.opening.panel.get(ask.seat, "")
                if _reads(record, str(ask.seat)):
                    request, _ = request_of(again, ask, _ROOMY, None)
                    text = f"{request.prompt.system}\n{request.prompt.user}"
                    round_, moment = again.protocol.round(again.session.state), int(ask.id.partition(".")[0])
                    form = json.dumps(request.schema, ensure_ascii=False)
                    yield Prompted(str(ask.seat), model, round_, moment, form, text)
        if event is not None and envelope is not None:
            again.take(event, envelope)


def cacheable_share(record: Record, voices: tuple[str, ...]) -> Cacheable | None:
    """Return the share of prompt text that repeats earlier prompts to the same model; None if there were none."""
    asked = sum(isinstance(line, Asked) and _reads(record, str(line.ask.seat)) for line in record.log)
    first = (each for each, _ in zip(prompts(record), range(MOST_PROMPTS), strict=False))
    return cacheable(first, voices, asked) if asked else None


def _reads(record: Record, seat: str) -> bool:
    """Whether a model, or a script in place of one, sits there: panels name these `provider:model`."""
    return ":" in record.opening.panel.get(seat, "")
