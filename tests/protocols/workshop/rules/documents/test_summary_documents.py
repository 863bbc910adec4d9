"""Summaries: ideas by the stated rule, recommendations from what is agreed, risks with what helps, all types."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quorate.protocols.workshop.rules.documents import documents
from quorate.protocols.workshop.rules.documents.marks import anchored
from quorate.protocols.workshop.rules.documents.overview import read
from quorate.protocols.workshop.rules.documents.summary import ranked, score
from tests.protocols.workshop.rules.documents.sessions import FIELDS, artifact, session

NAME = "workshop-20260301-120000-ab12"
LEVELS = ["high", "medium", "low"]


def idea(number: int, value: str, feasible: str, agreement: str = "consensus") -> dict[str, Any]:
    fields = {"potential_value": value, "feasibility": feasible}
    return artifact(f"IDEA-{number:03d}", f"Idea {number}", fields=fields, agreement=agreement)


def test_ideas_are_ranked_by_the_stated_rule() -> None:
    ideas = [
        idea(1, "high", "high", "draft"),
        idea(2, "medium", "high"),
        idea(3, "high", "medium"),
        idea(4, "low", "low"),
        idea(5, "high", "high", "conflict"),
        idea(6, "low", "low"),
    ]
    made = session("brainstorm", ideas)
    assert [each["id"] for each in ranked(read(made))] == [
        *("IDEA-003", "IDEA-002", "IDEA-004", "IDEA-006", "IDEA-001", "IDEA-005")
    ]
    text = documents(made)["summary.md"]
    rows = re.findall(r"^\| (\d) \| (IDEA-\d+) \|", text, re.MULTILINE)
    assert [id_ for _, id_ in rows] == ["IDEA-003", "IDEA-002", "IDEA-004", "IDEA-006", "IDEA-001", "IDEA-005"]
    assert "The rule: Ideas that are agreed upon come first" in text


@given(
    st.lists(
        st.tuples(
            st.sampled_from(LEVELS), st.sampled_from(LEVELS), st.sampled_from(["consensus", "draft", "conflict"])
        ),
        max_size=8,
    )
)
def test_no_idea_stands_before_a_better_one(given_: list[tuple[str, str, str]]) -> None:
    ideas = [idea(number, *levels) for number, levels in enumerate(given_, start=1)]
    order = ranked(read(session("brainstorm", ideas)))
    assert sorted(each["id"] for each in order) == sorted(each["id"] for each in ideas)
    for first, second in pairwise(order):
        better = ["consensus", "draft", "conflict"].index
        assert better(first["agreement"]) <= better(second["agreement"])
        if first["agreement"] == second["agreement"]:
            assert score(first) >= score(second)


def test_the_first_three_that_are_agreed_are_recommended() -> None:
    ideas = [idea(number, "high", level) for number, level in enumerate(("low", "medium", "high", "low"), start=1)]
    risks = [
        artifact("RISK-001", "Noise", fields={"affected_ideas": ["IDEA-003"]}),
        artifact("RISK-002", "Cost", fields={"affected_ideas": ["IDEA-003", "IDEA-002"]}),
        artifact("MIT-001", "Mute", fields={"risk": "RISK-001"}),
    ]
    text = documents(session("brainstorm", ideas + risks))["summary.md"]
    recommended = text[text.index("## Recommendations") : text.index("## Ideas")]
    assert re.findall(r"^\d\. \*\*(IDEA-\d+)", recommended, re.MULTILINE) == ["IDEA-003", "IDEA-002", "IDEA-001"]
    assert "(value high, feasibility high, score 9 of 9); risks: RISK-001, RISK-002; WITHOUT MITIGATION: RISK-002" in (
        recommended
    )
    assert "IDEA-001: Idea 1** (value high, feasibility low, score 3 of 9); no risk on record" in recommended
    assert "Only what is agreed" not in recommended


def test_what_is_not_agreed_is_not_recommended() -> None:
    text = documents(session("brainstorm", [idea(1, "high", "high", "draft"), idea(2, "low", "low")]))["summary.md"]
    recommended = text[text.index("## Recommendations") : text.index("## Ideas")]
    assert "IDEA-001" not in recommended
    assert "Only what is agreed upon is recommended: 1 of 2 ideas." in recommended


def test_risks_stand_with_their_mitigations() -> None:
    made = [
        artifact("RISK-001", "Noise"),
        artifact("RISK-002", "Cost"),
        artifact("RISK-003", "Gone", status="withdrawn", withdrawn_because="no"),
        artifact("MIT-001", "Mute", fields={"risk": "RISK-001"}),
        artifact("MIT-002", "Lost", fields={"risk": "RISK-003"}),
    ]
    text = documents(session("brainstorm", made), session=NAME)["summary.md"]
    part = text[text.index("## Risks") : text.index("## Open questions")]
    assert re.findall(r"^#{3,4} (\S+)", part, re.MULTILINE) == [
        *("RISK-001:", "MIT-001:", "RISK-002:", "Mitigations", "MIT-002:")
    ]
    assert part.count("**No mitigation is on record.**") == 1
    assert "- MIT-002 is against RISK-003" in part
    assert set(anchored(text, NAME)) == {each["id"] for each in made}


def test_an_open_workshop_shows_all_types() -> None:
    made = [artifact(f"{kind}-001", f"Title of {kind}") for kind in FIELDS]
    text = documents(session("open", made), session=NAME)["summary.md"]
    assert set(anchored(text, NAME)) == {each["id"] for each in made}
    for each in made:
        assert f"### {each['id']}: Title of {each['type']}" in text
        for value in each["fields"].values():
            words = value if isinstance(value, list) else [value]
            for word in words:
                if isinstance(word, str):
                    assert word in text
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles == [
        *("Requirements", "Business rules", "Non-functional requirements", "Exclusions", "Architecture decisions"),
        *("Components", "Interfaces", "Ideas", "Risks", "Mitigations", "Open questions", "Conflicts"),
        *("Rulings of a person", "Traceability"),
    ]
