"""The board of a workshop: the agenda with its criteria, and every artifact with its history by round.

Answers of a round under way are not in it: what was said makes something when its phase is over (W9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from quorate.core.record import Record
from quorate.core.types import Absent, Seat
from quorate.kit.board import ArtifactCard, Board, Criterion, Dated, TopicCard
from quorate.protocols.workshop.rules.agreement import blocks
from quorate.protocols.workshop.rules.artifacts import artifacts
from quorate.protocols.workshop.rules.excerpts import value_text
from quorate.protocols.workshop.rules.forms import Consent, RulingChoice, Votes
from quorate.protocols.workshop.rules.history import Happened, happened
from quorate.protocols.workshop.rules.result import topics, warnings
from quorate.protocols.workshop.rules.rounds import rounds

Data = Mapping[str, Any]
PEOPLE = ("about", "supported_by", "opposed_by", "contested_by", "supersedes")
TEXTS = ("superseded_by", "withdrawn_because", "resolution", "resolution_method")


def board(record: Record) -> Board:
    """Return the agenda, the artifacts in the order of their making, and the warnings of the result."""
    told = _histories(record)
    return Board(
        topics=tuple(map(_topic, topics(record))),
        artifacts=tuple(_artifact(each, told.get(each["id"], [])) for each in artifacts(record)),
        warnings=tuple(warnings(record, rounds(record))),
    )


def _topic(data: Data) -> TopicCard:
    return TopicCard(
        id=data["topic_id"],
        name=data["name"],
        status=data["status"],
        required=data["critical"],
        stage=data["stage"],
        minimum=data["minimum"],
        counted=data["counted"],
        criteria=tuple(Criterion(each["text"], each["met"], each["round"]) for each in data["criteria"]),
    )


def _artifact(data: Data, history: list[Dated]) -> ArtifactCard:
    matter = data["status"] in ("open", "resolved")
    return ArtifactCard(
        id=data["id"],
        kind=data["type"],
        title=data["title"],
        status=data["status"],
        agreement="" if matter else data["agreement"],
        topic=data["topic_id"],
        by=(data["proposed_by"],) if data["proposed_by"] else tuple(data["supported_by"]),
        round=data["created_round"],
        fields=tuple((name, text) for name, text in _fields(data) if text),
        history=tuple(_with_words(data, history)),
    )


def _fields(data: Data) -> Iterator[tuple[str, str]]:
    """Return the artifact's own fields, then supporters and opponents, then its history."""
    for name, value in data["fields"].items():
        yield name.replace("_", " "), _text(value)
    for name in PEOPLE:
        yield name.replace("_", " "), ", ".join(data[name])
    for name in TEXTS:
        yield name.replace("_", " "), data[name]


def _text(value: Any) -> str:
    """A field as prose: a list becomes one in Markdown."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(f"- {_item(each)}" for each in value)
    return str(value)


def _item(value: Any) -> str:
    if isinstance(value, dict) and "participant" in value:
        return f"{value['participant']}: {value['stance']} ({value['rationale']})"
    return value_text(value)


def _with_words(data: Data, history: list[Dated]) -> Iterator[Dated]:
    """Say what each amendment was, in the facilitator's words."""
    summaries = [each["summary"] for each in data["amendments"]]
    for each in history:
        amended = each.says == "amended" and summaries
        yield Dated(each.round, f"amended: {summaries.pop(0)}") if amended else each


# Histories


def _histories(record: Record) -> dict[str, list[Dated]]:
    """What every decision says of each artifact, by id, in order."""
    found: dict[str, list[Dated]] = {}
    for each in happened(record):
        for fact in each.facts(*_SAYS):
            for key, says in _SAYS[fact["fact"]](each, fact):
                found.setdefault(key, []).append(Dated(each.round, says))
    return found


Told = Iterator[tuple[str, str]]


def _done(_: Happened, fact: Data) -> Told:
    yield fact["id"], fact["fact"]


def _issued(_: Happened, fact: Data) -> Told:
    yield fact["id"], f"made ({fact['agreement']})"


def _superseded(_: Happened, fact: Data) -> Told:
    yield fact["id"], f"superseded by {fact['by']}"
    yield fact["by"], f"supersedes {fact['id']}"


def _contested(each: Happened, fact: Data) -> Told:
    yield fact["id"], f"{fact['fact']}: {fact['conflict']} is opened"
    yield fact["conflict"], f"opened by code about {fact['id']}"


def _refused(_: Happened, fact: Data) -> Told:
    yield fact["id"], f"refused: {fact['why']}"


def _voted(each: Happened, fact: Data) -> Told:
    """Every participant's vote; who gave none was absent, or left this draft out."""
    words = []
    for said in each.said:
        vote = said.reply.votes.get(fact["id"]) if isinstance(said.reply, Votes) else None
        if vote is not None:
            bare = " without a least change" if vote.stance is Consent.BLOCK and not blocks(vote) else ""
            words.append(f"{said.ask.seat} {vote.stance.value}{bare}{_note(each, said.ask.seat)}")
        else:
            gone = f"absent ({said.reply.reason.value})" if isinstance(said.reply, Absent) else "no vote"
            words.append(f"{said.ask.seat} {gone}")
    yield fact["id"], f"voted: {', '.join(sorted(words))}"


def _note(each: Happened, seat: Seat) -> str:
    return " (a note)" if any(fact["seat"] == seat for fact in each.facts("unqualified")) else ""


def _ruled(_: Happened, fact: Data) -> Told:
    choice = RulingChoice(fact["choice"])
    words = {
        RulingChoice.ACCEPT: "a person accepts what the facilitator recommends",
        RulingChoice.DECIDE: "a person decides",
        RulingChoice.APPLIED: "a person says that rulings are applied",
        RulingChoice.GO_ON: "a person lets them go on",
    }
    for key in filter(None, fact["conflicts"].split(", ")):
        yield key, words[choice]


_SAYS: dict[str, Callable[[Happened, Data], Told]] = {
    "issued": _issued,
    "superseded": _superseded,
    "contested": _contested,
    "blocked": _contested,
    "refused": _refused,
    "vote": _voted,
    "ruling": _ruled,
    "ruled": lambda _, fact: iter([(fact["id"], "ruled by a person")]),
    "denied": lambda _, fact: iter([(fact["id"], f"not applied, says {fact['by']}")]),
    "applied": lambda _, fact: iter([(fact["id"], f"applied, says {fact['by']}")]),
    **dict.fromkeys(("amended", "reverted", "withdrawn", "resolved", "endorsed"), _done),
}
