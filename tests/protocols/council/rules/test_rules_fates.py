"""What became of what was said, who judged, and what was shown to whom (C7, C13, C42, C46, C47)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.record import Asked
from quorate.core.types import Reason
from quorate.kit.fates import answered_for
from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.coverage import shown
from quorate.protocols.council.rules.fates import fates
from quorate.protocols.council.rules.notes import notes
from quorate.protocols.council.rules.result import review_bundle
from quorate.protocols.council.rules.views import Views
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting

PLAN, SCOPE = "INCOMPLETE_PLAN T1 steps", "AMBIGUOUS_SCOPE T1 scope"


def became(sitting: Sitting) -> dict[str, str]:
    found = fates(sitting.record)
    assert len({each.id for each in found}) == len(found), "each stands once"
    assert all(each.rule.startswith("C") for each in found)
    return {each.id: each.became for each in found}


def test_c47_findings_remediations_pairs_and_answers() -> None:
    sitting = (
        Sitting().gates("SCOPE_OVERLAP T2").review({"SA-1": [f"{PLAN} BLOCKER"], "SA-2": [SCOPE], "SA-3": [SCOPE]})
    )
    assert [each.key for each in sitting.reach("respond").state.findings] == ["F1", "F2", "F4"]
    sitting.respond(
        {
            "SA-1": {"F2": "CONFIRM", "F4": "CONFIRM fix same F2"},
            "SA-2": {"F2": "CONFIRM", "F4": "DISPUTE"},
            "SA-3": {"F2": "DISPUTE", "F4": "CONFIRM"},
        }
    )
    sitting.vote({seat: {"*": "REFUTE", "P1": "SUPPORT"} for seat in SEATS}).finish()
    assert became(sitting) == {
        "F1": "upheld",
        "F2": "dismissed",
        "F3": "joined to F2",
        "F4": "dismissed",
        "P1": "agreed",
        "F2 = F4": "kept apart",
        "vote of SA-3": "not heard",
    }


def test_c47_a_lowered_severity_says_what_it_became() -> None:
    sitting = (
        Sitting().review({"SA-1": [f"{SCOPE} BLOCKER"]}).respond({"SA-2": "SEVERITY MINOR", "SA-3": "SEVERITY INFO"})
    )
    sitting.vote("OPPOSE").finish()
    assert became(sitting)["F1"] == "upheld as MINOR"


def test_c47_a_finding_says_how_severe_it_was_raised_and_what_it_became() -> None:
    severities = Sitting().gates("SCOPE_OVERLAP T2").review({"SA-1": [f"{SCOPE} MINOR", f"{PLAN} MINOR"]})
    severities.respond({"SA-2": {"F2": "SEVERITY MAJOR", "F3": "SEVERITY MAJOR"}}).vote(
        {seat: {"S2": "OPPOSE", "S3": "SUPPORT", "*": "SUPPORT"} for seat in SEATS}
    )
    told = {each.id: f"{each.what}: {each.became}" for each in fates(severities.finish().record)}
    assert told["F1"] == "MINOR gate finding: upheld"
    assert told["F2"] == "MINOR finding: upheld as MINOR", "two who held it MAJOR were outvoted"
    assert told["F3"] == "MINOR finding: upheld as MAJOR"


def test_c37_to_dispute_one_of_what_is_one_and_back_another_neither_dismisses_nor_lowers() -> None:
    sitting = Sitting(depth="STANDARD").review({"SA-1": [f"{SCOPE} BLOCKER", f"{PLAN} INFO"]}).reach("respond")
    known = {each.severity.value: each.key for each in sitting.state.findings}
    sitting.respond({"SA-1": {known["BLOCKER"]: "DISPUTE", known["INFO"]: f"CONFIRM same {known['BLOCKER']}"}})
    assert [each.severity.value for each in sitting.state.findings] == ["BLOCKER"]
    assert sitting.finish().verdict == "REJECTED"


def test_c14_nothing_goes_into_a_gates_finding_that_somebody_answers_is_worse() -> None:
    """The gate's would stay MAJOR, and a BLOCKER that a seat holds would be gone without a vote."""
    sitting = Sitting().gates(f"{PLAN} MAJOR").review({"SA-1": [f"{PLAN} MAJOR"]}).reach("respond")
    known = {"F1": "ABSTAIN", "F2": "CONFIRM same F1"}
    sitting.respond({"SA-1": known, "SA-2": {**known, "F2": "SEVERITY BLOCKER same F1"}, "SA-3": known})
    assert [(each.key, each.severity.value) for each in sitting.state.findings] == [("F1", "MAJOR"), ("F2", "BLOCKER")]
    assert became(sitting.finish())["F1 = F2"] == "kept apart"


@pytest.mark.parametrize("depth", ["COUNCIL", "STANDARD"])
def test_c28_a_finding_that_was_refused_leaves_an_approval_to_a_person(depth: str) -> None:
    assert Sitting(depth=depth).finish().verdict == "APPROVED"
    sitting = Sitting(depth=depth).cover(refused=1).finish()
    assert sitting.verdict == "NEEDS_ADJUDICATION"
    assert "1 finding was refused, which nobody could answer (C28)" in review_bundle(sitting.record)["verdict_reason"]
    assert review_bundle(sitting.record)["refused"] == 1


def test_c47_a_dispute_without_a_reason_is_told() -> None:
    sitting = Sitting().review({"SA-1": [SCOPE]}).reach("respond")
    sitting.reply("SA-1", {"answers": {"F1": {"reason": " ", "response": "DISPUTE"}}})
    sitting.finish()
    assert became(sitting)["F1, answer of SA-1"] == "counted as an abstention"


def test_c47_what_is_said_in_a_phase_that_is_cut_short_is_open_or_not_counted() -> None:
    sitting = Sitting().gates().reply("SA-1", {"findings": [], "scores": []})
    sitting.interrupt(Reason.CANCELLED)
    assert became(sitting) == {"score of SA-1": "not counted"}
    raised = Sitting().review({"SA-1": [SCOPE]}).reach("respond")
    raised.reply("SA-2", {"answers": {}}).interrupt(Reason.CANCELLED)
    assert became(raised) == {"F1": "open", "respond of SA-2": "not counted"}


def test_c47_a_ruling_counts_until_another_takes_its_place() -> None:
    sitting = Sitting().cover("T2").finish()
    assert became(sitting)["T2"] == "shown to nobody"
    told = became(sitting.rule("REJECTED", by="Ann").rule("APPROVED", by="Ben"))
    assert (told["ruling 1"], told["ruling 2"]) == ("replaced by ruling 2", "counts")
    assert told["T2"] == "ruled upon"
    assert answered_for(fates(sitting.record)) == ["TCK-00002"]


def test_c47_the_report_shows_it_second() -> None:
    found = DEFINITION.fates
    assert found is not None
    sitting = Sitting().review({"SA-1": [SCOPE]}).finish()
    assert found(sitting.record)[0].id == "F1"


# Who judged


@pytest.mark.parametrize(
    ("abstain", "verdict"),
    [((), "APPROVED"), (("SA-1",), "APPROVED"), (SEATS[:2], "NEEDS_ADJUDICATION"), (SEATS, "NEEDS_ADJUDICATION")],
)
def test_c46_two_of_three_seats_have_to_have_judged(abstain: tuple[str, ...], verdict: str) -> None:
    sitting = Sitting(stall_after=None).assess({}, abstain=abstain).finish()
    assert sitting.verdict == verdict
    assert ("have judged" in review_bundle(sitting.record)["verdict_reason"]) == (verdict != "APPROVED")


def test_c46_a_seat_alone_has_to_have_judged() -> None:
    assert Sitting(depth="STANDARD").assess({}, abstain=SEATS).finish().verdict == "NEEDS_ADJUDICATION"
    assert Sitting(depth="STANDARD").assess({}).finish().verdict == "APPROVED"


def test_c46_where_the_version_leaves_no_gate_the_artifact_is_the_judgement() -> None:
    none = {name: ("NOT_APPLICABLE", "v0") for name in ("ATOMICITY", "IMPLEMENTABILITY", "ANTI_COUSIN")}
    assert Sitting(stall_after=None).gates(runs=none).assess({}, abstain=SEATS).finish().verdict == "APPROVED"


# What was shown


def long_rfc(tickets: int, size: int) -> dict[str, Any]:
    told = rfc(tickets)
    for number, ticket in enumerate(told["tickets"], start=1):
        ticket["text"] = f"Ticket {number}. " + "Store the page of each book. " * (size // 29)
    return told


def reached(sitting: Sitting) -> list[str]:
    """What nobody was shown by the record, once all have assessed."""
    sitting.reach("cover")
    return [str(key) for key, seats in shown(sitting.record).items() if not seats]


def test_c42_what_fits_is_shown_to_everybody() -> None:
    sitting = Sitting().reach("cover")
    assert set(shown(sitting.record).values()) == {tuple(SEATS)}


def test_c42_what_is_too_large_for_one_view_is_read_by_turns_and_nothing_is_left() -> None:
    """Six turns, each beginning a sixth further on: together they show what five views would not hold."""
    about = long_rfc(24, 1_000)
    one = Sitting(about=about, seat_tokens=4_500).reach("cover")
    assert reached(one) == []
    first = next(line.ask for line in one.record.log if isinstance(line, Asked) and line.ask.brief == "score")
    view = one.protocol.view
    assert isinstance(view, Views)
    _, cut = view.with_receipt(one.record, first)
    assert len([each for each in cut if each.title.startswith("Ticket")]) > 8, "one view holds but a part"


def test_c42_what_six_turns_do_not_hold_is_named() -> None:
    sitting = Sitting(about=long_rfc(60, 2_000), seat_tokens=4_000)
    assert len(reached(sitting)) > 10


def test_c42_a_seat_without_a_usable_reply_has_shown_nothing() -> None:
    sitting = Sitting().review({"SA-2": "absent"}).reach("cover")
    assert set(shown(sitting.record).values()) == {("SA-1", "SA-3")}


def test_c42_what_a_participants_own_window_cut_was_not_shown() -> None:
    some = Sitting()
    some.narrow = ("SA-2",)
    assert set(shown(some.reach("cover").record).values()) == {("SA-1", "SA-3")}
    every = Sitting()
    every.narrow = SEATS
    assert set(reached(every)) == set(map(str, shown(every.record)))
    every.cover(*reached(every)).finish()
    assert every.verdict == "NEEDS_ADJUDICATION"


def test_c42_a_view_of_the_assessment_counts_where_that_of_the_review_was_cut() -> None:
    sitting = Sitting()
    sitting.narrow = SEATS
    sitting.review()
    sitting.narrow = ()
    assert reached(sitting) == []


def test_c42_without_the_word_of_code_nothing_counts_as_shown() -> None:
    sitting = Sitting().reach("cover").absent("gates").finish()
    assert sitting.verdict == "NEEDS_ADJUDICATION"
    assert "nobody knows what was shown (C42)" in review_bundle(sitting.record)["verdict_reason"]


# Records that do not mislead


def test_c13_a_refused_claim_is_told_and_binds_no_lens() -> None:
    sitting = Sitting().review(parents=(0, 1, 3, 2, 9))
    assert [each["row"] for each in sitting.facts("claim_refused")] == [3, 5]
    tree = review_bundle(sitting.finish().record)["artifacts"]["SA-3"]
    assert [row["number"] for row in tree["rows"]] == [1, 2, 4]
    assert [row["number"] for row in tree["refused"]] == [3, 5]
    assert became(sitting)["SA-3, claim 3"] == "refused: it hangs on nothing"


def test_c19_contested_items_are_the_groups_with_different_severities_and_no_lone_finding() -> None:
    sitting = Sitting().review({"SA-1": [f"{SCOPE} BLOCKER", PLAN], "SA-2": [f"{SCOPE} INFO"]}).reach("assess")
    listed = notes(sitting.record)[1]["contested_items"]
    assert [each.partition(" ")[0] for each in listed] == ["F1", "F2"]


def test_c22_a_confirmation_is_never_printed_as_dissent() -> None:
    sitting = Sitting().review({"SA-1": [SCOPE]}).respond({"SA-1": "CONFIRM", "SA-2": "CONFIRM", "SA-3": "DISPUTE"})
    for seat in SEATS[:2]:
        sitting.reach("vote").reply(seat, {"votes": {"F1": {"vote": "OPPOSE", "rationale": " "}}})
    (found,) = review_bundle(sitting.finish().record)["findings"]
    assert found["dissent_rationale"] == {"SA-1": "", "SA-2": "", "SA-3": "Because of DISPUTE."}


def test_c36_the_bundle_says_why_a_seat_was_lost() -> None:
    sitting = Sitting().review({"SA-2": "absent"}).finish()
    lost = {
        each["agent_id"]: each["lost_reason"] for each in review_bundle(sitting.record)["council_metadata"]["subagents"]
    }
    assert lost == {"SA-1": None, "SA-2": "timed_out in CYCLE_1", "SA-3": None}
