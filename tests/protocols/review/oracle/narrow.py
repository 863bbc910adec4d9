"""The narrow review a second time, from R50 to R54: what is asked, what a hit weighs, and what nobody refuted."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.decisions import Fact
from quorate.core.forms import Key
from quorate.core.types import Absent
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.forms import ClaimJudgements, FixItem, ReadPart
from quorate.protocols.review.rules.hits import Hit, Hits, Refutation
from quorate.protocols.review.rules.model import Outcome, Phase, Rule
from quorate.protocols.review.rules.parts import Part
from tests.protocols.review.oracle.recount import M, Recount, judged, told_of_notes

WEIGHTS = {
    "attack": (Rule.SECURITY, Severity.CRITICAL),
    "lost data": (Rule.DATA_LOSS, Severity.CRITICAL),
    "wrong result": (Rule.CORRECTNESS, Severity.HIGH),
    "crash": (Rule.CORRECTNESS, Severity.HIGH),
    "race": (Rule.CONCURRENCY, Severity.HIGH),
    "hidden error": (Rule.ERROR_HANDLING, Severity.MEDIUM),
    "leak": (Rule.OPERATIONS, Severity.MEDIUM),
}
STANDS_AS = {"holds": "confirmed", "does not hold": "refuted", "cannot tell": "plausible"}


def is_narrow(recount: Recount) -> bool:
    return recount.settings.style.value == "narrow"


def lines_of(part: Part) -> tuple[Key, ...]:
    return tuple(Key(f"L{number}") for span in part.spans for number in range(span.first, span.last + 1))


def said_by(part: Part, reply: object) -> Iterator[tuple[Key, Rule, Severity, bool, bool]]:
    """Yield what a reader says of its part: file, rule, severity, whether it is unfounded, whether it has ground."""
    for each in reply.items if isinstance(reply, ReadPart) else reply.hits if isinstance(reply, Hits) else ():
        yield _of_item(each) if isinstance(each, FixItem) else _of_hit(part, each)


def _of_item(item: FixItem) -> tuple[Key, Rule, Severity, bool, bool]:
    return item.path, item.rule, item.severity, item.unfounded, item.quoted


def _of_hit(part: Part, hit: Hit) -> tuple[Key, Rule, Severity, bool, bool]:
    file = next(s.file for s in part.spans if hit.line in [f"L{n}" for n in range(s.first, s.last + 1)])
    return Key(f"F{file}"), *WEIGHTS[hit.kind.value], hit.unfounded, True


def answered(recount: Recount, moment: M) -> bool:
    """The change counts as answered from the first usable answer on that counts, until another is examined (R53)."""
    before, after = moment.state.answered, moment.after.answered
    if not is_narrow(recount) or moment.outcome in (Outcome.EXAMINED, Outcome.AMENDED):
        return not after
    mute = recount.settings.unqualified_seats
    told = [ask.seat for ask, reply in moment.replies if isinstance(reply, Hits) and reply.whole]
    return after == (before or any(seat not in mute for seat in told))


def put_together(recount: Recount, moment: M) -> bool:
    """Without ballots it is agreed what all was answered for; without an answer there is no quorum (R53, R54)."""
    before, after = moment.state, moment.after
    if moment.phase is not Phase.DEBATE or not is_narrow(recount) or moment.outcome is Outcome.CRITICAL_FLAW:
        return True
    unread = bool(before.unread) or before.gap
    all_read = before.answered and not unread
    wanted = (before.answered, not before.answered, unread, False)
    told = (after.quorate, after.deserted, after.absent, after.opposed)
    return told == wanted and moment.outcome is (Outcome.CONSENSUS if all_read else Outcome.ABSTENTION)


def narrow_facts(recount: Recount, moment: M) -> Iterator[Fact]:
    """Yield what the record is told where answers are put together: nothing but how claims were judged."""
    yield from told_of_notes(recount.settings, moment)
    if any(ask.form is ClaimJudgements for ask in moment.asks):
        for key, each in judged(recount.settings, moment):
            yield Fact.of("claim unmet", key=key, judgement=each.value)


def answers_to_hits(moment: M) -> dict[Key, str]:
    """Return how each hit stands of which the skeptic said something (R52)."""
    heard = [(ask, reply) for ask, reply in moment.replies if isinstance(reply, Refutation)]
    return {ask.keys[0]: STANDS_AS[reply.answer.value] for ask, reply in heard}


def refutes(moment: M, key: Key) -> bool:
    return answers_to_hits(moment).get(key) == "refuted"


def skeptic_missing(moment: M) -> bool:
    return any(isinstance(reply, Absent) for _, reply in moment.replies)
