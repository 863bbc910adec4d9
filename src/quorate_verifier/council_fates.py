"""What became of everything said in a council, by rule C47."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate_verifier.docket import SEATS, Docket
from quorate_verifier.finding import SEVERITIES, Finding

Told = Mapping[str, Any]


def fates_of(docket: Docket) -> Iterator[Told]:
    """Yield the fate of each thing once: findings, remediations, answers, pairs, claims, places, replies, rulings."""
    for finding in docket.findings.values():
        what = f"{SEVERITIES[finding.first]} {'gate finding' if finding.gate else 'finding'}"
        yield _fate(finding.key, what, [finding.by], _became(docket, finding), finding.words)
    yield from _remediations(docket)
    yield from _said(docket)
    for each in docket.cut_short:
        if each.reply is not None and each.seat in SEATS:
            yield _fate(f"{each.brief} of {each.seat}", "reply", [each.seat], "not counted", "")
    last = len(docket.ruled)
    for number, ruling in enumerate(docket.ruled, start=1):
        became = "counts" if number == last else f"replaced by ruling {number + 1}"
        yield _fate(f"ruling {number}", "ruling", [ruling["by"]], became, ruling["reason"])


def _fate(name: str, what: str, by: list[str], became: str, words: str | None = None) -> Told:
    return {"id": name, "what": what, "by": by, "became": became, "words": words}


def _became(docket: Docket, finding: Finding) -> str:
    if finding.into:
        return f"joined to {finding.into}"
    fate = finding.fate if docket.settled or finding.gate or finding.fate == "DISMISSED" else "OPEN"
    words = {"OPEN": "open", "UPHELD": "upheld", "DISMISSED": "dismissed", "DEADLOCKED": "deadlocked"}
    became = words.get(fate, "remediated")
    if became == "upheld" and finding.agreed and docket.settled:
        became = "remediation agreed"
    return f"{became} as {SEVERITIES[finding.severity]}" if finding.regraded else became


def _remediations(docket: Docket) -> Iterator[Told]:
    for number, (finding, given_for, seat) in enumerate(docket.numbered_proposals(), start=1):
        became = "not agreed" if docket.settled else "not voted upon"
        about = docket.findings[finding]
        if docket.carried.get(f"P{number}") or (docket.alone and docket.settled and about.fate != "DISMISSED"):
            became = "carried out" if about.fate == "REMEDIATED" else "agreed"
        yield _fate(f"P{number}", "remediation", [seat], became, docket.remedies[given_for, seat])


def _said(docket: Docket) -> Iterator[Told]:
    """Yield what is told by facts: answers, pairs, claims and places; then the votes that were not heard."""
    told = docket.history
    for name, fact in told:
        if name == "answer" and fact["said"] != fact["counts"]:
            key, by = fact["key"], fact["by"]
            yield _fate(f"{key}, answer of {by}", "answer", [by], "counted as an abstention", docket.reasons[key, by])
    for name, fact in told:
        if name == "kept_apart":
            said = f"{fact['same']} of {fact['of']} seats call them the same"
            yield _fate(f"{fact['other']} = {fact['key']}", "pair", [], "kept apart", said)
    for name, fact in told:
        if name == "claim_refused":
            seat, row = fact["seat"], fact["row"]
            said = docket.refused_claims[seat, row]
            yield _fate(f"{seat}, claim {row}", "claim", [seat], "refused: it hangs on nothing", said)
    for name, fact in told:
        if name == "unshown":
            what = "ticket" if fact["key"].startswith("T") else "file"
            yield _fate(fact["key"], what, [], "ruled upon" if docket.ruled else "shown to nobody")
    for name in docket.unheard:
        yield _fate(name, "reply", [name.rpartition(" ")[2]], "not heard", "")
