"""The artifacts of the seats, row by row, with the modes in place of lenses (C13)."""

from __future__ import annotations

from typing import Any

from quorate.core.types import Seat
from quorate.protocols.council.rules.forms import AssuranceTree, Lens, MockRun, ScoringTable
from quorate.protocols.council.rules.protocol import ARTIFACTS
from quorate.protocols.council.rules.replies import refused_claims
from quorate.protocols.council.rules.result.overview import Overview

THRESHOLD = 3.5
"""The mean score from which on a decision is held good."""


def artifacts(reading: Overview) -> dict[str, dict[str, Any]]:
    """Return the artifact of each seat that made one."""
    found: dict[str, dict[str, Any]] = {}
    for seat in reading.seats:
        brief, _ = ARTIFACTS[seat]
        said = reading.record.latest(seat, brief)
        match said.reply if said is not None else None:
            case ScoringTable() as table:
                found[str(seat)] = _scoring(reading, seat, table)
            case MockRun() as run:
                found[str(seat)] = _mock_run(reading, seat, run)
            case AssuranceTree() as tree:
                found[str(seat)] = _tree(reading, seat, tree)
            case _:
                continue
    return found


def _lens(reading: Overview, seat: Seat, lens: Lens) -> dict[str, Any]:
    mode = reading.mode(seat, lens)
    return {"mode": mode.id, "mode_name": mode.name}


def _scoring(reading: Overview, seat: Seat, table: ScoringTable) -> dict[str, Any]:
    rows = [
        {
            "decision": row.decision.text,
            **_lens(reading, seat, row.lens),
            "score": row.score,
            "rationale": row.rationale.text,
        }
        for row in table.scores
    ]
    scores: dict[str, list[int]] = {}
    for row in table.scores:
        scores.setdefault(row.decision.text.strip(), []).append(row.score)
    return {
        "kind": "Scoring Evidence Table",
        "rows": rows,
        "threshold": THRESHOLD,
        "weighted": {decision: round(sum(given) / len(given), 2) for decision, given in scores.items()},
        "recommendation": table.recommendation.text,
    }


def _mock_run(reading: Overview, seat: Seat, run: MockRun) -> dict[str, Any]:
    rows = [
        {
            "ticket": reading.rfc.name(row.ticket),
            "step": row.step.text,
            **_lens(reading, seat, row.lens),
            "friction": row.friction.value,
            "confidence": row.confidence.value,
        }
        for row in run.steps
    ]
    return {"kind": "Mock Implementation Run Receipt", "rows": rows, "blockers": run.blockers.text}


def _tree(reading: Overview, seat: Seat, tree: AssuranceTree) -> dict[str, Any]:
    refused = refused_claims(tree)
    rows = [
        {
            "number": number,
            "parent": row.parent or None,
            "claim": row.claim.text,
            "argument": row.argument.text,
            "evidence": row.evidence.text,
            "rebuttal": row.rebuttal.text,
            **_lens(reading, seat, row.lens),
            "confidence": row.confidence.value,
        }
        for number, row in enumerate(tree.claims, start=1)
        if number - 1 not in refused
    ]
    return {
        "kind": "Claim-Argument-Evidence Tree",
        "rows": rows,
        "refused": [{"number": index + 1, "parent": tree.claims[index].parent} for index in refused],
    }
