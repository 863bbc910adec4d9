"""How a session ended: its verdict follows from what closed it and from what was still open (W21, W26)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot
from quorate.protocols.workshop.audit.problem import Finding, problem
from quorate.protocols.workshop.audit.read import SessionFile
from quorate.protocols.workshop.rules.lives import SessionStatus, Status, TopicStatus, Trigger
from quorate.protocols.workshop.rules.model import LEAST_JUDGED, Verdict
from quorate.protocols.workshop.rules.next_action import ConcludeOn
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

CHECK = "STR-008"
CLOSED_BY = {
    Verdict.COMPLETE: (Trigger.AGENDA_CLOSED, Trigger.PERSON),
    Verdict.INCOMPLETE: (Trigger.MAX_ROUNDS,),
    Verdict.CLOSED: (Trigger.PERSON,),
    Verdict.ABORTED: (Trigger.ERROR,),
}
"""What may have closed a session of each verdict (W26)."""


def below_minimum(topic: Spot) -> bool:
    """Whether a topic has fewer agreed artifacts than it needs; not, where the file does not count them."""
    minimum, counted = topic["minimum"].whole, topic["counted"].whole
    return minimum is not None and counted is not None and counted < minimum


def check_verdict(file: SessionFile) -> Iterator[Finding]:
    """The verdict is one that what closed the session can have, and COMPLETE where everything needed is done."""
    at, by = file.at["verdict"], file.at["closed_by"]
    verdict = next((each for each in Verdict if each.name == at.text), None)
    if verdict is None or file.at["status"].text != SessionStatus.CLOSED.value:
        return
    trigger = next((each for each in Trigger if each.value == by.text), None)
    if trigger is not None and trigger not in CLOSED_BY[verdict]:
        right = " or ".join(each.value for each in CLOSED_BY[verdict])
        yield problem(CHECK, at, f"is {at}, but the session was closed by: {by}", f"another verdict, or {right}")
    left = list(_left(file))
    if verdict is Verdict.COMPLETE:
        for what, where in left:
            yield problem(CHECK, where, f"{what}, but the session claims to be COMPLETE")
    elif verdict is not Verdict.ABORTED and not left and _is_told(file):
        what = f"is {at}, and every topic that it needs is closed and no conflict is open"
        yield problem(CHECK, at, what, Verdict.COMPLETE.name)


def _left(file: SessionFile) -> Iterator[tuple[str, Spot]]:
    """What keeps a session from being complete, and where it stands."""
    every = file.settings["conclude_on"].text == ConcludeOn.ALL.value or not _some_required(file)
    for name, topic in file.topics.items():
        if not every and topic["critical"].flag is not True:
            continue
        if topic["status"].text != TopicStatus.CLOSED.value:
            yield f"the topic {name[:80]} is {topic['status']}", topic["status"]
        elif below_minimum(topic):
            yield (
                f"the topic {name[:80]} has {topic['counted']} of {topic['minimum']} agreed artifacts",
                topic["counted"],
            )
    for matter in file.artifacts:
        if matter.type in (ArtifactType.CONF, ArtifactType.RUL) and matter.status is Status.OPEN:
            says = "open" if matter.type is ArtifactType.CONF else "not applied"
            yield f"{matter.id} is {says}", matter.at.first("status", "state")
    for text in file.at["unread"].items:
        yield f"{str(text.text)[:80]} was shown to nobody", text
    if file.at["judged"].whole is not None and 100 * (file.at["judged"].whole or 0) < LEAST_JUDGED * len(_seats(file)):
        yield f"{file.at['judged']} of {len(_seats(file))} participants have judged", file.at["judged"]


def _seats(file: SessionFile) -> list[Spot]:
    return list(file.at["participants"].items)


def _some_required(file: SessionFile) -> bool:
    return any(topic["critical"].flag for topic in file.topics.values())


def _is_told(file: SessionFile) -> bool:
    """Whether the file has all that the verdict depends on."""
    topics = file.topics.values()
    known = all(topic["minimum"].whole is not None and topic["counted"].whole is not None for topic in topics)
    return bool(topics) and known and file.settings["conclude_on"].said
