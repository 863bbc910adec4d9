"""Fates: what became of every question, text, critique, evaluation and solution of a debate (D33, D36)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from quorate.core.decisions import Fact
from quorate.core.forms import Prose, is_blank
from quorate.core.record import Moved, Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Seat
from quorate.kit.fates import Fate
from quorate.kit.qualification import NOTED
from quorate.kit.settings import read_settings
from quorate.protocols.debate.rules.model import (
    JUDGE,
    Answers,
    Critiques,
    DebateSettings,
    Evaluation,
    Outcome,
    Phase,
    Proposal,
    Questions,
    Refinement,
    State,
    Synthesis,
    Verdict,
)
from quorate.protocols.debate.rules.protocol import Debate
from quorate.protocols.debate.rules.views import RAISED, place_of

MOST_SAID = 200
"""Characters of what was said that a fate quotes."""
UNDER_WAY = "under way"
OF_QUESTIONS = {"question issued": UNDER_WAY, "question refused": "refused"}
PARTS = (
    ("t", "trade-off", "tradeoffs", "in the solution"),
    ("r", "recommendation", "recommendations", "in the solution"),
    ("u", "unfulfilled requirement", "unfulfilled_major_requirements", "makes it partial"),
    ("o", "open question", "open_questions", "in the solution"),
)
"""The lists of a synthesis: letter, what an entry is, field, and what becomes of it."""
AT_THE_END = {
    "question": ("not asked", "D26"),
    "proposal": ("not judged", "D25"),
    "refinement": ("not judged", "D25"),
    "critique": ("not heard", "D26"),
}
"""What becomes of what is still under way when a debate has ended."""


def fates(record: Record) -> tuple[Fate, ...]:
    """Return what became of everything that was raised, in the order in which it was decided upon."""
    settings = read_settings(DebateSettings, record.protocol.settings)
    reader, heard = _Reader(Debate(settings, record.opening.seed)), list[Said]()
    for line in record.log:
        if isinstance(line, Said):
            heard.append(line)
        elif isinstance(line, Moved):
            reader.take(line.move, line.round, sorted(heard, key=place_of))
            heard = []
    if record.session.conclusion is not None:
        reader.end(judged=record.session.conclusion.verdict in (Verdict.SOLUTION, Verdict.PARTIAL_SOLUTION))
    return tuple(reader.found.values())


class _Reader:
    """Folds the moves of a debate into fates."""

    def __init__(self, debate: Debate) -> None:
        self.debate = debate
        self.notes = debate.settings.unqualified_seats
        self.found: dict[str, Fate] = {}

    def _raise(self, id_: str, what: str, by: str, said: str | Prose, became: str = UNDER_WAY, rule: str = "") -> None:
        text = " ".join((said.text if isinstance(said, Prose) else said).split())
        words = text if len(text) <= MOST_SAID else f"{text[: MOST_SAID - 1]}…"
        self.found[id_] = Fate(id_, what, (by,), words, became, rule)

    def _settle(self, ids: Iterable[str], became: str, rule: str) -> None:
        for id_ in list(ids):
            self.found[id_] = replace(self.found[id_], became=became, rule=rule)

    def _open(self, *what: str) -> Iterator[str]:
        return (each.id for each in self.found.values() if each.became == UNDER_WAY and each.what in what)

    def _count(self, what: str) -> int:
        return 1 + sum(each.what == what for each in self.found.values())

    def take(self, move: Move, round_: int, heard: list[Said]) -> None:
        cut = move.cause is Cause.INTERRUPTED
        if move.phase is Phase.CLARIFICATION:
            self._cut_off(heard) if cut else self._questions(move.facts, heard)
        for said in heard:
            reply = said.reply
            if isinstance(reply, Proposal):
                self._text(f"p1.{said.ask.seat}", "proposal", said.ask.seat, reply)
            elif isinstance(reply, Critiques):
                self._critiques(round_, said, reply)
            elif isinstance(reply, Refinement):
                self._refined(round_, said, reply)
            elif isinstance(reply, Evaluation):
                ends = move.outcome is Outcome.CONSENSUS_REACHED
                became = "not heard" if cut else "ends the rounds" if ends else "not convinced"
                self._raise(f"e{self._count('evaluation')}", "evaluation", JUDGE, reply.reason, became, "D17")
            elif isinstance(reply, Answers) and not cut:
                self._settle((key for key, each in reply.answers.items() if not each.blank), "answered", "D8")
            elif isinstance(reply, Synthesis):
                self._solution(move, reply, cut=cut)
        for fact in move.facts:
            self._told(fact, round_)

    def _questions(self, facts: tuple[Fact, ...], heard: list[Said]) -> None:
        texts = {
            said.ask.seat: [each.text for each in said.reply.questions if not each.blank]
            for said in heard
            if isinstance(said.reply, Questions)
        }
        for fact in (fact for fact in facts if fact.name in RAISED):
            values = {name: str(value) for name, value in fact.values}
            became = OF_QUESTIONS.get(fact.name) or f"joined to {values['to']}"
            rule = {"question issued": "D7", "question refused": "D5"}.get(fact.name, "D32")
            seat = values["seat"]
            self._raise(values["id"], "question", seat, texts[Seat(seat)].pop(0), became, rule)

    def _cut_off(self, heard: list[Said]) -> None:
        """Questions of a phase that was cut short are put to nobody (D26)."""
        replies = [said for said in heard if isinstance(said.reply, Questions)]
        for said in replies:
            assert isinstance(said.reply, Questions)
            for each in said.reply.questions:
                if not each.blank:
                    id_ = f"q{self._count('question')}"
                    self._raise(id_, "question", said.ask.seat, each.text, "not asked", "D26")

    def _critiques(self, round_: int, said: Said, reply: Critiques) -> None:
        labels = self.debate.labels("proposal", round_, said.ask.seat)
        for key, critique in reply.critiques.items():
            id_ = f"c{round_}.{said.ask.seat}.{labels[key]}"
            self._raise(id_, "critique", said.ask.seat, critique.weaknesses, rule="D14")

    def _refined(self, round_: int, said: Said, reply: Refinement) -> None:
        author = f".{said.ask.seat}"
        if not reply.blank:
            earlier = (each for each in self._open("proposal", "refinement") if each.endswith(author))
            self._settle(earlier, "refined", "D12")
        self._text(f"r{round_}{author}", "refinement", said.ask.seat, reply)

    def _text(self, id_: str, what: str, by: Seat, reply: Proposal | Refinement) -> None:
        """A text with words takes the place of one without that its author gave before (D21)."""
        self.found.pop(id_, None)
        became, rule = ("without words", "D21") if reply.blank else (UNDER_WAY, "D12")
        self._raise(id_, what, by, reply.text, became, rule)

    def _solution(self, move: Move, reply: Synthesis, *, cut: bool) -> None:
        id_, after = f"s{self._count('solution')}", move.after
        assert isinstance(after, State)
        if cut or reply.blank:
            became, rule = ("not heard", "D26") if cut else ("without words", "D25")
            self._raise(id_, "solution", JUDGE, reply.solution, became, rule)
            return
        noted = JUDGE in self.notes
        became = NOTED if noted else "a partial solution" if reply.gaps else "the solution"
        rule = "D36" if noted else "D20"
        self._raise(id_, "solution", JUDGE, reply.solution, became, rule)
        for letter, what, name, became in PARTS:
            words = [each for each in getattr(reply, name) if not is_blank(each)]
            for number, each in enumerate(words, start=1):
                self._raise(f"{id_}.{letter}{number}", what, JUDGE, each, NOTED if noted else became, rule)

    def _told(self, fact: Fact, round_: int) -> None:
        values = {name: str(value) for name, value in fact.values}
        if fact.name == "question unanswered":
            self._settle((values["id"],), "unanswered", "D8")
        elif fact.name.startswith("critique "):
            id_ = f"c{round_}.{values['by']}.{values['of']}"
            became = fact.name.removeprefix("critique ")
            left_open = became == "left open" and values["of"] in self.notes
            self._settle((id_,), became, "D36" if left_open else "D14")

    def end(self, *, judged: bool) -> None:
        """Tell what became of what was still under way when the debate ended (D20, D25, D26)."""
        if judged:
            self._settle(self._open("proposal", "refinement"), "judged", "D20")
        for what, (became, rule) in AT_THE_END.items():
            self._settle(self._open(what), became, rule)
