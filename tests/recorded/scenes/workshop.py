"""Workshops: three workflows, a conflict that a person decides, every verdict, pauses, and a fork."""

from __future__ import annotations

from typing import Any

from tests.recorded.scene import WAITS, Files, Scene, as_json, example, project, script

AGENDA = {
    "workflow": "specs",
    "title": "The audit log",
    "topics": [
        {
            "id": "retention",
            "name": "How long entries are kept",
            "critical": True,
            "done_when": {"criteria": ["A period is named"], "minimum": 1, "counts": ["REQ"]},
        },
        {"id": "access", "name": "Who reads it", "done_when": {"criteria": ["Roles are named"], "minimum": 0}},
    ],
}
TOPIC = "'An audit log for a small shop'"
LEFT = "--documents docs --export sessions --out result"
TWO = "--participants software-architect,technical-lead --strategy standard --no-input --seed 11"
HOLD = f"workshop agenda.yaml {TOPIC} {TWO} {LEFT}"


def _says(name: str = "workshop", budget: Any = None, **changes: Any) -> Files:
    limits = {"budget": budget} if budget else {}
    return {**project(script(name, **changes), **limits), "agenda.yaml": as_json(AGENDA)}


_SYNTHESES: list[Any] = script("workshop")["seats"]["facilitator"]["synthesise"]
_RESPONSE: Any = script("workshop")["seats"]["*"]["respond"]
_DISPUTED = _says("workshop-disputed")
_ONE_SUPPORTS = {**_SYNTHESES[0], "requirements": [{**_SYNTHESES[0]["requirements"][0], "supported_by": ["P1"]}]}

SCENES = (
    Scene("complete", "COMPLETE", (_says(), HOLD)),
    Scene(
        "example",
        "COMPLETE",
        (
            example("agenda.yaml", "workshop-panel.yaml", "workshop-replies.yaml"),
            f"workshop agenda.yaml {TOPIC} --panel workshop-panel.yaml --no-input --seed 11 {LEFT}"
            " --participants product-manager,qa-lead,security-champion",
            "answer latest --set choice=accept --resume",
            "resume latest --out result",
        ),
    ),
    Scene("design", "COMPLETE", (_says("workshop-design"), f"workshop design {TOPIC} --seed 11 --no-input {LEFT}")),
    Scene(
        "brainstorm",
        "COMPLETE",
        (_says("workshop-brainstorm"), f"workshop brainstorm {TOPIC} --seed 11 --no-input {LEFT}"),
    ),
    Scene("volere", "COMPLETE", (_says(), f"{HOLD} --format volere")),
    Scene("incomplete", "INCOMPLETE", (_says(), f"{HOLD} --set min_rounds=1 --set max_rounds=1")),
    Scene(
        "degraded",
        "COMPLETE",
        (
            _says(
                technical_lead={"respond": [{"absent": "timed_out"}, _RESPONSE, _RESPONSE]},
                facilitator={"synthesise": [_ONE_SUPPORTS, *_SYNTHESES[1:]]},
            ),
            HOLD,
        ),
    ),
    Scene("lost", "ABORTED", (_says(facilitator={"synthesise": _SYNTHESES[:1]}), HOLD)),
    Scene("waits", WAITS, (_DISPUTED, HOLD)),
    Scene(
        "decided",
        "COMPLETE",
        (
            _DISPUTED,
            HOLD,
            "answer latest --set choice=decide --set decision='Sixty days.' --set reason='A *middle* way.' --resume",
            "resume latest --out result",
        ),
    ),
    Scene("unanswered", WAITS, (_DISPUTED, HOLD, "answer latest --decline --resume", "resume latest --out result")),
    Scene("pauses", WAITS, (_says(), f"{HOLD} --interactive")),
    Scene("closed", "CLOSED", (_DISPUTED, HOLD, "conclude latest --why 'Good enough'", "resume latest --out result")),
    Scene("cancelled", "ABORTED", (_DISPUTED, HOLD, "cancel latest --why 'Solved otherwise'")),
    Scene("out-of-budget", "ABORTED", (_says(budget={"tokens": 9_000}), HOLD)),
    Scene(
        "forked", "INCOMPLETE", (_says(), HOLD, "fork latest --at 6 --set max_rounds=1 --set min_rounds=1 --no-input")
    ),
)
