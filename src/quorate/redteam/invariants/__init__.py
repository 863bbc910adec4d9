"""What has to hold whatever the seats say: looked up in the record and in what was shown, without the rules' own code.

The counts here are made from RULES.md a second time. They use the words of the protocols (forms, phases, verdicts) and
none of their functions: a protocol that let itself be talked into something would be talked into it here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from quorate.redteam.invariants import common, council, debate, review, roundtable, workshop
from quorate.redteam.invariants.broken import Broken, Invariant
from quorate.redteam.running import Observed

__all__ = ["Broken", "Invariant", "broken"]

OF_PROTOCOL: Mapping[str, Callable[[Observed], Iterator[Broken]]] = {
    "review": review.broken,
    "council": council.broken,
    "debate": debate.broken,
    "workshop": workshop.broken,
    "roundtable": roundtable.broken,
}


def broken(seen: Observed) -> tuple[Broken, ...]:
    """Return every invariant that a session broke; none is what is expected."""
    return (*common.broken(seen), *OF_PROTOCOL[seen.matter.protocol](seen))
