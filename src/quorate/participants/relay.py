"""A relay on a seat: a cheap model speaks first, and a stronger one from a later round on.

A round that decides costs the cheap model alone. Where it does not decide, the protocol goes on to another round, and
that is what brings the stronger one in. Who speaks follows from the round of the ask and from nothing else, so a
resumed session asks the same, and the record names whoever gave each reply.
"""

from __future__ import annotations

from dataclasses import dataclass

from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Say

FROM_ROUND = 2
"""The round from which the stronger one speaks, where a panel does not say."""


@dataclass(frozen=True, slots=True)
class Relay:
    """Two participants on one seat. Its limits and prices are the worse of the two; the runtime asks one of them."""

    first: Participant
    stronger: Participant
    from_round: int = FROM_ROUND

    def in_round(self, number: int) -> Participant:
        """Return who speaks in a round."""
        return self.stronger if number >= self.from_round else self.first

    @property
    def behind(self) -> tuple[Participant, ...]:
        return self.first, self.stronger

    @property
    def name(self) -> str:
        return f"{self.first.name}, from round {self.from_round} {self.stronger.name}"

    @property
    def provider(self) -> str:
        return self.first.provider

    @property
    def concurrency(self) -> int:
        return self.first.concurrency

    @property
    def window(self) -> int | None:
        """The wider of the two: a worst case is counted with the longest prompt that either may get."""
        if self.first.window is None or self.stronger.window is None:
            return None
        return max(self.first.window, self.stronger.window)

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return max(each.most_tokens(prompt_tokens, repairs, looks=looks) for each in (self.first, self.stronger))

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """The dearer of the two; None where either price is not known."""
        prices = [each.price(tokens_in, tokens_out) for each in (self.first, self.stronger)]
        known = [price for price in prices if price is not None]
        return max(known) if len(known) == len(prices) else None

    async def reply(self, request: Request, say: Say) -> Answer | None:
        """Answer as in the first round: whoever knows of rounds asks `in_round` instead."""
        return await self.first.reply(request, say)
