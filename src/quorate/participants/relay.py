"""Relay: a cheap model holds the seat first, and a stronger one from a later round on.

If an early round decides, only the cheap model is paid for; if not, the protocol goes on to another round, where the
stronger one takes over. Which one is asked depends on the round alone, so a resumed session asks the same one; the
record names the model of each reply.
"""

from __future__ import annotations

from dataclasses import dataclass

from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Say

FROM_ROUND = 2
"""The round from which the stronger one speaks, where a panel does not say."""


@dataclass(frozen=True, slots=True)
class Relay:
    """Two participants on one seat. Limits and prices are the worst case of the two; the runtime asks one of them."""

    first: Participant
    stronger: Participant
    from_round: int = FROM_ROUND

    def in_round(self, number: int) -> Participant:
        """Return the participant for a round."""
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
        """The wider of the two windows, since worst cases are computed with the longest possible prompt."""
        if self.first.window is None or self.stronger.window is None:
            return None
        return max(self.first.window, self.stronger.window)

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return max(each.most_tokens(prompt_tokens, repairs, looks=looks) for each in (self.first, self.stronger))

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """Return the higher of the two prices; None if either is unknown."""
        prices = [each.price(tokens_in, tokens_out) for each in (self.first, self.stronger)]
        known = [price for price in prices if price is not None]
        return max(known) if len(known) == len(prices) else None

    async def reply(self, request: Request, say: Say) -> Answer | None:
        """Answer with the first participant. The runtime calls `in_round` instead, since it knows the round."""
        return await self.first.reply(request, say)
