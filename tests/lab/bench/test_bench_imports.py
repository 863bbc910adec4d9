"""Importers read strictly what others have recorded, and our rules decide it again; every figure is counted anew."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorate.core.errors import InputError, SettingError
from quorate.lab.bench.ballots import Ballot, Recorded, RecordedItem, lines_of, read_lines
from quorate.lab.bench.comparable import boxed, comparable
from quorate.lab.bench.dylan import read_dylan
from quorate.lab.bench.mallm import read_mallm
from quorate.lab.bench.redecision import curtailed, majority, plurality, quorum, redecide, unanimous, weighted
from quorate.lab.bench.redecision_report import data, facts
from tests.lab.bench import recorded

VOTES = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.sampled_from(["A", "B", "C", None]), max_size=9)


@pytest.mark.parametrize(("write", "read"), [(recorded.mallm, read_mallm), (recorded.dylan, read_dylan)])
def test_both_formats_give_the_ballots_that_were_cast(
    write: Callable[[Path], Any], read: Callable[[Path], Recorded], tmp_path: Path
) -> None:
    cast = write(tmp_path / "records.json")
    items = read(tmp_path / "records.json").items
    known = {letter: letter if write is recorded.mallm else str(ord(letter)) for letter in "ABCD"}
    assert len(items) == len(cast)
    for item, (truth, rounds) in zip(items, cast, strict=True):
        assert item.truth == known[truth]
        assert list(item.first().values()) == [known[each] for each in rounds[0]]
        assert list(item.last().values()) == [known[each] for each in rounds[1]]
    again = tmp_path / "ballots.jsonl"
    again.write_text(lines_of(items), encoding="utf-8")
    assert read_lines(again) == Recorded(items)


def test_figures_of_a_recorded_debate_are_what_a_plain_count_says(tmp_path: Path) -> None:
    cast = recorded.mallm(tmp_path / "records.json", items=200)
    found = redecide(read_mallm(tmp_path / "records.json").items)
    by = {(each.rule, each.ballots): each for each in found.rules}

    def counted(turn: int, needed: int) -> int:
        return sum(Counter(rounds[turn])[truth] >= needed for truth, rounds in cast)

    assert by["first voter", "first"].right == sum(rounds[0][0] == truth for truth, rounds in cast)
    assert by["majority", "first"].right == counted(0, 2)
    assert by["majority", "last"].right == counted(1, 2)
    assert by["unanimity", "first"].right == counted(0, 3)
    assert by["quorum 2/3", "first"].right == by["majority", "first"].right
    assert by["quorum 3/4", "last"].right == by["unanimity", "last"].right
    short = by["curtailed majority", "first"]
    assert (short.right, short.wrong) == (by["majority", "first"].right, by["majority", "first"].wrong)
    agreed = sum(2 if rounds[0][0] == rounds[0][1] else 3 for _, rounds in cast)
    assert short.read == agreed < by["majority", "first"].read == 600
    pairs = [(a == truth, b == truth) for truth, rounds in cast for a, b in zip(*rounds, strict=True)]
    assert found.flips.harmful == pairs.count((True, False))
    assert found.flips.helpful == pairs.count((False, True))
    rights = [[each == truth for each in rounds[0]] for truth, rounds in cast]
    p = Fraction(sum(map(sum, rights)), 600)
    both = Fraction(sum(sum(row) * (sum(row) - 1) for row in rights), 1200)
    assert found.accuracy == p
    assert found.phi == (both - p * p) / (p * (1 - p))
    assert found.effective == 3 / (1 + 2 * found.phi)
    assert found.ceiling.all_wrong == sum(not any(row) for row in rights)
    alike = [(truth, rounds[0]) for truth, rounds in cast if len(set(rounds[0])) == 1]
    assert (found.unanimity.unanimous, found.unanimity.right) == (len(alike), sum(t == r[0] for t, r in alike))
    assert found.recorded == (sum(rounds[1][0] == truth for truth, rounds in cast), 200)
    told = "\n".join(facts(found))
    assert "3 voters are worth" in told
    assert json.loads(json.dumps(data(found)))["rules"][0]["rule"] == "first voter"


def test_where_nobody_was_unanimous_nothing_is_said_of_how_right_that_was() -> None:
    split = RecordedItem("q", "A", (Ballot("ada", 1, "A"), Ballot("bo", 1, "B")))
    told = list(facts(redecide((split,))))
    assert "unanimous in the first round: none of the items" in told
    assert not any("right in -" in each for each in told)


@given(VOTES)
def test_a_curtailed_count_decides_as_the_majority_does(votes: dict[str, str | None]) -> None:
    decided, read = curtailed(votes)
    assert decided == majority(votes)
    assert read <= len(votes)


@given(VOTES)
def test_rules_agree_with_a_plain_count(votes: dict[str, str | None]) -> None:
    counts = Counter(each for each in votes.values() if each is not None)
    top = counts.most_common(1)[0] if counts else (None, 0)
    assert majority(votes) == (top[0] if 2 * top[1] > len(votes) else None)
    assert unanimous(votes) == (top[0] if votes and top[1] == len(votes) else None)
    assert quorum(2, 3)(votes) == (top[0] if counts and 3 * top[1] >= 2 * len(votes) else None)
    tied = list(counts.values()).count(top[1]) > 1
    assert plurality(votes) == (None if tied else top[0])
    assert weighted(dict.fromkeys(votes, Fraction(2)))(votes) == plurality(votes)


def test_one_good_voter_outweighs_two_poor_ones() -> None:
    odds = {"good": Fraction(9), "poor": Fraction(3, 2), "other": Fraction(3, 2)}
    assert weighted(odds)({"good": "A", "poor": "B", "other": "B"}) == "A"


def test_weights_come_from_other_items_than_the_one_they_decide() -> None:
    """Each half is decided by what the other half shows, so a voter that is right once is not trusted for it."""
    first = RecordedItem("1", "A", (Ballot("x", 1, "A"), Ballot("y", 1, "B"), Ballot("z", 1, "B")))
    second = RecordedItem("2", "A", (Ballot("x", 1, "B"), Ballot("y", 1, "A"), Ballot("z", 1, "A")))
    found = redecide([first, second])
    (calibrated,) = [each for each in found.rules if each.rule == "weighted by calibration"]
    assert calibrated.right == 0, "trusted for their own item, both would be right"


def test_without_a_truth_nothing_is_right_or_wrong() -> None:
    found = redecide([RecordedItem("1", None, (Ballot("x", 1, "A"),))])
    assert found.labelled == 0
    assert found.rules[0].accuracy is None
    assert "nothing can be said to be right or wrong" in list(facts(found))


def test_better_is_said_of_a_rule_only_where_a_test_shows_it() -> None:
    items = [
        RecordedItem(str(n), "A", tuple(Ballot(v, 1, "B" if v == "x" and n < 9 else "A") for v in "xyz"))
        for n in range(30)
    ]
    shown = {each.rule: each.says for each in redecide(items).rules}
    assert shown["majority"] == "better than the first voter"
    few = {each.rule: each.says for each in redecide(items[:5]).rules}
    assert few["majority"] == "no difference to the first voter shown"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("A) Paris", "A"),
        ("(b) Rome.", "B"),
        ("c", "C"),
        ("1,350.", "1350"),
        ("0.50", "1/2"),
        ("$\\frac{1}{2}$", "1/2"),
        ("-7", "-7"),
        ("  The  Moon ", "the moon"),
        ("", None),
        ("x" * 301, None),
        ("1/0", "1/0"),
    ],
)
def test_answers_are_compared_by_what_they_say(text: str, same: str | None) -> None:
    assert comparable(text) == same


def test_the_last_box_counts_and_a_torn_one_does_not() -> None:
    assert boxed("\\boxed{1} no, \\boxed{\\frac{1}{2}}") == "\\frac{1}{2}"
    assert boxed("\\boxed{1") is None
    assert boxed("So the answer is 12.\nDone") == "12."
    assert boxed("nothing") is None


HOSTILE: list[tuple[Callable[[Path], Any], str, str]] = [
    (read_mallm, "{", "is not valid JSON"),
    (read_mallm, "{}", "is not a list"),
    (read_mallm, "[]", "0 items"),
    (read_mallm, "[1]", "is not an object"),
    (read_mallm, '[{"references": ["a"]}]', "0.globalMemory"),
    (read_mallm, '[{"references": ["a"], "globalMemory": []}]', "no solution of anybody"),
    (read_mallm, '[{"references": ["a"], "globalMemory": [{"turn": 1e9}]}]', "0.globalMemory.0.turn"),
    (read_mallm, '[{"references": [7], "globalMemory": []}]', "0.references.0"),
    (read_mallm, "[" * 100_000, "nested too deep"),
    (read_dylan, "", "0 items"),
    (read_dylan, "[]", "has no answer of anybody"),
    (read_dylan, "{}", "0 items"),
    (read_dylan, '{"q": 7}', "1: is not a list"),
    (read_dylan, '{"q": [[]]}', "is too short"),
    (read_dylan, '{"q": [[[]], "1"]}', "no answer of anybody"),
    (read_dylan, '{"q": [[[{"role": "assistant", "content": 5}]], "1"]}', "1.0.0.0.content"),
    (read_dylan, '{"q": 1, "q": 2}', "appears twice"),
    (read_lines, "", "0 items"),
    (read_lines, '{"item": "a", "ballots": [], "more": 1}', "unknown key"),
    (read_lines, '{"item": "a"}', "`item` and `ballots`"),
    (read_lines, '{"item": "a", "ballots": [{"voter": "x", "round": 0}]}', "ballots.0.round"),
    (read_lines, '{"item": "a", "ballots": [{"voter": "x"}, {"voter": "x"}]}', "two ballots of one voter"),
    (read_lines, '{"item": "a", "ballots": []}\n{"item": "a", "ballots": []}', "twice"),
    (read_lines, '{"item": "a", "truth": NaN, "ballots": []}', "NaN is not a"),
    (read_lines, '\n{"item": "a", "ballots": [{"voter": "", "answer": "A"}]}', ":2: ballots.0.voter"),
]


@pytest.mark.parametrize(("read", "text", "says"), HOSTILE, ids=lambda each: getattr(each, "__name__", str(each))[:40])
def test_what_is_not_of_the_format_is_refused_with_its_place(
    read: Callable[[Path], Any], text: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "it.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path / "it.json")
    assert says in str(caught.value)
    assert "it.json" in str(caught.value)


WORDS = ("item", "ballots", "voter", "round", "answer", "truth", "references", "globalMemory", "agent_id", "turn")
MORE = ("solution", "votesEachTurn", "answers", "alterations", "votes", "role", "assistant", "content", "finalAnswer")
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.floats() | st.text(max_size=4) | st.sampled_from(WORDS)
ANYTHING = st.recursive(
    SCALARS | st.sampled_from(["\ud800", "\0", "\\boxed{", "\\boxed{1}"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from((*WORDS, *MORE)), inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("read", [read_mallm, read_dylan, read_lines])
def test_whatever_stands_there_is_read_or_refused(
    read: Callable[[Path], Recorded], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("any") / "it.json"

    @settings(max_examples=150, deadline=None)
    @given(ANYTHING)
    def try_out(value: Any) -> None:
        file.write_text(json.dumps(value if read is not read_mallm else [value]), encoding="utf-8")
        try:
            items = read(file).items
        except InputError:
            return
        lines_of(items).encode()
        assert data(redecide(items))["items"] == len(items)

    try_out()


def test_no_file_and_no_share_are_told(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_lines(tmp_path / "none")
    with pytest.raises(SettingError, match="a share such as 2/3"):
        redecide([RecordedItem("1", "A", (Ballot("x", 1, "A"),))], ["most"])


def test_other_ends_of_lines_in_an_answer_are_no_ends_of_lines(tmp_path: Path) -> None:
    items = (RecordedItem("a\u2028b", "x", (Ballot("v\x85w", 1, "x\x1cy"),)),)
    (tmp_path / "it.jsonl").write_text(lines_of(items), encoding="utf-8")
    assert read_lines(tmp_path / "it.jsonl").items == items
