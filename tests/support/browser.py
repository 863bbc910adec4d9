"""A real Chromium for tests: found where the system has it, and driven by Playwright; no browser is downloaded."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATH = os.environ.get("QUORATE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
needs_chromium = pytest.mark.skipif(PATH is None, reason="Chromium is not installed: `make browser` installs it")
PATIENCE = 60
"""Seconds that a busy machine may take until a page shows what it should."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, and end it."""
    expect.set_options(timeout=PATIENCE * 1000)
    with sync_playwright() as playwright:
        # In containers there is often neither a sandbox nor much shared memory.
        browser = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox", "--disable-dev-shm-usage"])
        try:
            yield browser
        finally:
            browser.close()


class Watched:
    """What a page did that nobody should see: errors, complaints on the console, and requests."""

    def __init__(self, page: Page) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)[:400]))
        page.on("console", lambda said: self.errors.append(said.text[:400]) if said.type == "error" else None)
        page.on("request", lambda request: self.requests.append(request.url[:200]))
