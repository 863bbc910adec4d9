"""Notes: what happens in a session, without a word of what was said, for those who count, trace and log."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorate.core.record import PERSON, Envelope
from quorate.participants.providers import PROVIDERS

REPLIED = "replied"
"""The outcome of an ask that has its reply; otherwise it is the reason of the absence."""


class Kind(Enum):
    """Who sits on a seat."""

    MODEL = "model"
    PERSON = "person"
    SCRIPT = "script"
    FUNCTION = "function"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Who:
    """A participant, as far as it is of use to count by it."""

    kind: Kind
    provider: str
    model: str


def who(name: str) -> Who:
    """Return who is meant by the name that the record has; the address of a server of one's own is left out."""
    provider, _, rest = name.partition(":")
    if provider == "local" or provider in PROVIDERS:
        return Who(Kind.MODEL, provider, rest.partition("@")[0])
    kind = {PERSON: Kind.PERSON, "script": Kind.SCRIPT, "function": Kind.FUNCTION}.get(provider, Kind.CHECK)
    return Who(kind, kind.value, "")


@dataclass(frozen=True, slots=True)
class About:
    """The session that a note is of."""

    session: str
    protocol: str
    version: str
    began: int
    """When it was opened, in milliseconds since 1970, as all times here."""
    title: str
    """Taken from the material, so it is prose."""


@dataclass(frozen=True, slots=True)
class Driven:
    """Somebody begins to drive it, here."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A participant is called."""

    ask: str
    seat: str
    who: Who


@dataclass(frozen=True, slots=True)
class Asked:
    """The call is over; with or without something to show for it."""

    ask: str
    who: Who


@dataclass(frozen=True, slots=True)
class Answered:
    """An ask has its reply, or its absence, and that is durable."""

    ask: str
    entry: int
    """The number of the phase that asked."""
    seat: str
    brief: str
    phase: str
    who: Who
    outcome: str
    envelope: Envelope
    asked: int
    """When the phase began that asked."""
    said: str | None
    """The reply as JSON, where it may be told."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A phase is over."""

    entry: int
    phase: str
    outcome: str
    to: str
    cause: str
    began: int
    at: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Somebody or a limit has interrupted it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A person has ruled on the conclusion."""

    verdict: str


@dataclass(frozen=True, slots=True)
class Ended:
    """It has its verdict."""

    verdict: str
    degradation: str
    interrupted: str
    at: int
    tokens_in: int
    tokens_out: int
    cost: int | None
    """Millionths of a US dollar; None where one price is not known."""


@dataclass(frozen=True, slots=True)
class Written:
    """An entry is durable; how long that took."""

    kind: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Waits:
    """Only people can go on."""

    seats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """It is not driven here any more; `error` is the name of what went wrong, if anything did."""

    error: str


Note = Driven | Asking | Asked | Answered | Moved | Stopped | Ruling | Ended | Written | Waits | Left
