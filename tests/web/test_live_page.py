"""The page of a session: what it shows as of any event, by hand and by keyboard, and what nothing said in it can do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import needs_chromium
from tests.support.long_talk import ABSENCES, SEATS, talk
from tests.web.conftest import PHONE

pytestmark = [pytest.mark.browser, needs_chromium]

Opens = Callable[..., Page]
WHEN, HEADING, LIT = ".slider .when", ".heading", ".diagram .box.lit"


def test_a_session_is_shown_with_its_diagram_transcript_and_instruments(from_file: Opens) -> None:
    page = from_file(talk(31))
    expect(page.locator(".heading h1")).to_have_text("A long talk")
    expect(page.locator(HEADING)).to_contain_text("solution")
    expect(page.locator(HEADING)).to_contain_text("degraded, within settings")
    expect(page.locator(LIT)).to_have_attribute("data-phase", "CONCLUDED")
    taken = page.get_by_role("button", name="Row proposal to critique")
    assert "taken as move 2, 4, 6" in (taken.get_attribute("aria-label") or "")
    last = page.locator(".card").last
    for words in ("testing", "script:talk", "for", "tokens", "1.2 s", "#30"):
        expect(last).to_contain_text(words)
    expect(page.locator(".instruments")).to_contain_text("4 votes still needed")
    expect(page.locator(".instruments")).to_contain_text("30 of 20,000")
    replied = sum(event["kind"] == "replied" for event in talk(31))
    expect(page.locator(".meter", has_text="Replies")).to_have_text(f"Replies{replied}")
    expect(page.locator(".chart .series")).to_have_count(len(SEATS))
    expect(page.locator(".heading button:visible")).to_have_count(0)  # a file can change nothing


def test_everything_is_shown_as_of_the_event_that_the_slider_stands_at(from_file: Opens) -> None:
    page = from_file(talk(31))
    slider = page.get_by_label("Event of the journal")
    slider.fill("7")
    expect(page.locator(WHEN)).to_contain_text("#7 of 30")
    expect(page.locator(HEADING)).to_contain_text("as of event 7")
    expect(page.locator(HEADING)).not_to_contain_text("solution")
    expect(page.locator(LIT)).to_have_attribute("data-phase", "CRITIQUE")
    expect(page.locator(".card:not(.open)").last).to_contain_text("#7")
    expect(page.locator(".card.open")).to_have_count(3)
    expect(page.locator(".card.open").first).to_contain_text("not answered yet")
    expect(page.locator(".instruments")).to_contain_text("7 of 20,000")
    replied = sum(event["kind"] == "replied" for event in talk(31)[:8])
    expect(page.locator(".meter", has_text="Replies")).to_have_text(f"Replies{replied}")
    page.wait_for_url("**?at=7")
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(HEADING)).to_contain_text("solution")
    page.wait_for_url(lambda url: "at=" not in url)


def test_an_address_leads_to_an_event(from_file: Opens) -> None:
    page = from_file(talk(31), "#/sessions/debate-long/live?at=12")
    expect(page.locator(WHEN)).to_contain_text("#12 of 30")
    expect(page.locator(".card.marked")).to_contain_text("#12")
    page.locator(".card .at").first.click()
    expect(page.locator(WHEN)).not_to_contain_text("#12 of 30")


def test_the_keyboard_reaches_everything(from_file: Opens) -> None:
    page = from_file(talk(31), "#/sessions/debate-long/live?at=6")
    keys, focused = page.keyboard, page.locator(".card:focus")
    expect(page.locator(".card.marked")).to_contain_text("#6")
    keys.press("k")
    expect(focused).to_have_count(1)
    before = int(focused.get_attribute("data-seq") or 0)
    keys.press("k")
    expect(focused).to_have_attribute("data-seq", str(before - 1))
    keys.press("j")
    expect(focused).to_have_attribute("data-seq", str(before))
    keys.press("ArrowLeft")
    expect(page.locator(WHEN)).to_contain_text("#5 of 30")
    keys.press("ArrowRight")
    keys.press("ArrowRight")
    expect(page.locator(WHEN)).to_contain_text("#7 of 30")
    keys.press("l")
    expect(page.locator(WHEN)).to_contain_text("#30 of 30")
    keys.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("one event back in time")
    keys.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name="Phase critique").focus()
    keys.press("Enter")
    expect(page.locator(".moves")).to_contain_text("At critique")
    keys.press("Escape")
    expect(page.locator(".moves")).to_be_hidden()
    page.get_by_label("Find in the transcript").focus()
    keys.type("jk?")
    expect(page.get_by_label("Find in the transcript")).to_have_value("jk?")


def test_the_whole_diagram_is_seen_at_first_and_is_one_stop_of_the_tab_key(from_file: Opens) -> None:
    page = from_file(talk(31))
    frame = page.locator(".diagram-frame")
    fits = "each => each.scrollWidth <= each.clientWidth"
    assert frame.evaluate(fits)
    page.get_by_role("button", name="Larger").click()
    page.get_by_role("button", name="Larger").click()
    assert not frame.evaluate(fits)
    page.get_by_role("button", name="Show the whole diagram").click()
    assert frame.evaluate(fits)
    expect(page.locator(".map [tabindex='0']")).to_have_count(1)
    page.keyboard.press("Tab")
    first, focused = page.locator(".diagram .box").first, page.locator(".diagram :focus")
    expect(first).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(first).not_to_be_focused()
    expect(focused).to_have_attribute("tabindex", "0")
    page.keyboard.press("End")
    expect(focused).to_have_attribute("aria-label", re.compile("^Row "))
    expect(page.locator(".map [tabindex='0']")).to_have_count(1)
    expect(page.locator(WHEN)).to_contain_text("#30 of 30")


def test_a_row_tells_its_tests_its_facts_and_what_was_not_taken(from_file: Opens) -> None:
    page = from_file(talk(31))
    page.get_by_role("button", name="Row proposal to critique").dispatch_event("click")
    panel = page.locator(".moves")
    expect(panel.locator(".move")).to_have_count(3)
    move = panel.locator(".move").first
    for words in ("heldD3", "did not holdD4", "too many are absent", "heard", "agents 5", "failed → failure"):
        expect(move).to_contain_text(words)
    expect(move).to_contain_text("enough agents are left")
    move.get_by_role("button", name="#25").click()
    expect(page.locator(WHEN)).to_contain_text("#25 of 30")
    page.get_by_role("button", name="Row evaluation to synthesis").dispatch_event("click")
    expect(panel).to_contain_text("This row was not taken so far.")


def test_five_absences_are_five_different_failures(from_file: Opens) -> None:
    page = from_file(talk(120), size=(1280, 1600))
    page.get_by_label("Show", exact=True).select_option("failed")
    failed = page.locator(".card.failed")
    expect(failed).to_have_count(5)
    assert {each.replace("_", " ") for each in ABSENCES} == set(failed.locator(".chip.bad").all_text_contents())
    assert len(set(failed.locator(".absence strong").all_text_contents())) == 5
    expect(failed.first).to_contain_text("the provider said no")


def test_what_is_looked_for_is_found(from_file: Opens) -> None:
    events = talk(60)
    events[33]["said"][2][2] = [["p", None, "a needle in the hay"]]
    page = from_file(events)
    page.get_by_label("Find in the transcript").fill("Needle")
    expect(page.locator(".card")).to_have_count(1)
    expect(page.locator(".card")).to_contain_text("#33")
    page.get_by_label("Find in the transcript").fill("")
    expect(page.locator(".card").last).to_contain_text("#59")


def test_playing_goes_through_the_journal(from_file: Opens) -> None:
    page = from_file(talk(8), "#/sessions/debate-long/live?at=4")
    expect(page.locator(WHEN)).to_contain_text("#4 of 7")
    page.keyboard.press("p")
    expect(page.locator(WHEN)).to_contain_text("#7 of 7")
    expect(page.get_by_role("button", name="Play (p)")).to_be_visible()


def test_of_ten_thousand_events_only_what_is_near_is_in_the_page(from_file: Opens) -> None:
    page = from_file(talk(10_001))
    expect(page.locator(".card").last).to_contain_text("#10000")
    assert page.locator(".slot").count() < 60
    scroller = page.locator(".transcript-scroll")
    at_end = "(place) => place.scrollTop + place.clientHeight >= place.scrollHeight - 48"
    page.wait_for_function(at_end, arg=scroller.element_handle())  # a list that is being drawn goes there itself
    scroller.evaluate("(place) => { place.scrollTop = place.scrollHeight / 2; }")
    page.wait_for_function("() => Number(document.querySelector('.card').dataset.seq) < 7000")
    page.wait_for_timeout(300)
    seqs = page.locator(".card").evaluate_all("(cards) => cards.map((each) => Number(each.dataset.seq))")
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
    assert page.locator(".slot").count() < 60
    gaps = """() => { const slots = [...document.querySelectorAll('.slot')].map((each) => each.getBoundingClientRect());
        return slots.slice(1).every((each, index) => Math.abs(each.top - slots[index].bottom) < 1.5); }"""
    assert page.evaluate(gaps) is True
    page.get_by_label("Event of the journal").fill("5000")
    expect(page.locator(".card.marked")).to_contain_text("#5000")


EVIL = "window.evil=1"
HOSTILE = (
    f"<script>{EVIL}</script><img src=x onerror={EVIL}><svg onload={EVIL}>\n\n[run](javascript:{EVIL}) "
    f"<a href='javascript:{EVIL}'>x</a> ![](https://evil.example/x.png) \u202e\u2066reversed\u200b\ufeff "
    + "W" * 100_000
    + f"\n\n</script><script>{EVIL}</script>\n\n| a | b |\n|---|---|\n| {'Q' * 3000} | {EVIL} |\n\n"
    + f"```\n{'Z' * 9000}\n```"
)


def poisoned(value: Any, keep: frozenset[str]) -> Any:
    """Put hostile words behind every text of an event, except where a text is a name that others refer to."""
    if isinstance(value, dict):
        return {name: each if name in keep else poisoned(each, keep) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each, keep) for each in value]
    return value + HOSTILE[:400] if isinstance(value, str) else value


@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_nothing_that_is_said_can_run_or_break_the_page(from_file: Opens, size: tuple[int, int]) -> None:
    seats = tuple(f"{seat} {HOSTILE[:300]}" for seat in SEATS)
    names = frozenset(
        {"kind", "id", "open", "asked", "ask", "said", "hash", "panel", "phase", "to", "outcome", "absent"}
    )
    events = [poisoned(event, names) for event in talk(40, text=HOSTILE, seats=seats, title=HOSTILE)]
    page = from_file(events, size=size)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for at in ("39", "5", "0", "28"):
        page.get_by_label("Event of the journal").fill(at)
        expect(page.locator(WHEN)).to_contain_text(f"#{at} of 39")
        page.wait_for_timeout(100)
        check_whole(page, size[0])
    more = page.get_by_role("button", name="Show all").first
    more.scroll_into_view_if_needed()
    more.dispatch_event("click")
    expect(page.get_by_role("button", name="Show less").first).to_be_attached()
    page.wait_for_timeout(200)
    check_whole(page, size[0])
    for box in ("critique", "proposal"):
        page.get_by_role("button", name=f"Phase {box}", include_hidden=True).dispatch_event("click")
        check_whole(page, size[0])
    assert asked == []


def check_whole(page: Page, width: int) -> None:
    found = page.evaluate(
        """() => ({
            ran: "evil" in window,
            wide: document.documentElement.scrollWidth,
            panes: [...document.querySelectorAll(".transcript-scroll, .instruments, .map, .heading")]
                .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.className),
            high: Math.max(0, ...[...document.querySelectorAll(".card")].map((each) => each.offsetHeight)),
            bad: document.querySelectorAll("#page :is(script, style, iframe, object, img, [onerror], [onload])").length,
            links: [...document.querySelectorAll("a[href]")].map((each) => each.getAttribute("href"))
                .filter((href) => !/^(https?:|mailto:|#)/.test(href)).length,
            hidden: /[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff]/.test(document.getElementById("page").textContent),
        })"""
    )
    assert not found["ran"]
    assert found["wide"] <= width
    assert found["panes"] == []
    assert found["high"] < 6000
    assert (found["bad"], found["links"], found["hidden"]) == (0, 0, False)


def test_the_theme_is_chosen_and_kept(from_file: Opens) -> None:
    page = from_file(talk(5), color_scheme="light")
    paper = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.keyboard.press("t")
    assert page.evaluate(paper) == light
    page.keyboard.press("t")
    dark = page.evaluate(paper)
    assert dark != light
    page.reload()
    page.wait_for_selector(".card")
    assert page.evaluate(paper) == dark


def test_on_a_phone_one_pane_is_shown_at_a_time(from_file: Opens) -> None:
    page = from_file(talk(31), size=PHONE)
    expect(page.locator(".transcript-scroll")).to_be_visible()
    expect(page.locator(".instruments")).to_be_hidden()
    page.get_by_role("button", name="Instruments").click()
    expect(page.locator(".instruments")).to_be_visible()
    expect(page.locator(".transcript-scroll")).to_be_hidden()
    page.get_by_role("button", name="Diagram").click()
    expect(page.locator(LIT)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
