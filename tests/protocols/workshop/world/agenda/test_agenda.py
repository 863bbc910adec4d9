"""A user's agenda: what is right is read whole, and whatever is wrong is named with its place (W2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.errors import InputError
from quorate.protocols.workshop.world.agenda import canonical, read_agenda

GOOD = """\
workflow: specs
title: The shop
topics:
  - id: checkout
    name: Checkout
    critical: true
    description: |
      How people pay.
    done_when:
      criteria:
        - Every way to pay is named
        - "A refusal is
           explained"
      min_requirements: 2
      counts: [REQ, BR]
    questions: [Who pays?]
  - id: search
    name: Search
    done_when: {criteria: [Results are ranked], minimum: 0}
"""


def read(text: str) -> dict[str, Any]:
    return read_agenda(text, "agenda.yaml")


def refused(text: str) -> InputError:
    with pytest.raises(InputError) as raised:
        read(text)
    assert raised.value.file == "agenda.yaml"
    return raised.value


def test_every_key_is_filled_in() -> None:
    assert read(GOOD) == {
        "workflow": "specs",
        "title": "The shop",
        "topics": [
            {
                "id": "checkout",
                "name": "Checkout",
                "description": "How people pay.",
                "critical": True,
                "stage": "",
                "done_when": {
                    "criteria": ["Every way to pay is named", "A refusal is explained"],
                    "minimum": 2,
                    "counts": ["REQ", "BR"],
                },
                "exploration": "",
                "questions": ["Who pays?"],
            },
            {
                "id": "search",
                "name": "Search",
                "description": "",
                "critical": False,
                "stage": "",
                "done_when": {
                    "criteria": ["Results are ranked"],
                    "minimum": 0,
                    "counts": ["REQ", "BR", "NFR", "EX"],
                },
                "exploration": "",
                "questions": [],
            },
        ],
    }


def test_the_canonical_form_is_read_back_and_is_one_text() -> None:
    agenda = read(GOOD)
    text = canonical(agenda)
    assert json.loads(text) == agenda
    assert read_agenda(text, "agenda.json") == agenda
    shuffled = {name: agenda[name] for name in reversed(list(agenda))}
    assert canonical(shuffled) == text


def test_without_a_workflow_it_is_open_and_everything_but_matters_counts() -> None:
    agenda = read("title: x\ntopics: [{id: a, name: A, done_when: {criteria: [c], min_decisions: 1}}]")
    assert agenda["workflow"] == "open"
    counts = agenda["topics"][0]["done_when"]["counts"]
    assert len(counts) == 10
    assert not {"OQ", "CONF"} & set(counts)


@pytest.mark.parametrize(
    ("old", "new", "key", "line", "words"),
    [
        ("title:", "titel:", "titel", 2, "unknown key 'titel'"),
        ("critical: true", "critikal: true", "topics[0].critikal", 6, "unknown key 'critikal'"),
        ("min_requirements: 2", "min_requirement: 2", "topics[0].done_when.min_requirement", 14, "unknown key"),
        ("id: search", "id: checkout", "topics[1].id", 17, "'checkout' is given a second time"),
        ("criteria: [Results are ranked]", "criteria: []", "topics[1].done_when.criteria", 19, "has no criteria"),
        ("[Results are ranked]", '["  "]', "topics[1].done_when.criteria[0]", 19, "is blank"),
        ("[Results are ranked]", "[a, a]", "topics[1].done_when.criteria[1]", 19, "a second time"),
        ("[Results are ranked]", "ranked", "topics[1].done_when.criteria", 19, 'is "ranked"'),
        ("minimum: 0", "minimum: -1", "topics[1].done_when.minimum", 19, "is -1"),
        ("minimum: 0", "minimum: 21", "topics[1].done_when.minimum", 19, "is 21"),
        ("minimum: 0", "minimum: true", "topics[1].done_when.minimum", 19, "is true"),
        ("minimum: 0", 'minimum: "2"', "topics[1].done_when.minimum", 19, 'is "2"'),
        (", minimum: 0", "", "topics[1].done_when", 19, "has no minimum"),
        ("minimum: 0", "minimum: 0, min_requirements: 1", "topics[1].done_when.min_requirements", 19, "both given"),
        ("[REQ, BR]", "[REQ, RQE]", "topics[0].done_when.counts[1]", 15, "unknown type of artifact 'RQE'"),
        ("[REQ, BR]", "[REQ, REQ]", "topics[0].done_when.counts[1]", 15, "a second time"),
        ("[REQ, BR]", "[REQ, CONF]", "topics[0].done_when.counts[1]", 15, "CONF does not count in this workflow"),
        ("[REQ, BR]", "[IDEA]", "topics[0].done_when.counts[0]", 15, "IDEA does not count in this workflow"),
        ("[REQ, BR]", "[]", "topics[0].done_when.counts", 15, "has no types of artifacts"),
        ("workflow: specs", "workflow: spec", "workflow", 1, "unknown workflow 'spec'"),
        ("critical: true", "critical: maybe", "topics[0].critical", 6, 'is "maybe"'),
        ("critical: true", "stage: dreemer", "topics[0].stage", 6, "unknown stage 'dreemer'"),
        ("id: search", "id: Search it", "topics[1].id", 17, 'is "Search it"'),
        ("id: search", "id: 7", "topics[1].id", 17, "is 7"),
        ("    name: Search\n", "", "topics[1]", 17, "name is missing"),
        ("title: The shop", "title: ''", "title", 2, "is blank"),
        ("name: Search", f"name: {'x' * 301}", "topics[1].name", 18, "has 301 characters"),
        ("[Who pays?]", "[7]", "topics[0].questions[0]", 16, "is 7"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(old: str, new: str, key: str, line: int, words: str) -> None:
    assert GOOD.count(old) >= 1
    error = refused(GOOD.replace(old, new, 1))
    assert (error.key, error.line) == (key, line)
    assert words in error.what
    assert error.expected


def test_the_nearest_name_is_offered() -> None:
    assert refused(GOOD.replace("title:", "titel:")).nearest == "title"
    assert refused(GOOD.replace("workflow: specs", "workflow: spec")).nearest == "specs"
    assert refused(GOOD.replace("[REQ, BR]", "[REG]")).nearest == "REQ"
    assert refused(GOOD.replace("critical: true", "stage: realistic")).nearest == "realist"


def bound(*stages: str) -> str:
    lines = (
        f"  - {{id: t{n}, name: T, stage: '{s}', done_when: {{criteria: [c], minimum: 0}}}}"
        for n, s in enumerate(stages)
    )
    return "\n".join(("title: x", "topics:", *lines))


def test_stages_are_all_or_none_and_in_order() -> None:
    """W6"""
    assert [each["stage"] for each in read(bound("dreamer", "dreamer", "realist", "critic"))["topics"]] == [
        *("dreamer", "dreamer", "realist", "critic")
    ]
    assert "has no stage" in refused(bound("dreamer", "", "critic")).what
    late = refused(bound("dreamer", "critic", "realist"))
    assert (late.key, late.line) == ("topics[2].stage", 5)
    assert "comes after a topic of the stage critic" in late.what
    assert "no topic has the stage critic" in refused(bound("dreamer", "realist")).what


@pytest.mark.parametrize("count", [0, 13])
def test_an_agenda_has_one_to_twelve_topics(count: int) -> None:
    topics = [{"id": f"t{n}", "name": "T", "done_when": {"criteria": ["c"], "minimum": 0}} for n in range(count)]
    error = refused(json.dumps({"title": "x", "topics": topics}))
    assert (error.key, error.expected) == ("topics", "1 to 12")


@pytest.mark.parametrize("count", [9])
def test_a_topic_has_at_most_eight_criteria(count: int) -> None:
    criteria = [f"c{n}" for n in range(count)]
    topics = [{"id": "t", "name": "T", "done_when": {"criteria": criteria, "minimum": 0}}]
    assert refused(json.dumps({"title": "x", "topics": topics})).key == "topics[0].done_when.criteria"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a list",
        "just words",
        "title: [",
        "title: x\ntopics: {}",
        "title: x",
        "topics: []",
        "title: x\ntopics:\n- 7",
        "title: x\ntitle: y",
        "title: !!python/object:os.system x",
        "title: &a [*a]",
        GOOD[: len(GOOD) // 2],
        GOOD + "\x07",
        GOOD.replace("done_when", "done_when: x #", 1),
    ],
)
def test_a_corrupted_file_gives_a_clear_error(text: str) -> None:
    assert str(refused(text)).startswith("agenda.yaml")


def test_a_file_that_is_none_gives_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_agenda(tmp_path / "missing.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        read_agenda(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"title: \0")
    with pytest.raises(InputError, match="binary"):
        read_agenda(tmp_path / "binary.yaml")


@given(st.integers(min_value=0, max_value=len(GOOD) - 1), st.sampled_from(["", "\n", "x", ": ", "- ", "[", '"', "\t"]))
def test_an_edit_anywhere_is_read_or_refused_and_nothing_else(at: int, what: str) -> None:
    try:
        agenda = read(GOOD[:at] + what + GOOD[at + 1 :])
    except InputError as error:
        told, agenda = str(error), None
    assert told.startswith("agenda.yaml") if agenda is None else read_agenda(canonical(agenda), "a.json") == agenda
