"""Worth of a session: computed from its record, a replay as a single round, and its rebuilt prompts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from threading import Lock
from typing import Any

from quorate import catalog
from quorate.api.prompts import cacheable_share
from quorate.api.recorded_answers import Play, Recording
from quorate.api.sessions import Result
from quorate.codec import protocol_digest
from quorate.core.errors import QuorateError
from quorate.core.record import Record, Said
from quorate.kit.definition import Definition
from quorate.worth.first_round import Ruled, is_voter
from quorate.worth.votes import Measured
from quorate.worth.worth import NOTHING_LEARNT, Learnt, Worth, maker, worth_data
from quorate.worth.worth import worth as derive

ROUNDS = "rounds"
"""The setting that says how many rounds there are, where a protocol has it."""
MOST_KEPT = 16
_kept: OrderedDict[str, Worth] = OrderedDict()
"""By the hash that a journal ends in, which says all that it depends on: reports, page and summary need the same."""
_keeping = Lock()
"""Pages of long sessions are made in threads."""


def worth(result: Result) -> Worth:
    """Return the benefit and cost of a session so far, with what was learnt elsewhere; no model is called."""
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
    if result.learnt == NOTHING_LEARNT:
        return alone
    told = derive(result.record, catalog.definition(result.record.opening.protocol), result.learnt)
    return replace(told, first=alone.first, caching=alone.caching)  # these take a rerun, and no history changes them


def worth_again(record: Record, told: Mapping[str, Any]) -> dict[str, Any]:
    """Compute again what a bundle says about its worth; what was learnt elsewhere is taken from the bundle.

    What another version wrote is taken as it is: prompts, counts and sentences may have changed since.
    """
    if told.get("by") != maker():
        return dict(told)
    measured = (told.get("votes") or {}).get("measured")
    learnt = Learnt(
        None if measured is None else Measured(Fraction(measured["phi"]), measured["items"], measured["says"]),
        dict(told["truth"]),
    )
    return worth_data(_derived(record, learnt))


def _derived(record: Record, learnt: Learnt) -> Worth:
    found = catalog.definition(record.opening.protocol)
    voices = found.judging.voters(record.protocol) if found.judging is not None else record.protocol.seats
    caching = cacheable_share(record, tuple(map(str, voices)))
    return derive(record, found, learnt, _ruled(record, found), caching)


def _ruled(record: Record, found: Definition) -> Ruled | None:
    """Decide the session again as one of a single round, from the replies it would have had.

    None if it would have asked something else, or shown a seat other words: then its verdict is unknown.
    """
    judging, settings = found.judging, record.protocol.settings
    if record.session.conclusion is None or judging is None or judging.answer is not None or ROUNDS not in settings:
        return None
    if not any(is_voter(record, judging, str(each.seat)) for each in found.positions(record)):
        return None
    try:
        built = catalog.build(
            found.name, {**settings, ROUNDS: 1}, seed=record.opening.seed, kept=record.protocol.briefs
        )
    except QuorateError:
        return None  # a setting of several rounds that one round does not allow
    opening = replace(record.opening, digest=protocol_digest(built), settings=dict(built.settings))
    play = Play(Record(built, opening, record.material), Recording(record))
    play.meet()
    conclusion = play.record.session.conclusion
    if conclusion is None or play.otherwise or play.interruptions:
        return None
    taken = [line.envelope for line in play.record.log if isinstance(line, Said)]
    tokens = sum(each.tokens_in + each.tokens_out for each in taken)
    return Ruled(conclusion.verdict.name, tokens, len(taken) == sum(isinstance(line, Said) for line in record.log))
