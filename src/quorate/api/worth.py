"""Worth of a session: computed from its record, a replay as a single round, and its prompts, which are built again."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from threading import Lock
from types import SimpleNamespace
from typing import Any, cast

from quorate import catalog
from quorate.api.recorded_answers import Play, Recording
from quorate.api.sessions import Result
from quorate.codec import protocol_digest
from quorate.core.errors import QuorateError
from quorate.core.record import Asked, Record, Said
from quorate.core.types import AskId
from quorate.kit.definition import Definition
from quorate.participants.port import Participant
from quorate.runtime.asks import request_of
from quorate.worth.cacheable import Cacheable, Prompted, cacheable
from quorate.worth.first_round import FirstRoundVerdict, is_voter
from quorate.worth.votes import MeasuredCorrelation
from quorate.worth.worth import NOTHING_LEARNT, Learnt, Worth, maker, worth_data
from quorate.worth.worth import worth as derive

ROUNDS = "rounds"
"""The setting that says how many rounds there are, where a protocol has it."""
MOST_KEPT = 16
_kept: OrderedDict[str, Worth] = OrderedDict()
"""By the hash that a whole journal ends in, which says all that it depends on: report, page and summary share it."""
_keeping = Lock()
"""Pages of long sessions are made in threads."""
MOST_PROMPTS = 200
"""Prompts that are built again; in a longer session those of the beginning stand for all."""
_ROOMY = cast("Participant", SimpleNamespace(window=None))
"""Whom prompts are built for: a record does not tell how much room a model had, and cut prompts cache worse."""


def worth(result: Result) -> Worth:
    """Return the benefit and cost of a session so far, with what was learnt elsewhere; no model is called."""
    alone = _alone(result)
    if result.learnt == NOTHING_LEARNT:
        return alone
    told = derive(result.record, catalog.definition_of(result.record.opening), result.learnt)
    return replace(told, first=alone.first, caching=alone.caching)  # these take a rerun, and no history changes them


def _alone(result: Result) -> Worth:
    """Return the worth of a session by itself; the record of a damaged journal ends early, so its worth is not kept."""
    if result.damage is not None:
        return _derived(result.record, NOTHING_LEARNT)
    head = result.entries[-1].hash
    with _keeping:
        alone = _kept.get(head)
    if alone is None:
        alone = _derived(result.record, NOTHING_LEARNT)
    with _keeping:
        _kept[head] = alone
        _kept.move_to_end(head)
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return alone


def worth_again(record: Record, told: Mapping[str, Any]) -> dict[str, Any]:
    """Compute again what a bundle says about its worth; what was learnt elsewhere is taken from the bundle.

    What another version wrote is taken as it is: prompts, counts and sentences may have changed since.
    """
    if told.get("by") != maker():
        return dict(told)
    measured = (told.get("votes") or {}).get("measured")
    learnt = Learnt(
        None
        if measured is None
        else MeasuredCorrelation(Fraction(measured["phi"]), measured["items"], measured["says"]),
        dict(told["truth"]),
    )
    return worth_data(_derived(record, learnt))


def _derived(record: Record, learnt: Learnt) -> Worth:
    found = catalog.definition_of(record.opening)
    voices = found.judging.voters(record.protocol) if found.judging is not None else record.protocol.seats
    caching = cacheable_share(record, tuple(map(str, voices)))
    return derive(record, found, learnt, _ruled(record, found), caching)


def _ruled(record: Record, found: Definition) -> FirstRoundVerdict | None:
    """Decide the session again as one of a single round, from the replies it would have had.

    None if it would have asked something else, or shown a seat other words: then its verdict is unknown.
    """
    judging, settings = found.judging, record.protocol.settings
    if record.session.conclusion is None or judging is None or judging.answer is not None or ROUNDS not in settings:
        return None
    if not any(is_voter(record, judging, str(each.seat)) for each in found.positions(record)):
        return None
    try:
        once = replace(record.opening, settings={**settings, ROUNDS: 1})
        built = catalog.rebuild(once, record.protocol.briefs)
    except QuorateError:
        return None  # a setting of several rounds that one round does not allow
    opening = replace(once, digest=protocol_digest(built), settings=dict(built.settings))
    play = Play(Record(built, opening, record.material), Recording(record))
    play.meet()
    conclusion = play.record.session.conclusion
    if conclusion is None or play.otherwise or play.interruptions:
        return None
    taken = [line.envelope for line in play.record.log if isinstance(line, Said)]
    tokens = sum(each.tokens_in + each.tokens_out for each in taken)
    return FirstRoundVerdict(
        conclusion.verdict.name, tokens, len(taken) == sum(isinstance(line, Said) for line in record.log)
    )


# Prompts


def prompts(record: Record) -> Iterator[Prompted]:
    """Yield every prompt that a model or a script was sent, as if its context window had room for everything."""
    models = {line.ask.id: line.envelope.model for line in record.log if isinstance(line, Said)}
    again = Record(record.protocol, record.opening, record.material)
    told: set[AskId] = set()
    for event, envelope in (*record.events(), (None, None)):
        for ask in again.session.open:
            if ask.id not in told:
                told.add(ask.id)
                model = models.get(ask.id) or record.opening.panel.get(ask.seat, "")
                if _reads(record, str(ask.seat)):
                    request, _ = request_of(again, ask, _ROOMY, None)
                    text = f"{request.prompt.system}\n{request.prompt.user}"
                    round_, moment = again.protocol.round(again.session.state), int(ask.id.partition(".")[0])
                    form = json.dumps(request.schema, ensure_ascii=False)
                    yield Prompted(str(ask.seat), model, round_, moment, form, text)
        if event is not None and envelope is not None:
            again.take(event, envelope)


def cacheable_share(record: Record, voices: tuple[str, ...]) -> Cacheable | None:
    """Return the share of prompt text that repeats earlier prompts to the same model; None if there were none."""
    asked = sum(isinstance(line, Asked) and _reads(record, str(line.ask.seat)) for line in record.log)
    first = (each for each, _ in zip(prompts(record), range(MOST_PROMPTS), strict=False))
    return cacheable(first, voices, asked) if asked else None


def _reads(record: Record, seat: str) -> bool:
    """Whether a model, or a script in place of one, sits there: panels name these `provider:model`."""
    return ":" in record.opening.panel.get(seat, "")
