"""The workshop of version 1, which sessions and bundles that began under it are read with; frozen."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.lifecycle import as_table
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.kit.tolerance import NoVote
from quorate.protocols.workshop.version_1.rules import next_action
from quorate.protocols.workshop.version_1.rules.board import board
from quorate.protocols.workshop.version_1.rules.domains import MATERIAL, domains
from quorate.protocols.workshop.version_1.rules.gauges import gauges
from quorate.protocols.workshop.version_1.rules.lives import ARTIFACT, MATTER, ROUND, SESSION, TOPIC
from quorate.protocols.workshop.version_1.rules.model import CLERK, FACILITATOR, PERSON, Phase, State, Verdict
from quorate.protocols.workshop.version_1.rules.offers import OFFERS
from quorate.protocols.workshop.version_1.rules.plan import plan_of
from quorate.protocols.workshop.version_1.rules.positions import positions
from quorate.protocols.workshop.version_1.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Workshop
from quorate.protocols.workshop.version_1.rules.result import result, show
from quorate.protocols.workshop.version_1.rules.settings import WorkshopSettings
from quorate.protocols.workshop.version_1.rules.simulation import JUDGING
from quorate.protocols.workshop.version_1.rules.synthesis import Synthesis, made
from quorate.protocols.workshop.version_1.rules.views import Views
from quorate.protocols.workshop.version_1.rules.workflows import WORKFLOWS

__all__ = ["DEFINITION", "build"]


def build(settings: WorkshopSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the workshop for these settings; a participant without a role file raises SettingError."""
    plan = plan_of(settings)
    roles = roles_in(briefs)
    for seat in plan.participants:
        if seat not in roles:
            raise SettingError(
                f"names {seat!r}, which has no role file",
                key="participants",
                expected="roles among " + ", ".join(sorted({*roles} - {FACILITATOR})),
                nearest=nearest(seat, roles),
            )
    seated = (FACILITATOR, *plan.participants)
    unused = set() if settings.interactive else {"pause"}
    votes = any(scene.stage.value == "convergence" for scene in plan.strategy.scenes)
    unused |= set() if votes else {"vote"}
    workshop = Workshop(plan)
    return Protocol(
        name="workshop",
        version="1",
        start=workshop.start(),
        initial=Phase.OPENING,
        nodes=workshop.nodes(),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts={Phase.CLOSED: workshop.conclude, Phase.ABORTED: lambda _: Verdict.ABORTED},
        exit_codes=EXIT_CODES,
        seats=(FACILITATOR, *plan.participants, PERSON, CLERK),
        view=Views(plan),
        briefs={name: text for name, text in with_roles(briefs, seated).items() if name not in unused},
        domains=domains(plan),
        settings=plain(settings),
        interchangeable=() if plan.sides else (frozenset(plan.participants),),
        people=frozenset({PERSON}),
        checks=frozenset({CLERK}),
        limits=workshop.limits(),
        progress=_progress,
        round=lambda state: state.round,
        degradation=workshop.degradation,
    )


def _progress(reply: Reply) -> bool:
    """Whether a reply is progress: a synthesis that adds or changes something is, other replies are not."""
    return isinstance(reply, Synthesis) and bool(next(made(reply), None) or reply.changes or reply.covered)


_TWO = {"participants": ["software-architect", "technical-lead"], "min_rounds": 1}

DEFINITION = Definition(
    name="workshop",
    title="A facilitator leads participants through an agenda; requirements, decisions and ideas come out",
    settings=WorkshopSettings,
    build=build,
    package="quorate.protocols.workshop.version_1",
    result=result,
    show=show,
    world="quorate.protocols.workshop.world.door:WORLD",
    board=board,
    gauges=gauges,
    judging=JUDGING,
    positions=positions,
    tolerance=lambda _: NoVote("a workshop concludes by its agenda, its rounds or a person (W22)"),
    brings=(
        Input("topic", "what the workshop is about", Kind.TEXT, required=True),
        Input("kind", "what it is for; needed unless there is an agenda", Kind.CHOICE, choices=WORKFLOWS),
        Input("agenda", "an agenda of your own", Kind.FILE),
        Input("context", "a folder that participants may read", Kind.FOLDER),
        Input("documents", "where to leave the documents", Kind.FOLDER),
        Input("merge", "add to documents that are there; ids go on from theirs", Kind.FLAG),
        Input("export", "where to leave the session as a YAML file with its rounds", Kind.FOLDER),
    ),
    offers=OFFERS,
    tables={
        "Next action": next_action.as_table(),
        **{f"Life cycle: {life.name}": as_table(life) for life in (SESSION, ROUND, TOPIC, ARTIFACT, MATTER)},
    },
    material=MATERIAL,
    profiles={
        "specs, standard": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 2,
            "max_rounds_per_conflict": 2,
        },
        "specs, standard, from two to four rounds": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "min_rounds": 2,
            "max_rounds": 4,
        },
        "specs, consensus-driven": {**_TWO, "workflow": "specs", "max_rounds": 5},
        "design, debate": {**_TWO, "workflow": "design", "max_rounds": 4},
        "design, six-hats": {**_TWO, "workflow": "design", "strategy": "six-hats", "max_rounds": 8},
        "brainstorm, disney": {**_TWO, "workflow": "brainstorm", "max_rounds": 5},
        "interactive, the required topics": {
            **_TWO,
            "workflow": "open",
            "strategy": "standard",
            "max_rounds": 2,
            "interactive": True,
            "conclude_on": "required",
        },
        "few episodes, no escalation": {
            **_TWO,
            "workflow": "open",
            "strategy": "standard",
            "max_rounds": 2,
            "escalation": False,
            "max_episodes": 7,
            "stall_after": 5,
        },
    },
)
