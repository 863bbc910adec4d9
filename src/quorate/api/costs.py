"""Worst case in tokens and money: the proven maximum of asks, times the maximum cost of an ask per participant."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.core.errors import InputError
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.participants.port import Participant
from quorate.workspace import Workspace

PROMPT = 8_000
"""Tokens of a prompt that are counted where a participant's window does not say less."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Maximum cost of one session, repairs included."""

    tokens: int
    cost: int | None
    """Millionths of a US dollar; None where a price is not known."""
    prompt: int = PROMPT
    """The longest prompt that was counted with."""
    unpriced: tuple[str, ...] = ()
    """Seats whose price is not known."""


def worst_costs(
    workspace: Workspace,
    name: str,
    asks: Mapping[str, Mapping[str, int]],
    *,
    panel: Path | None = None,
    model: str | None = None,
) -> dict[str, Cost]:
    """Return the worst-case cost of a protocol by profile, given the proven maximum of asks per seat and profile.

    The panel is the one given, or the workspace's. This is an upper bound: the maxima of all seats need not occur in
    one session. Profiles whose seats the panel does not know are left out.
    """
    source, model = panel or workspace.config.panel, model or workspace.config.model
    found = {}
    for profile, protocol in _profiles(name).items():
        with suppress(InputError):
            if profile in asks:
                found[profile] = _worst(seats.seat(protocol, source, {}, model=model), asks[profile])
    return found


@cache
def _profiles(name: str) -> Mapping[str, Protocol[Any]]:
    """Return a protocol under each of its profiles; cached, because rules do not change while a program runs."""
    return catalog.profiles(name)


def with_costs(report: Mapping[str, Any], costs: Mapping[str, Cost]) -> dict[str, Any]:
    """Return a proof as data, with the worst-case cost of each profile."""
    profiles = {
        name: {**profile, **(asdict(costs[name]) if name in costs else {})}
        for name, profile in report["profiles"].items()
    }
    return {**report, "profiles": profiles}


def _worst(table: Mapping[Seat, Participant], asks: Mapping[str, int]) -> Cost:
    tokens, cost, unpriced = 0, 0, []
    for seat, most in asks.items():
        participant = table[Seat(seat)]
        prompt = min(PROMPT, participant.window or PROMPT)
        one = participant.most_tokens(prompt)
        price = participant.price(prompt, max(0, one - prompt)) if one else 0
        tokens += most * one
        if price is None:
            unpriced.append(seat)
        else:
            cost += most * price
    return Cost(tokens, None if unpriced else cost, unpriced=tuple(unpriced))
