"""Checks of the votes: who may vote on what, and how the votes are counted (C9, C18, C21 to C23, C36)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle, BundleFinding, Cast, agent_of, votes_at
from quorate.protocols.council.rules.forms import Vote
from quorate.protocols.council.rules.model import Agreement, Resolution
from quorate.protocols.council.rules.taxonomy import Severity
from quorate.protocols.council.rules.votes import VOTED, Count, Standing

BY_VOTE = tuple(agreement for agreement, _ in VOTED.values())


def check_voters(bundle: Bundle) -> Iterator[Deviation]:
    """Only seats of the council that were not lost vote; nobody votes in STANDARD depth (C1, C36, C37)."""
    every = [(found.at, name) for found in bundle.findings for name in ("votes", "severity_votes")]
    for at, voted in (*every, *((at, "votes") for at in bundle.remediations)):
        votes = at[voted]
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
        yield broken(at, "C1", f"{Spot(name)} is not a seat of the council", "one of " + ", ".join(bundle.seats))
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
        elif found.severity_votes is not None and found.resolution is not Resolution.DISMISSED:
            yield from _weighed(bundle, found, found.severity_votes)
        elif cast is not None:
            yield from _counted(bundle, found, cast)
        elif found.agreement in BY_VOTE:
            says = f"{status}, and no vote is recorded"
            yield broken(status, "C22", says, "the votes of the seats, or the status before a vote")


def _weighed(bundle: Bundle, found: BundleFinding, cast: Cast) -> Iterator[Deviation]:
    """The status of a finding whose severity was voted upon; where its truth was split, that decides first (C17)."""
    truth = found.votes
    split = truth is not None and _standing(bundle, truth) is not Standing.SUPPORTED
    right = Agreement.DEADLOCKED if split else VOTED[_standing(bundle, cast)][0]
    if found.agreement not in (None, right):
        status = found.at["agreement_status"]
        says = f"{status} after {cast} on its severity, with a quorum of {bundle.quorum}"
        yield broken(status, "C17", says, right.name)


def _counted(bundle: Bundle, found: BundleFinding, cast: Cast) -> Iterator[Deviation]:
    status, right = found.at["agreement_status"], _expected(bundle, found, cast)
    dismissed = found.agreement is Agreement.QUORUM_OPPOSE and found.severity is Severity.BLOCKER
    if dismissed and not found.at["refuted"].given:
        yield missing(found.at["refuted"], "C23", "whether somebody refuted this BLOCKER from the text is not recorded")
    if found.agreement is None or found.agreement in right:
        return
    if found.agreement in (Agreement.CONTESTED, Agreement.PENDING) and bundle.aborted:
        return  # the vote was cut short
    says = f"{status} after {cast}, with a quorum of {bundle.quorum}"
    rule = "C22" if found.agreement in BY_VOTE or found.agreement is Agreement.CONTESTED else "C21"
    opposed = _standing(bundle, cast) is Standing.OPPOSED
    if found.agreement is Agreement.QUORUM_OPPOSE and right == (Agreement.DEADLOCKED,) and opposed:
        rule, says = "C23", f"{status} of a lone BLOCKER that nobody refuted from the text"
    yield broken(status, rule, says, " or ".join(each.name for each in right))


def _expected(bundle: Bundle, found: BundleFinding, cast: Cast) -> tuple[Agreement, ...]:
    """Return what the votes may have come to; of a BLOCKER it may not be recorded who backed or refuted it."""
    lone, refuted = found.at["lone"].flag, found.at["refuted"].flag
    lones = (False, True) if lone is None else (lone,)
    refutations = (True, False) if refuted is None else (refuted,)
    if found.severity is not Severity.BLOCKER:
        lones = (False,)
    stood = [_standing(bundle, cast, each, quoted) for each in lones for quoted in refutations]
    return tuple(dict.fromkeys(VOTED[each][0] for each in stood))


def _standing(bundle: Bundle, cast: Cast, lone: bool = False, refuted: bool = False) -> Standing:
    return Count(cast.support, cast.oppose, cast.abstain, refuted).standing(bundle.quorum, 0, lone)


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
        if found.resolution is Resolution.OPEN and found.agreement is _by_number(bundle, len(_group(bundle, found))):
            continue  # the status of its group, which stands until it is answered
        if found.agreement is not right and not (bundle.lost and count == len(bundle.seats)):
            yield broken(status, "C20", f"{status} with {count} of {len(bundle.seats)} seats behind it", right.name)


def _group(bundle: Bundle, found: BundleFinding) -> frozenset[str]:
    """Return who raised a finding of its group, whose status it has until it is answered (C20)."""
    key = found.at["dedup_key"].text
    same = (each.supporters for each in bundle.findings if key is not None and each.at["dedup_key"].text == key)
    return frozenset(seat for seats in same for seat in seats or ())


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
            carried = cast is not None and _standing(bundle, cast) is Standing.SUPPORTED
            if flag.flag is not carried:
                says = f"{flag}, with {support} votes for it and a quorum of {bundle.quorum}"
                yield broken(flag, "C25", says, "true" if carried else "false")
        found = known.get(at["finding_id"].text or "")
        if found is None:
            continue
        if found.severity in (Severity.MINOR, Severity.INFO) and found.severity_votes is None:
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
