"""Checks of the votes: who may vote on what, and how the votes are counted (C9, C18, C21 to C23, C36)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.spot import Spot
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle, Cast, Found, agent_of, votes_at
from quorate.protocols.council.rules.forms import Vote
from quorate.protocols.council.rules.model import Agreement, Resolution
from quorate.protocols.council.rules.taxonomy import Severity

VOTED = (Agreement.QUORUM_SUPPORT, Agreement.QUORUM_OPPOSE, Agreement.DEADLOCKED)


def check_voters(bundle: Bundle) -> Iterator[Deviation]:
    """Only seats of the council that were not lost vote; nobody votes in STANDARD depth (C1, C36, C37)."""
    for at in (*(found.at for found in bundle.findings), *bundle.remediations):
        votes = at["votes"]
        if bundle.alone and (votes.entries or votes.items):
            yield broken(votes, "C37", "a vote in STANDARD depth, in which one seat reviews", "no votes")
        for name, each in votes.entries.items():
            if name not in Vote.__members__:
                yield from _voter(bundle, each, name)
        for each in votes.items:
            if each.is_mapping:
                named = each.first("agent_id", "agent", "source_agent", "seat")
                yield from _voter(bundle, named, named.text or "")


def _voter(bundle: Bundle, at: Spot, name: str) -> Iterator[Deviation]:
    agent = agent_of(name)
    if agent is None or agent not in bundle.seats:
        yield broken(at, "C1", f"{Spot(name)} is no seat of the council", "one of " + ", ".join(bundle.seats))
    elif agent in bundle.lost:
        yield broken(at, "C36", f"{agent} was lost and does not vote", "no vote")


def check_statuses(bundle: Bundle) -> Iterator[Deviation]:
    """The status of a finding follows from its votes, and only contested findings are voted upon (C9, C21, C22)."""
    for found in bundle.findings:
        status, cast = found.at["agreement_status"], found.votes
        if found.by_gate:
            if cast is not None:
                yield broken(cast.at, "C9", "a vote on what a gate proved", "no votes: only an edit takes it away")
            if found.agreement not in (None, Agreement.UNANIMOUS):
                yield broken(status, "C9", f"{status}, though a gate proved it", "UNANIMOUS")
        elif cast is not None:
            yield from _counted(bundle, found, cast)
        elif found.agreement in VOTED:
            says = f"{status}, and no vote is recorded"
            yield broken(status, "C22", says, "the votes of the seats, or the status before a vote")


def _counted(bundle: Bundle, found: Found, cast: Cast) -> Iterator[Deviation]:
    status, right = found.at["agreement_status"], _expected(bundle, found, cast)
    dismissed = found.agreement is Agreement.QUORUM_OPPOSE and found.severity is Severity.BLOCKER
    if dismissed and not found.at["refuted"].given:
        yield missing(found.at["refuted"], "C23", "whether somebody refuted this BLOCKER from the text is not recorded")
    if found.agreement is None or found.agreement in right:
        return
    if found.agreement in (Agreement.CONTESTED, Agreement.PENDING) and bundle.aborted:
        return  # the vote was cut short
    says = f"{status} after {cast}, with a quorum of {bundle.quorum}"
    rule = "C22" if found.agreement in VOTED or found.agreement is Agreement.CONTESTED else "C21"
    if found.agreement is Agreement.QUORUM_OPPOSE and right == (Agreement.DEADLOCKED,) and cast.oppose >= bundle.quorum:
        rule, says = "C23", f"{status} of a lone BLOCKER that nobody refuted from the text"
    yield broken(status, rule, says, " or ".join(each.name for each in right))


def _expected(bundle: Bundle, found: Found, cast: Cast) -> tuple[Agreement, ...]:
    if cast.support >= bundle.quorum:
        return (Agreement.QUORUM_SUPPORT,)
    if cast.oppose < bundle.quorum:
        return (Agreement.DEADLOCKED,)
    lone, refuted = found.at["lone"].flag, found.at["refuted"].flag
    if found.severity is not Severity.BLOCKER or refuted or lone is False:
        return (Agreement.QUORUM_OPPOSE,)
    if lone and refuted is False:
        return (Agreement.DEADLOCKED,)
    return (Agreement.QUORUM_OPPOSE, Agreement.DEADLOCKED)  # who backed it before the vote is not recorded


def check_agreement(bundle: Bundle) -> Iterator[Deviation]:
    """UNANIMOUS and MAJORITY match the number of backers, and nobody disputes the finding (C20, C21)."""
    if bundle.alone:
        return
    for found in bundle.findings:
        status, backing = found.at["agreement_status"], found.supporters
        if found.by_gate or found.agreement not in (Agreement.UNANIMOUS, Agreement.MAJORITY):
            continue
        if found.dissenters:
            says = f"{status}, though {', '.join(found.dissenters)} disputes it"
            yield broken(status, "C21", says, "CONTESTED, and what the vote came to")
        if backing is None:
            yield missing(status, "C20", f"{status}, and who backs it is not recorded", "source_agents")
            continue
        count, right = len(backing), _by_number(bundle, len(backing))
        if found.agreement is not right and not (bundle.lost and count == len(bundle.seats)):
            yield broken(status, "C20", f"{status} with {count} of {len(bundle.seats)} seats behind it", right.name)


def _by_number(bundle: Bundle, count: int) -> Agreement:
    if count >= len(bundle.seats):
        return Agreement.UNANIMOUS
    return Agreement.MAJORITY if count > 1 else Agreement.CONTESTED if bundle.over else Agreement.PENDING


def check_positions(bundle: Bundle) -> Iterator[Deviation]:
    """No seat that voted OPPOSE is listed as supporting, and none that voted SUPPORT as dissenting (C22)."""
    for found in bundle.findings:
        by = found.votes.by if found.votes is not None else {}
        for name, against in (("supporting_agents", Vote.OPPOSE), ("dissenting_agents", Vote.SUPPORT)):
            for each in found.at[name].items if by else ():
                agent = agent_of(each.value)
                if agent is not None and by.get(agent) is against:
                    says = f"{agent} is among the {name}, and voted {against.name}"
                    yield broken(each, "C22", says, f"{name} without {agent}")


def check_settled(bundle: Bundle) -> Iterator[Deviation]:
    """After the third cycle no finding is pending or contested (C18, C21)."""
    if not bundle.over or bundle.alone:
        return
    for found in bundle.findings:
        if found.agreement in (Agreement.PENDING, Agreement.CONTESTED):
            at = found.at["agreement_status"]
            yield broken(at, "C21", f"{at} after three cycles", "what the vote of CYCLE_3 came to")


def check_remediations(bundle: Bundle) -> Iterator[Deviation]:
    """A remediation is agreed if it has the quorum, and its finding says so (C18, C25)."""
    agreed: set[str] = set()
    known = {found.id: found for found in bundle.findings if found.id is not None}
    for at in bundle.remediations:
        cast, flag = votes_at(at), at["agreed"]
        if not bundle.alone and flag.flag is not None:
            support = cast.support if cast is not None else 0
            if flag.flag is not (support >= bundle.quorum):
                says = f"{flag}, with {support} votes for it and a quorum of {bundle.quorum}"
                yield broken(flag, "C25", says, "true" if support >= bundle.quorum else "false")
        found = known.get(at["finding_id"].text or "")
        if found is None:
            continue
        if found.severity in (Severity.MINOR, Severity.INFO):
            yield broken(
                at["finding_id"], "C18", f"a remediation of a {found.severity.name} finding", "BLOCKER or MAJOR"
            )
        if flag.flag and found.id is not None:
            agreed.add(found.id)
    if bundle.at["remediations"].is_list:
        yield from _agreed(bundle, agreed)


def _agreed(bundle: Bundle, agreed: set[str]) -> Iterator[Deviation]:
    for found in bundle.findings:
        at = found.at["resolution"]
        if found.resolution is Resolution.REMEDIATION_AGREED and found.id not in agreed:
            yield broken(at, "C25", f"{at}, and no remediation of it is agreed", "UPHELD")
        if found.resolution is Resolution.UPHELD and found.id in agreed:
            yield broken(at, "C25", f"{at}, and a remediation of it is agreed", "REMEDIATION_AGREED")
