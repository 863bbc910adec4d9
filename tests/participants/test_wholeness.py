"""Texts that are whole, and those that are not: cut, empty, or going round in circles."""

from __future__ import annotations

import pytest

from quorate.participants.wholeness import (
    at_sentence_end,
    flaw,
    is_alike,
    is_ended,
    loop_start,
    rounded,
    says_no_more,
    without_dangling,
    without_echo,
)

LOOP = "The queue keeps the order of all events. " * 4


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "says nothing"),
        (" \n\t", "says nothing"),
        ("## Proposal", "is a heading without a text"),
        ("# Proposal\n\n**Parts:**\n---", "is a heading without a text"),
        (LOOP, "repeats itself"),
        ("One queue for each customer, and", "ends in mid-sentence"),
        ("Events are kept in a table,", "ends in mid-sentence"),
        ("One queue for each customer.", ""),
        ("## Proposal\n\nOne queue for each customer.", ""),
        ("- one queue\n- one worker", ""),
        ("```python\nqueue.put(event)\n```", ""),
        ("Retry after 5, 10 and 20 minutes", ""),
        ("Yes.", ""),
        ("Ничего не теряется.", ""),
    ],
)
def test_a_flaw_is_named_in_words_for_whoever_wrote_it(text: str, found: str) -> None:
    assert flaw(text) == found


def test_a_loop_begins_where_the_sentence_is_said_for_the_second_time() -> None:
    text = f"First something else is said here. {LOOP}"
    start = loop_start(text)
    assert start is not None
    assert text[:start].strip() == "First something else is said here. The queue keeps the order of all events."


def test_a_sentence_that_says_one_clause_three_times_goes_round_in_circles() -> None:
    staff = "the library's staff"
    text = f"It needs {staff}, personal data, and {staff}, {staff}, and {staff}."
    start = loop_start(text)
    assert start is not None
    assert text[:start].strip() == "It needs the library's staff, personal data, and the library's staff,"
    assert loop_start("One room, one hour, one room, one hour, one room, one hour.") is None


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Do this first.\n\n5. **Evaluate the Solution**:", "Do this first."),
        ("Do this first.\n\n## Risks\n\n### Costs", "Do this first."),
        ("Do this first.\n\nThe steps are:", "Do this first."),
        ("## Risks", "## Risks"),
        ("It ends **here**.", "It ends **here**."),
        ("- **Costs**: none.", "- **Costs**: none."),
    ],
)
def test_a_heading_at_the_end_without_a_text_is_no_end(text: str, kept: str) -> None:
    assert without_dangling(text) == kept


def test_what_has_the_words_of_the_question_says_no_more() -> None:
    asked = "the refined proposal: the whole refined proposal, not a list of changes. At most 927 characters."
    assert says_no_more("The whole refined proposal, not a list of changes.", asked)
    assert says_no_more("At most 927 characters.", asked)
    assert not says_no_more("Lend them by post.", asked)
    assert not says_no_more("", asked)


def test_a_text_begins_behind_the_question() -> None:
    asked = "the refined proposal: the whole refined proposal, not a list of changes. At most 927 characters."
    echo = "The whole refined proposal, not a list of changes. At most 927 characters."
    assert without_echo(f"{echo} Lend them by post.", asked) == "Lend them by post."
    assert without_echo(echo, asked) == "At most 927 characters."
    assert without_echo("Lend them by post. It is a proposal.", asked) == "Lend them by post. It is a proposal."


def test_entries_of_nearly_the_same_words_are_alike() -> None:
    assert is_alike("what remains to be found out.", "What remains to be found out")
    assert not is_alike("Events can be lost.", "Postage is dear.")


def test_short_lines_may_come_back() -> None:
    assert loop_start("| a | b |\n|---|---|\n" * 5 + "None.\n" * 5) is None


def test_a_text_ends_with_its_last_whole_sentence() -> None:
    text = "One queue for each customer. A worker takes the oldest event. It waits before the next att"
    assert rounded(text, 1_000) == "One queue for each customer. A worker takes the oldest event."
    assert rounded(text, 40) == "One queue for each customer."
    assert rounded("Whole as it is.", 1_000) == "Whole as it is."


def test_without_a_sentence_it_ends_with_a_word_and_says_so() -> None:
    assert rounded("word " * 20, 43) == "word word word word word word word word …"


def test_a_block_of_code_that_is_open_is_closed() -> None:
    text = "Do this:\n```python\nqueue.put(event)\nqueue.ge"
    assert rounded(text, 1_000) == "Do this:\n```python\nqueue.put(event)\n```"


@pytest.mark.parametrize(("text", "ended"), [("It ends.", True), ("It goes on", False), ("so it is the", False)])
def test_where_a_text_ends(text: str, ended: bool) -> None:
    assert is_ended(text) is ended
    assert at_sentence_end(text) is ended
