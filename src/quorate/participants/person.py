"""A person on a seat: every ask stays open until somebody answers it, at once or days later."""

from __future__ import annotations

from dataclasses import dataclass

from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say


@dataclass(frozen=True, slots=True)
class Person:
    """Leaves every ask open; the answer comes through `quorate answer`, a terminal or a page."""

    name: str = "person"
    provider: str = "person"
    concurrency: int = 1_000
    """Nothing is called, so there is nothing to limit."""
    window: int | None = None

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return 0

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        return 0

    async def reply(self, request: Request, say: Say) -> Answer | None:
        return None
