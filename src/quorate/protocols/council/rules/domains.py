"""The finite domains of replies that `verify` explores, each with the argument why it is sufficient."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from quorate.core.forms import Key, Keyed, Prose, Reply
from quorate.core.protocol import Domain
from quorate.core.types import Question
from quorate.core.values import replace
from quorate.protocols.council.rules.forms import (
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
    Coverage,
    Edit,
    Fix,
    GateFinding,
    GateJudgement,
    GateReport,
    GateRun,
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
from quorate.protocols.council.rules.model import CouncilSettings, Depth, Profile
from quorate.protocols.council.rules.taxonomy import (
    DOCUMENTS,
    Field,
    Gate,
    GateStatus,
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
ELSEWHERE = raised(SECOND, Subcategory.INCOMPLETE_PLAN, MAJOR)
"""A finding of another ticket, which nothing may merge with `PLAN`."""


def gates_ran(read: int = 2, status: GateStatus = GateStatus.PASSED) -> tuple[GateRun, ...]:
    return (GateRun(Gate.ATOMICITY, status, read, TEXT, TEXT),)


def _artifact(
    form: type[Reply], lenses: tuple[Lens, ...], findings: tuple[Raised, ...], blank: bool = False, top: int = 0
) -> Reply:
    if form is ScoringTable:
        return ScoringTable(tuple(Score(TEXT, TEXT, lens, 3, blank) for lens in lenses), TEXT, findings, True)
    if form is MockRun:
        rows = tuple(MockStep(FIRST, TEXT, lens, Level.LOW, Level.HIGH, blank) for lens in lenses)
        return MockRun(rows, TEXT, findings, True)
    claims = tuple(Claim(top, TEXT, TEXT, TEXT, TEXT, lens, Level.HIGH, blank) for lens in lenses)
    return AssuranceTree(claims, findings, True)


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
        made = [GateReport(Prose("{}"), gates_ran(), each, 2) for each in found]
        if self.alone:
            unread = (gates_ran(0), gates_ran(0, GateStatus.NOT_APPLICABLE))
            made += [GateReport(Prose("{}"), runs, (), 2) for runs in unread]
        return tuple(made)

    def artifacts(self, question: Question) -> tuple[Reply, ...]:
        most, few = DRAWN, DRAWN[:2]
        found = [_artifact(question.form, few if self.late else most, ()), _artifact(question.form, most, (PLAN,))]
        if self.alone:
            found.append(_artifact(question.form, most, (PLAN_MILDER, ELSEWHERE)))
        if self.settings.literal:
            return tuple(_artifact(question.form, most, (each,)) for each in (PLAN, PLAN_MILDER))
        if self.alone:
            found.append(_artifact(question.form, most, (CONTEXT,), blank=True))
        if self.alone or self.limited:
            found.append(_artifact(question.form, most, (), blank=True))
        if self.limited and question.form is AssuranceTree:
            found.append(_artifact(question.form, most, (), top=1))
        return tuple(found)

    def assessments(self, _: Question) -> tuple[Assessment, ...]:
        gates = (GateJudgement(Gate.ATOMICITY, TEXT, True),)
        found = [Assessment(gates, (), Level.HIGH, True)]
        if self.late or self.alone:
            found.append(Assessment(gates, (CONTEXT,), Level.LOW, True))
        if self.alone or self.limited:
            found.append(Assessment((), (), Level.LOW, True))
        if self.alone:
            found.append(Assessment((GateJudgement(Gate.IMPLEMENTABILITY, TEXT, False),), (), Level.HIGH, True))
        return tuple(found)

    def coverages(self, _: Question) -> tuple[Coverage, ...]:
        whole, some, refused = Coverage((), 0), Coverage((FIRST,), 0), Coverage((), 1)
        return (whole, some, refused) if self.alone else (whole, some) if self.narrow else (whole,)

    def matches(self, question: Question) -> tuple[Matches, ...]:
        first, *others = question.keys
        pairs = [Matches(())]
        if others and (self.alone or self.limited or self.settings.literal):
            pairs.append(Matches((Pair(first, others[-1]),)))
        if self.alone and len(others) > 1:
            pairs.append(Matches((Pair(others[0], others[-1]), Pair(others[-1], first))))
        return tuple(pairs)

    def answers(self, question: Question) -> tuple[Answers, ...]:
        def answer(response: Response, severity: Severity = MAJOR, fix: bool = False, bare: bool = False) -> Answer:
            kind = Fix.TICKET_REWRITTEN if fix else Fix.NONE
            return Answer(TEXT, Proposal(TEXT, kind, False), (), severity, response, bare)

        def every(each: Answer) -> Answers:
            return Answers(Keyed(dict.fromkeys(question.keys, each)))

        confirm, dispute = answer(Response.CONFIRM, fix=True), answer(Response.DISPUTE)
        same = Answers(Keyed({key: replace(confirm, same_as=question.keys[:1]) for key in question.keys[1:]}))
        found = [every(confirm), every(dispute)]
        if self.alone or not (self.edits or self.late or self.limited or self.settings.literal):
            found.append(every(answer(Response.SEVERITY, MINOR)))
        if self.alone or self.limited:
            found.append(Answers(Keyed()))
        if not (self.edits or self.late):
            found.append(same)
        if self.alone:
            mixed = {key: confirm if place else dispute for place, key in enumerate(question.keys)}
            one = {key: replace(each, same_as=question.keys) for key, each in mixed.items()}
            found += [Answers(Keyed(mixed)), Answers(Keyed(one))]
            found += [every(answer(Response.DISPUTE, fix=True, bare=True)), every(answer(Response.ABSTAIN))]
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
        findings = tuple(key for key in question.keys if key[0] in "FS")
        remedies = tuple(key for key in question.keys if key.startswith("P"))

        def votes(finding: Ballot, remedy: Ballot) -> Ballots:
            return Ballots(Keyed({**dict.fromkeys(findings, finding), **dict.fromkeys(remedies, remedy)}))

        support, oppose = Ballot(TEXT, TEXT, Vote.SUPPORT, False), Ballot(TEXT, TEXT, Vote.OPPOSE, False)
        refute = Ballot(TEXT, TEXT, Vote.OPPOSE, True)
        found = [votes(support, support), votes(oppose, oppose)]
        if not (self.late or self.settings.literal):
            found.append(votes(refute, support))
        if self.edits or self.limited or self.settings.literal:
            found.append(Ballots(Keyed()))
        if self.settings.quorum > 2:
            found.append(Ballots(Keyed(dict.fromkeys(question.keys[:1], support))))
        return tuple(dict.fromkeys(found))

    def patches(self, question: Question) -> tuple[Patch, ...]:
        return Patch(TEXT, (Edit(question.keys[0], FIRST, TEXT, TEXT),)), Patch(TEXT, ())

    def applications(self, question: Question) -> tuple[Application, ...]:
        def every(result: Applied) -> Application:
            return Application(TEXT, TEXT, Keyed(dict.fromkeys(question.keys, result)))

        return (
            every(Applied.APPLIED),
            every(Applied.PROSE_ONLY),
            every(Applied.REGRESSED),
            Application(TEXT, TEXT, Keyed({question.keys[0]: Applied.APPLIED})),
        )


def domains(settings: CouncilSettings) -> Mapping[type[Reply], Domain]:
    """Return the domain of every form under these settings."""
    walk = _Walk(settings)
    apart = "findings do not meet but where two are one, and in the verdict"
    raising = (
        f"what counts of a finding is its signature, place, severity, lens: none, a BLOCKER, a milder one; {apart}"
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
        Matches: Domain(walk.matches, "no pair, one of a group or not, and pairs that chain or cross tickets", True),
        Coverage: Domain(walk.coverages, "something was shown to nobody, or refused, or nothing", True),
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
