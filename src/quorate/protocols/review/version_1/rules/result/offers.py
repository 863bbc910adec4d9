"""Compromises offered on vetoes; one that the member accepted becomes a debt (R18)."""

from __future__ import annotations

from typing import Any

from quorate.core.types import Seat
from quorate.protocols.review.version_1.rules.forms import Compromise
from quorate.protocols.review.version_1.rules.model import Outcome, Phase, Stance, State, veto_keys
from quorate.protocols.review.version_1.rules.result.overview import Reading, Visit

ACCEPTED = "accepted"
REFUSED = "refused"
UNANSWERED = "not answered"
NOT_PUT = "not put to the committee"


def compromises(reading: Reading) -> list[dict[str, Any]]:
    """Return every offer with its status; an accepted one is a debt with an owner and a due time."""
    return [offer for visit in reading.visits if visit.phase is Phase.VETO for offer in _offers(reading, visit)]


def _offers(reading: Reading, visit: Visit) -> list[dict[str, Any]]:
    replies = [said.reply for said in visit.said if isinstance(said.reply, Compromise)]
    if not replies or not visit.moves:
        return []
    vetoes, put = veto_keys(visit.moves[-1].before), visit.moves[-1].outcome is Outcome.COMPROMISE
    return [
        {
            "round": visit.round,
            "veto_target": str(vetoes[key]),
            "proposed_action": offer.proposed_action.value,
            "debt_owner": offer.debt_owner.text,
            "timeline_days": offer.timeline_days,
            "acceptance_criteria": offer.acceptance_criteria.text,
            "cod_evidence": offer.cod_evidence.text,
            "status": _status(reading, vetoes[key], visit.round + 1) if put else NOT_PUT,
        }
        for key, offer in replies[-1].offers.items()
    ]


def _status(reading: Reading, seat: Seat, round_: int) -> str:
    """Return how the vetoing member answered the offer with its next ballot (R13)."""
    held = next((visit for visit in reading.held if visit.round == round_), None)
    if held is None or not any(
        fact["seat"] == seat and fact["counts"] != Stance.ABSTAIN.value for fact in held.facts("ballot")
    ):
        return UNANSWERED
    after: State = held.moves[-1].after
    return REFUSED if any(member.seat == seat and member.vetoes for member in after.members) else ACCEPTED
