"""The council of version 1, which sessions and bundles that began under it are read with; frozen."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.protocol import Protocol
from quorate.kit.channel import declared
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.settings import plain
from quorate.protocols.council.version_1.rules.board import board
from quorate.protocols.council.version_1.rules.domains import MATERIAL, domains
from quorate.protocols.council.version_1.rules.gauges import gauges
from quorate.protocols.council.version_1.rules.lenses import select_modes
from quorate.protocols.council.version_1.rules.model import (
    GATES,
    HELD_BY_CODE,
    MATCHER,
    CouncilSettings,
    Phase,
    State,
    Verdict,
)
from quorate.protocols.council.version_1.rules.positions import positions
from quorate.protocols.council.version_1.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Council
from quorate.protocols.council.version_1.rules.replies import progress
from quorate.protocols.council.version_1.rules.result import documents, files, findings, owes, result, show
from quorate.protocols.council.version_1.rules.result.budget import RESERVED, TOKENS
from quorate.protocols.council.version_1.rules.simulation import JUDGING
from quorate.protocols.council.version_1.rules.tolerance import tolerance
from quorate.protocols.council.version_1.rules.views import Views

__all__ = ["DEFINITION", "build"]


def build(settings: CouncilSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the council for these settings; the lenses are drawn here, from `session_seed` or the session's seed."""
    council = Council(settings, select_modes(settings.drawn_from(seed)))
    seats = council.seats()
    return Protocol(
        name="council",
        version="1",
        start=council.start(),
        initial=Phase.INIT,
        nodes=council.nodes(),
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
        interchangeable=(frozenset(seats),) if len(seats) > 1 else (),
        checks=frozenset({GATES, MATCHER}),
        limits=council.limits(),
        progress=progress,
        round=lambda state: max(1, state.cycle),
        degradation=council.degradation,
    )


DEFINITION = Definition(
    name="council",
    title="Three reviewers with drawn lenses, gates and a quorum decide on an RFC and its tickets",
    settings=CouncilSettings,
    build=build,
    package="quorate.protocols.council.version_1",
    result=result,
    show=show,
    world="quorate.protocols.council.world.door:WORLD",
    tokens=TOKENS - RESERVED,
    amended="as edited; the patch",
    examines=True,
    judging=JUDGING,
    positions=positions,
    tolerance=tolerance,
    brings=(
        Input("rfc", "the folder with the ten files of the RFC", Kind.FOLDER, required=True, title="RFC"),
        Input("tickets", "where the tickets lie", Kind.FOLDER),
        Input("prd", "where the PRD lies", Kind.FOLDER, title="PRD"),
        Input("ccp", "where the index of the code lies", Kind.FOLDER, title="CCP"),
        Input("repo", "the repository; its tree stands in for a missing index", Kind.FOLDER),
    ),
    findings=findings,
    owes=owes,
    board=board,
    gauges=gauges,
    files=files,
    documents=documents,
    reports={"council-report.md": "report.md.j2"},
    material=MATERIAL,
    profiles={
        "the council": {},
        "the council, nine gates": {"gates": "nine"},
        "one seat, STANDARD": {"depth": "STANDARD"},
        "fail fast, quorum of three, evidence alone": {"fail_fast": True, "quorum": 3, "channel": "evidence"},
        "with edits": {"remediate": True, "max_episodes": None, "stall_after": None},
        "few episodes, lesser deadlocks": {"max_episodes": 9, "deadlock_min_severity": "BLOCKER", "most_majors": 0},
    },
)
