"""The seam between the runtime and whoever sits on a seat: one request in, one answer out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from quorate.core.forms import Reply
from quorate.core.types import Absent, Ask
from quorate.core.values import value
from quorate.core.view import View


@value(frozen=True, slots=True)
class Prompt:
    """A view as text: what is common to all seats and fixed (`system`), and the rest (`user`)."""

    system: str
    user: str


MOST_REPAIRS = 2


class Tools(Protocol):
    """Read-only looks into the context folder; every method returns text and never raises for bad arguments."""

    def list(self, path: str = ".") -> str: ...

    def read(self, path: str) -> str: ...

    def search(self, term: str) -> str: ...


@value(frozen=True, slots=True)
class Request:
    """One ask, ready to be answered."""

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


@value(frozen=True, slots=True)
class Answer:
    """What came back, and what it cost."""

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


Say = Callable[[str], None]
"""Takes streaming text for the live view; what is said there is not kept."""


class Participant(Protocol):
    """Anybody who can sit on a seat."""

    @property
    def name(self) -> str:
        """How the record names it, such as `openai:gpt-5` or `person`."""
        ...

    @property
    def provider(self) -> str:
        """Calls to one provider share a limit on concurrency."""
        ...

    @property
    def concurrency(self) -> int:
        """The most calls to its provider at the same time."""
        ...

    @property
    def window(self) -> int | None:
        """The tokens that prompt and reply may have together; None where there is no limit to mind."""
        ...

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """The most tokens, prompt included, that answering such a prompt can cost with so many repairs; 0 if free.

        With `looks` it may look into the context folder, and what it sees there costs tokens, too.
        """
        ...

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """What such a call costs in millionths of a US dollar; None where the price is not known."""
        ...

    async def reply(self, request: Request, say: Say) -> Answer | None:
        """Answer, or return None to leave the ask open: somebody will answer later. Never raises for bad output."""
        ...


def those_behind(participant: Participant) -> Iterator[Participant]:
    """Yield who really answers: the participant, or those for whom it stands, which it names in `behind`."""
    behind: tuple[Participant, ...] = getattr(participant, "behind", ())
    if not behind:
        yield participant
    for each in behind:
        yield from those_behind(each)
