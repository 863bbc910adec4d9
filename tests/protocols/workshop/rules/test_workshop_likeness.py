"""Labelled pairs of titles that say the same, and of titles that do not: none of those is called the same (W15)."""

from __future__ import annotations

import pytest

from quorate.protocols.workshop.rules.likeness import likeness, record, recorded, repeats

SAME = """
Entries are kept ninety days | Entries are kept 90 days
Entries are kept ninety days | The entries are kept 90 days.
A log is whole | The LOG is  whole!
Keep 95 days | Keep ninety-five days
Keep 95 days | Keep ninety five days
A ninety-day retention | 90-day retention
Ninety-Day Retention | 90 day retention
Keep a hundred entries | Keep 100 entries
Keep one hundred entries | Keep 100 entries
Zero data loss | 0 data loss
Three attempts, then a lock | 3 attempts then lock
At most twelve retries | at most 12 retries
Twenty-one users | 21 users
Two-factor login | 2-factor login
"Export" as CSV | Export as CSV
Export (CSV) | Export CSV
Log out after 15 minutes | Log out after fifteen minutes
Read-only mode | Read only mode
`audit_log` is append-only | audit log is append only
Neunzig Tage aufbewahren | 90 Tage aufbewahren
Dreißig Tage | 30 Tage
Einundzwanzig Nutzer | 21 Nutzer
Ｆｕｌｌ width | full width
One hundred percent | 100 percent
An entry has an author | Entry has author
"""
DIFFERENT = """
Entries are kept ninety days | Entries are kept thirty days
Entries are kept ninety days | Entries are kept 91 days
Keep nineteen days | Keep ninety days
Latency < 100 ms | Latency > 100 ms
At least -5 degrees | At least 5 degrees
1.5 seconds | 15 seconds
1.5 seconds | 1 5 seconds
Plan A | Plan
Plan A | Plan B
C | C++
C# | C
10-20 users | 10 20 users
Twenty one-day passes | 21 day passes
Two hundred entries | 2 100 entries
Two hundred entries | 100 entries
A hundred thousand entries | 100 entries
A hundred and five entries | 100 entries
Ninety hundred | 90 100
Paid in $ | Paid in €
95 % of requests | 95 of requests
a == b | a != b
The null value | The 0 value
Runs once a day | Runs 11 a day
Elf mode | 11 mode
कि | का
A/B test | B test
Open 10:30 | Open 10 30
Entries are kept | Entries are not kept
The shop writes the log | The log writes the shop
Seven days | Seventeen days
"""
LONG = "Every change of an order leaves an entry in the log that says who made it and when, for {} days."


def pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(" | ") for line in text.strip().splitlines())
    return [(first, second) for first, _, second in lines]


def test_there_are_enough_of_both_kinds() -> None:
    assert len(pairs(SAME)) >= 20
    assert len(pairs(DIFFERENT)) >= 20


@pytest.mark.parametrize(("first", "second"), pairs(SAME))
def test_these_say_the_same(first: str, second: str) -> None:
    """W15"""
    assert likeness("REQ", first, "").is_alike(likeness("REQ", second, ""))


@pytest.mark.parametrize(("first", "second"), pairs(DIFFERENT))
def test_these_do_not(first: str, second: str) -> None:
    """W15: no different pair is called the same."""
    assert not likeness("REQ", first, "").is_alike(likeness("REQ", second, ""))


def test_a_longer_text_counts_like_a_title_and_other_types_are_others() -> None:
    """W15"""
    one, two = (likeness("REQ", title, LONG.format(n)) for title, n in (("One", "ninety"), ("Two", "90")))
    assert one.is_alike(two)
    assert not one.is_alike(likeness("REQ", "Three", LONG.format("thirty")))
    assert not one.is_alike(likeness("BR", "One", LONG.format("ninety")))


def test_what_is_recorded_is_compared_like_what_is_new() -> None:
    """W15"""
    there = recorded(record("REQ", "Entries are kept ninety days", ""))
    assert list(repeats([likeness("REQ", "90 days", ""), likeness("REQ", "Entries are kept 90 days", "")], there)) == [
        2
    ]


def test_what_is_close_is_worth_a_question() -> None:
    """W15: most of the words, of four or more; whether two say the same, who knows the field has to say."""
    one = likeness("REQ", "Entries are kept for ninety days", "")
    assert one.is_close(likeness("REQ", "Entries are kept 90 days", ""))
    assert not one.is_close(likeness("BR", "Entries are kept 90 days", ""))
    assert not one.is_close(likeness("REQ", "Entries are kept for thirty working days", ""))
    assert not likeness("REQ", "Log it", "").is_close(likeness("REQ", "Log it", ""))
    texts = (LONG.format("ninety"), LONG.format("thirty"))
    assert likeness("REQ", "One", texts[0]).is_close(likeness("REQ", "Two", texts[1]))
