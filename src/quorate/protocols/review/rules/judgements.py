"""How acceptance claims were judged: the worst judgement of a member counts (R24)."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.core.types import Replies
from quorate.protocols.review.rules.forms import ClaimJudgements
from quorate.protocols.review.rules.model import Judgement, claim_keys

ORDER = {judgement: place for place, judgement in enumerate(Judgement)}


def unmet_claims(count: int, replies: Replies) -> tuple[tuple[Key, Judgement], ...]:
    """Return the claims that did not pass: the worst judgement wins, and no judgement is insufficient (R24)."""
    given: dict[Key, list[Judgement]] = {key: [] for key in claim_keys(count)}
    for _, reply in replies:
        if isinstance(reply, ClaimJudgements):
            for key, judged in reply.claims.items():
                given[key].append(judged.judgement)
    worst = {
        key: max(judgements, key=ORDER.__getitem__, default=Judgement.INSUFFICIENT_EVIDENCE)
        for key, judgements in given.items()
    }
    return tuple((key, judgement) for key, judgement in worst.items() if judgement is not Judgement.PASS)
