"""Debates: every verdict, a clarification by a person, budget, cancellation, and a fork."""

from __future__ import annotations

from typing import Any

from tests.recorded.scene import WAITS, Files, Scene, example, project, script

PROBLEM = "'Where should a small shop keep its audit log?'"
DEBATE = {"agents": ["architect", "security"], "rounds": 1}
SYNTHESIS = script("debate")["seats"]["judge"]["synthesize"]


def _says(judge: Any = SYNTHESIS, budget: Any = None, **changes: Any) -> Files:
    limits = {"budget": budget} if budget else {}
    return project(script("debate", judge={"synthesize": judge}, **changes), debate=DEBATE, **limits)


def _absent(reason: str) -> dict[str, str]:
    return {"absent": reason}


SCENES = (
    Scene(
        "example",
        "SOLUTION",
        (
            example("problem.md", "scripted-panel.yaml", "replies.yaml"),
            "debate -f problem.md --panel scripted-panel.yaml --seed 7 --set termination_condition.type=convergence"
            " --out result",
        ),
    ),
    Scene("solution", "SOLUTION", (_says(), f"debate {PROBLEM} --json --out result")),
    Scene(
        "partial",
        "PARTIAL_SOLUTION",
        (
            _says({**SYNTHESIS, "unfulfilled_major_requirements": ["It costs little."], "confidence": 90}),
            f"debate {PROBLEM} --out result",
        ),
    ),
    Scene("unjudged", "UNJUDGED", (_says(_absent("refused")), f"debate {PROBLEM}")),
    Scene("unjudged-as-set", "UNJUDGED", (_says(_absent("malformed")), f"debate {PROBLEM} --set judge_required=false")),
    Scene("failed", "FAILED", (_says(security={"propose": _absent("failed")}), f"debate {PROBLEM}")),
    Scene(
        "out-of-budget",
        "ABORTED",
        (
            _says(budget={"tokens": 20_000}),
            f"debate {PROBLEM} --set rounds=100 --out result",
        ),
    ),
    Scene("waits", WAITS, (_says(), f"debate {PROBLEM} --clarify --no-input")),
    Scene(
        "clarified",
        "SOLUTION",
        (
            _says(),
            f"debate {PROBLEM} --clarify --no-input",
            "answer latest --set q1='About **200** a minute, <b>at most</b>' --set q2=NA --resume",
        ),
    ),
    Scene(
        "declined",
        "SOLUTION",
        (_says(), f"debate {PROBLEM} --clarify --no-input", "answer latest --decline --resume"),
    ),
    Scene(
        "cancelled",
        "ABORTED",
        (_says(), f"debate {PROBLEM} --clarify --no-input", "cancel latest --why 'Solved otherwise'"),
    ),
    Scene(
        "wrapped-up",
        "SOLUTION",
        (
            _says(),
            f"debate {PROBLEM} --clarify --no-input",
            "conclude latest --why 'Good enough'",
            "answer latest --decline --resume",
        ),
    ),
    Scene(
        "forked",
        "SOLUTION",
        (_says(), f"debate {PROBLEM}", "fork latest --at 4 --set rounds=2 --no-input --out result"),
    ),
)
