"""The prompt files: all there, all used, plain text, and short enough for a small model."""

from __future__ import annotations

import re

import pytest

from quorate.core.record import Asked
from quorate.core.shapes import shape_of
from quorate.core.types import AbsentReason, Ask
from quorate.protocols.debate import DEFINITION
from quorate.protocols.debate.rules.model import ROLES, role_of
from tests.support.debating import Table, briefs, debate

TASKS = {
    "clarify",
    "answer",
    "summarize",
    "propose",
    "criticise",
    "refine",
    "evaluate-convergence",
    "evaluate-quality",
    "summarize-debate",
    "synthesize",
}


def all_asks() -> list[Ask]:
    """Every ask of two debates with questions, long texts and both kinds of evaluation."""
    found: list[Ask] = []
    for kind in ("convergence", "quality"):
        table = Table(
            agents=["architect", "security"],
            interactive_clarifications=True,
            clarifications_max_iterations=1,
            rounds=2,
            summarization={"threshold": 10},
            termination_condition={"type": kind},
        )
        table.rest(questions=["How many orders a day?"]).finish()
        found += [line.ask for line in table.record.log if isinstance(line, Asked)]
    return found


def test_every_brief_that_is_asked_has_a_file_and_every_file_is_asked() -> None:
    assert {ask.brief for ask in all_asks()} == TASKS
    assert {name for name in briefs() if not name.startswith("roles/")} == TASKS | {"preamble"}


def test_every_role_has_a_file_and_every_role_file_is_a_role() -> None:
    assert {name for name in briefs() if name.startswith("roles/")} == {f"roles/{role}" for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_every_agent_is_shown_its_own_role(role: str) -> None:
    other = next(each for each in ROLES if each != role)
    table = Table(agents=[role, other])
    assert table.view(role).role == f"roles/{role}"
    assert table.view(role).role in briefs()


def test_judge_and_person_have_no_role() -> None:
    table = Table(interactive_clarifications=True)
    table.rest(questions=["Why?"])
    assert table.view("person").role == ""
    table.absent("person", AbsentReason.SILENT)
    while not table.asked()[0].startswith("judge"):
        table.rest()
    assert table.view("judge").role == ""


@pytest.mark.parametrize("name", sorted(briefs()))
def test_a_brief_begins_with_a_title_and_has_no_templating(name: str) -> None:
    text = briefs()[name]
    assert re.match(r"# \S.*\n\n\S", text)
    assert not re.search(r"\{\{|\{%|\$\{|<[A-Z_]+>|%\(", text)
    assert text.endswith("\n")
    assert max(len(line) for line in text.splitlines()) <= 120
    assert "!" not in text


@pytest.mark.parametrize("name", sorted(briefs()))
def test_a_brief_is_short(name: str) -> None:
    lines = briefs()[name].splitlines()
    assert 8 <= len(lines) <= 20
    assert len(briefs()[name].split()) <= 260


@pytest.mark.parametrize("role", ROLES)
def test_a_role_says_its_criteria_and_what_it_must_and_must_not_do(role: str) -> None:
    text = briefs()[f"roles/{role}"]
    headings = [line for line in text.splitlines() if line in ("Criteria", "You must", "You must not")]
    assert headings == ["Criteria", "You must", "You must not"]


@pytest.mark.parametrize("name", sorted(TASKS - {"answer", "clarify"}))
def test_a_task_names_the_fields_of_its_form(name: str) -> None:
    """The words of a brief and of its form must not drift apart."""
    form = next(ask.form for ask in all_asks() if ask.brief == name)
    fields = {each.name for each in shape_of(form).fields if each.mark is None}
    inner = {"strengths", "weaknesses", "suggestion", "weight", "accepted", "rejected", "major", "minor"}
    quoted = set(re.findall(r"`([a-z_]+)`", briefs()[name]))
    assert quoted <= fields | inner
    assert len(fields) == 1 or quoted >= fields


def test_major_requirements_are_named_wherever_they_matter() -> None:
    for name in ("preamble", "propose", "synthesize", "evaluate-quality"):
        assert all(word in briefs()[name] for word in ("must", "shall", "required"))
    for name in ("criticise", "refine"):
        assert "major requirement" in briefs()[name]


def test_convergence_and_quality_are_different_questions() -> None:
    """D17."""
    assert briefs()["evaluate-convergence"].splitlines()[2] != briefs()["evaluate-quality"].splitlines()[2]
    for name in ("evaluate-convergence", "evaluate-quality"):
        assert [band in briefs()[name] for band in ("0–40", "41–70", "71–89", "90–100")] == [True] * 4


@pytest.mark.parametrize("profile", DEFINITION.profiles)
def test_every_profile_builds_with_these_briefs(profile: str) -> None:
    built = debate(**DEFINITION.profiles[profile])
    seated = {f"roles/{role_of(agent)}" for agent in built.settings["agents"]}
    assert built.briefs == {name: text for name, text in briefs().items() if "/" not in name or name in seated}
