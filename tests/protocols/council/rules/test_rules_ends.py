"""The rules of the ends, limits, losses and depths (C30 to C37, C43, C44), one by one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from quorate.core.protocol import Degradation
from quorate.core.record import Said
from quorate.core.types import AbsentReason, Reason
from quorate.protocols.council import DEFINITION
from quorate.protocols.council.rules.forms import Answers, Ballots, Binding, LastProposals
from quorate.protocols.council.rules.model import CouncilSettings
from quorate.protocols.council.rules.protocol import EXIT_CODES
from quorate.protocols.council.rules.replies import progress
from quorate.protocols.council.rules.result.budget import ALLOCATION, RESERVED, TOKENS, overruns
from quorate.protocols.council.rules.views import Views
from tests.support.council_words import rfc
from tests.support.councils import SEATS, Sitting, council
from tests.support.filling import fill

SCOPE, PLAN, COUSIN = "AMBIGUOUS_SCOPE T1 scope", "INCOMPLETE_PLAN T2 steps", "COUSIN_VIOLATION T3 files_to_create"
GRAVE = [f"AMBIGUOUS_SCOPE T1 {field}" for field in ("scope", "steps", "tests", "notes")]


def agreed(*findings: str, fix: str = "fix", **settings: Any) -> Sitting:
    """All three seats raise and confirm these, and agree upon a remediation where one is proposed."""
    sitting = Sitting(**settings).review({seat: list(findings) for seat in SEATS})
    return sitting.respond(f"CONFIRM {fix}").finish() if findings else sitting.finish()


def contested(finding: str, votes: str, **settings: Any) -> Sitting:
    sitting = Sitting(**settings).review({"SA-1": [finding]}).respond({"SA-2": "ABSTAIN", "SA-3": "DISPUTE"})
    return sitting.vote(dict(zip(SEATS, votes.split(), strict=True)))


def end(sitting: Sitting) -> tuple[str, str]:
    return sitting.phase, sitting.verdict


# Did they agree, and what is left


@pytest.mark.parametrize("severity", ["BLOCKER", "MAJOR", "MINOR", "INFO"])
def test_c30_any_deadlock_is_one_unless_the_settings_say_otherwise(severity: str) -> None:
    """a33, a33a, a39."""
    split = "SUPPORT OPPOSE ABSTAIN"
    assert end(contested(f"{SCOPE} {severity}", split)) == ("DEADLOCKED", "NEEDS_ADJUDICATION")
    lenient = contested(f"{SCOPE} {severity}", split, deadlock_min_severity="MAJOR")
    assert lenient.phase == ("DEADLOCKED" if severity in ("BLOCKER", "MAJOR") else "CONVERGED")
    assert lenient.finding("F1").resolution.value == "DEADLOCKED"


def test_c30_a_blocker_without_an_agreed_remediation_is_a_deadlock() -> None:
    """a38: no proposal, or none that a quorum backs."""
    assert end(agreed(PLAN, fix="")) == ("DEADLOCKED", "NEEDS_ADJUDICATION")
    refused = Sitting().review({seat: [PLAN] for seat in SEATS}).respond("CONFIRM fix").vote("OPPOSE")
    assert end(refused) == ("DEADLOCKED", "NEEDS_ADJUDICATION")


def test_c30_a_gates_blocker_needs_no_adjudication() -> None:
    assert end(Sitting().gates("SCOPE_GAP R01").finish()) == ("CONVERGED", "REJECTED")


def test_c30_a_person_may_rule_and_what_was_concluded_stays() -> None:
    """a39."""
    sitting = agreed(PLAN, fix="").rule("APPROVED_WITH_REMEDIATION")
    assert sitting.verdict == "NEEDS_ADJUDICATION"
    assert sitting.record.ruling is not None
    assert sitting.record.ruling.verdict.name == "APPROVED_WITH_REMEDIATION"


@pytest.mark.parametrize(
    ("findings", "fix", "verdict"),
    [
        ((), "", "APPROVED"),
        (("SCOPE_OVERLAP T1",), "", "APPROVED"),
        ((f"{SCOPE} INFO", "SCOPE_OVERLAP T1"), "fix", "APPROVED"),
        ((SCOPE,), "fix", "APPROVED_WITH_REMEDIATION"),
        (GRAVE[:3], "fix", "APPROVED_WITH_REMEDIATION"),
        (GRAVE, "fix", "REJECTED"),
        ((SCOPE,), "", "REJECTED"),
        ((PLAN,), "fix", "REJECTED"),
    ],
)
def test_c31_the_verdict_counts_what_is_left(findings: tuple[str, ...], fix: str, verdict: str) -> None:
    """a38, a40, a41: a BLOCKER with an agreed but unapplied remediation is an agreement and a rejection."""
    assert end(agreed(*findings, fix=fix)) == ("CONVERGED", verdict)


def test_c31_most_majors_is_a_setting() -> None:
    assert agreed(SCOPE, most_majors=0).verdict == "REJECTED"
    assert agreed(*GRAVE, most_majors=4).verdict == "APPROVED_WITH_REMEDIATION"


def test_c31_what_is_dismissed_is_not_left() -> None:
    assert end(contested(SCOPE, "SUPPORT OPPOSE OPPOSE")) == ("CONVERGED", "APPROVED")


@pytest.mark.parametrize(("low", "verdict"), [(0, "APPROVED"), (1, "APPROVED"), (2, "NEEDS_ADJUDICATION")])
def test_c32_two_doubts_leave_an_approval_to_a_person(low: int, verdict: str) -> None:
    """a42."""
    assert end(Sitting().assess({}, low=SEATS[:low]).finish()) == ("CONVERGED", verdict)


def test_c32_a_rejection_needs_no_certainty() -> None:
    sitting = Sitting().gates("SCOPE_GAP R01").assess({}, low=SEATS).finish()
    assert sitting.verdict == "REJECTED"


# Aborts


@pytest.mark.parametrize(
    ("reason", "told"),
    [(Reason.BUDGET, "BUDGET_EXHAUSTED"), (Reason.CANCELLED, "CANCELLED"), (Reason.WISH, "CONCLUDED_EARLY")],
)
def test_c33_an_abort_keeps_all_findings_and_says_why(reason: Reason, told: str) -> None:
    sitting = Sitting().gates("SCOPE_GAP R01").review({"SA-1": [SCOPE]}).reach("assess").interrupt(reason).finish()
    assert end(sitting) == ("ABORTED", "ABORTED")
    assert len(sitting.state.findings) == 2
    found = DEFINITION.result(sitting.record)
    assert (found["abort_reason"], found["cycles_completed"]) == (told, 1)
    assert len(found["partial_findings"]) == 2


def test_c33_no_clock_ends_a_deliberation() -> None:
    """a56: there is no setting of time, and a seat that is late is absent, for which the limit is its participant's."""
    assert not [name for name in CouncilSettings.__slots__ if "time" in name or "second" in name]
    assert {reason.name for reason in Reason} - {"ESCALATION"} == {"CANCELLED", "BUDGET", "EPISODES", "STALL", "WISH"}


def test_c34_a_full_council_takes_at_most_24_episodes() -> None:
    """a48."""
    sitting = Sitting(remediate=True).review({seat: [f"{PLAN}", *GRAVE[:2]] for seat in SEATS}, bound=False)
    sitting.respond({"SA-1": "CONFIRM", "SA-2": "DISPUTE", "SA-3": "CONFIRM"}).remediate("fix").vote("SUPPORT")
    assert sitting.record.session.episodes == 19
    assert CouncilSettings().max_episodes == 25


@pytest.mark.parametrize(("limit", "last"), [(5, "CYCLE_2"), (6, "CYCLE_2"), (2, "CYCLE_1"), (3, "CYCLE_2")])
def test_c34_no_more_than_max_episodes_are_asked_for(limit: int, last: str) -> None:
    sitting = Sitting(max_episodes=limit).gates()
    if limit > 2:
        sitting.review({"SA-1": [SCOPE]})
    sitting.finish()
    assert sitting.conclusion.interrupted is Reason.EPISODES
    assert sitting.record.session.episodes <= limit
    assert sitting.moves[-1].phase.name == last
    assert DEFINITION.result(sitting.record)["abort_reason"] == "EPISODE_LIMIT"


def test_c34_three_replies_without_progress_are_a_stall() -> None:
    """a49."""
    sitting = Sitting().review({"SA-1": [SCOPE]}).respond({key: {} for key in SEATS})
    assert sitting.conclusion.interrupted is Reason.STALL
    assert DEFINITION.result(sitting.record)["abort_reason"] == "STALL_DETECTED"


def test_c34_one_that_brings_something_is_enough() -> None:
    sitting = Sitting().review({"SA-1": [SCOPE]}).respond({"SA-1": {"F1": "ABSTAIN"}, "SA-2": {}, "SA-3": {}})
    assert sitting.open
    assert sitting.record.session.idle == 0


def test_c34_a_clean_rfc_does_not_stall() -> None:
    """a49: an artifact and an assessment are progress, with or without findings."""
    sitting = Sitting(stall_after=1).finish()
    assert end(sitting) == ("CONVERGED", "APPROVED")


@pytest.mark.parametrize("form", [Answers, LastProposals, Ballots, Binding])
def test_c34_a_reply_that_names_nothing_is_no_progress(form: type[Any]) -> None:
    ask = Sitting().gates("SCOPE_GAP R01").reach("respond").ask("SA-1")
    empty: dict[str, Any] = {"answers": {}, "proposals": {}, "votes": {}, "uses": []}
    fields = {name: value for name, value in empty.items() if name in form.__slots__}
    assert not progress(fill(replace(ask, form=form), fields))


def test_c34_nobody_has_to_offer_an_edit() -> None:
    """C34, C38: three replies without an edit end the council as it was agreed, and stall nothing."""
    three = ["AMBIGUOUS_SCOPE T1", "AMBIGUOUS_SCOPE T2", "AMBIGUOUS_SCOPE T3"]
    sitting = Sitting(remediate=True).review({"SA-1": three, "SA-2": three}).respond("CONFIRM fix").vote("SUPPORT")
    assert len(sitting.open) == 3
    assert end(sitting.patch("none of them")) == ("CONVERGED", "APPROVED_WITH_REMEDIATION")


def test_c35_the_shares_are_soft_and_carry_over() -> None:
    """a47, a50, a51."""
    assert (TOKENS, RESERVED, sum(ALLOCATION.values())) == (150_000, 15_000, 150_000)
    none = dict.fromkeys(ALLOCATION, 0)
    assert overruns({**none, "CYCLE_1": 45_000}) == []
    assert overruns({**none, "CYCLE_1": 45_001}) == [{"phase": "CYCLE_1", "allowed": 45_000, "spent": 45_001}]
    assert overruns({**none, "CYCLE_2": 95_000}) == []


# Losses


@pytest.mark.parametrize("reason", AbsentReason)
def test_c36_a_seat_without_a_usable_reply_is_lost_for_the_session(reason: AbsentReason) -> None:
    """a54."""
    sitting = Sitting().gates().absent("SA-2", reason).finish()
    assert [each.lost for each in sitting.state.seats] == [False, True, False]
    briefs = [f"{line.ask.seat} {line.ask.brief}" for line in sitting.record.log if isinstance(line, Said)]
    assert "SA-2 assess" not in briefs
    assert sitting.conclusion.degradation is Degradation.WITHIN_SETTINGS
    assert sitting.verdict == "APPROVED"


def test_c36_what_it_raised_stays_and_it_neither_answers_nor_votes() -> None:
    """a54."""
    sitting = Sitting().review({"SA-2": [SCOPE]}).assess({"SA-2": "absent"}).reach("respond")
    assert sitting.asked() == ["SA-1 respond", "SA-3 respond"]
    sitting.respond({"SA-1": "CONFIRM", "SA-3": "ABSTAIN"})
    assert sitting.finding("F1").agreement.value == "MAJORITY"


@pytest.mark.parametrize("brief", ["score", "assess", "respond", "remediate", "vote"])
def test_c36_two_lost_seats_abort_wherever_they_are_lost(brief: str) -> None:
    """a53, a55: with everything found so far."""
    sitting = Sitting().review({"SA-1": [PLAN], "SA-2": [SCOPE]}) if brief != "score" else Sitting().gates()
    if brief in ("remediate", "vote"):
        sitting.respond({"SA-1": "CONFIRM", "SA-2": "ABSTAIN", "SA-3": "ABSTAIN"})
    before = sitting.reach(brief).state.raised
    for seat in ("SA-2", "SA-3"):
        sitting.absent(seat)
    sitting.finish()
    assert (sitting.phase, sitting.outcomes[-1]) == ("ABORTED", "INSUFFICIENT_AGENTS")
    assert sitting.conclusion.degradation is Degradation.BELOW_SETTINGS
    assert sitting.state.raised == before


def test_c36_one_lost_seat_is_too_many_for_a_quorum_of_three() -> None:
    sitting = Sitting(quorum=3).review({"SA-2": "absent"})
    assert (sitting.verdict, sitting.outcomes[-1]) == ("ABORTED", "INSUFFICIENT_AGENTS")


# Depth and the end of it all


def test_c37_one_seat_upholds_or_dismisses_and_nobody_votes() -> None:
    sitting = Sitting(depth="STANDARD").review({"SA-1": [SCOPE, PLAN]}).respond({"SA-1": {"F1": "DISPUTE"}})
    sitting.finish()
    fates = {each.key: each.resolution.value for each in sitting.state.findings}
    assert fates == {"F1": "DISMISSED", "F2": "UPHELD"}
    assert end(sitting) == ("CONVERGED", "REJECTED")
    assert "vote" not in council(depth="STANDARD").briefs


def test_c37_its_own_remediations_count_as_agreed() -> None:
    sitting = Sitting(depth="STANDARD").review({"SA-1": [SCOPE]}).respond("CONFIRM fix").finish()
    assert end(sitting) == ("CONVERGED", "APPROVED_WITH_REMEDIATION")


def test_c37_without_its_seat_it_is_aborted() -> None:
    sitting = Sitting(depth="STANDARD").gates().absent("SA-1")
    assert (sitting.verdict, sitting.outcomes[-1]) == ("ABORTED", "INSUFFICIENT_AGENTS")


def test_c43_counters_come_from_the_record() -> None:
    """a57, a44."""
    sitting = (
        Sitting().gates("SCOPE_OVERLAP T1").review({seat: [SCOPE] for seat in SEATS}).respond("CONFIRM fix").finish()
    )
    found = DEFINITION.result(sitting.record)["council_metadata"]
    assert (found["total_findings_generated"], found["findings_after_dedup"]) == (4, 2)
    replies = [line for line in sitting.record.log if isinstance(line, Said) and line.ask.seat in SEATS]
    assert found["episodes_consumed"] == len(replies) == 11
    assert [each["emergent_role"] for each in found["subagents"]] == [
        "Structural Rigorist",
        "Implementation Feasibility",
        "Anti-Cousin Guardian",
    ]


def test_c43_the_exit_codes_are_four() -> None:
    """a45: what is printed is tested with the command."""
    codes = {verdict.name: code for verdict, code in EXIT_CODES.items()}
    assert codes == {
        "APPROVED": 0,
        "APPROVED_WITH_REMEDIATION": 0,
        "REJECTED": 1,
        "NEEDS_ADJUDICATION": 2,
        "ABORTED": 3,
    }


@pytest.mark.parametrize(("depth", "seats"), [(None, 3), ("COUNCIL", 3), ("STANDARD", 1)])
def test_c44_depth_decides_how_many_sit(depth: str | None, seats: int) -> None:
    """How the size decides where no depth is given is tested with the gates' report."""
    protocol = council(depth=depth)
    assert len(protocol.seats) - 2 == seats
    assert isinstance(protocol.view, Views)
    assert rfc()["version"] == "v4"
