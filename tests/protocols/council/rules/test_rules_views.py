"""The rules of views (C41, C42): blindness, anonymity, lenses, and the order in which a view is cut."""

from __future__ import annotations

import re
from typing import Any

import pytest

from quorate.core.types import Ask
from quorate.core.view import Cut, estimate_tokens
from quorate.protocols.council.rules.lenses import lenses, select_modes
from quorate.protocols.council.rules.model import REVIEWERS
from quorate.protocols.council.rules.result import review_bundle
from quorate.protocols.council.rules.views import Views
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting

SCOPE = "AMBIGUOUS_SCOPE T1 scope"


def canary(seat: str, what: str) -> str:
    return f"canary-{seat.replace('SA-', '')}-{what}"


def told(seat: str, what: str) -> dict[str, Any]:
    """A finding in words of its own, in which the seat names itself and the others."""
    said = f"{canary(seat, what)} as {', '.join(SEATS)} know"
    found = {"subcategory": "AMBIGUOUS_SCOPE", "place": "T1", "field": "scope", "severity": "MAJOR", "lens": "L1"}
    return {**found, "description": said, "evidence": said}


def reviewed() -> Sitting:
    """Every seat has raised the same finding in words of its own."""
    sitting = Sitting().gates()
    for seat, rows in zip(SEATS, ("scores", "steps", "claims"), strict=True):
        text = {"scores": "rationale", "steps": "step", "claims": "argument"}[rows]
        row: dict[str, Any] = {text: canary(seat, "artifact"), "lens": "L3"}
        row |= {"ticket": "T1"} if rows == "steps" else {"parent": 0} if rows == "claims" else {"score": 3}
        sitting.reply(seat, {rows: [row], "findings": [told(seat, "finding")]})
    return sitting


def canaries(text: str) -> set[str]:
    return set(re.findall(r"canary-\d-[\w-]+", text))


def views(sitting: Sitting) -> dict[str, str]:
    return {str(ask.seat): sitting.protocol.view(sitting.record, ask).text() for ask in sitting.open}


def test_c41_nobody_sees_what_others_say_in_the_phase_under_way() -> None:
    sitting = Sitting().gates()
    before = views(sitting)
    sitting.reply("SA-1", {"scores": [], "findings": [told("SA-1", "finding")]})
    after = views(sitting)
    assert set(after) == {"SA-2", "SA-3"}
    assert all(after[seat] == before[seat] for seat in after)


def test_c41_nobody_sees_the_artifact_of_another_seat() -> None:
    sitting = reviewed().reach("assess")
    for seat, text in views(sitting).items():
        assert {each for each in canaries(text) if each.endswith("artifact")} == {canary(seat, "artifact")}


def test_c41_nobody_sees_who_raised_or_backed_a_finding() -> None:
    sitting = reviewed()
    for brief in ("assess", "respond", "vote"):
        if brief == "vote":
            sitting.respond({"SA-1": "CONFIRM fix", "SA-2": "DISPUTE", "SA-3": "CONFIRM"})
        for seat, text in views(sitting.reach(brief)).items():
            others = [other for other in SEATS if other != seat]
            assert not any(re.search(rf"(?<![\w-]){other}(?![\w-])", text) for other in others), (brief, seat)
            assert {canary(other, "finding") for other in SEATS} <= canaries(text)
            assert "raised by 1 of the seats" in text
            assert brief == "vote" or "UNANIMOUS" in text, "the status of its group"


def test_c41_the_proof_looks_for_the_same() -> None:
    """What the declared blindness hides is a phase under way, and names."""
    sitting = Sitting().gates()
    blindness = sitting.protocol.blindness
    assert blindness is not None
    one, other = sitting.ask("SA-1"), sitting.ask("SA-2")
    assert blindness.hidden(one, other)
    assert blindness.nameless(one) == frozenset({"SA-2", "SA-3"})
    later = Sitting().reach("assess").ask("SA-1")
    assert not blindness.hidden(later, other)


@pytest.mark.parametrize("brief", ["score", "assess", "respond"])
def test_c3_a_seat_is_shown_its_lenses_with_what_each_asks_for(brief: str) -> None:
    sitting = Sitting(seed=42).gates("SCOPE_GAP R01").reach(brief)
    modes = select_modes(42).modes
    for ask in sitting.open:
        (shown,) = [each for each in sitting.protocol.view(sitting.record, ask).sections if each.title == "Your lenses"]
        own = lenses(ask.seat, modes[ask.seat])
        assert shown.text.splitlines() == [f"{lens.value}: {m.id} {m.name}. {m.asks}" for lens, m in own.items()]
        assert not shown.data


# What is cut, and in which order


def long(**more: Any) -> dict[str, Any]:
    """An RFC whose every part is long."""
    made = rfc(4, **more)
    for each in (*made["documents"], *made["tickets"]):
        each["text"] = f"{each['key']} begins. " + "word " * 900
    made["requirements"] = [{**made["requirements"][0], "statement": "need " * 700}]
    return made


def cut(tokens: int) -> tuple[Sitting, Ask, tuple[Cut, ...]]:
    sitting = Sitting(about=long(), seat_tokens=tokens).gates().review({"SA-1": [f"{SCOPE}"]}).reach("respond")
    ask = sitting.ask("SA-2")
    view = sitting.protocol.view
    assert isinstance(view, Views)
    return sitting, ask, view.with_receipt(sitting.record, ask)[1]


def kinds(receipt: tuple[Cut, ...]) -> set[str]:
    """What was cut: documents, a ticket by its key, or another section by its title."""
    found = set()
    for each in receipt:
        word, _, rest = each.title.partition(" ")
        named = f"ticket {rest.partition(' ')[0]}" if word == "Ticket" else each.title
        found.add("documents" if word in ("File", "Files") else named)
    return found


def test_c42_nothing_is_cut_where_there_is_room() -> None:
    assert cut(100_000)[2] == ()


def test_c42_a_view_is_cut_in_its_order() -> None:
    """Documents, tickets without findings from the last, requirements, tickets with findings, then the gates."""
    order = ["documents", "ticket T4", "ticket T3", "ticket T2", "Requirements", "ticket T1", "What the gates found"]
    reached = set()
    for tokens in (40_000, 30_000, 20_000, 14_000, 10_000, 7_000, 5_000, 4_000, 3_000, 2_000, 1_000):
        found = kinds(cut(tokens)[2])
        gone = [each for each in order if each in found]
        assert gone == order[: len(gone)], tokens
        reached.add(len(gone))
    assert len(reached) >= 5


@pytest.mark.parametrize("tokens", [1_000, 1_500, 3_000, 9_000, 20_000])
def test_c42_no_view_is_larger_than_it_may_be_and_findings_and_lenses_stay(tokens: int) -> None:
    sitting, ask, receipt = cut(tokens)
    view = sitting.protocol.view(sitting.record, ask)
    assert estimate_tokens(view.text()) <= tokens
    assert "Finding F1: MAJOR AMBIGUOUS_SCOPE at T1 scope" in view.text()
    assert "Your lenses" in view.text()
    assert all(each.shown < each.of for each in receipt)


def test_c42_answers_and_votes_are_shown_half_of_what_a_review_is() -> None:
    sitting = Sitting(about=long(), seat_tokens=6_000).gates()
    whole = estimate_tokens(sitting.view("SA-1").text())
    half = estimate_tokens(sitting.review({"SA-1": [SCOPE]}).reach("respond").view("SA-1").text())
    assert 5_500 < whole <= 6_000
    assert 2_500 < half <= 3_000


def many(tokens: int) -> Sitting:
    """Three seats have found much, in as many words as they may."""
    kinds = ("AMBIGUOUS_SCOPE", "INCOMPLETE_PLAN", "MISSING_VERIFICATION", "AGENT_CONTEXT_GAP", "SCOPE_TOO_LARGE")
    sitting = Sitting(about=long(), seat_tokens=tokens).gates()
    for seat in SEATS:
        found = [{**told(seat, f"{kind}-finding"), "subcategory": kind} for kind in kinds]
        said = {"findings": [{**each, "description": f"{each['description']} {'word ' * 90}"} for each in found]}
        sitting.reply(seat, said)
    return sitting


@pytest.mark.parametrize("brief", ["respond", "vote"])
def test_c14_c42_findings_are_answered_and_voted_upon_with_all_their_text(brief: str) -> None:
    """They need more than half of the room, and take it."""
    sitting = many(5_500)
    if brief == "vote":
        sitting.respond({"SA-1": "DISPUTE", "SA-2": "CONFIRM", "SA-3": "ABSTAIN"})
    text = sitting.reach(brief).view("SA-1").text()
    assert 2_750 < estimate_tokens(text) <= 5_500
    assert len(canaries(text)) == 15
    assert text.count("word " * 90) == 15
    assert not any("only part of the text" in each for each in review_bundle(sitting.finish().record)["warnings"])


def test_c42_where_findings_have_no_room_a_warning_says_who_was_shown_a_part() -> None:
    sitting = many(2_000).respond("CONFIRM").finish()
    told, *_ = [each for each in review_bundle(sitting.record)["warnings"] if "only part of the text" in each]
    assert told.startswith("SA-1, SA-2, SA-3 (respond): shown only part of the text of F")


def test_c42_what_gates_found_is_told_once_and_the_lesser_of_it_goes_first() -> None:
    sitting = Sitting(about=long(), seat_tokens=4_000).gates("SCOPE_GAP T1 MAJOR", "SCOPE_OVERLAP T2 MINOR")
    view = sitting.review({"SA-1": [SCOPE]}).reach("assess").protocol.view
    assert isinstance(view, Views)
    shown, receipt = view.with_receipt(sitting.record, sitting.ask("SA-1"))
    assert receipt[0].title == "Lesser findings of the gates"
    (found,) = [each.text for each in shown.sections if each.title == "What the gates found"]
    assert "MAJOR SCOPE_GAP at T1" in found
    assert "SCOPE_OVERLAP" not in found
    assert [each.title.partition(":")[0] for each in shown.sections if each.title.startswith("Finding")] == [
        "Finding F3"
    ]


def test_c42_the_receipt_says_what_was_cut_and_code_is_shown_everything() -> None:
    sitting, ask, receipt = cut(7_000)
    whole = {each.title: len(each.text) for each in Views(_council(sitting))._by_brief["respond"](sitting.record, ask)}
    assert {each.title: each.of for each in receipt}.items() <= whole.items()
    again = Sitting(about=long(), seat_tokens=1_000)
    assert isinstance(again.protocol.view, Views)
    assert again.protocol.view.with_receipt(again.record, again.ask("gates"))[1] == ()


def _council(sitting: Sitting) -> Any:
    assert isinstance(sitting.protocol.view, Views)
    return sitting.protocol.view.council


def test_c42_every_seat_is_shown_the_places_it_may_name() -> None:
    sitting = Sitting().gates()
    for seat in REVIEWERS:
        assert "T3 TCK-00003" in sitting.view(seat).text()
