"""The review of version 1, which sessions and bundles that began under it are read with; frozen."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.channel import declared
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.protocols.review.version_1.rules.ballot_count import holds_veto
from quorate.protocols.review.version_1.rules.board import board
from quorate.protocols.review.version_1.rules.domains import MATERIAL, domains
from quorate.protocols.review.version_1.rules.gauges import gauges
from quorate.protocols.review.version_1.rules.model import (
    BUSINESS_DRIVER,
    CHAIR,
    CHECKS,
    OFFICES,
    PERSONAS,
    PROPOSER,
    SKEPTIC,
    Member,
    Phase,
    ReviewSettings,
    State,
    Verdict,
    persona_of,
)
from quorate.protocols.review.version_1.rules.positions import positions
from quorate.protocols.review.version_1.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Review
from quorate.protocols.review.version_1.rules.receipt import amended_files, owes
from quorate.protocols.review.version_1.rules.result import findings, result, show
from quorate.protocols.review.version_1.rules.simulation import JUDGING
from quorate.protocols.review.version_1.rules.tolerance import tolerance
from quorate.protocols.review.version_1.rules.views import Views

OFFICE_ROLES = (CHAIR, SKEPTIC, PROPOSER)


def build(settings: ReviewSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the review for these settings; a member without a persona file raises SettingError."""
    settings = replace(settings, members=settings.members or PERSONAS)
    personas = [name for name in roles_in(briefs) if name not in OFFICES and briefs[f"roles/{name}"].strip()]
    for member in settings.members:
        if persona_of(member) not in personas:
            raise SettingError(
                f"names {member!r}, which has no persona file",
                key="members",
                expected="personas among " + ", ".join(sorted(personas)),
                nearest=nearest(persona_of(member), personas),
            )
    briefs = with_roles(briefs, (*map(persona_of, settings.members), *OFFICE_ROLES))
    review, members = Review(settings, seed), tuple(Seat(name) for name in settings.members)
    return Protocol(
        name="review",
        version="1",
        start=State(tuple(Member(seat) for seat in members)),
        initial=Phase.PROPOSAL,
        nodes=review.nodes(),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts={Phase.CONCLUSION: review.conclude, Phase.ABORTED: lambda _: Verdict.ABORTED},
        exit_codes=EXIT_CODES,
        rulings={Verdict.INCONCLUSIVE: (Verdict.APPROVED, Verdict.REQUEST_CHANGES)},
        seats=(*members, *OFFICES),
        view=Views(review),
        briefs=briefs,
        domains=domains(settings),
        settings=declared(plain(settings)),
        interchangeable=_alike(settings, members),
        checks=frozenset({CHECKS}),
        limits=review.limits(),
        round=lambda state: state.round,
        degradation=review.degradation,
    )


def _alike(settings: ReviewSettings, members: tuple[Seat, ...]) -> tuple[frozenset[Seat], ...]:
    """Return the groups of interchangeable members: with a veto and without; the business driver is in neither."""
    others = [seat for seat in members if seat != BUSINESS_DRIVER]
    holders = frozenset(seat for seat in others if holds_veto(settings, seat))
    return tuple(group for group in (holders, frozenset(others) - holders) if len(group) > 1)


DEFINITION = Definition(
    name="review",
    title="A committee with vetoes and a quorum decides on a code change",
    settings=ReviewSettings,
    build=build,
    package="quorate.protocols.review.version_1",
    result=result,
    show=show,
    world="quorate.protocols.review.world.door:WORLD",
    examines=True,
    judging=JUDGING,
    positions=positions,
    tolerance=tolerance,
    brings=(
        Input("base", "the branch to compare with: what this branch brings that it lacks (default)", Kind.LINE),
        Input("commit", "one commit to review instead", Kind.LINE),
        Input("staged", "review what `git commit` would commit", Kind.FLAG),
        Input("diff", "a unified diff to review, as a text", Kind.TEXT),
        Input("paths", "only these files and folders; alone, the files as they stand", Kind.NAMES),
        Input("folder", "the repository, or a folder in it; default: where one works", Kind.FOLDER),
        Input("solo", "the adjudicator alone", Kind.FLAG),
        Input("claims", "acceptance claims to judge", Kind.FILE),
        Input("rules", "house rules to check", Kind.FILE),
    ),
    owes=owes,
    files=amended_files,
    findings=findings,
    board=board,
    gauges=gauges,
    reports={"review-report.md": "report.md.j2", "fix-requests.md": "fix-requests.md.j2"},
    material=MATERIAL,
    profiles={
        "one member, the adjudicator": {"members": ["adjudicator"]},
        "two members": {"members": ["engineering-architect", "operations-sre"]},
        "four members": {
            "members": ["engineering-architect", "knowledge-manager", "business-driver", "operations-sre"],
        },
        "six members": {"members": list(PERSONAS)},
        "two members and a claim, one round": {"members": ["engineering-architect", "operations-sre"], "rounds": 1},
        "two members, the literal table, evidence alone": {
            "members": ["knowledge-manager", "business-driver"],
            "channel": "evidence",
            "redebate": False,
            "blocking_severity": "low",
            "confirm_items": False,
        },
    },
)
