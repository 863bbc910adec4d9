"""Small councils to be walked in a second: each varies one part of the protocol and is quiet about the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.core.forms import Reply
from quorate.core.protocol import Domain
from quorate.protocols.council.rules.forms import (
    DRAWN,
    Answers,
    Application,
    Applied,
    Assessment,
    AssuranceTree,
    Ballots,
    Binding,
    Coverage,
    GateReport,
    LastProposals,
    Lens,
    Level,
    Matches,
    MockRun,
    Patch,
    Response,
    ScoringTable,
)
from quorate.protocols.council.rules.taxonomy import Gate
from tests.protocols.council.defects.said import (
    ABSTAIN,
    ABSTAINS,
    CONFIRM,
    CONFIRM_FIX,
    CONTEXT,
    CYCLE,
    DISPUTE,
    DISPUTE_FIX,
    ELSEWHERE,
    FIRST,
    FIX,
    MAJOR,
    MINOR,
    MINOR_ONE,
    NO_FIX,
    OPPOSE,
    ORPHAN,
    OTHER_GATE,
    OVERLAP,
    PLAN,
    PLAN_MILDER,
    REFUTE,
    SECOND,
    SHY,
    SUPPORT,
    TWIN,
    UNSAID,
    UNVERIFIED,
    WORDS,
    Values,
    answer,
    assessment,
    both,
    calling_same,
    each_key,
    edits,
    first_otherwise,
    gate_run,
    pairs,
    report,
    results,
    reviews,
    these,
    unassessed,
    uses,
    votes,
)

QUIET: Mapping[str, Values] = {
    "examine": these(report()),
    "review": reviews(()),
    "assess": these(assessment()),
    "match": these(Matches(())),
    "cover": these(Coverage((), 0)),
    "respond": each_key(Answers, CONFIRM),
    "bind": uses(DRAWN),
    "remediate": each_key(LastProposals, NO_FIX),
    "vote": votes((SUPPORT, SUPPORT)),
    "patch": edits(True),
    "apply": results(Applied.APPLIED),
}
FORMS: Mapping[str, tuple[type[Reply], ...]] = {
    "examine": (GateReport,),
    "review": (ScoringTable, MockRun, AssuranceTree),
    "assess": (Assessment,),
    "match": (Matches,),
    "cover": (Coverage,),
    "respond": (Answers,),
    "bind": (Binding,),
    "remediate": (LastProposals,),
    "vote": (Ballots,),
    "patch": (Patch,),
    "apply": (Application,),
}


@dataclass(frozen=True)
class Small:
    """Settings, and what is varied step by step; everything else is quiet."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, Values] = field(default_factory=dict)

    def domains(self) -> dict[type[Reply], Domain]:
        values = {**QUIET, **self.varied}
        return {form: Domain(values[step], "a small walk", False) for step, forms in FORMS.items() for form in forms}


UNLIMITED = {"max_episodes": None}
UNREAD = tuple(
    GateReport(WORDS, runs, found, 2)
    for runs, found in (
        ((gate_run(read=0),), ()),
        ((gate_run(read=0, gate=Gate.SCHEMA),), ()),
        ((gate_run(gate=Gate.SCHEMA), gate_run(read=0)), ()),
        ((gate_run(read=0, gate=Gate.SCHEMA), gate_run()), ()),
        ((gate_run(read=0),), (OVERLAP,)),
    )
)
"""Reports in which a gate passed that had read nothing."""
LATE = reviews((), lenses=DRAWN[:2])
"""Artifacts that leave a lens unbound."""
SMALL: Mapping[str, Small] = {
    "gates": Small(
        {**UNLIMITED, "fail_fast": True, "session_seed": "0"},
        {
            "examine": these(report(), report(OVERLAP), report(OVERLAP, CYCLE), report(ORPHAN, OVERLAP)),
            "respond": each_key(Answers, CONFIRM_FIX, DISPUTE),
        },
    ),
    "one seat": Small(
        {**UNLIMITED, "depth": "STANDARD", "session_seed": "25"},
        {
            "examine": these(report(), report(UNVERIFIED), report(CYCLE)),
            "review": both(reviews((), (PLAN, TWIN)), reviews((ELSEWHERE,), lenses=DRAWN[:1], blank=True)),
            "assess": these(
                assessment(), assessment(PLAN_MILDER, level=Level.LOW), assessment(fails=Gate.IMPLEMENTABILITY)
            ),
            "match": pairs((), ((0, 1),), ((1, 0),)),
            "respond": both(
                each_key(Answers, CONFIRM, ABSTAIN, DISPUTE_FIX, None, answer(Response.DISPUTE, FIX, bare=True)),
                first_otherwise(Answers, (DISPUTE, answer(Response.SEVERITY, FIX, MINOR))),
            ),
            "bind": uses(DRAWN, (Lens.L4,)),
            "remediate": each_key(LastProposals, FIX, UNSAID, None),
        },
    ),
    "limits": Small(
        {"max_episodes": 9, "stall_after": 2},
        {
            "review": reviews((), (PLAN,)),
            "assess": these(assessment(), assessment(judged=False)),
            "respond": each_key(Answers, DISPUTE, None),
            "bind": uses((), DRAWN),
            "remediate": each_key(LastProposals, FIX, None),
            "vote": each_key(Ballots, SUPPORT, None),
        },
    ),
    "edits": Small(
        {**UNLIMITED, "remediate": True},
        {
            "examine": these(report(ORPHAN)),
            "review": reviews((), (PLAN, ELSEWHERE)),
            "respond": each_key(Answers, CONFIRM_FIX),
            "vote": votes((SUPPORT, SUPPORT), (OPPOSE, OPPOSE)),
            "patch": edits(True, False),
            "apply": results(Applied.APPLIED, Applied.PROSE_ONLY, Applied.REGRESSED, None),
        },
    ),
    "quorum of three": Small(
        {**UNLIMITED, "quorum": 3, "deadlock_min_severity": "MAJOR"},
        {
            "review": reviews((), (CONTEXT,), (PLAN_MILDER,)),
            "respond": each_key(Answers, CONFIRM_FIX, DISPUTE),
            "vote": votes((SUPPORT, SUPPORT), (OPPOSE, SUPPORT), (REFUTE, OPPOSE)),
        },
    ),
    "sameness": Small(
        {**UNLIMITED, "session_seed": "62"},
        {
            "examine": these(report(UNVERIFIED)),
            "review": reviews((PLAN,), (PLAN_MILDER, ELSEWHERE)),
            "respond": both(
                each_key(Answers, CONFIRM), calling_same(CONFIRM), calling_same(CONFIRM_FIX, 1), calling_same(DISPUTE)
            ),
            "vote": votes((SUPPORT, SUPPORT), (OPPOSE, OPPOSE)),
        },
    ),
    "coverage": Small(
        {**UNLIMITED, "session_seed": "1"},
        {
            "examine": these(report(), unassessed(), *UNREAD),
            "review": both(reviews(()), reviews((), blank=True), reviews((), top=1)),
            "assess": these(assessment(), assessment(judged=False)),
            "cover": these(Coverage((), 0), Coverage((), 1), Coverage((FIRST,), 0), Coverage((FIRST, SECOND), 0)),
        },
    ),
    "coverage, one seat": Small(
        {**UNLIMITED, "depth": "STANDARD", "session_seed": "1"},
        {
            "examine": these(report(), unassessed(), *UNREAD),
            "review": both(reviews(()), reviews((), blank=True)),
            "assess": these(assessment(), assessment(judged=False), assessment(MINOR_ONE, judged=False)),
            "cover": these(Coverage((), 0), Coverage((), 1), Coverage((FIRST,), 0)),
        },
    ),
    "the seed": Small(
        {**UNLIMITED, "reading": "seed", "session_seed": "1501"},
        {
            "review": reviews((), (PLAN,)),
            "respond": each_key(Answers, CONFIRM, DISPUTE, answer(Response.SEVERITY, FIX, MINOR)),
            "vote": votes((SUPPORT, SUPPORT), (OPPOSE, OPPOSE), (ABSTAINS, SUPPORT)),
        },
    ),
    "merges": Small(
        {**UNLIMITED, "session_seed": "62"},
        {
            "examine": these(report(UNVERIFIED)),
            "review": reviews((PLAN_MILDER, TWIN), (CONTEXT, ELSEWHERE, OTHER_GATE)),
            "match": pairs(
                (), ((0, 1), (1, 2)), ((1, 2), (2, 1)), ((4, 0), (0, 4)), ((2, 2), (4, 5)), ((2, 3), (3, 4))
            ),
        },
    ),
    "assessing": Small(
        {**UNLIMITED, "session_seed": "293", "gates": "nine", "deadlock_min_severity": "BLOCKER"},
        {
            "review": LATE,
            "assess": these(
                assessment(), assessment(CONTEXT, level=Level.LOW), assessment(PLAN, level=Level.MEDIUM, judged=False)
            ),
            "respond": each_key(Answers, CONFIRM_FIX),
            "bind": both(uses(DRAWN, ()), uses(DRAWN, blank=True)),
            "vote": votes((OPPOSE, OPPOSE), (SUPPORT, SUPPORT)),
        },
    ),
    "raising": Small(
        {**UNLIMITED, "session_seed": "76"},
        {
            "examine": these(report(), report(UNVERIFIED, CYCLE)),
            "review": both(reviews((), (PLAN, ELSEWHERE)), reviews((TWIN, PLAN_MILDER), lenses=())),
        },
    ),
    "votes": Small(
        {**UNLIMITED, "session_seed": "1501"},
        {
            "examine": these(report(ORPHAN)),
            "review": reviews((), (PLAN, ELSEWHERE)),
            "respond": each_key(Answers, CONFIRM_FIX, DISPUTE),
            "remediate": each_key(LastProposals, FIX),
            "vote": both(
                votes((SUPPORT, SUPPORT), (OPPOSE, SHY), (REFUTE, SUPPORT), (SHY, OPPOSE)), each_key(Ballots, None)
            ),
        },
    ),
    "answers": Small(
        {**UNLIMITED, "session_seed": "29", "most_majors": 1},
        {
            "examine": these(report(ORPHAN)),
            "review": reviews((), (PLAN,)),
            "respond": each_key(
                Answers,
                CONFIRM_FIX,
                DISPUTE,
                answer(Response.DISPUTE, bare=True),
                answer(Response.SEVERITY, UNSAID, MINOR),
                answer(Response.SEVERITY, FIX, MAJOR),
                None,
            ),
        },
    ),
}
"""Together they keep every rule live. Of the seeds 0 has three categories and 29 an overlap of three, which both just
pass; 25, 76, 62 and 293 need one more draw, and 1501 needs two for overlap (facts of the draw)."""
