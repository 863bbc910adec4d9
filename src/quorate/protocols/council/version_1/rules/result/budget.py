"""The token budget of a council: the phases' shares, what each spent, and soft overruns (C35)."""

from __future__ import annotations

from typing import Any

from quorate.core.record import Said
from quorate.protocols.council.version_1.rules.result.overview import Reading

TOKENS = 150_000
RESERVED = 15_000
ALLOCATION = {"INIT": 5_000, "CYCLE_1": 40_000, "CYCLE_2": 50_000, "CYCLE_3": 40_000, "ASSEMBLY": RESERVED}


def budget(reading: Reading) -> dict[str, Any]:
    """Return the budget, the tokens spent by phase, and the soft overruns."""
    found = spent(reading)
    limit = reading.record.opening.run.get("budget", {}).get("tokens", TOKENS - RESERVED)
    own = limit == TOKENS - RESERVED  # a limit that somebody set is what may be spent, and keeps nothing back
    return {
        "tokens": TOKENS if own else limit,
        "reserved": RESERVED if own else 0,
        "allocation": dict(ALLOCATION),
        "spent": found,
        "overruns": overruns(found),
    }


def spent(reading: Reading) -> dict[str, int]:
    """Return the tokens of all replies by phase; the assembly uses none."""
    found = dict.fromkeys(ALLOCATION, 0)
    for line in reading.record.log:
        if isinstance(line, Said):
            found[line.phase.name] += line.envelope.tokens_in + line.envelope.tokens_out
    return found


def overruns(found: dict[str, int]) -> list[dict[str, Any]]:
    """Return the phases that spent more than their share plus what earlier phases left over."""
    left, over = 0, []
    for phase, share in ALLOCATION.items():
        allowed = share + left
        if found[phase] > allowed:
            over.append({"phase": phase, "allowed": allowed, "spent": found[phase]})
        left = max(0, allowed - found[phase])
    return over
