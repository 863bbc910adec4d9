"""The clarifying questions of a debate: what became of each, and which wait for an answer (D5 to D8, D32)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quorate_verifier.debate_fates import DebateFates
from quorate_verifier.rules import Heard, given


class Clarification:
    """The questions of all iterations; `most` of an agent count each time."""

    def __init__(self, most: int, said: DebateFates, tell: Callable[..., None]) -> None:
        self.most, self.said, self.tell = most, said, tell
        self.iterations = self.issued = 0
        self.open: list[str] = []
        self.known: dict[int, str] = {}
        """The questions that were issued, by their sameness (D32)."""

    def take(self, heard: Sequence[Heard], *, again: bool) -> None:
        """Take what agents ask; `again` where only the absent were asked (D21)."""
        if heard and not again:
            self.iterations += 1
        for seat, reply in given(heard):
            new = 0
            for each in reply["questions"]:
                if not each["blank"]:
                    new += self._question(seat, each["same"], full=new >= self.most)

    def _question(self, seat: str, same: int, *, full: bool) -> bool:
        """A question is joined to an equal one, issued, or refused; say whether it is issued (D5, D6, D32)."""
        self.issued += 1
        key, first = f"q{self.issued}", self.known.get(same)
        if first is not None:
            self.tell("question joined", id=key, seat=seat, to=first)
            self.said.add(key, "question", seat, f"joined to {first}")
        elif full:
            self.tell("question refused", id=key, seat=seat)
            self.said.add(key, "question", seat, "refused")
        else:
            self.known[same] = key
            self.open.append(key)
            self.tell("question issued", id=key, seat=seat)
            self.said.add(key, "question", seat)
        return first is None and not full

    def answer(self, reply: Mapping[str, Any]) -> None:
        """Settle what the person answers; an answer without words is none (D8)."""
        said = {key for key, each in reply["answers"].items() if not each["blank"]}
        for key in said:
            self.said.settle(key, "answered")
        self.open = [each for each in self.open if each not in said]

    def leave(self) -> None:
        """Go on without the answers that are missing (D8)."""
        for key in self.open:
            self.tell("question unanswered", id=key)
            self.said.settle(key, "unanswered")
        self.open = []
