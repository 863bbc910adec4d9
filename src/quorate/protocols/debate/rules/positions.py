"""Typed positions of a debate: weights of critiques, answers to them, and the judge's decisions.

What an agent proposes is prose, and nobody says by a typed word which proposal it prefers; so only the judge takes a
position on the problem as a whole, when it synthesises. Critics and authors take theirs on one text or one critique of
one round, which is another thing in the next.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorate.core.record import Record, Said
from quorate.core.types import Absent, Seat
from quorate.kit.positions import MATTER, Position
from quorate.kit.settings import read_settings
from quorate.protocols.debate.rules.model import (
    JUDGE,
    Critiques,
    DebateSettings,
    Evaluation,
    Refinement,
    Stance,
    Synthesis,
    Weight,
)
from quorate.protocols.debate.rules.protocol import Debate, convinced, counted

MET, GAPS = "no major requirement is unfulfilled", "a major requirement is unfulfilled"


def positions(record: Record) -> tuple[Position, ...]:
    """Return the positions of critics, authors and the judge, in the order of their replies."""
    settings = read_settings(DebateSettings, record.protocol.settings)
    debate = Debate(settings, record.opening.seed)
    agents = tuple(Seat(name) for name in settings.agents)
    under_way = {ask.id for ask in record.session.asks}
    said = (line for line in record.log if isinstance(line, Said) and not isinstance(line.reply, Absent))
    return tuple(each for line in said if line.ask.id not in under_way for each in _taken(debate, agents, line))


def _taken(debate: Debate, agents: tuple[Seat, ...], said: Said) -> Iterator[Position]:
    seat, round_, seq = said.ask.seat, said.round, said.envelope.seq
    match said.reply:
        case Critiques(critiques=given):
            labels = debate.labels("proposal", round_, seat)
            for key, critique in given.items():
                about = f"the text of {labels[key]} in round {round_}"
                yield Position(seat, round_, about, critique.weight.value, critique.weight is Weight.MINOR, seq)
        case Refinement(responses=given):
            labels = debate.labels("critique", round_, seat)
            for key, response in given.items():
                critic, accepted = labels[key], response.stance is Stance.ACCEPTED
                about = f"the critique of {critic} in round {round_}"
                yield Position(seat, round_, about, response.stance.value, accepted, seq, (critic,))
        case Evaluation(confidence=confidence):
            condition = debate.settings.termination_condition
            about = f"{condition.type.value} after round {round_}"
            reached = convinced(confidence, condition).held
            stance = f"{'reached' if reached else 'not reached'}, {confidence} of 100"
            yield Position(JUDGE, round_, about, stance, reached, seq, agents, confidence)
        case Synthesis(gaps=gaps) as synthesis:
            words = GAPS if gaps else MET
            yield Position(JUDGE, round_, MATTER, words, not gaps, seq, agents, counted(synthesis))
        case _:
            return
