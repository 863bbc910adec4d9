"""Rounds: proposals once, critiques of everybody by everybody, refinements that answer them (D10 to D14)."""

from __future__ import annotations

from typing import Any

import pytest

from quorate.core.errors import RuleViolation
from quorate.core.record import Said
from quorate.protocols.debate.rules.model import Outcome, Phase, Refinement, Stance, Weight
from tests.support.debating import THREE, TWO, Table

LONG = "x" * 120
SHORT = {"threshold": 100, "max_length": 100}


def calls(table: Table, brief: str) -> int:
    return sum(isinstance(line, Said) and line.ask.brief == brief for line in table.record.log)


def test_the_debate_begins_at_initialization() -> None:
    """D2."""
    assert Table(agents=TWO).rows[:2] == [
        (Phase.INITIALIZATION, Outcome.START),
        (Phase.CLARIFICATION, Outcome.ALL_CLEAR),
    ]


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_as_many_rounds_as_are_set_and_no_more(rounds: int) -> None:
    """D10."""
    table = Table(agents=TWO, rounds=rounds).finish()
    assert table.state.round == rounds
    begun = [outcome for phase, outcome in table.rows if phase is Phase.ROUND_MANAGER]
    assert begun == [Outcome.BEGIN_ROUND] * rounds + [Outcome.MAX_ROUNDS_REACHED]


@pytest.mark.parametrize("agents", [TWO, THREE, [*THREE, "simplicity", "performance"]], ids=len)
def test_the_calls_of_a_whole_debate(agents: list[str]) -> None:
    """D12, D13: proposals in round 1 only; one critique for each ordered pair and round."""
    table = Table(agents=agents, rounds=3, summarization={"enabled": False})
    pairs = 0
    while table.conclusion is None:
        pairs += sum(len(ask.keys) for ask in table.open if ask.brief == "criticise")
        table.rest()
    n = len(agents)
    assert (calls(table, "propose"), calls(table, "criticise"), calls(table, "refine")) == (n, 3 * n, 3 * n)
    assert pairs == 3 * n * (n - 1)


def test_refinements_are_carried_over_as_proposals() -> None:
    """D12."""
    table = Table(agents=TWO, rounds=2).until(Phase.REFINEMENT)
    table.say("architect", text="refined by architect").say("security", text="refined by security")
    assert (table.phase, table.state.round) == (Phase.CRITIQUE, 2)
    assert table.sections("architect")["Your proposal of round 2"] == "refined by architect"
    assert table.sections("architect")["proposal-1"] == "refined by security"


def test_a_critic_is_asked_about_every_other_text_whole() -> None:
    """D13. Upstream showed the first line of a text, cut to 100 characters."""
    table = Table(agents=THREE)
    texts = {agent: f"{agent[:3]} line one\n{'word ' * 200}end of {agent[:3]}" for agent in THREE}
    for agent in THREE:
        table.say(agent, text=texts[agent])
    for critic in THREE:
        shown = table.sections(critic)
        assert table.ask(critic).keys == ("proposal-1", "proposal-2")
        others = {shown["proposal-1"], shown["proposal-2"]}
        assert others == {texts[agent] for agent in THREE if agent != critic}
        assert shown["Your proposal of round 1"] == texts[critic]


def test_a_critique_reaches_the_author_it_is_about_and_nobody_else() -> None:
    """D13, D14."""
    table = Table(agents=THREE, anonymous=False).until(Phase.CRITIQUE)
    for critic in THREE:
        about = {other: {"weaknesses": f"{critic} on {other}"} for other in THREE if other != critic}
        table.say(critic, critiques=about)
    for author in THREE:
        critics = [each for each in THREE if each != author]
        assert table.ask(author).keys == tuple(critics)
        shown = table.sections(author)
        for critic in critics:
            assert f"{critic} on {author}" in shown[f"Critique {critic}"]
        assert sum("Critique" in title for title in shown) == 2


def test_a_critique_shows_strengths_weaknesses_suggestion_and_weight() -> None:
    table = Table(agents=TWO, anonymous=False).until(Phase.CRITIQUE)
    given = {"strengths": "clear", "weaknesses": "slow", "suggestion": "cache", "weight": Weight.MAJOR}
    table.say("architect", critiques={"security": given}).rest()
    assert table.sections("security")["Critique architect"] == (
        "Strengths: clear\nWeaknesses: slow\nSuggestion: cache\nWeight: major"
    )


def test_a_text_that_nobody_criticised_is_refined_without_critiques() -> None:
    """D14."""
    table = Table(agents=TWO).until(Phase.CRITIQUE)
    table.say("architect", critiques={}).say("security")
    assert table.ask("security").keys == ()
    assert table.ask("architect").keys == ("critique-1",)


def test_a_refinement_answers_each_critique_and_only_those() -> None:
    """D14."""
    table = Table(agents=THREE).until(Phase.REFINEMENT)
    with pytest.raises(RuleViolation, match="unknown key 'critique-3'"):
        table.say("architect", responses={"critique-3": {"stance": Stance.ACCEPTED}})
    table.say("architect", responses={"critique-1": {"reason": "true", "stance": "accepted"}})
    said = table.record.latest(table.protocol.seats[0], "refine")
    assert said is not None
    assert isinstance(said.reply, Refinement)
    assert {key: response.stance for key, response in said.reply.responses.items()} == {"critique-1": Stance.ACCEPTED}


def test_critiques_of_one_round_do_not_come_back_in_the_next() -> None:
    """D14."""
    table = Table(agents=TWO, rounds=2).until(Phase.REFINEMENT, 2)
    assert all(len(ask.keys) == 1 for ask in table.open)
    assert all(agent.critics for agent in table.state.agents)
    table.rest()
    assert not any(agent.critics for agent in table.state.agents)


# Summaries


def round_two(first: str = LONG, second: str = LONG, **settings: Any) -> Table:
    """Two agents with texts of these lengths, at the beginning of round 2."""
    table = Table(agents=TWO, rounds=3, **{"summarization": SHORT, **settings})
    for brief in ("propose", "criticise", "refine"):
        values = {} if brief == "criticise" else {"text": first}
        table.say("architect", values).say("security", values if brief == "criticise" else {"text": second})
    return table


def test_every_agent_decides_for_its_own_history() -> None:
    """D11."""
    table = round_two(LONG, "brief")
    assert (table.phase, table.asked()) == (Phase.SUMMARIZATION, ["architect summarize"])


@pytest.mark.parametrize(("length", "asked"), [(49, False), (50, True), (51, True)])
def test_the_threshold_counts_proposals_and_refinements_and_is_itself_enough(length: int, asked: bool) -> None:
    """D11: below, at and above 100 characters in two texts."""
    table = round_two("x" * length, "short")
    assert (table.phase is Phase.SUMMARIZATION) is asked


def test_critiques_are_no_part_of_an_agents_history() -> None:
    """D11."""
    table = Table(agents=TWO, rounds=2, summarization=SHORT).rest(text="a")
    for agent in TWO:
        table.say(agent, critiques={"proposal-1": {"weaknesses": LONG}})
    table.rest(text="b")
    assert (table.phase, table.state.round) == (Phase.CRITIQUE, 2)


def test_nobody_summarises_in_round_one_or_when_it_is_switched_off() -> None:
    """D11."""
    assert Table(agents=TWO, summarization={"threshold": 1}).phase is Phase.PROPOSAL
    assert round_two(summarization={**SHORT, "enabled": False}).phase is Phase.CRITIQUE


def test_the_one_who_summarises_sees_its_own_texts_and_the_limit() -> None:
    """D11."""
    table = round_two("a" * 120, "s" * 120)
    shown = table.sections("architect")
    assert list(shown) == ["The problem", "Your proposal of round 1", "Your proposal of round 2", "Limit"]
    assert "At most 100 characters." in shown["Limit"]
    texts = [section.text for section in table.view("architect").sections if section.title.startswith("Your proposal")]
    assert texts == ["a" * 120, "a" * 120]


def test_the_summary_is_used_in_place_of_the_history_and_cut_to_its_limit() -> None:
    """D11. Upstream wrote summaries that nobody read."""
    table = round_two("a" * 120, "short")
    table.say("architect", text="s" * 150)
    assert table.asked() == ["architect criticise", "security criticise"]
    shown = table.sections("architect")
    assert shown["Summary of your earlier texts"] == "s" * 100
    assert [title for title in shown if title.startswith("Your proposal")] == ["Your proposal of round 2"], "it stands"
    table.rest()
    assert table.asked() == ["architect refine", "security refine"]
    assert table.sections("architect")["Summary of your earlier texts"] == "s" * 100
    assert "Summary of your earlier texts" not in table.sections("security")


def test_a_short_history_is_shown_itself() -> None:
    """D11."""
    table = round_two("long " * 30, "mine")
    table.rest(text="sum")
    assert table.sections("security")["Your proposal of round 1"] == "mine"


def test_after_a_summary_the_count_begins_with_the_summary() -> None:
    """D11."""
    table = round_two("a" * 120, "short").rest(text="s" * 60)
    assert table.agent("architect").history == 60
    table.rest().rest(text="r" * 39)
    assert (table.phase, table.state.round) == (Phase.CRITIQUE, 3)
    shown = [section.title for section in table.view("architect").sections]
    assert shown[1] == "Summary of your earlier texts"


def test_the_next_summary_covers_the_last_one_and_what_came_after() -> None:
    """D11."""
    table = round_two("a" * 120, "short").rest(text="first summary " + "s" * 60)
    table.rest().rest(text="r" * 40)
    assert table.asked() == ["architect summarize"]
    shown = table.sections("architect")
    assert shown["Summary of your earlier texts"].startswith("first summary")
    assert shown["Your proposal of round 3"] == "r" * 40
    assert "Your proposal of round 2" not in shown


def test_a_missing_summary_costs_nothing() -> None:
    """D11."""
    table = round_two("a" * 120, "short").absent("architect").absent("architect")
    assert table.rows[-2:] == [
        (Phase.SUMMARIZATION, Outcome.FALLBACK),
        (Phase.PROPOSAL, Outcome.PROPOSALS_COMPLETE),
    ]
    assert table.phase is Phase.CRITIQUE
    assert table.sections("architect")["Your proposal of round 1"] == "a" * 120
    assert len(table.state.active) == 2
