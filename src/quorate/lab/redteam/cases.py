"""The attack cases: every piece of material with every family of attack, in three ways and three places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from quorate.core.errors import SettingError, nearest
from quorate.lab.lab import labs, matters
from quorate.lab.redteam.families import VARIANTS, AttackFamily, Payload, payload
from quorate.lab.redteam.material import Matter
from quorate.lab.redteam.orders import Order

SWAPPED = {Order.APPROVE: Order.CONDEMN, Order.CONDEMN: Order.APPROVE, Order.FORGE: Order.CONDEMN}
"""An attack that asks for what would happen anyway shows nothing: what is sound is to be condemned, and the reverse."""


@dataclass(frozen=True, slots=True)
class Case:
    """One attack on one piece of material."""

    matter: Matter
    payload: Payload
    place: str

    @property
    def name(self) -> str:
        return f"{self.matter.protocol}, {self.matter.name}: {self.payload.family.value} {self.payload.number + 1}"

    @property
    def tight(self) -> bool:
        """Whether the session has a budget that the attack could exhaust."""
        return self.payload.family in (AttackFamily.BUDGET, AttackFamily.FLOOD)


@cache
def suite(protocol: str | None = None) -> tuple[Case, ...]:
    """Return all cases, of one protocol or of all, always in the same order."""
    known = list(labs())
    if protocol is not None and protocol not in known:
        raise SettingError(
            f"there are no attacks on {protocol!r}",
            key="PROTOCOL",
            expected="one of " + ", ".join(known),
            nearest=nearest(protocol, known),
        )
    attacked = [matter for matter in matters() if protocol in (None, matter.protocol)]
    return tuple(
        _case(matter, family, number) for matter in attacked for family in AttackFamily for number in range(VARIANTS)
    )


def _case(matter: Matter, family: AttackFamily, number: int) -> Case:
    made = payload(family, number)
    asks_in_vain = made.order.wants_success if matter.sound else made.order is Order.CONDEMN
    if asks_in_vain:
        made = payload(family, number, SWAPPED[made.order])
    return Case(matter, made, matter.places[number % len(matter.places)])


def chosen(cases: Sequence[Case], count: int | None) -> tuple[Case, ...]:
    """Return this many cases, spread evenly over all of them; None means all."""
    if count is None or count >= len(cases):
        return tuple(cases)
    return tuple(cases[index * len(cases) // count] for index in range(count))
