"""How agents of known accuracy take part in a review, for simulations.

A change is sound, defective (something in it has to be fixed) or dangerous (a class of veto applies). Who wrongly
holds a sound change bad opposes it; who raises a false alarm raises what it can: a veto where it holds one, else a fix
item; who obstructs vetoes, or opposes with an item. Who sees a defect agrees once its item is fixed; who sees a danger
vetoes, or opposes with an item where its veto does not count. The skeptic judges, too, and quotes where it refutes:
code can see that the text occurs, not that it refutes anything (R23). The proposer offers no patch and the business
driver no compromise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorate.core.errors import SettingError
from quorate.core.forms import Keyed, Prose, Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, Seat
from quorate.core.values import replace
from quorate.kit.findings import Severity
from quorate.kit.judgement import Judging, Mind, Truth
from quorate.kit.settings import read_settings
from quorate.kit.strict_json import strict_json
from quorate.protocols.review.rules.ballot_count import holds_veto
from quorate.protocols.review.rules.forms import (
    Agreement,
    Amendment,
    Ballot,
    Compromise,
    Doubt,
    Doubts,
    Examination,
    FixItem,
    Mediation,
    ReadPart,
    Tabling,
)
from quorate.protocols.review.rules.hits import Answer, Hit, HitKind, Hits, Refutation
from quorate.protocols.review.rules.model import (
    ADJUDICATOR,
    OFFICES,
    PERSONAS,
    SKEPTIC,
    WHOLE,
    ReviewSettings,
    Rule,
    Stance,
    Standing,
    State,
    Verdict,
    VetoClass,
)
from quorate.protocols.review.rules.parts import Part, Span

TEXT, NONE = Prose("text"), Prose("")
SOUND, DEFECTIVE, DANGEROUS = "sound", "defective", "dangerous"
MOST_SEATS = 12
SURE = 100
"""Confidence of every ballot: what a seat is unsure of it abstains from."""

EXAMINED = Examination(Prose("{}"), NONE, (), 1, 0, True, (), (), False, 1, (Part(1, False, (Span(1, 1, 1),)),), 0)
"""The checks find nothing: what they prove needs no simulation."""


def _voters(protocol: Protocol[Any]) -> tuple[Seat, ...]:
    return tuple(seat for seat in protocol.seats if seat not in OFFICES)


def _seated(count: int) -> Mapping[str, Any]:
    """Return the settings for this many members: the six personas, then each a second time."""
    if not 1 <= count <= MOST_SEATS:
        raise SettingError(f"is {count}", key="seats", expected=f"a number from 1 to {MOST_SEATS}")
    if count == 1:
        return {"members": [str(ADJUDICATOR)]}
    twice = tuple(f"{name}:2" for name in PERSONAS)
    return {"members": list((*PERSONAS, *twice)[:count])}


def _tells(ask: Ask, state: State) -> bool:
    """Return whether an ask shows others' arguments: members see the last round (R6), the skeptic the items."""
    return (ask.form is Ballot and state.round > 1) or ask.form in (Doubts, Refutation)


def _brought(judging: Judging, material: Mapping[str, str]) -> Judging:
    """Return the same for a change that was examined: its parts are read as the checks report them (R43)."""
    found = strict_json(material.get("checks", "{}"))
    if not (isinstance(found, dict) and found.get("divided")):
        return judging
    parts = tuple(
        Part(each["number"], each["sensitive"], tuple(Span(**span) for span in each["spans"]))
        for each in found["parts"]
    )
    numbers = {"files": found["files"], "hunks": found["hunks"], "beyond": found["beyond"]}
    examined = replace(EXAMINED, divided=True, parts=parts, **numbers)
    return replace(judging, filling=lambda protocol: _filling(protocol, examined))


def _filling(protocol: Protocol[Any], examined: Examination = EXAMINED) -> Callable[[Ask, State, Mind], Reply]:
    settings = read_settings(ReviewSettings, protocol.settings)
    examined = replace(examined, divided=True) if settings.narrow else examined

    def fill(ask: Ask, _: State, mind: Mind) -> Reply:
        if ask.form is Ballot:
            return _ballot(holds_veto(settings, ask.seat), mind)
        if ask.form is Doubts:
            doubt = _doubt(mind)
            return Doubts(Keyed(dict.fromkeys(ask.keys, doubt)), ask.keys if doubt.quotation else ())
        if ask.form is Hits:
            return _hits(ask, mind)
        if ask.form is Refutation:
            return Refutation(TEXT, _ANSWERS[_doubt(mind).standing])
        return examined if ask.form is Examination else _WORDS[ask.form]

    return fill


_WORDS: Mapping[type[Reply], Reply] = {
    ReadPart: ReadPart(TEXT, (), True),
    Tabling: Tabling(TEXT, ()),
    Mediation: Mediation(TEXT, TEXT),
    Amendment: Amendment(TEXT, NONE, True),
    Agreement: Agreement(TEXT, ()),
    Compromise: Compromise(TEXT, Keyed()),
}
"""What is said without judging: readers find nothing, the chair writes, the proposer has no patch."""


def _blames(mind: Mind) -> bool | None:
    """Return whether a seat holds that something is wrong with the change; None if it abstains."""
    right, found = mind.opinion.right, mind.opinion.found
    if right is None:
        return None
    blames = right is not (mind.truth == SOUND)
    # Where finding is another thing than judging, it has nothing to show before others have found it.
    return blames if found is None or found or mind.told or mind.truth == SOUND else False


def _alone(mind: Mind) -> bool | None:
    """Return whether one member alone would be right: about a defect only if it found it; None if it abstains."""
    blames = _blames(mind)
    return None if blames is None else blames is not (mind.truth == SOUND)


def _ballot(vetoes: bool, mind: Mind) -> Ballot:
    blames = _blames(mind)
    if mind.opinion.obstructs:
        return _cast(Stance.VETO if vetoes else Stance.OPPOSE, Severity.HIGH)
    if blames is None:
        return _cast(Stance.ABSTAIN)
    if not blames:
        return _cast(Stance.SYNTHESIS)
    match mind.truth:
        case "sound":
            if not mind.opinion.found:
                return _cast(Stance.OPPOSE)
            return _cast(Stance.VETO) if vetoes else _cast(Stance.SYNTHESIS, Severity.HIGH)
        case "defective":
            return _cast(Stance.SYNTHESIS, Severity.HIGH)
        case _:
            return _cast(Stance.VETO if vetoes else Stance.OPPOSE, Severity.CRITICAL)


def _hits(ask: Ask, mind: Mind) -> Hits:
    """Return what a reader of a hunk names: one line where it blames the change, or obstructs."""
    blames = mind.opinion.obstructs or bool(_blames(mind))
    return Hits((Hit(ask.keys[0], TEXT, HitKind.WRONG_RESULT, False),) if blames and ask.keys else (), True)


_ANSWERS = {
    Standing.CONFIRMED: Answer.HOLDS,
    Standing.REFUTED: Answer.DOES_NOT_HOLD,
    Standing.PLAUSIBLE: Answer.CANNOT_TELL,
}


def _cast(stance: Stance, severity: Severity | None = None) -> Ballot:
    veto = VetoClass.SECURITY_HOLE if stance is Stance.VETO else VetoClass.NONE
    items = () if severity is None else (FixItem(WHOLE, Rule.SECURITY, TEXT, TEXT, TEXT, severity, False, True),)
    return Ballot(
        TEXT, items, (), TEXT if stance is Stance.VETO else NONE, veto, SURE, stance, stance is not Stance.VETO, True
    )


def _doubt(mind: Mind) -> Doubt:
    """Return the skeptic's judgement: it refutes what it holds false, with a quotation (R23)."""
    if mind.opinion.right is None:
        return Doubt(TEXT, NONE, Standing.PLAUSIBLE)
    refutes = mind.opinion.right is (mind.truth == SOUND)
    return Doubt(TEXT, TEXT if refutes else NONE, Standing.REFUTED if refutes else Standing.CONFIRMED)


JUDGING = Judging(
    truths={
        SOUND: Truth("nothing is wrong with the change", frozenset({Verdict.APPROVED})),
        DEFECTIVE: Truth("something in it has to be fixed", frozenset({Verdict.REQUEST_CHANGES}), favourable=False),
        DANGEROUS: Truth("a class of veto applies to it", frozenset({Verdict.REQUEST_CHANGES}), favourable=False),
    },
    voters=_voters,
    seated=_seated,
    filling=_filling,
    tells=_tells,
    undecided=frozenset({Verdict.INCONCLUSIVE, Verdict.ABORTED}),
    judges=(SKEPTIC,),
    alone=_alone,
    brought=_brought,
)
