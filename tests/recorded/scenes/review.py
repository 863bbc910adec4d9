"""Reviews: every verdict, vetoes, a compromise, claims, a ruling, a person on a seat, and a fork."""

from __future__ import annotations

from typing import Any

from tests.recorded.scene import WAITS, Files, Scene, Step, as_json, example, project, script

SECRET = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"  # put together here: no file holds anything that looks real
SLUG = 'def slug(text: str) -> str:\n    """Return a slug."""\n    return text.lower()\n'
MENDED = SLUG.replace("text.lower()", '"-".join(text.lower().split())')
TEST = 'from src.slug import slug\n\n\ndef test_slug() -> None:\n    assert slug("A b") == "a-b"\n'
BALLOT: dict[str, Any] = script("review")["seats"]["*"]["ballot"]
ITEM = {
    "path": "F1",
    "rule": "correctness",
    "evidence": "text.lower().split()",
    "consequence": "Two texts get the same slug, and one page hides the other.",
    "action": "Refuse a slug that is taken.",
    "severity": "high",
}
OBJECTION = {**BALLOT, "stance": "oppose", "opinion": "It is _not_ what was asked for.", "confidence": 90}
CLAIMS = (
    "- {id: AC-1, scope: src, claim: Slugs have hyphens., observable: the return line, expected: words joined by -}\n"
)
REVIEW = "review --base main --panel ../panel/panel.yaml --seed 3 --no-input"


def _branch(words: Any, more: Files | None = None, panel: Any = None) -> tuple[Step, ...]:
    """Return the steps to a branch with a change, and a panel beside the repository."""
    beside = {f"../panel/{name}": text for name, text in project(words, panel).items() if name != "quorate.yaml"}
    return (
        {"src/slug.py": SLUG, "README.md": "# Slugs\n", **beside},
        "git init -q -b main .",
        "git add -A",
        "git commit -q -m base",
        "git checkout -q -b feature",
        {"src/slug.py": MENDED, "src/test_slug.py": TEST, **(more or {})},
        "git add -A",
        "git commit -q -m 'Slugs have hyphens'",
    )


def _balloting(ballot: Any = BALLOT, **seats: Any) -> Any:
    return script("review", engineering_architect={"ballot": ballot}, **seats)


_PERSON = {"seats": {"engineering-architect": "person"}}
_FOUND = _balloting({**BALLOT, "items": [ITEM, {**ITEM, "severity": "low", "action": "Say so in the README."}]})

SCENES = (
    Scene("approved", "APPROVED", (*_branch(script("review")), f"{REVIEW} --out result")),
    Scene("changes", "REQUEST_CHANGES", (*_branch(_FOUND), f"{REVIEW} --out result")),
    Scene(
        "noted",
        "APPROVED",
        (*_branch(_balloting({**BALLOT, "items": [{**ITEM, "severity": "low"}]})), f"{REVIEW} --json"),
    ),
    Scene(
        "secret",
        "REQUEST_CHANGES",
        (
            *_branch(script("review"), {"src/pay.py": f'"""Payments."""\n\nKEY = "{SECRET}"\n'}),
            f"{REVIEW} --out result",
        ),
    ),
    Scene(
        "compromise",
        "REQUEST_CHANGES",
        (
            example("change.diff", "review-panel.yaml", "review-replies.yaml"),
            "review --diff change.diff --panel review-panel.yaml --seed 5 --out result",
        ),
    ),
    Scene("undecided", "INCONCLUSIVE", (*_branch(_balloting(OBJECTION)), f"{REVIEW} --set redebate=false")),
    Scene(
        "ruled",
        "INCONCLUSIVE",
        (
            *_branch(_balloting(OBJECTION)),
            f"{REVIEW} --set redebate=false --out result",
            "adjudicate latest --verdict request_changes --by Ada --reason 'The README is missing'",
            "adjudicate latest --verdict approved --by 'Grace <grace@example.org>' --reason 'I **read** it.'",
        ),
    ),
    Scene("too-few", "INCONCLUSIVE", (*_branch(script("review", every={"ballot": {"absent": "failed"}})), REVIEW)),
    Scene(
        "claims",
        "APPROVED",
        (
            *_branch(script("review")),
            {"../panel/claims.yaml": CLAIMS},
            f"{REVIEW} --claims ../panel/claims.yaml --members design-hci,product-manager --out result",
        ),
    ),
    Scene("solo", "APPROVED", (*_branch(script("review")), f"{REVIEW} --solo")),
    Scene("out-of-budget", "APPROVED", (*_branch(script("review")), f"{REVIEW} --set budget.tokens=9000")),
    Scene("waits", WAITS, (*_branch(script("review"), panel=_PERSON), REVIEW)),
    Scene(
        "answered",
        "REQUEST_CHANGES",
        (
            *_branch(script("review"), panel=_PERSON),
            REVIEW,
            {"../panel/ballot.json": as_json({**BALLOT, "opinion": "By hand.", "items": [ITEM]})},
            "answer latest -f ../panel/ballot.json --resume",
        ),
    ),
    Scene("cancelled", "ABORTED", (*_branch(script("review"), panel=_PERSON), REVIEW, "cancel latest --why No")),
    Scene(
        "forked",
        "REQUEST_CHANGES",
        (
            *_branch(_balloting({**BALLOT, "items": [{**ITEM, "severity": "low"}]})),
            REVIEW,
            "fork latest --at 4 --set blocking_severity=low --no-input --out result",
        ),
    ),
)
