"""The result of a review as the command line prints it: short, with every number behind the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

MOST_FIXES = 20
MOST_TOLD = 140
Found = Mapping[str, Any]


def show(found: Found) -> str:
    """Return the result for people: committee, checks, votes with their arithmetic, what to fix, and why."""
    parts = [
        "\n".join((*_committee(found), *_checks(found), *_readings(found["receipt"]))),
        *("\n".join(_votes(tally)) for tally in found["tallies"]),
        "\n".join(_claims(found["claims"])),
        "\n".join(_debts(found["compromises"])),
        "\n".join(_fixes(found)),
        "\n".join(_unshown(found["receipt"].get("unshown"))),
        "\n".join(f"Warning: {_line(warning, 300)}" for warning in found["warnings"]),
        "\n".join(f"{'Because: ' if not place else ' ' * 9}{each}" for place, each in enumerate(found["grounds"])),
    ]
    return "\n\n".join(part for part in parts if part)


def _committee(found: Found) -> Iterator[str]:
    members = [f"{each['seat']}{' (veto)' if each['holds_veto'] else ''}" for each in found["committee"]]
    election = found["election"]
    level = f"{election['complexity']}: " if election["complexity"] else ""
    yield f"Committee: {', '.join(members)}"
    yield f"Basis:     {level}{_line(election['basis'], 300)}"


def _checks(found: Found) -> Iterator[str]:
    ran = found["checks"]["ran"]
    if not ran:
        yield f"Checks:    {found['checks']['result']}"
        return
    by_status = {status: [each["check"] for each in ran if each["status"] == status] for status in _STATUSES}
    told = [f"{len(names)} {_STATUSES[status]}" for status, names in by_status.items() if names]
    failed = f" ({', '.join(by_status['fail'])})" if by_status["fail"] else ""
    yield f"Checks:    {', '.join(told)}{failed}"


def _readings(receipt: Found) -> Iterator[str]:
    """Yield how a change was read that does not fit into one view."""
    if receipt["divided"]:
        parts = receipt["parts"]
        read, lost = sum(part["read"] for part in parts), [seat for part in parts for seat in part["lost"]]
        told = f"Readings:  {read} of {len(parts)} parts of the change were read"
        yield told + (f"; lost: {_line(', '.join(dict.fromkeys(lost)), 200)}" if lost else "")


_STATUSES = {"pass": "passed", "skip": "skipped", "fail": "failed"}


def _votes(tally: Found) -> Iterator[str]:
    numbers = f"{tally['synthesis']} synthesis, {tally['opposing']} opposing, {tally['abstained']} abstained"
    yield f"Round {tally['round']}: {numbers}, {tally['absent']} absent"
    why = f" ({tally['rule']}: {tally['claim']})" if tally["outcome"] == "CRITICAL_FLAW" else ""
    yield f"  {tally['arithmetic']} → {tally['to']}{why}"
    width = max(len(each["seat"]) for each in tally["ballots"])
    for each in tally["ballots"]:
        yield f"  {each['seat']:<{width}}  {position(each)}"


def position(vote: Found) -> str:
    """Return what a vote counts as, and what its member said if that differs."""
    if vote["said"] is None:
        return f"absent ({vote['why']})" if vote["why"] else "absent"
    words = f"{vote['counts'].upper()}, confidence {vote['confidence']}"
    if vote["veto"]:
        words += f", {vote['veto']}"
    return words if vote["said"] == vote["counts"] else f"{words} (said {vote['said'].upper()}: {vote['why']})"


def _claims(claims: Sequence[Found]) -> Iterator[str]:
    for claim in claims:
        yield f"Claim {_line(claim['id'], 40)}: {claim['judgement'] or 'not judged'} - {_line(claim['claim'])}"


def _debts(offers: Sequence[Found]) -> Iterator[str]:
    for offer in offers:
        days, owner = offer["timeline_days"], _line(offer["debt_owner"], 60)
        told = f"{offer['proposed_action']} within {days} days by {owner}"
        debt = "Debt: " if offer["status"] == "accepted" else "Compromise "
        yield f"{debt}{'' if debt == 'Debt: ' else offer['status'] + ': '}{told} (veto of {offer['veto_target']})"


def _fixes(found: Found) -> Iterator[str]:
    fixes = found["fixes"]
    for fix in fixes[:MOST_FIXES]:
        who = ", ".join(fix["raised_by"]) or "nobody judged it"
        yield f"{fix['id']} {fix['severity'].upper()} {place(fix)} {_line(fix['rule'], 80)} [{_line(who, 100)}]"
        for each in fix["items"]:
            item = f"{each['id']}: " if each["id"] else ""
            withheld = "withheld for low confidence: " if each["became"] == "withheld" else ""
            yield f"  {item}{withheld}{_line(each['message'] or each['consequence'] or each['evidence'])}"
    if len(fixes) > MOST_FIXES:
        yield f"and {len(fixes) - MOST_FIXES} more, in the report"
    if ungrounded := len(found["ungrounded"]):
        are = "1 finding that is" if ungrounded == 1 else f"{ungrounded} findings that are"
        yield f"{are} ungrounded: the evidence was not found in the change; in the report"
    notes = len(found["notes"])
    if notes:
        yield f"{notes} note{'' if notes == 1 else 's'} that {'does' if notes == 1 else 'do'} not block, in the report"


def _unshown(told: Found | None) -> Iterator[str]:
    if told is None:
        return
    count, paths = told["count"], told["paths"]
    yield f"Read by nobody: {count} file{'' if count == 1 else 's'}"
    yield from (f"  {_line(path, 300)}" for path in paths)
    if count > len(paths):
        yield f"  and {count - len(paths)} more"


def place(fix: Found) -> str:
    """Return path and lines, or words for the change as a whole."""
    if not fix["path"]:
        return "the change as a whole"
    lines = ", ".join(str(line) for line in fix["lines"][:5]) + (", …" if len(fix["lines"]) > 5 else "")
    return _line(f"{fix['path']}:{lines}" if lines else fix["path"], 200)


def _line(text: str, most: int = MOST_TOLD) -> str:
    """Return a text on one line, cut where it is too long."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
