"""Debates played out by hand: real protocol, real journal entries, made-up words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from quorate.codec import digest_text, encode_entry, encode_opening, protocol_digest
from quorate.codec.chain import GENESIS, Entry, chain
from quorate.core.form_values import with_marks
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Absent, AbsentReason, Ask, Event, Interrupted, Reason, Replied
from quorate.kit.settings import read_settings
from quorate.protocols.debate import build
from quorate.protocols.debate.rules.model import (
    ROLES,
    Answer,
    Answers,
    ClarifyingQuestion,
    Critique,
    Critiques,
    DebateSettings,
    Evaluation,
    Proposal,
    Questions,
    Refinement,
    Response,
    Stance,
    Summary,
    Synthesis,
    Weight,
)

NAMES = (
    *("clarify", "answer", "summarize", "propose", "criticise", "refine", "evaluate-convergence", "evaluate-quality"),
    *("summarize-debate", "synthesize", *(f"roles/{role}" for role in ROLES)),
)
PROBLEM = "# How do we shard the ledger?\n\nIt must survive the loss of one site.\nIt should be cheap."
SESSION = "debate-20260101-120000-abcd"
Words = Callable[[Ask, str], str]


def plain_words(ask: Ask, field_name: str) -> str:
    return f"{field_name} of {ask.seat} ({ask.id})"


@dataclass
class Played:
    """A session under way or ended, with its journal."""

    record: Record
    entries: list[Entry]
    words: Words = plain_words
    confidence: int = 75
    gaps: bool = False
    cost: int | None = 1200
    say: Mapping[str, Absent] = field(default_factory=dict)
    """Absences by seat, or by `seat/brief`."""
    outside: str = ""
    """What models call themselves, and what their errors say; empty for something sensible."""

    def reply(self, ask: Ask) -> Reply | Absent:
        absent = self.say.get(f"{ask.seat}/{ask.brief}", self.say.get(ask.seat))
        return absent if absent is not None else with_marks(self._fill(ask))

    def _fill(self, ask: Ask) -> Reply:
        def prose(name: str) -> Prose:
            return Prose(self.words(ask, name))

        match ask.form.__name__:
            case "Questions":
                again = any(line.ask.seat == ask.seat for line in self.record.said(ask.seat, "clarify"))
                asked = () if again else (ClarifyingQuestion(prose("question")),)
                return Questions(prose("reason"), asked)
            case "Answers":
                return Answers(Keyed({key: Answer(prose(f"answer to {key}")) for key in ask.keys}))
            case "Summary":
                return Summary(prose("summary"))
            case "Proposal":
                return Proposal(prose("reasoning"), prose("proposal"))
            case "Critiques":
                return Critiques(Keyed({key: self._critique(prose, key) for key in ask.keys}))
            case "Refinement":
                given = {key: Response(prose(f"reason on {key}"), Stance.ACCEPTED) for key in ask.keys}
                return Refinement(Keyed(given), prose("refinement"))
            case "Evaluation":
                return Evaluation(prose("evaluation"), self.confidence)
            case "Synthesis":
                unmet = (prose("unmet"),) if self.gaps else ()
                one = (prose("point"), Prose("two\nlines"))
                return Synthesis(prose("solution"), one, one, unmet, (prose("open"),), self.confidence)
        raise AssertionError(ask.form)

    def _critique(self, prose: Callable[[str], Prose], key: Key) -> Critique:
        return Critique(prose(f"strength of {key}"), prose(f"weakness of {key}"), prose("suggestion"), Weight.MAJOR)

    def take(self, event: Event, **envelope: Any) -> None:
        seq = len(self.entries)
        stamped = Envelope(seq=seq, at=1_767_268_800_000 + 1000 * seq, **envelope)
        self.record.take(event, stamped)
        body = encode_entry(event, stamped)
        self.entries.append(Entry(seq, body, chain(self.entries[-1].hash, body)))

    def answer_one(self) -> None:
        ask = self.record.session.open[0]
        self._answer(ask, self.reply(ask))

    def absent_now(self, seat: str) -> None:
        """Let one seat fail at the ask that is open for it now."""
        ask = next(ask for ask in self.record.session.open if ask.seat == seat)
        self._answer(ask, Absent(AbsentReason.FAILED))

    def _answer(self, ask: Ask, reply: Reply | Absent) -> None:
        detail = (self.outside or "gave up after 2 attempts") if isinstance(reply, Absent) else ""
        self.take(
            Replied(ask.id, reply),
            model=self.outside or f"test:{ask.seat}",
            tokens_in=100,
            tokens_out=20,
            cost=self.cost,
            elapsed=1500,
            detail=detail,
        )

    def play(self, steps: int = 10_000) -> Played:
        for _ in range(steps):
            if self.record.session.conclusion is not None:
                break
            self.answer_one()
        return self

    def stop(self, reason: Reason, why: str = "") -> Played:
        self.take(Interrupted(reason), detail=why)
        return self


def open_debate(problem: str = PROBLEM, settings: Mapping[str, Any] | None = None, **how: Any) -> Played:
    protocol: Protocol[Any] = build(
        read_settings(DebateSettings, settings or {"rounds": 1}), {name: f"the brief {name}" for name in NAMES}, 7
    )
    material = {"problem": problem}
    opening = Opening(
        protocol="debate",
        version=protocol.version,
        digest=protocol_digest(protocol),
        title=problem.splitlines()[0].strip("# ")[:80] if problem.strip() else "",
        seed=7,
        settings=dict(protocol.settings),
        panel={str(seat): f"test:{seat}" for seat in protocol.seats},
        material={name: digest_text(text) for name, text in material.items()},
    )
    body = encode_opening(opening, Envelope(at=1_767_268_800_000))
    played = Played(Record(protocol, opening, material), [Entry(0, body, chain(GENESIS, body))])
    return replace(played, **how)


@pytest.fixture(scope="session")
def debate() -> Callable[..., Played]:
    """Open a debate; `play()` ends it."""
    return open_debate


@pytest.fixture
def full() -> Played:
    """A debate with clarifications, two rounds, an evaluation, an absence, a retry and a departure."""
    settings = {
        "agents": ["architect", "security", "testing"],
        "rounds": 2,
        "interactive_clarifications": True,
        "termination_condition": {"type": "quality", "threshold": 90},
        "summarization": {"threshold": 60},
    }
    say = {"testing/criticise": Absent(AbsentReason.TIMED_OUT)}
    return open_debate(settings=settings, say=say).play()
