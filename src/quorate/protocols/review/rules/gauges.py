"""The gauges of a review: the ballot of the current or last round, standing vetoes, and rounds.

They read the state and the last count; ballots of the current round are counted, never disclosed (R31).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.record import Record
from quorate.core.session import Cause, Move
from quorate.core.tally import Threshold
from quorate.kit.gauges import Arrived, Gauge, arrived, counter, latest_moves, number
from quorate.protocols.review.rules.ballot_count import threshold
from quorate.protocols.review.rules.model import Checked, Earlier, Phase, State


def gauges(record: Record) -> tuple[Gauge, ...]:
    """Return the gauges: distance to the quorum, standing vetoes, and rounds used."""
    state: State = record.session.state
    settings = record.protocol.settings
    rounds = counter("rounds", "round", state.round, int(settings["rounds"]))
    return (*_ballot(record, state), *_vetoes(state), rounds)


def _ballot(record: Record, state: State) -> Iterator[Gauge]:
    quorum = threshold(str(record.protocol.settings["quorum"]))
    attendance = threshold(str(record.protocol.settings["attendance"]))
    if (now := arrived(record, "ballot")) is not None:
        yield _under_way(state, now, quorum, attendance)
    elif (last := _last_count(record)) is not None:
        yield _counted(last, quorum, attendance)


def _last_count(record: Record) -> Move | None:
    """Return the last ballot that was counted; a proof leads on without one (R14)."""
    held = (move for move in latest_moves(record) if move.phase is Phase.DEBATE and move.cause is not Cause.INTERRUPTED)
    return next((move for move in held if any(fact.name == "tally" for fact in move.facts)), None)


def _under_way(state: State, now: Arrived, quorum: Threshold, attendance: Threshold) -> Gauge:
    """Return how many have replied in the current round; the ballots stay sealed until all have."""
    members = len(state.members)
    needed = attendance.fewest(members)
    missing = max(0, needed - now.present)
    words = (
        f"Round {state.round}: {now.present} of {number(members, 'ballot')} in, sealed until the round ends; "
        f"{needed} have to be in, and then {quorum.numerator}/{quorum.denominator} of those who vote for or against"
    )
    still = f": {number(missing, 'ballot')} still needed" if missing else ""
    return Gauge("ballot", words + still, members, now.parts, needed, missing or None)


def _counted(move: Move, quorum: Threshold, attendance: Threshold) -> Gauge:
    """Return the count of a finished round against its quorum of those voting for or against (R10)."""
    facts: dict[str, Any] = next(dict(fact.values) for fact in move.facts if fact.name == "tally")
    ayes, noes, silent, absent = (int(facts[name]) for name in ("synthesis", "opposing", "abstained", "absent"))
    after: State = move.after
    members, voting = len(after.members), ayes + noes
    needed = quorum.fewest(voting)
    lacking = max(0, attendance.fewest(members) - (members - absent))
    missing: int | None = max(needed - ayes, lacking, 0)
    share = f"{quorum.numerator}/{quorum.denominator} of the {voting} who voted for or against"
    words = f"Round {move.before.round}: {needed} needed ({share}), {ayes} for"
    if missing:
        words += f": {number(missing, 'vote')} still needed"
    if lacking:
        words += f"; too few of the committee gave a ballot ({members - absent} of {members})"
    if vetoes := standing(after):
        words += f"; no majority outweighs the veto of {' and of '.join(vetoes)}"
        missing = None
    parts = (("for", ayes), ("against", noes), ("abstained", silent), ("absent", absent))
    return Gauge("ballot", words, members, parts, needed, missing)


def _vetoes(state: State) -> Iterator[Gauge]:
    """Yield standing vetoes: one outweighs any majority, and one proven by a check cannot be lifted (R13, R14)."""
    named, proven = standing(state), int(state.checked is Checked.VETOED)
    cast = len(named) - proven
    if named:
        parts = (("cast", cast), ("proven", proven))
        count = "1 veto stands" if len(named) == 1 else f"{len(named)} vetoes stand"
        words = f"{count}: {', '.join(named)}; one outweighs any majority"
        yield Gauge("vetoes", words, len(state.members) + proven, parts)


def standing(state: State) -> list[str]:
    """Return whose vetoes stand, as text."""
    proven = ["a check (proven)"] if state.checked is Checked.VETOED else []
    return [f"{each.seat} ({_why(each.veto.value, each.earlier)})" for each in state.members if each.vetoes] + proven


def _why(veto: str, earlier: Earlier) -> str:
    return veto if earlier is Earlier.NONE else f"since an earlier round; {earlier.value}"
