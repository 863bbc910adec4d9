"""Workshops of the real protocol, played at random: whatever seats say, session file and dumps pass every check."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from quorate import catalog
from quorate.codec import digest_text, protocol_digest
from quorate.core.form_values import with_marks
from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.record import Envelope, Opening, Record
from quorate.core.shapes import Choice, Flag, FormField, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Absent, AbsentReason, Ask, Replied
from quorate.kit.settings import plain, read_settings
from quorate.protocols.workshop import DEFINITION, build
from quorate.protocols.workshop.audit import dumps, examine, export_session
from quorate.protocols.workshop.rules.forms import AgendaReport, AgendaTopic, Bound
from quorate.protocols.workshop.rules.result import result
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.taxonomy import MAKES, ArtifactType, Workflow

BEGAN = 1_767_268_800_000
PARTS = {"question": 1, "respond": 2, "vote": 2, "synthesise": 3}
KEYS = {
    "proposed_by": "P",
    "supported_by": "P",
    "opposed_by": "P",
    "parties": "P",
    "covered": "K",
    "builds_on": "IDEA",
    "affected_ideas": "IDEA",
    "risk": "RISK",
}
"""The keys that a field names, by their beginnings."""


@cache
def briefs() -> dict[str, str]:
    return catalog.briefs(DEFINITION)


class Dice:
    """Fills in forms at random."""

    def __init__(self, seed: str) -> None:
        self.chance = random.Random(seed)

    def fill(self, ask: Ask) -> Reply:
        filled: Reply = self._group(shape_of(ask.form), list(ask.keys))
        return with_marks(filled)

    def _group(self, group: Group, keys: Sequence[Key]) -> Any:
        return group.type(**{each.name: self._field(each, keys) for each in group.fields if each.mark is None})

    def _field(self, each: FormField, keys: Sequence[Key]) -> Any:
        if each.name in KEYS:
            keys = [key for key in keys if key.startswith(KEYS[each.name])]
        elif each.name in ("changes", "artifact", "supersedes"):
            keys = [key for key in keys if "-" in key]
        if each.name == "confidence":
            return self.chance.choice((90, 80, 70, 60, 50, 49))
        rare = each.name in ("contested", "supersedes") and self.chance.random() < 0.8
        return () if rare else self._shape(each.shape, keys)

    def _shape(self, shape: Shape, keys: Sequence[Key]) -> Any:
        match shape:
            case Text():
                return Prose(
                    self.chance.choice(("must", "", f"A sentence long enough to know again, {self.chance.random()}."))
                )
            case Flag():
                return self.chance.random() < 0.5
            case Choice(enum):
                return self.chance.choice(list(enum))
            case Number(low, high):
                return self.chance.randint(low, high)
            case OneKey():
                return self.chance.choice(keys)
            case Many(item, most):
                count = min(most, self.chance.choice((0, 1, 1, 2)))
                if isinstance(item, OneKey):
                    return tuple(self.chance.sample(list(keys), min(count, len(keys))))
                needs = isinstance(item, Group) and any(isinstance(each.shape, OneKey) for each in item.fields)
                return tuple(self._shape(item, keys) for _ in range(0 if needs and not keys else count))
            case PerKey(item):
                return Keyed({key: self._shape(item, keys) for key in keys})
            case Group():
                return self._group(shape, keys)


class Played:
    """A workshop, from its opening to its end."""

    def __init__(self, strategy: str, workflow: Workflow, seed: int, notes: Sequence[str] = ()) -> None:
        self.dice = Dice(f"{strategy} {workflow} {seed}")
        chance = self.dice.chance
        least = chance.randint(1, 4)
        self.settings = read_settings(
            WorkshopSettings,
            {
                "workflow": workflow.value,
                "strategy": strategy,
                "participants": ["product-manager", "qa-lead", "technical-lead"][: chance.randint(2, 3)],
                "min_rounds": least,
                "max_rounds": chance.randint(least, 9),
                "max_rounds_per_conflict": chance.randint(1, 4),
                "escalation": chance.random() < 0.8,
                "conclude_on": chance.choice(("all", "required")),
                "interactive": chance.random() < 0.2,
                "unqualified_seats": list(notes),
            },
        )
        protocol = build(self.settings, briefs(), 1)
        self.topics = [self._topic(number, workflow) for number in range(chance.randint(1, 3))]
        material = {"topic": "A small shop", "agenda": json.dumps({"workflow": workflow.value, "topics": self.topics})}
        opening = Opening(
            protocol="workshop",
            version=protocol.version,
            digest=protocol_digest(protocol),
            title="A small shop",
            seed=1,
            settings=plain(self.settings),
            panel={str(seat): "test" for seat in protocol.seats},
            material={name: digest_text(text) for name, text in material.items()},
            session="played",
        )
        self.record = Record(protocol, opening, material)
        self.asks: list[dict[str, Any]] = []

    def _topic(self, number: int, workflow: Workflow) -> dict[str, Any]:
        stage = ("dreamer", "realist", "critic")[number] if workflow is Workflow.BRAINSTORM else ""
        counts = [kind.name for kind in MAKES[workflow] if not kind.is_matter]
        done = {"criteria": ["The first", "The second"], "minimum": number % 2, "counts": counts}
        return {
            "id": f"topic-{number}",
            "name": f"Topic {number}",
            "critical": number == 0,
            "stage": stage,
            "done_when": done,
        }

    def run(self) -> Played:
        while self.record.session.open:
            self._answer(self.dice.chance.choice(self.record.session.open))
        return self

    def _answer(self, ask: Ask) -> None:
        view = self.record.protocol.view(self.record, ask).text()
        absent = ask.brief != "agenda" and self.dice.chance.random() < 0.05
        said: Reply | Absent = Absent(self.dice.chance.choice(list(AbsentReason))) if absent else self._reply(ask)
        number, seq = self.record.session.state.round, len(self.record.envelopes)
        at = BEGAN + 1000 * seq
        self.record.take(Replied(ask.id, said), Envelope(seq=seq, at=at, tokens_in=7, tokens_out=3))
        if ask.brief in PARTS:
            times = {"started": at - 500, "completed": at, "tokens": 10}
            reply = None if absent else {"filled": ask.form.__name__}
            part = PARTS[ask.brief]
            self.asks.append({"round": number, "part": part, "actor": ask.seat, "view": view, "reply": reply, **times})

    def _reply(self, ask: Ask) -> Reply:
        if ask.brief != "agenda":
            return self.record.marked(ask, self.dice.fill(ask))
        return AgendaReport(
            tuple(
                AgendaTopic(
                    Key(f"T{number}"),
                    topic["critical"],
                    len(topic["done_when"]["criteria"]),
                    topic["done_when"]["minimum"],
                    tuple(ArtifactType[name] for name in topic["done_when"]["counts"]),
                    Bound(topic["stage"] or "none"),
                )
                for number, topic in enumerate(self.topics, 1)
            ),
            parts=1,
            unlisted=False,
        )

    def exported(self) -> tuple[dict[str, Any], dict[str, Any]]:
        began, ended = "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z"
        came = result(self.record)
        times = {"started_at": began, "updated_at": ended, "closed_at": ended}
        session = {"id": "played", **times, "settings": plain(self.settings)}
        return export_session(came, session), dumps(came, session, self.asks)


@pytest.mark.parametrize("strategy", BY_NAME)
@pytest.mark.parametrize("workflow", Workflow)
def test_what_a_workshop_leaves_passes_every_check(strategy: str, workflow: Workflow) -> None:
    for seed in range(2):
        file, of_rounds = Played(strategy, workflow, seed).run().exported()
        found = [each for each in examine(file, of_rounds).problems if each.severity.value != "warning"]
        assert found == [], f"seed {seed}"
        assert file["status"] == "closed"


@pytest.mark.parametrize("strategy", BY_NAME)
@pytest.mark.parametrize("notes", [("qa-lead",), ("facilitator",), ("product-manager", "qa-lead", "person")])
def test_so_does_one_in_which_words_are_notes_w40_w41(strategy: str, notes: tuple[str, ...]) -> None:
    for seed in range(2):
        file, of_rounds = Played(strategy, Workflow.OPEN, seed, notes).run().exported()
        assert [each for each in examine(file, of_rounds).problems if each.severity.value != "warning"] == [], seed
