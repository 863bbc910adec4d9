"""The review's plugin definition: how it is built, verified, shown and simulated."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.errors import SettingError, nearest
from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.core.values import replace
from quorate.kit.channel import declared
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind, Shortcut
from quorate.kit.qualification import check_unqualified
from quorate.kit.roles import roles_in, with_roles
from quorate.kit.settings import plain
from quorate.protocols.review.rules.ballot_count import holds_veto
from quorate.protocols.review.rules.board import board
from quorate.protocols.review.rules.domains import MATERIAL, domains
from quorate.protocols.review.rules.fates import fates
from quorate.protocols.review.rules.gauges import gauges
from quorate.protocols.review.rules.hits import NARROW_BRIEFS
from quorate.protocols.review.rules.invariants import invariants
from quorate.protocols.review.rules.model import (
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
from quorate.protocols.review.rules.positions import positions
from quorate.protocols.review.rules.protocol import EXIT_CODES, INTERRUPTS, TABLE, Review
from quorate.protocols.review.rules.receipt import amended_files, owes
from quorate.protocols.review.rules.result import findings, result, show
from quorate.protocols.review.rules.schedule import schedule
from quorate.protocols.review.rules.simulation import JUDGING
from quorate.protocols.review.rules.tolerance import tolerance
from quorate.protocols.review.rules.views import Views, blindness

OFFICE_ROLES = (CHAIR, SKEPTIC, PROPOSER)


def build(settings: ReviewSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the review for these settings; a member without a persona file raises SettingError."""
    settings = replace(settings, members=settings.members or PERSONAS)
    if not settings.narrow:
        briefs = {name: text for name, text in briefs.items() if name not in NARROW_BRIEFS}
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
    check_unqualified(settings.unqualified_seats, (*members, *OFFICES))
    return Protocol(
        name="review",
        version="2",
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
        blindness=blindness(settings.members, settings.channel),
        invariants=invariants(settings),
        interchangeable=_alike(settings, members),
        checks=frozenset({CHECKS}),
        limits=review.limits(),
        round=lambda state: state.round,
        degradation=review.degradation,
    )


def _alike(settings: ReviewSettings, members: tuple[Seat, ...]) -> tuple[frozenset[Seat], ...]:
    """Return the groups of interchangeable members: with a veto, without, and those who do not count.

    The business driver is in none of them.
    """
    others = [seat for seat in members if seat != BUSINESS_DRIVER]
    holders = frozenset(seat for seat in others if holds_veto(settings, seat))
    notes = frozenset(seat for seat in others if not settings.counts(seat))
    return tuple(group for group in (holders, frozenset(others) - holders - notes, notes) if len(group) > 1)


def _reviewed(given: Mapping[str, str]) -> tuple[str, ...]:
    base = given["base"]
    against = f"against `{base}`" if base else "against the branch it came from"
    with_base = f" with base `{base}`" if base else ""
    return (f"Have what my current branch brings reviewed {against}: call `open_review`{with_base}.",)


REVIEW_MY_BRANCH = Shortcut(
    "review_my_branch",
    "Review my branch",
    "A committee with vetoes reviews what this branch brings.",
    (Input("base", "The branch it goes into; default: found by the review.", Kind.LINE),),
    _reviewed,
    after="Show me the blocking findings first, each with its place in the code. Change nothing before I say so.",
)

DEFINITION = Definition(
    name="review",
    title="A committee with vetoes and a quorum decides on a code change",
    settings=ReviewSettings,
    build=build,
    package="quorate.protocols.review",
    earlier={"1": "quorate.protocols.review.version_1.definition:DEFINITION"},
    result=result,
    show=show,
    world="quorate.protocols.review.world.door:WORLD",
    schemas={"rules": "quorate.protocols.review.world.checks.house:rules_schema"},
    lab="quorate.protocols.review.lab.trial:LAB",
    exam="exam",
    measures="measures.yaml",
    tool="""Let deterministic checks and a committee with vetoes review a code change; the verdict is APPROVED,
REQUEST_CHANGES or INCONCLUSIVE by rule, with findings. Nothing of the change is executed. Reading the change and the
checks takes some seconds before this returns.""",
    shortcuts=(REVIEW_MY_BRANCH,),
    examines=True,
    schedule=schedule,
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
    fates=fates,
    entries_rule="R41",
    gauges=gauges,
    reports={"review-report.md": "report.md.j2", "fix-requests.md": "fix-requests.md.j2"},
    material=MATERIAL,
    profiles={
        "one member, the adjudicator": {"members": ["adjudicator"]},
        "one member, a change in parts, two rounds": {"members": ["adjudicator"], "rounds": 2, "readings": 3},
        "two members": {"members": ["engineering-architect", "operations-sre"]},
        "four members": {
            "members": ["engineering-architect", "knowledge-manager", "business-driver", "operations-sre"],
            "rounds": 3,
        },
        "six members": {"members": list(PERSONAS), "rounds": 2},
        "one member, two rounds, every ballot": {"members": ["operations-sre"], "rounds": 2},
        "two members, the literal seed": {
            "members": ["knowledge-manager", "business-driver"],
            "rounds": 2,
            "reading": "seed",
        },
        "two members and a claim, one round": {"members": ["engineering-architect", "operations-sre"], "rounds": 1},
        "two members, one of them and the skeptic unqualified": {
            "members": ["engineering-architect", "operations-sre"],
            "rounds": 1,
            "unqualified_seats": ["operations-sre", "skeptic"],
        },
        "narrow, one member": {"style": "narrow", "members": ["adjudicator"], "rounds": 2, "readings": 3},
        "narrow": {
            "style": "narrow",
            "members": ["engineering-architect", "operations-sre"],
            "rounds": 1,
            "readings": 4,
        },
        "narrow, two members, one of them and the skeptic unqualified": {
            "style": "narrow",
            "members": ["engineering-architect", "operations-sre"],
            "rounds": 1,
            "readings": 3,
            "unqualified_seats": ["operations-sre", "skeptic"],
        },
        "one member, unqualified": {"members": ["adjudicator"], "rounds": 1, "unqualified_seats": ["adjudicator"]},
        "two members, the literal table, evidence alone": {
            "members": ["knowledge-manager", "business-driver"],
            "channel": "evidence",
            "redebate": False,
            "blocking_severity": "low",
            "confirm_items": False,
        },
    },
)
