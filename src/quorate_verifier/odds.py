"""Measured fields: one rule for every protocol, known or not.

An entry may tell, beside a reply, which closed fields were read from its model's probabilities (`measured`). What it
tells has to be what the reply says, and has to follow from the shares: a field says a value of the most probable
answer, or what its model had filled in itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate_verifier.report import Difference, shown

WHOLE = 1_000


def unlike_the_measured(data: Mapping[str, Any]) -> Iterator[Difference]:
    """Compare each measured field with its shares and with the reply."""
    for index, entry in enumerate(data["entries"]):
        body = entry["body"]
        for number, each in enumerate(body.get("measured", ())):
            place = f"/entries/{index}/body/measured/{number}"
            shares = {share["answer"]: share["share"] for share in each["shares"]}
            if sum(shares.values()) != WHOLE:
                yield Difference(f"{place}/shares", f"they add up to {sum(shares.values())}", f"{WHOLE}")
            best = [name for name, share in shares.items() if share == max(shares.values())]
            if each["value"] != each["said"] and not any(each["value"] in name.split(" or ") for name in best):
                yield Difference(
                    f"{place}/value", f"it is {shown(each['value'])}", f"of {' or '.join(best)}, or as said"
                )
            told = _told(body.get("reply"), each["at"])
            if told != each["value"]:
                yield Difference(f"{place}/value", f"it is {shown(each['value'])}", f"{shown(told)}, as the reply says")


def _told(reply: Any, at: str) -> Any:
    """Return the value of a reply at `stance` or `answers.KEY.response`; None where it has none."""
    field, _, rest = at.partition(".")
    key, _, inner = rest.rpartition(".")
    for name in filter(None, (field, key, inner)):
        reply = reply.get(name) if isinstance(reply, dict) else None
    return reply
