"""Small tables of states: they go where their rows lead, and say what is missing."""

from __future__ import annotations

from enum import Enum

import pytest

from quorate.core.errors import DefinitionError, RuleViolation
from quorate.kit.ledger import FINDING, FindingStatus, Happened
from quorate.kit.lifecycle import Lifecycle, advance, dead_ends, unreachable


class Lamp(Enum):
    OFF = "off"
    ON = "on"
    BROKEN = "broken"
    STOLEN = "stolen"


class Act(Enum):
    PRESS = "press"
    DROP = "drop"


LAMP = Lifecycle(
    "lamp",
    Lamp.OFF,
    {Lamp.OFF: {Act.PRESS: Lamp.ON}, Lamp.ON: {Act.PRESS: Lamp.OFF, Act.DROP: Lamp.BROKEN}},
    frozenset({Lamp.BROKEN}),
)


def test_a_row_leads_on() -> None:
    assert advance(LAMP, Lamp.OFF, Act.PRESS) is Lamp.ON
    assert advance(LAMP, Lamp.ON, Act.DROP) is Lamp.BROKEN


def test_a_missing_row_is_an_error_with_names() -> None:
    with pytest.raises(RuleViolation, match="a lamp that is OFF cannot take DROP; possible: PRESS"):
        advance(LAMP, Lamp.OFF, Act.DROP)
    with pytest.raises(RuleViolation, match="a lamp that is BROKEN cannot take PRESS; possible: nothing"):
        advance(LAMP, Lamp.BROKEN, Act.PRESS)


def test_what_nothing_leads_to_and_what_leads_nowhere_is_found() -> None:
    assert (unreachable(LAMP), dead_ends(LAMP)) == ((), ())
    table = {**LAMP.table, Lamp.STOLEN: {Act.PRESS: Lamp.STOLEN}}
    assert unreachable(Lifecycle("lamp", Lamp.OFF, table, LAMP.ends)) == (Lamp.STOLEN,)
    assert dead_ends(Lifecycle("lamp", Lamp.OFF, table)) == (Lamp.STOLEN, Lamp.BROKEN)


def test_an_end_that_leads_on_is_the_authors_mistake() -> None:
    with pytest.raises(DefinitionError, match="lamp: ON is an end, but has rows"):
        Lifecycle("lamp", Lamp.OFF, LAMP.table, frozenset({Lamp.ON}))


def test_the_life_of_a_finding_has_no_loose_ends() -> None:
    assert (unreachable(FINDING), dead_ends(FINDING)) == ((), ())


ROWS = [
    (FindingStatus.UNSEEN, Happened.REPORTED, FindingStatus.NEW),
    (FindingStatus.NEW, Happened.REPORTED, FindingStatus.OPEN),
    (FindingStatus.OPEN, Happened.REPORTED, FindingStatus.OPEN),
    (FindingStatus.REGRESSED, Happened.REPORTED, FindingStatus.OPEN),
    (FindingStatus.NEW, Happened.GONE, FindingStatus.FIXED),
    (FindingStatus.OPEN, Happened.GONE, FindingStatus.FIXED),
    (FindingStatus.REGRESSED, Happened.GONE, FindingStatus.FIXED),
    (FindingStatus.FIXED, Happened.REPORTED, FindingStatus.REGRESSED),
    (FindingStatus.FIXED, Happened.GONE, FindingStatus.FIXED),
    (FindingStatus.DISMISSED, Happened.REPORTED, FindingStatus.DISMISSED),
    (FindingStatus.DISMISSED, Happened.WORSENED, FindingStatus.REGRESSED),
    (FindingStatus.DISMISSED, Happened.GONE, FindingStatus.FIXED),
    (FindingStatus.NEW, Happened.DISMISSED, FindingStatus.DISMISSED),
    (FindingStatus.OPEN, Happened.DISMISSED, FindingStatus.DISMISSED),
    (FindingStatus.REGRESSED, Happened.DISMISSED, FindingStatus.DISMISSED),
    (FindingStatus.DISMISSED, Happened.DISMISSED, FindingStatus.DISMISSED),
]


@pytest.mark.parametrize(("state", "event", "after"), ROWS)
def test_every_row_of_a_finding(state: FindingStatus, event: Happened, after: FindingStatus) -> None:
    assert advance(FINDING, state, event) is after


def test_there_are_no_other_rows() -> None:
    assert sum(len(rows) for rows in FINDING.table.values()) == len(ROWS)
