"""Visibility: blind proposals, no names where there should be none, words of others as data (D13, D28 to D31)."""

from __future__ import annotations

import pytest

from quorate.core.record import Asked
from quorate.core.types import Ask
from quorate.core.view import View
from quorate.protocols.debate.rules.model import JUDGE, PERSON, Phase
from tests.support.debating import THREE, TWO, Table

FOUR = [*THREE, "simplicity"]
SECRET = "the word of "


def whole(
    seed: int = 7, agents: list[str] | None = None, **settings: object
) -> tuple[Table, dict[str, tuple[Ask, View]]]:
    """Play a debate in which every word is marked with the number of its speaker; return every view that was shown."""
    agents = agents or THREE
    table = Table(
        seed=seed,
        agents=agents,
        rounds=2,
        interactive_clarifications=True,
        clarifications_max_iterations=1,
        summarization={"threshold": 60, "max_length": 200},
        **settings,  # type: ignore[arg-type]
    )
    shown: dict[str, tuple[Ask, View]] = {}
    while table.conclusion is None:
        for ask in table.open:
            shown[ask.id] = (ask, table.view(ask.seat))
        for ask in table.open:
            word = f"{SECRET}{_number(table, ask.seat)} at {ask.id} to {ask.brief}"
            table.say(ask.seat, _words(ask, word))
    return table, shown


def _number(table: Table, seat: str) -> int:
    return list(table.protocol.seats).index(seat)  # type: ignore[arg-type]


def _words(ask: Ask, word: str) -> dict[str, object]:
    match ask.brief:
        case "clarify":
            return {"questions": [word]}
        case "answer":
            return {"answers": dict.fromkeys(ask.keys, word)}
        case "criticise":
            return {"critiques": {key: {"weaknesses": word, "strengths": word, "suggestion": word} for key in ask.keys}}
        case "synthesize":
            return {"solution": word}
        case _:
            return {"text": word}


def test_proposals_of_round_one_are_blind() -> None:
    """D28: no view of PROPOSAL shows another agent's words, clarifications apart."""
    _, shown = whole()
    proposals = [view for ask, view in shown.values() if ask.brief == "propose"]
    assert len(proposals) == 3
    for view in proposals:
        assert [section.title for section in view.sections] == [
            "The problem",
            "Questions to the person",
            "The person's answers",
        ]


def test_a_blind_view_does_not_change_when_others_reply() -> None:
    """D28."""
    table = Table(agents=THREE)
    before = table.view("testing")
    table.say("architect", text="mine").say("security", text="mine, too")
    assert table.view("testing") == before


@pytest.mark.parametrize("brief", ["criticise", "refine"])
def test_anonymous_views_carry_no_other_name(brief: str) -> None:
    """D29."""
    _, shown = whole(agents=FOUR)
    views = [(ask, view) for ask, view in shown.values() if ask.brief == brief]
    assert len(views) == 8
    for ask, view in views:
        others = [name for name in FOUR if name != ask.seat]
        assert not [name for name in others if name in view.text()]


def test_an_agent_that_names_itself_is_seen_and_code_adds_no_name() -> None:
    """D29: what is said stays as it was said, and names stand nowhere else."""
    table = Table(agents=THREE).until(Phase.PROPOSAL)
    for agent in THREE:
        table.say(agent, text="I, security, would shard it." if agent == "security" else "One ledger.")
    sections = table.sections("architect")
    signed = [title for title, text in sections.items() if "security" in f"{title} {text}"]
    assert len(signed) == 1
    assert sections[signed[0]] == "I, security, would shard it."
    assert signed[0].startswith("proposal-")


def test_without_anonymity_labels_are_names() -> None:
    """D13."""
    table = Table(agents=THREE, anonymous=False).until(Phase.CRITIQUE)
    assert table.ask("security").keys == ("architect", "testing")
    assert "Proposal architect" in table.sections("security")


def test_no_agent_sees_what_is_declared_hidden() -> None:
    """D28, D29: the promise that `verify` checks, on a whole debate with real words."""
    table, shown = whole(agents=FOUR)
    blindness = table.protocol.blindness
    assert blindness is not None
    asks = {line.ask.id: line.ask for line in table.record.log if isinstance(line, Asked)}
    for ask, view in shown.values():
        for other in asks.values():
            if blindness.hidden(ask, other):
                assert f" at {other.id} to" not in view.text(), f"{ask.seat} is shown {other.id} in {ask.brief}"


def test_an_agent_sees_only_critiques_of_its_own_text() -> None:
    """D14."""
    _, shown = whole(agents=FOUR)
    for ask, view in shown.values():
        if ask.brief == "refine":
            critiques = [s for s in view.sections if s.title.startswith("critique-")]
            assert len(critiques) == 3
            assert len({section.text for section in critiques}) == 3


# The draw


def order(seed: int, critic: str, round_: int = 1) -> list[str]:
    """Whose texts a critic is shown under proposal-1, proposal-2, …"""
    table = Table(seed=seed, agents=FOUR, rounds=2, summarization={"enabled": False})
    for agent in FOUR:
        table.say(agent, text=f"by {agent}")
    while table.state.round < round_ or table.phase is not Phase.CRITIQUE:
        for ask in table.open:
            table.say(ask.seat, {"text": f"by {ask.seat}"} if ask.brief == "refine" else {})
    shown = table.sections(critic)
    return [shown[key].removeprefix("by ") for key in table.ask(critic).keys]


def test_the_order_is_the_same_for_the_same_seed() -> None:
    """D13."""
    assert order(3, "architect") == order(3, "architect")
    assert sorted(order(3, "architect")) == sorted(FOUR[1:])


def test_the_order_differs_by_seed() -> None:
    """D13."""
    assert len({tuple(order(seed, "architect")) for seed in range(30)}) == 6


def test_the_order_differs_by_critic() -> None:
    """D13: two critics of the same two texts do not always have the same one first."""

    def first(seed: int, critic: str) -> str:
        return next(name for name in order(seed, critic) if name in ("architect", "security"))

    assert {first(seed, "testing") == first(seed, "simplicity") for seed in range(10)} == {True, False}


def test_the_order_differs_by_round() -> None:
    """D13."""
    assert {order(seed, "architect", 1) == order(seed, "architect", 2) for seed in range(20)} == {True, False}


def test_critiques_come_in_a_drawn_order_too() -> None:
    """D13, D14: the first critique is not always the first seat's."""
    firsts = set()
    for seed in range(20):
        table = Table(seed=seed, agents=FOUR).until(Phase.CRITIQUE)
        for agent in FOUR:
            table.say(agent, critiques={key: {"weaknesses": f"by {agent}"} for key in table.ask(agent).keys})
        firsts.add(table.sections("architect")["critique-1"].partition("by ")[2].partition("\n")[0])
    assert firsts == {"security", "testing", "simplicity"}


def test_labels_do_not_move_when_somebody_leaves() -> None:
    """D13, D22."""
    table = Table(agents=FOUR).until(Phase.PROPOSAL)
    table.lose("testing")
    gone = Table(agents=FOUR).until(Phase.CRITIQUE)
    assert set(table.ask("architect").keys) < set(gone.ask("architect").keys)
    for key in table.ask("architect").keys:
        ours = table.sections("architect")[key].partition(":")[0]
        assert ours == gone.sections("architect")[key].partition(":")[0]


# Data


def test_words_of_others_the_problem_and_files_are_data() -> None:
    """D31."""
    _, shown = whole(context="a.txt")
    sections = [section for _, view in shown.values() for section in view.sections]
    assert {section.title for section in sections if not section.data} == {"Limit", "The person's answers"}
    assert {section.title for section in sections if section.person} == {"The person's answers"}
    for _, view in shown.values():
        for section in view.sections:
            assert section.data or section.person or SECRET not in section.text


def test_the_problem_is_never_cut() -> None:
    """D31."""
    _, shown = whole()
    for _, view in shown.values():
        assert view.sections[0].title == "The problem"
        assert view.sections[0].cut == 0


def test_what_is_common_comes_first_and_stays_the_same() -> None:
    """So that providers can cache it: after the clarifications every view of a debate begins alike."""
    _, shown = whole()
    later = [view for ask, view in shown.values() if ask.brief not in ("clarify", "answer")]
    assert len({view.sections[:2] for view in later}) == 1


def test_every_seat_was_shown_something_in_these_debates() -> None:
    """The tests above mean something only if every seat and brief took part."""
    _, shown = whole()
    assert {ask.seat for ask, _ in shown.values()} == {*THREE, JUDGE, PERSON}
    assert {ask.brief for ask, _ in shown.values()} >= {"summarize", "summarize-debate", "criticise", "refine"}


def test_the_person_is_shown_the_questions_only() -> None:
    table = Table(agents=TWO, interactive_clarifications=True).rest(questions=["Why?"])
    assert list(table.sections("person")) == ["The problem", "q1, asked by architect and security"]
