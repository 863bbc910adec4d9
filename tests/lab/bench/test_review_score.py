"""The scorer: what counts as found, what as a false alarm, and how replies are counted, on findings made by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from quorate.core.forms import Key, Keyed, Prose
from quorate.core.record import Envelope
from quorate.lab.bench.baseline import ClaimsReply, PlainClaim
from quorate.lab.bench.corpus import ChangeItem, Language, Planted, Twins
from quorate.lab.bench.review_bench import ReviewCell, read_review_cell
from quorate.lab.bench.review_figures import review_figures
from quorate.lab.bench.review_report import review_markdown, tables
from quorate.lab.bench.review_score import (
    KIND_WORDS,
    ReplyCounts,
    ReviewClaim,
    ReviewScore,
    busy,
    is_cut,
    is_loop,
    place_of,
    score,
    texts_of,
    voted_claims,
)
from quorate.lab.bench.task import Judgement

TEXT = "def first():\n    return 1\n\n\ndef last(rows):\n    rows.sort()\n    return rows[-2]\n"
PAIR = Twins(
    id="python-x",
    language=Language.PYTHON,
    kind=Planted.OFF_BY_ONE,
    path="a/rows.py",
    title="Return the last row",
    function="last",
    fault="The last row but one is returned.",
    base="",
    clean=TEXT.replace("-2", "-1"),
    faulty=TEXT,
    line=7,
)
FAULTY, CLEAN = ChangeItem(PAIR, True), ChangeItem(PAIR, False)


def claim(line: int = 7, text: str = "It fails.", path: str = "a/rows.py", *, blocking: bool = True) -> ReviewClaim:
    return ReviewClaim(path, line, text, blocking)


@pytest.mark.parametrize(
    ("claims", "strict", "lenient", "stopped"),
    [
        ([], False, False, False),
        ([claim(7)], True, True, True),
        ([claim(5)], True, True, True),
        ([claim(9)], True, True, True),
        ([claim(4)], False, False, False),
        ([claim(10)], False, False, False),
        ([claim(0)], False, False, False),
        ([claim(7, path="b/rows.py")], False, False, False),
        ([claim(7, blocking=False)], True, True, False),
        ([claim(1, "last() is off by one")], False, True, False),
        ([claim(0, "`last` returns one too few", path="")], False, True, False),
        ([claim(1, "last() is off by one", path="b/rows.py")], False, False, False),
        ([claim(1, "it is off by one")], False, False, False),
        ([claim(1, "last() is slow")], False, False, False),
        ([claim(1, "lasting is off by one")], False, False, False),
        ([claim(1), claim(6, blocking=False)], True, True, False),
    ],
)
def test_a_fault_is_found_by_its_place_or_by_its_name(
    claims: list[ReviewClaim], strict: bool, lenient: bool, stopped: bool
) -> None:
    found = score(FAULTY, claims)
    assert (found.strict, found.lenient, found.stopped) == (strict, lenient, stopped)


def test_of_a_clean_twin_every_blocking_claim_is_a_false_alarm() -> None:
    checked = ReviewClaim("a/rows.py", 1, "It is long.", True, by_check=True)
    found = score(CLEAN, [claim(7), claim(1, blocking=False), checked])
    assert found == ReviewScore(False, False, False, claims=3, blocking=2, by_checks=1)


def test_a_claim_stands_where_its_evidence_begins() -> None:
    assert place_of("return rows[-2]", TEXT, 1) == 7
    assert place_of("   7| +    return rows[-2]", TEXT, 1) == 7
    assert place_of("rows.sort()\n    return rows[-2]", TEXT, 0) == 6
    assert place_of("it looks wrong to me", TEXT, 3) == 3
    assert place_of("", TEXT, 0) == 0
    twice = "total = 0\ntotal += price\nfee = 1\ntotal += price\n"
    assert place_of("total += price", twice, 4) == 4
    assert place_of("total += price", twice, 1) == 2


def test_a_vote_keeps_what_more_than_half_of_the_calls_name() -> None:
    calls = [[claim(7), claim(1)], [claim(6, blocking=False), claim(2, path="b")], [claim(20)]]
    assert [(each.line, each.blocking) for each in voted_claims(calls)] == [(7, False)]
    calls[2] = [claim(8)]
    assert [(each.line, each.blocking) for each in voted_claims(calls)] == [(7, True)]
    assert voted_claims([[claim(7), claim(7)], [], []]) == (), "one call has one vote"


def test_every_kind_of_fault_has_words() -> None:
    assert set(KIND_WORDS) == set(Planted)
    assert all(word == word.lower() for words in KIND_WORDS.values() for word in words)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("It is done.", False),
        ("Is it done?", False),
        ('They say "it is done."', False),
        ("**It is done.**", False),
        ("It is done …", False),
        ("Run this:\n```\nmake\n```", False),
        ("The query is built from the name and so the", True),
        ("It reads, and then,", True),
    ],
)
def test_a_text_is_cut_where_no_sentence_ends(text: str, cut: bool) -> None:
    assert is_cut(text) is cut


def test_a_sentence_that_stands_three_times_is_a_loop() -> None:
    assert is_loop("It is too complex. And it is long. It is too complex. So it is. It is too  complex.")
    assert not is_loop("It is too complex. It is too complex. It is long.")
    assert not is_loop("No. No. No.")


def test_texts_are_found_wherever_they_stand_in_a_form() -> None:
    made = PlainClaim(Key("a.py"), 3, Prose("x = 1"), Prose("It fails."), True)
    reply = ClaimsReply((made, made), Judgement.DEFECTIVE)
    assert list(texts_of(reply)) == [("evidence", "x = 1"), ("consequence", "It fails.")] * 2
    assert list(texts_of(Keyed({Key("a"): Prose("one")}), "said")) == [("said", "one")]


def test_seconds_are_those_in_which_somebody_was_waited_for() -> None:
    def at(moment: int, elapsed: int) -> Envelope:
        return Envelope(at=moment, elapsed=elapsed)

    assert busy([at(100, 50), at(120, 50), at(300, 20), at(310, 0)]) == 90
    assert busy([]) == 0


def cell(name: str, method: str, *, faulty: bool, tokens: int = 500, **scored: int) -> ReviewCell:
    strict, lenient, stopped = (bool(scored.get(key)) for key in ("strict", "lenient", "stopped"))
    found = ReviewScore(strict, lenient, stopped, scored.get("blocking", 0), scored.get("blocking", 0), 0)
    replies = ReplyCounts(replies=2, at_once=1, repaired=1, texts=4, cut=1, quotations=2, invented=1)
    verdict = "DEFECTIVE" if scored.get("blocking") or scored.get("strict") else "SOUND"
    money = {"tokens_in": tokens, "tokens_out": 0, "cost": None}
    return ReviewCell(
        name,
        Language.GO,
        Planted.NULL,
        faulty,
        method,
        verdict,
        found,
        replies,
        **money,  # type: ignore[arg-type]
        asks=2,
        milliseconds=1_500,
        sessions=("s",),
    )


CELLS = [
    cell("1a", "plain", faulty=True, strict=1, lenient=1, stopped=1),
    cell("1b", "plain", faulty=False, blocking=2),
    cell("2a", "plain", faulty=True, lenient=1),
    cell("2b", "plain", faulty=False),
    cell("1a", "other", faulty=True, tokens=5_000, strict=1, lenient=1),
    cell("1b", "other", faulty=False, tokens=5_000),
]


def test_figures_are_those_that_can_be_counted_by_hand() -> None:
    found = review_figures(CELLS)
    plain, other = found.rows
    assert (plain.strict.part, plain.strict.whole, plain.lenient.part, plain.stopped.part) == (1, 2, 2, 1)
    assert plain.strict.value == Fraction(1, 2)
    assert plain.strict.interval is not None
    assert plain.strict.interval.low < 0.5 < plain.strict.interval.high
    assert (plain.alarmed.part, plain.alarmed.whole) == (1, 2)
    assert plain.alarms is not None
    assert plain.alarms.value == 1.0
    assert plain.alarms.interval == (0.0, 2.0)
    assert plain.per_tokens is not None
    assert plain.per_tokens.value == 10_000 * 1 / 2_000
    assert plain.tokens is not None
    assert plain.tokens.value == 500
    assert plain.seconds is not None
    assert plain.seconds.value == 1.5
    assert (plain.at_once.part, plain.fitting.part, plain.fitting.whole) == (4, 8, 8)
    assert (plain.cut.value, plain.invented.value, plain.cost) == (Fraction(1, 4), Fraction(1, 2), None)
    assert plain.verdicts == (("DEFECTIVE", 1, 1), ("SOUND", 1, 1))
    assert other.alarms is not None
    assert (other.alarms.value, other.alarms.interval) == (0.0, None)
    (compared,) = found.comparisons
    assert (compared.method, compared.base, compared.paired.items) == ("plain", "other", 2)
    assert [(name, method, share.part, share.whole) for name, method, share in found.kinds] == [
        ("null", "plain", 1, 2),
        ("null", "other", 1, 1),
        ("go", "plain", 1, 2),
        ("go", "other", 1, 1),
    ]


def test_a_cell_is_read_as_it_was_written() -> None:
    assert [read_review_cell(each.data()) for each in CELLS] == CELLS
    with pytest.raises((KeyError, TypeError, ValueError)):
        read_review_cell({**CELLS[0].data(), "language": "basic"})


def test_a_report_shows_every_table() -> None:
    found = review_figures(CELLS)
    text = review_markdown("Title", {"seed": 1}, found, ["a note"], "")
    assert text.startswith("# Title\n\n- seed: 1\n\n> A note.\n")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [f"## {name}" for name, _ in tables(found)]
    assert "| plain | 2 | 50.0 % (1.3 to 98.7) | 100.0 % (15.8 to 100.0) |" in text
