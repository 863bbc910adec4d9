"""The cacheable share of prompts: how much of each is a prefix that the provider has already read.

A provider that caches reads what prompts to one model begin with alike once. Prompts that go out at once are all new to
it: an answer is begun before the next prompt finds anything. Some providers (OpenAI, Anthropic) read the form of the
answer before all else, and nothing is shared between forms there; others (most servers of open models) do not read it
at all. So there are two figures. Both are the most that a cache can give: caches forget, and some begin at a thousand
tokens.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from quorate.core.view import BYTES_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Prompted:
    """One prompt, as it was sent."""

    seat: str
    model: str
    round: int
    moment: int
    """Prompts of one moment go out at once; moments come in order."""
    form: str
    """The schema of its answer."""
    text: str


@dataclass(frozen=True, slots=True)
class TokenShare:
    """A share of tokens, estimated from bytes."""

    tokens: int = 0
    of: int = 0

    @property
    def percent(self) -> int | None:
        """The share in whole percent, rounded down; None without tokens."""
        return 100 * self.tokens // self.of if self.of else None


@dataclass(frozen=True, slots=True)
class Cacheable:
    """How much of a session's prompts a cache could serve."""

    prompts: int
    """Prompts that were looked at."""
    of: int
    """Prompts that there were."""
    whole: TokenShare
    later: TokenShare
    """Of those from round 2 on."""
    voices: TokenShare
    """Of those from round 2 on to voters, the seats whose judgement is counted; a judge or a chair is none."""
    form_first: TokenShare
    """Of all, forms included, where a provider reads the form first."""
    form_first_later: TokenShare
    """The same of those from round 2 on."""

    @property
    def says(self) -> str:
        """The figures as a sentence; for sessions with at least one prompt."""
        part = "" if self.prompts == self.of else f" (of the first {self.prompts:,} of {self.of:,})"
        told = f"At most {self.whole.percent} % of the prompts' tokens{part} can come from a provider's cache"
        if self.later.percent is not None:
            told += f", {self.later.percent} % from round 2 on"
            if self.voices.percent is not None and self.voices != self.later:
                told += f" ({self.voices.percent} % of those to voters)"
        return f"{told}."


def cacheable(prompts: Iterable[Prompted], voices: Iterable[str], asked: int) -> Cacheable:
    """Compare every prompt with the earlier ones to the same model; `asked` is the total number of prompts."""
    bare, formed = _Earlier(), _Earlier()
    counted, among = 0, frozenset(voices)
    sums = {"whole": [0, 0], "later": [0, 0], "voices": [0, 0], "form_first": [0, 0], "form_first_later": [0, 0]}
    for _, batch in groupby(prompts, key=lambda each: each.moment):
        together = list(batch)
        for each in together:
            text, late = each.text.encode(), each.round > 1
            whole = f"{each.form}\n{each.text}".encode()
            read, all_read = bare.alike(each.model, text), formed.alike(each.model, whole)
            for name, holds, part, size in (
                ("whole", True, read, len(text)),
                ("later", late, read, len(text)),
                ("voices", late and each.seat in among, read, len(text)),
                ("form_first", True, all_read, len(whole)),
                ("form_first_later", late, all_read, len(whole)),
            ):
                sums[name][0] += part * holds
                sums[name][1] += size * holds
        for each in together:
            bare.add(each.model, each.text.encode())
            formed.add(each.model, f"{each.form}\n{each.text}".encode())
        counted += len(together)
    shares = {name: TokenShare(part // BYTES_PER_TOKEN, all_ // BYTES_PER_TOKEN) for name, (part, all_) in sums.items()}
    return Cacheable(counted, asked, **shares)


class _Earlier:
    """The prompts that each model has read so far."""

    def __init__(self) -> None:
        self.known: dict[str, list[bytes]] = {}

    def alike(self, model: str, text: bytes) -> int:
        """Return the length in bytes of the longest prefix that the text shares with an earlier one of its model."""
        known = self.known.get(model, [])
        place = bisect_left(known, text)  # sorted as they are, the one that begins most alike is a neighbour
        return max((_alike(text, other) for other in known[max(0, place - 1) : place + 1]), default=0)

    def add(self, model: str, text: bytes) -> None:
        insort(self.known.setdefault(model, []), text)


def _alike(one: bytes, other: bytes) -> int:
    """Return the length in bytes of the common prefix of two texts."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[low:middle] == other[low:middle] else (low, middle - 1)
    return low


def caching_data(found: Cacheable | None) -> dict[str, Any] | None:
    """Return the figures as plain data."""
    if found is None:
        return None
    named = {
        "all": found.whole,
        "from_round_2": found.later,
        "from_round_2_of_voters": found.voices,
        "form_first": found.form_first,
        "form_first_from_round_2": found.form_first_later,
    }
    shares = {
        name: {"cacheable_tokens": share.tokens, "prompt_tokens": share.of, "percent": share.percent}
        for name, share in named.items()
    }
    return {"prompts": found.prompts, "of": found.of, **shares}
