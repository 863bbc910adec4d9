"""The forms of the review: what each seat fills in, reasons first and decisions last."""

from __future__ import annotations

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
from quorate.kit.findings import Severity
from quorate.kit.ground import is_grounded
from quorate.kit.view_cuts import still_whole
from quorate.protocols.review.rules.model import (
    MOST_CLAIMS,
    MOST_FINDINGS,
    WHOLE,
    Action,
    Judgement,
    Rule,
    Stance,
    Standing,
    VetoClass,
)
from quorate.protocols.review.rules.parts import MOST_FILES, MOST_HUNKS, MOST_PARTS, Part, has_gap
from quorate.protocols.review.rules.refutation import refuting


@value(frozen=True, slots=True)
class Tabling(Reply):
    """The chair puts the change before the committee."""

    summary: Annotated[Prose, AtMost(3_000), "what the change does, in neutral words"]
    questions: Annotated[tuple[Prose, ...], AtMost(6), "what the committee should look at"]


@value(frozen=True, slots=True)
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
    file: Annotated[int, Between(0, MOST_FILES), "the number of its file's key; 0 for none that is shown"]
    subject: Annotated[Rule, "what a member's fix item about the same would be about"]


@value(frozen=True, slots=True)
class Kept:
    """An open fix item whose evidence stands in the amended change as well (R39)."""

    item: Key
    file: Annotated[int, Between(0, MOST_FILES), "the number of its file's key there; 0 for the change as a whole"]


@value(frozen=True, slots=True)
class Examination(Reply):
    """What the checks found in the change as it stands."""

    receipt: Annotated[Prose, AtMost(400_000), "checks run and files left out, as JSON"]
    change: Annotated[Prose, AtMost(900_000), "the amended change; empty where it is the one that was opened with"]
    findings: Annotated[tuple[Reported, ...], AtMost(MOST_FINDINGS)]
    files: Annotated[int, Between(0, MOST_FILES)]
    claims: Annotated[int, Between(0, MOST_CLAIMS)]
    applied: bool
    passed: Annotated[
        tuple[VetoClass, ...], AtMost(5, may_lack=True), "classes of veto that a check examined without a finding"
    ]
    kept: Annotated[
        tuple[Kept, ...],
        AtMost(1_000, may_lack=True),
        "of the open items, those that the amendment leaves their ground",
    ]
    divided: Annotated[bool, "the change does not fit into one view"]
    hunks: Annotated[int, Between(0, MOST_HUNKS)]
    parts: Annotated[tuple[Part, ...], AtMost(MOST_PARTS), "in which it is read; one where it is not divided"]
    beyond: Annotated[int, Between(0, 1_000_000), "files that are too many or too large to stand in any part"]

    @property
    def gap(self) -> bool:
        """Whether a file or hunk of the change stands in no part (R45)."""
        return self.beyond > 0 or has_gap(self.parts, self.files, self.hunks)


@value(frozen=True, slots=True)
class FixItem:
    path: Annotated[Key, Refers(), OrElse(WHOLE), "the file, by its key; F0 for the change as a whole"]
    rule: Annotated[Rule, "what kind of fault it is"]
    evidence: Annotated[Prose, AtMost(400), Quotes(), "the lines it is about, named as F1:N-M, or quoted"]
    consequence: Annotated[Prose, AtMost(400), "what will go wrong for whom, concretely"]
    action: Annotated[Prose, AtMost(400), "what to change"]
    severity: Annotated[Severity, "how bad the consequence is; low for style and guesses"]
    unfounded: bool = mark(lambda item: is_blank(item.evidence) or is_blank(item.consequence))
    quoted: bool = mark_in_material(lambda item, material: is_grounded(item.evidence, material))
    """Its evidence is grounded in what its member was shown (R40)."""


@value(frozen=True, slots=True)
class ReadPart(Reply):
    """What a reader found in one part of a change that is too large for one view; it votes on nothing."""

    summary: Annotated[Prose, AtMost(1_500), "what this part changes, for those who are not shown it"]
    items: Annotated[tuple[FixItem, ...], AtMost(10), "what has to change in it; an empty list if nothing"]
    whole: bool = mark_in_material(still_whole)
    """Its reader was shown all of the part (R45)."""


@value(frozen=True, slots=True)
class Ballot(Reply):
    opinion: Annotated[Prose, AtMost(4_000), "your argument, with what you looked at"]
    items: Annotated[tuple[FixItem, ...], AtMost(10), "what has to change; an empty list if nothing"]
    taken_back: Annotated[
        tuple[Annotated[Key, Refers()], ...],
        AtMost(60, may_lack=True),
        "your own open items that you take back, by key; mostly none",
    ]
    veto_evidence: Annotated[
        Prose, AtMost(600), Quotes(), "what a veto rests on, lines named as F1:N-M, or quoted; empty without a veto"
    ]
    veto_class: Annotated[VetoClass, "the class of your veto; none without a veto"]
    confidence: Annotated[int, Between(0, 100), "how sure you are of this ballot, of 100"]
    stance: Annotated[Stance, "how you vote"]
    groundless: bool = mark_in_material(lambda ballot, material: not is_grounded(ballot.veto_evidence, material))
    """The evidence of a veto is not found in what its member was shown (R40)."""
    whole: bool = mark_in_material(still_whole)
    """Its member was shown all of the change (R45)."""


@value(frozen=True, slots=True)
class ClaimJudgement:
    observed: Annotated[Prose, AtMost(600), Quotes(), "what you see in the change: lines named as F1:N-M, or quoted"]
    judgement: Annotated[Judgement, "pass only where lines of the change show it"]


@value(frozen=True, slots=True)
class ClaimJudgements(Reply):
    claims: Keyed[ClaimJudgement]


@value(frozen=True, slots=True)
class Mediation(Reply):
    """The chair's brief before the next ballot."""

    positions: Annotated[Prose, AtMost(3_000), "every position, in its strongest form"]
    questions: Annotated[Prose, AtMost(2_000), "what each side must answer"]


@value(frozen=True, slots=True)
class Amendment(Reply):
    reason: Annotated[Prose, AtMost(2_000), "how the patch answers the veto, or why there is none"]
    patch: Annotated[Prose, AtMost(200_000), "a unified diff against the change as it stands; empty for none"]
    blank: bool = mark(lambda amendment: is_blank(amendment.patch))


@value(frozen=True, slots=True)
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


@value(frozen=True, slots=True)
class Compromise(Reply):
    reason: Annotated[Prose, AtMost(2_000), "why the committee should accept, or why you offer nothing"]
    offers: Annotated[Keyed[Offer], "one for each veto (veto_target); empty texts offer nothing for it"]


@value(frozen=True, slots=True)
class Doubt:
    """What the skeptic makes of one item."""

    reason: Annotated[Prose, AtMost(800), "what you tried in order to refute it"]
    quotation: Annotated[
        Prose, AtMost(400), Quotes(), "lines that show it to be wrong, named as F1:N-M, or quoted; empty otherwise"
    ]
    standing: Annotated[Standing, "refuted only with a quotation"]


@value(frozen=True, slots=True)
class Doubts(Reply):
    doubts: Keyed[Doubt]
    quoted: Annotated[tuple[Annotated[Key, Refers()], ...], AtMost(1_000)] = mark_in_material(refuting)
    """The items of which something is quoted from the change that has to do with them (R23)."""

    def refutes(self, key: Key) -> bool:
        """Return whether an item is refuted: the skeptic says so, with a quotation that counts."""
        doubt = self.doubts.get(key)
        return doubt is not None and doubt.standing is Standing.REFUTED and key in self.quoted


@value(frozen=True, slots=True)
class Agreement(Reply):
    """The chair writes down what the committee has agreed on."""

    agreement: Annotated[Prose, AtMost(4_000), "what was agreed and why, minority views included"]
    next_steps: Annotated[tuple[Prose, ...], AtMost(10)]
