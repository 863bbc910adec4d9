"""The built-in workflows: agendas that keep the rules of a user's own file, and words that suggest a strategy."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from quorate.core.errors import InputError
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.taxonomy import MAKES, ArtifactType, Workflow
from quorate.protocols.workshop.rules.workflows import ROSTERS, STRATEGIES, WORKFLOWS, agenda, suggest_strategy
from quorate.protocols.workshop.rules.workflows.suggestion import WORDS
from quorate.protocols.workshop.rules.workflows.vocabulary import COUNTED, TYPES
from quorate.protocols.workshop.world.agenda import canonical, read_agenda


def shape(workflow: str) -> list[tuple[str, bool, int]]:
    return [(each["id"], each["critical"], each["done_when"]["minimum"]) for each in agenda(workflow)["topics"]]


def test_the_topics_are_those_of_the_seed() -> None:
    assert shape("specs") == [
        ("user-workflows", True, 2),
        ("functional-requirements", True, 3),
        ("business-rules", False, 1),
        ("nfr-measurable", False, 1),
        ("acceptance-criteria", False, 0),
        ("out-of-scope", False, 0),
    ]
    assert shape("design") == [
        ("high-level-arch", True, 1),
        ("components", True, 1),
        ("data-flow", False, 1),
        ("tech-choices", False, 1),
        ("integration", False, 0),
    ]
    assert shape("brainstorm") == [("dreamer", True, 3), ("realist", True, 0), ("critic", True, 2)]


def test_the_brainstorm_is_bound_to_its_stages() -> None:
    """W6"""
    assert [each["stage"] for each in agenda("brainstorm")["topics"]] == ["dreamer", "realist", "critic"]
    assert not any(each["stage"] for name in ("specs", "design") for each in agenda(name)["topics"])


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_agendas_are_read_back_as_they_are(workflow: str, tmp_path: Path) -> None:
    """W2: what is built in keeps the rules of a user's file."""
    built = agenda(workflow)
    stream = StringIO()
    YAML(typ="safe", pure=True).dump(built, stream)
    (tmp_path / "agenda.yaml").write_text(stream.getvalue(), encoding="utf-8")
    (tmp_path / "agenda.json").write_text(canonical(built), encoding="utf-8")
    assert read_agenda(tmp_path / "agenda.yaml") == built
    assert read_agenda(tmp_path / "agenda.json") == built


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_every_topic_can_be_explored_and_tested(workflow: str) -> None:
    makes = {kind.value for kind in MAKES[Workflow(workflow)] if not kind.is_matter}
    for topic in agenda(workflow)["topics"]:
        assert 1 <= len(topic["done_when"]["criteria"]) <= 4
        assert set(topic["done_when"]["counts"]) <= makes
        assert topic["description"]
        assert topic["exploration"]
        assert len(topic["questions"]) >= 2
        assert all(each.endswith("?") for each in topic["questions"])


def test_an_agenda_is_the_callers_own_copy() -> None:
    mine: dict[str, Any] = agenda("specs")
    mine["topics"][0]["done_when"]["criteria"].clear()
    assert agenda("specs")["topics"][0]["done_when"]["criteria"]


def test_an_unknown_workflow_names_the_nearest() -> None:
    with pytest.raises(InputError) as raised:
        agenda("spec")
    assert raised.value.nearest == "specs"


def test_rosters_and_strategies_cover_every_workflow() -> None:
    """W3, W32"""
    names = [each.value for each in Workflow]
    assert list(ROSTERS) == list(STRATEGIES) == list(COUNTED) == names
    assert all(len(set(roster)) == len(roster) >= 2 for roster in ROSTERS.values())
    assert set(STRATEGIES.values()) <= set(BY_NAME)
    assert set(TYPES) == {kind.value for kind in ArtifactType}


@pytest.mark.parametrize(("strategy", "word"), [(strategy, word) for strategy, words in WORDS for word in words])
def test_each_word_suggests_its_strategy(strategy: str, word: str) -> None:
    """W32"""
    assert strategy in BY_NAME
    assert suggest_strategy(f"The {word} checkout") == (strategy, word)
    assert suggest_strategy(f"{word.upper()}: checkout") == (strategy, word)
    assert suggest_strategy(f"un{word} checkout") == ("standard", "")


@pytest.mark.parametrize(
    ("topic", "expected"),
    [
        ("The checkout", ("standard", "")),
        ("", ("standard", "")),
        ("Renewal of newspapers", ("standard", "")),
        ("REST vs. GraphQL", ("debate", "vs")),
        ("Decide fast about something new", ("disney", "new")),
        ("From all\n angles", ("six-hats", "all angles")),
        ("all the angles", ("standard", "")),
        ("a quick but thorough look", ("consensus-driven", "quick")),
    ],
)
def test_whole_words_suggest_and_the_first_of_the_table_decides(topic: str, expected: tuple[str, str]) -> None:
    """W32"""
    assert suggest_strategy(topic) == expected
