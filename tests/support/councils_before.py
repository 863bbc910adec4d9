"""Councils under the frozen rules of version 1, driven with the same short texts as those of today.

The same replies are given as far as the old forms take them: fields that they lack are left out, and nobody is asked
what no seat was shown.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any

from quorate import catalog
from quorate.codec import digest_text, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.record import Envelope, Opening, Record
from quorate.core.shapes import Group, Many, PerKey, Shape, shape_of
from quorate.core.types import Absent, Ask
from quorate.kit.settings import plain, read_settings
from quorate.protocols.council.version_1.definition import DEFINITION, build
from quorate.protocols.council.version_1.rules.model import CouncilSettings
from tests.support.council_words import Values, rfc
from tests.support.councils import BEGAN, SESSION, Sitting


class SittingBefore(Sitting):
    """A council of version 1 under way."""

    def __init__(self, *, seed: int = 7, about: Values | None = None, **settings: Any) -> None:
        read = read_settings(CouncilSettings, settings)
        self.protocol: Any = build(read, catalog.briefs(DEFINITION), seed)
        self.material = {"rfc": json.dumps(about if about is not None else rfc()), "gates": "{}"}
        self.opening = Opening(
            protocol="council",
            version=self.protocol.version,
            digest=protocol_digest(self.protocol),
            title="RFC-0042 Readers go on where they stopped",
            seed=seed,
            settings=plain(read),
            panel={str(seat): f"test:{seat}" for seat in self.protocol.seats},
            material={name: digest_text(text) for name, text in self.material.items()},
            session=SESSION,
        )
        body = encode_opening(self.opening, Envelope(at=BEGAN))
        self.entries = [Entry(0, body, chain(GENESIS, body))]
        self.record = Record(self.protocol, self.opening, self.material)
        self.spent = {"tokens_in": 900, "tokens_out": 100}

    def _reply(self, ask: Ask, values: Values | Absent) -> None:
        super()._reply(ask, values if isinstance(values, Absent) else fitted(shape_of(ask.form), values))

    def _quiet(self, ask: Ask) -> dict[str, Any]:
        return {"pairs": []} if ask.brief == "match" else super()._quiet(ask)


def fitted(shape: Shape, value: Any) -> Any:
    """Return plain values without the fields that a form of before has not."""
    match shape:
        case Group(fields=inner) if isinstance(value, dict):
            known = {each.name: each.shape for each in inner if each.mark is None}
            return {name: fitted(known[name], each) for name, each in value.items() if name in known}
        case Many(item=item):
            return [fitted(item, each) for each in value]
        case PerKey(item=item):
            return {key: fitted(item, each) for key, each in value.items()}
        case _:
            return value.value if isinstance(value, Enum) else value
