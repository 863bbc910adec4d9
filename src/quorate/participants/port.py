"""The interface between the runtime and participants: one request in, one answer out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from quorate.core.form_values import Measured, Unfit
from quorate.core.forms import Reply
from quorate.core.types import Absent, Ask
from quorate.core.values import replace, value
from quorate.core.view import Cut, Section, View


@value(frozen=True, slots=True)
class Prompt:
    """A view as text: `system` is fixed and the same for all seats; `user` is the rest."""

    system: str
    user: str
    shared: int = 0
    """Characters with which `user` begins in the prompts of all seats."""


MOST_REPAIRS = 2


class Tools(Protocol):
    """Read-only access to the context folder. Every method returns text and never raises for bad arguments."""

    def list(self, path: str = ".") -> str: ...

    def read(self, path: str) -> str: ...

    def search(self, term: str) -> str: ...


Rendered = tuple[Prompt, tuple[Cut, ...]]
"""A prompt, and what was cut of the view in it."""


@value(frozen=True, slots=True)
class Request:
    """One ask with everything a participant needs to answer it."""

    ask: Ask
    view: View
    prompt: Prompt
    """The view rendered for a model, cut to the participant's window."""
    schema: Mapping[str, Any]
    """The JSON Schema of the form, with the ask's keys."""
    occurrence: int
    """Which time this is that the seat is asked this brief, from 1."""
    seed: int
    """Drawn from the session's seed and the ask; the same after a crash."""
    tools: Tools | None = None
    repairs: int = MOST_REPAIRS
    """How often a malformed reply may be asked for again; fewer where the budget has no room for them."""
    prompt_for: Callable[[Participant, tuple[Section, ...]], Rendered] | None = None
    """Renders the ask for another participant, with these sections behind what the view shows."""


@value(frozen=True, slots=True)
class Answer:
    """A reply or an absence, with its usage and cost."""

    reply: Reply | Absent
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: int | None = 0
    """Millionths of a US dollar; None where the price is not known."""
    attempts: int = 1
    """How often somebody was asked; 0 is a reply from a cache, or an absence before anybody was reached."""
    detail: str = ""
    """For people: the error behind an absence, repairs that were needed."""
    unfit: tuple[Unfit, ...] = ()
    """What of the reply did not fit its form, and what became of it."""
    tokens_cached: int = 0
    """Of `tokens_in`, those that the provider read from its cache."""
    measured: tuple[Measured, ...] = ()
    """Which closed fields of the reply were read from the model's probabilities."""


def total_of(answer: Answer, calls: Iterable[Answer]) -> Answer:
    """Return an answer with the tokens, cost and attempts of all calls that led to it."""
    every = list(calls)
    prices = [each.cost for each in every if each.cost is not None]
    return replace(
        answer,
        tokens_in=sum(each.tokens_in for each in every),
        tokens_out=sum(each.tokens_out for each in every),
        cost=sum(prices) if len(prices) == len(every) else None,
        attempts=sum(each.attempts for each in every),
        tokens_cached=sum(each.tokens_cached for each in every),
    )


Say = Callable[[str], None]
"""Takes streaming text for the live view; what is said there is not kept."""


class Participant(Protocol):
    """Interface of everything that can hold a seat."""

    @property
    def name(self) -> str:
        """Name in the record, such as `openai:gpt-5` or `person`."""
        ...

    @property
    def provider(self) -> str:
        """Provider name; calls to one provider share a concurrency limit."""
        ...

    @property
    def concurrency(self) -> int:
        """Maximum number of concurrent calls to the provider."""
        ...

    @property
    def window(self) -> int | None:
        """Maximum tokens of prompt and reply together; None for no limit."""
        ...

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """Return the most tokens, prompt included, that answering can use with this many repairs; 0 if free.

        With `looks`, tool calls into the context folder are counted too.
        """
        ...

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """Return the price of such a call in millionths of a US dollar; None if unknown."""
        ...

    async def reply(self, request: Request, say: Say) -> Answer | None:
        """Answer, or return None to leave the ask open for somebody to answer later. Never raises for bad output."""
        ...


def those_behind(participant: Participant) -> Iterator[Participant]:
    """Yield the participants that really answer: this one, or those it wraps, as listed in `behind`."""
    behind: tuple[Participant, ...] = getattr(participant, "behind", ())
    if not behind:
        yield participant
    for each in behind:
        yield from those_behind(each)


def those_speaking(participant: Participant) -> Iterator[Participant]:
    """Yield the participants whose words become the seat's reply: those behind it, but for one that only drafts."""
    speaking: tuple[Participant, ...] = getattr(participant, "speaking", ()) or getattr(participant, "behind", ())
    if not speaking:
        yield participant
    for each in speaking:
        yield from those_speaking(each)
