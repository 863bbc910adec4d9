"""Data model of the council: phases, outcomes, verdicts, settings and state."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.errors import SettingError
from quorate.core.forms import Between, Key
from quorate.core.types import Seat
from quorate.core.values import value
from quorate.kit.channel import Channel
from quorate.protocols.council.version_1.rules.forms import DRAWN, Lens
from quorate.protocols.council.version_1.rules.lenses import SA_1, SA_2, SA_3
from quorate.protocols.council.version_1.rules.taxonomy import NINE, SEVEN, Field, Gate, Severity, Subcategory

GATES = Seat("gates")
MATCHER = Seat("matcher")
REVIEWERS = (SA_1, SA_2, SA_3)
HELD_BY_CODE = (GATES, MATCHER)
ROLES = {SA_1: "Structural Rigorist", SA_2: "Implementation Feasibility", SA_3: "Anti-Cousin Guardian"}
MOST_SHOWN = 30_000
"""Tokens that a seat is shown at most where neither a setting nor a budget says otherwise."""
MOST_ATTEMPTS = 2
"""Times that edits for a finding are asked for (C39)."""


class Phase(Enum):
    INIT = "init"
    CYCLE_1 = "cycle_1"
    CYCLE_2 = "cycle_2"
    CYCLE_3 = "cycle_3"
    CONVERGED = "converged"
    DEADLOCKED = "deadlocked"
    ABORTED = "aborted"


class Outcome(Enum):
    MODES_DRAWN = "modes_drawn"
    EXAMINED = "examined"
    NO_GATES = "no_gates"
    GATE_FAILED = "gate_failed"
    REVIEWED = "reviewed"
    ASSESSED = "assessed"
    MERGED = "merged"
    RESPONDED = "responded"
    BOUND = "bound"
    PROPOSED = "proposed"
    VOTED = "voted"
    PATCHED = "patched"
    APPLIED = "applied"
    CONSENSUS = "consensus"
    DEADLOCK = "deadlock"
    INSUFFICIENT_AGENTS = "insufficient_agents"


class Verdict(Enum):
    APPROVED = "approved"
    APPROVED_WITH_REMEDIATION = "approved_with_remediation"
    REJECTED = "rejected"
    NEEDS_ADJUDICATION = "needs_adjudication"
    ABORTED = "aborted"


APPROVALS = (Verdict.APPROVED, Verdict.APPROVED_WITH_REMEDIATION)


# Settings


class Depth(Enum):
    STANDARD = "STANDARD"
    COUNCIL = "COUNCIL"


class Profile(Enum):
    SEVEN = "seven"
    NINE = "nine"


@value(frozen=True, slots=True)
class CouncilSettings:
    depth: Annotated[Depth | None, "one seat without votes, or the council; null lets the size decide"] = None
    gates: Annotated[Profile, "the seed's seven gates, or all nine"] = Profile.SEVEN
    quorum: Annotated[int, Between(2, 3), "votes that decide; it stays what it is when a seat is lost"] = 2
    session_seed: Annotated[int | str, "what the lenses are drawn from; empty takes the session's seed"] = ""
    fail_fast: Annotated[bool, "a BLOCKER of a gate ends the council before any model is asked"] = False
    deadlock_min_severity: Annotated[Severity, "a deadlock on a lesser finding is escalated, but decides nothing"] = (
        Severity.INFO
    )
    most_majors: Annotated[
        int, Between(0, 100), "MAJOR findings, all with an agreed remediation, that are bearable"
    ] = 3
    remediate: Annotated[bool, "ask for edits of the files, and apply them in a scratch copy"] = False
    seat_tokens: Annotated[
        int | None, Between(1_000, 1_000_000), "tokens that a seat is shown at most; null is what the budget leaves"
    ] = None
    channel: Annotated[Channel, "what seats are shown of each other: whole words, or evidence alone"] = Channel.PROSE
    max_episodes: Annotated[int | None, Between(1, 1_000), "the most replies from seats; then the council ends"] = 25
    stall_after: Annotated[int | None, Between(1, 1_000), "replies in a row without progress that end the council"] = 3

    def __post_init__(self) -> None:
        if len(str(self.session_seed)) > 200:
            what = f"is too long: {len(str(self.session_seed)):,} characters"
            raise SettingError(what, key="session_seed", expected="at most 200")

    def drawn_from(self, seed: int) -> int | str:
        """What the lenses are drawn from, given the session's own seed (C5)."""
        return seed if self.session_seed == "" else self.session_seed

    @property
    def profile(self) -> tuple[Gate, ...]:
        return SEVEN if self.gates is Profile.SEVEN else NINE


# State


class Agreement(Enum):
    PENDING = "PENDING"
    MAJORITY = "MAJORITY"
    UNANIMOUS = "UNANIMOUS"
    CONTESTED = "CONTESTED"
    QUORUM_SUPPORT = "QUORUM_SUPPORT"
    QUORUM_OPPOSE = "QUORUM_OPPOSE"
    DEADLOCKED = "DEADLOCKED"


class Resolution(Enum):
    OPEN = "OPEN"
    UPHELD = "UPHELD"
    DISMISSED = "DISMISSED"
    REMEDIATION_AGREED = "REMEDIATION_AGREED"
    REMEDIATED = "REMEDIATED"
    DEADLOCKED = "DEADLOCKED"
    MERGED = "MERGED"


REMAINING = (Resolution.UPHELD, Resolution.REMEDIATION_AGREED)
"""Findings that are true and not mended: the verdict counts these (C31)."""


class Step(Enum):
    """What a cycle does next."""

    EXAMINE = "examine"
    REVIEW = "review"
    MATCH = "match"
    ASSESS = "assess"
    RESPOND = "respond"
    BIND = "bind"
    REMEDIATE = "remediate"
    VOTE = "vote"
    PATCH = "patch"
    APPLY = "apply"
    END = "end"


@value(frozen=True, slots=True)
class Backing:
    """A seat's backing of a finding, with the severity it gives it."""

    key: Key
    severity: Severity


@value(frozen=True, slots=True)
class Reviewer:
    """What decisions need to know about one seat."""

    seat: Seat
    lost: bool = False
    low: bool = False
    """It is in doubt: LOW in confidence, or it fails a gate of which nobody has found anything (C32)."""
    unbound: tuple[Lens, ...] = DRAWN
    backs: tuple[Backing, ...] = ()
    """The findings it raised or confirmed, until the answers are counted."""


@value(frozen=True, slots=True)
class Finding:
    """A finding that was not merged into another."""

    key: Key
    subcategory: Subcategory
    place: Key
    field: Field
    severity: Severity
    proven: bool
    """A gate found it (C9)."""
    agreement: Agreement = Agreement.PENDING
    resolution: Resolution = Resolution.OPEN
    lone: bool = False
    """A BLOCKER with one backer (C23)."""
    proposals: int = 0
    """Remediations that seats proposed."""
    prosaic: int = 0
    """Attempts at edits that were prose alone (C39)."""

    @property
    def same(self) -> tuple[Subcategory, Key, Field]:
        """The identity by which two findings are exact duplicates (C14)."""
        return self.subcategory, self.place, self.field

    @property
    def grave(self) -> bool:
        """Whether a remediation is wanted for it."""
        return self.severity.at_least(Severity.MAJOR)


@value(frozen=True, slots=True)
class State:
    seats: tuple[Reviewer, ...]
    cycle: int = 0
    """0 in INIT."""
    step: Step = Step.EXAMINE
    tickets: int = 0
    findings: tuple[Finding, ...] = ()
    """In the order of their numbers."""
    raised: int = 0
    """Findings ever raised; the next one has the next number."""
    merged: int = 0
    attempts: int = 0
    """Times that edits were asked for."""

    @property
    def active(self) -> tuple[Seat, ...]:
        """The seats that are still asked."""
        return tuple(each.seat for each in self.seats if not each.lost)

    def finding(self, key: Key) -> Finding:
        return next(each for each in self.findings if each.key == key)


def finding_key(number: int) -> Key:
    return Key(f"F{number}")


def proposal_keys(state: State) -> dict[Key, Key]:
    """Return the remediations to vote on, each with its finding, in the order of the findings."""
    found: dict[Key, Key] = {}
    for finding in state.findings:
        for _ in range(finding.proposals if finding.grave else 0):
            found[Key(f"P{len(found) + 1}")] = finding.key
    return found


def contested(state: State) -> tuple[Key, ...]:
    return tuple(each.key for each in state.findings if each.agreement is Agreement.CONTESTED)
