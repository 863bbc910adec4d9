"""Scores of a review of one change: whether the planted fault was found, false alarms, and how well replies were made.

A claim stands where its evidence begins in the new file; where that is not to be found, at the line that it names. The
fault of a faulty twin is found

- *strictly* by a claim about its file that stands at most two lines from it;
- *leniently* by such a claim, and by one that names its file or none, its function and a word of its kind.

Of a clean twin every blocking claim is a false alarm.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass

from quorate import catalog
from quorate.core.forms import LEAST_QUOTED, Prose
from quorate.core.record import PERSON, Envelope, Record, Said
from quorate.core.types import Absent, AbsentReason
from quorate.kit.ground import is_grounded, quotations, squeezed
from quorate.lab.bench import baseline
from quorate.lab.bench.baseline import ClaimsReply
from quorate.lab.bench.corpus import ChangeItem, Planted

NEAR = 2
"""Lines that a claim may be off."""
KIND_WORDS: Mapping[Planted, tuple[str, ...]] = {
    Planted.OFF_BY_ONE: ("off-by-one", "off by one", "one too", "one more", "one less", "boundar", "inclusive", "last"),
    Planted.MISSING_AWAIT: ("await", "promise", "coroutine", "goroutine", "wait"),
    Planted.ROUNDING: ("round", "truncat", "integer division", "cut off"),
    Planted.INJECTION: ("inject", "escap", "saniti", "parameteri", "xss", "shell"),
    Planted.LOST_UPDATE: ("race", "concurren", "atomic", "lost", "overwrit", "stale", "simultaneous"),
    Planted.SWAPPED: ("swap", "order of", "wrong order", "revers", "wrong way round", "transpos"),
    Planted.AUTHORISATION: ("authori", "permission", "owner", "access", "role", "forbidden"),
    Planted.DEFAULT: ("default",),
    Planted.LEAK: ("leak", "close", "release", "finally", "exhaust"),
    Planted.TIMEZONE: ("timezone", "time zone", "utc", "local time"),
    Planted.NULL: ("null", "none", "nil", "undefined"),
    Planted.SWALLOWED: ("swallow", "ignor", "silent", "suppress", "discard", "unnoticed"),
}
"""Beginnings of words by which a claim names a kind of fault."""


@dataclass(frozen=True, slots=True)
class ReviewClaim:
    """One thing that a method says is wrong with a change."""

    path: str
    line: int
    """Where it stands, from 1; 0 where it has no place."""
    text: str
    blocking: bool
    by_check: bool = False
    """A deterministic check says so, and no participant."""


@dataclass(frozen=True, slots=True)
class ReviewScore:
    """How one method did on one change."""

    strict: bool
    lenient: bool
    stopped: bool
    """It was found strictly by a claim that blocks."""
    claims: int
    blocking: int
    """Of a clean twin: false alarms."""
    by_checks: int
    """Blocking claims of deterministic checks."""


def score(item: ChangeItem, claims: Sequence[ReviewClaim]) -> ReviewScore:
    """Score the claims of a method on a change."""
    near = [claim for claim in claims if item.faulty and _is_near(item, claim)]
    blocking = [claim for claim in claims if claim.blocking]
    return ReviewScore(
        strict=bool(near),
        lenient=bool(near) or any(item.faulty and names_fault(item, claim) for claim in claims),
        stopped=any(claim.blocking for claim in near),
        claims=len(claims),
        blocking=len(blocking),
        by_checks=sum(claim.by_check for claim in blocking),
    )


def _is_near(item: ChangeItem, claim: ReviewClaim) -> bool:
    return claim.path == item.twins.path and claim.line > 0 and abs(claim.line - item.twins.line) <= NEAR


def names_fault(item: ChangeItem, claim: ReviewClaim) -> bool:
    """Whether a claim names the fault's function and, beside that, a word of its kind, and no other file."""
    if claim.path not in ("", item.twins.path):
        return False
    rest, named = re.subn(rf"(?<!\w){re.escape(item.twins.function)}(?!\w)", "", claim.text)
    words = "|".join(map(re.escape, KIND_WORDS[item.twins.kind]))
    return named > 0 and re.search(rf"(?<!\w)(?:{words})", rest, re.IGNORECASE) is not None


# Claims


def claims_in(record: Record, item: ChangeItem) -> tuple[ReviewClaim, ...]:
    """Return what a session claims: the findings of a protocol, or those of a plain reviewer."""
    text = item.twins.faulty if item.faulty else item.twins.clean
    if record.opening.protocol == baseline.NAME:
        replies = [line.reply for line in record.log if isinstance(line, Said) and isinstance(line.reply, ClaimsReply)]
        return tuple(_plain_claim(each, text) for reply in replies for each in reply.findings)
    definition = catalog.definition_of(record.opening)
    assert definition.findings is not None  # a method without findings is refused before it runs
    found = []
    for each in definition.findings(record):
        words = " ".join((each.rule, each.message, each.evidence, each.consequence, each.action))
        line = place_of(each.evidence, text, each.line) if each.path else each.line
        found.append(ReviewClaim(each.path, line, words, each.blocking, each.source == "check"))
    return tuple(found)


def _plain_claim(claim: baseline.PlainClaim, text: str) -> ReviewClaim:
    words = f"{claim.evidence.text} {claim.consequence.text}"
    return ReviewClaim(str(claim.path), place_of(claim.evidence.text, text, claim.line), words, claim.blocking)


def place_of(evidence: str, text: str, named: int) -> int:
    """Return the line in which the evidence begins, the nearest to the named one; that one if it is not found."""
    starts, bare = [], ""
    for line in text.splitlines():
        starts.append(len(bare))
        bare += squeezed(line)
    for pieces in quotations(evidence):
        if all(piece in bare for piece in pieces):
            lines = [bisect_right(starts, hit.start()) for hit in re.finditer(re.escape(pieces[0]), bare)]
            return min(lines, key=lambda line: abs(line - named))
    return named


def voted_claims(calls: Sequence[Sequence[ReviewClaim]]) -> tuple[ReviewClaim, ...]:
    """Return the claims whose place more than half of the calls name; blocking where so many say that it blocks."""
    kept: list[ReviewClaim] = []
    for claim in (claim for call in calls for claim in call):
        alike = [[each for each in call if _same_place(each, claim)] for call in calls]
        if any(_same_place(each, claim) for each in kept) or 2 * sum(map(bool, alike)) <= len(calls):
            continue
        blocked = sum(any(each.blocking for each in call) for call in alike)
        text = " ".join(each.text for call in alike for each in call)
        kept.append(ReviewClaim(claim.path, claim.line, text, 2 * blocked > len(calls)))
    return tuple(kept)


def _same_place(one: ReviewClaim, other: ReviewClaim) -> bool:
    return one.path == other.path and abs(one.line - other.line) <= NEAR


# Replies

LEAST_WORDS = 8
"""Words from which a text is taken for more than a label."""
LEAST_SENTENCE = 12
"""Characters without white space from which a sentence counts as one that may be repeated."""
TIMES = 3
"""A sentence that stands so often in one text is a loop."""
QUOTING = frozenset({"evidence", "quotation", "veto_evidence"})
"""The names by which forms ask for a quotation from the material."""
_ENDS = re.compile(r"[.!?…。:;][\s\"'”’»)\]}*_`]*\Z|```\s*\Z")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n+")
_REPAIRED = re.compile(r"(?:\A|; )repaired \d+ times?(?:;|\Z)")


@dataclass(frozen=True, slots=True)
class ReplyCounts:
    """How the replies of models were made."""

    replies: int = 0
    """Replies that came, whether they fitted or not."""
    at_once: int = 0
    """Those that fitted their form at the first try."""
    repaired: int = 0
    """Those that fitted after a repair."""
    absent: int = 0
    """Asks to which no reply came: nobody was reached, it took too long, or it was refused."""
    texts: int = 0
    """Texts of at least eight words, quotations aside."""
    cut: int = 0
    """Those of them that do not end as a sentence does."""
    loops: int = 0
    """Texts in which a sentence stands three times."""
    quotations: int = 0
    invented: int = 0
    """Quotations that are not in the change."""


def reply_counts(records: Iterable[Record], material: str) -> ReplyCounts:
    """Count the replies of all sessions of a method on one change, those of checks and people aside."""
    counted = Counter[str]()
    for record in records:
        for line in record.log:
            if not isinstance(line, Said) or line.ask.seat in record.protocol.checks or line.envelope.model == PERSON:
                continue
            counted.update(_of_reply(line, material))
    return ReplyCounts(**counted)


def _of_reply(line: Said, material: str) -> Iterator[str]:
    if isinstance(line.reply, Absent):
        yield "replies" if line.reply.reason is AbsentReason.MALFORMED else "absent"
        return
    yield from ("replies", "repaired" if _REPAIRED.search(line.envelope.detail) else "at_once")
    for name, text in texts_of(line.reply):
        if name not in QUOTING:
            if len(text.split()) >= LEAST_WORDS:
                yield "texts"
                yield from ["cut"] * is_cut(text)
            yield from ["loops"] * is_loop(text)
        elif len(squeezed(text)) >= LEAST_QUOTED:
            yield "quotations"
            yield from ["invented"] * (not is_grounded(Prose(text), material))


def texts_of(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a filled-in form with the name of its field."""
    if isinstance(value, Prose):
        yield name, value.text
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_of(each, name)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_of(each, name)
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts_of(getattr(value, field.name), field.name)


def is_cut(text: str) -> bool:
    """Whether a text ends in the middle of a sentence."""
    return _ENDS.search(text.rstrip()) is None


def is_loop(text: str) -> bool:
    """Whether a sentence stands three times in a text."""
    sentences = Counter(squeezed(each) for each in _SENTENCE.split(text))
    return any(count >= TIMES and len(each) >= LEAST_SENTENCE for each, count in sentences.items())


def busy(envelopes: Iterable[Envelope]) -> int:
    """Return for how many milliseconds at least one ask was waiting for its reply."""
    spans = sorted((each.at - each.elapsed, each.at) for each in envelopes if each.elapsed)
    total = reached = 0
    for start, end in spans:
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total
