"""What the seats of small councils say: replies made from few words, for the walks of walks.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.types import Question
from quorate.core.values import replace
from quorate.protocols.council.rules.forms import (
    DRAWN,
    Answer,
    Answers,
    Application,
    Applied,
    Assessment,
    AssuranceTree,
    Ballot,
    Ballots,
    Binding,
    Claim,
    Edit,
    Fix,
    GateFinding,
    GateJudgement,
    GateReport,
    GateRun,
    Lens,
    LensUse,
    Level,
    Matches,
    MockRun,
    MockStep,
    Pair,
    Patch,
    Proposal,
    Raised,
    Response,
    Score,
    ScoringTable,
    Vote,
)
from quorate.protocols.council.rules.taxonomy import Field, Gate, GateStatus, Severity, Subcategory

Values = Callable[[Question], tuple[Reply, ...]]
WORDS = Prose("words")
BLOCKER, MAJOR, MINOR, INFO = Severity
FIRST, SECOND = Key("T1"), Key("T2")
FIX, NO_FIX = Proposal(WORDS, Fix.SPLIT_TICKET, False), Proposal(WORDS, Fix.NONE, False)
UNSAID = Proposal(WORDS, Fix.SPLIT_TICKET, True)
"""A remediation without a word."""


def proven(kind: Subcategory, severity: Severity, where: Field = Field.STEPS) -> GateFinding:
    return GateFinding(kind, severity, FIRST, where, WORDS, 1, WORDS, WORDS, WORDS, WORDS)


def raised(kind: Subcategory, severity: Severity, place: Key = FIRST, lens: Lens = Lens.L1) -> Raised:
    return Raised(place, Field.STEPS, WORDS, WORDS, lens, kind, severity, True)


CYCLE = proven(Subcategory.DEPENDENCY_CYCLE, BLOCKER)
ORPHAN = proven(Subcategory.ORPHAN_TICKET, MAJOR)
OVERLAP = proven(Subcategory.SCOPE_OVERLAP, MINOR)
UNVERIFIED = proven(Subcategory.MISSING_VERIFICATION, MAJOR)
PLAN = raised(Subcategory.INCOMPLETE_PLAN, BLOCKER)
PLAN_MILDER = raised(Subcategory.INCOMPLETE_PLAN, MINOR)
CONTEXT = raised(Subcategory.AGENT_CONTEXT_GAP, MAJOR, lens=Lens.L5)
TWIN = raised(Subcategory.MISSING_VERIFICATION, INFO, lens=Lens.L4)
"""The same as `UNVERIFIED`, which a gate found."""
ELSEWHERE = raised(Subcategory.INCOMPLETE_PLAN, MAJOR, SECOND)
MINOR_ONE = raised(Subcategory.AMBIGUOUS_SCOPE, MINOR)
OTHER_GATE = raised(Subcategory.COUSIN_VIOLATION, MAJOR)


# Replies


def report(*findings: GateFinding) -> GateReport:
    return GateReport(Prose("{}"), (gate_run(),), findings, 2)


def gate_run(status: GateStatus = GateStatus.PASSED, read: int = 2, gate: Gate = Gate.ATOMICITY) -> GateRun:
    return GateRun(gate, status, read, WORDS, WORDS)


def unassessed() -> GateReport:
    """A report that leaves the seats no gate to assess."""
    return GateReport(Prose("{}"), (gate_run(GateStatus.NOT_APPLICABLE, 0),), (), 2)


def reviews(*given: tuple[Raised, ...], lenses: tuple[Lens, ...] = DRAWN, blank: bool = False, top: int = 0) -> Values:
    """Artifacts with these findings, one for each tuple."""

    def made(question: Question) -> tuple[Reply, ...]:
        return tuple(artifact(question.form, each, lenses, blank, top) for each in given)

    return made


def artifact(
    form: type[Reply], findings: tuple[Raised, ...], lenses: tuple[Lens, ...], blank: bool, top: int = 0
) -> Reply:
    if form is ScoringTable:
        return ScoringTable(tuple(Score(WORDS, WORDS, lens, 3, blank) for lens in lenses), WORDS, findings)
    if form is MockRun:
        steps = tuple(MockStep(FIRST, WORDS, lens, Level.LOW, Level.HIGH, blank) for lens in lenses)
        return MockRun(steps, WORDS, findings)
    return AssuranceTree(tuple(Claim(top, *(WORDS,) * 4, lens, Level.HIGH, blank) for lens in lenses), findings)


def assessment(
    *findings: Raised, level: Level = Level.HIGH, judged: bool = True, fails: Gate | None = None
) -> Assessment:
    gates = (GateJudgement(fails or Gate.ATOMICITY, WORDS, fails is None),) if judged else ()
    return Assessment(gates, findings, level)


def answer(response: Response, proposal: Proposal = NO_FIX, severity: Severity = MAJOR, bare: bool = False) -> Answer:
    return Answer(WORDS, proposal, (), severity, response, bare)


def ballot(vote: Vote, refuted: bool = False) -> Ballot:
    return Ballot(WORDS, WORDS, vote, refuted)


CONFIRM, DISPUTE, ABSTAIN = answer(Response.CONFIRM), answer(Response.DISPUTE), answer(Response.ABSTAIN)
CONFIRM_FIX, DISPUTE_FIX = answer(Response.CONFIRM, FIX), answer(Response.DISPUTE, FIX)
SUPPORT, OPPOSE, REFUTE = ballot(Vote.SUPPORT), ballot(Vote.OPPOSE), ballot(Vote.OPPOSE, True)
ABSTAINS = ballot(Vote.ABSTAIN)
SHY = ballot(Vote.ABSTAIN, True)
"""An abstention with a quotation, which refutes nothing."""


def each_key(form: Callable[[Any], Reply], *values: Any) -> Values:
    """Fill a form in with the same for all keys; None leaves all out."""

    def made(question: Question) -> tuple[Reply, ...]:
        return tuple(form(Keyed({} if v is None else dict.fromkeys(question.keys, v))) for v in values)

    return made


def first_otherwise(form: Callable[[Any], Reply], *pairs: tuple[Any, Any]) -> Values:
    """Fill a form in with one value for the first key and another for the others."""

    def made(question: Question) -> tuple[Reply, ...]:
        return tuple(form(Keyed(dict.fromkeys(question.keys, rest) | {question.keys[0]: one})) for one, rest in pairs)

    return made


def votes(*pairs: tuple[Ballot, Ballot]) -> Values:
    """Vote in one way on findings and in another on remediations."""

    def made(question: Question) -> tuple[Reply, ...]:
        return tuple(Ballots(Keyed({k: f if k[0] in "FS" else r for k in question.keys})) for f, r in pairs)

    return made


def calling_same(said: Answer, *apart: int) -> Values:
    """Give one answer to all findings, and call each the same as the first one, but for those at these places."""

    def made(question: Question) -> tuple[Reply, ...]:
        first = question.keys[:1]
        named = [replace(said, same_as=() if place in (0, *apart) else first) for place in range(len(question.keys))]
        return (Answers(Keyed(dict(zip(question.keys, named, strict=True)))),)

    return made


def results(*values: Applied | None) -> Values:
    """Let edits end alike for all findings; None gives a result to the first one alone."""

    def made(question: Question) -> tuple[Reply, ...]:
        alike = [dict.fromkeys(question.keys, each) for each in values if each is not None]
        if None in values:
            alike.append({question.keys[0]: Applied.APPLIED})
        return tuple(Application(WORDS, WORDS, Keyed(each)) for each in alike)

    return made


def edits(*offered: bool) -> Values:
    def made(question: Question) -> tuple[Reply, ...]:
        return tuple(Patch(WORDS, (Edit(question.keys[0], FIRST, WORDS, WORDS),) if any_ else ()) for any_ in offered)

    return made


def uses(*lenses: tuple[Lens, ...], blank: bool = False) -> Values:
    return lambda _: tuple(Binding(tuple(LensUse(FIRST, WORDS, lens, blank) for lens in each)) for each in lenses)


def pairs(*named: tuple[tuple[int, int], ...]) -> Values:
    """Pairs of findings by their places among those asked about."""

    def made(question: Question) -> tuple[Reply, ...]:
        keys = question.keys
        told = [tuple(Pair(keys[a], keys[b]) for a, b in each if max(a, b) < len(keys)) for each in named]
        return tuple(Matches(each) for each in dict.fromkeys(told))

    return made


def these(*values: Reply) -> Values:
    return lambda _: values


def both(*given: Values) -> Values:
    """Everything that these give, each once."""
    return lambda question: tuple(dict.fromkeys(value for each in given for value in each(question)))
