"""Roundtables: the menu, turns of a person, what is asked back, every verdict, and a fork."""

from __future__ import annotations

from typing import Any

from tests.recorded.scene import WAITS, Files, Scene, as_json, example, project, script

REQUIREMENTS = """\
# Search

Shoppers find again what they looked for.

## Keeping searches

- Searches are kept.

## Errors

- None are shown.
"""
META = {"source": "manual", "slug": "search", "analysis_status": "partial", "owner": {"team": "find"}}
OPEN = (
    "roundtable 'How long do we keep searches?' --docs specs --phase 01-requirements --step 01-03 --seed 13 --no-input"
)
ELABORATE = "answer latest --set choice=elaborate --set text= --resume"
CONTINUE = "answer latest --set choice=continue --set text= --resume"
LEFT = "resume latest --no-input --out result"


def _say(text: str) -> str:
    return f"answer latest --set text='{text}' --resume"


def _says(budget: Any = None, **changes: Any) -> Files:
    limits = {"budget": budget} if budget else {}
    return {**project(script("roundtable", **changes), **limits), **_DOCUMENTS}


_DOCUMENTS = {"specs/requirements.md": REQUIREMENTS, "specs/meta.json": as_json(META)}
_ALL = _says()

SCENES = (
    Scene(
        "elaborated",
        "CONTINUE",
        (
            _ALL,
            OPEN,
            ELABORATE,
            _say("Alex, is it **safe**?"),
            _say("People share tablets."),
            _say("/done"),
            CONTINUE,
            LEFT,
        ),
    ),
    Scene("continued", "CONTINUE", (_ALL, OPEN, CONTINUE, LEFT)),
    Scene("skipped", "SKIP", (_ALL, OPEN, "answer latest --set choice=skip --set text= --resume", LEFT)),
    Scene(
        "feedback",
        WAITS,
        (_ALL, OPEN, "answer latest --set choice=feedback --set text='The error path is missing.' --resume"),
    ),
    Scene("waits", WAITS, (_ALL, OPEN)),
    Scene("turn", WAITS, (_ALL, OPEN, ELABORATE)),
    Scene(
        "example",
        "CONTINUE",
        (
            {**_DOCUMENTS, **example("roundtable-panel.yaml", "roundtable-replies.yaml")},
            f"{OPEN} --panel roundtable-panel.yaml",
            ELABORATE,
            _say("Jordan, what if a replica is down?"),
            _say("/done"),
            CONTINUE,
            LEFT,
        ),
    ),
    Scene(
        "asked-back",
        WAITS,
        (
            _ALL,
            OPEN,
            ELABORATE,
            _say("I think that we could maybe wrap up the part about tablets and then look at the rest of it"),
        ),
    ),
    Scene("declined", WAITS, (_ALL, OPEN, ELABORATE, "answer latest --decline --resume")),
    Scene("wrapped-up", "CONTINUE", (_ALL, OPEN, ELABORATE, "conclude latest", LEFT)),
    Scene(
        "lost",
        WAITS,
        (
            _says(solutions_architect={"speak": {"absent": "failed"}, "answer": {"absent": "timed_out"}}),
            OPEN,
            ELABORATE,
        ),
    ),
    Scene("cancelled", "ABORTED", (_ALL, OPEN, ELABORATE, "cancel latest --why 'Solved otherwise'", LEFT)),
    Scene("out-of-budget", "CONTINUE", (_says(budget={"tokens": 4_000}), OPEN, ELABORATE, _say("And then?"), LEFT)),
    Scene("forked", WAITS, (_ALL, OPEN, ELABORATE, "fork latest --at 3 --set max_turns=6 --no-input")),
)
