"""The nouns of the review: phases, outcomes, verdicts, settings, state and forms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.findings import Severity
from quorate.core.forms import (
    AtMost,
    Between,
    Key,
    Keyed,
    Prose,
    Refers,
    Reply,
    is_blank,
    mark,
    mark_in_material,
    occurs_in,
)
from quorate.core.tally import Threshold
from quorate.core.types import Seat

CHAIR = Seat("chair")
CHECKS = Seat("checks")
PROPOSER = Seat("proposer")
SKEPTIC = Seat("skeptic")
OFFICES = (CHAIR, SKEPTIC, PROPOSER, CHECKS)
"""The seats beside the committee; none of them has a vote."""
BUSINESS_DRIVER = Seat("business-driver")
ADJUDICATOR = Seat("adjudicator")
PERSONAS = (
    "engineering-architect",
    "knowledge-manager",
    "operations-sre",
    "business-driver",
    "product-manager",
    "design-hci",
)
WHOLE = Key("F0")
"""The change as a whole, where an item is about no single file."""
MOST_FILES = 200
MOST_CLAIMS = 40
MOST_FINDINGS = 1_000


class Phase(Enum):
    PROPOSAL = "proposal"
    DEBATE = "debate"
    VETO = "veto"
    SYNTHESIS = "synthesis"
    ABSTAIN = "abstain"
    CONCLUSION = "conclusion"
    ABORTED = "aborted"


class Outcome(Enum):
    EXAMINED = "examined"
    TABLED = "tabled"
    CRITICAL_FLAW = "critical_flaw"
    CONSENSUS = "consensus"
    ABSTENTION = "abstention"
    AMENDMENT_OFFERED = "amendment_offered"
    NO_AMENDMENT = "no_amendment"
    AMENDED = "amended"
    COMPROMISE = "compromise"
    IRRECONCILABLE = "irreconcilable"
    CONFIRMED = "confirmed"
    AGREED = "agreed"
    QUORUM_MET = "quorum_met"
    REDEBATE = "redebate"
    NO_QUORUM = "no_quorum"


class Verdict(Enum):
    APPROVED = "approved"
    REQUEST_CHANGES = "request_changes"
    INCONCLUSIVE = "inconclusive"
    ABORTED = "aborted"


# Settings


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    members: Annotated[
        tuple[str, ...], AtMost(12), "the committee; an empty list lets the size of the change elect it"
    ] = ()
    veto_holders: Annotated[tuple[str, ...], AtMost(12), "members whose veto outweighs any majority"] = (
        "operations-sre",
        "knowledge-manager",
    )
    quorum: Annotated[str, "the share of synthesis votes among those not abstaining"] = "2/3"
    attendance: Annotated[str, "the share of the committee that has to reply at all"] = "1/2"
    rounds: Annotated[int, Between(1, 5), "ballots at most"] = 5
    abstain_below: Annotated[int, Between(0, 100), "a ballot with less confidence, of 100, counts as an abstention"] = (
        50
    )
    redebate: Annotated[bool, "without quorum debate again while somebody opposes; false is the literal table"] = True
    blocking_severity: Annotated[Severity, "items of at least this severity block; lesser ones are notes"] = (
        Severity.MEDIUM
    )
    confirm_items: Annotated[bool, "an adversarial seat tries to refute every item that would block"] = True
    persona_tokens: Annotated[int, Between(1_000, 1_000_000), "tokens that one seat is shown at most"] = 30_000
    max_episodes: Annotated[int | None, Between(1, 100_000), "the most replies from models; then the review ends"] = (
        None
    )

    def __post_init__(self) -> None:
        if twice := {name for name in self.members if self.members.count(name) > 1}:
            raise SettingError(f"names {min(twice)!r} twice", key="members", expected="different members")
        if taken := set(OFFICES) & set(self.members):
            raise SettingError(f"names {min(taken)!r}", key="members", expected="members; that seat has no vote")
        for key in ("quorum", "attendance"):
            try:
                Threshold.parse(getattr(self, key))
            except DefinitionError as error:
                raise SettingError(str(error), key=key, expected="a share such as 2/3") from error


# Vocabularies


class Stance(Enum):
    SYNTHESIS = "synthesis"
    OPPOSE = "oppose"
    VETO = "veto"
    ABSTAIN = "abstain"


class VetoClass(Enum):
    NONE = "none"
    RULE_VIOLATION = "rule violation"
    HARD_CODED_SECRET = "hard-coded secret"  # noqa: S105 - the name of a class of findings
    SECURITY_HOLE = "security hole"
    CIRCULAR_DEPENDENCY = "circular dependency"
    UNDOCUMENTED_CONTRACT = "undocumented public contract"


NEVER_DEFERRED = frozenset({VetoClass.HARD_CODED_SECRET, VetoClass.SECURITY_HOLE, VetoClass.CIRCULAR_DEPENDENCY})


class Rule(Enum):
    """What a fix item of a member may be about."""

    SECURITY = "security"
    SECRET = "secret"  # noqa: S105 - the name of a rule
    CORRECTNESS = "correctness"
    ERROR_HANDLING = "error-handling"
    DATA_LOSS = "data-loss"
    CONCURRENCY = "concurrency"
    PERFORMANCE = "performance"
    STRUCTURE = "structure"
    DEPENDENCY = "dependency"
    PUBLIC_CONTRACT = "public-contract"
    DOCUMENTATION = "documentation"
    TESTS = "tests"
    OPERATIONS = "operations"
    VALUE = "value"
    USABILITY = "usability"
    NAMING = "naming"
    STYLE = "style"
    HOUSE_RULE = "house-rule"


RULE_OF_VETO = {
    VetoClass.NONE: Rule.CORRECTNESS,
    VetoClass.RULE_VIOLATION: Rule.HOUSE_RULE,
    VetoClass.HARD_CODED_SECRET: Rule.SECRET,
    VetoClass.SECURITY_HOLE: Rule.SECURITY,
    VetoClass.CIRCULAR_DEPENDENCY: Rule.STRUCTURE,
    VetoClass.UNDOCUMENTED_CONTRACT: Rule.PUBLIC_CONTRACT,
}


class Judgement(Enum):
    """How an acceptance claim is judged, the best first: the worst wins."""

    PASS = "pass"  # noqa: S105 - a judgement
    INSUFFICIENT_EVIDENCE = "insufficient-evidence"
    FAIL = "fail"


CLAIM_SEVERITY = {
    Judgement.PASS: Severity.LOW,
    Judgement.INSUFFICIENT_EVIDENCE: Severity.MEDIUM,
    Judgement.FAIL: Severity.HIGH,
}
"""The severity of the item that a claim becomes (R24)."""


class Action(Enum):
    DEFER_AS_DEBT = "defer-as-debt"
    PARTIAL_FIX = "partial-fix"
    PHASE_DELIVERY = "phase-delivery"


class Standing(Enum):
    """What the skeptic makes of an item."""

    CONFIRMED = "confirmed"
    PLAUSIBLE = "plausible"
    REFUTED = "refuted"


# State


class Checked(Enum):
    """What the deterministic checks came to."""

    NOT_YET = "not yet"
    CLEAN = "clean"
    BLOCKING = "a finding that blocks"
    VETOED = "a veto proven"
    FAILED = "the checks gave no result"


class Step(Enum):
    """Where a veto is being dealt with."""

    AMEND = "amend"
    APPLY = "apply"
    COMPROMISE = "compromise"


class Earlier(Enum):
    """What became of a veto that a member cast in an earlier ballot and has not lifted (R13)."""

    NONE = "none"
    AMENDED = "the change was amended"
    OFFERED = "a compromise was offered"


@dataclass(frozen=True, slots=True)
class Member:
    """What decisions need to know about one member."""

    seat: Seat
    veto: VetoClass = VetoClass.NONE
    """The class of the veto that it cast in the last ballot."""
    earlier: Earlier = Earlier.NONE

    @property
    def vetoes(self) -> bool:
        """Whether a veto of this member stands."""
        return self.veto is not VetoClass.NONE or self.earlier is not Earlier.NONE


@dataclass(frozen=True, slots=True)
class Item:
    """A fix item of the last ballot that would block: one for each file and rule (R22)."""

    path: Key
    rule: Rule
    severity: Severity


@dataclass(frozen=True, slots=True)
class State:
    members: tuple[Member, ...]
    round: int = 1
    """Which ballot is held or prepared (R5)."""
    checked: Checked = Checked.NOT_YET
    files: int = 0
    claims: int = 0
    judged: bool = False
    """The claims have been judged for the change as it stands (R24)."""
    unmet: tuple[tuple[Key, Judgement], ...] = ()
    """Claims that did not pass."""
    quorate: bool = False
    """The last ballot met the quorum and no veto stands: only then do its items matter."""
    items: tuple[Item, ...] = ()
    confirmed: bool = False
    """The skeptic has been heard on the items, or was absent (R23)."""
    opposed: bool = False
    """Somebody opposed in the last ballot, where it did not meet the quorum (R21)."""
    absent: bool = False
    """A member gave no ballot in the last round."""
    deserted: bool = False
    """Fewer members than `attendance` gave a ballot in the last round (R12)."""
    missing: bool = False
    """The skeptic or the chair was done without at the end (R30)."""
    step: Step = Step.AMEND

    @property
    def vetoed(self) -> bool:
        """Whether a veto stands, a member's or one that a check has proven."""
        return self.checked is Checked.VETOED or any(member.vetoes for member in self.members)


def file_keys(count: int) -> tuple[Key, ...]:
    """Return the keys of the files under review, the whole change first."""
    return (WHOLE, *(Key(f"F{number}") for number in range(1, count + 1)))


def claim_keys(count: int) -> tuple[Key, ...]:
    return tuple(Key(f"C{number}") for number in range(1, count + 1))


def item_keys(count: int) -> tuple[Key, ...]:
    return tuple(Key(f"I{number}") for number in range(1, count + 1))


def veto_keys(state: State) -> dict[Key, Seat]:
    """Return the vetoes that stand by the key under which they are answered, in the order of the seats."""
    standing = [member.seat for member in state.members if member.vetoes]
    return {Key(f"V{number}"): seat for number, seat in enumerate(standing, start=1)}


def persona_of(seat: str) -> str:
    """Return the persona that a seat plays: `operations-sre:2` plays `operations-sre`."""
    return seat.partition(":")[0]


# Forms: reasons first, decisions last


@dataclass(frozen=True, slots=True)
class Tabling(Reply):
    """The chair puts the change before the committee."""

    summary: Annotated[Prose, AtMost(3_000), "what the change does, in neutral words"]
    questions: Annotated[tuple[Prose, ...], AtMost(6), "what the committee should look at"]


@dataclass(frozen=True, slots=True)
class Reported:
    """One finding of a deterministic check."""

    check: Annotated[Prose, AtMost(60)]
    rule: Annotated[Prose, AtMost(120)]
    severity: Severity
    path: Annotated[Prose, AtMost(1_000)]
    line: Annotated[int, Between(0, 10_000_000)]
    message: Annotated[Prose, AtMost(1_000)]
    consequence: Annotated[Prose, AtMost(500)]
    action: Annotated[Prose, AtMost(500)]
    evidence: Annotated[Prose, AtMost(500)]
    veto: VetoClass
    occurrence: Annotated[int, Between(0, 100_000), "which of several alike"]
    fingerprint: Annotated[Prose, AtMost(64), "what tells masked secrets apart"]


@dataclass(frozen=True, slots=True)
class Examination(Reply):
    """What the checks found in the change as it stands."""

    receipt: Annotated[Prose, AtMost(400_000), "checks run and files left out, as JSON"]
    change: Annotated[Prose, AtMost(900_000), "the amended change; empty where it is the one that was opened with"]
    findings: Annotated[tuple[Reported, ...], AtMost(MOST_FINDINGS)]
    files: Annotated[int, Between(0, MOST_FILES)]
    claims: Annotated[int, Between(0, MOST_CLAIMS)]
    applied: bool


@dataclass(frozen=True, slots=True)
class FixItem:
    path: Annotated[Key, Refers(), "the file, by its key; F0 for the change as a whole"]
    rule: Annotated[Rule, "what kind of fault it is"]
    evidence: Annotated[Prose, AtMost(400), "the lines it is about, quoted"]
    consequence: Annotated[Prose, AtMost(400), "what will go wrong for whom, concretely"]
    action: Annotated[Prose, AtMost(400), "what to change"]
    severity: Annotated[Severity, "how bad the consequence is; low for style and guesses"]
    unfounded: bool = mark(lambda item: is_blank(item.evidence) or is_blank(item.consequence))
    quoted: bool = mark_in_material(lambda item, material: occurs_in(item.evidence, material))


@dataclass(frozen=True, slots=True)
class Ballot(Reply):
    opinion: Annotated[Prose, AtMost(4_000), "your argument, with what you looked at"]
    items: Annotated[tuple[FixItem, ...], AtMost(10), "what has to change; an empty list if nothing"]
    veto_evidence: Annotated[Prose, AtMost(600), "what a veto rests on, quoted; empty without a veto"]
    veto_class: Annotated[VetoClass, "the class of your veto; none without a veto"]
    confidence: Annotated[int, Between(0, 100), "how sure you are of this ballot, of 100"]
    stance: Annotated[Stance, "how you vote"]
    groundless: bool = mark(lambda ballot: is_blank(ballot.veto_evidence))


@dataclass(frozen=True, slots=True)
class ClaimJudgement:
    observed: Annotated[Prose, AtMost(600), "what you see in the change, quoted"]
    judgement: Annotated[Judgement, "pass only where lines of the change show it"]


@dataclass(frozen=True, slots=True)
class ClaimJudgements(Reply):
    claims: Keyed[ClaimJudgement]


@dataclass(frozen=True, slots=True)
class Mediation(Reply):
    """The chair's brief before the next ballot."""

    positions: Annotated[Prose, AtMost(3_000), "every position, in its strongest form"]
    questions: Annotated[Prose, AtMost(2_000), "what each side must answer"]


@dataclass(frozen=True, slots=True)
class Amendment(Reply):
    reason: Annotated[Prose, AtMost(2_000), "how the patch answers the veto, or why there is none"]
    patch: Annotated[Prose, AtMost(200_000), "a unified diff against the change as it stands; empty for none"]
    blank: bool = mark(lambda amendment: is_blank(amendment.patch))


@dataclass(frozen=True, slots=True)
class Offer:
    """A compromise on one veto, by the cost of delay."""

    cod_evidence: Annotated[Prose, AtMost(800), "what the delay costs, with numbers"]
    acceptance_criteria: Annotated[Prose, AtMost(800), "how anybody will see that the debt is paid"]
    debt_owner: Annotated[Prose, AtMost(120), "who pays it"]
    timeline_days: Annotated[int, Between(1, 365), "by when it is paid, in days"]
    proposed_action: Annotated[Action, "what is done now, and what later"]
    incomplete: bool = mark(
        lambda offer: any(is_blank(text) for text in (offer.cod_evidence, offer.acceptance_criteria, offer.debt_owner))
    )


@dataclass(frozen=True, slots=True)
class Compromise(Reply):
    reason: Annotated[Prose, AtMost(2_000), "why the committee should accept, or why you offer nothing"]
    offers: Annotated[Keyed[Offer], "one for each veto (veto_target); empty texts offer nothing for it"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What the skeptic makes of one item."""

    reason: Annotated[Prose, AtMost(800), "what you tried in order to refute it"]
    quotation: Annotated[Prose, AtMost(400), "lines of the change that show it to be wrong; empty otherwise"]
    standing: Annotated[Standing, "refuted only with a quotation"]
    quoted: bool = mark_in_material(lambda doubt, material: occurs_in(doubt.quotation, material))


@dataclass(frozen=True, slots=True)
class Doubts(Reply):
    doubts: Keyed[Doubt]


@dataclass(frozen=True, slots=True)
class Agreement(Reply):
    """The chair writes down what the committee has agreed on."""

    agreement: Annotated[Prose, AtMost(4_000), "what was agreed and why, minority views included"]
    next_steps: Annotated[tuple[Prose, ...], AtMost(10)]
