"""One Chromium for all tests of a file of the page's. Where it is missing, they are skipped and say how to get it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.support.browser import PATH, PATIENCE, chromium
from tests.support.long_talk import page as as_file

WIDE, PHONE = (1280, 800), (360, 700)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PATH is None:
        pytest.skip("Chromium is not installed: make browser")
    with chromium() as started:
        yield started


@pytest.fixture
def tab(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages whose every error fails the test at its end; `size` and other options go to the browser."""
    contexts, wrong = [], list[str]()

    def opened(size: tuple[int, int] = WIDE, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        context.set_default_timeout(PATIENCE * 1000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)[:300]))
        page.on("dialog", refused)
        return page

    def refused(dialog: Dialog) -> None:
        wrong.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def from_file(tab: Callable[..., Page], tmp_path: Path) -> Callable[..., Page]:
    """Open a session's events as the page in one file."""

    def opened(events: list[dict[str, Any]], route: str = "#/sessions/debate-long/live", **options: Any) -> Page:
        written = tmp_path / "talk.html"
        written.write_text(as_file(events), encoding="utf-8", errors="surrogatepass")
        page = tab(**options)
        page.goto(f"{written.as_uri()}{route}")
        page.wait_for_selector(".slot")
        return page

    return opened
