"""Failure: retries, going on with the rest, giving up, and interruptions (D21 to D27)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import RuleViolation
from quorate.core.protocol import Degradation
from quorate.core.record import Said
from quorate.core.session import Withdraw
from quorate.core.types import AbsentReason, Reason
from quorate.protocols.debate.rules.model import Outcome, Phase, Verdict
from quorate.protocols.debate.rules.views import current_text
from tests.support.debating import THREE, TWO, Table

GATHERINGS = {
    Phase.PROPOSAL: Outcome.PROPOSALS_COMPLETE,
    Phase.CRITIQUE: Outcome.CRITIQUES_COMPLETE,
    Phase.REFINEMENT: Outcome.REFINEMENTS_COMPLETE,
}
phases = pytest.mark.parametrize("phase", list(GATHERINGS))


def at(phase: Phase, agents: list[str] = THREE, **settings: Any) -> Table:
    return Table(agents=agents, **settings).until(phase)


def outcomes(table: Table, phase: Phase) -> list[Outcome]:
    return [outcome for where, outcome in table.rows if where is phase]


# Retry


@phases
@pytest.mark.parametrize("reason", AbsentReason)
def test_only_the_absent_are_asked_again(phase: Phase, reason: AbsentReason) -> None:
    """D21. Upstream had names for RETRY, FALLBACK and FAILED, and nothing that led there."""
    table = at(phase)
    brief = table.open[0].brief
    table.say("architect").absent("security", reason).say("testing")
    assert table.phase is phase
    assert table.asked() == [f"security {brief}"]
    assert table.absences() == [("security", reason.value)]


@phases
def test_a_late_reply_counts_as_any_other(phase: Phase) -> None:
    """D21."""
    table = at(phase).absent("architect").absent("security").say("testing").say("architect").say("security")
    assert outcomes(table, phase) == [Outcome.RETRY, GATHERINGS[phase]]
    assert len(table.state.active) == 3


@phases
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_at_most_so_many_retries(phase: Phase, retries: int) -> None:
    """D21, D22."""
    table = at(phase, retries=retries).lose("security")
    assert outcomes(table, phase) == [Outcome.RETRY] * retries + [Outcome.FALLBACK]


def test_every_phase_has_its_own_retries() -> None:
    """D21."""
    table = at(Phase.PROPOSAL).absent("architect").rest().rest()
    assert table.phase is Phase.CRITIQUE
    assert table.absent("architect").rest().asked() == ["architect criticise"]


def test_a_retry_asks_a_critic_about_the_same_texts_in_the_same_order() -> None:
    """D13, D21."""
    table = at(Phase.CRITIQUE)
    before = table.view("security")
    keys = table.ask("security").keys
    table.absent("security").rest()
    assert (table.view("security"), table.ask("security").keys) == (before, keys)


# Fallback


@phases
def test_the_debate_goes_on_while_two_remain(phase: Phase) -> None:
    """D22."""
    table = at(phase).lose("security")
    assert [agent.seat for agent in table.state.active] == ["architect", "testing"]
    assert table.facts("left the table") == [{"seat": "security"}]
    table.finish()
    assert table.verdict is Verdict.SOLUTION
    assert not [
        line for line in table.record.log if isinstance(line, Said) and line.ask.seat == "security" and line.round > 1
    ]


def test_whoever_left_before_proposing_is_not_criticised_and_not_before_the_judge() -> None:
    """D22."""
    table = at(Phase.PROPOSAL, rounds=1).lose("security")
    assert all(len(ask.keys) == 1 for ask in table.open)
    table.until(Phase.SYNTHESIS)
    assert [title for title in table.sections("judge") if title.startswith("Text of")] == [
        "Text of architect",
        "Text of testing",
    ]


def test_the_last_text_of_whoever_left_stays_before_the_judge() -> None:
    """D22: a missing refinement falls back to the agent's own last text."""
    table = Table(agents=THREE, rounds=1)
    for agent in THREE:
        table.say(agent, text=f"proposal of {agent}")
    table.until(Phase.REFINEMENT).lose("security").until(Phase.SYNTHESIS)
    assert table.sections("judge")["Text of security, which left the debate"] == "proposal of security"


def test_whoever_left_in_round_two_is_remembered_with_its_refinement() -> None:
    """D22."""
    table = Table(agents=THREE, rounds=2).until(Phase.REFINEMENT)
    for agent in THREE:
        table.say(agent, text=f"first refinement of {agent}")
    table.until(Phase.CRITIQUE, 2).lose("testing").until(Phase.SYNTHESIS)
    assert table.sections("judge")["Text of testing, which left the debate"] == "first refinement of testing"


def test_critiques_of_a_critic_that_left_later_are_still_answered() -> None:
    """D13, D22: one rejection keeps the others."""
    table = at(Phase.CRITIQUE).lose("security")
    assert table.phase is Phase.REFINEMENT
    assert [len(table.ask(agent).keys) for agent in ("architect", "testing")] == [1, 1]


# Failed


@phases
def test_with_fewer_than_two_the_debate_fails_and_everything_said_stays(phase: Phase) -> None:
    """D23."""
    table = at(phase, retries=0)
    before = [line for line in table.record.log if isinstance(line, Said)]
    table.say("architect").absent("security").absent("testing")
    assert outcomes(table, phase) == [Outcome.FAILED]
    assert (table.verdict, table.phase) == (Verdict.FAILED, Phase.FAILURE)
    said = [line for line in table.record.log if isinstance(line, Said)]
    assert said[: len(before)] == before
    assert len(said) == len(before) + 3
    if phase is not Phase.PROPOSAL:
        assert all(current_text(table.record, ask) for ask in table.protocol.seats[:3])


def test_losing_one_by_one_fails_in_the_end() -> None:
    """D22, D23."""
    table = at(Phase.PROPOSAL).lose("testing").lose("security")
    assert table.verdict is Verdict.FAILED
    assert [fact["seat"] for fact in table.facts("left the table")] == ["testing", "security"]


# Interruptions


@pytest.mark.parametrize("reason", [Reason.CANCELLED, Reason.BUDGET, Reason.EPISODES])
@pytest.mark.parametrize("phase", [*GATHERINGS, Phase.SYNTHESIS])
def test_cancelling_and_limits_abort_at_once_and_lose_nothing(reason: Reason, phase: Phase) -> None:
    """D26."""
    table = at(phase, rounds=1)
    if phase is not Phase.SYNTHESIS:
        table.say("security")
    open_asks = [ask.id for ask in table.open]
    said = [line for line in table.record.log if isinstance(line, Said)]
    table.interrupt(reason)
    assert table.conclusion is not None
    assert (table.conclusion.verdict, table.conclusion.interrupted) == (Verdict.ABORTED, reason)
    assert [line for line in table.record.log if isinstance(line, Said)] == said
    assert [line.ask for line in table.record.log if isinstance(line, Withdraw)] == open_asks


def test_an_aborted_debate_takes_no_second_interruption() -> None:
    table = at(Phase.PROPOSAL).interrupt(Reason.CANCELLED)
    with pytest.raises(RuleViolation, match="concluded with ABORTED"):
        table.interrupt(Reason.CANCELLED)


@pytest.mark.parametrize("phase", list(GATHERINGS))
def test_a_wish_leads_to_synthesis_after_the_phase(phase: Phase) -> None:
    """D26."""
    table = at(phase).say("architect").interrupt(Reason.WISH)
    assert table.asked()[0].startswith("security")
    table.rest()
    assert table.asked() == ["judge synthesize"]
    assert table.finish().verdict is Verdict.SOLUTION
    assert table.conclusion is not None
    assert table.conclusion.interrupted is Reason.WISH


def test_a_wish_does_not_wait_for_retries() -> None:
    """D26."""
    table = at(Phase.CRITIQUE).interrupt(Reason.WISH).say("architect").say("testing").absent("security")
    assert table.asked() == ["judge synthesize"]


def test_a_wish_twice_is_one_wish() -> None:
    """D26."""
    table = at(Phase.CRITIQUE).interrupt(Reason.WISH).interrupt(Reason.WISH).rest().interrupt(Reason.WISH)
    assert table.asked() == ["judge synthesize"]
    assert table.rest().verdict is Verdict.SOLUTION


def test_a_wish_in_the_last_refinement_is_not_followed_by_another_round() -> None:
    """D26."""
    table = at(Phase.REFINEMENT, rounds=3).interrupt(Reason.WISH).rest()
    assert (table.phase, table.state.round) == (Phase.SYNTHESIS, 1)


def test_the_episode_limit_ends_the_debate_before_it_is_passed() -> None:
    """D26."""
    table = Table(agents=TWO, max_episodes=5)
    table.rest().rest()
    assert table.conclusion is not None
    assert (table.verdict, table.conclusion.interrupted) == (Verdict.ABORTED, Reason.EPISODES)
    assert table.record.session.episodes == 4


def test_a_person_costs_no_episode() -> None:
    """D26."""
    table = Table(agents=TWO, max_episodes=4, interactive_clarifications=True, clarifications_max_iterations=1)
    table.rest(questions=["Why?"]).rest()
    assert table.phase is Phase.PROPOSAL
    assert table.record.session.episodes == 4


def test_a_stall_is_absences_in_a_row() -> None:
    """D26."""
    table = at(Phase.PROPOSAL, stall_after=3, retries=5).say("architect").absent("security").absent("testing")
    assert (table.asked(), table.record.session.idle) == (["security propose", "testing propose"], 0)
    table.absent("security").absent("testing")
    assert (table.conclusion, table.record.session.idle) == (None, 2)
    table.absent("security").absent("testing")
    assert table.conclusion is not None
    assert (table.verdict, table.conclusion.interrupted) == (Verdict.ABORTED, Reason.STALL)


def test_a_reply_in_between_is_no_stall() -> None:
    """D26."""
    table = at(Phase.PROPOSAL, stall_after=3, retries=5).say("architect").absent("security").absent("testing")
    table.say("security").absent("testing").absent("testing")
    assert (table.conclusion, table.record.session.idle) == (None, 1)


# Degradation


@pytest.mark.parametrize(
    ("lost", "required", "degradation"),
    [
        (0, 3, Degradation.NONE),
        (1, 2, Degradation.WITHIN_SETTINGS),
        (1, 3, Degradation.BELOW_SETTINGS),
    ],
)
def test_a_lost_agent_degrades(lost: int, required: int, degradation: Degradation) -> None:
    """D27."""
    table = at(Phase.CRITIQUE, required_agents=required).lose(*THREE[:lost]).finish()
    assert table.verdict is Verdict.SOLUTION
    assert table.conclusion is not None
    assert table.conclusion.degradation is degradation


def test_an_aborted_debate_with_everybody_there_is_not_degraded() -> None:
    """D27: the judge was not missing, the debate never came to it."""
    table = at(Phase.CRITIQUE).interrupt(Reason.CANCELLED)
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.NONE


def test_every_verdict_has_an_exit_code() -> None:
    codes = at(Phase.PROPOSAL).protocol.exit_codes
    assert {verdict: codes[verdict] for verdict in Verdict} == {
        Verdict.SOLUTION: 0,
        Verdict.PARTIAL_SOLUTION: 1,
        Verdict.UNJUDGED: 2,
        Verdict.FAILED: 3,
        Verdict.ABORTED: 3,
    }


# Texts without words


@pytest.mark.parametrize("phase", [Phase.PROPOSAL, Phase.REFINEMENT])
@pytest.mark.parametrize("nothing", ["", " ", "\n\t"])
def test_who_gives_a_text_without_words_is_asked_again(phase: Phase, nothing: str) -> None:
    """D21."""
    table = at(phase)
    brief = table.open[0].brief
    table.say("architect").say("security", text=nothing).say("testing")
    assert (table.phase, table.asked()) == (phase, [f"security {brief}"])
    table.say("security", text="Words.")
    assert outcomes(table, phase) == [Outcome.RETRY, GATHERINGS[phase]]
    assert current_text(table.record, table.state.agents[1].seat) == "Words."


def test_a_refinement_without_words_leaves_the_text_as_it_was() -> None:
    """D21, D22: the last text with words stays before the judge."""
    table = at(Phase.REFINEMENT, retries=0)
    before = current_text(table.record, table.state.agents[1].seat)
    table.say("architect").say("security", text=" ").say("testing")
    assert before
    assert current_text(table.record, table.state.agents[1].seat) == before
    assert table.state.agents[1].left


def test_nobody_who_has_words_is_nobody_who_debates() -> None:
    """D21, D23: the judge's words alone are no solution."""
    table = at(Phase.PROPOSAL, retries=0).rest(text=" ")
    assert table.conclusion is not None
    assert table.conclusion.verdict is Verdict.FAILED


def test_a_summary_without_words_stands_for_nothing() -> None:
    """D11, D21."""
    table = at(Phase.SUMMARIZATION, TWO, retries=0, rounds=2, summarization={"threshold": 1}).rest(text=" ")
    assert outcomes(table, Phase.SUMMARIZATION)[-1] is Outcome.FALLBACK
    assert all(agent.history for agent in table.state.agents)
