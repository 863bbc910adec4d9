"""What simulated seats of a council do: raise, confirm, dispute, propose and vote."""

from __future__ import annotations

from quorate.simulate.agents import Agents
from tests.simulate.simulations import F, chances, seated

SEVEN, THREE = F(7, 10), F(3, 10)


def test_a_lone_blocker_falls_to_two_who_quote_and_goes_to_a_person_where_one_abstains() -> None:
    """C23: a quotation only has to occur, so two that err together dismiss what is true."""
    found = chances(seated("council", Agents(), "dangerous"))
    assert found["APPROVED"] == THREE**3 + 3 * SEVEN * THREE**2
    assert found["REJECTED"] == 1 - found["APPROVED"]
    absent = chances(seated("council", Agents(abstain=F(1, 2)), "dangerous"))
    right, wrong, abstains = SEVEN / 2, THREE / 2, F(1, 2)
    alone = 3 * (right + wrong) * abstains**2
    assert absent["NEEDS_ADJUDICATION"] == 6 * right * wrong * abstains + alone
    assert absent["ABORTED"] == abstains**3


def test_where_all_abstain_nothing_is_approved() -> None:
    """C34, C46: three assessments in a row without a word are a stall; nobody judged is never an approval."""
    assert chances(seated("council", Agents(abstain=F(1)), "defective")) == {"ABORTED": F(1)}
    patient = seated("council", Agents(abstain=F(1)), "defective", settings={"stall_after": None})
    assert chances(patient) == {"NEEDS_ADJUDICATION": F(1)}


def test_with_a_quorum_of_three_a_single_dispute_deadlocks() -> None:
    found = chances(seated("council", Agents(), "defective", settings={"quorum": 3}))
    assert found["APPROVED_WITH_REMEDIATION"] == SEVEN**3
    assert found["NEEDS_ADJUDICATION"] == 1 - SEVEN**3 - THREE**3


def test_one_seat_alone_is_as_good_as_it_is() -> None:
    found = seated("council", Agents(), "defective", seats=1)
    assert found.voters == ("SA-1",)
    assert chances(found) == {"APPROVED_WITH_REMEDIATION": SEVEN, "APPROVED": THREE}


def test_edits_are_not_made_so_what_is_agreed_stays_to_be_done() -> None:
    found = seated("council", Agents(F(1)), "defective", settings={"remediate": True})
    assert chances(found) == {"APPROVED_WITH_REMEDIATION": F(1)}


def test_who_follows_the_majority_before_the_vote_settles_it() -> None:
    """Quorum 3: the one that disputes sees two who confirm, and joins them with probability c."""
    found = chances(seated("council", Agents(conform=F(1, 2)), "defective", settings={"quorum": 3}))
    joins = 3 * SEVEN**2 * THREE * F(1, 2)
    assert found["APPROVED_WITH_REMEDIATION"] + found.get("REJECTED", 0) == SEVEN**3 + joins
