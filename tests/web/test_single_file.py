"""A session in one file, opened from disk in a real browser: it works without a server, and no words in it can run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from quorate.api.page import page
from quorate.api.sessions import Result
from tests.support.browser import Watched, chromium, needs_chromium
from tests.support.played_debate import open_debate
from tests.support.reviewed import SESSION, compromised

pytestmark = [pytest.mark.browser, needs_chromium]

RUN = "window.hacked=1"
ATTACKS = (
    f"<script>{RUN}</script></script><script>{RUN}</script>",
    f"<img src=x onerror={RUN}><svg onload={RUN}></svg><iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"[click](javascript:{RUN}) <javascript:{RUN}> ![x](javascript:{RUN}) [y](data:text/html,<script>{RUN}</script>)",
    f"</noscript><script>{RUN}</script></style><script>{RUN}</script></title><script>{RUN}</script><!--",
    f'"><script>{RUN}</script>\' onmouseover="{RUN}" style="position:fixed;inset:0"',
    "![pixel](https://evil.example/p.png) <https://evil.example> \u202eteg\u200b \u2028 &lt;script&gt; {{7*7}} ${7*7}",
    "x" * 100_000,
    "[" * 20_000,
)
HOSTILE = "\n\n".join(ATTACKS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def review_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reviewed = compromised()
    return written(tmp_path_factory, Result(SESSION, reviewed.record, reviewed.entries))


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    short = "\n\n".join(ATTACKS[:6])
    played = open_debate(
        problem=f"{' '.join(ATTACKS[:5])}\n\n{HOSTILE}",
        words=lambda ask, name: HOSTILE if name in ("proposal", "solution") else short,
        outside=short,
        gaps=True,
        settings={"rounds": 1, "summarization": {"enabled": False}},
    ).play()
    return written(tmp_path_factory, Result(short, played.record, played.entries))


def written(factory: pytest.TempPathFactory, result: Result) -> Path:
    path = factory.mktemp("single") / "report.html"
    path.write_text(page(result), encoding="utf-8")
    return path


def shown(opened: Page) -> Locator:
    return opened.get_by_role("navigation", name="Session").locator("[aria-current=page]")


def tabs(opened: Page) -> list[str]:
    return opened.get_by_role("navigation", name="Session").get_by_role("link").all_inner_texts()


def test_it_opens_from_disk_and_shows_the_session(browser: Browser, review_file: Path) -> None:
    opened = browser.new_page()
    watched = Watched(opened)
    opened.goto(f"{review_file.as_uri()}#/sessions/{SESSION}/live")
    expect(opened.get_by_role("article", name="chair").first).to_be_visible()
    expect(opened.get_by_text("Concluded", exact=True)).to_be_visible()
    expect(opened.get_by_role("navigation", name="Session").get_by_role("link", name="Findings")).to_be_visible()
    assert {"Live", "Findings", "Report", "Evidence"} <= set(tabs(opened))
    for name in tabs(opened):
        opened.get_by_role("navigation", name="Session").get_by_role("link", name=name).click()
        expect(opened.get_by_role("main")).not_to_be_empty()
        expect(opened.locator(".problem")).to_have_count(0)
    assert watched.errors == []
    assert [url for url in watched.requests if not url.startswith(("file:", "blob:"))] == []
    assert len([url for url in watched.requests if url.startswith("file:")]) == 1
    opened.close()


def test_a_concluded_session_opens_on_its_report_unless_the_address_names_a_tab(
    browser: Browser, review_file: Path
) -> None:
    opened = browser.new_page()
    opened.goto(review_file.as_uri())
    expect(opened.locator(".report .prose")).to_contain_text("REQUEST_CHANGES")
    expect(shown(opened)).to_have_text("Report")
    for route, name in (("/live", "Live"), ("/evidence", "Evidence"), ("?at=2", "Live"), ("/nonsense", "Report")):
        opened.goto("about:blank")
        opened.goto(f"{review_file.as_uri()}#/sessions/{SESSION}{route}")
        expect(shown(opened)).to_have_text(name)
    opened.close()


def test_a_session_that_goes_on_opens_on_live(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
    played = open_debate(settings={"rounds": 1}).play(2)
    opened = browser.new_page()
    opened.goto(written(tmp_path_factory, Result("debate-open", played.record, played.entries)).as_uri())
    expect(opened.locator(".transcript .card").first).to_be_visible()
    expect(shown(opened)).to_have_text("Live")
    opened.close()


def test_one_can_travel_in_time_in_it(browser: Browser, review_file: Path) -> None:
    opened = browser.new_page()
    opened.goto(f"{review_file.as_uri()}#/sessions/{SESSION}/live")
    expect(opened.get_by_text("Concluded", exact=True)).to_be_visible()
    slider = opened.get_by_role("slider", name="Event of the journal")
    slider.fill("1")
    expect(opened.get_by_text("Concluded", exact=True)).to_have_count(0)
    expect(opened).to_have_url(re.compile("at=1"))
    transcript = opened.get_by_role("region", name="Transcript").last
    early = transcript.inner_text()
    opened.keyboard.press("Escape")
    opened.get_by_role("button", name="To the end").click()
    expect(opened.get_by_text("Concluded", exact=True)).to_be_visible()
    assert transcript.inner_text() != early
    opened.close()


def test_the_evidence_can_be_taken_out_of_it(browser: Browser, review_file: Path) -> None:
    opened = browser.new_page()
    opened.goto(review_file.as_uri())
    opened.get_by_role("navigation", name="Session").get_by_role("link", name="Evidence").click()
    with opened.expect_download() as started:
        opened.get_by_role("link", name="bundle.json").first.click()
    reviewed = compromised()
    assert reviewed.entries[-1].hash in Path(started.value.path()).read_text(encoding="utf-8")
    opened.close()


def test_without_scripts_the_report_is_there(browser: Browser, review_file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    watched = Watched(opened)
    opened.goto(review_file.as_uri())
    expect(opened.get_by_role("heading", level=1)).to_contain_text("REQUEST_CHANGES")
    expect(opened.get_by_role("heading", name="Committee")).to_be_visible()
    assert opened.get_by_role("heading", level=1).bounding_box()["y"] < 200  # type: ignore[index]
    assert watched.errors == []
    context.close()


@pytest.mark.parametrize("scripts", [True, False])
def test_nothing_that_anybody_said_runs(browser: Browser, hostile_file: Path, scripts: bool) -> None:
    context = browser.new_context(java_script_enabled=scripts)
    opened = context.new_page()
    watched = Watched(opened)
    opened.goto(hostile_file.as_uri())
    if scripts:
        expect(opened.locator(".report .prose")).to_be_visible()
        names = tabs(opened)
        assert "Live" in names
        for place, _ in enumerate(names):
            opened.get_by_role("navigation", name="Session").get_by_role("link").nth(place).click()
            expect(opened.locator(".problem")).to_have_count(0)
            opened.wait_for_timeout(100)
            assert opened.evaluate("window.hacked") is None
            assert opened.locator("img, iframe").count() == 0
        opened.get_by_role("navigation", name="Session").get_by_role("link").first.click()
        opened.get_by_role("slider", name="Event of the journal").fill("3")
        expect(opened.get_by_text("<script>window.hacked=1</script>").first).to_be_visible()
        assert opened.evaluate("window.hacked") is None
        links = opened.eval_on_selector_all("a[href]", "all => all.map((a) => a.protocol)")
        assert set(links) <= {"file:", "https:", "http:", "mailto:", "blob:"}
    else:
        assert "<script>window.hacked=1</script>" in opened.get_by_role("main").inner_text()
        assert opened.locator("script:not([type]), img, iframe, svg").count() == 0
    assert [url for url in watched.requests if not url.startswith("file:")] == []
    assert watched.errors == []
    context.close()
