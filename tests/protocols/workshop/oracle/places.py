"""Focus, stage and escalated conflicts of a round, implemented a second time."""

from __future__ import annotations

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.protocols.workshop.rules.lives import RoundStage, Status, TopicStatus
from quorate.protocols.workshop.rules.taxonomy import Agreement
from tests.protocols.workshop.oracle.sheet import LIVE, Sheet, Thing, bound_to

DISNEY = ("dreamer", "realist", "critic")


def candidates(sheet: Sheet) -> tuple[Key, ...]:
    """The first class that has any (W5); on a bound agenda the topics of the stage (W6); in a pass its focus (W7)."""
    focus, round_ = sheet.get("focus"), sheet.get("round")
    if focus is not None:
        return (focus,)
    left = sheet.left()
    if sheet.bound:
        own = tuple(each.key for each in left if bound_to(each) in ("", sheet.stage))
        if own:
            return own
    required = [each for each in left if each.required]
    matters = [each for each in sheet.things if each.status is Status.OPEN]
    ranked: list[list[Key]] = [
        [each.key for each in required if each.status is TopicStatus.OPEN],
        [each.key for each in required if each.status is not TopicStatus.OPEN],
        [each.id for each in sheet.disputes if round_ - each.since >= 2],
        [each.id for each in matters if each.blocking],
        [each.key for each in left] + [each.id for each in matters if not each.waiting],
        [each.key for each in sheet.topics],
    ]
    return tuple(next(filter(None, ranked)))


def overdue(sheet: Sheet) -> list[Thing]:
    """Conflicts and rulings in their last round, the one that opened them being the first (W23)."""
    round_, most = sheet.get("round"), sheet.plan.settings.max_rounds_per_conflict
    return [each for each in [*sheet.disputes, *sheet.rulings] if round_ + 1 >= each.since + most]


def put(sheet: Sheet) -> list[Thing]:
    """What is put to a person: overdue conflicts and rulings, or all (W24)."""
    return overdue(sheet) or [*sheet.disputes, *sheet.rulings]


def why(sheet: Sheet) -> str:
    """What the record is told of an escalation: how old the overdue conflicts are, and whether anybody is unsure."""
    ages = [f"{each.id} in its round {sheet.get('round') - each.since + 1}" for each in overdue(sheet)]
    unsure = [f"{each.seat} {each.confidence}" for each in sheet.members if each.unsure]
    return f"{', '.join(ages) or 'none'} {', '.join(unsure) or 'nobody'}"


def place(sheet: Sheet) -> tuple[int, int, Key | None]:
    """Scene, attempt and focus of the next round (W7, W28, W31)."""
    scene, attempt, focus = sheet.get("scene"), sheet.get("attempt"), sheet.get("focus")
    matter = sheet.thing(focus)
    if matter is not None and matter.status is Status.RESOLVED:
        return 0, 0, None
    kept = None if sheet.bound else focus
    if sheet.stage == "convergence" and sent_back(sheet):
        return sheet.stages.index("refinement"), 0, kept
    if sheet.stage in DISNEY and attempt == 0:
        own = [each for each in sheet.topics if bound_to(each) == sheet.stage]
        waits = not all(map(sheet.done, own))
        if waits if sheet.bound else not sheet.get("fresh"):
            return scene, 1, kept
    return (scene + 1, 0, kept) if scene + 1 < len(sheet.stages) else (0, 0, None)


def sent_back(sheet: Sheet) -> bool:
    """Whether the vote of this round has blocked a draft for the first time, held in draft or not (W31)."""
    return sheet.get("focus") is not None and any(
        each.topic == sheet.here.key
        and each.status in LIVE
        and each.agreement is Agreement.DRAFT
        and each.blocked == 1
        and each.blocked_in == sheet.get("round")
        for each in sheet.things
    )


def begin_next(sheet: Sheet) -> None:
    """Begin the round after this one."""
    scene, attempt, focus = place(sheet)
    sheet.values |= {"scene": scene, "attempt": attempt, "focus": focus}
    begin(sheet)


def begin(sheet: Sheet) -> None:
    """Begin a round; on a bound agenda a stage without anything left is passed over (W6)."""
    sheet.members = [replace(each, confidence=None, unsure=False) for each in sheet.members]
    sheet.values |= {"round": sheet.get("round") + 1, "stage": RoundStage.QUESTION}
    sheet.values |= {"fresh": False, "led": False}
    left = {bound_to(each) for each in sheet.left()}
    if not sheet.bound or "" in left:
        return
    scene, stages = sheet.get("scene"), sheet.stages
    order = [*range(scene, len(stages)), *range(scene)]
    chosen = next((at for at in order if stages[at] in left), scene)
    if chosen != scene:
        sheet.values |= {"scene": chosen, "attempt": 0}
