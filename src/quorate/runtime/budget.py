"""Budgets in tokens, money and time: what is spent, reserved for calls in flight, and left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from quorate.core.forms import Between
from quorate.core.record import Envelope
from quorate.core.values import value

MILLIONTHS = 10_000
"""Millionths of a dollar in a cent."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most a session may spend; None is no limit. Asks are limited by the protocol's own `max_episodes`."""

    tokens: Annotated[int | None, Between(1, 10**12), "the most tokens, prompts included"] = None
    cents: Annotated[int | None, Between(1, 10**9), "the most money, in US cents"] = None
    seconds: Annotated[int | None, Between(1, 10**9), "the most time at work; waiting for people does not count"] = None


NO_LIMIT = Budget()


@value(frozen=True, slots=True)
class Amount:
    """An amount of tokens and of millionths of a US dollar."""

    tokens: int = 0
    money: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.tokens + other.tokens, self.money + other.money)


@dataclass
class Purse:
    """Account of one session. A call reserves its worst case and is settled with its actual cost."""

    budget: Budget
    spent: Amount = field(default_factory=Amount)
    worked_ms: int = 0
    """Time at work in earlier processes, read off the journal."""
    _reserved: dict[str, Amount] = field(default_factory=dict)

    @classmethod
    def of(cls, budget: Budget, envelopes: Iterable[Envelope]) -> Purse:
        """Open the account of a session with what its journal says was spent."""
        purse, last = cls(budget), None
        for envelope in envelopes:
            purse.spent += _cost(envelope)
            gap = envelope.elapsed if last is None else envelope.at - last
            purse.worked_ms += max(0, min(gap, envelope.elapsed))  # a longer gap is a pause, not work
            last = envelope.at
        return purse

    def refusal(self, worst: Amount, worked_ms: int) -> str | None:
        """Return which limit a call with this worst case could exceed, or None if it fits."""
        limits = self.budget
        if limits == NO_LIMIT:
            return None
        total = self.spent + worst
        for reserved in self._reserved.values():
            total += reserved
        if limits.tokens is not None and total.tokens > limits.tokens:
            return f"tokens: {total.tokens} would be needed at worst, {limits.tokens} are allowed"
        if limits.cents is not None and total.money > limits.cents * MILLIONTHS:
            allowed = dollars(limits.cents * MILLIONTHS)
            return f"money: {dollars(total.money)} would be needed at worst, {allowed} are allowed"
        worked = (self.worked_ms + worked_ms) // 1000
        if limits.seconds is not None and worked >= limits.seconds:
            return f"time: {worked} s at work, {limits.seconds} s are allowed"
        return None

    def reserve(self, ask: str, worst: Amount) -> None:
        self._reserved[ask] = worst

    def release(self, ask: str) -> None:
        self._reserved.pop(ask, None)

    def settle(self, ask: str, envelope: Envelope) -> None:
        """Replace the reservation of a call by its actual cost."""
        self.release(ask)
        self.book([envelope])

    def book(self, envelopes: Iterable[Envelope]) -> None:
        """Add the cost of replies that were written, whoever made the calls."""
        for envelope in envelopes:
            self.spent += _cost(envelope)


def _cost(envelope: Envelope) -> Amount:
    return Amount(envelope.tokens_in + envelope.tokens_out, envelope.cost or 0)


def dollars(millionths: int) -> str:
    """Format an amount of money for people."""
    return f"${millionths / 1_000_000:.4f}"
