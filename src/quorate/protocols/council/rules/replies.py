"""What a reply contributes: findings, bound lenses, and whether it is progress (C6, C13, C34)."""

from __future__ import annotations

from collections.abc import Collection

from quorate.core.forms import Reply
from quorate.core.types import Absent
from quorate.protocols.council.rules.forms import (
    Answers,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    Claim,
    LastProposals,
    Lens,
    Level,
    MockRun,
    Raised,
    ScoringTable,
)
from quorate.protocols.council.rules.taxonomy import Gate


def findings_in(reply: Reply) -> tuple[Raised, ...]:
    """Return the findings that a reply raises."""
    match reply:
        case ScoringTable() | MockRun() | AssuranceTree() | Assessment():
            return reply.findings
        case _:
            return ()


def refused_claims(tree: AssuranceTree) -> tuple[int, ...]:
    """Return the rows, counted from 0, that hang on nothing: on themselves, in a circle, or on no row (C13)."""
    return tuple(index for index in range(len(tree.claims)) if not _reaches_top(tree, index))


def _reaches_top(tree: AssuranceTree, index: int) -> bool:
    number, seen = index + 1, set[int]()
    while number and number not in seen and number <= len(tree.claims):
        seen.add(number)
        number = tree.claims[number - 1].parent
    return number == 0


def claims_of(tree: AssuranceTree) -> tuple[Claim, ...]:
    """Return the rows of a tree that hang together (C13)."""
    refused = refused_claims(tree)
    return tuple(row for index, row in enumerate(tree.claims) if index not in refused)


def has_content(reply: Reply) -> bool:
    """Return whether an artifact says anything: a row that is not blank, or a finding (C46)."""
    return bool(lenses_used(reply))


def assesses(reply: Reply, assessable: bool) -> bool:
    """Return whether an assessment judges: a gate, if there is one, or a new finding (C46)."""
    return isinstance(reply, Assessment) and bool(reply.gates or reply.findings or not assessable)


def lenses_used(reply: Reply) -> frozenset[Lens]:
    """Return the lenses that a reply binds to findings or to non-blank rows of its artifact (C6)."""
    rows: tuple[Lens, ...] = ()
    match reply:
        case ScoringTable():
            rows = tuple(row.lens for row in reply.scores if not row.blank)
        case MockRun():
            rows = tuple(row.lens for row in reply.steps if not row.blank)
        case AssuranceTree():
            rows = tuple(row.lens for row in claims_of(reply) if not row.blank)
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
