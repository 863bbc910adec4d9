"""Data model of the review: phases, outcomes, verdicts, settings, vocabularies and state."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.errors import DefinitionError, SettingError
from quorate.core.forms import AtMost, Between, Key
from quorate.core.tally import Threshold
from quorate.core.types import Seat
from quorate.core.values import value
from quorate.kit.channel import Channel
from quorate.kit.findings import Severity
from quorate.kit.interpretation import Interpretation
from quorate.kit.qualification import Unqualified
from quorate.kit.settings import Later
from quorate.protocols.review.rules.parts import Part

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
    READ = "read"
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


class Style(Enum):
    """How a change is put to members (R50)."""

    WIDE = "wide"
    NARROW = "narrow"


@value(frozen=True, slots=True)
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
    readings: Annotated[
        int, Between(0, 200), "parts of a change too large for one view that are put to readers at most, in all"
    ] = 24
    channel: Annotated[Channel, "what members are shown of each other: whole words, or evidence alone"] = Channel.PROSE
    max_episodes: Annotated[int | None, Between(1, 100_000), "the most replies from models; then the review ends"] = (
        None
    )
    reading: Annotated[
        Interpretation, Later(), "how votes become a verdict: by these rules, or by the literal text of seed 000"
    ] = Interpretation.RULES
    unqualified_seats: Unqualified = ()
    style: Annotated[
        Style, Later(), "wide: ballots on the change as a whole; narrow: one closed question about each hunk"
    ] = Style.WIDE

    def __post_init__(self) -> None:
        if twice := {name for name in self.members if self.members.count(name) > 1}:
            raise SettingError(f"names {min(twice)!r} twice", key="members", expected="different members")
        if taken := set(OFFICES) & set(self.members):
            raise SettingError(f"names {min(taken)!r}, but that seat has no vote", key="members", expected="personas")
        for key in ("quorum", "attendance"):
            try:
                Threshold.parse(getattr(self, key))
            except DefinitionError as error:
                raise SettingError(str(error), key=key, expected="a share such as 2/3") from error

    @property
    def literal(self) -> bool:
        """Whether the seed's text decides how votes become a verdict (R42)."""
        return self.reading is Interpretation.SEED

    @property
    def narrow(self) -> bool:
        """Whether members answer one closed question about each hunk, and nobody ballots (R50)."""
        return self.style is Style.NARROW

    def counts(self, seat: Seat) -> bool:
        """Return whether anything follows from what a seat says (R48)."""
        return seat not in self.unqualified_seats

    def blocks(self, severity: Severity) -> bool:
        """Return whether a finding of a check or a claim of this severity blocks; a lesser one is a note (R24, R27)."""
        return severity.at_least(self.blocking_severity)

    def item_blocks(self, severity: Severity) -> bool:
        """Return whether a fix item of this severity would block; a lesser one is a note (R22, R42)."""
        return self.literal or self.blocks(severity)


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
    USED_UP = "the rounds are used up"


class Earlier(Enum):
    """What became of a veto that a member cast in an earlier ballot and has not lifted (R13)."""

    NONE = "none"
    AMENDED = "the change was amended"
    OFFERED = "a compromise was offered"


@value(frozen=True, slots=True)
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


@value(frozen=True, slots=True)
class Item:
    """A fix item that is open: raised, of a severity that blocks, and not ended (R22, R39)."""

    key: Key
    seat: Seat
    path: Key
    rule: Rule
    severity: Severity
    grounded: bool = True
    """Its evidence stands in what its member was shown (R40)."""
    withheld: bool = False
    """It is a veto that low confidence turned into an abstention, and nobody has confirmed it (R38)."""
    own: bool = False
    """A check has examined this class of veto and passed it, so that nobody else's ground carries it (R40)."""


@value(frozen=True, slots=True)
class State:
    members: tuple[Member, ...]
    round: int = 1
    """Which ballot is held or prepared (R5)."""
    checked: Checked = Checked.NOT_YET
    files: int = 0
    unread: tuple[Part, ...] = ()
    """The parts of the change that nobody has read yet (R45)."""
    gap: bool = False
    """Nobody will read some of the change: it stands in no part, or its readers were lost (R45)."""
    divided: bool = False
    """The change does not fit into one view, and its parts are put to readers (R43)."""
    attempt: int = 0
    """How often its parts were put to readers."""
    asked: int = 0
    """Readings asked for in this session, of whichever change (R44)."""
    answered: bool = False
    """A member whose word counts has answered a narrow question about the change as it stands (R53)."""
    claims: int = 0
    judged: bool = False
    """The claims have been judged for the change as it stands (R24)."""
    unmet: tuple[tuple[Key, Judgement], ...] = ()
    """Claims that did not pass."""
    quorate: bool = False
    """The last ballot met the quorum and no veto stands."""
    raised: int = 0
    """How many fix items were raised so far; each has a number of its own (R22)."""
    items: tuple[Item, ...] = ()
    """Those that are open, in the order in which they were raised (R39)."""
    noted: tuple[tuple[Seat, Key, Rule], ...] = ()
    """Who quoted the change for a note on which file and rule, which carries what others say of it (R40)."""
    proved: tuple[tuple[Key, Rule], ...] = ()
    """Where the checks found something in the change as it stands, and which rule of members that answers to (R40)."""
    passed: tuple[VetoClass, ...] = ()
    """The classes of veto that checks examined in the change as it stands without a finding (R40)."""
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

    @property
    def unseen(self) -> bool:
        """Whether some of the change was read by nobody, so that it cannot be approved (R45)."""
        return self.gap or bool(self.unread)

    def open_of(self, seat: Seat) -> tuple[Key, ...]:
        """Return the open items of a member, which it may take back (R39)."""
        return tuple(item.key for item in self.items if item.seat == seat)


def file_keys(count: int) -> tuple[Key, ...]:
    """Return the keys of the files under review, the whole change first."""
    return (WHOLE, *(Key(f"F{number}") for number in range(1, count + 1)))


def file_key(number: int) -> Key:
    return Key(f"F{number}")


def claim_keys(count: int) -> tuple[Key, ...]:
    return tuple(Key(f"C{number}") for number in range(1, count + 1))


def item_key(number: int) -> Key:
    return Key(f"I{number}")


def veto_keys(state: State) -> dict[Key, Seat]:
    """Return the standing vetoes by the key they are answered under, in the order of the seats."""
    standing = [member.seat for member in state.members if member.vetoes]
    return {Key(f"V{number}"): seat for number, seat in enumerate(standing, start=1)}


def persona_of(seat: str) -> str:
    """Return the persona that a seat plays: `operations-sre:2` plays `operations-sre`."""
    return seat.partition(":")[0]
