"""Suggests a strategy from the words of a topic; the first matching word of the table decides (W32)."""

from __future__ import annotations

import re

WORDS = (
    ("disney", ("creative", "innovation", "new", "brainstorm")),
    ("debate", ("vs", "compare", "evaluate", "choose", "decide")),
    ("consensus-driven", ("urgent", "fast", "quick", "asap")),
    ("six-hats", ("comprehensive", "thorough", "all angles", "deep")),
)
"""Which words suggest which strategy, in the order in which they are looked for."""

OTHERWISE = "standard"


def suggest_strategy(topic: str) -> tuple[str, str]:
    """Return the strategy that a topic suggests and the word that did; `standard` and no word where none does."""
    for strategy, words in WORDS:
        for word in words:
            if _stands_in(word, topic):
                return strategy, word
    return OTHERWISE, ""


def _stands_in(word: str, topic: str) -> bool:
    """Whether the topic contains these whole words, ignoring case and the amount of white space."""
    pattern = r"\s+".join(map(re.escape, word.split()))
    return re.search(rf"(?<!\w){pattern}(?!\w)", topic, re.IGNORECASE) is not None
