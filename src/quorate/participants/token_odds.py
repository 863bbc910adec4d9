"""Measured answers: how sure a model is of each of a few one-word answers, in whole numbers of 1,000.

What a model says is one draw from what it would say. Where the engine or provider gives the probabilities of the first
token, they are read instead. One measurement asks the same thing in several wordings, each in both orders of its
options, because small models prefer whichever option is named first, or last. The rule:

1. Of one asking, the probabilities of all variants of an answer are added up: upper and lower case, a leading space,
   and tokens with which one of the answers begins and no other. They are scaled to 1,000.
2. A measurement is the mean of its askings, rounded to whole numbers that add up to 1,000.
3. Where there are no probabilities, an asking is the share of `samples` short answers instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Protocol

from quorate.core.errors import DefinitionError, QuorateError

WHOLE = 1_000
ALTERNATIVES = 20
"""Alternatives of the first token that are asked for; the most that providers give."""
_WORD = re.compile(r"\w+")

Alternatives = tuple[tuple[str, float], ...]
"""Tokens with the logarithms of their probabilities."""


class NoAnswerError(QuorateError):
    """A model could not be asked; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to ask: a question with `{options}` in it, and one word for each answer."""

    ask: str
    words: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise DefinitionError for a wording that no answer could be read from."""
        folded = [word.casefold() for word in self.words]
        if self.ask.count("{options}") != 1:
            raise DefinitionError(f"the wording {self.ask!r} has to contain {{options}} once")
        if len(set(folded)) < max(2, len(folded)) or not all(_WORD.fullmatch(word) for word in folded):
            raise DefinitionError(f"the wording {self.ask!r} needs two or more different words as answers")

    def text(self, *, turned: bool) -> str:
        """Return the question with its options in their own order or, `turned`, in the opposite one."""
        options = self.words[::-1] if turned else self.words
        return self.ask.replace("{options}", " or ".join(options))


@dataclass(frozen=True, slots=True)
class Asking:
    """One wording in one order of its options."""

    wording: Wording
    turned: bool

    @property
    def text(self) -> str:
        return self.wording.text(turned=self.turned)


@dataclass(frozen=True, slots=True)
class Odds:
    """How a model divides its probability over the answers of a question."""

    shares: tuple[int, ...]
    """Of 1,000, in the order of the answers; they add up to 1,000."""
    seen: int
    """Of 1,000: how much of the model's probability, or of its samples, fell on any of the answers."""
    calls: int
    measured: bool
    """Whether every asking was read from probabilities; otherwise samples estimate it."""


@dataclass(frozen=True, slots=True)
class PlainAnswer:
    """What a model gave: a text and, where it says, the alternatives of its first token."""

    text: str
    alternatives: Alternatives = ()
    calls: int = 1
    """How often it was asked: again where it first gave nothing that could be read."""


class Respondent(Protocol):
    """A model that can be asked plain questions, without a form."""

    async def hear(self, question: str, most_tokens: int, *, odds: bool) -> PlainAnswer:
        """Answer a question; with `odds` the alternatives of the first token too. Raises NoAnswerError."""
        ...


def askings(wordings: Sequence[Wording]) -> tuple[Asking, ...]:
    """Return every wording in both orders of its options."""
    return tuple(Asking(wording, turned) for wording in wordings for turned in (False, True))


async def measure(who: Respondent, matter: str, how: Sequence[Asking], *, samples: int = 1) -> Odds:
    """Measure what a model answers to a question about a matter, asked in all these ways. Raises NoAnswerError.

    The matter stands before the question, so that an engine that keeps what it has read reads it once.
    """
    heard = []
    for asking in how:
        answers = [await who.hear(matter + asking.text, 1, odds=True)]
        if not answers[0].alternatives:
            answers += [await who.hear(matter + asking.text, 1, odds=False) for _ in range(samples - 1)]
        heard.append(answers)
    return odds_of(how, heard)


def odds_of(how: Sequence[Asking], heard: Sequence[Sequence[PlainAnswer]]) -> Odds:
    """Return the measurement of what was heard to each asking: one answer with its alternatives, or samples."""
    parts, seen, calls, measured = [], 0, 0, True
    for asking, answers in zip(how, heard, strict=True):
        words, alternatives = asking.wording.words, answers[0].alternatives
        weights = of_tokens(alternatives, words) if alternatives else of_texts(answers, words)
        measured = measured and bool(alternatives)
        calls += sum(each.calls for each in answers)
        seen += min(WHOLE, round(WHOLE * sum(weights)))
        parts.append(apportioned(weights))
    return Odds(mean(parts), seen // len(parts), calls, measured)


def of_tokens(alternatives: Iterable[tuple[str, float]], words: Sequence[str]) -> tuple[float, ...]:
    """Return the probability of each answer: the sum over all tokens that are one of its variants."""
    found = [0.0] * len(words)
    for token, logarithm in alternatives:
        place = _meant(token, words)
        if place is not None:
            found[place] += exp(min(0.0, logarithm))
    return tuple(found)


def of_texts(heard: Sequence[PlainAnswer], words: Sequence[str]) -> tuple[float, ...]:
    """Return the share of each answer among texts: the first of their words that is an answer counts."""
    found = [0.0] * len(words)
    folded = [word.casefold() for word in words]
    for each in heard:
        place = next((folded.index(said) for said in _WORD.findall(each.text.casefold()) if said in folded), None)
        if place is not None:
            found[place] += 1 / len(heard)
    return tuple(found)


def _meant(token: str, words: Sequence[str]) -> int | None:
    """Return the answer that a token is, or is the only one to begin with; None for any other token."""
    said = _WORD.search(token.casefold())
    if said is None:
        return None
    folded = [word.casefold() for word in words]
    if said[0] in folded:
        return folded.index(said[0])
    begun = [place for place, word in enumerate(folded) if word.startswith(said[0])]
    return begun[0] if len(begun) == 1 else None


def apportioned(weights: Sequence[float], whole: int = WHOLE) -> tuple[int, ...]:
    """Divide a whole number in proportion to weights, by largest remainders; equally where all are zero."""
    total = sum(weights)
    if total <= 0:
        weights, total = [1.0] * len(weights), float(len(weights))
    exact = [whole * weight / total for weight in weights]
    found = [int(each) for each in exact]
    nearest = sorted(range(len(exact)), key=lambda place: (found[place] - exact[place], place))
    for place in nearest[: whole - sum(found)]:
        found[place] += 1
    return tuple(found)


def mean(parts: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the mean of several divisions of 1,000, itself a division of 1,000."""
    return apportioned([float(sum(column)) for column in zip(*parts, strict=True)])
