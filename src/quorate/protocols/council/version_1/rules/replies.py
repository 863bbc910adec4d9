"""What a reply contributes: findings, bound lenses, and whether it is progress (C6, C13, C34)."""

from __future__ import annotations

from collections.abc import Collection

from quorate.core.forms import Reply
from quorate.core.types import Absent
from quorate.protocols.council.version_1.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    LastProposals,
    Lens,
    Level,
    MockRun,
    Raised,
    ScoringTable,
)
from quorate.protocols.council.version_1.rules.taxonomy import Gate


def findings_in(reply: Reply) -> tuple[Raised, ...]:
    """Return the findings that a reply raises."""
    match reply:
        case ScoringTable() | MockRun() | AssuranceTree() | Assessment():
            return reply.findings
        case _:
            return ()


def lenses_used(reply: Reply) -> frozenset[Lens]:
    """Return the lenses that a reply binds to findings or to non-blank rows of its artifact (C6)."""
    rows: tuple[Lens, ...] = ()
    match reply:
        case ScoringTable():
            rows = tuple(row.lens for row in reply.scores if not row.blank)
        case MockRun():
            rows = tuple(row.lens for row in reply.steps if not row.blank)
        case AssuranceTree():
            rows = tuple(row.lens for row in reply.claims if not row.blank)
        case _:
            pass
    return frozenset((*rows, *(each.lens for each in findings_in(reply))))


def progress(reply: Reply) -> bool:
    """Return whether a reply is progress: all are, except an answer that names none of its keys (C34)."""
    match reply:
        case Answers():
            return bool(reply.answers)
        case LastProposals():
            return bool(reply.proposals)
        case Ballots():
            return bool(reply.votes)
        case Binding():
            return bool(reply.uses)
        case Assessment():
            return bool(reply.gates or reply.findings)
        case _:
            return True


def is_in_doubt(reply: Reply | Absent, found: Collection[Gate]) -> bool:
    """Return whether an assessment has LOW confidence or fails a gate for which nobody raised a finding (C32)."""
    if not isinstance(reply, Assessment):
        return False
    return reply.confidence is Level.LOW or any(not each.passed and each.gate not in found for each in reply.gates)
