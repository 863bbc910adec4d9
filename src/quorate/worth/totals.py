"""Totals: what a session has cost in asks, tokens, money and time, as a whole, by seat and by phase.

An ask counts once there is an answer to it, or word that there will be none. What code is asked takes no model and is
counted by itself, as an estimate leaves it out; so are asks that were withdrawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from quorate.core.record import Asked, Moved, Record, Said
from quorate.core.session import Cause, Withdraw
from quorate.core.types import Absent

DOLLAR = 1_000_000
"""Costs are kept in millionths of a US dollar."""


@dataclass(frozen=True, slots=True)
class Spent:
    """A sum. Unknown prices are counted separately, never as zero."""

    put: int = 0
    """Everything that was asked of anybody, whatever became of it."""
    replies: int = 0
    """Of models and people."""
    absent: int = 0
    """Models and people who gave none."""
    code_replies: int = 0
    code_absent: int = 0
    spared: int = 0
    """Asks that no call was made for, since a curtailed vote was settled without them."""
    withdrawn: int = 0
    """All others that were taken back; a call may have been under way."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int = 0
    """Millionths of a US dollar, of the answers whose price is known."""
    unpriced: int = 0
    """Answers, absences included, whose price is not known."""
    elapsed: int = 0
    """Milliseconds from ask to reply, added up; seats work at the same time."""
    tokens_cached: int = 0
    """Of `tokens_in`, those that providers say they read from their caches."""

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.put + other.put,
            self.replies + other.replies,
            self.absent + other.absent,
            self.code_replies + other.code_replies,
            self.code_absent + other.code_absent,
            self.spared + other.spared,
            self.withdrawn + other.withdrawn,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.cost + other.cost,
            self.unpriced + other.unpriced,
            self.elapsed + other.elapsed,
            self.tokens_cached + other.tokens_cached,
        )

    @property
    def asks(self) -> int:
        """Asks that models and people have answered, absences included."""
        return self.replies + self.absent

    @property
    def by_code(self) -> int:
        """Asks that code has answered, absences included."""
        return self.code_replies + self.code_absent

    @property
    def answers(self) -> int:
        return self.asks + self.by_code

    @property
    def tokens(self) -> int:
        return self.tokens_in + self.tokens_out

    @property
    def cached_words(self) -> str:
        """What was read from providers' caches, as a sentence."""
        read, prompts = f"{self.tokens_cached:,}", f"{self.tokens_in:,} prompt tokens"
        return f"{read} of {prompts} came from the provider's cache, as far as providers say."

    @property
    def money(self) -> str:
        """The cost as text: `$0.0123`, `unknown`, or `at least $0.0123 (2 of 9 prices are unknown)`."""
        if not self.unpriced:
            return dollars(self.cost)
        if not self.cost:  # what people, checks and scripts said costs nothing: that says nothing of the rest
            return "unknown"
        return f"at least {dollars(self.cost)} ({self.unpriced} of {self.answers} prices are unknown)"


@dataclass(frozen=True, slots=True)
class Totals:
    """The cost of a session. Seats and phases without asks are not listed."""

    whole: Spent
    seats: Mapping[str, Spent]
    phases: Mapping[str, Spent]
    models: Mapping[str, tuple[str, ...]]
    """Who answered, by seat, as the replies say."""
    first: int
    """When the first answer or interruption came, in milliseconds since 1970 (UTC); 0 before any."""
    last: int


def totals(record: Record) -> Totals:
    """Add up the whole record."""
    whole = Spent()
    seats: dict[str, Spent] = {}
    phases: dict[str, Spent] = {}
    models: dict[str, dict[str, None]] = {}
    for seat, phase, model, spent in _amounts(record):
        whole += spent
        seats[seat] = seats.get(seat, Spent()) + spent
        phases[phase] = phases.get(phase, Spent()) + spent
        if model:
            models.setdefault(seat, {})[model] = None
    times = [envelope.at for envelope in record.envelopes if envelope.at]
    answered_by = {seat: tuple(names) for seat, names in models.items()}
    return Totals(whole, seats, phases, answered_by, min(times, default=0), max(times, default=0))


def _amounts(record: Record) -> Iterator[tuple[str, str, str, Spent]]:
    """Yield what each line of the record adds, with its seat, phase and model."""
    asked: dict[str, tuple[str, str]] = {}
    settled: set[str] = set()  # phases that were left before all had answered, by what the ids of their asks begin with
    for line in record.log:
        match line:
            case Asked(ask, phase, _):
                asked[ask.id] = (str(ask.seat), phase.name)
                yield *asked[ask.id], "", Spent(put=1)
            case Moved(move, _):
                if move.cause is Cause.SETTLED:
                    settled.add(str(move.entry))
            case Withdraw(ask_id):
                spared = ask_id.partition(".")[0] in settled and record.opening.run.get("curtail", True)
                yield *asked[ask_id], "", Spent(spared=1) if spared else Spent(withdrawn=1)
            case Said(ask, reply, _, _, envelope):
                absent, code = isinstance(reply, Absent), ask.seat in record.protocol.checks
                spent = Spent(
                    replies=int(not absent and not code),
                    absent=int(absent and not code),
                    code_replies=int(not absent and code),
                    code_absent=int(absent and code),
                    tokens_in=envelope.tokens_in,
                    tokens_out=envelope.tokens_out,
                    cost=envelope.cost or 0,
                    unpriced=int(envelope.cost is None),
                    elapsed=envelope.elapsed,
                    tokens_cached=envelope.tokens_cached,
                )
                yield *asked[ask.id], envelope.model, spent
            case _:
                continue


def counted(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun, in the plural where it is not one: `1 person`, `2 people`."""
    return f"{number} {noun}" if number == 1 else f"{number} {many or f'{noun}s'}"


def dollars(cost: int) -> str:
    """Format millionths of a dollar exactly, with two to six decimals: `$1.20`, `$0.000125`."""
    whole, rest = divmod(abs(cost), DOLLAR)
    decimals = f"{rest:06d}".rstrip("0").ljust(2, "0")
    return f"{'-' if cost < 0 else ''}${whole:,}.{decimals}"


def duration(milliseconds: int) -> str:
    """Format a time span in its two largest units: `950 ms`, `4.2 s`, `3 min 20 s`, `5 h 2 min`."""
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds // 1000}.{milliseconds % 1000 // 100} s"
    seconds = milliseconds // 1000
    if seconds < 3_600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600:,} h {seconds % 3600 // 60} min"
