"""Of whoever has not passed the exam, words are notes: everything is decided as if it had said nothing (C48)."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.core.types import Reason
from quorate.evidence.report import markdown
from quorate.kit.qualification import NOTED, TOLD
from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.coverage import shown
from quorate.protocols.council.rules.note_sections import TITLE
from quorate.protocols.council.rules.qualification import QuietRecord, notes_of, quiet
from tests.support.councils import SEATS, SESSION, Sitting, council

SCOPE, STEPS = "AMBIGUOUS_SCOPE T1 scope", "INCOMPLETE_PLAN T2 steps BLOCKER"


def noted(*seats: str, **more: Any) -> Sitting:
    return Sitting(unqualified_seats=seats, **more)


def became(sitting: Sitting) -> dict[str, tuple[str, str]]:
    assert DEFINITION.fates is not None
    return {each.id: (each.became, each.rule) for each in DEFINITION.fates(sitting.record)}


def result(sitting: Sitting) -> Any:
    return DEFINITION.result(sitting.record)


def verdict(sitting: Sitting) -> str:
    conclusion = sitting.record.session.conclusion
    assert conclusion is not None
    return conclusion.verdict.name


def test_what_it_finds_is_none_of_the_councils_findings_and_has_a_fate_of_its_own_c48() -> None:
    sitting = noted("SA-3").review({"SA-1": [SCOPE], "SA-3": [STEPS, SCOPE]}).assess({"SA-3": [STEPS]}).finish()
    assert [finding.key for finding in sitting.state.findings] == ["F1"]
    told = became(sitting)
    assert {key: told[key] for key in told if key.startswith("N")} == dict.fromkeys(("N1", "N2", "N3"), (NOTED, "C48"))
    assert {each["source_agents"][0] for each in result(sitting)["findings"]} == {"SA-1"}


def test_a_blocker_of_it_rejects_nothing_c48() -> None:
    everybody = Sitting().review({"SA-3": [STEPS]}).finish()
    assert verdict(everybody) != "APPROVED"
    assert verdict(noted("SA-3").review({"SA-3": [STEPS]}).finish()) == "APPROVED"


def test_it_backs_disputes_and_votes_for_nothing_c16_c22_c48() -> None:
    sitting = noted("SA-3").review({"SA-1": [SCOPE]})
    sitting.respond({"SA-1": "CONFIRM", "SA-2": "ABSTAIN", "SA-3": "CONFIRM"}).reach("vote")
    assert sitting.finding("F1").agreement.value == "CONTESTED"  # one backer, and no second
    sitting.vote({"SA-1": "SUPPORT", "SA-2": "ABSTAIN", "SA-3": "SUPPORT"}).finish()
    assert sitting.facts("vote")[0]["support"] == 1
    assert verdict(sitting) == "NEEDS_ADJUDICATION"


def test_its_doubt_is_none_of_the_councils_c32_c48() -> None:
    assert verdict(Sitting().assess(low=("SA-2", "SA-3")).finish()) == "NEEDS_ADJUDICATION"
    assert verdict(noted("SA-3").assess(low=("SA-2", "SA-3")).finish()) == "APPROVED"


@pytest.mark.parametrize("seats", [SEATS[1:], SEATS])
def test_with_fewer_than_two_others_nothing_is_approved_c46_c48(seats: tuple[str, ...]) -> None:
    sitting = noted(*seats).finish()
    assert verdict(sitting) == "NEEDS_ADJUDICATION"
    words = "no seat has passed the exam" if seats == SEATS else "2 of 3 seats have not passed the exam"
    assert words in DEFINITION.show(result(sitting)).splitlines()[0]


def test_what_a_gate_found_rejects_whoever_sits_there_c31_c48() -> None:
    assert verdict(noted(*SEATS).gates("SCOPE_GAP R01 BLOCKER").finish()) == "REJECTED"


def test_the_one_seat_of_a_small_rfc_approves_nothing_c37_c48() -> None:
    sitting = noted("SA-1", depth="STANDARD").review({"SA-1": [STEPS]}).finish()
    assert verdict(sitting) == "NEEDS_ADJUDICATION"
    assert sitting.state.findings == ()


def test_it_binds_no_lens_and_is_not_asked_to_c6_c48() -> None:
    sitting = noted("SA-3").review(bound=False).reach("bind")
    assert sitting.asked() == ["SA-1 bind", "SA-2 bind"]
    assert {each["seat"] for each in sitting.bind().finish().facts("unbound")} == set()


def test_the_record_says_whose_word_was_not_counted_c48() -> None:
    told = noted("SA-3").finish().facts("unqualified")
    assert told[0] == {"seat": "SA-3", "why": "its model has not passed the exam"}
    assert {each["seat"] for each in told} == {"SA-3"}


def test_a_phase_that_was_cut_short_leaves_the_note_c33_c48() -> None:
    sitting = noted("SA-1").reach("score")
    sitting.reply("SA-1", {"scores": [], "recommendation": "", "findings": []})
    sitting.interrupt(Reason.BUDGET)
    assert became(sitting)["score of SA-1"] == ("not counted", "C33")


# What is shown


def sections(sitting: Sitting, seat: str) -> dict[str, str]:
    return {section.title: section.text for section in sitting.view(seat).sections}


def test_others_read_it_as_a_note_from_the_next_phase_on_and_without_its_name_c41_c48() -> None:
    sitting = noted("SA-3").review({"SA-3": [STEPS]}).reach("assess")
    seen = sections(sitting, "SA-1")
    assert seen[TITLE].startswith("N1: BLOCKER")
    assert "SA-3" not in seen[TITLE]
    assert "How your word counts" not in seen
    assert sections(sitting, "SA-3")["How your word counts"] == TOLD
    assert "Finding F1" not in str(list(seen))
    assert TITLE not in sections(Sitting().review({"SA-3": [STEPS]}).reach("assess"), "SA-1")


def test_by_evidence_its_description_is_not_shown_c45_c48() -> None:
    sitting = noted("SA-3", channel="evidence").review({"SA-3": [STEPS]}).reach("assess")
    whole = noted("SA-3").review({"SA-3": [STEPS]}).reach("assess")
    (note,) = notes_of(sitting.record)
    assert note.said.description.text in sections(whole, "SA-1")[TITLE]
    assert note.said.description.text not in sections(sitting, "SA-1")[TITLE]


def test_it_reads_its_own_artifact_and_the_bundle_has_none_of_it_c43_c48() -> None:
    sitting = noted("SA-3").review({"SA-3": [STEPS]}).reach("assess")
    own = sections(sitting, "SA-3")["Your own artifact"]
    assert own == sections(Sitting().review({"SA-3": [STEPS]}).reach("assess"), "SA-3")["Your own artifact"]
    bundle = result(sitting.finish())
    assert any("what SA-3 said is a note" in each for each in bundle["warnings"])
    assert all(json.dumps(each).find('"SA-3"') < 0 for each in bundle["findings"])


# Reading as it was decided


def test_without_an_unqualified_seat_the_record_is_read_as_it_is() -> None:
    record = Sitting().finish().record
    assert quiet(record) is record


def test_a_quiet_record_grows_with_the_real_one_and_keeps_its_events() -> None:
    sitting = noted("SA-3").review({"SA-3": [STEPS]}).reach("assess")
    before = quiet(sitting.record)
    assert isinstance(before, QuietRecord)
    assert quiet(before) is before is quiet(sitting.record)
    sitting.finish()
    after = quiet(sitting.record)
    assert len(after.log) == len(sitting.record.log) > len(before.log)
    assert list(after.events()) == list(sitting.record.events())


def test_a_seat_that_does_not_sit_there_is_an_error() -> None:
    with pytest.raises(SettingError, match=r"unqualified_seats: names 'SA-2'"):
        council(depth="STANDARD", unqualified_seats=["SA-2"])
    assert "unqualified_seats" not in council().settings


def report_of(sitting: Sitting) -> str:
    template = (resources.files("quorate.protocols.council") / "report.md.j2").read_text(encoding="utf-8")
    assert DEFINITION.fates is not None
    told = DEFINITION.fates(sitting.record)
    return markdown(sitting.record, template, SESSION, sitting.head, result(sitting), fates=told)


def test_report_and_heading_say_so_c48() -> None:
    sitting = noted("SA-3").review({"SA-3": [STEPS]}).finish()
    written = report_of(sitting)
    assert written.splitlines()[0].startswith("# APPROVED, CONVERGED, 1 of 3 seats has not passed the exam: ")
    assert "| N1 | BLOCKER finding | SA-3 |" in written
    assert ", seat" not in report_of(Sitting().finish()).splitlines()[0]


def test_nothing_counts_as_shown_because_it_was_shown_to_it_c42_c48() -> None:
    sitting = noted("SA-3").reach("cover")
    who = {seat for seats in shown(quiet(sitting.record)).values() for seat in seats}
    assert who == {"SA-1", "SA-2"}
    assert '"SA-3"' not in sections(sitting, "gates")["Shown"]
    assert '"SA-3"' in sections(Sitting().reach("cover"), "gates")["Shown"]
