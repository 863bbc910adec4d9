"""The words of a council made short: an RFC as its material has it, findings, answers and votes from a few words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from quorate.core.types import Ask
from quorate.protocols.council.rules.forms import Lens
from quorate.protocols.council.rules.taxonomy import BY_CODE, NINE, SEVEN, Field, Gate, Severity, Subcategory

QUOTED = "Store the page of each book."
"""A sentence that stands in every ticket."""
FIX = {"remediation": "Write the missing steps into the ticket.", "fix": "ADD_IMPLEMENTATION_DETAIL"}
NO_FIX = {"remediation": "", "fix": "NONE"}
LOCATED = (Field.REQUIREMENTS, Field.DEPENDENCIES, Field.STEPS, Field.CRITERIA)
"""The fields that the tickets have, on the lines 11, 12, 13 and 14."""
DIFF = "--- a/tickets/TCK-00001.yaml\n+++ b/tickets/TCK-00001.yaml\n@@ -1 +1 @@\n-old\n+new\n"
Values = Mapping[str, Any]


def rfc(tickets: int = 3, **more: Any) -> dict[str, Any]:
    """An RFC as the material has it."""

    def document(number: int) -> dict[str, Any]:
        name = f"{number:02}_file.yaml"
        return {"key": f"R{number:02}", "name": name, "text": f"file {number}", "fields": {}}

    def ticket(number: int) -> dict[str, Any]:
        file = f"tickets/TCK-{number:05}.yaml"
        fields = {
            field.value: {"file": file, "line": line, "yaml_path": f"ticket.{field.value}"}
            for line, field in enumerate(LOCATED, start=11)
        }
        told = {"id": f"TCK-{number:05}", "title": f"Ticket {number}", "status": "READY", "shape": "A"}
        where = {"file": file, "line": 1, "yaml_path": "ticket"}
        return {"key": f"T{number}", **told, **where, "text": f"{QUOTED} {number}", "fields": fields}

    made = {
        "id": "RFC-0042",
        "title": "Readers go on where they stopped",
        "version": "v4",
        "version_written": "v4",
        "prd_id": "PRD-0001",
        "root": "rfcs/RFC-0042",
        "documents": [document(number) for number in range(10)],
        "tickets": [ticket(number) for number in range(1, tickets + 1)],
        "requirements": [
            {"id": "REQ-0001", "title": "Kept", "statement": "Pages are kept.", "imported": True, "tickets": ["T1"]}
        ],
        "components": [
            {"id": "COMP-STORE", "name": "store", "path": "reader/store", "description": "", "extension_points": []}
        ],
        "decisions": [{"id": "DEC-0001", "title": "One JSON file"}],
    }
    return {**made, **more}


def parse(text: str) -> dict[str, Any]:
    """Read `SUBCATEGORY [PLACE] [FIELD] [SEVERITY] [LENS]`; what is not said is usual for the subcategory."""
    name, *words = text.split()
    kind = Subcategory(name)
    found: dict[str, Any] = {"subcategory": name, "severity": kind.default.value, "place": "T1", "field": "whole"}
    for word in words:
        if word in {each.value for each in Severity}:
            found["severity"] = word
        elif word in {each.value for each in Lens}:
            found["lens"] = word
        elif word in {each.value for each in Field}:
            found["field"] = word
        else:
            found["place"] = word
    return found


def proven(text: str | Values) -> dict[str, Any]:
    """A finding of a gate, as plain values."""
    if not isinstance(text, str):
        return dict(text)
    found = parse(text)
    where = {"file": f"tickets/{found['place']}.yaml", "line": 7, "yaml_path": f"ticket.{found['field']}"}
    said = {"message": f"code proved: {text}", "evidence": QUOTED, "action": "Mend it."}
    return {**found, **where, **said}


def raised(text: str | Values) -> dict[str, Any]:
    """A finding of a seat, as plain values."""
    if not isinstance(text, str):
        return dict(text)
    description = {"evidence": QUOTED, "description": f"a seat holds: {text}"}
    return {"lens": "L1", **parse(text), **description}


def gate_runs(findings: Sequence[Values], nine: bool = False, **more: tuple[str, str]) -> list[dict[str, Any]]:
    """What became of each gate: FAILED with a BLOCKER, else PASSED; `more` says otherwise by the gate's name."""
    made = []
    for gate in NINE if nine else SEVEN:
        own = [each for each in findings if Subcategory(each["subcategory"]).gate is gate]
        failed = any(each["severity"] == "BLOCKER" for each in own)
        status, reason = more.get(gate.name, ("FAILED" if failed else "PASSED", f"{len(own)} findings"))
        evidence = json.dumps({"findings": len(own), "by_code": gate in BY_CODE})
        read = 0 if status == "NOT_APPLICABLE" else 3
        made.append({"gate": gate.value, "status": status, "read": read, "reason": reason, "evidence": evidence})
    return made


def told(**more: Any) -> dict[str, Any]:
    """The gates' receipt."""
    counted = {"id": "RFC-0042", "version": "v4", "tickets": 3, "requirements": 1, "components": 1, "files": 9}
    depth = {"depth": "COUNCIL", "tickets": 3, "components": 1, "new_files": 2, "why": "it was asked for"}
    return {
        "rfc": {**counted, "ccp": "index"},
        "read": ["00_file.yaml", "tickets/TCK-00001.yaml"],
        "left_out": [{"path": "notes.txt", "why": "no part of an RFC"}],
        "facts": [],
        "cousins": [],
        "depth": depth,
        "masked": 0,
        **more,
    }


def judgement(gate: Gate, failed: bool) -> dict[str, Any]:
    """What a seat makes of a gate."""
    return {"gate": gate.value, "reason": f"I looked at {gate.name}.", "passed": not failed}


def artifact(
    seat: str, findings: Sequence[str | Values], bound: bool = True, parents: Sequence[int] = ()
) -> dict[str, Any]:
    """A seat's artifact with a row for every lens, or for its anchors alone, and its findings."""
    lenses = [lens.value for lens in Lens] if bound else ["L1", "L2"]
    rows: dict[str, tuple[str, Values]] = {
        "SA-1": ("scores", {"decision": "DEC-0001", "score": 4}),
        "SA-2": ("steps", {"ticket": "T1"}),
        "SA-3": ("claims", {"parent": 0}),
    }
    name, row = rows[seat]
    made = [{**row, "lens": lens} for lens in lenses]
    for place, parent in enumerate(parents if name == "claims" else ()):
        made[place]["parent"] = parent
    return {name: made, "findings": [raised(each) for each in findings]}


def answer(text: str) -> dict[str, Any]:
    """An answer from its text, such as `SEVERITY MINOR fix same F1`."""
    response, *words = text.split()
    same = words[words.index("same") + 1 :] if "same" in words else []
    severity = next((word for word in words if word in {each.value for each in Severity}), "MINOR")
    proposal = FIX if "fix" in words else NO_FIX
    said = {"reason": f"Because of {text}.", "proposal": proposal, "same_as": same}
    return {**said, "severity": severity, "response": response}


def ballot(text: str) -> dict[str, Any]:
    """A vote from its text."""
    refutes = text == "REFUTE"
    vote = "OPPOSE" if refutes else text
    return {"rationale": f"I {vote.lower()} it.", "refutation": QUOTED if refutes else "", "vote": vote}


def use(lens: str) -> dict[str, Any]:
    return {"place": "T1", "observation": f"{lens} shows nothing new here.", "lens": lens}


def spread(given: Mapping[str, str], ask: Ask) -> dict[str, str]:
    """The texts by key; `*` stands for the keys that are not named."""
    rest = {key: given["*"] for key in ask.keys} if "*" in given else {}
    return rest | {key: text for key, text in given.items() if key != "*"}
