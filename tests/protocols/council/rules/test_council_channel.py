"""C45: with the channel `evidence` seats hear claims and evidence of each other, and none of each other's words."""

from __future__ import annotations

import re
from typing import Any

from quorate.codec import protocol_digest
from quorate.core.record import Said
from quorate.core.view import estimate_tokens
from tests.support.councils import SEATS, Sitting, council


def raised(seat: str, evidence: str) -> dict[str, Any]:
    found = {"subcategory": "AMBIGUOUS_SCOPE", "place": "T1", "field": "scope", "severity": "MAJOR", "lens": "L1"}
    return {**found, "description": f"canary-{seat}-description", "evidence": evidence}


def reviewed(channel: str) -> Sitting:
    """SA-1 quotes the first ticket, the others invent what they quote."""
    sitting = Sitting(channel=channel).gates()
    ticket = next(each.quotable for each in sitting.view("SA-1").sections if each.title.startswith("Ticket T1"))
    quotation = next(line.strip() for line in ticket.splitlines() if len(line.strip()) > 20)
    for seat, rows in zip(SEATS, ("scores", "steps", "claims"), strict=True):
        evidence = quotation if seat == "SA-1" else f"canary-{seat}-evidence"
        sitting.reply(seat, {rows: [], "findings": [raised(seat, evidence)]})
    return sitting


def canaries(sitting: Sitting, seat: str) -> set[str]:
    """The seats whose words another one reads, and what of them."""
    return {
        each
        for each in re.findall(r"canary-SA-\d-\w+", sitting.view(seat).text())
        if not each.startswith(f"canary-{seat}-")
    }


def test_c45_findings_of_others_are_shown_without_their_words() -> None:
    for brief in ("assess", "respond"):
        sitting = reviewed("evidence").reach(brief)
        for seat in SEATS:
            shown = sitting.view(seat).text()
            assert canaries(sitting, seat) == set(), (brief, seat)
            assert "Finding F1: MAJOR AMBIGUOUS_SCOPE at T1 scope" in shown
            assert "raised by 1 of the seats, UNANIMOUS" in shown.replace("; ", ", ")
            assert "Its evidence does not occur in the RFC" in shown
            assert "  Evidence: " in shown, "what SA-1 quotes is there"


def test_c45_reasons_are_counted_and_remediations_shown() -> None:
    sitting = reviewed("evidence").reach("respond")
    said = {"SA-1": "CONFIRM", "SA-2": "DISPUTE", "SA-3": "CONFIRM"}
    for seat, response in said.items():
        fix = "ADD_IMPLEMENTATION_DETAIL" if seat == "SA-3" else "NONE"
        proposal = {"remediation": "mend-it" if seat == "SA-3" else "", "fix": fix}
        answer = {
            "reason": f"canary-{seat}-reason",
            "proposal": proposal,
            "severity": "MAJOR",
            "response": response,
        }
        sitting.reply(seat, {"answers": dict.fromkeys(sitting.ask(seat).keys, answer)})
    sitting.reach("vote")
    shown = sitting.view("SA-1").text()
    assert canaries(sitting, "SA-1") == set()
    assert "canary-SA-1-reason" in shown, "its own words"
    assert "Against: a seat" in shown
    assert "For: a seat" in shown
    assert "mend-it" in shown


def test_c45_by_default_words_are_shown_whole_and_cost_more() -> None:
    prose, evidence = reviewed("prose").reach("assess"), reviewed("evidence").reach("assess")
    assert len(canaries(prose, "SA-1")) == 4
    assert estimate_tokens(evidence.view("SA-1").text()) < estimate_tokens(prose.view("SA-1").text())


def test_c45_the_setting_is_a_rule_of_the_session_and_its_default_is_no_new_rule() -> None:
    assert "channel" not in council().settings
    assert protocol_digest(council(channel="prose")) == protocol_digest(council())
    assert protocol_digest(council(channel="evidence")) != protocol_digest(council())


def test_c45_the_proof_looks_for_the_same() -> None:
    sitting = reviewed("evidence").reach("respond")
    blindness = sitting.protocol.blindness
    assert blindness is not None
    ask = sitting.ask("SA-1")
    said = [line.ask for line in sitting.record.log if isinstance(line, Said)]
    hidden = {other.seat for other in said if blindness.hidden(ask, other)}
    assert hidden == {"SA-2", "SA-3"}
