"""The effects of a synthesis, implemented independently for `verify`: ids, states, agreement, coverage (W14 to W20)."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.workshop.rules.items import KINDS, Made
from quorate.protocols.workshop.rules.lives import Status, TopicStatus
from quorate.protocols.workshop.rules.sheet import CONSENT, JUDGED, LIVE, RULES, Sheet, Thing
from quorate.protocols.workshop.rules.synthesis import Becomes, Change, Method, Synthesis
from quorate.protocols.workshop.rules.taxonomy import Agreement, ArtifactType

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


def remake(sheet: Sheet, said: Synthesis) -> None:
    """Change the sheet as a synthesis asks for, as far as the rules allow it."""
    number, met = len(sheet.things), [each.met for each in sheet.topics]
    for name, kind in ORDER:
        for item in getattr(said, name, ()):
            _make(sheet, kind, item)
    for change in said.changes:
        _become(sheet, change)
    _cover(sheet, said.covered)
    if said.misquoted:
        sheet.told.append(("misquoted", ""))
    sheet.values["fresh"] = len(sheet.things) > number or [each.met for each in sheet.topics] != met


def support(sheet: Sheet, said: Made | Change) -> set[str]:
    """Who answered, supports it and does not oppose it (W12, W18)."""
    return sheet.seats(said.supported_by) - sheet.seats(said.opposed_by)


def weighed(sheet: Sheet, behind: set[str], seen: Agreement) -> Agreement:
    """How far something is agreed upon by the rule of the strategy (W18)."""
    rule = RULES[sheet.plan.strategy.name]
    if rule == JUDGED:
        return seen
    if rule == CONSENT:
        return Agreement.DRAFT
    weights = {str(each.seat): each.confidence for each in sheet.members if each.confidence is not None}
    part = sum(weight for seat, weight in weights.items() if seat in behind)
    enough = part * 100 >= sum(weights.values()) * sheet.plan.settings.threshold
    return Agreement.CONSENSUS if enough and part else Agreement.DRAFT


def removable(sheet: Sheet, thing: Thing, behind: set[str]) -> bool:
    """Whether those behind it may take something away that is agreed upon (W17)."""
    if not thing.counts:
        return True
    if RULES[sheet.plan.strategy.name] == CONSENT:
        return len(behind) == sum(each.confidence is not None for each in sheet.members) > 0
    return weighed(sheet, behind, Agreement.CONSENSUS) is Agreement.CONSENSUS


def _make(sheet: Sheet, kind: ArtifactType, item: Made) -> None:
    if len(sheet.things) >= MOST:
        sheet.told.append(("refused", kind.value))
        return
    matter, round_ = kind in MATTERS, sheet.get("round")
    seen = Agreement(item.agreement.value)
    new = Thing(
        sheet.number(kind),
        kind,
        sheet.here.key,
        round_,
        Status.OPEN if matter else Status.ACTIVE,
        Agreement.DRAFT if matter else weighed(sheet, support(sheet, item), seen),
        round_ if kind is ArtifactType.CONF else 0,
        kind is ArtifactType.OQ and bool(getattr(item, "blocking", False)),
    )
    sheet.things.append(new)
    sheet.told.append(("issued", new.id))
    for key in item.supersedes:
        sheet.told.append(("superseded" if _replace(sheet, new, key, support(sheet, item)) else "refused", key))


def _replace(sheet: Sheet, new: Thing, key: Key, behind: set[str]) -> bool:
    """Let a new artifact take the place of an old one, its blocks and its conflict; say whether it may (W17)."""
    old = sheet.thing(key)
    if old is None or old.status not in LIVE or new.type in MATTERS or not removable(sheet, old, behind):
        return False
    was, home, agreement, standing = old.status, new.topic, new.agreement, _standing(sheet, old.topic)
    about = [each for each in sheet.disputes if each.about == old.id]
    old.status, new.topic = Status.SUPERSEDED, old.topic
    new.agreement = Agreement.CONFLICT if about else agreement
    if _takes_away(sheet, old.topic, standing):
        old.status, new.topic, new.agreement = was, home, agreement
        return False
    new.blocked = old.blocked
    for each in about:
        each.about = new.id
    return True


def _standing(sheet: Sheet, key: Key) -> int:
    return sheet.agreed(next(each for each in sheet.topics if each.key == key))


def _takes_away(sheet: Sheet, key: Key, standing: int) -> bool:
    """Whether a closed topic has lost what it was closed with (W17)."""
    topic = next(each for each in sheet.topics if each.key == key)
    closed = topic.status is TopicStatus.CLOSED
    return closed and standing >= topic.minimum > sheet.agreed(topic)


def _become(sheet: Sheet, change: Change) -> None:
    thing = sheet.thing(change.artifact)
    done = {
        Becomes.AMEND: "amended",
        Becomes.REVERT: "reverted",
        Becomes.WITHDRAW: "withdrawn",
        Becomes.RESOLVE: "resolved",
        Becomes.ENDORSE: "endorsed",
    }[change.becomes]
    held = thing is not None and (
        _resolve(sheet, thing, change) if change.becomes is Becomes.RESOLVE else _move(sheet, thing, change)
    )
    sheet.told.append((done if held else "refused", change.artifact))


def _resolve(sheet: Sheet, matter: Thing, change: Change) -> bool:
    """Resolve a question as said, a conflict only with what its method needs (W19)."""
    if matter.status is not Status.OPEN or change.unexplained:
        return False
    about = sheet.thing(matter.about)
    if about is not None and (matter.made == sheet.get("round") or about.blocked >= 2):
        return False
    if matter.type is ArtifactType.CONF:
        voices, behind = sum(each.confidence is not None for each in sheet.members), len(support(sheet, change))
        needed = {
            Method.CONSENSUS: behind == voices,
            Method.MAJORITY: behind > voices - behind,
            Method.FACILITATOR_DECISION: matter.about is None,
        }
        if not needed[change.method]:
            return False
    settle(sheet, matter, weighed(sheet, support(sheet, change), Agreement.CONSENSUS))
    return True


def settle(sheet: Sheet, matter: Thing, becomes: Agreement) -> None:
    """Resolve a matter; what it is about is no longer in conflict."""
    matter.status = Status.RESOLVED
    about = sheet.thing(matter.about)
    if about is not None and about.status in LIVE:
        about.agreement = becomes


def _move(sheet: Sheet, thing: Thing, change: Change) -> bool:
    """Move an artifact by its life cycle, or take a new look at its agreement (W14, W16, W18)."""
    if thing.status not in LIVE:
        return False
    was, agreement, standing = thing.status, thing.agreement, _standing(sheet, thing.topic)
    match change.becomes:
        case Becomes.AMEND:
            known = {each for each in KINDS[thing.type].__dataclass_fields__}
            if not any(edit.field.value in known for edit in change.edits):
                return False
            thing.status = Status.AMENDED
        case Becomes.REVERT:
            if was is not Status.AMENDED:
                return False
            thing.status = Status.ACTIVE
        case Becomes.WITHDRAW:
            if change.unexplained or not removable(sheet, thing, support(sheet, change)):
                return False
            thing.status = Status.WITHDRAWN
        case _:
            if RULES[sheet.plan.strategy.name] == CONSENT:
                return False
    if change.becomes in (Becomes.AMEND, Becomes.REVERT, Becomes.ENDORSE):
        disputed = any(each.about == thing.id for each in sheet.disputes)
        seen = Agreement.CONSENSUS if change.becomes is Becomes.ENDORSE else agreement
        anew = weighed(sheet, support(sheet, change), seen)
        thing.agreement = Agreement.CONFLICT if disputed else anew
    if _takes_away(sheet, thing.topic, standing):
        thing.status, thing.agreement = was, agreement
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
