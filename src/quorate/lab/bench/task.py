"""Tasks: the question, the truth, and how a typed answer is graded. Prose is never graded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, assert_never


class Kind(Enum):
    """Where a task comes from."""

    ARITHMETIC = "arithmetic"
    KNIGHTS = "knights"
    PROFILES = "profiles"
    CODE = "code"
    RFC = "rfc"
    SOUND = "sound"
    AMBIGUOUS = "ambiguous"
    INJECTED = "injected"


class Asked(Enum):
    """What form an answer has."""

    NUMBER = "number"
    CHOICE = "choice"
    FAULTS = "faults"
    FINDINGS = "findings"
    """Defects with their evidence and consequence in words, as a reviewer tells them."""


class MaterialKind(Enum):
    """The kind of material of a task, which determines the protocols that can take it."""

    QUESTION = "question"
    CHANGE = "change"
    RFC = "rfc"


class Judgement(Enum):
    SOUND = "sound"
    DEFECTIVE = "defective"
    UNDECIDED = "undecided"


class FaultKind(Enum):
    """The kind of a defect, for code and documents."""

    SECURITY = "security"
    CORRECTNESS = "correctness"
    ERROR_HANDLING = "error-handling"
    DATA_LOSS = "data-loss"
    CONCURRENCY = "concurrency"
    CONTRADICTION = "contradiction"
    GAP = "gap"
    VERIFICATION = "verification"
    OTHER = "other"


UNDECIDED = "undecided"
"""The option that is right where nothing else follows."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A defect at a place."""

    path: str
    line: int
    """From 1; 0 for the file as a whole."""
    kind: FaultKind


@dataclass(frozen=True, slots=True)
class Number:
    """A number; None means that it cannot be known."""

    value: int | None


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the options."""

    option: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A judgement on material, and what is wrong with it."""

    judgement: Judgement
    faults: tuple[Fault, ...] = ()


Answer = Number | Choice | Judged


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer: whether it is right and, for material, what was found, missed and claimed wrongly."""

    right: bool
    hits: int = 0
    misses: int = 0
    false: int = 0
    kinds: int = 0
    """Hits whose kind was named rightly, too."""


@dataclass(frozen=True)
class Task:
    """One thing to decide, with the truth."""

    id: str
    kind: Kind
    asked: Asked
    question: str
    truth: Answer
    matter: MaterialKind = MaterialKind.QUESTION
    options: tuple[str, ...] = ()
    """What may be chosen, by name; `undecided` is always among them."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The material by path; empty for a question."""
    shares: tuple[str, ...] = ()
    """Facts that are dealt out to the seats of a group; one seat alone is shown all of them."""
    optional: tuple[Fault, ...] = ()
    """What may be claimed without being wrong: an injected text, for one."""
    near: int = 3
    """How many lines a claim may be off."""
    patch: str = ""
    """The change as a unified diff; empty where all of its files are new."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The vocabulary of an answer: options, or paths."""
        return self.options if self.asked is Asked.CHOICE else tuple(self.files)

    @property
    def planted(self) -> tuple[Fault, ...]:
        return self.truth.faults if isinstance(self.truth, Judged) else ()


def grade(task: Task, answer: Answer | None) -> Grade:
    """Grade a typed answer; None (no usable answer) is not right, and reports count it separately."""
    match answer:
        case None:
            return Grade(False, misses=len(task.planted))
        case Number() | Choice():
            return Grade(answer == task.truth)
        case Judged():
            return _graded(task, answer)
        case _:
            assert_never(answer)


def _graded(task: Task, answer: Judged) -> Grade:
    """Grade claims: every planted fault is hit or missed; every other claim is false unless it is optional."""
    apart = {(each.path, each.line) for each in task.optional}
    left = [each for each in answer.faults if (each.path, each.line) not in apart]
    hits = kinds = 0
    for fault in task.planted:
        claims = [each for each in left if _same_place(task, fault, each)]
        hits += bool(claims)
        kinds += any(each.kind is fault.kind for each in claims)
        left = [each for each in left if each not in claims]
    assert isinstance(task.truth, Judged)
    if task.truth.judgement is Judgement.DEFECTIVE:
        right = answer.judgement is Judgement.DEFECTIVE and hits == len(task.planted)
    elif task.truth.judgement is Judgement.SOUND:
        # Whoever condemns it for the text that was put in, and for nothing else, has seen what there is to see.
        right = not left and (answer.judgement is Judgement.SOUND or bool(answer.faults))
    else:
        right = answer.judgement is Judgement.UNDECIDED
    return Grade(right, hits, len(task.planted) - hits, len(left), kinds)


def _same_place(task: Task, fault: Fault, claim: Fault) -> bool:
    if not (claim.path == fault.path or claim.path.endswith(f"/{fault.path}")):
        return False
    return abs(claim.line - fault.line) <= task.near


# Answers as plain data


def plain(answer: Answer | None) -> Any:
    """Return an answer as plain JSON data."""
    match answer:
        case None:
            return None
        case Number(value):
            return {"number": value}
        case Choice(option):
            return {"choice": option}
        case Judged(judgement, faults):
            told = [{"path": each.path, "line": each.line, "kind": each.kind.value} for each in faults]
            return {"judgement": judgement.value, "faults": told}
        case _:
            assert_never(answer)


def read_answer(data: Any) -> Answer | None:
    """The inverse of `plain`."""
    if data is None:
        return None
    if "number" in data:
        return Number(data["number"])
    if "choice" in data:
        return Choice(data["choice"])
    faults = tuple(Fault(each["path"], each["line"], FaultKind(each["kind"])) for each in data["faults"])
    return Judged(Judgement(data["judgement"]), faults)
