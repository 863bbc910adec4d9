"""The result of a council as the command line prints it: how it ended, what is open, the gates, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quorate.protocols.council.rules.model import Resolution
from quorate.protocols.council.rules.result.open_findings import OPEN

MOST_FINDINGS = 20
MOST_TOLD = 160
SEVERITIES = ("BLOCKER", "MAJOR", "MINOR", "INFO")
Found = Mapping[str, Any]


def show(found: Found) -> str:
    """Return the result as Markdown for people; texts of others are reduced to one line."""
    parts = [
        _heading(found),
        _line(found["verdict_reason"], 400),
        "\n".join(_findings(found)),
        "\n".join(_gates(found["gates"])),
        "\n".join(_deadlocks(found)),
        "\n".join(f"Warning: {_line(warning, 400)}" for warning in found["warnings"]),
        "\n".join(_next(found)),
    ]
    return "\n\n".join(part for part in parts if part)


def _heading(found: Found) -> str:
    state, verdict = found["terminal_state"] or "UNDER WAY", found["verdict"]
    agreed = f", {verdict}" if verdict and verdict != state else ""
    why = f" ({found['abort_reason']})" if found["abort_reason"] else ""
    ruled = f", ruled {found['rulings'][-1]['verdict']}" if found["rulings"] else ""
    degraded = ", degraded" if found["degraded"] else ""
    notes = "".join(f", {each}" for each in found.get("heading", ()))
    name = _line(f"{found['rfc_id']} {found['receipt']['title']}", 120)
    return f"## {state}{why}{agreed}{ruled}{degraded}{notes}: {name}"


def _findings(found: Found) -> Iterator[str]:
    left = open_findings(found)
    yield f"{_counted(left)} of {found['council_metadata']['total_findings_generated']} raised"
    for each in left[:MOST_FINDINGS]:
        yield f"- **{each['severity']}** {each['subcategory']} {place(each)} [{each['finding_id']}]"
        yield f"  {_line(each['description'])}"
        yield f"  {each['agreement_status']}, {each['resolution']}; {_who(each)}"
        if each["remediation"]:
            yield f"  To do: {_line(each['remediation'])}"
    if len(left) > MOST_FINDINGS:
        yield f"and {len(left) - MOST_FINDINGS} more, in the report"


def open_findings(found: Found) -> list[Found]:
    """Return the open findings, the worst first."""
    left = [each for each in found["findings"] if Resolution[each["resolution"]] in OPEN]
    return sorted(left, key=lambda each: (SEVERITIES.index(each["severity"]), each["finding_id"]))


def _counted(left: Sequence[Found]) -> str:
    if not left:
        return "No finding is open"
    counts = {name: sum(each["severity"] == name for each in left) for name in SEVERITIES}
    return "Open findings: " + ", ".join(f"{count} {name}" for name, count in counts.items() if count)


def _who(each: Found) -> str:
    agents = ", ".join(each["source_agents"])
    against = f", against it {', '.join(each['dissenting_agents'])}" if each["dissenting_agents"] else ""
    return f"raised by {agents}{against}"


def place(each: Found) -> str:
    """Return file and line, and the place in the YAML."""
    at = each["location"]
    path = f" ({at['yaml_path']})" if at["yaml_path"] else ""
    return _line(f"{at['file']}:{at['line']}{path}", 200)


def _gates(gates: Sequence[Found]) -> Iterator[str]:
    width = max(len(each["gate_id"]) for each in gates)
    yield f"| {'gate':<{width}} | status         | findings |"
    yield f"| {'-' * width} | -------------- | -------: |"
    for each in gates:
        yield f"| {each['gate_id']:<{width}} | {each['status']:<14} | {len(each['findings']):>8} |"


def _deadlocks(found: Found) -> Iterator[str]:
    by_id = {each["finding_id"]: each for each in found["findings"]}
    for name in found["escalated_findings"]:
        each = by_id[name]
        votes = ", ".join(f"{seat} {vote}" for seat, vote in each["votes"].items()) or "no agreed remediation"
        yield f"Deadlocked: {name} {each['subcategory']} {place(each)}: {votes}"


def _next(found: Found) -> Iterator[str]:
    if found["owes"]:
        yield f"Next: apply remediation.patch in the RFC's folder; {found['owes']}"
    elif found["terminal_state"] == "DEADLOCKED" or found["verdict"] == "NEEDS_ADJUDICATION":
        if not found["rulings"]:
            yield "Next: a person rules, with `quorate adjudicate`"
    elif found["terminal_state"] == "ABORTED":
        yield f"Next: nothing was decided after {found['cycles_completed']} cycles; mend the cause and start it again"
    elif found["verdict"] == "REJECTED":
        yield "Next: carry out the remediations above and start a new council"
    elif found["verdict"] == "APPROVED_WITH_REMEDIATION":
        yield "Next: carry out the agreed remediations above"


def _line(text: str, most: int = MOST_TOLD) -> str:
    """Return a text on one line, cut where it is too long."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
