"""Open questions to people as plain data: the question, its context, the schema of the answer, and the choices."""

from __future__ import annotations

from typing import Any

from quorate.api.answers import offer_of, questions
from quorate.api.sessions import Result
from quorate.codec import form_schema
from quorate.core.types import Ask
from quorate.evidence.prose import tree
from quorate.kit.offers import Offer


def asked(result: Result, *, sections: bool = True) -> list[dict[str, Any]]:
    """Return every open question of a session to a person, with texts as trees.

    Without `sections` the context is left out: it may be all of the material.
    """
    found = []
    for ask, view in questions(result):
        told = _question(result, ask)
        if sections:
            told["sections"] = [{"title": each.title, "tree": tree(each.text)} for each in view.sections]
        found.append(told)
    return found


def _question(result: Result, ask: Ask) -> dict[str, Any]:
    record = result.record
    return {
        "ask": str(ask.id),
        "seat": str(ask.seat),
        "brief": ask.brief,
        "form": ask.form.__name__,
        "round": record.protocol.round(record.session.state),
        "says": tree(record.protocol.briefs.get(ask.brief, "")),
        "schema": form_schema(ask.form, ask.keys),
        "offer": _offer(offer_of(record, ask)),
        "keys": [str(key) for key in ask.keys],
    }


def _offer(offer: Offer | None) -> dict[str, Any] | None:
    if offer is None:
        return None
    return {
        "does": dict(offer.does),
        "optional": list(offer.optional),
        "needs": dict(offer.needs),
        "unanswered": offer.unanswered,
    }
