"""The words of everything that was raised in a debate, by the id of its fate (D33)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate_verifier.debate_fates import PARTS, labels
from quorate_verifier.rules import Rules
from quorate_verifier.walk import Ask, Move

Said = Iterator[tuple[str, str]]


class DebateWords(Rules):
    """What was said in a debate, in order of its moves."""

    def words(self, moves: Sequence[Move]) -> dict[str, str]:
        """Return the words of each thing; of two texts of a round the last."""
        found: dict[str, str] = {}
        counts = Counter[str]()
        for move in moves:
            for ask in move.asks:
                if ask.reply is not None:
                    found |= dict(self._words_in(ask, ask.reply, counts))
        return found

    def _words_in(self, ask: Ask, reply: Mapping[str, Any], counts: Counter[str]) -> Said:
        match ask.brief:
            case "clarify":
                for each in reply["questions"]:
                    if not each["blank"]:
                        counts["q"] += 1
                        yield f"q{counts['q']}", each["text"]
            case "propose":
                yield f"p1.{ask.seat}", reply["text"]
            case "refine":
                yield f"r{ask.round}.{ask.seat}", reply["text"]
            case "criticise":
                for label, each in reply["critiques"].items():
                    yield f"c{ask.round}.{ask.seat}.{self._author_of(ask, label)}", each["weaknesses"]
            case "synthesize":
                counts["s"] += 1
                yield from _solution(f"s{counts['s']}", reply)
            case "evaluate-convergence" | "evaluate-quality":
                counts["e"] += 1
                yield f"e{counts['e']}", reply["reason"]

    def _author_of(self, ask: Ask, label: str) -> str:
        others = [each for each in self.settings["agents"] if each != ask.seat]
        anonymous = self.settings["anonymous"]
        return labels("proposal", ask.seat, others, self.seed, ask.round, anonymous=anonymous)[label]


def _solution(id_: str, reply: Mapping[str, Any]) -> Said:
    yield id_, reply["solution"]
    for letter, _, name, _ in PARTS:
        words = (each for each in reply[name] if each.strip())
        for number, each in enumerate(words, start=1):
            yield f"{id_}.{letter}{number}", each
