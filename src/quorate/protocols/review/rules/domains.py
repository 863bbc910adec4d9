"""The finite domains of replies that `verify` explores, each with the argument why it is sufficient."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from itertools import product

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question, Seat
from quorate.kit.findings import Severity
from quorate.protocols.review.rules.ballot_count import FILE, holds_veto
from quorate.protocols.review.rules.forms import (
    Agreement,
    Amendment,
    Ballot,
    ClaimJudgement,
    ClaimJudgements,
    Compromise,
    Doubt,
    Doubts,
    Examination,
    FixItem,
    Kept,
    Mediation,
    Offer,
    ReadPart,
    Reported,
    Tabling,
)
from quorate.protocols.review.rules.hits import Answer, Hit, HitKind, Hits, Refutation
from quorate.protocols.review.rules.model import (
    BUSINESS_DRIVER,
    WHOLE,
    Action,
    Judgement,
    ReviewSettings,
    Rule,
    Stance,
    Standing,
    VetoClass,
    file_keys,
)
from quorate.protocols.review.rules.parts import Part, Span

TEXT, NONE = Prose("text"), Prose("")
RECEIPT = Prose('{"files": [{"key": "F1", "path": "a.py", "status": "modified", "added": 1, "removed": 0}]}')
CLAIM = {"id": "even", "scope": "a.py", "claim": "x is even", "observable": "a test", "expected": "green"}
MATERIAL: Mapping[str, str] = {
    "change": "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "checks": "{}",
    "claims": json.dumps([CLAIM]),
}
"""A change of one file and the one claim about it, as the replies above speak of them."""
PLAIN = Part(1, False, (Span(1, 1, 1),))
SENSITIVE = Part(2, True, (Span(1, 2, 2),))
WHOLE_SENSITIVE = Part(1, True, (Span(1, 1, 1),))
SMALL, FEW = 2, 3
"""Members or rounds, and both together, up to which more and all kinds of ballot are walked for every member."""
MOST_APART = 2
"""Items up to which the skeptic's answers are walked in every combination."""


def ballot(
    stance: Stance,
    confidence: int,
    *items: FixItem,
    veto: VetoClass = VetoClass.NONE,
    groundless: bool = False,
    taken_back: tuple[Key, ...] = (),
    whole: bool = True,
) -> Ballot:
    """Return a ballot with its prose already marked, as if parsed from a reply."""
    return Ballot(TEXT, items, taken_back, TEXT, veto, confidence, stance, groundless, whole)


def item(path: Key, rule: Rule, severity: Severity, unfounded: bool = False, grounded: bool = True) -> FixItem:
    return FixItem(path, rule, TEXT, TEXT, TEXT, severity, unfounded, grounded)


def examined(
    found: tuple[Reported, ...],
    kept: tuple[Kept, ...] = (),
    passed: tuple[VetoClass, ...] = (),
    claims: int = 0,
    parts: tuple[Part, ...] = (PLAIN,),
    beyond: int = 0,
    divided: bool = False,
) -> Examination:
    """Return the report of the checks on a change of one file in these parts; more than one make it a large one."""
    hunks = max((span.last for part in parts for span in part.spans), default=1)
    large = divided or len(parts) > 1
    return Examination(RECEIPT, NONE, found, 1, claims, True, passed, kept, large, hunks, parts, beyond)


def _below(severity: Severity) -> Severity | None:
    worse_first = list(Severity)
    place = severity.rank + 1
    return worse_first[place] if place < len(worse_first) else None


class _Ballots:
    """The ballots of a committee of some size under some settings."""

    def __init__(self, settings: ReviewSettings) -> None:
        self.settings = settings
        self.sure, self.small = settings.abstain_below, len(settings.members) <= SMALL
        self.every = len(settings.members) + settings.rounds <= FEW
        without = [seat for seat in map(Seat, settings.members) if not holds_veto(settings, seat)]
        driver = [seat for seat in without if seat == BUSINESS_DRIVER]  # nobody is like it, so nobody is set apart
        self.carrier = (*driver, *without, Seat(settings.members[0]))[0]

    def __call__(self, question: Question) -> tuple[Ballot, ...]:
        holder = holds_veto(self.settings, question.seat)
        mine = tuple(key for key in question.keys if not key.startswith(FILE))
        found = [ballot(stance, self.sure) for stance in (Stance.SYNTHESIS, Stance.OPPOSE, Stance.ABSTAIN)]
        if self.every or question.seat == self.carrier:
            found += self._items(mine)
        if holder or (self.small and not mine):  # without the right it is an item, of which one at a time will do
            found.append(ballot(Stance.VETO, self.sure, veto=VetoClass.RULE_VIOLATION))
        if holder:
            found.append(ballot(Stance.VETO, self.sure, veto=VetoClass.SECURITY_HOLE))
        if self.small and self.settings.rounds <= SMALL and holder and not mine:
            found.append(ballot(Stance.VETO, self.sure - 1, veto=VetoClass.SECURITY_HOLE))
        return (*found, *self._odd(question, mine)) if self.every else tuple(found)

    def _items(self, mine: tuple[Key, ...]) -> list[Ballot]:
        """Return the ballots that raise an item where the member has none, and take its own back where it has."""
        if mine:
            return [ballot(Stance.SYNTHESIS, self.sure, taken_back=mine[:1])]
        return [ballot(Stance.SYNTHESIS, self.sure, item(WHOLE, Rule.TESTS, self.settings.blocking_severity))]

    def _odd(self, question: Question, mine: tuple[Key, ...]) -> list[Ballot]:
        """Return ballots that count like others, explored only if that is cheap."""
        severity, last = self.settings.blocking_severity, file_keys(len(question.keys) - len(mine) - 1)[-1]
        worst = item(last, Rule.SECURITY, Severity.CRITICAL)
        odd = [
            ballot(Stance.OPPOSE, self.sure, worst, item(last, Rule.SECURITY, severity)),
            ballot(Stance.SYNTHESIS, self.sure, item(last, Rule.SECURITY, severity, grounded=False)),
            ballot(Stance.SYNTHESIS, self.sure, item(last, Rule.TESTS, severity, unfounded=True)),
            ballot(Stance.SYNTHESIS, self.sure, whole=False),
            ballot(Stance.VETO, self.sure, veto=VetoClass.NONE),
            ballot(Stance.VETO, self.sure, veto=VetoClass.HARD_CODED_SECRET, groundless=True),
        ]
        if self.settings.abstain_below > 0:
            odd.append(ballot(Stance.SYNTHESIS, self.sure - 1))
            odd.append(ballot(Stance.VETO, self.sure - 1, veto=VetoClass.SECURITY_HOLE))
            odd.append(ballot(Stance.VETO, self.sure - 1, veto=VetoClass.SECURITY_HOLE, groundless=True))
        if (note := _below(severity)) is not None:
            odd.append(ballot(Stance.SYNTHESIS, self.sure, item(last, Rule.STYLE, note)))
        if mine:
            odd.append(ballot(Stance.ABSTAIN, 0, taken_back=mine))
        return odd

    def why(self) -> str:
        """Return the argument why the domain is sufficient, the same for every committee size."""
        every = (
            "a ballot counts by what its stance comes to (R7, R8), by the class of its veto (deferred or never), "
            "and by what it does with items: each stands or ends by itself (R39), so that one which is raised, kept "
            "and taken back shows them all"
        )
        if self.every:
            return every + "; here with every ballot that is counted as another one"
        return every + f"; an item counts the same whoever carries it, so {self.carrier} does"


def domains(settings: ReviewSettings) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form under these settings."""
    ballots = _Ballots(settings)
    few, alone = len(settings.members) <= SMALL, len(settings.members) == 1
    blocking, note = settings.blocking_severity, _below(settings.blocking_severity)

    def examinations(question: Question) -> tuple[Examination, ...]:
        def reported(severity: Severity, veto: VetoClass = VetoClass.NONE) -> tuple[Reported, ...]:
            return (Reported(TEXT, TEXT, severity, TEXT, 1, TEXT, TEXT, TEXT, TEXT, veto, 0, TEXT, 1, Rule.SECURITY),)

        results: list[tuple[Reported, ...]] = [(), reported(blocking)]
        results.append(reported(Severity.LOW, VetoClass.HARD_CODED_SECRET))
        if few and note is not None:
            results.append(reported(note))
        claims = (0, 1) if alone or (few and settings.rounds == 1) else (0,)
        kept = tuple(Kept(key, 1) for key in question.keys)
        made = partial(examined, divided=settings.narrow)
        done = [made(found, kept, claims=count) for found in results for count in claims]
        done.append(made((), kept, beyond=1))
        if few:
            done += [made((), kept, parts=(WHOLE_SENSITIVE,)), made((), kept, parts=())]
            done.append(made((), kept, (VetoClass.HARD_CODED_SECRET,)))
        if settings.narrow or len(settings.members) + settings.rounds <= FEW:
            done += [made(found, kept, parts=(PLAIN, SENSITIVE)) for found in results[:3]]
        if kept:
            done.append(made((), kept[1:]))
        return (*done, Examination(TEXT, TEXT, (), 0, 0, False, (), (), False, 0, (), 0))

    def read(question: Question) -> tuple[ReadPart, ...]:
        raised = item(question.keys[-1], Rule.TESTS, blocking)
        return (ReadPart(TEXT, (), True), ReadPart(TEXT, (raised,), True), ReadPart(TEXT, (), False))

    def hits(question: Question) -> tuple[Hits, ...]:
        first, last = question.keys[0], question.keys[-1]
        worst = Hit(last, TEXT, HitKind.ATTACK, False)
        blank = Hit(first, NONE, HitKind.WRONG_RESULT, True)
        found = (Hits((), True), Hits((worst,), True), Hits((blank, Hit(first, TEXT, HitKind.LEAK, False)), True))
        return (*found, Hits((), False), Hits((worst,), False))

    def refutations(question: Question) -> tuple[Refutation, ...]:
        return tuple(Refutation(TEXT, each) for each in Answer)

    def judgements(question: Question) -> tuple[ClaimJudgements, ...]:
        given = [Keyed({key: ClaimJudgement(TEXT, each) for key in question.keys}) for each in Judgement]
        return tuple(ClaimJudgements(each) for each in (Keyed[ClaimJudgement](), *given))

    def compromises(question: Question) -> tuple[Compromise, ...]:
        def offer(incomplete: bool) -> Offer:
            return Offer(TEXT, TEXT, TEXT, 1, Action.DEFER_AS_DEBT, incomplete)

        whole = dict.fromkeys(question.keys, offer(False))
        ways = [whole, {}, {**whole, question.keys[-1]: offer(True)}, dict.fromkeys(question.keys[1:], offer(False))]
        return tuple(dict.fromkeys(Compromise(TEXT, Keyed(way)) for way in ways))

    def doubts(question: Question) -> tuple[Doubts, ...]:
        kinds = (
            (Doubt(TEXT, TEXT, Standing.CONFIRMED), False),
            (Doubt(TEXT, TEXT, Standing.REFUTED), True),
            (Doubt(TEXT, TEXT, Standing.REFUTED), False),
            None,
        )
        if len(question.keys) <= MOST_APART:
            ways = list(product(kinds, repeat=len(question.keys)))
        else:  # all alike, and each alone against all others
            alike = [(kind,) * len(question.keys) for kind in kinds]
            refuted, kept = kinds[1], kinds[2]
            keys = range(len(question.keys))
            ways = alike + [tuple(refuted if at == one else kept for at in keys) for one in keys]
            ways += [tuple(kept if at == one else refuted for at in keys) for one in keys]
        given = [{key: kind for key, kind in zip(question.keys, way, strict=True) if kind} for way in ways]
        return tuple(
            dict.fromkeys(
                Doubts(Keyed({key: doubt for key, (doubt, _) in each.items()}), tuple(k for k in each if each[k][1]))
                for each in given
            )
        )

    one = "what it says is prose, which decides nothing"
    narrow: dict[type[Reply], Domain] = {
        Hits: Domain(
            hits,
            "whether all of it was shown, and hits that block, that are notes and that are of least weight; a hit "
            "counts by rule and severity alone, whatever its line",
            True,
        ),
        Refutation: Domain(refutations, "every answer; hits do not meet", True),
    }
    return (narrow if settings.narrow else {}) | {
        Tabling: Domain(lambda _: (Tabling(TEXT, ()),), one, True),
        Examination: Domain(
            examinations,
            "only whether a finding blocks or proves a veto counts, and which parts there are to be read; a part is "
            "read or not whoever reads it, so parts are walked with few members and rounds"
            + (
                ""
                if alone
                else "; claims are judged apart from ballots, and are walked with one member, and with two in one round"
            ),
            True,
        ),
        ReadPart: Domain(read, "whether all of it was shown, and whether an item blocks", True),
        Ballot: Domain(ballots, ballots.why(), True),
        ClaimJudgements: Domain(judgements, "of one claim, every judgement and none; claims do not meet", True),
        Mediation: Domain(lambda _: (Mediation(TEXT, TEXT),), one, True),
        Amendment: Domain(lambda _: (Amendment(TEXT, TEXT, False), Amendment(TEXT, TEXT, True)), "blank or not", True),
        Compromise: Domain(compromises, "only whether every veto has a complete offer counts", True),
        Doubts: Domain(
            doubts,
            "each item stays, is confirmed or is refuted with a quotation, in every combination of two; items do not "
            "meet, so that of more all are alike, or one is not",
            True,
        ),
        Agreement: Domain(lambda _: (Agreement(TEXT, ()),), one, True),
    }
