"""One Chromium and one server for all tests of a file, and pages that may do nothing wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from tests.cli.shell import Shell
from tests.end_to_end.stand import PATIENCE, Stand, project, standing
from tests.support.browser import PATH, Watched, chromium
from tests.support.installed import environment

OUTSIDE = Path(__file__).parents[2] / "examples" / "dependencies"
"""A package of somebody else, with a protocol."""
WIDE, PHONE = (1280, 800), (360, 700)
Opens = Callable[..., Page]
LOST = (
    *("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE"),
    "503 (Service Unavailable)",
)
"""What Chromium itself says on the console where a server is gone, or stopping (503); no page can keep it from that."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PATH is None:
        pytest.skip("Chromium is not installed: make browser")
    expect.set_options(timeout=PATIENCE * 1000)
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def stand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(project(tmp_path_factory.mktemp("project"))) as running:
        yield running


@pytest.fixture
def opens(browser: Browser) -> Iterator[Opens]:
    """Open the page at an address after the hash; at the end of the test nothing may have gone wrong on any of them.

    With `lost=True` the server may be away for a while.
    """
    opened: list[tuple[Page, Watched, str, bool]] = []
    dialogs: list[str] = []

    def refused(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    def went(
        stand: Stand, route: str = "", *, size: tuple[int, int] = WIDE, lost: bool = False, **options: Any
    ) -> Page:
        context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        opened.append((page, Watched(page), stand.address, lost))
        page.on("dialog", refused)
        page.goto(f"{stand.address}/#/{route}")
        return page

    yield went
    try:
        for page, watched, address, lost in opened:
            complaints = [each for each in watched.errors if not (lost and any(name in each for name in LOST))]
            assert complaints == []
            assert {urlsplit(url).netloc for url in watched.requests if not url.startswith(("data:", "blob:"))} == {
                urlsplit(address).netloc
            }
            assert page.evaluate("window.hacked === undefined")
        assert dialogs == []
    finally:
        for page, *_ in opened:
            page.context.close()


def fits(page: Page) -> None:
    """The page may be scrolled down, never sideways."""
    width, view = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
    assert width <= view, f"{page.url}: {width} of {view}"


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A project whose owner has installed the package into an environment of its own."""
    python = environment(OUTSIDE, tmp_path / "environment", "dependencies")
    monkeypatch.delenv("PYTHONPATH", raising=False)
    folder = tmp_path / "project"
    shutil.copytree(OUTSIDE, folder, ignore=shutil.ignore_patterns("dependencies", "pyproject.toml", "README.md"))
    return Shell(folder, python=str(python))
