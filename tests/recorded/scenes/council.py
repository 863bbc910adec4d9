"""Councils: every verdict, both depths and profiles of gates, edits, lost seats, a ruling, and a fork."""

from __future__ import annotations

from typing import Any

from tests.recorded.scene import WAITS, Change, Files, Scene, as_json, example, project, script

COUNCIL = "council rfc --depth council --seed 42 --no-input"
QUIET: dict[str, Any] = script("council")["seats"]["*"]
NO_FIX = {"remediation": "", "fix": "NONE"}
FIX = {"remediation": "Add a test that runs the command.", "fix": "ADD_IMPLEMENTATION_DETAIL"}
INIT = "init council rfc"


def _found(severity: str = "MAJOR") -> dict[str, Any]:
    """What a seat says in its first cycle that finds a gap in the tests of the third ticket."""
    finding = {
        "place": "T3",
        "field": "tests",
        "evidence": "pytest reader/store -k forget",
        "description": "Nothing tests the command.",
        "lens": "L1",
        "subcategory": "MISSING_VERIFICATION",
        "severity": severity,
    }
    return {brief: {**QUIET[brief], "findings": [finding]} for brief in ("score", "mock-run", "assure")}


def _answers(response: str, proposal: Any = NO_FIX, severity: str = "MAJOR") -> dict[str, Any]:
    answer = {"reason": "I looked.", "proposal": proposal, "same_as": [], "severity": severity, "response": response}
    return {"respond": {"answers": {"*": answer}}}


def _votes(vote: str) -> dict[str, Any]:
    return {"vote": {"votes": {"*": {"rationale": "So I hold.", "refutation": "", "vote": vote}}}}


def _says(panel: Any = None, **changes: Any) -> Files:
    return project(script("council", **changes), panel)


_PERSON = {"seats": {"SA-1": "person"}}
_DISPUTED = _says(
    every={**_answers("DISPUTE"), **_votes("OPPOSE")},
    SA_1={**QUIET, **_found("BLOCKER"), **_answers("CONFIRM")},
)
_GONE = {**QUIET, "respond": {"absent": "failed"}}
_UNCOVERED = Change("rfc/tickets/TCK-00003.yaml", "requirement_ids: [REQ-0003]", "requirement_ids: [REQ-0002]")

SCENES = (
    Scene("approved", "APPROVED", (_says(), INIT, f"{COUNCIL} --out result")),
    Scene(
        "remediated",
        "APPROVED",
        (
            example("council-panel.yaml", "council-replies.yaml"),
            INIT,
            "council rfc --depth council --panel council-panel.yaml --remediate --out result",
        ),
    ),
    Scene(
        "agreed-remediation",
        "APPROVED_WITH_REMEDIATION",
        (_says(SA_1={**QUIET, **_found(), **_answers("CONFIRM", FIX)}), INIT, f"{COUNCIL} --json"),
    ),
    Scene("rejected", "REJECTED", (_says(SA_1={**QUIET, **_found()}), INIT, f"{COUNCIL} --out result")),
    Scene("gated", "REJECTED", (_says(), INIT, _UNCOVERED, f"{COUNCIL} --out result")),
    Scene("standard", "APPROVED", (_says(), INIT, "council rfc --depth standard --no-input --out result")),
    Scene("nine-gates", "APPROVED", (_says(), INIT, f"{COUNCIL} --gates nine --out result")),
    Scene("undecided", "NEEDS_ADJUDICATION", (_DISPUTED, INIT, f"{COUNCIL} --out result")),
    Scene(
        "ruled",
        "NEEDS_ADJUDICATION",
        (
            _DISPUTED,
            INIT,
            f"{COUNCIL} --out result",
            "adjudicate latest --verdict rejected --by Ada --reason 'F1 is true: nothing tests it'",
        ),
    ),
    Scene(
        "two-lost",
        "ABORTED",
        (_says(SA_1={**QUIET, **_found("BLOCKER")}, SA_2=_GONE, SA_3=_GONE), INIT, f"{COUNCIL} --out result"),
    ),
    Scene("one-lost", "APPROVED", (_says(SA_3={**QUIET, "assess": {"absent": "timed_out"}}), INIT, COUNCIL)),
    Scene("out-of-budget", "ABORTED", (_says(), INIT, f"{COUNCIL} --set budget.tokens=20000 --out result")),
    Scene("waits", WAITS, (_says(_PERSON), INIT, COUNCIL)),
    Scene(
        "answered",
        WAITS,
        (
            _says(_PERSON),
            INIT,
            COUNCIL,
            {"score.json": as_json(_found("MINOR")["score"])},
            "answer latest -f score.json --resume",
        ),
    ),
    Scene("cancelled", "ABORTED", (_says(_PERSON), INIT, COUNCIL, "cancel latest --why 'Solved otherwise'")),
    Scene(
        "forked",
        "APPROVED",
        (
            _says(SA_1={**QUIET, **_found()}),
            INIT,
            COUNCIL,
            {"other.yaml": as_json({"script": "quiet.yaml"}), "quiet.yaml": as_json(script("council"))},
            "fork latest --at 1 --panel other.yaml --no-input --out result",
        ),
    ),
)
