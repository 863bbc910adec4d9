"""Every protocol as plain data: its table, its forms to fill in, its rules as prose, its drawing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quorate import catalog
from quorate.api.protocol_data import describe_protocol, describe_protocols
from quorate.core.errors import SettingError
from quorate.evidence.prose import words
from quorate.verify import diagram

NAMES = sorted(catalog.definitions())


@pytest.mark.parametrize("name", NAMES)
def test_everything_about_a_protocol_is_told(name: str) -> None:
    told, built, found = describe_protocol(name), catalog.build(name), catalog.definition(name)
    assert json.loads(json.dumps(told)) is not None
    rows = [(row["phase"], row["outcome"], row["to"]) for row in told["table"]]
    assert rows == [(p.name, o.name, to.name) for p, outcomes in built.table.items() for o, to in outcomes.items()]
    assert told["initial"] == built.initial.name
    assert told["phases"] == [phase.name for phase in built.nodes]
    assert told["ends"] == [phase.name for phase in built.verdicts]
    assert told["exit_codes"] == {verdict.name: code for verdict, code in built.exit_codes.items()}
    assert {each["reason"] for each in told["interrupts"]} == {reason.value for reason in built.interrupts}
    assert told["diagram"] == diagram.plan(built)
    assert set(told["inputs"]["properties"]) == {each.name for each in found.brings}
    assert set(told["settings"]["properties"]) == set(told["defaults"])
    assert [each["title"] for each in told["tables"]] == list(found.tables)


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_whole(name: str) -> None:
    shown = words(describe_protocol(name)["rules"])
    assert "more characters" not in shown
    source = catalog.package_text(catalog.definition(name), "RULES.md") or ""
    headings = [line.lstrip("# ").strip() for line in source.splitlines() if line.startswith("#")]
    assert headings
    assert all(heading.replace("`", "").replace("*", "") in shown.replace("  ", " ") for heading in headings)
    assert not _as_written(describe_protocol(name)["rules"]), "no part of our own rules is shown as it was written"


def _as_written(nodes: list[Any]) -> list[Any]:
    return [
        node for node in nodes if isinstance(node, list) and node[0] == "pre" and node[2:] and isinstance(node[2], str)
    ]


def test_all_protocols_are_listed_in_short() -> None:
    assert [each["name"] for each in describe_protocols()] == list(catalog.definitions())
    assert all({"title", "seats", "phases"} <= set(each) for each in describe_protocols())


def test_an_unknown_protocol_names_the_nearest() -> None:
    with pytest.raises(SettingError, match="debate"):
        describe_protocol("debat")
