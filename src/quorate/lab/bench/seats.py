"""Participants of the bench beside real ones: seats of known accuracy, and seats with private facts.

A simulated seat is right with a chance that is known, and errs together with the others with a correlation that is
known, so that every figure of the bench can be held against the truth. It fills in any form: plain ones by what it
holds, those of protocols with the bearing of somebody who holds it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

from quorate.core.forms import LEAST_QUOTED
from quorate.core.view import estimate_tokens
from quorate.lab.bench.task import (
    UNDECIDED,
    Answer,
    Choice,
    Fault,
    FaultKind,
    Judged,
    Judgement,
    Number,
    Task,
)
from quorate.lab.redteam.form_filler import CONTENT, CRITICAL, fill
from quorate.participants.port import MOST_REPAIRS, Request, Say
from quorate.participants.port import Answer as ParticipantAnswer
from quorate.participants.standin import StandIn

PLAIN_BRIEFS = ("answer", "think", "again")
_SAID = re.compile(r"ANSWER (\S+) END")
BITS = 2**64
MOST_REPLY = 2_000
"""Tokens that a simulated reply is counted with at most."""
_KEYED = re.compile(r"(?m)^(L\d+) +[+-](.*)$")
"""A changed line under its key."""
WRONG = "It does not do what it says."
DISCERNING = replace(CRITICAL, choices=("synthesis", "high", *CRITICAL.choices[1:]))
"""Somebody who has found a defect, and votes that it be mended."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """A panel of known accuracy: any two of its answers to a task err together with the correlation."""

    accuracy: Fraction
    correlation: Fraction = Fraction(0)
    seed: int = 0

    @property
    def name(self) -> str:
        return f"simulated, accuracy {float(self.accuracy):g}, correlation {float(self.correlation):g}"

    def holds(self, task: Task, who: str) -> Answer:
        """Draw an answer: with the chance of the correlation the shared one, else an independent one."""
        shared = self._happens(self.correlation, task.id, "are they alike", "")
        whose = "all" if shared else who
        right = self._happens(self.accuracy, task.id, "is it right", whose)
        return task.truth if right else _wrong(task, self._draw(task.id, "which wrong one", whose))

    def _happens(self, chance: Fraction, *what: str) -> bool:
        return self._draw(*what) * chance.denominator < chance.numerator * BITS

    def _draw(self, *what: str) -> int:
        return int.from_bytes(sha256("\0".join((str(self.seed), *what)).encode()).digest()[:8])


def _wrong(task: Task, number: int) -> Answer:
    match task.truth:
        case Number(value):
            return Number((value or 0) + 1 + number % 9)
        case Choice(option):
            others = [each for each in task.options if each != option]
            return Choice(others[number % len(others)])
        case Judged(judgement):
            if judgement is Judgement.DEFECTIVE:
                return Judged(Judgement.SOUND)
            return Judged(Judgement.DEFECTIVE, (Fault(next(iter(task.files)), 1, FaultKind.OTHER),))


@dataclass(frozen=True, slots=True)
class Simulant:
    """One simulated seat of one cell; it fills in any form."""

    panel: Simulated
    task: Task
    cell: str

    def __call__(self, request: Request) -> dict[str, Any]:
        ask = request.ask
        if ask.brief == "read":
            return self._filled(request, _read(request.prompt.user, self.task))
        if ask.brief in PLAIN_BRIEFS and ask.seat == "answerer":
            return self._filled(request, self.panel.holds(self.task, f"{self.cell} {ask.id}"))
        held = self.panel.holds(self.task, f"{self.cell} {ask.seat}")
        if ask.seat == "judge":  # whose office it is to say what most agents hold
            held = _read(request.prompt.user, self.task) or held
        return self._acted(request, held)

    def _filled(self, request: Request, answer: Answer | None) -> dict[str, Any]:
        reasons = {"reasons": "As it comes to me."} if "reasons" in request.schema["properties"] else {}
        match answer:
            case Number(value):
                return {**reasons, "value": value or 0, "known": value is not None}
            case Choice(option):
                return {**reasons, "option": option}
            case Judged(judgement, faults) if "findings" in request.schema["properties"]:
                claims = [_claim(self.task, each) for each in faults]
                return {"findings": claims, "judgement": judgement.value}
            case Judged(judgement, faults):
                told = [{"path": each.path, "kind": each.kind.value, "line": each.line} for each in faults]
                return {**reasons, "faults": told, "judgement": judgement.value}
            case None:
                return {}

    def _acted(self, request: Request, answer: Answer) -> dict[str, Any]:
        """Fill in a protocol's form; every text contains the answer, and a defect is quoted with its place."""
        if not isinstance(answer, Judged):
            return fill(request.schema, CONTENT, f"I say ANSWER {label(answer)} END.")
        if answer.judgement is not Judgement.DEFECTIVE:
            return fill(request.schema, CONTENT, "Nothing is wrong with it.")
        fault = answer.faults[0]
        filled = fill(request.schema, DISCERNING, WRONG, _quoted(self.task, fault))
        return _on_line(_placed(filled, request.schema, fault), request.prompt.user, _quoted(self.task, fault))


def _quoted(task: Task, fault: Fault) -> str:
    """Return the line of a fault; with the one before it if it is very short, and so no quotation."""
    lines = task.files[fault.path].splitlines()[: max(1, fault.line)]
    return "\n".join(lines[-1:] if len("".join(lines[-1].split())) >= LEAST_QUOTED else lines[-2:]).strip()


def _claim(task: Task, fault: Fault) -> dict[str, Any]:
    quoted = {"evidence": _quoted(task, fault), "consequence": WRONG, "blocking": True}
    return {"path": fault.path, "line": fault.line, **quoted}


def _placed(filled: dict[str, Any], schema: Any, fault: Fault) -> dict[str, Any]:
    """Name the file of the defect wherever a list of faults asks for a place."""
    for name in ("items", "findings"):
        wanted = schema["properties"].get(name, {}).get("items", {}).get("properties", {})
        for each in filled.get(name, ()):
            for key in ("path", "place", "file"):
                options = wanted.get(key, {}).get("enum", [])
                fits = [o for o in options if o in _called(fault.path)] or [o for o in options if o != "F0"]
                if fits:
                    each[key] = fits[0]
    return filled


def _on_line(filled: dict[str, Any], shown: str, quoted: str) -> dict[str, Any]:
    """Name the line of the defect where a form asks for a line by its key; no line where it is not shown."""
    if "hits" not in filled:
        return filled
    last = quoted.rpartition("\n")[2].strip()
    found = [key for key, text in _KEYED.findall(shown) if text.strip() == last]
    return {**filled, "hits": [{**each, "line": found[0]} for each in filled["hits"][: len(found)]]}


def _called(path: str) -> tuple[str, ...]:
    """Return the names of a file: its path, the number of an RFC part, the number of a ticket."""
    stem = path.rpartition("/")[2].partition(".")[0]
    number = "".join(filter(str.isdecimal, stem.rpartition("-")[2])) or "0"
    return path, f"R{stem[:2]}" if stem[:2].isdecimal() else path, f"T{int(number)}"


def label(answer: Answer) -> str:
    """Return an answer in one word."""
    match answer:
        case Number(value):
            return UNDECIDED if value is None else str(value)
        case Choice(option):
            return option
        case Judged(judgement):
            return judgement.value


def _read(text: str, task: Task) -> Answer | None:
    """Return the most frequent answer in a text, the first of equals; None if there is none."""
    said = Counter(_SAID.findall(text)).most_common(1)
    if not said:
        return None
    word = said[0][0]
    match task.truth:
        case Number():
            return Number(None if word == UNDECIDED else int(word))
        case Choice():
            return Choice(word)
        case Judged():
            return None


@dataclass(frozen=True, slots=True)
class Informed(StandIn):
    """A participant of any kind that is shown private facts."""

    facts: str

    def most_tokens(self, prompt_tokens: int, repairs: int = MOST_REPAIRS, *, looks: bool = False) -> int:
        return self.inner.most_tokens(prompt_tokens + (1 + repairs) * estimate_tokens(self._told), repairs, looks=looks)

    @property
    def _told(self) -> str:
        return f"\n\nWhat you know, and others perhaps do not; tell them what matters:\n{self.facts}\n"

    async def reply(self, request: Request, say: Say) -> ParticipantAnswer | None:
        prompt = replace(request.prompt, user=request.prompt.user + self._told)
        return await self.inner.reply(replace(request, prompt=prompt), say)
