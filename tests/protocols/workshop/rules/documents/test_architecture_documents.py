"""The architecture and its decision records: what was decided, by whom, and what replaced what."""

from __future__ import annotations

import re

import pytest

from quorate.protocols.workshop.rules.documents import documents
from quorate.protocols.workshop.rules.documents.architecture import slug
from quorate.protocols.workshop.rules.documents.flow import Edge, Node, edges
from quorate.protocols.workshop.rules.documents.marks import anchored
from quorate.protocols.workshop.rules.documents.overview import read
from tests.protocols.workshop.rules.documents.sessions import amendment, artifact, session, topic

NAME = "workshop-20260301-120000-ab12"


def designed() -> list[dict[str, object]]:
    return [
        artifact("ARCH-001", "One process", status="superseded", superseded_by="ARCH-002"),
        artifact("ARCH-002", "Two processes", supersedes=["ARCH-001"], amendments=[amendment(2, {})]),
        artifact("ARCH-003", "Café & Größe!", agreement="draft", opposed_by=["qa-lead"]),
        artifact("ARCH-004", "Mainframe", status="withdrawn", withdrawn_because="No budget."),
        artifact("ARCH-005", "Kafka", agreement="conflict", contested_by=["ux-researcher"]),
        artifact("COMP-001", "Orders", fields={"requires": ["Payment API"], "dependencies": ["Postgres"]}),
        artifact("COMP-002", "Payments", fields={"provides": ["payment api"], "requires": ["INT-001"]}),
        artifact("INT-001", "Order API"),
        artifact("OQ-001", "Hosting"),
    ]


def test_the_overview_has_its_sections_and_every_artifact() -> None:
    text = documents(session("design", designed()), session=NAME)["architecture.md"]
    titles = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert titles == [
        *("Overview", "Decisions", "Components", "Interfaces", "Data flow", "Open questions", "Conflicts"),
        *("Traceability", "Appendix: superseded and withdrawn"),
    ]
    assert set(anchored(text, NAME)) == {each["id"] for each in designed()}
    assert "[decisions/0002-two-processes.md](decisions/0002-two-processes.md)" in text
    assert "### ARCH-005: Kafka (NOT AGREED, in conflict)" in text


def test_every_decision_has_a_record_also_those_that_are_gone() -> None:
    made = documents(session("design", designed()), session=NAME)
    assert list(made)[1:] == [
        "decisions/0001-one-process.md",
        "decisions/0002-two-processes.md",
        "decisions/0003-cafe-groe.md",
        "decisions/0004-mainframe.md",
        "decisions/0005-kafka.md",
    ]
    statuses = [re.search(r"## Status\n\n(.*)\n", made[name]) for name in list(made)[1:]]
    assert [found[1] for found in statuses if found] == [
        "Superseded",
        "Accepted",
        "Proposed, not agreed upon",
        "Withdrawn",
        "Contested",
    ]
    for name in list(made)[1:]:
        titles = re.findall(r"^## (.*)$", made[name], re.MULTILINE)
        assert titles == ["Status", "Context", "Options", "Decision", "Consequences", "Origin"]
    assert "Superseded by ARCH-002 (decisions/0002-two-processes.md)" in made["decisions/0001-one-process.md"]
    second = made["decisions/0002-two-processes.md"]
    assert "Supersedes ARCH-001 (decisions/0001-one-process.md)" in second
    assert "- Supported by: qa-lead" in second
    assert "- Reasons, from product-manager's answer in round 1: Customers ask for it; Others have it" in second
    assert "| One process | simple | one failure stops all |" in second
    assert "- Round 2, proposed by ux-researcher" in second
    assert "Withdrawn because: No budget." in made["decisions/0004-mainframe.md"]


def test_a_record_of_an_incomplete_session_says_so() -> None:
    left = session("design", designed(), verdict="INCOMPLETE", agenda=[topic("components", "open")])
    for text in documents(left, session=NAME).values():
        assert "INCOMPLETE" in text
        assert "> **This document is not complete.**" in text


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Use PostgreSQL 17", "use-postgresql-17"),
        ("../../etc/passwd", "etc-passwd"),
        ("日本語", "decision"),
        ("", "decision"),
        ("a" * 80, "a" * 50),
        ("x" * 49 + " y", "x" * 49),
    ],
)
def test_slugs_are_plain_parts_of_file_names(title: str, expected: str) -> None:
    assert slug(title) == expected


def test_flow_follows_ids_titles_and_what_is_provided() -> None:
    orders, payments, api = Node("COMP-001", "Orders"), Node("COMP-002", "Payments"), Node("INT-001", "Order API")
    found = edges(read(session("design", designed())))
    assert set(found) == {
        Edge(orders, "depends on", Node("", "Postgres")),
        Edge(orders, "requires", payments),
        Edge(api, "is provided by", orders),
        Edge(payments, "depends on", Node("", "Postgres")),
        Edge(payments, "requires", api),
    }


def test_what_a_component_provides_for_itself_is_no_flow() -> None:
    own = artifact("COMP-001", fields={"requires": ["cache"], "provides": ["Cache"], "dependencies": ["COMP-001"]})
    assert edges(read(session("design", [own]))) == ()


def test_labels_of_the_diagram_cannot_act() -> None:
    evil = '"]; click n1 "javascript:alert(1)" ``` %% <b>#quot;</b> end\n```\n# Title'
    parts = [artifact("COMP-001", evil, fields={"dependencies": ["1. " + evil], "requires": [], "provides": []})]
    text = documents(session("design", parts))["architecture.md"]
    diagram = text[text.index("```mermaid") :].partition("\n```\n")[0].splitlines()
    assert len(diagram) == 5
    for line in diagram[2:4]:
        assert re.fullmatch(r'    n\d\["(?:COMP-001|external:) [\w .,/()…-]*"\]', line), line
    assert diagram[4] == "    n1 -->|depends on| n2"


def test_without_components_there_is_no_diagram() -> None:
    text = documents(session("design", [artifact("ARCH-001")]))["architecture.md"]
    assert "mermaid" not in text
    assert "## Data flow\n\nNone.\n" in text
