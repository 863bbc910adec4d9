"""The oracle of the roundtable: its rules implemented a second time, from RULES.md, and compared with every move.

Its checks are added to the roundtable's own invariants wherever defects are to be found: `with_oracle(protocol)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from quorate.core.forms import Key, Reply
from quorate.core.protocol import Degradation, Invariant, Moment, Protocol
from quorate.core.types import Ask, Seat
from quorate.kit.settings import read_settings
from quorate.protocols.roundtable.rules.forms import (
    Appended,
    Clarified,
    Framing,
    Menu,
    Reading,
    Recorded,
    Synthesis,
    Turn,
    Utterance,
)
from quorate.protocols.roundtable.rules.model import (
    CLASSIFIER,
    CLERK,
    PERSON,
    READER,
    USER,
    Outcome,
    Phase,
    RoundtableSettings,
    State,
    Step,
)
from quorate.protocols.roundtable.rules.personas import Cast, cast
from tests.protocols.roundtable.oracle.recount import Recount

M = Moment[State]
Check = Callable[[Recount, M], bool]
Wanted = tuple[Seat, str, type[Reply], tuple[Key, ...]]


def _as_counted(*parts: str) -> Check:
    """Return a check that these parts of the state match the independent recount."""
    wanted = frozenset(parts)
    return lambda recount, moment: recount.differs(moment).isdisjoint(wanted)


def _decides(recount: Recount, moment: M) -> bool:
    return moment.outcome is recount.of(moment).outcome


def _told(recount: Recount, moment: M) -> bool:
    return moment.facts == recount.of(moment).facts


def _degraded(recount: Recount, moment: M) -> bool:
    """A conclusion says what was missing, and whether something could not be written (T25)."""
    if moment.verdict is None:
        return moment.degradation is None
    levels = (Degradation.NONE, Degradation.WITHIN_SETTINGS)
    own = Degradation.BELOW_SETTINGS if moment.after.unkept else levels[moment.after.missing]
    return moment.degradation is own


def _leads(recount: Recount, moment: M) -> bool:
    """Every outcome leads where the rules say, and nowhere else (T2)."""
    if moment.interrupted is not None or moment.outcome not in LEADS:
        return moment.interrupted is not None
    return LEADS[Outcome(moment.outcome.value)] is moment.to


LEADS: Mapping[Outcome, Phase] = {
    **dict.fromkeys((Outcome.FEEDBACK, Outcome.RECORDED), Phase.MENU),
    Outcome.ELABORATE: Phase.ENTRY,
    Outcome.INTRODUCED: Phase.TOPIC_FRAMING,
    **dict.fromkeys(
        (
            Outcome.FRAMED,
            Outcome.SPOKE,
            Outcome.PASSED,
            Outcome.REDIRECTED,
            Outcome.HEARD,
            Outcome.SILENT,
            Outcome.NO_COMMAND,
            Outcome.READ,
            Outcome.UNCLEAR,
            Outcome.ASKED_BACK,
            Outcome.LAST_WORD,
        ),
        Phase.DISCUSSION_LOOP,
    ),
    **dict.fromkeys(
        (Outcome.EXIT_REQUESTED, Outcome.LIMIT_REACHED, Outcome.INACTIVE, Outcome.RETRY, Outcome.SYNTHESISED),
        Phase.SYNTHESIS,
    ),
    **dict.fromkeys((Outcome.APPENDED, Outcome.NOTHING_TO_ADD, Outcome.SUMMARISED), Phase.STATE_PERSIST),
    Outcome.GIVEN_UP: Phase.ABORTED,
    **dict.fromkeys((Outcome.CONTINUE, Outcome.SKIP, Outcome.NOTHING_SAID, Outcome.CONCLUDED), Phase.LEFT),
}


def _asks(recount: Recount, moment: M) -> bool:
    """One seat at a time is asked, and it is the one whose turn it is, in its own words (T2)."""
    if not moment.asks:
        return moment.phase in (Phase.ENTRY, Phase.SYNTHESIS) or moment.interrupted is not None
    wanted = _wanted(recount, moment.phase, moment.state)
    return len(moment.asks) == 1 and _same(moment.asks[0], wanted)


def _same(ask: Ask, wanted: Wanted | None) -> bool:
    return wanted is not None and (ask.seat, ask.brief, ask.form, ask.keys) == wanted


def _wanted(recount: Recount, phase: object, state: State) -> Wanted | None:
    keys = tuple(Key(each.seat) for each in recount.cast.personas)
    lead = recount.asked(recount.lead)
    match phase, state.step:
        case Phase.MENU, _:
            return PERSON, "menu", Menu, ()
        case Phase.TOPIC_FRAMING, _:
            return lead, "frame", Framing, tuple(key for key in keys if key != Key(recount.lead))
        case Phase.DISCUSSION_LOOP, Step.LISTEN | Step.LAST:
            return PERSON, "turn", Turn, ()
        case Phase.DISCUSSION_LOOP, Step.READ:
            return READER, "read", Reading, keys
        case Phase.DISCUSSION_LOOP, Step.CLASSIFY if recount.settings.classifier:
            return CLASSIFIER, "classify", Reading, keys
        case Phase.DISCUSSION_LOOP, Step.CLARIFY | Step.CONFIRM:
            return PERSON, "clarify", Clarified, ()
        case Phase.DISCUSSION_LOOP, Step.SPEAK:
            who = state.queue[0]
            brief = "answer" if state.addressed or state.group else "speak"
            return recount.asked(who), brief, Utterance, tuple(key for key in keys if key != Key(who))
        case Phase.SYNTHESIS, Step.SYNTHESISE if _has_matter(state) and not state.mechanical:
            documents = tuple(Key(f"D{n}") for n in range(1, recount.settings.documents + 1))
            return lead, "synthesise", Synthesis, (*keys, USER, *documents)
        case Phase.SYNTHESIS, Step.APPEND:
            return CLERK, "append", Appended, state.targets
        case Phase.STATE_PERSIST, _:
            return CLERK, "record", Recorded, ()
        case _:
            return None


def _has_matter(state: State) -> bool:
    """Whether there is something to sum up: more than the framing, or words of the person (T21)."""
    return state.turn > 1 or USER in state.spoken


CHECKS: tuple[tuple[str, str, Check], ...] = (
    ("one seat at a time is asked, the one whose turn it is", "T2", _asks),
    ("a conclusion says what was missing or lost", "T25", _degraded),
    ("every outcome leads where the rules say", "T2", _leads),
    ("turns and free moves are as counted", "T9", _as_counted("turn", "free")),
    ("who has the word is as counted", "T10", _as_counted("queue", "row", "addressed", "group", "step")),
    ("who has spoken is as counted", "T22", _as_counted("spoken")),
    ("what is disputed is as counted", "T20", _as_counted("disputed")),
    ("the synthesis goes where its items say", "T23", _as_counted("targets", "tries", "mechanical")),
    ("the menu is as counted", "T4", _as_counted("elaborations", "texts", "skipped", "leaving")),
    ("what is missing or lost is as counted", "T25", _as_counted("missing", "unkept")),
    ("every move has the outcome that the rules name", "T2", _decides),
    ("the record is told what happened, and nothing else", "T2", _told),
)


def oracle(cast: Cast) -> tuple[Invariant[State], ...]:
    """Return the oracle's checks for this cast."""
    recount = Recount(cast)

    def bound(check: Check) -> Callable[[M], bool]:
        return lambda moment: check(recount, moment)

    return tuple(Invariant(name, rule, bound(check)) for name, rule, check in CHECKS)


def with_oracle(protocol: Protocol[Any]) -> Protocol[Any]:
    """Return a roundtable that is held against its oracle too."""
    checks = oracle(cast(read_settings(RoundtableSettings, protocol.settings), protocol.briefs))
    return replace(protocol, invariants=(*protocol.invariants, *checks))
