"""Of whoever has not passed the exam, words are notes: a judge's decide nothing, an author's settle nothing (D36)."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

from quorate.core.errors import SettingError
from quorate.core.protocol import Degradation
from quorate.core.types import Reason
from quorate.evidence.report import markdown
from quorate.kit.qualification import NOTED
from quorate.kit.schedule import turns
from quorate.protocols.debate import DEFINITION
from quorate.protocols.debate.rules.fates import fates
from quorate.protocols.debate.rules.model import Outcome, Phase, Verdict
from quorate.protocols.debate.rules.responses import TOLD_AGENT, TOLD_JUDGE
from quorate.protocols.debate.rules.result import result, show
from tests.support.debating import TWO, Table, debate

JUDGE, AUTHOR = ["judge"], ["security"]
NOTE = " (a note: its author has not passed the exam)"


def sitting(*unqualified: str, **more: Any) -> Table:
    return Table(agents=TWO, **{"rounds": 1, "unqualified_seats": list(unqualified), **more})


def became(table: Table) -> dict[str, tuple[str, str]]:
    return {each.id: (each.became, each.rule) for each in fates(table.record)}


def report_of(table: Table) -> str:
    template = (resources.files("quorate.protocols.debate") / "report.md.j2").read_text(encoding="utf-8")
    return markdown(table.record, template, "a debate", "", result(table.record), fates=fates(table.record))


# The judge


def test_a_judge_alone_that_has_not_passed_concludes_nothing_d20_d34_d36() -> None:
    table = sitting(*JUDGE).finish()
    assert table.verdict is Verdict.UNJUDGED
    assert table.rows[-1] == (Phase.SYNTHESIS, Outcome.FALLBACK)
    assert (table.state.judged, table.state.confidence) == (False, 0)
    assert table.facts("unqualified") == [{"seat": "judge", "why": "its model has not passed the exam"}]
    assert sitting(*AUTHOR).finish().verdict is Verdict.SOLUTION


def test_its_gaps_make_nothing_partial_d20_d36() -> None:
    table = sitting(*JUDGE).until(Phase.SYNTHESIS).say("judge", unfulfilled_major_requirements=["must"], confidence=90)
    assert table.verdict is Verdict.UNJUDGED
    assert table.facts("confidence capped") == []
    assert became(table)["s1.u1"] == (NOTED, "D36")


@pytest.mark.parametrize("kind", ["convergence", "quality"])
def test_it_is_not_asked_what_could_not_matter_and_all_rounds_are_held_d16_d17_d36(kind: str) -> None:
    table = sitting(*JUDGE, rounds=3, termination_condition={"type": kind}).finish()
    assert [row for row in table.rows if row[0] is Phase.EVALUATION] == [
        (Phase.EVALUATION, Outcome.CONTINUE),
        (Phase.EVALUATION, Outcome.CONTINUE),
        (Phase.EVALUATION, Outcome.MAX_ROUNDS_REACHED),
    ]
    assert DEFINITION.schedule is not None
    asked = [turn.brief for turn in turns(DEFINITION.schedule(table.protocol, {}))]
    assert f"evaluate-{kind}" not in asked


def test_it_was_not_missing_so_the_debate_is_not_degraded_for_it_d27_d36() -> None:
    table = sitting(*JUDGE).finish()
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.NONE


@pytest.mark.parametrize("blank", [False, True])
def test_one_that_gives_no_synthesis_is_missing_as_ever_d25_d36(blank: bool) -> None:
    table = sitting(*JUDGE, retries=0).until(Phase.SYNTHESIS)
    table = table.say("judge", solution=" ") if blank else table.absent("judge")
    assert table.conclusion is not None
    assert (table.verdict, table.state.unjudged) == (Verdict.UNJUDGED, True)
    assert table.conclusion.degradation is Degradation.BELOW_SETTINGS
    assert table.facts("unqualified") == []
    assert "note" not in result(table.record)


def test_its_solution_and_all_in_it_were_noted_and_the_texts_not_judged_d33_d36() -> None:
    table = sitting(*JUDGE).until(Phase.SYNTHESIS).say("judge", tradeoffs=["a"], recommendations=["b"])
    told = became(table)
    assert {told["s1"], told["s1.t1"], told["s1.r1"]} == {(NOTED, "D36")}
    assert told["r1.architect"] == ("not judged", "D25")


def test_the_texts_come_first_and_its_synthesis_below_under_a_heading_that_says_so_d36() -> None:
    table = sitting(*JUDGE).until(Phase.REFINEMENT).rest(text="What an agent wrote.")
    table.say("judge", solution="A queue.", tradeoffs=["speed"])
    shown = show(result(table.record))
    assert shown.startswith("No judge has passed the exam.\n\nNobody judged.")
    assert (
        shown.index("What an agent wrote.") < shown.index("## A note, which decides nothing") < shown.index("A queue.")
    )
    written = report_of(table)
    assert written.startswith("# UNJUDGED, mechanical synthesis, no judge has passed the exam: A debate\n")
    assert written.index("What an agent wrote.") < written.index("## A note, which decides nothing: the judge's")
    assert "A verdict needs a qualified model, or a person, on the judge's seat." in written


def test_a_debate_that_is_ended_before_shows_no_note_d26_d36() -> None:
    table = sitting(*JUDGE).until(Phase.SYNTHESIS).interrupt(Reason.BUDGET)
    assert table.verdict is Verdict.ABORTED
    assert "note" not in result(table.record)


# An agent


def test_its_answers_settle_no_critique_and_those_of_others_do_d14_d36() -> None:
    table = sitting(*AUTHOR, anonymous=False).finish()
    told = became(table)
    assert told["c1.architect.security"] == ("left open", "D36")
    assert told["c1.security.architect"] == ("accepted", "D14")
    assert "| c1.architect.security | critique |" in report_of(table)


def test_the_others_and_the_judge_are_shown_its_words_as_notes_d29_d36() -> None:
    table = sitting(*AUTHOR).until(Phase.CRITIQUE)
    assert f"proposal-1{NOTE}" in table.sections("architect")
    assert "proposal-1" in table.sections("security")
    table.until(Phase.REFINEMENT)
    assert f"critique-1{NOTE}" in table.sections("architect")
    table.until(Phase.SYNTHESIS)
    seen = table.sections("judge")
    assert {f"Text of security{NOTE}", "Text of architect", f"Round 1, security{NOTE}", "Round 1, architect"} <= set(
        seen
    )


def test_only_whoever_has_not_passed_is_told_d36() -> None:
    table = sitting("security", "judge", "person")
    assert table.sections("security")["How your word counts"] == TOLD_AGENT
    assert "How your word counts" not in table.sections("architect")
    assert table.until(Phase.SYNTHESIS).sections("judge")["How your word counts"] == TOLD_JUDGE


def test_it_sits_at_the_table_as_any_other_d22_d23_d27_d36() -> None:
    table = sitting(*TWO).finish()
    assert table.verdict is Verdict.SOLUTION, "the judge has passed, and its word is its own"
    assert table.conclusion is not None
    assert table.conclusion.degradation is Degradation.NONE
    assert show(result(table.record)).startswith("Architect and security have not passed the exam.\n\n")


# The setting


def test_a_seat_that_does_not_sit_there_is_an_error_and_without_one_the_settings_are_those_of_always() -> None:
    with pytest.raises(SettingError, match=r"unqualified_seats: names 'testing'"):
        debate(agents=TWO, unqualified_seats=["testing"])
    assert "unqualified_seats" not in debate().settings
    assert len(debate().interchangeable) == 1
