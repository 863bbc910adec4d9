"""Notes: what happened in a session, without its prose, for metrics, traces and logs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorate.core.record import PERSON, Envelope
from quorate.participants.providers import PROVIDERS

REPLIED = "replied"
"""The outcome of an ask that has its reply; otherwise it is the reason of the absence."""


class Kind(Enum):
    """Kind of participant."""

    MODEL = "model"
    PERSON = "person"
    SCRIPT = "script"
    FUNCTION = "function"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Who:
    """A participant, reduced to what metrics group by."""

    kind: Kind
    provider: str
    model: str


def who(name: str) -> Who:
    """Parse a participant's recorded name; the address of a custom server is dropped."""
    provider, _, rest = name.partition(":")
    if provider == "local" or provider in PROVIDERS:
        return Who(Kind.MODEL, provider, rest.partition("@")[0])
    kind = {PERSON: Kind.PERSON, "script": Kind.SCRIPT, "function": Kind.FUNCTION}.get(provider, Kind.CHECK)
    return Who(kind, kind.value, "")


@dataclass(frozen=True, slots=True)
class About:
    """The session that a note is about."""

    session: str
    protocol: str
    version: str
    began: int
    """When it was opened, in milliseconds since 1970, as all times here."""
    title: str
    """Taken from the material, so it is prose."""


@dataclass(frozen=True, slots=True)
class Driven:
    """This process started driving the session."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A call to a participant started."""

    ask: str
    seat: str
    who: Who


@dataclass(frozen=True, slots=True)
class Asked:
    """A call to a participant ended, with or without a result."""

    ask: str
    who: Who


@dataclass(frozen=True, slots=True)
class Answered:
    """The reply or absence of an ask was written durably."""

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
    """A phase ended."""

    entry: int
    phase: str
    outcome: str
    to: str
    cause: str
    began: int
    at: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The session was interrupted by somebody or by a limit."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A person ruled on the conclusion."""

    verdict: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The session reached its verdict."""

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
    """An entry was written durably, and how long that took."""

    kind: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Waits:
    """The session waits for people only."""

    seats: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """This process stopped driving the session; `error` is the exception's name, or empty."""

    error: str


Note = Driven | Asking | Asked | Answered | Moved | Stopped | Ruling | Ended | Written | Waits | Left
