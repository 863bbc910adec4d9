"""The definition of the workshop for the catalog: how it is built, proven, shown and simulated."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind, Shortcut
from quorate.kit.lifecycle import as_table
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.kit.tolerance import NoVote
from quorate.protocols.workshop.rules import next_action
from quorate.protocols.workshop.rules.board import board
from quorate.protocols.workshop.rules.domains import MATERIAL, domains
from quorate.protocols.workshop.rules.fates import fates
from quorate.protocols.workshop.rules.gauges import gauges
from quorate.protocols.workshop.rules.invariants import invariants
from quorate.protocols.workshop.rules.lives import ARTIFACT, MATTER, ROUND, SESSION, TOPIC
from quorate.protocols.workshop.rules.model import CLERK, FACILITATOR, PERSON, Phase, State, Verdict
from quorate.protocols.workshop.rules.offers import OFFERS
from quorate.protocols.workshop.rules.plan import Plan, plan_of
from quorate.protocols.workshop.rules.positions import positions
from quorate.protocols.workshop.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Workshop
from quorate.protocols.workshop.rules.qualification import without_notes
from quorate.protocols.workshop.rules.result import result, show
from quorate.protocols.workshop.rules.schedule import schedule
from quorate.protocols.workshop.rules.settings import USUAL_DOCUMENTS, WorkshopSettings
from quorate.protocols.workshop.rules.simulation import JUDGING
from quorate.protocols.workshop.rules.synthesis import Synthesis, made
from quorate.protocols.workshop.rules.views import Views, blindness
from quorate.protocols.workshop.rules.workflows import WORKFLOWS

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
        version="2",
        start=workshop.start(),
        initial=Phase.OPENING,
        nodes=without_notes(workshop.nodes(), settings.unqualified_seats),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts={Phase.CLOSED: workshop.conclude, Phase.ABORTED: lambda _: Verdict.ABORTED},
        exit_codes=EXIT_CODES,
        seats=(FACILITATOR, *plan.participants, PERSON, CLERK),
        view=Views(plan),
        briefs={name: text for name, text in with_roles(briefs, seated).items() if name not in unused},
        domains=domains(plan),
        settings=plain(settings),
        blindness=blindness(),
        invariants=invariants(plan),
        interchangeable=_interchangeable(plan),
        people=frozenset({PERSON}),
        checks=frozenset({CLERK}),
        limits=workshop.limits(),
        progress=_progress,
        round=lambda state: state.round,
        degradation=workshop.degradation,
    )


def _interchangeable(plan: Plan) -> tuple[frozenset[Seat], ...]:
    """Return who is alike: those who count, and those who do not (W40).

    The place of a participant matters in a debate, and where long documents are divided (W38).
    """
    apart = plan.sides or plan.settings.document_tokens < USUAL_DOCUMENTS
    counting = frozenset(filter(plan.counts, plan.participants))
    groups = (counting, frozenset(plan.participants) - counting)
    return () if apart else tuple(group for group in groups if len(group) > 1)


def _progress(reply: Reply) -> bool:
    """Whether a reply is progress: a synthesis that adds or changes something is, other replies are not."""
    return isinstance(reply, Synthesis) and bool(next(made(reply), None) or reply.changes or reply.covered)


SAMPLE = """\
# An audit log for a small online shop

Support staff have to see who changed an order and when. The shop runs on one server with PostgreSQL and a small team.
Work out what the audit log has to do before anybody builds it.
"""

_TWO = {"participants": ["software-architect", "technical-lead"], "min_rounds": 1}


def _specified(given: Mapping[str, str]) -> tuple[str, ...]:
    into = f", and leave the documents in `{given['documents']}`" if given["documents"] else ""
    return (f"Hold a workshop that specifies this{into}: call `open_workshop` for specs.", given["topic"])


WRITE_A_SPEC = Shortcut(
    "write_a_spec",
    "Write a specification",
    "A workshop works out requirements with a facilitator.",
    (
        Input("topic", "What is to be specified.", Kind.TEXT, required=True),
        Input("documents", "The folder for the documents, inside the project.", Kind.LINE),
    ),
    _specified,
)

DEFINITION = Definition(
    name="workshop",
    title="A facilitator leads participants through an agenda; requirements, decisions and ideas come out",
    settings=WorkshopSettings,
    build=build,
    package="quorate.protocols.workshop",
    earlier={"1": "quorate.protocols.workshop.version_1.definition:DEFINITION"},
    result=result,
    show=show,
    world="quorate.protocols.workshop.world.door:WORLD",
    check_file="quorate.protocols.workshop.world.session_check:check_known",
    lab="quorate.protocols.workshop.lab.trial:LAB",
    exam="exam",
    tool="""Let a facilitator lead participants through an agenda to a specification, a design or ideas;
documents come of it. What does not get settled is put to a person.""",
    shortcuts=(WRITE_A_SPEC,),
    board=board,
    gauges=gauges,
    fates=fates,
    entries_rule="W14",
    schedule=schedule,
    judging=JUDGING,
    positions=positions,
    tolerance=lambda _: NoVote("a workshop concludes by its agenda, its rounds or a person (W22)"),
    brings=(
        Input("topic", "what the workshop is about", Kind.TEXT, required=True),
        Input(
            "kind", "what it is for; needed unless there is an agenda", Kind.CHOICE, choices=WORKFLOWS, sets="workflow"
        ),
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
    sample={"topic.md": SAMPLE},
    material=MATERIAL,
    profiles={
        "specs, standard": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 2,
            "max_rounds_per_conflict": 2,
        },
        "one round, ruled upon without a conflict": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 1,
        },
        "specs, standard, from two to four rounds": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "min_rounds": 2,
            "max_rounds": 4,
        },
        "specs, standard, conflicts put at once": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 3,
            "max_rounds_per_conflict": 1,
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
        "documents in parts": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 2,
            "escalation": False,
            "document_tokens": 1_000,
        },
        "specs, standard, read as the seed": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 2,
            "max_rounds_per_conflict": 2,
            "reading": "seed",
        },
        "specs, consensus-driven, one unqualified": {
            **_TWO,
            "workflow": "specs",
            "max_rounds": 4,
            "unqualified_seats": ["technical-lead"],
        },
        "specs, standard, the facilitator unqualified": {
            **_TWO,
            "workflow": "specs",
            "strategy": "standard",
            "max_rounds": 2,
            "max_rounds_per_conflict": 1,
            "unqualified_seats": ["facilitator"],
        },
        "interactive, nobody qualified": {
            **_TWO,
            "workflow": "open",
            "strategy": "standard",
            "max_rounds": 2,
            "interactive": True,
            "unqualified_seats": ["facilitator", "software-architect", "technical-lead", "person"],
        },
    },
)
