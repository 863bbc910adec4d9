"""Seats whose model has not passed the exam: what their replies decide is decided as if they had said nothing of it.

Of a participant its confidence is kept, for it has answered; where it would count, `Plan.voices` leaves it out.
What an unqualified facilitator writes stands; what it reports is refused where it is taken (W41).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from quorate.core.decisions import Decision
from quorate.core.forms import Keyed, Reply
from quorate.core.protocol import Node
from quorate.core.record import Record
from quorate.core.types import Absent, Replies, Seat
from quorate.core.values import replace
from quorate.core.view import Section
from quorate.kit.qualification import TOLD, unqualified_facts
from quorate.kit.settings import UNQUALIFIED_SEATS
from quorate.protocols.workshop.rules.forms import PauseChoice, PauseReply, Response, Ruling, RulingChoice, Votes
from quorate.protocols.workshop.rules.model import FACILITATOR, Phase, State

DECIDING = (Phase.RESPONSES, Phase.SYNTHESIS, Phase.PAUSE, Phase.ESCALATION)
"""The phases in which not all counts that an unqualified seat says; its choice of a focus does (W41)."""

LEADS = (
    "You have not passed the exam of this protocol. You choose the focus, ask and write. What you write is a draft "
    "until others vote upon it or a person rules. What you say of support and of criteria is passed over; you open no "
    "conflict, resolve and endorse nothing, and move nothing that is agreed upon."
)
"""What an unqualified facilitator is told (W41)."""


def silence(reply: Reply | Absent) -> Reply | Absent:
    """Return a reply without what would follow from it; a synthesis as it is."""
    match reply:
        case Response():
            return replace(reply, contested=(), applied=())
        case Votes():
            return replace(reply, votes=Keyed())
        case Ruling():
            return replace(reply, choice=RulingChoice.GO_ON)
        case PauseReply():
            return replace(reply, choice=PauseChoice.GO_ON)
        case _:
            return reply


def silenced(replies: Replies, unqualified: Collection[str]) -> Replies:
    """Return the replies as decisions take them."""
    return Replies(tuple((ask, silence(reply) if ask.seat in unqualified else reply) for ask, reply in replies))


def without_notes(nodes: Mapping[Phase, Node[State]], unqualified: Collection[str]) -> Mapping[Phase, Node[State]]:
    """Return phases that do not count the words of these seats, and say of whom they did not."""
    if not unqualified:
        return nodes
    return {phase: _deaf(node, unqualified) if phase in DECIDING else node for phase, node in nodes.items()}


def _deaf(node: Node[State], unqualified: Collection[str]) -> Node[State]:
    def decide(state: State, replies: Replies) -> Decision[State]:
        made = node.decide(state, silenced(replies, unqualified))
        return replace(made, facts=(*made.facts, *unqualified_facts(replies, unqualified)))

    return replace(node, decide=decide)


def how_it_counts(seat: Seat, unqualified: Collection[str]) -> Iterator[Section]:
    """Yield to an unqualified seat that nothing follows from what it says, or what of it does."""
    if seat in unqualified:
        yield Section("How your word counts", LEADS if seat == FACILITATOR else TOLD, data=False)


def unqualified_in(record: Record) -> tuple[str, ...]:
    """Return the seats whose words are notes in this session."""
    found: tuple[str, ...] = tuple(record.protocol.settings.get(UNQUALIFIED_SEATS, ()))
    return found
