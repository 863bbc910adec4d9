"""Asking a model about every snippet of a change: secrets are masked, hidden characters are made visible."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quorate.exam.paper import Paper
from quorate.kit.change import Change
from quorate.participants.token_odds import NoAnswerError, Odds, Respondent, askings, measure
from quorate.protocols.review.world.checks.receipt import masked
from quorate.protocols.review.world.triage.order import Answered
from quorate.protocols.review.world.triage.snippets import Snippet, Unasked, snippets_of
from quorate.safety.fence import neutralise
from quorate.safety.hidden import check_hidden_text
from quorate.safety.instructions import check_instructions
from quorate.safety.masks import Masks
from quorate.safety.secrets import secrets_in, secrets_in_text

AT_ONCE = 4
"""Snippets in flight; an embedded model takes them one by one anyway."""
FEW = 3
"""So many failures before any answer mean that the model cannot be asked at all."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What came of asking about a change. All texts are masked."""

    title: str
    answers: tuple[Answered, ...]
    unasked: tuple[Unasked, ...]
    calls: int
    measured: bool
    """Whether answers were read from probabilities; otherwise from what the model said."""


async def survey(
    change: Change,
    who: Respondent,
    paper: Paper,
    tell: Callable[[str], None] = lambda _: None,
    *,
    functions_only: bool = False,
) -> Survey:
    """Ask about every changed function of a change and, unless told otherwise, about changed lines elsewhere.

    Raises NoAnswerError where the model cannot be asked.
    """
    found, out = snippets_of(change)
    found = [each for each in found if each.name or not functions_only]
    masks = _masks(change, found)
    asking = _Asking(who, paper, masks, tell, len(found))
    results = await asyncio.gather(*map(asking.about, found))
    speaking = _speaking(change)
    answers = []
    for each, result in zip(found, results, strict=True):
        if isinstance(result, str):
            out.append(Unasked(each.path, each.line, result))
        else:
            last = each.line + each.after.count("\n")
            speaks = any(path == each.path and each.line <= line < last for path, line in speaking)
            before = None if each.before is None else result[0]
            answers.append(Answered(_shown(each, masks), before, result[-1], speaks))
    left = tuple(Unasked(masked(each.path, masks), each.line, masked(each.why, masks)) for each in out)
    return Survey(masked(change.title, masks), tuple(answers), left, asking.calls, asking.measured)


def _masks(change: Change, snippets: Iterable[Snippet]) -> Masks:
    """Return masks of the secrets that the change shows, and of those elsewhere in the functions it touches."""
    more = [secret for each in snippets for text in each.texts for secret in secrets_in_text(text, each.path)]
    return Masks.of(secrets_in(change)).extended(more)


def _shown(snippet: Snippet, masks: Masks) -> Snippet:
    texts = [masked(each, masks) for each in (snippet.path, snippet.name, snippet.after)]
    before = None if snippet.before is None else masked(snippet.before, masks)
    return Snippet(texts[0], snippet.line, texts[1], snippet.language, before, texts[2])


def _speaking(change: Change) -> set[tuple[str, int]]:
    """Return the added lines that address a model, or hold text that nobody sees."""
    return {
        (finding.path, finding.line)
        for check in (check_instructions, check_hidden_text)
        for finding in check(change).findings
    }


class _Asking:
    """The questions of one survey."""

    def __init__(self, who: Respondent, paper: Paper, masks: Masks, tell: Callable[[str], None], count: int) -> None:
        self.who, self.paper, self.masks, self.tell, self.count = who, paper, masks, tell, count
        self.how = askings(paper.wordings)
        self.calls = self.done = self.failed = 0
        self.measured = True
        self.known: dict[str, Odds] = {}
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def about(self, snippet: Snippet) -> Sequence[int] | str:
        """Return the answers to its texts, before and after; or why there is none."""
        async with self._turns:
            try:
                odds = [await self._measure(text, snippet.language) for text in snippet.texts]
            except NoAnswerError as error:
                self.failed += 1
                if self.failed >= min(FEW, self.count) and self.done == 0:
                    raise
                return str(error)
            self.done += 1
            self.tell(f"{self.done + self.failed} of {self.count} changed functions")
            return [each.shares[0] for each in odds]

    async def _measure(self, text: str, language: str) -> Odds:
        text = neutralise(masked(text, self.masks))[0].replace("```", "'''")  # so that no code ends its own fence
        matter = self.paper.matter_of(text, language)
        if matter in self.known:
            return self.known[matter]
        odds = self.known[matter] = await measure(self.who, matter, self.how)
        self.calls += odds.calls
        self.measured = self.measured and odds.measured
        return odds
