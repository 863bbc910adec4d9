"""The finite domains of replies that `verify` explores, each with the argument why it is sufficient."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import product

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question, Seat
from quorate.kit.findings import Severity
from quorate.protocols.review.version_1.rules.ballot_count import holds_veto
from quorate.protocols.review.version_1.rules.forms import (
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
    Mediation,
    Offer,
    Reported,
    Tabling,
)
from quorate.protocols.review.version_1.rules.model import (
    BUSINESS_DRIVER,
    WHOLE,
    Action,
    Judgement,
    ReviewSettings,
    Rule,
    Stance,
    Standing,
    VetoClass,
)

TEXT = Prose("text")
RECEIPT = Prose('{"files": [{"key": "F1", "path": "a.py", "status": "modified", "added": 1, "removed": 0}]}')
CLAIM = {"id": "even", "scope": "a.py", "claim": "x is even", "observable": "a test", "expected": "green"}
MATERIAL: Mapping[str, str] = {
    "change": "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
    "checks": "{}",
    "claims": json.dumps([CLAIM]),
}
"""A change of one file and the one claim about it, as the replies above speak of them."""
SMALL = 2
"""Members up to which every kind of ballot is walked for every member."""


def ballot(
    stance: Stance,
    confidence: int,
    *items: FixItem,
    veto: VetoClass = VetoClass.NONE,
    groundless: bool = False,
) -> Ballot:
    """Return a ballot with its prose already marked, as if parsed from a reply."""
    return Ballot(TEXT, items, TEXT, veto, confidence, stance, groundless)


def item(path: Key, rule: Rule, severity: Severity, unfounded: bool = False) -> FixItem:
    return FixItem(path, rule, TEXT, TEXT, TEXT, severity, unfounded, True)


def _below(severity: Severity) -> Severity | None:
    worse_first = list(Severity)
    place = severity.rank + 1
    return worse_first[place] if place < len(worse_first) else None


class _Ballots:
    """The ballots of a committee of some size under some settings."""

    def __init__(self, settings: ReviewSettings) -> None:
        self.settings = settings
        self.sure, self.small = settings.abstain_below, len(settings.members) <= SMALL
        without = [seat for seat in map(Seat, settings.members) if not holds_veto(settings, seat)]
        driver = [seat for seat in without if seat == BUSINESS_DRIVER]  # nobody is like it, so nobody is set apart
        self.carrier = (*driver, *without, Seat(settings.members[0]))[0]

    def __call__(self, question: Question) -> tuple[Ballot, ...]:
        holder = holds_veto(self.settings, question.seat)
        found = [ballot(stance, self.sure) for stance in (Stance.SYNTHESIS, Stance.OPPOSE, Stance.ABSTAIN)]
        if self.small or question.seat == self.carrier:
            found.append(ballot(Stance.SYNTHESIS, self.sure, item(WHOLE, Rule.TESTS, self.settings.blocking_severity)))
        if self.small or holder:
            found.append(ballot(Stance.VETO, self.sure, veto=VetoClass.RULE_VIOLATION))
        if holder:
            found.append(ballot(Stance.VETO, self.sure, veto=VetoClass.SECURITY_HOLE))
        return (*found, *self._odd(question)) if self.small else tuple(found)

    def _odd(self, question: Question) -> list[Ballot]:
        """Return ballots that count like others, explored only if that is cheap."""
        severity, last = self.settings.blocking_severity, question.keys[-1]
        odd = [
            ballot(Stance.SYNTHESIS, self.sure, item(WHOLE, Rule.TESTS, Severity.CRITICAL)),
            ballot(Stance.OPPOSE, self.sure, item(last, Rule.SECURITY, Severity.CRITICAL)),
            ballot(Stance.SYNTHESIS, self.sure, item(last, Rule.TESTS, severity, unfounded=True)),
            ballot(Stance.VETO, self.sure, veto=VetoClass.NONE),
            ballot(Stance.VETO, self.sure, veto=VetoClass.HARD_CODED_SECRET, groundless=True),
        ]
        if self.settings.abstain_below > 0:
            odd.append(ballot(Stance.SYNTHESIS, self.sure - 1))
            odd.append(ballot(Stance.VETO, self.sure - 1, veto=VetoClass.SECURITY_HOLE))
        if (note := _below(severity)) is not None:
            odd.append(ballot(Stance.SYNTHESIS, self.sure, item(last, Rule.STYLE, note)))
        return odd

    def why(self) -> str:
        """Return the argument why the domain is sufficient, the same for every committee size."""
        every = (
            "a ballot counts by what its stance comes to (R7, R8), by the class of its veto (deferred or never) "
            "and by whether anybody's item blocks, each of which occurs"
        )
        if self.small:
            return every + "; here with every ballot that is counted as another one"
        return every + (
            "; an item matters only where the quorum is met and then counts the same whoever of those who voted for it "
            f"carries it, so {self.carrier} does"
        )


def domains(settings: ReviewSettings) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form under these settings."""
    ballots = _Ballots(settings)
    few, alone = len(settings.members) <= SMALL, len(settings.members) == 1
    blocking, note = settings.blocking_severity, _below(settings.blocking_severity)

    def examinations(question: Question) -> tuple[Examination, ...]:
        def reported(severity: Severity, veto: VetoClass = VetoClass.NONE) -> tuple[Reported, ...]:
            return (Reported(TEXT, TEXT, severity, TEXT, 1, TEXT, TEXT, TEXT, TEXT, veto, 0, TEXT),)

        results: list[tuple[Reported, ...]] = [(), reported(blocking)]
        results.append(reported(Severity.LOW, VetoClass.HARD_CODED_SECRET))
        if few and note is not None:
            results.append(reported(note))
        claims = (0, 1) if alone or (few and settings.rounds == 1) else (0,)
        done = [Examination(RECEIPT, Prose(""), found, 1, count, True) for found in results for count in claims]
        done.append(Examination(RECEIPT, Prose(""), (), 1, 0, False))
        if few:
            done += [Examination(RECEIPT, Prose(""), found, 1, 0, False) for found in results[1:]]
        return (*done, Examination(TEXT, TEXT, (), 0, 0, False))

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
            Doubt(TEXT, TEXT, Standing.CONFIRMED, False),
            Doubt(TEXT, TEXT, Standing.REFUTED, True),
            Doubt(TEXT, TEXT, Standing.REFUTED, False),
            None,
        )
        ways = product(kinds, repeat=len(question.keys))
        given = [{key: kind for key, kind in zip(question.keys, way, strict=True) if kind} for way in ways]
        return tuple(Doubts(Keyed(each)) for each in given)

    one = "what it says is prose, which decides nothing"
    return {
        Tabling: Domain(lambda _: (Tabling(TEXT, ()),), one, True),
        Examination: Domain(
            examinations,
            "only whether a finding blocks or proves a veto counts, and whether every file is shown"
            + (
                ""
                if alone
                else "; claims are judged apart from ballots, and are walked with one member, and with two in one round"
            ),
            True,
        ),
        Ballot: Domain(ballots, ballots.why(), True),
        ClaimJudgements: Domain(judgements, "of one claim, every judgement and none; claims do not meet", True),
        Mediation: Domain(lambda _: (Mediation(TEXT, TEXT),), one, True),
        Amendment: Domain(lambda _: (Amendment(TEXT, TEXT, False), Amendment(TEXT, TEXT, True)), "blank or not", True),
        Compromise: Domain(compromises, "only whether every veto has a complete offer counts", True),
        Doubts: Domain(doubts, "each item stays or is refuted with a quotation, in every combination", True),
        Agreement: Domain(lambda _: (Agreement(TEXT, ()),), one, True),
    }
