"""The plan of one workshop: the settings with everything filled in that its workflow decides (W3, W32)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache

from quorate.core.errors import SettingError
from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.core.types import Seat
from quorate.kit.qualification import check_unqualified
from quorate.kit.settings import read_settings
from quorate.kit.strict_json import strict_json
from quorate.protocols.workshop.rules.model import CLERK, FACILITATOR, PERSON, Member, State
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import BY_NAME, Strategy
from quorate.protocols.workshop.rules.taxonomy import Side
from quorate.protocols.workshop.rules.workflows import ROSTERS, STRATEGIES


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings with everything filled in that a workflow decides."""

    settings: WorkshopSettings
    strategy: Strategy
    participants: tuple[Seat, ...]
    sides: tuple[tuple[Seat, Side], ...] = ()

    def counts(self, seat: Seat) -> bool:
        """Return whether anything follows from what a seat says (W40, W41)."""
        return seat not in self.settings.unqualified_seats

    def voices(self, state: State) -> tuple[Member, ...]:
        """Return those who answered in the round under way and whose word counts (W40)."""
        return tuple(member for member in state.answered if self.counts(member.seat))

    def side(self, seat: Seat) -> Side | None:
        return next((side for name, side in self.sides if name == seat), None)

    def position(self, seat: Seat) -> Key:
        """The key under which the facilitator names what a participant said (W12)."""
        return Key(f"P{self.participants.index(seat) + 1}")

    def seat(self, position: Key) -> Seat | None:
        return next((seat for seat in self.participants if self.position(seat) == position), None)


def plan_of(settings: WorkshopSettings) -> Plan:
    """Return the plan of these settings; a roster that cannot be seated raises SettingError."""
    workflow = settings.workflow.value
    strategy = BY_NAME[settings.strategy or STRATEGIES[workflow]]
    names = settings.participants or ROSTERS[workflow]
    if len(names) < 2:
        raise SettingError(f"has {len(names)} participant(s)", key="participants", expected="two to eleven")
    for name in names:
        if names.count(name) > 1:
            raise SettingError(f"names {name!r} twice", key="participants", expected="everybody once")
        if name in (FACILITATOR, PERSON, CLERK):
            raise SettingError(
                f"names {name!r}", key="participants", expected="names of roles; every workshop has this seat already"
            )
    seats = tuple(Seat(name) for name in names)
    check_unqualified(settings.unqualified_seats, (FACILITATOR, *seats, PERSON))
    return Plan(settings, strategy, seats, _sides(settings, seats) if strategy.sided else ())


def plan_in(record: Record) -> Plan:
    """Return the plan that a session was opened with."""
    return _kept(json.dumps(record.protocol.settings, sort_keys=True))


@lru_cache(maxsize=16)
def _kept(settings: str) -> Plan:
    """Return the plan, cached by settings, since views ask for it repeatedly."""
    return plan_of(read_settings(WorkshopSettings, strict_json(settings)))


def _sides(settings: WorkshopSettings, seats: tuple[Seat, ...]) -> tuple[tuple[Seat, Side], ...]:
    """Return the sides of a debate; nobody is left out (W3)."""
    for key, names in (("pro", settings.pro), ("con", settings.con)):
        for name in names:
            if name not in seats:
                raise SettingError(f"names {name!r}", key=key, expected="participants: " + ", ".join(seats))
            if name in settings.pro and name in settings.con:
                raise SettingError(f"names {name!r}, who is on the other side too", key=key, expected="one side each")
    pro: set[str] = set(settings.pro)
    con: set[str] = set(settings.con)
    if not pro and not con:
        half = len(seats) // 2
        pro, con = {*map(str, seats[:half])}, {*map(str, seats[half : 2 * half])}
    elif not pro or not con:
        rest = {str(seat) for seat in seats} - pro - con
        pro, con = pro or rest, con or rest
    if not pro or not con:
        raise SettingError("leaves nobody on the other side", key="pro" if pro else "con", expected="both sides seated")
    return tuple((seat, Side.PRO if seat in pro else Side.CON if seat in con else Side.OBSERVER) for seat in seats)
