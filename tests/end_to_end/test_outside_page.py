"""The page offers the protocol of an installed package like those that come along."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Browser, expect

from tests.cli.shell import Shell
from tests.support.browser import needs_chromium
from tests.support.server import served

pytestmark = [pytest.mark.browser, needs_chromium]


def test_the_page_opens_a_session_of_it_and_takes_the_word_of_its_owner(outside: Shell, browser: Browser) -> None:
    (outside.folder / "quorate.yaml").write_text(json.dumps({"panel": "panel.yaml"}))
    with served(outside.folder, "memory:", python=outside.python) as address:
        page = browser.new_page()
        page.goto(f"{address}/#/new")
        page.get_by_role("link", name="dependencies", exact=True).click()
        page.locator("[data-path=after] input").fill("requirements.txt")
        page.locator("[data-path=before] input").fill("before.txt")
        page.get_by_role("button", name="Open the session").click()
        page.wait_for_url("**/#/sessions/dependencies-*/live")
        page.get_by_role("link", name="Answer in the inbox").click()
        item = page.locator(".inbox-item")
        expect(item).to_contain_text("The reviewers do not both accept the new dependencies")
        for line in ("new: requests==2.32.3", "kept: click==8.2.1"):
            expect(item.get_by_role("listitem").filter(has_text=line)).to_have_text(line)
        item.get_by_label("Reason").fill("Three calls grow to thirty.")
        item.get_by_role("radio", name="accepted").check()
        item.get_by_role("button", name="Answer").click()
        page.get_by_role("link", name="Watch that session").click()
        expect(page.locator(".heading")).to_contain_text("approved")
        page.close()
    assert "- owner: accepted. Three calls grow to thirty." in (outside.folder / "DEPENDENCIES.md").read_text()
