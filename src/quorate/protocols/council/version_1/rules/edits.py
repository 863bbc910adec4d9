"""Who is asked for edits, and the resolution of a finding after they were tried (C38, C39)."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.protocols.council.version_1.rules.forms import Applied
from quorate.protocols.council.version_1.rules.model import MOST_ATTEMPTS, Finding, Resolution, State


def to_mend(state: State) -> tuple[Key, ...]:
    """Return the findings for which edits are wanted (C38)."""
    return tuple(each.key for each in state.findings if each.resolution is Resolution.REMEDIATION_AGREED)


def shared_out(state: State) -> dict[Seat, tuple[Key, ...]]:
    """Distribute the findings to mend among the active seats, round-robin."""
    found: dict[Seat, tuple[Key, ...]] = {}
    for place, key in enumerate(to_mend(state)):
        seat = state.active[place % len(state.active)]
        found[seat] = (*found.get(seat, ()), key)
    return dict(sorted(found.items()))


def edited(finding: Finding, result: Applied) -> Finding:
    match result:
        case Applied.APPLIED:
            return replace(finding, resolution=Resolution.REMEDIATED)
        case Applied.PROSE_ONLY:
            prosaic = finding.prosaic + 1
            stuck = Resolution.DEADLOCKED if prosaic >= MOST_ATTEMPTS else finding.resolution
            return replace(finding, prosaic=prosaic, resolution=stuck)
        case _:
            return finding
