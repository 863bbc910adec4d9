"""STRAT-C1 and STRAT-C2: consent goes through its stages, nothing is agreed against a BLOCK, and a BLOCK says why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quorate.kit.untrusted_value import Spot
from quorate.protocols.workshop.audit.disputes import lineage, named_by
from quorate.protocols.workshop.audit.phases import in_order
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import SessionFile, StatedArtifact
from quorate.protocols.workshop.audit.shape import PERSON, stance_of
from quorate.protocols.workshop.rules.forms import Consent
from quorate.protocols.workshop.rules.strategies import CONSENSUS
from quorate.protocols.workshop.rules.taxonomy import Agreement


@dataclass(slots=True)
class _LastVote:
    """The last vote on an artifact."""

    round: int
    supports: list[str] = field(default_factory=list)
    blocks: list[str] = field(default_factory=list)


def _stances(file: SessionFile) -> Iterator[tuple[int, str, str, Spot]]:
    """Every stance: the round, who, on which artifact, and what was said."""
    for each in file.rounds:
        for name, position in each.positions.items():
            for artifact, at in position["stances"].entries.items():
                yield each.place, name, artifact, at


def _said(at: Spot) -> Consent | None:
    return stance_of(at["stance"].text if at.is_mapping else at.text)


def check_consent(file: SessionFile) -> Iterator[Finding]:
    """Proposal, refinement, convergence in order; consensus has a vote with support and without a standing BLOCK."""
    if file.strategy is not CONSENSUS:
        return
    check = "STRAT-C1"
    if file.rounds and not any(each.has_phase for each in file.rounds):
        yield NotChecked(check, "no round says which phase it is in")
    else:
        yield from in_order(file, CONSENSUS, check)
    votes: dict[str, _LastVote] = {}
    for place, name, artifact, at in _stances(file):
        if name in file.notes:
            continue
        vote = votes.get(artifact)
        if vote is None or vote.round < place:
            vote = votes[artifact] = _LastVote(place)
        if _said(at) is Consent.BLOCK:
            vote.blocks.append(name)
        elif _said(at) is Consent.SUPPORT:
            vote.supports.append(name)
    if not votes:
        if file.artifacts:
            yield NotChecked(check, "the rounds hold no SUPPORT, STAND_ASIDE or BLOCK")
        return
    settled = _settled(file)
    for each in file.artifacts:
        if each.is_matter or each.at["agreement"].text != Agreement.CONSENSUS.value:
            continue
        ruled = max(settled.get(each.id, 0), settled.get(each.topic or "", 0))
        yield from _agreed(each, votes.get(each.id), ruled)


def _settled(file: SessionFile) -> dict[str, int]:
    """The last round in which a person has settled the conflict about an artifact, and the vote with it (W24, W31).

    Where a conflict does not say what it is about, it may be about anything in its topic; where a file does not say how
    conflicts were settled, it may have been by a person.
    """
    settled: dict[str, int] = {}
    for conflict in file.conflicts:
        method, named = conflict.at["resolution_method"], named_by(conflict)
        if method.exists and method.text != PERSON:
            continue
        for about in lineage(file, named[0]) if named is not None else (conflict.topic or "",):
            settled[about] = max(settled.get(about, 0), conflict.resolved or 0)
    return settled


def _agreed(artifact: StatedArtifact, vote: _LastVote | None, settled: int) -> Iterator[Finding]:
    at = artifact.at["agreement"]
    if settled >= (vote.round if vote is not None else 1):
        return
    if vote is None:
        what = f"{artifact.id} is consensus, but nobody has voted on it"
        yield problem("STRAT-C1", at, what, Agreement.DRAFT.value)
    elif vote.blocks:
        who = ", ".join(vote.blocks[:5])
        what = f"{artifact.id} is consensus against the BLOCK of {who} in round {vote.round}"
        yield problem("STRAT-C1", at, what, f"{Agreement.DRAFT.value} or {Agreement.CONFLICT.value}")
    elif not vote.supports:
        what = f"{artifact.id} is consensus, but nobody supported it in round {vote.round}"
        yield problem("STRAT-C1", at, what, Agreement.DRAFT.value)


def check_blocks(file: SessionFile) -> Iterator[Finding]:
    """Every BLOCK names the least change that would lift it (W30)."""
    if file.strategy is not CONSENSUS:
        return
    stances = list(_stances(file))
    if not stances:
        yield NotChecked("STRAT-C2", "the rounds hold no SUPPORT, STAND_ASIDE or BLOCK")
    for _, name, artifact, at in stances:
        if _said(at) is Consent.BLOCK and not at["minimum_change"].said:
            what = f"{name} blocks {artifact}, but names no change"
            yield problem("STRAT-C2", at["minimum_change"], what, "the least change that would lift the BLOCK")
