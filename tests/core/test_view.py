"""Views are cut to a budget in a stated order, with a receipt."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorate.core.view import LEAST_SHOWN, Cut, Section, View, estimate_tokens, fit
from tests.support.examples import modest

NOTE = 60
"""More than the longest note, in bytes."""

pieces = st.tuples(st.sampled_from(["x", "ü", "漢", "🜁", "two words "]), st.integers(0, 400))
texts = st.lists(pieces, max_size=3).map(lambda found: "".join(piece * times for piece, times in found))
bodies = st.lists(st.tuples(texts, st.integers(0, 3)), max_size=5)
views = bodies.map(lambda found: View("", tuple(Section(f"S{i}", t, cut=c) for i, (t, c) in enumerate(found))))


def size(view: View) -> int:
    return estimate_tokens(view.text())


def counted(gone: int) -> Section:
    return Section("Not shown for want of room", f"{gone} sections", data=False)


def shown(view: View) -> tuple[Section, ...]:
    """The sections of a fitted view, without the one that counts those that are gone."""
    return tuple(section for section in view.sections if section.title.startswith("S"))


def gone(view: View, left: Mapping[str, Section]) -> bool:
    return len(left) < len(view.sections)


def least(section: Section) -> bool:
    """The section is down to its note, or was never longer than one."""
    return len(section.text.encode()) <= NOTE


@modest
@given(views, st.integers(0, 2_000))
def test_the_budget_is_kept_or_everything_that_may_be_cut_is(view: View, tokens: int) -> None:
    fitted, _ = fit(view, tokens)
    left = [section for section in fitted.sections if section.cut]
    assert size(fitted) <= tokens or not left or (len(left) == 1 and least(left[0]))


@modest
@given(views, st.integers(0, 2_000))
def test_what_is_never_cut_is_never_cut_and_nothing_is_reordered(view: View, tokens: int) -> None:
    kept = shown(fit(view, tokens)[0])
    assert [s.title for s in kept] == [s.title for s in view.sections if s.title in {each.title for each in kept}]
    assert [s for s in kept if s.cut == 0] == [s for s in view.sections if s.cut == 0]


@modest
@given(views)
def test_a_view_that_fits_is_left_alone(view: View) -> None:
    assert fit(view, size(view)) == (view, ())


@modest
@given(views, st.integers(0, 2_000))
def test_the_receipt_says_exactly_what_is_shown(view: View, tokens: int) -> None:
    fitted, receipt = fit(view, tokens)
    cuts = {cut.title: cut for cut in receipt}
    assert len(cuts) == len(receipt)
    left = {section.title: section for section in shown(fitted)}
    assert fitted.sections[len(left) :] == (
        (counted(len(view.sections) - len(left)),) if cuts and gone(view, left) else ()
    )
    for before in view.sections:
        after = left.get(before.title)
        if before == after:
            assert before.title not in cuts
            continue
        cut = cuts.pop(before.title)
        assert cut.of == len(before.text)
        if after is None:
            assert cut.shown == 0
            continue
        note = f"[{cut.of - cut.shown} of {len(before.text)} characters are left out here]"
        assert after.text == (f"{before.text[: cut.shown]}\n{note}" if cut.shown else note)
        assert cut.shown == 0 or cut.shown >= LEAST_SHOWN
    assert not cuts


@modest
@given(views, st.integers(0, 2_000))
def test_one_is_cut_only_when_all_before_it_are_down_to_their_note(view: View, tokens: int) -> None:
    fitted, receipt = fit(view, tokens)
    titles = [section.title for section in sorted(view.sections[::-1], key=lambda section: -section.cut)]
    order = [titles.index(cut.title) for cut in receipt]
    assert order == sorted(order)
    by_title = {section.title: section for section in shown(fitted)}
    assert all(title not in by_title or least(by_title[title]) for title in titles[: max(order, default=0)])


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


def test_sections_go_altogether_where_their_notes_are_too_much() -> None:
    many = View("", tuple(Section(f"S{n}", "x" * 300, cut=1) for n in range(200)))
    fitted, receipt = fit(many, 500, frame=20)
    assert size(fitted) + len(fitted.sections) * 20 // 3 <= 500
    assert len(receipt) == 200
    assert fitted.sections[-1].text == f"{200 - len(shown(fitted))} sections"
    assert shown(fitted) == tuple(s for s in fitted.sections[:-1]), "the first ones stay"


def test_a_short_section_is_never_made_longer_by_its_note() -> None:
    view = View("", (Section("a", "short", cut=1), page("b", 0)))
    assert fit(view, 10) == (view, ())


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("漢字", 2), ("🜁", 2)])
def test_tokens_are_estimated_cautiously_from_bytes(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
