"""A server that dies while pages are open: they say so, come back by themselves, and show every event once."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.end_to_end.conftest import Opens
from tests.end_to_end.stand import Stand, project, replies, seat_script, standing
from tests.support.browser import needs_chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow, needs_chromium]


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Stand]:
    with standing(project(tmp_path)) as running:
        yield running


def test_a_page_outlives_its_server(mortal: Stand, opens: Opens) -> None:
    panel = seat_script(mortal.folder, "slow", {**replies(), "delay": 1})
    session = mortal.open("debate", {"problem": "Does it survive?"}, panel, settings={"rounds": 2})
    page = opens(mortal, f"sessions/{session}/live", lost=True)
    listed = opens(mortal, lost=True)
    expect(listed.locator(".session-row")).to_contain_text("Does it survive?")
    expect(page.locator(".connection")).to_have_text("live")
    for number, seen in ((signal.SIGKILL, 2), (signal.SIGINT, 6)):
        page.wait_for_function("(seen) => Number(document.querySelector('.slider input').max) >= seen", arg=seen)
        mortal.stop(number)
        expect(page.locator(".connection")).to_contain_text("connection lost")
        expect(listed.locator(".connection")).to_contain_text("connection lost")
        assert page.locator(".problem").count() == 0
        mortal.start()
        expect(page.locator(".connection")).to_have_text("live")
        expect(listed.locator(".connection")).to_have_text("")
    expect(page.locator(".line.concluded")).to_be_visible()
    expect(listed.locator(".session-row")).to_contain_text("solution")

    events = mortal.events(session)
    last = len(events) - 1
    expect(page.locator(".slider .when")).to_contain_text(f"#{last} of {last}")
    page.get_by_label("Show", exact=True).select_option("said")
    said = [each for each in events if each["kind"] in ("replied", "absent")]
    expect(page.locator(".transcript .tools [role=status]")).to_contain_text(re.compile(rf"^{len(said)} of "))
    assert len({each["ask"]["id"] for each in said}) == len(said), "no question was answered twice"
