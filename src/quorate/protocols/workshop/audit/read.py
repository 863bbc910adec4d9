"""A session file as the checks read it: artifacts, rounds, agenda and participants. All of it is untrusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quorate.kit.untrusted_value import NOTHING, Spot
from quorate.protocols.workshop.audit.shape import id_parts, type_of
from quorate.protocols.workshop.rules.lives import Status
from quorate.protocols.workshop.rules.strategies import BY_NAME, Strategy
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

ROLES = ("facilitator", "person", "clerk")
"""Who may be named beside the participants."""


@dataclass(frozen=True)
class StatedArtifact:
    """An artifact by its id; `at` is empty if the file names only the id."""

    id: str
    group: str
    named: Spot
    """Where the id stands."""
    at: Spot

    @cached_property
    def type(self) -> ArtifactType | None:
        parts = id_parts(self.id)
        return parts[0] if parts else type_of(self.group)

    @property
    def is_matter(self) -> bool:
        return self.type is not None and self.type.is_matter

    @cached_property
    def status(self) -> Status | None:
        text = self.at.first("status", "state").text
        return next((each for each in Status if each.value == text), None)

    @property
    def created(self) -> int | None:
        return self.at["created_round"].whole

    @property
    def resolved(self) -> int | None:
        return self.at["resolved_round"].whole

    @property
    def topic(self) -> str | None:
        return self.at["topic_id"].text


@dataclass(frozen=True)
class Round:
    """One round, in the place where the file has it."""

    at: Spot
    place: int
    """From 1: what its number should be."""

    @property
    def number(self) -> int | None:
        return self.at.first("round", "number").whole

    @property
    def action(self) -> Spot:
        return self.at.first("next_action", "next")

    @property
    def complete(self) -> bool:
        """Whether somebody answered, a synthesis came of it and it was decided how to go on (W13).

        True for a file that records none of these.
        """
        positions, synthesis = self.at["participant_positions"], self.at["synthesis_summary"]
        led = not synthesis.exists or synthesis.said or self.at["facilitator_wished"].said
        ended = not self.action.exists or self.action.said
        return led and ended and not (positions.exists and not positions.value)

    @cached_property
    def positions(self) -> Mapping[str, Spot]:
        return self.at["participant_positions"].entries

    @cached_property
    def absent(self) -> frozenset[str]:
        return frozenset(each.text for each in self.at["absent"].items if each.text is not None)

    @property
    def topic(self) -> str | None:
        return self.at["topic_id"].text or self.at["focus"]["topic_id"].text

    @property
    def focus(self) -> str | None:
        """The focus of the round: a topic, a conflict or a question."""
        return self.at["focus"]["id"].text or self.topic

    @property
    def phase(self) -> Spot:
        """The stage of the strategy in this round, under whichever of its names the file gives it."""
        return self.at.first("phase", "stage", "debate_phase", "disney_phase", "strategy_phase")

    @property
    def has_phase(self) -> bool:
        return self.phase.given and self.phase.value != ""

    @property
    def escalated(self) -> bool:
        """Whether a person was asked in it."""
        return bool(self.at["escalation"].given and self.at["escalation"].value)


@dataclass(frozen=True)
class SessionFile:
    """A session file and, where there are any, its dumps by their paths."""

    at: Spot
    dumps: Mapping[str, Spot] | None = None

    @cached_property
    def settings(self) -> Spot:
        return self.at["settings"]

    @classmethod
    def of(cls, data: Any, dumps: Mapping[str, Any] | None = None) -> SessionFile:
        """Read plain data; never raises."""
        read = None if dumps is None else {str(name): Spot(each) for name, each in dumps.items()}
        return cls(Spot(data), read)

    @cached_property
    def artifacts(self) -> tuple[StatedArtifact, ...]:
        """Every artifact in file order; a duplicate id is listed twice."""
        found: list[StatedArtifact] = []
        for group, at in self.at["artifacts"].entries.items():
            found += (StatedArtifact(name, group, each, each) for name, each in at.entries.items())
            for each in at.items:
                own = each["id"] if each.is_mapping else each
                if own.text is not None:
                    content = each if each.is_mapping else Spot(NOTHING, each.path)
                    found.append(StatedArtifact(own.text, group, own, content))
        return tuple(found)

    @cached_property
    def by_id(self) -> Mapping[str, StatedArtifact]:
        return {each.id: each for each in reversed(self.artifacts)}

    @cached_property
    def conflicts(self) -> tuple[StatedArtifact, ...]:
        return tuple(each for each in self.artifacts if each.type is ArtifactType.CONF)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        return tuple(Round(each, place) for place, each in enumerate(self.at["rounds"].items, 1))

    @cached_property
    def topics(self) -> Mapping[str, Spot]:
        """The topics of the agenda by id; the first one of a duplicate id."""
        found: dict[str, Spot] = {}
        for each in self.at["agenda"].items:
            name = each.first("topic_id", "id").text
            if name is not None:
                found.setdefault(name, each)
        return found

    @cached_property
    def participants(self) -> tuple[str, ...] | None:
        """The configured participants; None if the file does not say."""
        at = self.at["participants"]
        if at.is_mapping:
            return tuple(at.entries)
        if not at.is_list:
            return None
        names = (each["id"].text if each.is_mapping else each.text for each in at.items)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @cached_property
    def here(self) -> frozenset[str]:
        """The participants as a set."""
        return frozenset(self.participants or ())

    @cached_property
    def notes(self) -> frozenset[str]:
        """The seats whose words are notes, for their models have not passed the exam (W40)."""
        return frozenset(each.text for each in self.settings["unqualified_seats"].items if each.text is not None)

    @cached_property
    def strategy(self) -> Strategy | None:
        name = self.at["strategy"].text
        return BY_NAME.get(name) if name is not None else None
