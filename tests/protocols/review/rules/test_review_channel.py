"""R37: with the channel `evidence` members hear claims and evidence of each other, and none of each other's words."""

from __future__ import annotations

import pytest

from quorate import catalog
from quorate.codec import protocol_digest
from quorate.core.errors import SettingError
from quorate.core.record import Said
from quorate.core.view import estimate_tokens
from tests.support.reviewed import FOUR, Reviewed, item

WORDS = ("canary-opinion", "canary-consequence", "canary-action", "canary-invented", "canary-tabled", "canary-mediated")
QUOTED = "os.system(command)"


def debated(channel: str) -> Reviewed:
    """Two oppose in round 1, one of them with a quotation and one with an invented one; the chair mediates."""
    review = Reviewed(channel=channel)
    review.say("checks", review.examination)
    review.say("chair", summary="canary-tabled", questions=[])
    found = item(consequence="canary-consequence", action="canary-action", evidence=QUOTED)
    invented = item("F2", "error-handling", evidence="canary-invented in no file")
    review.vote("engineering-architect", "oppose", opinion="canary-opinion", items=[found, invented])
    review.vote("operations-sre", "oppose", opinion="canary-opinion")
    review.rest()
    return review.say("chair", positions="canary-mediated", questions="canary-mediated")


def text(review: Reviewed, seat: str) -> str:
    return review.protocol.view(review.record, review.ask(seat)).text()


def test_r37_members_are_shown_claims_and_quotations_and_no_words() -> None:
    review = debated("evidence")
    assert review.state.round == 2
    shown = text(review, "knowledge-manager")
    assert not [word for word in WORDS if word in shown]
    assert "OPPOSE, confidence 80 of 100" in shown
    assert f"src/app.py security, high: {QUOTED}" in shown
    assert "docs/guide.md error-handling, high: its evidence does not occur in the change" in shown


def test_r37_a_member_reads_its_own_words() -> None:
    shown = text(debated("evidence"), "engineering-architect")
    own = [word for word in WORDS if word in shown]
    assert own == ["canary-opinion", "canary-consequence", "canary-action", "canary-invented"]


def test_r37_by_default_words_are_shown_whole() -> None:
    shown = text(debated("prose"), "knowledge-manager")
    assert all(word in shown for word in WORDS)


def test_r37_it_spares_tokens() -> None:
    tokens = {
        channel: estimate_tokens(text(debated(channel), "knowledge-manager")) for channel in ("prose", "evidence")
    }
    assert tokens["evidence"] < tokens["prose"]


def test_r37_offices_read_whole_words() -> None:
    review = debated("evidence").rest().say("skeptic", doubts={})
    shown = text(review, "chair")
    assert "looked at both files" in shown


def vetoed() -> Reviewed:
    review = Reviewed(channel="evidence").table()
    veto = {"veto_class": "undocumented public contract", "veto_evidence": "import os", "opinion": "canary-opinion"}
    review.vote("knowledge-manager", "veto", **veto).rest()
    return review.absent("proposer")


def test_r37_what_a_compromise_offers_is_shown_and_why_is_not() -> None:
    review = vetoed()
    shown = text(review, "business-driver")
    assert "Veto " in shown
    assert "canary" not in shown
    offer = {
        "debt_owner": "Ann",
        "timeline_days": 3,
        "acceptance_criteria": "canary-criteria",
        "cod_evidence": "canary-delay",
    }
    ask = review.ask("business-driver")
    review.say("business-driver", reason="canary-reason", offers=dict.fromkeys(ask.keys, offer))
    review.say("chair", positions="canary-mediated", questions="canary-mediated")
    shown = text(review, "knowledge-manager")
    assert "canary-criteria" in shown
    assert "canary-reason" not in shown
    assert "canary-mediated" not in shown


def test_r37_the_setting_is_a_rule_of_the_session_and_its_default_is_no_new_rule() -> None:
    members = {"members": list(FOUR)}
    plain = catalog.build("review", members)
    assert "channel" not in plain.settings, "sessions that were opened before there was the setting go on"
    assert protocol_digest(catalog.build("review", {**members, "channel": "prose"})) == protocol_digest(plain)
    evidence = catalog.build("review", {**members, "channel": "evidence"})
    assert evidence.settings["channel"] == "evidence"
    assert protocol_digest(evidence) != protocol_digest(plain)
    with pytest.raises(SettingError):
        catalog.build("review", {"channel": "whispers"})


def test_r37_the_proof_looks_for_the_same() -> None:
    review = debated("evidence")
    blindness, ask = review.protocol.blindness, review.ask("knowledge-manager")
    assert blindness is not None
    said = [line.ask for line in review.record.log if isinstance(line, Said)]
    hidden = {(other.seat, other.brief) for other in said if blindness.hidden(ask, other)}
    members = {(seat, "ballot") for seat in FOUR if seat != "knowledge-manager"}
    assert hidden == members | {("chair", "table"), ("chair", "mediate")}


def test_r6_the_proof_looks_for_the_tabling_at_the_first_ballot_alone() -> None:
    review = debated("prose")
    blindness, later = review.protocol.blindness, review.ask("knowledge-manager")
    assert blindness is not None
    said = [line.ask for line in review.record.log if isinstance(line, Said)]
    (tabled,) = (ask for ask in said if ask.brief == "table")
    first = next(ask for ask in said if ask.seat == later.seat and ask.brief == "ballot")
    assert blindness.hidden(first, tabled)
    assert not blindness.hidden(later, tabled)
