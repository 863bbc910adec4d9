"""The finite domains of replies that `verify` explores, each with the argument why it is sufficient."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question
from quorate.protocols.council.version_1.rules.forms import (
    DRAWN,
    Answer,
    Answers,
    Application,
    Applied,
    Assessment,
    AssuranceTree,
    Ballot,
    Ballots,
    Binding,
    Claim,
    Edit,
    Fix,
    GateFinding,
    GateJudgement,
    GateReport,
    LastProposals,
    Lens,
    LensUse,
    Level,
    Matches,
    MockRun,
    MockStep,
    Pair,
    Patch,
    Proposal,
    Raised,
    Response,
    Score,
    ScoringTable,
    Vote,
)
from quorate.protocols.council.version_1.rules.model import CouncilSettings, Depth, Profile
from quorate.protocols.council.version_1.rules.taxonomy import (
    DOCUMENTS,
    Field,
    Gate,
    Severity,
    Subcategory,
    ticket_keys,
)

TEXT = Prose("text")
FIRST, SECOND = ticket_keys(2)
BLOCKER, MAJOR, MINOR = Severity.BLOCKER, Severity.MAJOR, Severity.MINOR
RFC = {
    "id": "RFC-0001",
    "title": "Readers go on where they stopped",
    "version": "v4",
    "documents": [{"key": DOCUMENTS[0], "name": "00_rfc.yaml", "text": "rfc: RFC-0001", "fields": {}}],
    "tickets": [
        {"key": key, "id": f"TCK-{key}", "title": "Keep the page", "file": f"{key}.yaml", "text": "steps: keep it"}
        for key in (FIRST, SECOND)
    ],
    "requirements": [{"id": "REQ-0001", "title": "Kept", "statement": "Pages are kept.", "tickets": [FIRST]}],
    "components": [{"id": "COMP-STORE", "name": "store", "path": "store", "description": "", "extension_points": []}],
}
MATERIAL: Mapping[str, str] = {"rfc": json.dumps(RFC), "gates": "{}"}
"""An RFC with the two tickets that the gates may speak of."""


def proven(subcategory: Subcategory, severity: Severity) -> GateFinding:
    return GateFinding(subcategory, severity, FIRST, Field.WHOLE, TEXT, 1, TEXT, TEXT, TEXT, TEXT)


def raised(place: Key, subcategory: Subcategory, severity: Severity, lens: Lens = Lens.L1) -> Raised:
    """Return a finding with its prose already marked, as if parsed from a reply."""
    return Raised(place, Field.STEPS, TEXT, TEXT, lens, subcategory, severity, True)


PLAN = raised(FIRST, Subcategory.INCOMPLETE_PLAN, BLOCKER)
PLAN_MILDER = raised(FIRST, Subcategory.INCOMPLETE_PLAN, MINOR)
CONTEXT = raised(FIRST, Subcategory.AGENT_CONTEXT_GAP, MAJOR, Lens.L5)
"""A finding of the same gate and place as `PLAN`, so that the matcher may merge the two."""
ELSEWHERE = raised(SECOND, Subcategory.INCOMPLETE_PLAN, MAJOR)
"""A finding of another ticket, which nothing may merge with `PLAN`."""


def _artifact(form: type[Reply], lenses: tuple[Lens, ...], findings: tuple[Raised, ...], blank: bool = False) -> Reply:
    if form is ScoringTable:
        return ScoringTable(tuple(Score(TEXT, TEXT, lens, 3, blank) for lens in lenses), TEXT, findings)
    if form is MockRun:
        rows = tuple(MockStep(FIRST, TEXT, lens, Level.LOW, Level.HIGH, blank) for lens in lenses)
        return MockRun(rows, TEXT, findings)
    claims = tuple(Claim(0, TEXT, TEXT, TEXT, TEXT, lens, Level.HIGH, blank) for lens in lenses)
    return AssuranceTree(claims, findings)


@dataclass(frozen=True)
class _Walk:
    """The replies that `verify` explores under some settings."""

    settings: CouncilSettings

    @property
    def alone(self) -> bool:
        return self.settings.depth is Depth.STANDARD

    @property
    def edits(self) -> bool:
        """Whether edits are explored; few findings suffice, since edits do not depend on how they were raised."""
        return self.settings.remediate

    @property
    def limited(self) -> bool:
        """Whether an episode limit applies; it ends a council from any state, so few states suffice."""
        limit = self.settings.max_episodes
        return limit is not None and limit < 25

    @property
    def narrow(self) -> bool:
        return self.edits or self.limited or self.settings.quorum > 2

    @property
    def late(self) -> bool:
        """Whether CYCLE_2 findings, doubts and unbound lenses are explored (nine gates) or CYCLE_1 findings (seven)."""
        return self.settings.gates is Profile.NINE

    def reports(self, _: Question) -> tuple[GateReport, ...]:
        blocker, major = proven(Subcategory.DEPENDENCY_CYCLE, BLOCKER), proven(Subcategory.INCOMPLETE_PLAN, MAJOR)
        found: list[tuple[GateFinding, ...]] = [()]
        if not self.late:
            found.append((blocker,) if self.narrow else (blocker, major))
        if self.alone:
            found.append((major, proven(Subcategory.SCOPE_OVERLAP, MINOR)))
        return tuple(GateReport(Prose("{}"), (), each, 2) for each in found)

    def artifacts(self, question: Question) -> tuple[Reply, ...]:
        most, few = DRAWN, DRAWN[:2]
        found = [_artifact(question.form, few if self.late else most, ()), _artifact(question.form, most, (PLAN,))]
        if not (self.edits or self.late):
            found.append(_artifact(question.form, few if self.narrow else most, (PLAN_MILDER, ELSEWHERE)))
        if self.alone:
            found.append(_artifact(question.form, most, (CONTEXT,), blank=True))
        return tuple(found)

    def assessments(self, _: Question) -> tuple[Assessment, ...]:
        gates = (GateJudgement(Gate.ATOMICITY, TEXT, True),)
        found = [Assessment(gates, (), Level.HIGH)]
        if self.late or self.alone:
            found.append(Assessment(gates, (CONTEXT,), Level.LOW))
        if self.alone or self.limited:
            found.append(Assessment((), (), Level.LOW))
        if self.alone:
            found.append(Assessment((GateJudgement(Gate.IMPLEMENTABILITY, TEXT, False),), (), Level.HIGH))
        return tuple(found)

    def matches(self, question: Question) -> tuple[Matches, ...]:
        first, *others = question.keys
        pairs = [Matches(())]
        if others:
            pairs.append(Matches((Pair(first, others[-1]),)))
        if len(others) > 1:
            pairs.append(Matches((Pair(others[0], others[-1]), Pair(others[-1], first))))
        return tuple(pairs)

    def answers(self, question: Question) -> tuple[Answers, ...]:
        def answer(response: Response, severity: Severity = MAJOR, fix: bool = False, bare: bool = False) -> Answer:
            kind = Fix.TICKET_REWRITTEN if fix else Fix.NONE
            return Answer(TEXT, Proposal(TEXT, kind, False), severity, response, bare)

        def every(each: Answer) -> Answers:
            return Answers(Keyed(dict.fromkeys(question.keys, each)))

        confirm, dispute = answer(Response.CONFIRM, fix=True), answer(Response.DISPUTE)
        found = [every(confirm), every(dispute), Answers(Keyed())]
        if not (self.edits or self.late):
            found.append(every(answer(Response.SEVERITY, BLOCKER)))
        if self.alone:
            mixed = {key: dispute if place == 0 else confirm for place, key in enumerate(question.keys)}
            found.append(Answers(Keyed(mixed)))
            found.append(every(answer(Response.DISPUTE, fix=True, bare=True)))
            found.append(every(answer(Response.ABSTAIN)))
        return tuple(dict.fromkeys(found))

    def bindings(self, _: Question) -> tuple[Binding, ...]:
        used = tuple(LensUse(FIRST, TEXT, lens, False) for lens in DRAWN)
        found = [Binding(used), Binding(())]
        if self.alone:
            found.append(Binding(tuple(LensUse(FIRST, TEXT, lens, True) for lens in DRAWN)))
        return tuple(found)

    def last(self, question: Question) -> tuple[LastProposals, ...]:
        def each(fix: Fix, blank: bool = False) -> LastProposals:
            return LastProposals(Keyed(dict.fromkeys(question.keys, Proposal(TEXT, fix, blank))))

        found = [each(Fix.SPLIT_TICKET), each(Fix.NONE)]
        if self.alone:
            found += [each(Fix.SPLIT_TICKET, blank=True), LastProposals(Keyed())]
        return tuple(found)

    def ballots(self, question: Question) -> tuple[Ballots, ...]:
        findings = tuple(key for key in question.keys if key.startswith("F"))
        remedies = tuple(key for key in question.keys if key.startswith("P"))

        def votes(finding: Ballot, remedy: Ballot) -> Ballots:
            return Ballots(Keyed({**dict.fromkeys(findings, finding), **dict.fromkeys(remedies, remedy)}))

        support, oppose = Ballot(TEXT, TEXT, Vote.SUPPORT, False), Ballot(TEXT, TEXT, Vote.OPPOSE, False)
        refute = Ballot(TEXT, TEXT, Vote.OPPOSE, True)
        found = [votes(support, support), votes(oppose, oppose), votes(refute, support), Ballots(Keyed())]
        if not self.narrow:
            found.append(votes(support, oppose))
        if self.settings.quorum > 2:
            found.append(Ballots(Keyed(dict.fromkeys(question.keys[:1], support))))
        return tuple(dict.fromkeys(found))

    def patches(self, question: Question) -> tuple[Patch, ...]:
        return Patch(TEXT, (Edit(question.keys[0], FIRST, TEXT, TEXT),)), Patch(TEXT, ())

    def applications(self, question: Question) -> tuple[Application, ...]:
        def every(result: Applied) -> Application:
            return Application(TEXT, TEXT, Keyed(dict.fromkeys(question.keys, result)))

        first = {question.keys[0]: Applied.APPLIED}
        return (
            every(Applied.APPLIED),
            every(Applied.PROSE_ONLY),
            every(Applied.REGRESSED),
            Application(TEXT, TEXT, Keyed(first)),
        )


def domains(settings: CouncilSettings) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form under these settings."""
    walk = _Walk(settings)
    apart = "findings do not meet but where two are one, and in the verdict"
    raising = (
        "what counts of a finding is its place and gate, its severity and its lens: none, a BLOCKER, a milder one of "
        "the same with another of another ticket; " + apart
    )
    artifacts = Domain(walk.artifacts, raising, True)
    return {
        GateReport: Domain(walk.reports, "no finding, a BLOCKER, a MAJOR with a MINOR: only severities count", True),
        ScoringTable: artifacts,
        MockRun: artifacts,
        AssuranceTree: artifacts,
        Assessment: Domain(
            walk.assessments,
            "no finding, or with nine gates one of the same place and gate; confidence LOW or not; what is raised late "
            "is raised as what is raised early",
            True,
        ),
        Matches: Domain(walk.matches, "no pair, one that may be one, and pairs that chain or cross tickets", True),
        Answers: Domain(
            walk.answers,
            f"every seat gives every kind of answer to all findings alike, so each gets every set of them; {apart}",
            True,
        ),
        Binding: Domain(walk.bindings, "all lenses or none; each is bound for itself", True),
        LastProposals: Domain(walk.last, "a remediation for all or for none; only their number counts", True),
        Ballots: Domain(
            walk.ballots,
            f"every seat casts every vote on all findings and on all remediations alike, or none; {apart}",
            True,
        ),
        Patch: Domain(walk.patches, "some edit or none: what it is the gates say", True),
        Application: Domain(walk.applications, "all held, all refused in one way, or one held", True),
    }
