"""Views are cut to a budget in a stated order, with a receipt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import modest

from quorate.core.view import LEAST_SHOWN, Cut, Section, View, estimate_tokens, fit

NOTE = 60
"""More than the longest note, in bytes."""

texts = st.one_of(
    st.text(alphabet="abc ü漢🜁", max_size=900),
    st.builds(lambda a, b: "🜁" * a + "x" * b, st.integers(0, 500), st.integers(0, 500)),
    st.builds(lambda a, b: "x" * a + "漢" * b, st.integers(0, 500), st.integers(0, 500)),
)
sections = st.builds(Section, st.sampled_from(["A", "Problem", "Text"]), texts, st.booleans(), st.integers(0, 3))
views = st.builds(lambda parts: View("roles/x", tuple(parts)), st.lists(sections, max_size=5))


def size(view: View) -> int:
    return estimate_tokens(view.text())


@modest
@given(views, st.integers(0, 2_000))
def test_the_budget_is_kept_or_everything_that_may_be_cut_is(view: View, tokens: int) -> None:
    fitted, _ = fit(view, tokens)
    if size(fitted) > tokens:
        for before, after in zip(view.sections, fitted.sections, strict=True):
            if before.cut:
                assert len(after.text.encode()) <= max(NOTE, min(len(before.text.encode()), NOTE))


@modest
@given(views, st.integers(0, 2_000))
def test_what_is_never_cut_is_never_cut_and_nothing_is_reordered(view: View, tokens: int) -> None:
    fitted, _ = fit(view, tokens)
    assert [(s.title, s.data, s.cut) for s in fitted.sections] == [(s.title, s.data, s.cut) for s in view.sections]
    for before, after in zip(view.sections, fitted.sections, strict=True):
        if before.cut == 0:
            assert after == before


@modest
@given(views)
def test_a_view_that_fits_is_left_alone(view: View) -> None:
    assert fit(view, size(view)) == (view, ())


@modest
@given(views, st.integers(0, 2_000))
def test_the_receipt_says_exactly_what_was_shown(view: View, tokens: int) -> None:
    fitted, receipt = fit(view, tokens)
    changed = [(b, a) for b, a in zip(view.sections, fitted.sections, strict=True) if a != b]
    expected = []
    for before, after in changed:
        cut = next(
            c for c in receipt if c.title == before.title and c.of == len(before.text) and _shows(before, after, c)
        )
        expected.append(cut)
        assert f"[{cut.of - cut.shown} of {cut.of} characters are left out here]" in after.text
    assert len(receipt) == len(changed)


def _shows(before: Section, after: Section, cut: Cut) -> bool:
    return after.text.startswith(before.text[: cut.shown]) and (cut.shown == 0 or cut.shown >= LEAST_SHOWN)


@modest
@given(views, st.integers(0, 2_000))
def test_a_lower_number_is_cut_only_when_all_higher_ones_are_down_to_their_note(view: View, tokens: int) -> None:
    fitted, _ = fit(view, tokens)
    pairs = list(zip(view.sections, fitted.sections, strict=True))
    touched = [before.cut for before, after in pairs if after != before]
    if touched:
        for before, after in pairs:
            if before.cut > min(touched):
                assert len(after.text.encode()) <= NOTE + (0 if after != before else len(after.text.encode()))
                assert after != before or len(before.text.encode()) <= NOTE


def page(title: str, cut: int, length: int = 3_000) -> Section:
    return Section(title, title[0] * length, cut=cut)


def test_the_highest_number_goes_first_and_of_equals_the_last() -> None:
    view = View("", (page("a", 1), page("b", 2), page("c", 2), page("d", 0)))
    _, one = fit(view, 3_500)
    assert [cut.title for cut in one] == ["c"]
    _, two = fit(view, 2_700)
    assert [cut.title for cut in two] == ["c", "b"]
    _, three = fit(view, 1_900)
    assert [cut.title for cut in three] == ["c", "b", "a"]


def test_no_more_is_cut_than_must_be() -> None:
    view = View("", (page("a", 1), page("b", 2)))
    fitted, (cut,) = fit(view, 1_900)
    assert size(fitted) <= 1_900
    assert size(fitted) > 1_880
    assert cut.shown > 2_600


def test_less_than_a_useful_piece_is_not_shown_at_all() -> None:
    view = View("", (page("a", 0), page("b", 1)))
    fitted, (cut,) = fit(view, 1_060)
    assert cut == Cut("b", 0, 3_000)
    assert fitted.sections[1].text == "[3000 of 3000 characters are left out here]"


def test_titles_count() -> None:
    many = View("", tuple(Section("A title that is rather long in itself", "x" * 300, cut=1) for _ in range(20)))
    assert size(fit(many, 2_000)[0]) <= 2_000


def test_a_short_section_is_never_made_longer_by_its_note() -> None:
    view = View("", (Section("a", "short", cut=1), page("b", 0)))
    assert fit(view, 10) == (view, ())


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("漢字", 2), ("🜁", 2)])
def test_tokens_are_estimated_cautiously_from_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
