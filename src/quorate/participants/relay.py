"""Relay: two models on one seat. Either the stronger one speaks from a later round on, or it confirms each reply.

From a later round on: if an early round decides, only the cheap model is paid for; if not, the protocol goes on to
another round, where the stronger one takes over. Which one is asked depends on the round alone, so a resumed session
asks the same one; the record names the model of each reply.

Confirming: the cheap model drafts a reply to every ask, and the stronger one is asked the same with the draft below. No
code decides between them: what the stronger one replies is the reply of the seat, whatever the draft said. So it is no
protocol of its own, and both are paid for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from quorate.codec import reply_to_data
from quorate.core.forms import Reply
from quorate.core.types import Absent
from quorate.core.values import replace
from quorate.core.view import Cut, Section, estimate_tokens
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Prompt, Request, Say, total_of
from quorate.safety.secrets import each_text, without_secrets

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


CHECK = (
    "Another model has drafted a reply to your task. Check every point of it against what you are shown: give again "
    "what holds, mend or leave out what does not, and add what is missing. Only your reply counts."
)
FRAME_TOKENS = estimate_tokens(CHECK) + 100
"""What is said about a draft, and the markers around it."""
FIRST = 1_000_000
"""A draft is the first thing that is cut, and one that was cut is not shown."""
MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The first participant drafts, and the stronger one, who is shown the draft, gives the reply of the seat.

    Without a draft, or where the stronger one's window has no room for it, the stronger one answers alone; where that
    one is absent, so is the seat, because nobody has confirmed anything. A crash between the two calls repeats both.
    """

    first: Participant
    stronger: Participant

    @property
    def behind(self) -> tuple[Participant, ...]:
        return self.stronger, self.first

    @property
    def speaking(self) -> tuple[Participant, ...]:
        return (self.stronger,)

    @property
    def name(self) -> str:
        return f"{self.first.name}, confirmed by {self.stronger.name}"

    @property
    def provider(self) -> str:
        return self.stronger.provider

    @property
    def concurrency(self) -> int:
        return min(self.first.concurrency, self.stronger.concurrency)

    @property
    def window(self) -> int | None:
        return self.stronger.window

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        """Return what both can use; the prompt of the stronger one has the longest draft that the first can write."""
        first = self.first.most_tokens(prompt_tokens, repairs, looks=looks)
        draft = self.most_drafted(prompt_tokens) + FRAME_TOKENS
        return first + self.stronger.most_tokens(prompt_tokens + draft, repairs, looks=looks)

    def most_drafted(self, prompt_tokens: int) -> int:
        """Return the most tokens of a draft that is shown to the stronger one."""
        return max(0, self.first.most_tokens(prompt_tokens, 0) - prompt_tokens)

    def price(self, tokens_in: int, tokens_out: int) -> int | None:
        """Return the higher of the two prices; None if either is unknown."""
        return Relay(self.first, self.stronger).price(tokens_in, tokens_out)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        assert request.prompt_for is not None
        draft = await self.first.reply(replace(request, prompt=request.prompt_for(self.first, ())[0]), lambda _: None)
        if draft is None:
            return None
        shown = None if isinstance(draft.reply, Absent) else self._with_draft(request, draft.reply)
        answer = await self.stronger.reply(request if shown is None else replace(request, prompt=shown), say)
        if answer is None:
            return None
        detail = "; ".join(filter(None, (_fate(draft, answer, seen=shown is not None), answer.detail)))
        return total_of(replace(answer, detail=detail), (draft, answer))

    def _with_draft(self, request: Request, draft: Reply) -> Prompt | None:
        """Return the prompt with the draft; None where the draft would take the place of what else is shown."""
        assert request.prompt_for is not None
        text = json.dumps(each_text(reply_to_data(draft), without_secrets), ensure_ascii=False, indent=1)
        if estimate_tokens(text) > self.most_drafted(estimate_tokens(request.prompt.system + request.prompt.user)):
            return None
        told = Section("Check a draft", CHECK, data=False, cut=FIRST), Section("The draft", text, cut=FIRST)
        prompt, cuts = request.prompt_for(self.stronger, told)
        _, usual = request.prompt_for(self.stronger, ())
        return prompt if _lacking(cuts) == _lacking(usual) else None


def _lacking(cuts: tuple[Cut, ...]) -> list[Cut]:
    return [each for each in cuts if not each.meant]


def _fate(draft: Answer, answer: Answer, *, seen: bool) -> str:
    """Say who drafted at what cost, and what became of the draft."""
    cost = "an unknown price" if draft.cost is None else f"${draft.cost / 1_000_000:.4f}"
    drafted = f"drafted by {draft.model} with {draft.tokens_in + draft.tokens_out:,} tokens, {cost}"
    if isinstance(draft.reply, Absent):
        return f"no draft from {draft.model} ({draft.reply.reason.value}): {drafted}"
    if not seen:
        return f"{drafted}; not shown, for want of room"
    if isinstance(answer.reply, Absent):
        return f"{drafted}; not confirmed"
    from quorate.participants.agreement import comparable, word_text  # few seats have a draft

    before, after = comparable(draft.reply), comparable(answer.reply)
    changed = [
        f"{' '.join(place)} {word_text(word)} became {word_text(after.words.get(place, 'nothing'))}"
        for place, word in before.words.items()
        if after.words.get(place) != word
    ]
    for place, each in before.lists.items():
        kept = after.lists.get(place, each) & each
        if gone := each.total() - kept.total():
            changed.append(f"{gone} of {each.total()} entries of {' '.join(place)} were changed or left out")
    told = "; ".join(changed[:MOST_TOLD]) + (
        f"; and {len(changed) - MOST_TOLD} more" if len(changed) > MOST_TOLD else ""
    )
    return f"{drafted}; {told or 'confirmed in every choice'}"
