"""The review a second time: what every decision must come to, from RULES.md and not from the protocol's functions.

`verify` holds the protocol against it in the tests, which is how planted defects are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from quorate.core.decisions import Fact
from quorate.core.forms import Key, Reply
from quorate.core.protocol import Degradation, Invariant, Protocol
from quorate.core.types import Ask, Reason, Seat
from quorate.core.values import replace
from quorate.kit.settings import read_settings
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
from quorate.protocols.review.rules.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    PROPOSER,
    SKEPTIC,
    Checked,
    Outcome,
    Phase,
    ReviewSettings,
    State,
    Step,
)
from quorate.protocols.review.rules.parts import Part
from tests.protocols.review.oracle.narrow import (
    answered,
    answers_to_hits,
    is_narrow,
    lines_of,
    narrow_facts,
    put_together,
)
from tests.protocols.review.oracle.promises import (
    END,
    UNCHECKED,
    answers_kept,
    attendance,
    claims,
    compromise,
    debate_leads,
    items_raised,
    no_approval_over_veto,
    office_holders,
    opposition,
    out_of_veto,
    proven,
    quorum,
    quorum_check,
    refuted,
    reply_of,
    rounds,
    stands,
    verdict,
    vetoes_stand,
)
from tests.protocols.review.oracle.readings import parts_read, reading, readings_told, shown
from tests.protocols.review.oracle.recount import M, Recount, told_of_notes, with_ground

Check = Callable[[Recount, M], bool]
Wanted = tuple[Seat, str, type[Reply], tuple[Key, ...]]
LEADS: Mapping[Any, Mapping[Any, Phase]] = {
    Phase.PROPOSAL: {
        Outcome.EXAMINED: Phase.PROPOSAL,
        Outcome.READ: Phase.PROPOSAL,
        Outcome.TABLED: Phase.DEBATE,
    },
    Phase.DEBATE: {
        Outcome.CRITICAL_FLAW: Phase.VETO,
        Outcome.CONSENSUS: Phase.SYNTHESIS,
        Outcome.ABSTENTION: Phase.ABSTAIN,
    },
    Phase.VETO: {
        Outcome.AMENDMENT_OFFERED: Phase.VETO,
        Outcome.NO_AMENDMENT: Phase.VETO,
        Outcome.AMENDED: Phase.PROPOSAL,
        Outcome.COMPROMISE: Phase.DEBATE,
        Outcome.IRRECONCILABLE: Phase.CONCLUSION,
    },
    Phase.SYNTHESIS: {Outcome.CONFIRMED: Phase.SYNTHESIS, Outcome.AGREED: Phase.CONCLUSION},
    Phase.ABSTAIN: {
        Outcome.CONFIRMED: Phase.ABSTAIN,
        Outcome.QUORUM_MET: Phase.CONCLUSION,
        Outcome.REDEBATE: Phase.DEBATE,
        Outcome.NO_QUORUM: Phase.CONCLUSION,
    },
}
"""The seed's rows, and the steps inside a phase (R2)."""


def _numbered(letter: str, count: int, first: int = 1) -> tuple[Key, ...]:
    return tuple(Key(f"{letter}{number}") for number in range(first, count + 1))


def _wanted(settings: ReviewSettings, phase: Any, state: State) -> Iterator[Wanted]:
    """Yield the asks that the rules require of a phase: seat, brief, form and keys."""
    again, narrow = state.round < settings.rounds, settings.style.value == "narrow"
    match phase:
        case Phase.PROPOSAL if state.checked is Checked.NOT_YET:
            yield CHECKS, "examine", Examination, ()
        case Phase.PROPOSAL if reading(settings, state):
            for part, seat in reading(settings, state):
                wide = (seat, "read", ReadPart, (Key("F0"), *_files_of(part)))
                yield (seat, "narrow", Hits, lines_of(part)) if narrow else wide
        case Phase.PROPOSAL if state.checked is not Checked.VETOED and not narrow:
            yield CHAIR, "table", Tabling, ()
        case Phase.DEBATE if state.checked is not Checked.VETOED:
            for m in state.members if not narrow else ():
                own = tuple(item.key for item in state.items if item.seat == m.seat)
                yield m.seat, "ballot", Ballot, (*_numbered("F", state.files, 0), *own)
            if state.claims and not state.judged:
                yield from ((m.seat, "judge", ClaimJudgements, _numbered("C", state.claims)) for m in state.members)
        case Phase.VETO if again:
            yield from _wanted_in_veto(state)
        case Phase.SYNTHESIS | Phase.ABSTAIN if phase is Phase.SYNTHESIS or state.quorate:
            put = tuple(item.key for item in with_ground(state))
            doubted = settings.confirm_items and put and not state.confirmed
            if doubted and narrow:
                yield from ((SKEPTIC, "refute", Refutation, (key,)) for key in put)
            elif doubted:
                yield SKEPTIC, "doubt", Doubts, put
            elif not narrow:
                yield CHAIR, "agree", Agreement, ()
        case Phase.ABSTAIN if settings.redebate and settings.reading.value != "seed" and state.opposed and again:
            yield CHAIR, "mediate", Mediation, ()


def _files_of(part: Part) -> list[Key]:
    return [Key(f"F{number}") for number in sorted({span.file for span in part.spans})]


def _wanted_in_veto(state: State) -> Iterator[Wanted]:
    match state.step:
        case Step.AMEND:
            yield PROPOSER, "amend", Amendment, ()
        case Step.APPLY:
            yield CHECKS, "apply", Examination, tuple(item.key for item in state.items if item.grounded)
        case Step.COMPROMISE:
            yield BUSINESS_DRIVER, "compromise", Compromise, _numbered("V", sum(map(stands, state.members)))
            yield CHAIR, "mediate", Mediation, ()


def _asks() -> Check:
    """Every phase asks exactly the seats the rules name, once each, about exactly the right keys."""
    seen: list[Any] = [None, None]

    def holds(recount: Recount, moment: M) -> bool:
        if seen[0] is moment.asks and seen[1] is moment.state and moment.asks:
            return True  # the same asks as a moment ago, answered otherwise
        wanted = list(_wanted(recount.settings, moment.phase, moment.state))
        if [_as_wanted(ask) for ask in moment.asks] != wanted:
            return False
        seen[:] = moment.asks, moment.state
        return True

    return holds


def _as_wanted(ask: Ask) -> Wanted:
    return ask.seat, ask.brief, ask.form, ask.keys


def _leads(recount: Recount, moment: M) -> bool:
    """Every outcome is one of its phase, and leads where its row says (R2)."""
    return not isinstance(moment.to, Phase) or LEADS[moment.phase].get(moment.outcome) is moment.to


def _steps(recount: Recount, moment: M) -> bool:
    """The change is examined before it is tabled, and the skeptic heard before agreement (R4, R23, R25)."""
    if moment.phase is Phase.PROPOSAL:
        if moment.state.checked is Checked.NOT_YET:
            return moment.outcome is Outcome.EXAMINED
        return moment.outcome is (Outcome.READ if reading(recount.settings, moment.state) else Outcome.TABLED)
    if moment.phase is Phase.SYNTHESIS or (moment.phase is Phase.ABSTAIN and moment.state.quorate):
        put = any(ask.form in (Doubts, Refutation) for ask, _ in moment.replies)
        end = Outcome.AGREED if moment.phase is Phase.SYNTHESIS else Outcome.QUORUM_MET
        return moment.outcome is (Outcome.CONFIRMED if put else end)
    return True


def _told(recount: Recount, moment: M) -> bool:
    """The facts recorded are exactly what each ballot counted as, the tally, and what became of every item."""
    if moment.phase is Phase.DEBATE and is_narrow(recount):
        return moment.facts == tuple(narrow_facts(recount, moment))
    if moment.phase is Phase.DEBATE:
        return moment.facts == (recount.of(moment).facts if moment.asks else ())
    return moment.facts == tuple(_news(recount, moment))


def _news(recount: Recount, moment: M) -> Iterator[Fact]:
    if moment.outcome is Outcome.READ:
        yield from readings_told(recount.settings, moment)
    elif moment.outcome is Outcome.TABLED:
        yield Fact.of("tabled", by="chair" if isinstance(reply_of(moment, CHAIR), Tabling) else "code")
    elif moment.outcome in END:
        yield Fact.of("agreement", by="chair" if isinstance(reply_of(moment, CHAIR), Agreement) else "code")
    elif moment.outcome is Outcome.AMENDED:
        stay = {item.key for item in moment.after.items}
        for item in moment.state.items:
            if item.key not in stay:
                became = "gone with an amendment" if item.grounded else "ungrounded"
                yield Fact.of("ended", key=item.key, became=became)
    elif moment.outcome is Outcome.CONFIRMED:
        reply = reply_of(moment, SKEPTIC)
        doubts = reply.doubts if isinstance(reply, Doubts) else {}
        quoted = reply.quoted if isinstance(reply, Doubts) else ()
        standings = answers_to_hits(moment) | {key: each.standing.value for key, each in doubts.items()}
        mute = SKEPTIC in recount.settings.unqualified_seats
        for item in with_ground(moment.state):
            standing = standings.get(item.key, "not looked at")
            falls = standing == "refuted" and (item.key in quoted or is_narrow(recount))
            yield Fact.of(
                "item",
                key=item.key,
                path=item.path,
                rule=item.rule.value,
                severity=item.severity.value,
                standing=standing,
                kept=mute or not falls,
            )
        yield from told_of_notes(recount.settings, moment)


def _degraded(recount: Recount, moment: M) -> bool:
    """The degradation of a verdict reflects missing members, offices and checks (R30)."""
    if moment.verdict is None:
        return moment.degradation is None
    after = moment.after
    if after.deserted or after.checked in UNCHECKED:
        return moment.degradation is Degradation.BELOW_SETTINGS
    partly = after.absent or after.missing
    return moment.degradation is (Degradation.WITHIN_SETTINGS if partly else Degradation.NONE)


PROMISES: tuple[tuple[str, str, Check], ...] = (
    ("no approval while a veto stands", "R13-R15 R29", no_approval_over_veto),
    ("no verdict without its quorum", "R10 R12 R20 R27", quorum),
    ("a proven secret never ends APPROVED", "R4 R14 R17", proven),
    ("what nobody was shown never ends APPROVED", "R27 R38 R40", shown),
    ("what is read, and by whom, is what the replies say", "R38-R41", parts_read),
    ("who answered is what the replies say", "R53", answered),
    ("answers are put together without ballots", "R53 R54", put_together),
    ("always ends within five ballots", "R5", rounds),
    ("every outcome leads where it should", "R2", _leads),
    ("each step comes in its order", "R4 R23 R25", _steps),
    ("a veto stands until its member votes otherwise", "R7 R8 R13", vetoes_stand),
    ("one veto outweighs any majority, agreement needs everybody's vote", "R15", debate_leads),
    ("who opposes is known from the last ballot", "R21", opposition),
    ("who was absent is known from the last ballot", "R9 R12", attendance),
    ("out of a veto the proposer comes first, then the business driver", "R16 R17", out_of_veto),
    ("no compromise where there must be none", "R14 R18", compromise),
    ("each veto has one compromise", "R17 R18", answers_kept),
    ("without quorum the debate goes on only while somebody opposes and a round is left", "R20 R21", quorum_check),
    ("exactly the items of the last ballot that block count", "R8 R22", items_raised),
    ("an item falls by a refutation with a quotation alone", "R23", refuted),
    ("claims are judged once, and the worst judgement wins", "R24", claims),
    ("who was done without at the end is known", "R26 R30", office_holders),
    ("the verdict is the one of the mapping", "R27-R29", verdict),
    ("the record is told what was counted, and nothing else", "R7-R11 R23 R26", _told),
)


def with_oracle(protocol: Protocol[State]) -> Protocol[State]:
    """Return a review whose invariants hold it against the oracle as well."""
    settings = read_settings(ReviewSettings, protocol.settings)
    return replace(protocol, invariants=(*protocol.invariants, *oracle(settings)))


def oracle(settings: ReviewSettings) -> tuple[Invariant[State], ...]:
    """Return what must hold of every move under these settings; interruptions (R29) have a check of their own."""
    recount = Recount(settings)

    def always(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    def normally(check: Check) -> Callable[[M], bool]:
        """Limit a check to the review's own phases; phases added by others have their own invariants."""

        def holds(moment: M) -> bool:
            ours = isinstance(moment.phase, Phase) and moment.interrupted is None
            return not ours or check(recount, moment)

        return holds

    def interrupted(moment: M) -> bool:
        if moment.interrupted is None:
            return True
        target = Phase.ABORTED if moment.interrupted is Reason.CANCELLED else Phase.CONCLUSION
        waits = moment.interrupted in (Reason.WISH, Reason.STALL)  # they withdraw no ask
        kept = moment.after == moment.state and not (waits and moment.asks)
        return moment.to is target and kept and verdict(recount, moment)

    return (
        *(Invariant(f"oracle: {name}", rule, normally(check)) for name, rule, check in PROMISES),
        Invariant("oracle: every phase asks whom the rules name", "R1 R3 R4 R6 R16 R19 R23-R25", normally(_asks())),
        Invariant("oracle: a verdict says how much of the table was missing", "R30", always(_degraded)),
        Invariant("oracle: an interruption decides nothing and keeps what is decided", "R29", interrupted),
    )
