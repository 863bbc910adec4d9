"""Lenient, typed access to an untrusted bundle, field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.council.rules.forms import Vote
from quorate.protocols.council.rules.model import (
    REVIEWERS,
    Agreement,
    CouncilSettings,
    Depth,
    Phase,
    Resolution,
    Verdict,
)
from quorate.protocols.council.rules.taxonomy import Gate, Severity, Subcategory

ENDS = (Phase.CONVERGED, Phase.DEADLOCKED, Phase.ABORTED)
_DEFAULTS = CouncilSettings()
_AGENT = re.compile(r"\bSA[-_ ]?([0-9]{1,3})\b", re.IGNORECASE)
_SETTLED = re.compile(r"(?:REMEDIATED|RESOLVED|FIXED|CLOSED|DISMISSED|REFUTED|DEDUP)(?:\b|_)", re.IGNORECASE)


def agent_of(value: object) -> str | None:
    """Return the seat that a text names, such as `SA-1` for `SA-1 (Rigorist)`, or None."""
    found = _AGENT.search(value[:200]) if isinstance(value, str) else None
    return f"SA-{int(found[1])}" if found else None


@dataclass(frozen=True, slots=True)
class Cast:
    """The votes on one item; `by` is empty if only the counts are recorded."""

    at: Spot
    by: Mapping[str, Vote]
    support: int
    oppose: int
    abstain: int

    def __str__(self) -> str:
        return f"{self.support} SUPPORT, {self.oppose} OPPOSE, {self.abstain} ABSTAIN"


def votes_at(item: Spot, *names: str) -> Cast | None:
    """Read votes given as words by seat, a list, or counts; None if none are recorded."""
    at = item.first(*(names or ("votes", "quorum_vote", "vote_count")))
    numbers = {vote: at[vote.name].whole for vote in Vote}
    if any(number is not None for number in numbers.values()):
        counts = [max(0, numbers[vote] or 0) for vote in Vote]
        return Cast(at, {}, counts[0], counts[1], counts[2])
    cast = [(agent_of(name), each.word(Vote)) for name, each in at.entries.items()]
    cast += [
        (agent_of(each.first("agent_id", "agent", "source_agent", "seat").value), each["vote"].word(Vote))
        for each in at.items
    ]
    by = {agent: vote for agent, vote in cast if agent is not None and vote is not None}
    if not by:
        return None
    counts = [sum(each is vote for each in by.values()) for vote in Vote]
    return Cast(at, by, counts[0], counts[1], counts[2])


@dataclass(frozen=True)
class BundleFinding:
    """One entry of `findings`."""

    at: Spot

    @property
    def id(self) -> str | None:
        return self.at.first("finding_id", "id").text

    @cached_property
    def severity(self) -> Severity | None:
        return self.at["severity"].word(Severity)

    @cached_property
    def subcategory(self) -> Subcategory | None:
        return self.at["subcategory"].word(Subcategory)

    @property
    def gate(self) -> Gate | None:
        return gate_of(self.at["gate_id"])

    @cached_property
    def agreement(self) -> Agreement | None:
        return self.at["agreement_status"].word(Agreement)

    @cached_property
    def resolution(self) -> Resolution | None:
        return self.at["resolution"].word(Resolution)

    @cached_property
    def by_gate(self) -> bool:
        """Whether a gate proved it (C9)."""
        origin = self.at["origin"]
        if origin.given:
            return origin.text == "gate"
        return (self.at["source_agent"].text or "").strip().lower() in ("gate", "gates", "code")

    @property
    def source(self) -> str | None:
        return agent_of(self.at["source_agent"].value)

    @cached_property
    def supporters(self) -> frozenset[str] | None:
        """The seats that support it, else those that raised it; None if neither is recorded."""
        at = next((self.at[name] for name in ("supporting_agents", "source_agents") if self.at[name].is_list), None)
        return frozenset(filter(None, map(agent_of, at.texts))) if at is not None else None

    @property
    def dissenters(self) -> tuple[str, ...]:
        return tuple(each for each in map(agent_of, self.at["dissenting_agents"].texts) if each is not None)

    @cached_property
    def votes(self) -> Cast | None:
        return votes_at(self.at)

    @cached_property
    def severity_votes(self) -> Cast | None:
        """The votes on how severe it is, where that was contested (C17)."""
        return votes_at(self.at, "severity_votes")

    @cached_property
    def remains(self) -> bool:
        """Whether it is upheld and not remediated; a finding that does not say counts as remaining (C31)."""
        if self.resolution is not None:
            return self.resolution in (Resolution.UPHELD, Resolution.REMEDIATION_AGREED)
        if self.agreement is Agreement.QUORUM_OPPOSE or self.at["in_consensus"].flag is False:
            return False
        if self.at["remediation_applied"].flag is True:
            return False
        said = (self.at[name].text for name in ("resolution", "status", "resolution_status", "prior_status"))
        return not any(text is not None and _SETTLED.match(text.strip()) for text in said)

    @property
    def remedied(self) -> bool | None:
        """Whether a remediation is agreed; None if there is one whose outcome is not recorded."""
        if self.resolution is not None:
            return self.resolution is Resolution.REMEDIATION_AGREED
        return None if (self.at["remediation"].text or "").strip() or self.at["remediation"].is_mapping else False


def ids_of(found: list[BundleFinding]) -> str:
    """Return the ids of the first few findings as text."""
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return ", ".join(shown(each.id or each.at.path[-1]) for each in found[:5]) + more


def gate_of(at: Spot) -> Gate | None:
    """Return the gate named here, with or without its prefix, or None."""
    meant = (at.text or "")[:60].strip().upper().replace("_", "-")
    return next((gate for gate in Gate if gate.value in (meant, f"GATE-TCK-{meant}")), None)


@dataclass(frozen=True)
class Bundle:
    """The whole bundle."""

    at: Spot

    @classmethod
    def of(cls, data: Any) -> Bundle:
        """Read a bundle; one nested under a single top-level key is unwrapped."""
        if isinstance(data, dict) and len(data) == 1:
            name, inner = next(iter(data.items()))
            if isinstance(inner, dict) and isinstance(name, str) and ("verdict" in inner or "findings" in inner):
                return cls(Spot(inner, (name,)))
        return cls(Spot(data))

    @property
    def meta(self) -> Spot:
        return self.at["council_metadata"]

    @cached_property
    def findings(self) -> tuple[BundleFinding, ...]:
        return tuple(BundleFinding(each) for each in self.at["findings"].items if each.is_mapping)

    @cached_property
    def merged(self) -> tuple[Spot, ...]:
        return tuple(each for each in self.at["merged_findings"].items if each.is_mapping)

    @cached_property
    def gates(self) -> tuple[Spot, ...]:
        return tuple(each for each in self.at["gates"].items if each.is_mapping)

    @cached_property
    def gate_by_name(self) -> dict[Gate, Spot]:
        """The first entry of each known gate."""
        found: dict[Gate, Spot] = {}
        for each in self.gates:
            gate = gate_of(each["gate_id"])
            if gate is not None:
                found.setdefault(gate, each)
        return found

    @cached_property
    def remediations(self) -> tuple[Spot, ...]:
        return tuple(each for each in self.at["remediations"].items if each.is_mapping)

    @cached_property
    def agents(self) -> dict[str, Spot]:
        """The seats in the metadata by id; the first entry of each id counts."""
        found: dict[str, Spot] = {}
        for each in self.meta["subagents"].items:
            agent = agent_of(each["agent_id"].value)
            if agent in REVIEWERS and agent is not None:
                found.setdefault(agent, each)
        return found

    @cached_property
    def lost(self) -> frozenset[str]:
        return frozenset(agent for agent, each in self.agents.items() if each["lost"].flag)

    @cached_property
    def verdict(self) -> Verdict | None:
        return self.at["verdict"].word(Verdict)

    @cached_property
    def end(self) -> Phase | None:
        """The terminal state as recorded, or else as the verdict implies it."""
        stated = self.at["terminal_state"].word(Phase)
        if stated in ENDS:
            return stated
        return Phase.ABORTED if self.verdict is Verdict.ABORTED else None

    @property
    def aborted(self) -> bool:
        return self.end is Phase.ABORTED

    @cached_property
    def alone(self) -> bool:
        """Whether one seat reviewed and nobody voted (C37)."""
        depth = self.at["review_depth"].word(Depth)
        return depth is Depth.STANDARD if depth is not None else not self.meta.is_mapping

    @cached_property
    def cycles_completed(self) -> int | None:
        spots = (self.meta["cycles_completed"], self.at["cycles_completed"])
        return next((spot.whole for spot in spots if spot.given), None)

    @property
    def over(self) -> bool:
        """Whether all three cycles were completed, so that nothing may be pending."""
        return not self.aborted and self.cycles_completed == 3

    # Settings, as recorded or by default

    def _setting(self, name: str) -> Spot:
        return next((at for at in (self.meta["settings"][name], self.meta[name]) if at.given), self.meta[name])

    @cached_property
    def quorum(self) -> int:
        stated = self._setting("quorum").whole
        return stated if stated in (2, 3) else _DEFAULTS.quorum

    @cached_property
    def most_majors(self) -> int:
        stated = self._setting("most_majors").whole
        return stated if stated is not None and 0 <= stated <= 100 else _DEFAULTS.most_majors

    @cached_property
    def deadlock_min_severity(self) -> Severity:
        return self._setting("deadlock_min_severity").word(Severity) or _DEFAULTS.deadlock_min_severity

    @cached_property
    def max_episodes(self) -> int | None:
        at = self.meta["settings"]["max_episodes"]
        if at.exists and at.value is None:
            return None
        return at.whole if at.whole is not None and at.whole >= 1 else _DEFAULTS.max_episodes

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(map(str, REVIEWERS[:1] if self.alone else REVIEWERS))
