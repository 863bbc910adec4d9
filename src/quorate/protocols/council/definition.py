"""The council's plugin definition: how it is built, verified, shown and simulated."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.channel import declared
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind, Shortcut
from quorate.kit.qualification import check_unqualified
from quorate.kit.settings import plain
from quorate.protocols.council.rules.blindness import blindness
from quorate.protocols.council.rules.board import board
from quorate.protocols.council.rules.domains import MATERIAL, domains
from quorate.protocols.council.rules.fates import fates
from quorate.protocols.council.rules.gauges import gauges
from quorate.protocols.council.rules.invariants import invariants
from quorate.protocols.council.rules.lenses import select_modes
from quorate.protocols.council.rules.model import (
    GATES,
    HELD_BY_CODE,
    MATCHER,
    CouncilSettings,
    Phase,
    State,
    Verdict,
)
from quorate.protocols.council.rules.positions import positions
from quorate.protocols.council.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Council
from quorate.protocols.council.rules.qualification import of_quiet, read_quietly, unheard, without_notes
from quorate.protocols.council.rules.replies import progress
from quorate.protocols.council.rules.result import documents, files, findings, owes, result, show
from quorate.protocols.council.rules.result.budget import RESERVED, TOKENS
from quorate.protocols.council.rules.sample import SAMPLE
from quorate.protocols.council.rules.schedule import schedule
from quorate.protocols.council.rules.simulation import JUDGING
from quorate.protocols.council.rules.tolerance import tolerance
from quorate.protocols.council.rules.views import Views

__all__ = ["DEFINITION", "build"]


def build(settings: CouncilSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the council for these settings; the lenses are drawn here, from `session_seed` or the session's seed."""
    council = Council(settings, select_modes(settings.drawn_from(seed)))
    seats, notes = council.seats(), frozenset(map(Seat, settings.unqualified_seats))
    check_unqualified(notes, seats)
    return Protocol(
        name="council",
        version="2",
        start=council.start(),
        initial=Phase.INIT,
        nodes=without_notes(council.nodes(), notes),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts={
            Phase.CONVERGED: council.conclude,
            Phase.DEADLOCKED: lambda _: Verdict.NEEDS_ADJUDICATION,
            Phase.ABORTED: lambda _: Verdict.ABORTED,
        },
        exit_codes=EXIT_CODES,
        rulings={
            Verdict.NEEDS_ADJUDICATION: (
                Verdict.APPROVED,
                Verdict.APPROVED_WITH_REMEDIATION,
                Verdict.REJECTED,
            )
        },
        seats=(*seats, *HELD_BY_CODE),
        view=Views(council),
        briefs=council.briefs(briefs),
        domains=domains(settings),
        settings=declared(plain(settings)),
        blindness=blindness(settings.channel),
        invariants=(*(of_quiet(each, notes) for each in invariants(settings)), *unheard(notes)),
        interchangeable=tuple(group for group in (frozenset(seats) - notes, notes) if len(group) > 1),
        checks=frozenset({GATES, MATCHER}),
        limits=council.limits(),
        progress=progress,
        round=lambda state: max(1, state.cycle),
        degradation=council.degradation,
    )


def _gated(given: Mapping[str, str]) -> tuple[str, ...]:
    return (f"Have the RFC in `{given['folder']}` decided on: call `open_council` with that folder.",)


GATE_AN_RFC = Shortcut(
    "gate_an_rfc",
    "Gate an RFC",
    "Gates and three reviewers decide on an RFC folder.",
    (Input("folder", "The folder of the RFC, inside the project.", Kind.LINE, required=True),),
    _gated,
    after="If a person has to rule, say what is in dispute and leave the ruling to me.",
)

DEFINITION = Definition(
    name="council",
    title="Three reviewers with drawn lenses, gates and a quorum decide on an RFC and its tickets",
    settings=CouncilSettings,
    build=build,
    package="quorate.protocols.council",
    earlier={"1": "quorate.protocols.council.version_1.definition:DEFINITION"},
    result=read_quietly(result),
    show=show,
    world="quorate.protocols.council.world.door:WORLD",
    schemas={"rfc_review": "rfc_review.schema.json"},
    tokens=TOKENS - RESERVED,
    amended="as edited; the patch",
    lab="quorate.protocols.council.lab.trial:LAB",
    exam="exam",
    measures="measures.yaml",
    tool="""Let gates and three reviewers with drawn lenses decide on an RFC folder: approved, approved with
remediation, rejected, or a person has to rule. Nothing in the folder is changed.""",
    shortcuts=(GATE_AN_RFC,),
    examines=True,
    schedule=schedule,
    judging=JUDGING,
    positions=read_quietly(positions),
    tolerance=read_quietly(tolerance),
    brings=(
        Input("rfc", "the folder with the ten files of the RFC", Kind.FOLDER, required=True, title="RFC"),
        Input("tickets", "where the tickets lie", Kind.FOLDER),
        Input("prd", "where the PRD lies", Kind.FOLDER, title="PRD"),
        Input("ccp", "where the index of the code lies", Kind.FOLDER, title="CCP"),
        Input("repo", "the repository; its tree stands in for a missing index", Kind.FOLDER),
    ),
    findings=read_quietly(findings),
    fates=read_quietly(fates),
    entries_rule="C28",
    owes=read_quietly(owes),
    board=read_quietly(board),
    gauges=read_quietly(gauges),
    files=read_quietly(files),
    documents=read_quietly(documents),
    reports={"council-report.md": "report.md.j2"},
    sample=SAMPLE,
    material=MATERIAL,
    profiles={
        "the council": {},
        "the council, nine gates": {"gates": "nine"},
        "one seat, STANDARD": {"depth": "STANDARD"},
        "fail fast, quorum of three, evidence alone": {"fail_fast": True, "quorum": 3, "channel": "evidence"},
        "with edits": {"remediate": True, "max_episodes": None, "stall_after": None},
        "the seed to the letter": {"reading": "seed"},
        "one seat, unqualified": {"depth": "STANDARD", "unqualified_seats": ["SA-1"]},
        "one of three unqualified, fail fast": {"fail_fast": True, "unqualified_seats": ["SA-3"]},
        "few episodes, lesser deadlocks": {"max_episodes": 9, "deadlock_min_severity": "BLOCKER", "most_majors": 0},
    },
)
