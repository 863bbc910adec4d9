"""The definition of the debate for the catalog: how it is built, proven, shown and simulated."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind, Shortcut
from quorate.kit.qualification import check_unqualified
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.protocols.debate.rules.board import board
from quorate.protocols.debate.rules.domains import MATERIAL, domains
from quorate.protocols.debate.rules.fates import fates
from quorate.protocols.debate.rules.gauges import gauges
from quorate.protocols.debate.rules.invariants import invariants
from quorate.protocols.debate.rules.model import JUDGE, PERSON, Agent, DebateSettings, Phase, State, role_of
from quorate.protocols.debate.rules.positions import positions
from quorate.protocols.debate.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, VERDICTS, Debate
from quorate.protocols.debate.rules.result import result, show
from quorate.protocols.debate.rules.schedule import schedule
from quorate.protocols.debate.rules.simulation import JUDGING
from quorate.protocols.debate.rules.tolerance import tolerance
from quorate.protocols.debate.rules.views import Views, blindness

SAMPLE = """\
# Design the storage of an audit log for a small online shop

- Every change of an order must be recorded, with who made it and when.
- Entries must not be changed or deleted afterwards without being noticed.
- Support staff should find all entries of one order within a second.
- The shop runs on one server with PostgreSQL; new services should be avoided.
"""


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
    agents, notes = tuple(Seat(name) for name in settings.agents), frozenset(settings.unqualified_seats)
    check_unqualified(notes, (*agents, JUDGE, PERSON))
    return Protocol(
        name="debate",
        version="2",
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
        blindness=blindness(settings.anonymous, settings.agents),
        invariants=invariants(settings),
        interchangeable=(frozenset(agents) - notes, frozenset(agents) & notes) if notes else (frozenset(agents),),
        people=frozenset({PERSON}),
        limits=debate.limits(),
        round=lambda state: state.round,
        degradation=debate.degradation,
    )


def _argued(given: Mapping[str, str]) -> tuple[str, ...]:
    return (
        "Have this argued: write down the problem with the requirements and constraints that you know of from "
        "this project, show it to me in two sentences, and call `open_debate` with it.",
        given["question"],
    )


ARGUE_A_DECISION = Shortcut(
    "argue_a_decision",
    "Argue a decision",
    "Agents with different roles debate a question.",
    (Input("question", "What is to be decided, with what speaks for each side.", Kind.TEXT, required=True),),
    _argued,
)

DEFINITION = Definition(
    name="debate",
    title="Agents propose, criticise and refine; a judge synthesises",
    settings=DebateSettings,
    build=build,
    package="quorate.protocols.debate",
    earlier={"1": "quorate.protocols.debate.version_1.definition:DEFINITION"},
    result=result,
    show=show,
    fates=fates,
    entries_rule="D33",
    lab="quorate.protocols.debate.lab.trial:LAB",
    exam="exam",
    tool="""Let several agents with different roles argue a problem, criticise and refine one another's proposals,
and a judge synthesise one solution. For decisions with real alternatives.""",
    shortcuts=(ARGUE_A_DECISION,),
    board=board,
    gauges=gauges,
    schedule=schedule,
    judging=JUDGING,
    positions=positions,
    tolerance=tolerance,
    brings=(
        Input("problem", "what is to be debated", Kind.TEXT, required=True),
        Input("context", "a folder that agents may read", Kind.FOLDER),
    ),
    sample={"problem.md": SAMPLE},
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
        "two agents, one of them and the judge unqualified": {
            "agents": ["architect", "security"],
            "rounds": 2,
            "termination_condition": {"type": "quality"},
            "unqualified_seats": ["security", "judge"],
        },
    },
)
