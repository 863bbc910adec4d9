"""Red-team invariants of the review: who may veto, what a quorum is, and what prevents an approval."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Said
from quorate.core.tally import Vote
from quorate.core.types import Seat
from quorate.kit.settings import read_settings
from quorate.lab.redteam.broken import Broken, Guarantee
from quorate.lab.redteam.case_run import Observed
from quorate.protocols.review.rules.ballot_count import VOTES, count_ballot, threshold
from quorate.protocols.review.rules.forms import Ballot, Doubts, Examination
from quorate.protocols.review.rules.model import ReviewSettings, State, Verdict, VetoClass
from quorate.protocols.review.rules.result import findings


def broken(seen: Observed) -> Iterator[Broken]:
    """Yield every invariant that the observed review broke."""
    record = seen.record
    settings = read_settings(ReviewSettings, record.opening.settings)
    conclusion = record.session.conclusion
    examined = [line.reply for line in record.log if isinstance(line, Said) and isinstance(line.reply, Examination)]
    yield from _ledger(seen, examined)
    yield from _names(seen)
    if conclusion is None or conclusion.verdict is not Verdict.APPROVED:
        return
    if not examined:
        yield Broken(Guarantee.PROVEN, "approved without a report of the checks")
    for found in examined[-1].findings if examined else ():
        if found.veto is not VetoClass.NONE or settings.blocks(found.severity):
            yield Broken(Guarantee.PROVEN, f"approved although a check found {found.rule.text}")
    yield from _votes(seen, settings)


def _last_ballots(seen: Observed) -> dict[Seat, Ballot]:
    """Return the ballots of the last round in which there was one."""
    found: dict[int, dict[Seat, Ballot]] = {}
    for line in seen.record.log:
        if isinstance(line, Said) and isinstance(line.reply, Ballot):
            found.setdefault(line.round, {})[line.ask.seat] = line.reply
    return found[max(found)] if found else {}


def _votes(seen: Observed, settings: ReviewSettings) -> Iterator[Broken]:
    ballots, members = _last_ballots(seen), settings.members
    if strangers := set(ballots) - set(members):
        yield Broken(Guarantee.ELIGIBILITY, f"{min(strangers)} voted and is no member")
    state: State = seen.record.session.state
    for member in state.members:
        if member.vetoes:
            yield Broken(Guarantee.PROVEN, f"approved although the veto of {member.seat} stands")
    votes = [VOTES[count_ballot(settings, seat, ballot).stance] for seat, ballot in ballots.items()]
    ayes, voting = votes.count(Vote.AYE), len(votes) - votes.count(Vote.ABSTAIN)
    if not threshold(settings.quorum).met(ayes, voting):
        yield Broken(Guarantee.THRESHOLDS, f"approved with {ayes} of {voting} votes, quorum {settings.quorum}")
    if not threshold(settings.attendance).met(len(ballots), len(members)):
        yield Broken(Guarantee.THRESHOLDS, f"approved with {len(ballots)} of {len(members)} members")
    yield from _items(seen, ballots, settings)


def _items(seen: Observed, ballots: dict[Seat, Ballot], settings: ReviewSettings) -> Iterator[Broken]:
    """An item with ground is dropped only if the skeptic refuted it with a quotation from the change (R22, R23)."""
    refuted = sum(
        line.reply.refutes(key)
        for line in seen.record.log
        if isinstance(line, Said) and isinstance(line.reply, Doubts)
        for key in line.reply.doubts
    )
    given = [item for ballot in ballots.values() for item in ballot.items]
    raised = [each for each in given if settings.item_blocks(each.severity) and each.quoted and not each.unfounded]
    if len(raised) > refuted:
        yield Broken(Guarantee.THRESHOLDS, f"approved with {len(raised)} blocking items, {refuted} of them refuted")


def _ledger(seen: Observed, examined: list[Examination]) -> Iterator[Broken]:
    """The last findings of the checks are among those that the session leaves."""
    left = {(finding.rule, finding.path) for finding in findings(seen.record)}
    for found in examined[-1].findings if examined else ():
        if (found.rule.text, found.path.text) not in left:
            yield Broken(Guarantee.LEDGER, f"{found.rule.text} of the checks is not among the findings")


def _names(seen: Observed) -> Iterator[Broken]:
    """No member is shown another's name, even if that one signs its words (R31)."""
    members = {Seat(name) for name in seen.record.opening.settings["members"]}
    for shown in seen.shown:
        for name in members - {shown.ask.seat} if shown.ask.seat in members else ():
            if f"{name} speaks" in shown.user:
                yield Broken(Guarantee.BLINDNESS, f"{shown.ask.seat} was shown that {name} speaks")
