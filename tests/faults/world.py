"""A world: everything that one seed decides, and everything that came of it.

What a seat says, and which trouble a call has, hangs on the seed and the ask alone. When processes and disks fail is
drawn from one stream of chance in the order in which things happen, and that order is always the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random

from quorate.core.types import AbsentReason, Ask
from tests.faults.clock import Clock
from tests.faults.kinds import ON_DISK, SIMULATED, Kind
from tests.faults.tables import TABLES

SESSION = "simulated"
MOST_SECONDS = 14 * 24 * 3600.0
"""No world takes longer than that: what has not ended then hangs."""
MOST_FAULTS = 4
"""How often one kind may strike processes and disks in one world, so that every world can end."""
STORM = 24
"""The same in a world in which every write is struck."""
ON_REPLIES = (
    Kind.SILENCE,
    Kind.MALFORMED,
    Kind.TRUNCATED,
    Kind.REFUSED,
    Kind.PROVIDER_ERROR,
    Kind.RATE_LIMIT,
    Kind.BROKEN_PARTICIPANT,
)
LASTING = {
    Kind.SILENCE: AbsentReason.TIMED_OUT,
    Kind.MALFORMED: AbsentReason.MALFORMED,
    Kind.TRUNCATED: AbsentReason.MALFORMED,
    Kind.REFUSED: AbsentReason.REFUSED,
    Kind.PROVIDER_ERROR: AbsentReason.FAILED,
    Kind.RATE_LIMIT: AbsentReason.FAILED,
    Kind.BROKEN_PARTICIPANT: AbsentReason.FAILED,
}
"""What the record has to say of a seat whose trouble does not pass."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What goes wrong with the calls for one ask: so many times, or for good."""

    kind: Kind
    times: int
    """How often in a row; more often than anybody tries again is for good."""

    @property
    def lasts(self) -> bool:
        return self.times > 2 or self.kind in (Kind.SILENCE, Kind.REFUSED, Kind.BROKEN_PARTICIPANT)


@dataclass(frozen=True, slots=True)
class Called:
    """A call that was begun, and is paid for."""

    at: float
    process: str
    ask: str


@dataclass
class World:
    """One seed's world under way."""

    seed: int
    table: int = 0
    on_disk: bool = False
    kinds: frozenset[Kind] = frozenset()
    storm: bool = False
    """Every write is struck, not one here and there."""
    pace: float = 1.0
    """How long calls take, as a part of what they take in a simulation."""
    chance: Random = field(default_factory=Random)
    clock: Clock = field(default_factory=lambda: Clock(MOST_SECONDS))
    fired: Counter[Kind] = field(default_factory=Counter)
    trace: list[str] = field(default_factory=list)
    calls: list[Called] = field(default_factory=list)
    durable: dict[str, float] = field(default_factory=dict)
    """When the reply to each ask became durable."""
    leased: dict[str, float] = field(default_factory=dict)
    """When each process first got the session's lease."""
    kept: dict[int, str] = field(default_factory=dict)
    """The hash of every entry that a store has said it keeps, by its place."""
    problems: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, seed: int) -> World:
        """Draw a world. One kind goes round with the seeds, so that a few dozen of them have all kinds."""
        chance = Random(f"world {seed}")
        first = SIMULATED[seed % len(SIMULATED)]
        kinds = frozenset((first, *chance.sample(SIMULATED, chance.choice((0, 0, 1, 2, 3)))))
        on_disk = bool(kinds & {*ON_DISK}) or chance.random() < 0.5
        table, storm = chance.randrange(len(TABLES)), chance.random() < 0.15
        return cls(seed, table, on_disk, kinds, storm, chance=Random(f"chance {seed}"))

    def note(self, who: str, what: str) -> None:
        self.trace.append(f"{self.clock.now:12.3f} {who}: {what}")

    def fire(self, kind: Kind, who: str, what: str = "") -> None:
        self.fired[kind] += 1
        self.note(who, f"[{kind.value}] {what}".rstrip())

    def strikes(self, kind: Kind, likely: float) -> bool:
        """Decide whether a kind of this world strikes now; in a storm it does so until it has had enough."""
        if kind not in self.kinds or self.fired[kind] >= (STORM if self.storm else MOST_FAULTS):
            return False
        return self.chance.random() < (0.5 if self.storm else likely)

    def problem(self, text: str) -> None:
        self.note("oracle", text)
        self.problems.append(text)

    def trouble(self, ask: Ask) -> Trouble | None:
        """Return what is going to be wrong with the calls for this ask, each time that it is called."""
        able = [kind for kind in ON_REPLIES if kind in self.kinds]
        chance = Random(f"trouble {self.seed} {ask.id}")
        if not able or chance.random() > 0.3:
            return None
        return Trouble(chance.choice(able), chance.choice((1, 1, 2, 2, 9)))

    def latency(self, ask: Ask) -> float:
        """Return how many seconds a call for this ask takes when nothing is wrong."""
        chance = Random(f"latency {self.seed} {ask.id}")
        if self.pace != 1.0:
            return self.pace * chance.uniform(0.05, 3)
        if Kind.LATE in self.kinds and chance.random() < 0.3:
            return chance.uniform(35, 110)
        if Kind.OUT_OF_ORDER in self.kinds:
            return 5.0 / (1 + int(ask.id.partition(".")[2])) * chance.uniform(0.8, 1.2)
        return chance.uniform(0.05, 3)

    def digest(self) -> str:
        """Return what tells two runs of a world apart: everything that happened in it, in order."""
        return sha256("\n".join(self.trace).encode()).hexdigest()

    def story(self) -> Iterator[str]:
        """Tell this world to people."""
        table, kinds = TABLES[self.table], ", ".join(sorted(kind.value for kind in self.kinds))
        yield f"seed {self.seed}: {table.name} {dict(table.settings)}"
        yield f"  {'SQLite' if self.on_disk else 'memory'}{', every write' if self.storm else ''}; {kinds}"
        yield from self.trace
