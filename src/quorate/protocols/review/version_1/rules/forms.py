"""The forms of the review: what each seat fills in, reasons first and decisions last."""

from __future__ import annotations

from typing import Annotated

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
from quorate.core.values import value
from quorate.kit.findings import Severity
from quorate.protocols.review.version_1.rules.model import (
    MOST_CLAIMS,
    MOST_FILES,
    MOST_FINDINGS,
    Action,
    Judgement,
    Rule,
    Stance,
    Standing,
    VetoClass,
)


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


@value(frozen=True, slots=True)
class Examination(Reply):
    """What the checks found in the change as it stands."""

    receipt: Annotated[Prose, AtMost(400_000), "checks run and files left out, as JSON"]
    change: Annotated[Prose, AtMost(900_000), "the amended change; empty where it is the one that was opened with"]
    findings: Annotated[tuple[Reported, ...], AtMost(MOST_FINDINGS)]
    files: Annotated[int, Between(0, MOST_FILES)]
    claims: Annotated[int, Between(0, MOST_CLAIMS)]
    applied: bool

    @property
    def examined(self) -> bool:
        """Whether there is a change that was examined, shown whole or not (R4)."""
        return self.applied or self.files > 0

    @property
    def partial(self) -> bool:
        """Whether files of the change are shown to nobody (R33)."""
        return self.examined and not self.applied


@value(frozen=True, slots=True)
class FixItem:
    path: Annotated[Key, Refers(), "the file, by its key; F0 for the change as a whole"]
    rule: Annotated[Rule, "what kind of fault it is"]
    evidence: Annotated[Prose, AtMost(400), "the lines it is about, quoted"]
    consequence: Annotated[Prose, AtMost(400), "what will go wrong for whom, concretely"]
    action: Annotated[Prose, AtMost(400), "what to change"]
    severity: Annotated[Severity, "how bad the consequence is; low for style and guesses"]
    unfounded: bool = mark(lambda item: is_blank(item.evidence) or is_blank(item.consequence))
    quoted: bool = mark_in_material(lambda item, material: occurs_in(item.evidence, material))


@value(frozen=True, slots=True)
class Ballot(Reply):
    opinion: Annotated[Prose, AtMost(4_000), "your argument, with what you looked at"]
    items: Annotated[tuple[FixItem, ...], AtMost(10), "what has to change; an empty list if nothing"]
    veto_evidence: Annotated[Prose, AtMost(600), "what a veto rests on, quoted; empty without a veto"]
    veto_class: Annotated[VetoClass, "the class of your veto; none without a veto"]
    confidence: Annotated[int, Between(0, 100), "how sure you are of this ballot, of 100"]
    stance: Annotated[Stance, "how you vote"]
    groundless: bool = mark(lambda ballot: is_blank(ballot.veto_evidence))


@value(frozen=True, slots=True)
class ClaimJudgement:
    observed: Annotated[Prose, AtMost(600), "what you see in the change, quoted"]
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
    quotation: Annotated[Prose, AtMost(400), "lines of the change that show it to be wrong; empty otherwise"]
    standing: Annotated[Standing, "refuted only with a quotation"]
    quoted: bool = mark_in_material(lambda doubt, material: occurs_in(doubt.quotation, material))


@value(frozen=True, slots=True)
class Doubts(Reply):
    doubts: Keyed[Doubt]


@value(frozen=True, slots=True)
class Agreement(Reply):
    """The chair writes down what the committee has agreed on."""

    agreement: Annotated[Prose, AtMost(4_000), "what was agreed and why, minority views included"]
    next_steps: Annotated[tuple[Prose, ...], AtMost(10)]
