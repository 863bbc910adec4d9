"""The committee and its votes: why each member sits, what it said and what that counted as, by round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate.core.types import Seat
from quorate.kit.qualification import WHY
from quorate.protocols.review.rules.ballot_count import holds_veto
from quorate.protocols.review.rules.model import ReviewSettings, Stance, VetoClass, persona_of
from quorate.protocols.review.rules.result.committee_findings import vetoes_standing
from quorate.protocols.review.rules.result.overview import Overview, Visit

ABSENT = "absent"
NO_BALLOT = {"counts": "no ballot", "said": None, "why": "", "confidence": None}


def committee(reading: Overview) -> list[dict[str, Any]]:
    """Return every member with its persona, why it sits, and its final position."""
    basis = election(reading)["basis"]
    last = {vote["seat"]: vote for vote in votes_of(reading, reading.held[-1])} if reading.held else {}
    vetoes = {veto.seat: veto for veto in vetoes_standing(reading)}
    found = []
    for member in reading.state.members:
        vote, veto = last.get(str(member.seat), NO_BALLOT), vetoes.get(member.seat)
        found.append(
            {
                "seat": str(member.seat),
                "persona": persona_of(member.seat),
                "basis": basis,
                "holds_veto": holds_veto(reading.settings, member.seat),
                "position": vote["counts"],
                "said": vote["said"],
                "why": vote["why"],
                "confidence": vote["confidence"],
                "veto": veto.kind if veto else None,
                "veto_round": veto.visit.round if veto else None,
            }
        )
    return found


def election(reading: Overview) -> dict[str, Any]:
    """Return the basis of the election; if the receipt has none, the members were named by the settings."""
    found = reading.receipt.get("election")
    named = {"complexity": "", "basis": "named by the settings", "pairs": []}
    return {**named, **found} if isinstance(found, dict) else named


def tallies(reading: Overview) -> list[dict[str, Any]]:
    """Return the count of every round that was held, with the arithmetic spelled out."""
    return [_tally(reading, visit) for visit in reading.held]


def _tally(reading: Overview, visit: Visit) -> dict[str, Any]:
    (counted,) = visit.facts("tally")
    move = visit.moves[-1]
    decisive = next(test for test in move.because if test.held)
    silent = next(visit.facts("majority-abstain"), None)
    return {
        "round": visit.round,
        **counted,
        "members": len(reading.state.members),
        "majority_abstain": silent is not None,
        "ballots": list(votes_of(reading, visit)),
        "rule": decisive.rule,
        "claim": decisive.claim,
        "outcome": move.outcome.name,
        "to": move.to.name,
    }


def votes_of(reading: Overview, visit: Visit) -> Iterator[dict[str, Any]]:
    """Yield what every member said in a round, and what that counted as."""
    facts = {str(fact["seat"]): fact for fact in visit.facts("ballot")}
    ballots, absent = visit.ballots(), visit.absent("ballot")
    for member in reading.state.members:
        seat, ballot = member.seat, ballots.get(member.seat)
        if ballot is None:
            reason = absent.get(seat, "")
            yield {"seat": str(seat), "said": None, "counts": ABSENT, "why": reason, "confidence": None, "veto": ""}
            continue
        fact = facts[str(seat)]
        veto = str(fact["veto"]) if fact["veto"] != VetoClass.NONE.value else ""
        yield {
            "seat": str(seat),
            "said": str(fact["said"]),
            "counts": str(fact["counts"]),
            "why": _why(reading.settings, seat, str(fact["said"]), str(fact["counts"]), ballot.confidence),
            "confidence": ballot.confidence,
            "veto": veto,
        }


def _why(settings: ReviewSettings, seat: Seat, said: str, counts: str, confidence: int) -> str:
    """Return why a ballot counts as something other than it said (R7, R8, R48)."""
    if not settings.counts(seat):
        return f"{WHY} (R48)"
    if said == counts:
        return ""
    if counts == Stance.ABSTAIN.value:
        veto = ", so the veto is withheld (R38)" if said == Stance.VETO.value else ""
        return f"confidence {confidence} is under {settings.abstain_below} (R7){veto}"
    if not holds_veto(settings, seat):
        return f"{seat} holds no veto (R8)"
    return "the veto names no class, or its evidence is not found in the change (R8, R40)"
