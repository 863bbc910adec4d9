"""Samples: one participant draws several replies to an ask, and one of them is its reply.

Nothing is glued together: the reply that is taken was given as it stands, so its texts and its choices belong together.
It is the one that agrees with most of the others: first in what it says once or once for each key (choices, yes or no,
keys); where that is even, in the entries of its lists, texts aside; where that is even, in its numbers; where that is
even, the first drawn. So an odd number decides more. The samples that gave no reply do not count; if fewer than half
gave one, the seat is absent. However many are drawn, it is one reply of one seat, with one voice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from quorate.core.forms import Reply
from quorate.core.types import Absent
from quorate.core.values import replace
from quorate.participants.agreement import closest, comparable, word_text
from quorate.participants.port import MOST_REPAIRS, Answer, Request, Say, total_of
from quorate.participants.standin import StandIn

MOST_TOLD = 4
"""Choices of a reply of which the detail says how many samples made them."""


@dataclass(frozen=True, slots=True)
class Samples(StandIn):
    """Draws `count` replies of `inner`, one after the other, so that a provider's limit on calls at once holds.

    A crash between two of them draws all again; with a reply cache, those that were kept are taken from it.
    """

    count: int

    @property
    def name(self) -> str:
        return f"{self.inner.name}, {self.count} samples"

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return self.count * self.inner.most_tokens(prompt_tokens, repairs, looks=looks)

    async def reply(self, request: Request, say: Say) -> Answer | None:
        """Draw the samples and answer with one of them; stop once fewer than half can still come."""
        answers: list[Answer] = []
        for number in range(self.count):
            answer = await self.inner.reply(replace(request, seed=sample_seed(request.seed, number)), say)
            if answer is None:
                return None
            answers.append(answer)
            if 2 * (self.count - len(_absent(answers))) < self.count:
                break
        given = [each for each in answers if not isinstance(each.reply, Absent)]
        if 2 * len(given) < self.count:
            return total_of(_absence(answers, self.count), answers)
        taken = given[closest([each.reply for each in given if not isinstance(each.reply, Absent)])]
        return total_of(replace(taken, detail=_told(taken, answers)), answers)


def sample_seed(seed: int, number: int) -> int:
    """Return the seed of a sample, counted from 0: the first has the ask's own, as if it were the only one."""
    if number == 0:
        return seed
    return int.from_bytes(sha256(f"{seed}\0sample {number}".encode()).digest()[:4]) // 2


def _absent(answers: Sequence[Answer]) -> list[Answer]:
    return [each for each in answers if isinstance(each.reply, Absent)]


def _absence(answers: Sequence[Answer], count: int) -> Answer:
    """Return the absence for the reason that most samples had; of equal ones, the first."""
    missing = _absent(answers)
    reasons = Counter(each.reply for each in missing)
    taken = next(each for each in missing if reasons[each.reply] == max(reasons.values()))
    usable = len(answers) - len(missing)
    gave = f"{usable} of {count} samples gave a reply, and fewer than half is none"
    return replace(taken, detail="; ".join(filter(None, (gave, taken.detail))))


def _told(taken: Answer, answers: Sequence[Answer]) -> str:
    """Say how many samples say what this one says, which sample it is, and which gave nothing."""
    replies = [each.reply for each in answers if not isinstance(each.reply, Absent)]
    assert isinstance(taken.reply, Reply)
    others, count = [comparable(each) for each in replies], len(answers)
    words = list(comparable(taken.reply).words.items())
    choices = [
        f"{sum(each.words.get(place) == word for each in others)} of {count} samples say "
        f"{word_text(word)} ({' '.join(place)})"
        for place, word in words[:MOST_TOLD]
    ]
    if len(words) > MOST_TOLD:
        choices.append(f"and {len(words) - MOST_TOLD} choices more")
    reasons = Counter(each.reply.reason.value for each in answers if isinstance(each.reply, Absent))
    missing = ", ".join(f"{many} ({reason})" for reason, many in reasons.items())
    told = (
        ", ".join(choices),
        f"the reply is sample {answers.index(taken) + 1} of {count}",
        f"no reply from {missing}" if missing else "",
        taken.detail,
    )
    return "; ".join(filter(None, told))
