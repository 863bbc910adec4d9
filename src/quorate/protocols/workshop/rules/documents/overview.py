"""A session's result as the documents read it: artifacts in force and not, open topics and conflicts, participants."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from quorate.core.errors import RuleViolation
from quorate.core.protocol import Degradation
from quorate.protocols.workshop.rules.lives import TopicStatus
from quorate.protocols.workshop.rules.model import LEAST_JUDGED, is_done
from quorate.protocols.workshop.rules.taxonomy import ArtifactType
from quorate.protocols.workshop.rules.workflows.vocabulary import TYPES

GONE = ("superseded", "withdrawn")
PERSON = "person"
"""How a conflict was resolved that a person ruled on."""
_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,119}")

Artifact = Mapping[str, Any]
Round = Mapping[str, Any]


@dataclass(frozen=True)
class Overview:
    """The result of one session; `session` is the name that the documents' markers carry."""

    result: Mapping[str, Any]
    session: str
    digest: str

    @cached_property
    def artifacts(self) -> tuple[Artifact, ...]:
        """All artifacts, by type and number."""
        kinds = list(TYPES)
        return tuple(sorted(self.result["artifacts"], key=lambda each: (kinds.index(each["type"]), number(each["id"]))))

    @cached_property
    def standing(self) -> tuple[Artifact, ...]:
        """The artifacts in force: neither superseded nor withdrawn."""
        return tuple(each for each in self.artifacts if each["status"] not in GONE)

    @cached_property
    def gone(self) -> tuple[Artifact, ...]:
        return tuple(each for each in self.artifacts if each["status"] in GONE)

    def of(self, *kinds: str) -> tuple[Artifact, ...]:
        """Return the artifacts of these types that are in force."""
        return tuple(each for each in self.standing if each["type"] in kinds)

    @property
    def rounds(self) -> Sequence[Round]:
        rounds: Sequence[Round] = self.result["rounds"]
        return rounds

    @property
    def agenda(self) -> Sequence[Mapping[str, Any]]:
        topics: Sequence[Mapping[str, Any]] = self.result["agenda"]
        return topics

    @property
    def warnings(self) -> Sequence[str]:
        warnings: Sequence[str] = self.result["warnings"]
        return warnings

    @property
    def open_topics(self) -> tuple[Mapping[str, Any], ...]:
        """The topics that are not closed, have lost what they were closed with, or wait for a ruling (W21)."""
        return tuple(
            topic
            for topic in self.agenda
            if not is_done(TopicStatus(topic["status"]), topic["counted"], topic["minimum"])
            or self.open_matters("RUL", topic["topic_id"])
        )

    def topic_name(self, topic_id: str) -> str:
        """The name of a topic, or its id where the agenda has no such topic."""
        return next((str(topic["name"]) for topic in self.agenda if topic["topic_id"] == topic_id), topic_id)

    def open_matters(self, kind: str, topic_id: str) -> tuple[Artifact, ...]:
        """The open conflicts or unapplied rulings on a topic or an artifact of it, which keep it from closing (W21)."""
        own = {each["id"] for each in self.artifacts if each["topic_id"] == topic_id}
        return tuple(
            each
            for each in self.of(kind)
            if each["status"] == "open" and (each["topic_id"] == topic_id or not own.isdisjoint(each["about"]))
        )

    @cached_property
    def absent(self) -> Mapping[str, tuple[int, ...]]:
        """Return who gave no answer in which rounds."""
        found: dict[str, tuple[int, ...]] = {}
        for each in self.rounds:
            for seat in each["absent"]:
                found[seat] = (*found.get(seat, ()), each["round"])
        return found

    @property
    def unasked(self) -> tuple[int, ...]:
        """The rounds whose question code had to ask, since the facilitator's was missing."""
        return tuple(each["round"] for each in self.rounds if each["fallback_question"])

    @property
    def below_settings(self) -> bool:
        """Whether more of the table was missing than the settings allow (W35)."""
        return self.result.get("degradation") == Degradation.BELOW_SETTINGS.value

    @property
    def too_few_judged(self) -> bool:
        """Whether the session has ended and too few of its participants have judged anything (W37)."""
        judged, most = self.result.get("judged"), len(self.result["participants"])
        return bool(self.result["verdict"]) and judged is not None and 100 * judged < LEAST_JUDGED * most

    @property
    def degraded(self) -> bool:
        told = self.result.get("degradation") or Degradation.NONE.value
        return bool(self.absent or self.unasked or told != Degradation.NONE.value)

    @property
    def days(self) -> tuple[str, ...]:
        """The first and the last day of the session, or the one day it took; none where no time is known."""
        times = [time for each in self.rounds for time in (each["started_at_ms"], each["ended_at_ms"]) if time]
        return tuple(dict.fromkeys((day(min(times)), day(max(times))))) if times else ()

    def reasons(self, artifact: Artifact) -> tuple[str, ...]:
        """The reasons in the proposer's answer in the round that made the artifact; they are not of it alone."""
        found = (
            position["rationale"]
            for each in self.rounds
            if each["round"] == artifact["created_round"]
            for position in each["positions"]
            if position["participant"] == artifact["proposed_by"]
        )
        return tuple(next(found, ()))


def read(result: Mapping[str, Any], session: str = "") -> Overview:
    """Return the overview of a session; without a name it is named by the digest of its result."""
    text = json.dumps(result, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_plain)
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    name = session or f"workshop-{digest}"
    if not _SESSION.fullmatch(name):
        raise RuleViolation(f"{name[:40]!r} cannot name a session in a document: letters, digits and ._:- only")
    return Overview(result, name, digest)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value)


def number(id_: str) -> int:
    """The number of an id: 7 of REQ-007."""
    return int(id_.rpartition("-")[2])


def is_matter(artifact: Artifact) -> bool:
    """Whether it is a question or a conflict, which is open or resolved and not agreed upon."""
    return ArtifactType(artifact["type"]).is_matter


def day(milliseconds: int) -> str:
    """The day (UTC) of a time of the journal, such as 2026-03-01; the rooms of protocols know no calendar."""
    days = milliseconds // 86_400_000 + 719_468
    era, rest = divmod(days, 146_097)
    year = (rest - rest // 1_460 + rest // 36_524 - rest // 146_096) // 365
    rest -= 365 * year + year // 4 - year // 100
    month = (5 * rest + 2) // 153
    date = rest - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    return f"{year + era * 400 + (month <= 2):04d}-{month:02d}-{date:02d}"
