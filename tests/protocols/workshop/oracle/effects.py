"""The effects of a synthesis, implemented a second time: ids, states, agreement, coverage (W14 to W20)."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.workshop.rules.items import KINDS, Conflict, Made
from quorate.protocols.workshop.rules.lives import Status, TopicStatus
from quorate.protocols.workshop.rules.synthesis import Becomes, Change, Method, Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType
from tests.protocols.workshop.oracle.sheet import CONSENT, JUDGED, LIVE, RULES, Sheet, Thing

LED = "facilitator"
MOST = 60
"""Artifacts that syntheses make (W15)."""
ORDER = (
    ("requirements", ArtifactType.REQ),
    ("business_rules", ArtifactType.BR),
    ("qualities", ArtifactType.NFR),
    ("exclusions", ArtifactType.EX),
    ("decisions", ArtifactType.ARCH),
    ("components", ArtifactType.COMP),
    ("interfaces", ArtifactType.INT),
    ("ideas", ArtifactType.IDEA),
    ("risks", ArtifactType.RISK),
    ("mitigations", ArtifactType.MIT),
    ("questions", ArtifactType.OQ),
    ("conflicts", ArtifactType.CONF),
)
MATTERS = (ArtifactType.OQ, ArtifactType.CONF)
HOLDING = (ArtifactType.CONF, ArtifactType.RUL)


def remake(sheet: Sheet, said: Synthesis) -> None:
    """Change the sheet as a synthesis asks for, as far as the rules allow it."""
    number, met = len(sheet.things), [each.met for each in sheet.topics]
    entries = [(kind, item) for name, kind in ORDER for item in getattr(said, name, ())]
    means: dict[Key, Thing | None] = {each.id: each for each in sheet.things}
    old = frozenset(means)
    for place, (kind, item) in enumerate(entries):
        nth = 1 + sum(each.partition("-")[0] == kind.value for each in means)
        means[Key(f"{kind.value}-{nth:03d}")] = _make(sheet, kind, item, means, old, place + 1 in said.repeats)
    for change in said.changes:
        _become(sheet, change, old)
    _cover(sheet, () if LED in sheet.mute else said.covered)
    if said.misquoted:
        sheet.told.append(("misquoted", ""))
    sheet.values["fresh"] = len(sheet.things) > number or [each.met for each in sheet.topics] != met


def support(sheet: Sheet, said: Made | Change) -> set[str]:
    """Who answered, supports it and does not oppose it; by an unqualified facilitator nobody (W12, W18, W41)."""
    return set() if LED in sheet.mute else sheet.seats(said.supported_by) - sheet.seats(said.opposed_by)


def weighed(sheet: Sheet, behind: set[str], seen: Agreement) -> Agreement:
    """How far something is agreed upon by the rule of the strategy (W18)."""
    rule = RULES[sheet.plan.strategy.name]
    if rule == JUDGED:
        return seen if behind else Agreement.DRAFT
    if rule == CONSENT:
        return Agreement.DRAFT
    weights = {str(each.seat): each.confidence or 0 for each in sheet.voices}
    part = sum(weight for seat, weight in weights.items() if seat in behind)
    enough = part * 100 >= sum(weights.values()) * sheet.plan.settings.threshold
    return Agreement.CONSENSUS if enough and part else Agreement.DRAFT


def removable(sheet: Sheet, thing: Thing, behind: set[str]) -> bool:
    """Whether those behind it may take something away that is agreed upon (W17)."""
    if not thing.counts:
        return True
    if RULES[sheet.plan.strategy.name] == CONSENT:
        return len(behind) == len(sheet.voices) > 0
    return weighed(sheet, behind, Agreement.CONSENSUS) is Agreement.CONSENSUS


def _make(
    sheet: Sheet,
    kind: ArtifactType,
    item: Made,
    means: dict[Key, Thing | None],
    old: frozenset[Key],
    repeated: bool,
) -> Thing | None:
    """Take an entry; `means` has by id what was there and what came of earlier entries (W15)."""
    named, strange = _named(sheet, item, means) if isinstance(item, Conflict) else ((), [])
    opens = isinstance(item, Conflict)
    if repeated or (len(sheet.things) >= MOST and not opens) or (opens and LED in sheet.mute):
        sheet.told.append(("refused", kind.value))
        return None
    matter, round_ = kind in MATTERS, sheet.get("round")
    seen = Agreement(item.agreement.value)
    new = Thing(
        sheet.number(kind),
        kind,
        sheet.here.key,
        round_,
        Status.OPEN if matter else Status.ACTIVE,
        Agreement.DRAFT,
        round_ if kind is ArtifactType.CONF else 0,
        kind is ArtifactType.OQ and bool(getattr(item, "blocking", False)),
        named,
        backing=Agreement.DRAFT if matter else weighed(sheet, support(sheet, item), seen),
    )
    sheet.things.append(new)
    sheet.weigh_anew()
    sheet.told += [("issued", new.id), *(("refused", key or new.id) for key in strange)]
    for key in item.supersedes:
        done = _replace(sheet, new, key, support(sheet, item)) if key in old else None
        sheet.told += [("refused", key)] if done is None else [("superseded", key), *done]
    if not matter:  # another text of a topic that a ruling names (W24)
        sheet.told += sheet.reopen(new)
    return new


def _named(sheet: Sheet, item: Conflict, means: dict[Key, Thing | None]) -> tuple[tuple[Key, ...], list[Key]]:
    """What a conflict is about, and what it names in vain; an empty key where it names nothing of this (W19)."""
    named: list[Key] = []
    strange: list[Key] = []
    for key in item.about:
        thing = means.get(key)
        if thing is not None and thing.status in LIVE:
            named.append(thing.id)
        else:
            (named if key == sheet.here.key else strange).append(key)
    return tuple(named or [sheet.here.key]), strange if named else [*strange, Key("")]


def _replace(sheet: Sheet, new: Thing, key: Key, behind: set[str]) -> list[tuple[str, str]] | None:
    """Let a new artifact take the place of an old one, its blocks, conflicts and rulings; None where it may not (W17).

    What is returned is told of the rulings that wait anew.
    """
    old = sheet.thing(key)
    if old is None or old.status not in LIVE or new.type in MATTERS or not removable(sheet, old, behind):
        return None
    was, home, standing = old.status, new.topic, _standing(sheet, old.topic)
    kept = [(each, each.about, each.status, each.since) for each in sheet.things if each.type in HOLDING]
    old.status, new.topic = Status.SUPERSEDED, old.topic
    for each, named, status, _ in kept:
        if status is Status.OPEN or each.type is ArtifactType.RUL:
            each.about = tuple(dict.fromkeys(new.id if key == old.id else key for key in named))
    told = sheet.reopen(new)
    if _takes_away(sheet, old.topic, standing):
        old.status, new.topic = was, home
        for each, named, status, since in kept:
            each.about, each.status, each.since = named, status, since
        sheet.weigh_anew()
        return None
    new.blocked, new.blocked_in = old.blocked, old.blocked_in
    return told


def _standing(sheet: Sheet, key: Key) -> int:
    return sheet.agreed(next(each for each in sheet.topics if each.key == key))


def _takes_away(sheet: Sheet, key: Key, standing: int) -> bool:
    """Whether a closed topic has lost what it was closed with (W17)."""
    topic = next(each for each in sheet.topics if each.key == key)
    closed = topic.status is TopicStatus.CLOSED
    return closed and standing >= topic.minimum > sheet.agreed(topic)


def _become(sheet: Sheet, change: Change, old: frozenset[Key]) -> None:
    thing = sheet.thing(change.artifact) if change.artifact in old else None
    done = {
        Becomes.AMEND: "amended",
        Becomes.REVERT: "reverted",
        Becomes.WITHDRAW: "withdrawn",
        Becomes.RESOLVE: "resolved",
        Becomes.ENDORSE: "endorsed",
    }[change.becomes]
    before = {each.id for each in sheet.rulings}
    mine = LED not in sheet.mute or (
        change.becomes not in (Becomes.RESOLVE, Becomes.ENDORSE) and thing is not None and not thing.counts
    )
    held = (
        thing is not None
        and mine
        and (_resolve(sheet, thing, change) if change.becomes is Becomes.RESOLVE else _move(sheet, thing, change))
    )
    sheet.told.append((done if held else "refused", change.artifact))
    sheet.told += [("waits anew", each.id) for each in sheet.rulings if each.id not in before]


def _resolve(sheet: Sheet, matter: Thing, change: Change) -> bool:
    """Resolve a question as said, a conflict only with what its method needs, a ruling never (W19, W24)."""
    if matter.status is not Status.OPEN or change.unexplained or matter.type is ArtifactType.RUL:
        return False
    named = [each for each in sheet.things if each.id in matter.about]
    if matter.raised and (matter.made == sheet.get("round") or any(each.blocked >= 2 for each in named)):
        return False
    if matter.type is ArtifactType.CONF:
        voices, behind = len(sheet.voices), len(support(sheet, change))
        needed = {
            Method.CONSENSUS: behind == voices > 0,
            Method.MAJORITY: behind > voices - behind,
            Method.FACILITATOR_DECISION: not matter.raised,
        }
        if not needed[change.method]:
            return False
    settled = weighed(sheet, support(sheet, change), Agreement.CONSENSUS)
    for each in named:
        if each.status in LIVE:
            each.backing = settled
    matter.status = Status.RESOLVED
    sheet.weigh_anew()
    return True


def _move(sheet: Sheet, thing: Thing, change: Change) -> bool:
    """Move an artifact by its life cycle, or take a new look at its agreement (W14, W16, W18)."""
    if thing.status not in LIVE:
        return False
    standing, home = _standing(sheet, thing.topic), thing.topic
    kept = [copy(each) for each in sheet.things]
    match change.becomes:
        case Becomes.AMEND:
            known = {each for each in KINDS[thing.type].__dataclass_fields__}
            if not any(edit.field.value in known for edit in change.edits):
                return False
            thing.status, thing.amended, thing.voted = Status.AMENDED, thing.amended + 1, False
        case Becomes.REVERT:
            if thing.amended == 0:
                return False
            thing.amended, thing.voted = thing.amended - 1, False
            thing.status = Status.AMENDED if thing.amended else Status.ACTIVE
        case Becomes.WITHDRAW:
            if change.unexplained or not removable(sheet, thing, support(sheet, change)):
                return False
            thing.status = Status.WITHDRAWN
        case _:
            if RULES[sheet.plan.strategy.name] == CONSENT:
                return False
    stands = RULES[sheet.plan.strategy.name] == JUDGED and change.becomes is not Becomes.ENDORSE
    if change.becomes in (Becomes.AMEND, Becomes.REVERT, Becomes.ENDORSE) and not stands:
        thing.backing = weighed(sheet, support(sheet, change), Agreement.CONSENSUS)
    sheet.weigh_anew()
    if change.becomes is not Becomes.ENDORSE:
        sheet.reopen(thing)
    if _takes_away(sheet, home, standing):
        sheet.things[:] = kept
        return False
    return True


def _cover(sheet: Sheet, keys: Iterable[Key]) -> None:
    """Note which criteria of the topic in focus are met; they stay met (W20)."""
    here = sheet.here
    met = {*here.met, *(int(key[1:]) for key in keys if key[:1] == "K" and key[1:].isdecimal())}
    now = tuple(number for number in range(1, here.criteria + 1) if number in met)
    if now != here.met:
        sheet.topics[sheet.topics.index(here)] = replace(here, met=now)
        sheet.told.append(("covered", here.key))
