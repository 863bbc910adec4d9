"""The board and the gauges: titles of one line, counters, and counting who has replied without looking at what."""

from __future__ import annotations

import json
from dataclasses import asdict

from quorate import catalog
from quorate.core.types import AbsentReason
from quorate.kit.board import MOST_TITLE, Board, FindingCard, title_of
from quorate.kit.gauges import Arrived, Gauge, arrived, counter, latest_moves, number
from tests.support.debating import THREE, Table


def test_a_title_is_the_first_line_that_says_something() -> None:
    assert title_of("\n  \n  A   secret\tis in it. \nMore.") == "A secret is in it."
    assert title_of("") == ""
    assert title_of(" \n\t\n") == ""


def test_a_long_title_is_cut_and_says_so() -> None:
    assert title_of("x" * MOST_TITLE) == "x" * MOST_TITLE
    cut = title_of("x" * 100_000)
    assert len(cut) == MOST_TITLE
    assert cut.endswith("x…")


def test_a_counter_is_a_gauge() -> None:
    assert counter("turns", "turn", 4, 10) == Gauge("turns", "turn 4 of 10", 10, (("used", 4),))
    assert (number(1, "vote"), number(0, "vote"), number(2, "vote")) == ("1 vote", "0 votes", "2 votes")


def test_replies_are_counted_as_they_come_in() -> None:
    table = Table(agents=THREE)
    assert arrived(table.record, "propose") == Arrived(0, 0, 3)
    assert arrived(table.record, "criticise") is None
    table.say("architect").absent("testing", AbsentReason.REFUSED)
    now = arrived(table.record, "propose")
    assert now is not None
    assert now.parts == (("in", 1), ("absent", 1), ("open", 1))


def test_nobody_is_waited_for_once_it_is_over() -> None:
    table = Table(agents=THREE).finish()
    assert all(arrived(table.record, brief) is None for brief in table.protocol.briefs)


def test_the_last_move_comes_first() -> None:
    table = Table(agents=THREE).finish()
    assert list(latest_moves(table.record)) == table.moves[::-1]


def test_a_board_is_plain_json() -> None:
    told = asdict(Board(findings=(FindingCard("F1", "It leaks.", "high", "open", votes=(("SA-1", "SUPPORT"),)),)))
    card = json.loads(json.dumps(told))["findings"][0]
    assert card["votes"] == [["SA-1", "SUPPORT"]]
    assert card["blocking"] is False


def test_every_protocol_that_is_built_in_has_a_board_and_gauges() -> None:
    found = {name: each for name, each in catalog.definitions().items() if each.package.startswith("quorate.")}
    assert sorted(found) == ["council", "debate", "review", "roundtable", "workshop"]
    for name, each in found.items():
        rules = f"quorate.protocols.{name}.rules"
        if name == "council":  # both read the record without notes (C48)
            assert {each.board.__module__, each.gauges.__module__} == {f"{rules}.qualification"}
        else:
            assert (each.board.__module__, each.gauges.__module__) == (f"{rules}.board", f"{rules}.gauges")
