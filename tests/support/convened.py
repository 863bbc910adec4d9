"""A council at hand: the starter RFC in a folder of its own, a scripted panel, and the replies to put into it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quorate.protocols.council.rules.sample import SAMPLE

DRAWN = ("L3", "L4", "L5")
JUDGED = ("GATE-TCK-ATOMICITY", "GATE-TCK-IMPLEMENTABILITY", "GATE-TCK-ANTI-COUSIN")
NO_FIX = {"remediation": "", "fix": "NONE"}
FIX = {"remediation": "Add a test that runs the command.", "fix": "ADD_IMPLEMENTATION_DETAIL"}
LINE = '    verification_command: "pytest reader/store -k forget"'
MENDED = f"""{LINE}
  - test_id: IT-003-02
    description: "The command itself"
    verification_command: "pytest reader/test_window.py -k forget_command\""""


def raised(severity: str = "MAJOR", **changes: Any) -> dict[str, Any]:
    """A finding about the tests of the third ticket."""
    found = {
        "place": "T3",
        "field": "tests",
        "evidence": "pytest reader/store -k forget",
        "description": "Nothing tests the command.",
        "lens": "L1",
        "subcategory": "MISSING_VERIFICATION",
        "severity": severity,
    }
    return {**found, **changes}


def reviews(*findings: Mapping[str, Any]) -> dict[str, Any]:
    """What a seat says in CYCLE_1, whichever it is: its artifact with every drawn lens, and these findings."""
    scores = [{"decision": "DEC-0001", "rationale": "It is enough.", "lens": lens, "score": 4} for lens in DRAWN]
    steps = [
        {"ticket": "T1", "step": "I write it.", "lens": lens, "friction": "LOW", "confidence": "HIGH"} for lens in DRAWN
    ]
    told = {"claim": "It is safe.", "argument": "It is checked.", "evidence": "", "rebuttal": ""}
    claims = [{"parent": 0, **told, "lens": lens, "confidence": "HIGH"} for lens in DRAWN]
    return {
        "score": {"scores": scores, "recommendation": "Keep it.", "findings": list(findings)},
        "mock-run": {"steps": steps, "blockers": "none", "findings": list(findings)},
        "assure": {"claims": claims, "findings": list(findings)},
    }


def answers(response: str = "CONFIRM", proposal: Mapping[str, Any] = NO_FIX, severity: str = "MAJOR") -> dict[str, Any]:
    """The same answer to every finding."""
    answer = {"reason": "I looked.", "proposal": dict(proposal), "same_as": []}
    answer |= {"severity": severity, "response": response}
    return {"respond": {"answers": {"*": answer}}}


def votes(vote: str, refutation: str = "") -> dict[str, Any]:
    """The same vote on everything."""
    return {"vote": {"votes": {"*": {"rationale": "So I hold.", "refutation": refutation, "vote": vote}}}}


def edits(*pairs: tuple[str, str], finding: str = "F1", place: str = "T3") -> dict[str, Any]:
    """Edits of one ticket for one finding: what stands there, and what shall."""
    made = [{"finding": finding, "place": place, "find": find, "replacement": new} for find, new in pairs]
    return {"patch": {"reason": "It adds a test.", "edits": made}}


def replies(**seats: Mapping[str, Any]) -> dict[str, Any]:
    """A script in which nobody finds anything and everybody agrees, but for the seats given; `_` stands for `-`."""
    judgements = [{"gate": gate, "reason": "I looked.", "passed": True} for gate in JUDGED]
    everybody: dict[str, Any] = {
        **reviews(),
        "assess": {"gates": judgements, "findings": [], "confidence": "HIGH"},
        **answers(),
        "remediate": {"proposals": {"*": NO_FIX}},
        **votes("SUPPORT"),
        **edits(),
    }
    script: dict[str, Any] = {"*": everybody}
    for name, briefs in seats.items():
        seat = "*" if name == "every" else name.replace("_", "-")
        script[seat] = {**script.get(seat, everybody), **briefs}
    return {"seats": script}


class Drafted:
    """The starter RFC in `rfc`, with a scripted panel beside it; the folder above is where one works."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rfc = folder / "rfc"
        self.write(SAMPLE)
        self.panel(replies())

    def write(self, files: Mapping[str, str | None]) -> Drafted:
        """Write files of the RFC; None removes one."""
        for name, text in files.items():
            path = self.rfc / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
        return self

    def change(self, name: str, old: str, new: str) -> Drafted:
        """Replace a text in a file of the RFC, which must be there."""
        text = (self.rfc / name).read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r}"
        return self.write({name: text.replace(old, new)})

    def panel(self, script: Mapping[str, Any], **more: Any) -> Drafted:
        (self.folder / "panel.yaml").write_text(json.dumps({"script": "replies.yaml", **more}), encoding="utf-8")
        (self.folder / "replies.yaml").write_text(json.dumps(script), encoding="utf-8")
        return self

    def texts(self) -> dict[str, str]:
        """Everything that the RFC's folder holds."""
        files = (path for path in sorted(self.rfc.rglob("*")) if path.is_file())
        return {path.relative_to(self.rfc).as_posix(): path.read_text(encoding="utf-8") for path in files}
