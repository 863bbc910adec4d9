"""A debate in a real browser: opened, answered, watched, travelled through, forked, cancelled, and checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.end_to_end.conftest import Opens
from tests.end_to_end.stand import FOREVER, Stand, replies, seat_script
from tests.support.browser import needs_chromium

pytestmark = [pytest.mark.browser, needs_chromium]

PROBLEM = "How does a small shop keep an **audit log**?\n\nIt has one PostgreSQL server and one administrator."
TITLE = "How does a small shop keep an"
THINKING = "Let me see what a small shop can run on its own, and what it would have to trust somebody else with."
ANSWER = "About 400 on a *busy* day."
WHEN = ".slider .when"
CONTRIBUTIONS = ".transcript .tools [role=status]"


def thinking(delay: float) -> dict[str, Any]:
    """Return a script in which the architect thinks aloud before the first proposal."""
    script = replies()
    propose = script["seats"]["architect"]["propose"]
    script["seats"]["architect"]["propose"] = [
        {"reply": propose, "say": THINKING, "delay": delay},
        {"reply": propose, "repeat": True},
    ]
    return script


@pytest.fixture(scope="module")
def panel(stand: Stand) -> str:
    return seat_script(stand.folder, "thinking", thinking(15))  # a busy browser has to see it meanwhile


@pytest.fixture(scope="module")
def endless(stand: Stand) -> str:
    return seat_script(stand.folder, "endless", thinking(FOREVER))


@pytest.fixture(scope="module")
def concluded(stand: Stand) -> str:
    """A debate of one round that is over."""
    panel = seat_script(stand.folder, "quick", thinking(0))
    session = stand.open("debate", {"problem": PROBLEM}, panel, settings={"rounds": 1})
    stand.settled(session)
    return session


def session_of(page: Page) -> str:
    page.wait_for_url(re.compile(r"#/sessions/[^/]+/live"))
    return page.url.split("#/sessions/")[1].split("/")[0]


def lit(page: Page) -> Locator:
    return page.locator(".diagram .box.lit")


def answered(stand: Stand, session: str) -> dict[str, Any]:
    """Return what the person said."""
    return next(
        each for each in stand.events(session) if each["kind"] == "replied" and each["ask"]["form"] == "Answers"
    )


def test_a_debate_is_opened_answered_and_watched_to_its_verdict(stand: Stand, opens: Opens, panel: str) -> None:
    page = opens(stand, "new")
    page.get_by_role("link", name="debate").click()
    page.locator("[data-path=problem] textarea").fill(PROBLEM)
    page.locator("[data-path=panel] select").select_option(label=panel)
    page.get_by_role("heading", name="Settings").click()
    page.get_by_label("Interactive clarifications").check()
    page.get_by_label("Rounds", exact=True).fill("1")
    page.get_by_role("button", name="Open the session").click()
    session = session_of(page)

    expect(page.locator(".heading h1")).to_contain_text(TITLE)
    expect(lit(page)).to_have_attribute("data-phase", "CLARIFICATION_INPUT")
    expect(page.locator(".card.open", has_text="waits for a person")).to_be_visible()
    page.get_by_role("link", name="Answer in the inbox").click()
    item = page.locator(".inbox-item")
    expect(item).to_have_count(1)
    expect(item).to_contain_text("How many changes of orders are there on a busy day?")
    for place in item.locator("form textarea:visible").all():
        place.fill(ANSWER)
    item.get_by_role("button", name="Answer").click()
    expect(page.locator(".inbox-told")).to_contain_text("Answered")
    page.get_by_role("link", name="Watch that session").click()

    open_card = page.locator(".card.open", has_text="architect")
    expect(open_card.locator(".stream")).to_contain_text("Let me see what a small shop")
    expect(lit(page)).to_have_attribute("data-phase", "PROPOSAL")
    expect(open_card).to_contain_text("is at work")
    page.get_by_label("Find in the transcript").fill("a second store would bring a second truth")
    said = page.locator(".card:not(.open)", has=page.locator("h4", has_text="architect"))
    expect(said).to_contain_text("One append-only table")
    expect(page.locator(".stream", has_text="Let me see")).to_have_count(0)
    page.get_by_label("Find in the transcript").fill("")

    expect(page.locator(".line.concluded")).to_contain_text("concluded", ignore_case=True)
    expect(lit(page)).to_have_attribute("data-phase", "CONCLUDED")
    expect(page.locator(".card.open")).to_have_count(0)
    texts = [each["text"] for each in answered(stand, session)["reply"]["answers"].values()]
    assert set(texts) == {ANSWER}
    page.get_by_role("link", name="Conversation").click()
    expect(page.locator(".chat-line em", has_text="busy").first).to_be_visible()


def test_the_diagram_tells_why_and_why_not(stand: Stand, opens: Opens, concluded: str) -> None:
    page = opens(stand, f"sessions/{concluded}/live")
    page.get_by_role("button", name=re.compile("^Phase evaluation")).click()
    moves = page.get_by_label("What happened here")
    taken = [move for each in stand.events(concluded) for move in each["moves"] if move["phase"] == "EVALUATION"]
    expect(moves.locator(".move")).to_have_count(len(taken))
    expect(moves).to_contain_text(taken[-1]["not_taken"][0]["why"])
    page.keyboard.press("Escape")
    expect(moves).to_be_hidden()


def shows(page: Page, events: list[dict[str, Any]], at: int) -> None:
    """What is on screen is the session as of an event, by what the server tells of it."""
    told, last = events[at], len(events) - 1
    expect(page.locator(WHEN)).to_contain_text(f"#{at} of {last}")
    expect(lit(page)).to_have_attribute("data-phase", told["after"]["phase"])
    said = sum(each["kind"] in ("replied", "absent") for each in events[: at + 1])
    expect(page.locator(CONTRIBUTIONS)).to_contain_text(re.compile(rf"^{said} of "))
    expect(page.locator(".gauge > p:last-child")).to_have_text([each["words"] for each in told["after"]["gauges"]])
    expect(page.locator(".line.concluded")).to_have_count(0)
    expect(page.locator(".tail .card")).to_have_count(len(told["after"]["open"]))
    chip = page.locator(".heading").get_by_text(f"as of event {at}")
    expect(chip).to_have_count(0 if at == last else 1)


def test_time_is_travelled_with_the_slider_and_with_keys(stand: Stand, opens: Opens, concluded: str) -> None:
    events = stand.events(concluded)
    last = len(events) - 1
    page = opens(stand, f"sessions/{concluded}/live")
    page.get_by_label("Show", exact=True).select_option("said")
    shows(page, events, last)
    slider = page.get_by_label("Event of the journal")
    for at in (4, 0, last - 1, 2):
        slider.fill(str(at))
        shows(page, events, at)
    slider.press("ArrowRight")
    shows(page, events, 3)
    page.locator("main").focus()
    page.keyboard.press("ArrowLeft")
    shows(page, events, 2)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    shows(page, events, 4)
    page.wait_for_url(re.compile(r"\?at=4$"))
    page.reload()
    page.get_by_label("Show", exact=True).select_option("said")
    shows(page, events, 4)
    page.locator("main").focus()
    page.keyboard.press("l")
    shows(page, events, last)


def test_a_fork_with_another_setting_goes_to_its_own_verdict(stand: Stand, opens: Opens, concluded: str) -> None:
    events = stand.events(concluded)
    at = next(each["seq"] for each in events if each["after"]["phase"] == "CRITIQUE")
    page = opens(stand, f"sessions/{concluded}/live")
    expect(page.locator(".line.concluded")).to_be_visible()
    page.get_by_label("Event of the journal").fill(str(at))
    expect(page.locator(WHEN)).to_contain_text(f"#{at} of")
    page.get_by_role("button", name="Fork from here").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"Fork from event {at}")
    dialog.get_by_text("Change the settings").click()
    dialog.get_by_label("Rounds", exact=True).fill("2")
    dialog.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(lambda url: "/sessions/" in url and concluded not in url)
    forked = session_of(page)
    expect(page.locator(".heading")).to_contain_text(f"at #{at}")
    expect(page.locator(".line.concluded")).to_be_visible()
    expect(page.locator(".heading")).to_contain_text("exit code 0")

    after = stand.events(forked)
    assert after[0]["opening"]["settings"]["rounds"] == 2
    assert after[0]["opening"]["fork"] == {"of": concluded, "at": at, "head": events[at]["hash"]}
    kept = ("kind", "at", "ask", "reply", "tokens_in", "tokens_out")
    assert [[each[name] for name in kept] for each in after[1 : at + 1]] == [
        [each[name] for name in kept] for each in events[1 : at + 1]
    ]
    assert max(each["after"]["round"] for each in after) == 2
    assert max(each["after"]["round"] for each in events) == 1


def test_a_session_is_cancelled_while_it_runs(stand: Stand, opens: Opens, endless: str) -> None:
    session = stand.open("debate", {"problem": PROBLEM}, endless)
    page = opens(stand, f"sessions/{session}/live")
    expect(page.locator(".card.open", has_text="architect")).to_contain_text("is at work")
    expect(page.locator(".heading")).to_contain_text("running")
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("the shop was sold")
    dialog.get_by_role("button", name="Cancel the session").click()
    expect(page.locator(".line.interrupted")).to_contain_text("the shop was sold")
    expect(lit(page)).to_have_attribute("data-phase", "ABORTED")
    expect(page.locator(".card.open")).to_have_count(0)
    page.get_by_role("link", name="Sessions").click()
    row = page.locator(f"[data-session='{session}']")
    expect(row).to_contain_text("aborted")
    expect(row.get_by_text("running")).to_have_count(0)


def test_the_record_is_downloaded_and_holds_elsewhere(
    stand: Stand, opens: Opens, concluded: str, tmp_path: Path
) -> None:
    page = opens(stand, f"sessions/{concluded}/evidence")
    expect(page.locator(".seal")).to_contain_text("intact")
    with page.expect_download() as saved:
        page.get_by_role("link", name="bundle.json").first.click()
    bundle = tmp_path / "bundle.json"
    saved.value.save_as(bundle)
    checked = stand.program("check", str(bundle))
    assert checked.returncode == 0, checked.stderr
    text = bundle.read_text(encoding="utf-8")
    assert "append-only table" in text
    bundle.write_text(text.replace("append-only table", "append-only tables", 1), encoding="utf-8")
    assert stand.program("check", str(bundle)).returncode != 0
    page.get_by_role("link", name="Report", exact=True).click()
    expect(page.locator(".report .prose")).to_contain_text("One append-only table audit in the shop's PostgreSQL")


def test_all_of_it_goes_with_the_keyboard_alone(stand: Stand, opens: Opens) -> None:
    asking = seat_script(stand.folder, "asking", replies())
    page = opens(stand)
    expect(page.locator("main h1")).to_be_visible()
    page.keyboard.type("gn")  # at once: the second key has to follow soon
    reach(page, "a[href='#/new/debate']")
    page.keyboard.press("Enter")
    expect(page.locator("[data-path=panel] select")).to_be_visible()
    reach(page, "[data-path=problem] textarea")
    page.keyboard.type("Typed without a mouse?")
    reach(page, "[data-path=panel] select")
    page.keyboard.type(asking)
    reach(page, "summary:has-text('Settings')")
    page.keyboard.press("Enter")
    reach(page, "[data-path=rounds] input")
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    reach(page, "[data-path=interactive_clarifications] input")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    session = session_of(page)
    expect(page.locator(".card.open", has_text="waits for a person")).to_be_visible()
    page.keyboard.type("gi")
    expect(page.locator(".inbox-item[open] form textarea").first).to_be_visible()
    asked = stand.get(f"/sessions/{session}/questions")[0]["keys"]
    for place in range(len(asked)):
        reach(page, f".inbox-item[open] form textarea >> nth={place}")
        page.keyboard.type("Few.")
    reach(page, ".inbox-item[open] form button[type=submit]")
    page.keyboard.press("Enter")
    reach(page, ".inbox-told a")
    page.keyboard.press("Enter")
    expect(page.locator(".line.concluded")).to_be_visible()
    assert {each["text"] for each in answered(stand, session)["reply"]["answers"].values()} == {"Few."}


def reach(page: Page, selector: str, most: int = 60) -> None:
    """Press Tab until something has the focus, as somebody without a mouse does."""
    wanted = page.locator(selector).first
    wanted.wait_for()
    for _ in range(most):
        if wanted.evaluate("each => each === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} is not reached by the keyboard")
