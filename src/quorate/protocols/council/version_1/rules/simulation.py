"""How agents of known accuracy take part in a council, for simulations.

An RFC is sound, defective (there is a MAJOR defect) or dangerous (there is a BLOCKER). There is one thing to find: a
seat that holds it true raises it, confirms it, proposes how to mend it and supports it; a seat that holds it false
disputes and opposes it, with a quotation: code can see that the text occurs, not that it refutes anything (C23). The
gates find nothing, and nobody edits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import SettingError
from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat
from quorate.kit.judgement import Judging, Mind, Truth
from quorate.protocols.council.version_1.rules.forms import (
    DRAWN,
    Answer,
    Answers,
    Assessment,
    AssuranceTree,
    Ballot,
    Ballots,
    Binding,
    Claim,
    Fix,
    GateJudgement,
    GateReport,
    LastProposals,
    Lens,
    LensUse,
    Level,
    Matches,
    MockRun,
    MockStep,
    Patch,
    Proposal,
    Raised,
    Response,
    Score,
    ScoringTable,
    Vote,
)
from quorate.protocols.council.version_1.rules.model import REVIEWERS, State, Verdict
from quorate.protocols.council.version_1.rules.taxonomy import Field, Gate, Severity, Subcategory, ticket_keys

TEXT, NONE = Prose("text"), Prose("")
SOUND, DEFECTIVE, DANGEROUS = "sound", "defective", "dangerous"
(TICKET,) = ticket_keys(1)
SEVERITIES = {SOUND: Severity.MAJOR, DEFECTIVE: Severity.MAJOR, DANGEROUS: Severity.BLOCKER}
REPORT = GateReport(Prose("{}"), (), (), 1)


def _voters(protocol: Protocol[Any]) -> tuple[Seat, ...]:
    return tuple(seat for seat in protocol.seats if seat in REVIEWERS)


def _seated(count: int) -> Mapping[str, Any]:
    """Return the settings for this many seats: three for a council, one for STANDARD depth (C1)."""
    depths = {1: "STANDARD", len(REVIEWERS): "COUNCIL"}
    if count not in depths:
        raise SettingError(f"a council has no {count} seats", key="seats", expected="3, or 1 for STANDARD depth")
    return {"depth": depths[count]}


def _tells(ask: Ask, _: State) -> bool:
    """Return whether an ask shows others' arguments: before the vote, thesis and antithesis (C19)."""
    return ask.form is Ballots


def _blames(mind: Mind) -> bool | None:
    """Return whether a seat holds the finding true; None if it abstains."""
    right = mind.opinion.right
    return None if right is None else right is not (mind.truth == SOUND)


def _filling(_: Protocol[Any]) -> Callable[[Ask, State, Mind], Reply]:
    return _fill


def _fill(ask: Ask, _: State, mind: Mind) -> Reply:
    form = ask.form
    if form in (ScoringTable, MockRun, AssuranceTree):
        return _artifact(form, _raised(mind))
    if form is Answers:
        return Answers(Keyed(dict.fromkeys(ask.keys, _answer(mind))))
    if form is LastProposals:
        return LastProposals(Keyed(dict.fromkeys(ask.keys, _proposal(mind))))
    if form is Ballots:
        return Ballots(Keyed(dict.fromkeys(ask.keys, _ballot(mind))))
    return _WORDS[form]


_WORDS: Mapping[type[Reply], Reply] = {
    GateReport: REPORT,
    Matches: Matches(()),
    Patch: Patch(TEXT, ()),
    Assessment: Assessment((GateJudgement(Gate.ATOMICITY, TEXT, True),), (), Level.HIGH),
    Binding: Binding(tuple(LensUse(TICKET, TEXT, lens, False) for lens in DRAWN)),
}
"""What is said without judging: gates and matcher find nothing, every gate passes, lenses are bound, nobody edits."""


def _raised(mind: Mind) -> tuple[Raised, ...]:
    found = _blames(mind) if mind.opinion.found is None else mind.opinion.found
    if not found:
        return ()
    severity = SEVERITIES[mind.truth]
    return (Raised(TICKET, Field.STEPS, TEXT, TEXT, Lens.L1, Subcategory.INCOMPLETE_PLAN, severity, True),)


def _alone(mind: Mind) -> bool | None:
    """Return whether one seat alone would be right, raising exactly what it found; None if it abstains."""
    if mind.opinion.right is None:
        return None
    return bool(_raised(mind)) is not (mind.truth == SOUND)


def _artifact(form: type[Reply], findings: tuple[Raised, ...]) -> Reply:
    if form is ScoringTable:
        return ScoringTable(tuple(Score(TEXT, TEXT, lens, 3, False) for lens in DRAWN), TEXT, findings)
    if form is MockRun:
        steps = tuple(MockStep(TICKET, TEXT, lens, Level.LOW, Level.HIGH, False) for lens in DRAWN)
        return MockRun(steps, TEXT, findings)
    return AssuranceTree(tuple(Claim(0, TEXT, TEXT, TEXT, TEXT, lens, Level.HIGH, False) for lens in DRAWN), findings)


def _answer(mind: Mind) -> Answer:
    response = {True: Response.CONFIRM, False: Response.DISPUTE, None: Response.ABSTAIN}[_blames(mind)]
    return Answer(TEXT, _proposal(mind), SEVERITIES[mind.truth], response, False)


def _proposal(mind: Mind) -> Proposal:
    """Return the remediation, proposed by every seat that holds the finding true."""
    mends = _blames(mind) is True
    return Proposal(TEXT if mends else NONE, Fix.TICKET_REWRITTEN if mends else Fix.NONE, not mends)


def _ballot(mind: Mind) -> Ballot:
    vote = {True: Vote.SUPPORT, False: Vote.OPPOSE, None: Vote.ABSTAIN}[_blames(mind)]
    refutes = vote is Vote.OPPOSE
    return Ballot(TEXT, TEXT if refutes else NONE, vote, refutes)


_MENDED = frozenset({Verdict.REJECTED, Verdict.APPROVED_WITH_REMEDIATION})

JUDGING = Judging(
    truths={
        SOUND: Truth("nothing is wrong with the RFC", frozenset({Verdict.APPROVED})),
        DEFECTIVE: Truth("there is a MAJOR defect in it", _MENDED, favourable=False),
        DANGEROUS: Truth("there is a BLOCKER in it", _MENDED, favourable=False),
    },
    voters=_voters,
    seated=_seated,
    filling=_filling,
    tells=_tells,
    undecided=frozenset({Verdict.NEEDS_ADJUDICATION, Verdict.ABORTED}),
    alone=_alone,
)
