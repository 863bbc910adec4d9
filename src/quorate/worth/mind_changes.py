"""Changes of position: who changed after seeing whom and, if the truth is known, whether that helped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from quorate.core.record import Record, Said
from quorate.kit.positions import Position, PositionChange, changes, courses


@dataclass(frozen=True, slots=True)
class Swayed:
    """One change of side."""

    seat: str
    about: str
    """Empty for the matter as a whole."""
    before: str
    """Its stance, in the protocol's own word."""
    after: str
    round: int
    seen: tuple[str, ...]
    """Whose positions it had been shown; empty where it changed by itself."""
    towards: tuple[str, ...]
    """Who of them held the side that it changed to."""
    helped: bool | None
    """Whether it turned to the truth; None where that is not known."""

    def __str__(self) -> str:
        what = f" on {self.about}" if self.about else ""
        if not self.seen:
            shown = "without having been shown anybody"
        elif self.towards:
            shown = f"after it was shown {names(self.towards)}, who held that"
        else:
            shown = f"after it was shown {names(self.seen)}, of whom nobody held that"
        effect = "" if self.helped is None else f" (a {'helpful' if self.helped else 'harmful'} flip)"
        return (
            f"{self.seat} changed{what} in round {self.round} from '{self.before}' to '{self.after}' {shown}{effect}."
        )


def swayed(record: Record, positions: Iterable[Position], truth: Mapping[str, bool]) -> tuple[Swayed, ...] | None:
    """Return every change of side, in order; None if nobody took a side on one thing twice.

    `truth` maps the things whose truth is known to whether they are good or true.
    """
    taken = tuple(positions)
    sided = ([each.holds for each in course if each.holds is not None] for course in courses(taken).values())
    if all(len(held) < 2 for held in sided):
        return None
    phases = {line.envelope.seq: phase_entry(line) for line in record.log if isinstance(line, Said)}
    return tuple(_told(change, taken, truth, phases) for change in changes(taken))


def in_short(found: tuple[Swayed, ...]) -> str:
    """Return how many changed and, if the truth is known, for better or worse; a single change is described."""
    if not found:
        return "Nobody changed position."
    if len(found) == 1:
        return str(found[0])
    known = [each.helped for each in found if each.helped is not None]
    told = f", {sum(known)} of them helpful and {len(known) - sum(known)} harmful" if known else ""
    return f"{len(found)} changes of position{told}."


def phase_entry(said: Said) -> int:
    """Return the index of the phase entry that a reply belongs to; replies of one entry do not see each other."""
    return said.ask.id.entry


def _told(
    change: PositionChange, taken: tuple[Position, ...], truth: Mapping[str, bool], phases: Mapping[int, int]
) -> Swayed:
    before, after = change.before, change.after
    latest: dict[str, bool | None] = {}
    for each in taken:
        if each.about == after.about and each.seat in after.shown and phases[each.seq] < phases[after.seq]:
            latest[each.seat] = each.holds
    known = truth.get(after.about)
    return Swayed(
        str(after.seat),
        after.about,
        before.stance,
        after.stance,
        after.round,
        tuple(map(str, after.shown)),
        tuple(str(seat) for seat in after.shown if latest.get(seat) is after.holds),
        None if known is None else after.holds is known,
    )


def names(seats: Sequence[str]) -> str:
    """Format one or more names: `a`, `a and b`, `a, b and c`."""
    return seats[0] if len(seats) == 1 else f"{', '.join(seats[:-1])} and {seats[-1]}"


def swayed_data(each: Swayed) -> dict[str, Any]:
    """Return a change as plain data."""
    return {**asdict(each), "seen": list(each.seen), "towards": list(each.towards)}
