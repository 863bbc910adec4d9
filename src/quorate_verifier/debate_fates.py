"""What became of everything that was raised in a debate (D33), from the replies and the outcomes that follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from quorate_verifier.fate_words import NOTED
from quorate_verifier.rules import Heard

UNDER_WAY = "under way"
PARTS = (
    ("t", "trade-off", "tradeoffs", "in the solution"),
    ("r", "recommendation", "recommendations", "in the solution"),
    ("u", "unfulfilled requirement", "unfulfilled_major_requirements", "makes it partial"),
    ("o", "open question", "open_questions", "in the solution"),
)
TEXTS = ("proposal", "refinement")
BRIEFS = ("propose", "refine", "summarize", "summarize-debate")


def is_none(heard: Heard) -> bool:
    """Return whether what was heard is a text without words, which counts as none (D21)."""
    return heard.brief in BRIEFS and heard.reply is not None and bool(heard.reply["blank"])


def with_words(heard: Sequence[Heard]) -> list[Heard]:
    """Return what was heard, with an absence for each text without words (D21)."""
    return [replace(each, reply=None) if is_none(each) else each for each in heard]


def labels(kind: str, seat: str, others: Sequence[str], seed: int, round_: int, *, anonymous: bool) -> dict[str, str]:
    """Return whom a seat calls what in a round: names, or numbers in an order drawn from the seed (D13)."""
    if not anonymous:
        return {other: other for other in others}
    drawn = sorted(others, key=lambda each: sha256(f"{seed}\0{kind}\0{round_}\0{seat}\0{each}".encode()).digest())
    return {f"{kind}-{number}": other for number, other in enumerate(drawn, start=1)}


class DebateFates:
    """Everything that was raised in a debate, in order, each with what became of it so far."""

    def __init__(self) -> None:
        self.raised: list[dict[str, Any]] = []

    def add(self, id_: str, what: str, by: str, became: str = UNDER_WAY) -> None:
        self.raised.append({"id": id_, "what": what, "by": [by], "became": became})

    def note(self, heard: Sequence[Heard], round_: int, called: Callable[[str], Mapping[str, str]]) -> None:
        """Take down what was said; `called` says whom a critic calls what. What becomes of it follows later."""
        for each in heard:
            if each.reply is None:
                continue
            if each.brief == "propose":
                self._text(f"p1.{each.seat}", "proposal", each)
            elif each.brief == "criticise":
                for label in sorted(each.reply["critiques"]):
                    self.add(f"c{round_}.{each.seat}.{called(each.seat)[label]}", "critique", each.seat)
            elif each.brief == "refine":
                if not is_none(each):
                    self._refined(each.seat)
                self._text(f"r{round_}.{each.seat}", "refinement", each)

    def leave(self, heard: Sequence[Heard]) -> None:
        """What the judge said in a phase that was cut off is not heard, and questions are not asked (D26)."""
        for each in heard:
            if each.reply is not None and each.brief == "clarify":
                for _ in filter(lambda question: not question["blank"], each.reply["questions"]):
                    self.add(f"q{1 + self._count('question')}", "question", each.seat, "not asked")
            if each.reply is not None and each.brief.startswith("evaluate-"):
                self.evaluate("not heard")
            elif each.reply is not None and each.brief == "synthesize":
                self.solve(each.reply, cut=True)

    def settle(self, id_: str, became: str) -> None:
        for each in self.raised:
            if each["id"] == id_:
                each["became"] = became

    def _text(self, id_: str, what: str, heard: Heard) -> None:
        """A text with words takes the place of one without that its author gave before (D21)."""
        self.raised = [each for each in self.raised if each["id"] != id_]
        self.add(id_, what, heard.seat, "without words" if is_none(heard) else UNDER_WAY)

    def _refined(self, seat: str) -> None:
        """A refinement takes the place of the text before it (D12)."""
        for each in self.raised:
            if each["what"] in TEXTS and each["by"] == [seat] and each["became"] == UNDER_WAY:
                each["became"] = "refined"

    def evaluate(self, became: str) -> None:
        self.add(f"e{1 + self._count('evaluation')}", "evaluation", "judge", became)

    def solve(self, reply: Mapping[str, Any], *, cut: bool, noted: bool = False) -> None:
        """A synthesis with words is the solution, with everything in it (D20, D25), or a note (D36)."""
        id_ = f"s{1 + self._count('solution')}"
        if cut or reply["blank"]:
            self.add(id_, "solution", "judge", "not heard" if cut else "without words")
            return
        solved = "a partial solution" if reply["gaps"] else "the solution"
        self.add(id_, "solution", "judge", NOTED if noted else solved)
        for letter, what, name, became in PARTS:
            words = [each for each in reply[name] if each.strip()]
            for number in range(1, len(words) + 1):
                self.add(f"{id_}.{letter}{number}", what, "judge", NOTED if noted else became)

    def _count(self, what: str) -> int:
        return sum(each["what"] == what for each in self.raised)

    def told(self, *, over: bool, judged: bool) -> list[dict[str, Any]]:
        """Return all fates; where the debate is over nothing is under way any more (D20, D25, D26)."""
        last = {"question": "not asked", "critique": "not heard"} | dict.fromkeys(
            TEXTS, "judged" if judged else "not judged"
        )
        for each in self.raised if over else ():
            if each["became"] == UNDER_WAY:
                each["became"] = last[each["what"]]
        return self.raised
