"""The roundtable of version 1, which sessions and bundles that began under it are read with; frozen."""

from __future__ import annotations

from collections.abc import Mapping

from quorate.core.protocol import Protocol
from quorate.core.types import Seat
from quorate.kit.definition import Definition
from quorate.kit.inputs import Input, Kind
from quorate.kit.roles import is_role, with_roles
from quorate.kit.settings import plain
from quorate.kit.tolerance import NoVote
from quorate.protocols.roundtable.version_1.rules.board import board
from quorate.protocols.roundtable.version_1.rules.domains import MATERIAL, domains
from quorate.protocols.roundtable.version_1.rules.gauges import gauges
from quorate.protocols.roundtable.version_1.rules.interrupts import INTERRUPTS
from quorate.protocols.roundtable.version_1.rules.model import (
    CLASSIFIER,
    ENSEMBLE,
    HELD_BY_CODE,
    PERSON,
    Contexts,
    Phase,
    RoundtableSettings,
    Start,
    State,
)
from quorate.protocols.roundtable.version_1.rules.offers import OFFERS
from quorate.protocols.roundtable.version_1.rules.personas import cast
from quorate.protocols.roundtable.version_1.rules.protocol import EXIT_CODES, TABLE, VERDICTS, Roundtable, progress
from quorate.protocols.roundtable.version_1.rules.result import result, show
from quorate.protocols.roundtable.version_1.rules.simulation import JUDGING
from quorate.protocols.roundtable.version_1.rules.views import Views

__all__ = ["DEFINITION", "build"]


def build(settings: RoundtableSettings, briefs: Mapping[str, str], seed: int) -> Protocol[State]:
    """Build the roundtable for these settings; a persona without a proper role file raises SettingError."""
    table = Roundtable(cast(settings, briefs))
    kept = with_roles(briefs, settings.personas)
    if not settings.classifier:
        kept.pop("classify", None)
    if not settings.documents:
        kept.pop("append", None)
    speakers = (ENSEMBLE,) if settings.contexts is Contexts.SHARED else tuple(map(Seat, settings.personas))
    readers = (CLASSIFIER,) if settings.classifier else ()
    return Protocol(
        name="roundtable",
        version="1",
        start=State(),
        initial=Phase.MENU if settings.start is Start.MENU else Phase.ENTRY,
        nodes=table.nodes(),
        table=TABLE,
        interrupts=INTERRUPTS,
        verdicts=VERDICTS,
        exit_codes=EXIT_CODES,
        seats=(*speakers, *readers, PERSON, *HELD_BY_CODE),
        view=Views(table.cast, {name: kept[name] for name in sorted(kept) if is_role(name)}),
        briefs=kept,
        domains=domains(table.cast),
        settings=plain(settings),
        people=frozenset({PERSON}),
        checks=frozenset(HELD_BY_CODE),
        limits=table.limits(),
        progress=progress,
        round=lambda state: max(1, state.elaborations),
        degradation=table.degradation,
    )


_TWO = ["business-analyst", "solutions-architect"]

DEFINITION = Definition(
    name="roundtable",
    title="Personas and a person elaborate on a topic; what came of it is added to the documents",
    settings=RoundtableSettings,
    build=build,
    package="quorate.protocols.roundtable.version_1",
    result=result,
    show=show,
    world="quorate.protocols.roundtable.world.door:WORLD",
    board=board,
    gauges=gauges,
    judging=JUDGING,
    tolerance=lambda _: NoVote("a roundtable ends where its person goes on (T26)"),
    # No positions: nobody is asked where it stands, and a challenge names whom it contradicts, not in what (T20).
    brings=(
        Input("topic", "what is to be elaborated on", Kind.TEXT, required=True),
        Input("docs", "the documents to add to, with their meta.json", Kind.FOLDER, required=True),
    ),
    offers=OFFERS,
    material=MATERIAL,
    profiles={
        "the default limit of ten turns": {"phase": "01-requirements", "step": "01-03", "max_elaborations": 1},
        "five turns, twice": {"phase": "03-architecture", "step": "03-02", "max_turns": 5, "max_elaborations": 2},
        "three turns, at the end of a phase": {"phase": "04-design", "max_turns": 3, "max_elaborations": 2},
        "shared contexts, no classifier": {
            "contexts": "shared",
            "classifier": False,
            "max_turns": 5,
            "max_elaborations": 1,
        },
        "two personas, from entry, one document, limits": {
            "personas": _TWO,
            "phase": "02",
            "step": "02-01",
            "start": "entry",
            "documents": 1,
            "max_turns": 6,
            "max_elaborations": 1,
            "max_episodes": 6,
            "stall_after": 2,
        },
        "no documents, one free move": {
            "step": "01-01",
            "documents": 0,
            "max_turns": 4,
            "free_moves": 1,
            "max_elaborations": 1,
        },
    },
)
