"""What a person decided in a session, and which conflicts an artifact was in: told where a reader looks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from quorate.protocols.workshop.rules.documents.overview import PERSON, Artifact, Overview
from quorate.protocols.workshop.rules.documents.plain import NOTHING, line, paragraphs, verbatim
from quorate.protocols.workshop.rules.forms import RulingChoice

UNTOLD = "no words are on record"


@dataclass(frozen=True, slots=True)
class Decided:
    """One answer of a person to what was put to them (W24)."""

    round: int
    choice: RulingChoice
    conflicts: tuple[str, ...]
    text: str
    """What was decided: the person's own words, or the recommendation that was accepted; empty where nothing was."""
    remark: str
    """What the person wrote beside a choice that does not depend on it."""
    reason: str

    @property
    def is_decision(self) -> bool:
        return self.choice in (RulingChoice.ACCEPT, RulingChoice.DECIDE)


def rulings(overview: Overview, about: Iterable[str] | None = None) -> tuple[Decided, ...]:
    """Return all that a person was asked to rule, in order; with `about` only what was ruled on these conflicts."""
    found = (_read(overview, each["round"], ruling) for each in overview.rounds for ruling in each["rulings"])
    wanted = None if about is None else set(about)
    return tuple(each for each in found if wanted is None or wanted.intersection(each.conflicts))


def _read(overview: Overview, round_: int, ruling: Mapping[str, Any]) -> Decided:
    choice, conflicts, said = RulingChoice(ruling["choice"]), tuple(ruling["conflicts"]), ruling["decision"]
    match choice:
        case RulingChoice.DECIDE:
            text, remark = said, ""
        case RulingChoice.ACCEPT:
            text, remark = _accepted(overview, round_, conflicts), said
        case RulingChoice.GO_ON | RulingChoice.APPLIED:
            text, remark = "", said
        case _:
            assert_never(choice)
    return Decided(round_, choice, conflicts, text, remark, ruling["reason"])


def _accepted(overview: Overview, round_: int, conflicts: tuple[str, ...]) -> str:
    """The recommendation that was accepted: what its conflicts were resolved with; without any, the last one made."""
    for each in overview.of("CONF"):
        if each["id"] in conflicts and each["resolution_method"] == PERSON and each["resolved_round"] == round_:
            return str(each["resolution"])
    made = [str(each.get("recommendation") or "") for each in overview.rounds if each["round"] <= round_]
    return next((words for words in reversed(made) if words.strip()), "")


def told_in_full(overview: Overview, found: Iterable[Decided]) -> Iterator[str]:
    """Yield each ruling with its conflicts, what was decided and why; what a person said stays as it was said."""
    titles = {each["id"]: each["title"] for each in overview.artifacts}
    for each in found:
        on = "; ".join(f"{line(id_)}: {line(titles[id_])}" if id_ in titles else line(id_) for id_ in each.conflicts)
        yield f"### Round {each.round}: {_choice(each.choice)}"
        yield f"**Conflicts:** {on or 'none was open'}"
        yield f"**Decided:** {_quoted(each.text) or UNTOLD}" if each.is_decision else "**Decided:** nothing"
        if remark := _quoted(each.remark):
            yield f"**The person's remark:** {remark}"
        yield f"**Reason:** {_quoted(each.reason) or NOTHING}"


def _choice(choice: RulingChoice) -> str:
    match choice:
        case RulingChoice.ACCEPT:
            return "a person accepted the facilitator's recommendation"
        case RulingChoice.DECIDE:
            return "a person decided in words of their own"
        case RulingChoice.APPLIED:
            return "a person said that what was ruled is applied"
        case RulingChoice.GO_ON:
            return "a person was asked, and nothing was decided"
        case _:
            assert_never(choice)


def _quoted(text: str) -> str:
    return verbatim(paragraphs(text))


def told_in_short(each: Decided) -> str:
    """Return a ruling on one line: the choice, the conflicts, what was decided and why."""
    on = f" on {', '.join(map(line, each.conflicts))}" if each.conflicts else ""
    words = f": {verbatim(line(each.text)) or UNTOLD}" if each.is_decision else ""
    remark = f" (remark: {verbatim(line(each.remark))})" if each.remark.strip() else ""
    reason = f" (because: {verbatim(line(each.reason))})" if each.reason.strip() else ""
    return f"{_choice(each.choice)}{on}{words}{remark}{reason}"


# The conflicts of an artifact


def conflicts_of(overview: Overview, artifact: Artifact) -> tuple[Artifact, ...]:
    """Return the conflicts that are about an artifact or on its topic; a conflict itself is in none."""
    if artifact["type"] in ("CONF", "RUL"):
        return ()
    topic = artifact["topic_id"]
    return tuple(
        each for each in overview.of("CONF") if artifact["id"] in each["about"] or (topic and each["topic_id"] == topic)
    )


def disputes(overview: Overview, artifact: Artifact) -> str:
    """Return the conflicts of an artifact with their resolutions, and the rulings that hold it, on one line."""
    waiting = (f"{each['id']} of a person is NOT APPLIED" for each in holding(overview, artifact))
    return "; ".join((*(_dispute(each, artifact) for each in conflicts_of(overview, artifact)), *waiting))


def holding(overview: Overview, artifact: Artifact) -> tuple[Artifact, ...]:
    """Return the rulings that are not applied and name an artifact or its topic: they hold it in draft (W18)."""
    if artifact["type"] in ("OQ", "CONF", "RUL"):
        return ()
    return tuple(
        each
        for each in overview.of("RUL")
        if each["status"] == "open"
        and (artifact["id"] in each["about"] or (_is_on_topic(each) and each["topic_id"] == artifact["topic_id"]))
    )


def _is_on_topic(ruling: Artifact) -> bool:
    """Whether it names a topic, and so everything of it."""
    return any("-" not in key for key in ruling["about"])


def _dispute(conflict: Artifact, artifact: Artifact) -> str:
    own, about = artifact["id"] in conflict["about"], [each for each in conflict["about"] if "-" in each]
    name = conflict["id"] if own or not about else f"{conflict['id']} (about {line(', '.join(about))})"
    if conflict["status"] == "open":
        return f"{name} is open" if own else f"{name} is open on the same topic"
    at = f" in round {conflict['resolved_round']}" if conflict["resolved_round"] is not None else ""
    if conflict["resolution_method"] == PERSON:
        return f"{name}, decided by a person{at}"
    return f"{name}, resolved{method(conflict)}{at}"


def method(artifact: Artifact) -> str:
    """How a matter was resolved, such as ` by majority`; empty where that is not on record."""
    words = line(artifact["resolution_method"].replace("_", " "))
    return f" by {words}" if words else ""
