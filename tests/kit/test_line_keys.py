"""Line keys: lines are named by what stands before them, and their text is put in as it is (R32, R40; C41)."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quorate.kit.ground import Ground, squeezed
from quorate.kit.line_keys import (
    MOST_INSERTED,
    TOGETHER,
    lines_by_key,
    lines_shown,
    names_in,
    numbered,
    numbered_patch,
    with_lines,
    without_numbers,
)

PATCH = """\
diff --git a/shop/total.py b/shop/total.py
--- a/shop/total.py
+++ b/shop/total.py
@@ -10,5 +10,6 @@ def total(orders):
     rate = 1
-    return sum(orders)
+    found = sum(orders, rate)
+    x = 3
+}
     return found

"""
SHOWN = numbered_patch(PATCH)
LINES = {"F1": lines_shown(SHOWN)}
GROUND = Ground(PATCH)


def read(text: str, home: str = "F1") -> tuple[str, tuple[str, ...]]:
    return with_lines(text, LINES, GROUND.holds, home)


def test_changed_lines_have_their_own_numbers() -> None:
    """R32."""
    assert SHOWN.split("\n")[4:] == [
        "     rate = 1",
        "-11 -    return sum(orders)",
        "11 +    found = sum(orders, rate)",
        "12 +    x = 3",
        "13 +}",
        "     return found",
        "",
        "",
    ]
    assert list(LINES["F1"]) == [10, -11, 11, 12, 13, 14, 15]
    assert without_numbers(SHOWN) == PATCH


def test_a_piece_without_its_head_counts_from_the_first_number_in_it() -> None:
    """R43: a hunk larger than a part is divided at the ends of its lines."""
    piece = "\n".join(SHOWN.split("\n")[4:])
    assert lines_shown(piece) == {number: LINES["F1"][number] for number in (-11, 11, 12, 13, 14, 15)}


def test_what_was_cut_cannot_be_named() -> None:
    cut = SHOWN[: SHOWN.index("12 +") + 1]
    assert list(lines_shown(f"{cut}\n[20 of 300 characters are left out here]")) == [10, -11, 11]


def test_a_second_file_in_one_section_has_no_numbers_before_its_head() -> None:
    twice = PATCH.rstrip("\n") + "\n" + PATCH.replace("@@ -10,5 +10,6", "@@ -1,5 +1,6")
    assert "\n--- a/shop" in numbered_patch(twice)
    assert numbered_patch(twice).count(" --- ") == 0


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("F1:11", "+    found = sum(orders, rate)"),
        ("f1: 11", "+    found = sum(orders, rate)"),
        ("[F1:L11]", "+    found = sum(orders, rate)"),
        ("See line F1:11.", "+    found = sum(orders, rate)"),
        ("F1:１１", "+    found = sum(orders, rate)"),
        ("11", "+    found = sum(orders, rate)"),
        ("line 11", "+    found = sum(orders, rate)"),
        ("F1:-11", "-    return sum(orders)"),
        ("F1:10-11", "     rate = 1\n+    found = sum(orders, rate)"),
        ("F1:11-F1:10", "     rate = 1\n+    found = sum(orders, rate)"),
        ("lines 10 to 11", "     rate = 1\n+    found = sum(orders, rate)"),
        ("F1:11, 14", "+    found = sum(orders, rate)\n     return found"),
        ("F1:-11, F1:14", "-    return sum(orders)\n     return found"),
        ("11 +    found = sum(orders, rate)", "+    found = sum(orders, rate)"),
        ("14 return found", "     return found"),
        ("F1:14 return found", "     return found"),
        ("F1:11: `found = sum(orders, rate)`", "F1:11: `found = sum(orders, rate)`"),
    ],
)
def test_lines_take_the_place_of_their_names(said: str, found: str) -> None:
    """R40: also where the line is typed beside its name; what holds a quotation already stays as it is."""
    assert read(said) == (found, ())
    assert GROUND.holds(found)


def test_words_stay_behind_the_lines_that_they_name() -> None:
    """R40."""
    text, missing = read("F1:11 starts from the rate, as line 10 says")
    assert text.split("\n") == [
        "```",
        "     rate = 1",
        "+    found = sum(orders, rate)",
        "```",
        "F1:11 starts from the rate, as line 10 says",
    ]
    assert (missing, GROUND.holds(text)) == ((), True)


@pytest.mark.parametrize("said", ["found = sum(orders, rate)", "`found = sum(orders, rate)` at F1:99, see F1:12"])
def test_a_quotation_that_is_found_stays_as_it_is(said: str) -> None:
    """R40."""
    assert read(said) == (said, ())


def test_a_line_too_short_to_be_found_comes_with_those_around_it() -> None:
    """R40."""
    assert read("F1:13") == ("+}\n     return found", ())
    alone = {"F1": {1: "+}"}}
    assert with_lines("F1:1", alone, lambda _: False) == ("+}", ())


@pytest.mark.parametrize(
    ("said", "missing"),
    [
        ("F1:99", ("F1:99",)),
        ("F1:0", ("F1:0",)),
        ("F9:11", ("F9:11",)),
        ("F1:-10", ("F1:-10",)),
        ("F1:10-999999999", ("F1:10-999999999",)),
        ("F1:16-10", ("F1:16-10",)),
        ("line 99 never ends", ("F1:99",)),
        ("F1:99 and F9:1 never end", ("F1:99", "F9:1")),
        ("F1:9999999999", ()),
        ("F1:11.5", ()),
        ("F1:11a", ()),
        ("F1:²", ()),
        ("H3:11", ()),
        ("", ()),
        ("F1:", ()),
        ("The total is wrong.", ()),
    ],
)
def test_what_is_no_line_that_was_shown_stays_as_it_is(said: str, missing: tuple[str, ...]) -> None:
    """R40, R41."""
    assert read(said) == (said, missing)
    assert not GROUND.holds(said)


def test_lines_that_are_found_are_put_in_beside_names_that_are_not() -> None:
    text, missing = read("F1:11, F1:99")
    assert text == "```\n+    found = sum(orders, rate)\n```\nF1:11, F1:99"
    assert missing == ("F1:99",)


def test_without_a_home_a_number_names_nothing() -> None:
    assert with_lines("line 11", LINES, GROUND.holds) == ("line 11", ())
    assert with_lines("11", LINES, GROUND.holds) == ("11", ())
    assert with_lines("14 return found", LINES, GROUND.holds) == ("     return found", ())


def test_thousands_of_names_put_in_no_more_than_a_text_may_have() -> None:
    many = {"T1": {number: f"{number} " + "x" * 200 for number in range(1, 5_000)}}
    text, missing = with_lines(", ".join(f"T1:{number}" for number in range(1, 5_000)), many, lambda _: False)
    assert (text[:6], text[-1], len(text), missing) == ("1 xxxx", "…", MOST_INSERTED, ())
    assert len(with_lines("T1:1-4999", many, lambda _: False)[0]) == MOST_INSERTED
    for hostile in ("T1:1-" * 5_000, "T1:" + "1," * 5_000 + "x", "F1:1 to " * 5_000, "1 , " * 5_000 + "x", "9" * 5_000):
        assert isinstance(list(names_in(hostile, "T1")), list)


def test_other_texts_have_a_number_before_every_line_that_is_not_blank() -> None:
    """C41."""
    text = "id: A\n\nsteps:\n  - 3 do it"
    assert numbered(text) == "1 id: A\n\n3 steps:\n4   - 3 do it"
    assert lines_shown(numbered(text)) == {1: "id: A", 3: "steps:", 4: "  - 3 do it"}


def test_texts_that_stand_together_are_told_apart_by_their_headings() -> None:
    """C41."""
    together = "R01 plan.md\n  1 one\n  2 R09 two\nR02 x.yaml\n  1 three\n\n  3 four"
    assert lines_by_key(together, TOGETHER) == {"R01": {1: "one", 2: "R09 two"}, "R02": {1: "three", 3: "four"}}
    assert lines_by_key("", TOGETHER) == {}
    assert lines_by_key("cut before the first of them", TOGETHER) == {}
    assert lines_by_key(together, "R03") == {"R03": {}}


LINE = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=60)


@given(st.lists(st.tuples(st.sampled_from("+- "), LINE), min_size=1, max_size=12), st.data())
@example([("-", "9 -old"), ("+", "12 +new"), (" ", "@@ -1 +1 @@")], None)
def test_every_line_shown_can_be_named_and_stands_where_it_is_looked_for(
    body: list[tuple[str, str]], data: st.DataObject | None
) -> None:
    """R40: what is put in is the line itself, and the matcher finds it unless it has next to nothing in it."""
    patch = "@@ -1,9 +1,9 @@\n" + "\n".join(sign + text for sign, text in body)
    shown = lines_shown(numbered_patch(patch))
    assert without_numbers(numbered_patch(patch)) == patch
    assert sorted(shown.values()) == sorted(sign + text for sign, text in body)
    number = data.draw(st.sampled_from(list(shown))) if data else -1
    text, missing = with_lines(f"F1:{number}", {"F1": shown}, Ground(patch).holds)
    assert missing == ()
    assert shown[number] in text
    letters = sum(each.isalnum() for each in squeezed(shown[number][1:]))
    assert letters < 12 or "..." in shown[number] or "…" in shown[number] or Ground(patch).holds(text)


@given(st.text(st.sampled_from("F19T:,-–toL \n`.+x"), max_size=80))
def test_nothing_that_is_written_can_be_more_than_itself_and_the_lines(text: str) -> None:
    """R40: whatever is written, it is kept, or lines that were shown stand there."""
    said, missing = read(text)
    assert said == text or all(line in {*LINES["F1"].values(), *text.split("\n"), "```"} for line in said.split("\n"))
    assert all(name.startswith(("F", "T")) for name in missing)
