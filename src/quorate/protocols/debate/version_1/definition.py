"""The debate of version 1, which sessions and bundles that began under it are read with; frozen."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.protocols.debate.version_1.rules.board import board
from quorate.protocols.debate.version_1.rules.domains import MATERIAL, domains
from quorate.protocols.debate.version_1.rules.gauges import gauges
from quorate.protocols.debate.version_1.rules.model import JUDGE, PERSON, Agent, DebateSettings, Phase, State, role_of
from quorate.protocols.debate.version_1.rules.positions import positions
from quorate.protocols.debate.version_1.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, VERDICTS, Debate
from quorate.protocols.debate.version_1.rules.result import result, show
from quorate.protocols.debate.version_1.rules.simulation import JUDGING
from quorate.protocols.debate.version_1.rules.tolerance import tolerance
from quorate.protocols.debate.version_1.rules.views import Views


def build(settings: DebateSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the debate for these settings; an agent without a role file raises SettingError."""
    roles = roles_in(briefs)
    for agent in settings.agents:
        if role_of(agent) not in roles:
            raise SettingError(
                f"names {agent!r}, which has no role file",
                key="agents",
                expected="roles among " + ", ".join(sorted(roles)),
                nearest=nearest(role_of(agent), roles),
            )
    briefs = with_roles(briefs, map(role_of, settings.agents))
    debate = Debate(settings, seed)
    agents = tuple(Seat(name) for name in settings.agents)
    return Protocol(
        name="debate",
        version="1",
        start=State(tuple(Agent(seat) for seat in agents)),
        initial=Phase.INITIALIZATION,
        nodes=debate.nodes(),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts=VERDICTS,
        exit_codes=EXIT_CODES,
        seats=(*agents, JUDGE, PERSON),
        view=Views(debate),
        briefs=briefs,
        domains=domains(settings),
        settings=plain(settings),
        interchangeable=(frozenset(agents),),
        people=frozenset({PERSON}),
        limits=debate.limits(),
        round=lambda state: state.round,
        degradation=debate.degradation,
    )


DEFINITION = Definition(
    name="debate",
    title="Agents propose, criticise and refine; a judge synthesises",
    settings=DebateSettings,
    build=build,
    package="quorate.protocols.debate.version_1",
    result=result,
    show=show,
    board=board,
    gauges=gauges,
    judging=JUDGING,
    positions=positions,
    tolerance=tolerance,
    brings=(
        Input("problem", "what is to be debated", Kind.TEXT, required=True),
        Input("context", "a folder that agents may read", Kind.FOLDER),
    ),
    material=MATERIAL,
    profiles={
        "three agents, three rounds, no summaries": {"summarization": {"enabled": False}},
        "three agents, one round, no retries": {"rounds": 1, "retries": 0},
        "two agents, two rounds, stop at convergence": {
            "agents": ["architect", "security"],
            "rounds": 2,
            "termination_condition": {"type": "convergence"},
        },
        "two agents, stop at quality, clarifications": {
            "agents": ["architect", "security"],
            "rounds": 2,
            "termination_condition": {"type": "quality"},
            "interactive_clarifications": True,
            "clarifications_max_iterations": 2,
            "clarifications_max_per_agent": 1,
            "summarization": {"enabled": False},
        },
        "two agents, episode and stall limits": {
            "agents": ["architect", "security"],
            "rounds": 2,
            "max_episodes": 9,
            "stall_after": 3,
            "summarization": {"enabled": False},
        },
    },
)
