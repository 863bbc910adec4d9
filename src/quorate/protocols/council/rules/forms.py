"""The forms of the council: what each seat fills in, reasons first and decisions last."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from quorate.core.forms import (
    AtMost,
    Between,
    Key,
    Keyed,
    OrElse,
    Prose,
    Quotes,
    Refers,
    Reply,
    is_blank,
    mark,
    mark_in_material,
)
from quorate.core.values import value
from quorate.kit.ground import is_grounded
from quorate.kit.view_cuts import still_whole
from quorate.protocols.council.rules.taxonomy import (
    MOST_TICKETS,
    WHOLE_RFC,
    Field,
    Gate,
    GateStatus,
    Severity,
    Subcategory,
)

MOST_GATE_FINDINGS = 300
MOST_RAISED = 8
"""Findings that one seat raises in one reply."""
MOST_ROWS = 15
"""Rows of an artifact."""
MOST_SAME = 20
"""Findings that a seat calls the same as one."""
LEAST_REFUTING = 20
"""Characters without white space from which a quotation refutes: `status: READY` stands in any ticket (C23)."""

# What code reports


@value(frozen=True, slots=True)
class GateFinding:
    """A defect that a gate proved."""

    subcategory: Subcategory
    severity: Severity
    place: Annotated[Key, Refers()]
    field: Field
    file: Annotated[Prose, AtMost(1_000)]
    line: Annotated[int, Between(1, 10_000_000)]
    yaml_path: Annotated[Prose, AtMost(500)]
    message: Annotated[Prose, AtMost(1_500)]
    evidence: Annotated[Prose, AtMost(1_000)]
    action: Annotated[Prose, AtMost(600)]


@value(frozen=True, slots=True)
class GateRun:
    """What became of one gate that code runs, or counts for."""

    gate: Gate
    status: GateStatus
    read: Annotated[int, Between(0, 1_000_000), "files and tickets that it could read; without any it passes nothing"]
    reason: Annotated[Prose, AtMost(600)]
    evidence: Annotated[Prose, AtMost(20_000), "what was counted, as JSON"]


@value(frozen=True, slots=True)
class GateReport(Reply):
    """What the gates found in the RFC as it was read."""

    receipt: Annotated[Prose, AtMost(400_000), "what was read and left out, and candidates for cousins, as JSON"]
    gates: Annotated[tuple[GateRun, ...], AtMost(9)]
    findings: Annotated[tuple[GateFinding, ...], AtMost(MOST_GATE_FINDINGS)]
    tickets: Annotated[int, Between(0, MOST_TICKETS)]


@value(frozen=True, slots=True)
class Pair:
    """Two findings that are one: `merged` goes into `kept`."""

    kept: Annotated[Key, Refers()]
    merged: Annotated[Key, Refers()]


@value(frozen=True, slots=True)
class Matches(Reply):
    """The pairs of findings whose texts are alike beyond doubt (C14)."""

    pairs: Annotated[tuple[Pair, ...], AtMost(200)]


@value(frozen=True, slots=True)
class Coverage(Reply):
    """What no seat with a usable reply was shown whole (C42), and how many findings of seats were refused (C28)."""

    unshown: Annotated[tuple[Annotated[Key, Refers()], ...], AtMost(MOST_TICKETS + 11)]
    refused: Annotated[int, Between(0, 100_000), "findings of seats that did not fit their form"]


# What seats raise


class Lens(Enum):
    """The five modes of a seat by their place in its view: two anchors, then the three drawn."""

    L1 = "L1"
    L2 = "L2"
    L3 = "L3"
    L4 = "L4"
    L5 = "L5"


DRAWN = (Lens.L3, Lens.L4, Lens.L5)


class Level(Enum):
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


@value(frozen=True, slots=True)
class Raised:
    """One finding of a seat."""

    place: Annotated[Key, Refers(), OrElse(WHOLE_RFC), "the ticket or file it is in, by its key; RFC for the whole"]
    field: Annotated[Field, "the field of the ticket it is in"]
    evidence: Annotated[Prose, AtMost(400), Quotes(), "the lines it is about, named as T3:N-M, or quoted"]
    description: Annotated[Prose, AtMost(600), "what is wrong and what will go wrong because of it"]
    lens: Annotated[Lens, "the lens that showed it to you"]
    subcategory: Annotated[Subcategory, "what kind of defect it is"]
    severity: Annotated[Severity, "BLOCKER only where it must not go on like this"]
    quoted: bool = mark_in_material(lambda raised, material: is_grounded(raised.evidence, material))


@value(frozen=True, slots=True)
class Score:
    """A row of the scoring table: one decision through one lens."""

    decision: Annotated[Prose, AtMost(200), "the design decision, by its id, or an alternative to it"]
    rationale: Annotated[Prose, AtMost(400), "what the lens shows about it, with the text it rests on"]
    lens: Lens
    score: Annotated[int, Between(1, 5), "how well it serves the requirements, 5 the best"]
    blank: bool = mark(lambda row: is_blank(row.rationale))


@value(frozen=True, slots=True)
class ScoringTable(Reply):
    """SA-1: the chosen design against its alternatives, through five lenses; and what is wrong with the structure."""

    scores: Annotated[tuple[Score, ...], AtMost(MOST_ROWS), "every drawn lens at least once"]
    recommendation: Annotated[Prose, AtMost(1_000)]
    findings: Annotated[tuple[Raised, ...], AtMost(MOST_RAISED), "structural defects; an empty list if none"]
    whole: bool = mark_in_material(still_whole)
    """Its participant's own window cut nothing of the RFC from its view (C42)."""


@value(frozen=True, slots=True)
class MockStep:
    """A step of a mock implementation: what an agent would do next, and where it would get stuck."""

    ticket: Annotated[Key, Refers(), "the ticket, by its key"]
    step: Annotated[Prose, AtMost(400), "what the implementing agent does, and what it would have to guess"]
    lens: Lens
    friction: Annotated[Level, "how hard the text makes it"]
    confidence: Annotated[Level, "how likely the step succeeds as written"]
    blank: bool = mark(lambda row: is_blank(row.step))


@value(frozen=True, slots=True)
class MockRun(Reply):
    """SA-2: a receipt of implementing the tickets in the mind of the agent that will; and what is wrong."""

    steps: Annotated[tuple[MockStep, ...], AtMost(MOST_ROWS), "every drawn lens at least once"]
    blockers: Annotated[Prose, AtMost(1_000), "what would stop the agent"]
    findings: Annotated[tuple[Raised, ...], AtMost(MOST_RAISED), "structural defects; an empty list if none"]
    whole: bool = mark_in_material(still_whole)
    """Its participant's own window cut nothing of the RFC from its view (C42)."""


@value(frozen=True, slots=True)
class Claim:
    """A node of the assurance tree."""

    parent: Annotated[int, Between(0, MOST_ROWS), "the number of the claim it supports, counted from 1; 0 for the top"]
    claim: Annotated[Prose, AtMost(300)]
    argument: Annotated[Prose, AtMost(400), "why the evidence supports the claim"]
    evidence: Annotated[Prose, AtMost(400), Quotes(), "the lines it rests on, named as T3:N-M, or quoted"]
    rebuttal: Annotated[Prose, AtMost(400), "how an attacker would break it"]
    lens: Lens
    confidence: Level
    blank: bool = mark(lambda row: is_blank(row.argument))


@value(frozen=True, slots=True)
class AssuranceTree(Reply):
    """SA-3: claims, arguments and evidence for the security of what is planned; and what is wrong."""

    claims: Annotated[tuple[Claim, ...], AtMost(MOST_ROWS), "every drawn lens at least once"]
    findings: Annotated[tuple[Raised, ...], AtMost(MOST_RAISED), "structural defects; an empty list if none"]
    whole: bool = mark_in_material(still_whole)
    """Its participant's own window cut nothing of the RFC from its view (C42)."""


@value(frozen=True, slots=True)
class GateJudgement:
    gate: Annotated[Gate, "one of the gates you are asked about"]
    reason: Annotated[Prose, AtMost(800), "what you looked at and found"]
    passed: Annotated[bool, "whether the tickets pass it"]


@value(frozen=True, slots=True)
class Assessment(Reply):
    """What a seat makes of the gates that need judgement."""

    gates: Annotated[tuple[GateJudgement, ...], AtMost(5), "one for each gate"]
    findings: Annotated[tuple[Raised, ...], AtMost(MOST_RAISED), "new defects; an empty list if none"]
    confidence: Annotated[Level, "how sure you are of this assessment"]
    whole: bool = mark_in_material(still_whole)
    """Its participant's own window cut nothing of the RFC from its view (C42)."""


# Responses, remediations, votes


class Response(Enum):
    CONFIRM = "CONFIRM"
    DISPUTE = "DISPUTE"
    SEVERITY = "SEVERITY"
    ABSTAIN = "ABSTAIN"


class Fix(Enum):
    """What kind of remediation it is: each changes something, none only adds prose."""

    NONE = "NONE"
    TICKET_REWRITTEN = "TICKET_REWRITTEN"
    DEPENDENCY_FIXED = "DEPENDENCY_FIXED"
    CCP_MAPPED = "CCP_MAPPED"
    REQUIREMENT_COVERED = "REQUIREMENT_COVERED"
    TICKET_REMOVED = "TICKET_REMOVED"
    EXTEND_EXISTING = "EXTEND_EXISTING"
    ADD_IMPLEMENTATION_DETAIL = "ADD_IMPLEMENTATION_DETAIL"
    SPLIT_TICKET = "SPLIT_TICKET"


@value(frozen=True, slots=True)
class Proposal:
    """A remediation for one finding."""

    remediation: Annotated[Prose, AtMost(800), "what to change, field by field; empty for none"]
    fix: Annotated[Fix, "the kind of change; NONE if you propose nothing"]
    blank: bool = mark(lambda proposal: is_blank(proposal.remediation))


@value(frozen=True, slots=True)
class Answer:
    """What a seat makes of one finding."""

    reason: Annotated[Prose, AtMost(600), "why; a dispute without a reason is an abstention"]
    proposal: Annotated[Proposal, "how to mend it, for a BLOCKER or MAJOR"]
    same_as: Annotated[
        tuple[Annotated[Key, Refers()], ...],
        AtMost(MOST_SAME),
        "the findings, by key, that are one and the same as this one; an empty list: it is different from all others",
    ]
    severity: Annotated[Severity, "the severity you hold right; it counts with SEVERITY alone"]
    response: Annotated[Response, "whether you hold the finding true"]
    unreasoned: bool = mark(lambda answer: is_blank(answer.reason))


@value(frozen=True, slots=True)
class Answers(Reply):
    answers: Keyed[Answer]


@value(frozen=True, slots=True)
class LensUse:
    """What a drawn lens that was not used yet shows, at one place."""

    place: Annotated[Key, Refers(), "the ticket or file you looked at through it"]
    observation: Annotated[Prose, AtMost(500), "what it shows there"]
    lens: Lens
    blank: bool = mark(lambda use: is_blank(use.observation))


@value(frozen=True, slots=True)
class Binding(Reply):
    uses: Annotated[tuple[LensUse, ...], AtMost(3), "one for each lens that is missing"]


@value(frozen=True, slots=True)
class LastProposals(Reply):
    """The final attempt at a remediation for each BLOCKER that has none."""

    proposals: Keyed[Proposal]


class Vote(Enum):
    SUPPORT = "SUPPORT"
    OPPOSE = "OPPOSE"
    ABSTAIN = "ABSTAIN"


@value(frozen=True, slots=True)
class Ballot:
    """A vote on one contested finding, one contested severity or one remediation."""

    rationale: Annotated[Prose, AtMost(600)]
    refutation: Annotated[
        Prose, AtMost(400), Quotes(), "lines that show it to be wrong, named as T3:N-M, or quoted; else empty"
    ]
    vote: Vote
    refuted: bool = mark_in_material(
        lambda ballot, material: is_grounded(ballot.refutation, material, least=LEAST_REFUTING)
    )


@value(frozen=True, slots=True)
class Ballots(Reply):
    votes: Keyed[Ballot]


# Patches


@value(frozen=True, slots=True)
class Edit:
    """Replace a piece of text that stands in a file exactly once."""

    finding: Annotated[Key, Refers(), "the finding that it mends"]
    place: Annotated[Key, Refers(), "the ticket or file, by its key"]
    find: Annotated[Prose, AtMost(4_000), "the text as it stands there; empty to add at the end"]
    replacement: Annotated[Prose, AtMost(8_000), "what stands there instead"]


@value(frozen=True, slots=True)
class Patch(Reply):
    reason: Annotated[Prose, AtMost(1_000), "how the edits carry out the agreed remediations"]
    edits: Annotated[tuple[Edit, ...], AtMost(30)]


class Applied(Enum):
    """What became of the edits for one finding."""

    APPLIED = "applied, and the gates pass as before or better"
    NOT_APPLIED = "an edit does not apply"
    PROSE_ONLY = "nothing changes but prose"
    REGRESSED = "a gate finds something that was not there before"
    UNRESOLVED = "the gate finds the same as before"


@value(frozen=True, slots=True)
class Application(Reply):
    """What the gates say once the edits are made in a scratch copy."""

    diff: Annotated[Prose, AtMost(400_000), "the edits that hold, as a unified diff"]
    notes: Annotated[Prose, AtMost(20_000), "why an edit was refused"]
    results: Keyed[Applied]
