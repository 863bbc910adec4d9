"""Counting of votes: quorum, refutation of a lone BLOCKER, early settlement, resolution (C22 to C25)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from quorate.core.forms import Key
from quorate.core.types import Replies
from quorate.core.values import replace
from quorate.protocols.council.version_1.rules.forms import Ballot, Ballots, Vote
from quorate.protocols.council.version_1.rules.model import (
    Agreement,
    Finding,
    Resolution,
    State,
    contested,
    proposal_keys,
)


class Standing(Enum):
    """The result of the votes on one item."""

    SUPPORTED = "supported"
    OPPOSED = "opposed"
    SPLIT = "split"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Count:
    """The votes on one item; `refuted` is true if an opposing seat quotes a refutation."""

    support: int
    oppose: int
    abstain: int
    refuted: bool

    def standing(self, quorum: int, waiting: int, lone: bool = False) -> Standing:
        """Return the result that is certain with this many votes outstanding (C22, C23, C24)."""
        if self.support >= quorum:
            return Standing.SUPPORTED
        if self.oppose >= quorum:
            if not lone or self.refuted:
                return Standing.OPPOSED
            return Standing.OPEN if waiting else Standing.SPLIT
        undecided = max(self.support, self.oppose) + waiting >= quorum
        return Standing.OPEN if undecided else Standing.SPLIT


def to_vote(state: State) -> tuple[Key, ...]:
    """Return the contested findings and the remediations, in this order (C18)."""
    return (*contested(state), *proposal_keys(state))


def count_votes(state: State, replies: Replies) -> dict[Key, Count]:
    """Count the votes received; a missing vote is an abstention (C22)."""
    given = [reply.votes for _, reply in replies if isinstance(reply, Ballots)]
    found = {}
    for key in to_vote(state):
        cast: list[Ballot] = [votes[key] for votes in given if key in votes]

        def number(vote: Vote, cast: list[Ballot] = cast) -> int:
            return sum(each.vote is vote for each in cast)

        support, oppose = number(Vote.SUPPORT), number(Vote.OPPOSE)
        refuted = any(each.vote is Vote.OPPOSE and each.refuted for each in cast)
        found[key] = Count(support, oppose, len(given) - support - oppose, refuted)
    return found


def standings(state: State, counts: Mapping[Key, Count], quorum: int, waiting: int) -> dict[Key, Standing]:
    lone = {each.key for each in state.findings if each.lone}
    return {key: count.standing(quorum, waiting, key in lone) for key, count in counts.items()}


def take_standings(state: State, found: Mapping[Key, Standing]) -> State:
    """Settle every finding by the result of its votes (C22, C25)."""
    remedied = {finding for key, finding in proposal_keys(state).items() if found[key] is Standing.SUPPORTED}
    return replace(
        state, findings=tuple(_settled(each, found.get(each.key), each.key in remedied) for each in state.findings)
    )


VOTED: Mapping[Standing, tuple[Agreement, Resolution]] = {
    Standing.SUPPORTED: (Agreement.QUORUM_SUPPORT, Resolution.UPHELD),
    Standing.OPPOSED: (Agreement.QUORUM_OPPOSE, Resolution.DISMISSED),
    Standing.SPLIT: (Agreement.DEADLOCKED, Resolution.DEADLOCKED),
}
"""What the votes on a finding make of it (C22)."""


def _settled(finding: Finding, standing: Standing | None, remedied: bool) -> Finding:
    agreement, resolution = finding.agreement, Resolution.UPHELD
    if standing is not None:
        agreement, resolution = VOTED[standing]
    if resolution is Resolution.UPHELD and remedied:
        resolution = Resolution.REMEDIATION_AGREED
    return replace(finding, agreement=agreement, resolution=resolution, lone=False, proposals=0)


def settle_alone(state: State) -> State:
    """Settle the findings of STANDARD depth, in which nobody votes (C37)."""
    findings = []
    for each in state.findings:
        resolution = Resolution.REMEDIATION_AGREED if each.grave and each.proposals else Resolution.UPHELD
        if each.resolution is Resolution.DISMISSED:
            resolution = each.resolution
        findings.append(replace(each, resolution=resolution, proposals=0))
    return replace(state, findings=tuple(findings))
