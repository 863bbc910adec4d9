"""The deliberation log: an entry for each visit of a phase, with everybody's words and where it led (seed 000)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorate.core.forms import Reply
from quorate.core.record import Said
from quorate.core.session import Cause
from quorate.core.types import Absent
from quorate.protocols.review.rules.forms import (
    Agreement,
    Amendment,
    Ballot,
    ClaimJudgements,
    Compromise,
    Doubts,
    Examination,
    Mediation,
    ReadPart,
    Tabling,
)
from quorate.protocols.review.rules.hits import Hits, Refutation
from quorate.protocols.review.rules.model import Phase, Standing, veto_keys
from quorate.protocols.review.rules.result.overview import Overview, Visit
from quorate.protocols.review.rules.result.votes import votes_of

Words = dict[str, Any]


def deliberation(reading: Overview) -> list[dict[str, Any]]:
    """Return the log as plain data: round, state, words, mediation and transition of every visit.

    Ballots come in the order of the committee, not in order of arrival (R3).
    """
    return [_entry(reading, visit) for visit in reading.visits]


def _entry(reading: Overview, visit: Visit) -> dict[str, Any]:
    last = visit.moves[-1] if visit.moves else None
    seats = list(reading.record.protocol.seats)
    told = (
        sorted(visit.said, key=lambda said: seats.index(said.ask.seat)) if visit.phase is Phase.DEBATE else visit.said
    )
    stopped = last is not None and last.cause is Cause.INTERRUPTED
    return {
        "round": visit.round,
        "state": visit.phase.name,
        "words": [_words(reading, visit, said) for said in told if not isinstance(said.reply, Mediation)],
        "mediation": [
            f"{said.reply.positions}\n\n{said.reply.questions}"
            for said in visit.said
            if isinstance(said.reply, Mediation)
        ],
        "next": last.to.name if last is not None else None,
        "outcome": last.outcome.name if last is not None else None,
        "interrupted": stopped,
    }


def _words(reading: Overview, visit: Visit, said: Said) -> Words:
    """Return one seat's entry: what it did, summarised, and what it said, verbatim."""
    if isinstance(said.reply, Absent):
        return _told(said, f"absent when asked to {said.ask.brief} ({said.reply.reason.value})")
    return _TELL[type(said.reply)](reading, visit, said, said.reply)


def _told(said: Said, act: str, text: str = "", points: Iterator[str] | tuple[str, ...] = ()) -> Words:
    return {"who": str(said.ask.seat), "act": act, "text": text, "points": list(points)}


def _examined(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Examination)
    if not reply.applied:
        return _told(said, "the patch does not apply" if said.ask.brief == "apply" else "no result")
    proven = sum(each.veto.value != "none" for each in reply.findings)
    count = len(reply.findings)
    act = f"{count} finding{'' if count == 1 else 's'}" + (f", {proven} of them proving a veto" if proven else "")
    return _told(said, f"the patch applies; {act}" if said.ask.brief == "apply" else act)


def _tabled(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Tabling)
    return _told(said, "tables the change", reply.summary.text, tuple(each.text for each in reply.questions))


def _part_read(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, ReadPart)
    places = reading.places(visit)
    points = (
        f"{item.severity.name} {item.rule.value} in {places.name(item.path)}: {item.consequence} "
        f"Evidence: {item.evidence}"
        for item in reply.items
    )
    act = "reads a part of the change" + ("" if reply.whole else ", of which it was shown only some")
    return _told(said, act, reply.summary.text, points)


def _hunk_read(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Hits)
    points = (f"{hit.line} fails ({hit.kind.value}): {hit.fails}" for hit in reply.hits)
    act = "names a line that fails" if len(reply.hits) == 1 else f"names {len(reply.hits)} lines that fail"
    asked = f"{said.ask.keys[0]} to {said.ask.keys[-1]}" if said.ask.keys else "no line"
    shown = "" if reply.whole else ", of which it was shown only some"
    return _told(
        said, f"asked about {asked}{shown}, {act if reply.hits else 'finds no line that fails'}", points=points
    )


def _refuted(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Refutation)
    return _told(said, f"says of {said.ask.keys[0]}: {reply.answer.value}", reply.reason.text)


def _voted(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Ballot)
    act = f"{reply.stance.name}, confidence {reply.confidence}"
    counted = {vote["seat"]: vote for vote in votes_of(reading, visit)} if visit.decided else {}
    if (vote := counted.get(str(said.ask.seat))) and vote["said"] != vote["counts"]:
        act += f", counted as {vote['counts'].upper()}: {vote['why']}"
    places = reading.places(visit)

    def points() -> Iterator[str]:
        if reply.veto_evidence.text.strip():
            yield f"Veto ({reply.veto_class.value}): {reply.veto_evidence}"
        for item in reply.items:
            where, severity = places.name(item.path), item.severity.name
            yield f"{severity} {item.rule.value} in {where}: {item.consequence} Evidence: {item.evidence}"

    return _told(said, act, reply.opinion.text, points())


def _judged(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, ClaimJudgements)
    given = reply.claims.items()
    points = (f"{key} {each.judgement.name.replace('_', '-')}: {each.observed}" for key, each in given)
    return _told(said, "judges the claims", points=points)


def _amended(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Amendment)
    lines = reply.patch.text.count("\n")
    return _told(said, "offers no patch" if reply.blank else f"offers a patch of {lines} lines", reply.reason.text)


def _offered(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Compromise)
    vetoes = veto_keys(visit.moves[-1].before) if visit.moves else {}
    points = (
        f"On the veto of {vetoes.get(key, key)}: {offer.proposed_action.value} within {offer.timeline_days} days, "
        f"owner {offer.debt_owner}; accepted when {offer.acceptance_criteria}; cost of delay: {offer.cod_evidence}"
        for key, offer in reply.offers.items()
    )
    return _told(said, "offers a compromise" if reply.offers else "offers no compromise", reply.reason.text, points)


def _doubted(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Doubts)
    places = reading.places(visit)
    facts = {fact["key"]: fact for fact in visit.facts("item")}

    def points() -> Iterator[str]:
        for key, doubt in reply.doubts.items():
            fact = facts.get(key)
            what = f"{fact['rule']} in {places.name(fact['path'])}" if fact else str(key)
            counts = doubt.standing is not Standing.REFUTED or reply.refutes(key)
            weak = "" if counts else ", without a quotation that has to do with it, so it stays"
            yield f"{what}: {doubt.standing.value.upper()}{weak}. {doubt.reason}"

    return _told(said, "looks at the fix items", points=points())


def _agreed(reading: Overview, visit: Visit, said: Said, reply: Any) -> Words:
    assert isinstance(reply, Agreement)
    steps = tuple(each.text for each in reply.next_steps)
    return _told(said, "writes the agreement", reply.agreement.text, steps)


_TELL: dict[type[Reply], Callable[[Overview, Visit, Said, Any], Words]] = {
    Examination: _examined,
    Tabling: _tabled,
    ReadPart: _part_read,
    Ballot: _voted,
    ClaimJudgements: _judged,
    Amendment: _amended,
    Compromise: _offered,
    Doubts: _doubted,
    Hits: _hunk_read,
    Refutation: _refuted,
    Agreement: _agreed,
}
