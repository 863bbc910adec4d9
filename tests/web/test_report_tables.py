"""Tables of a report in a real browser: no number is broken in two, at whatever width, and nothing leaves its box."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from quorate.api.page import page
from quorate.api.sessions import Result
from quorate.evidence.quotations import quote
from quorate.evidence.report import html, style
from tests.support.browser import needs_chromium
from tests.support.reviewed import SESSION, compromised

pytestmark = [pytest.mark.browser, needs_chromium]

BROKEN = """() => {
  const broken = [];
  for (const cell of document.querySelectorAll("td, th")) {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = walk.nextNode(); text; text = walk.nextNode()) {
      if (text.parentElement.closest("code")) continue;
      for (const word of text.data.matchAll(/[^\\s-]+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
"""Words of cells, parted at spaces and hyphens, that stand on more than one line."""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("script", [True, False], ids=["page", "without script"])
def test_no_number_of_a_table_is_broken_in_two(
    tab: Callable[..., Page], tmp_path: Path, width: int, script: bool
) -> None:
    reviewed = compromised()
    written = tmp_path / "report.html"
    written.write_text(page(Result(SESSION, reviewed.record, reviewed.entries)), encoding="utf-8")
    options: dict[str, Any] = {} if script else {"java_script_enabled": False}
    opened = tab(size=(width, 900), **options)
    opened.goto(written.as_uri())
    if script:
        opened.get_by_role("navigation", name="Session").get_by_role("link", name="Report").click()
    opened.get_by_text("What it cost", exact=True).last.scroll_into_view_if_needed()
    assert opened.get_by_role("cell", name="$0.0012", exact=True).count()
    assert opened.evaluate(BROKEN) == []
    assert opened.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), (
        "wide tables scroll by themselves"
    )


GAPS = """() => {
  const [head, body] = ["thead", "tbody"].map((tag) => document.querySelector(tag).getBoundingClientRect());
  const [item, said] = ["li", "li p"].map((tag) => document.querySelector(tag).getBoundingClientRect());
  return [Math.round(body.top - head.bottom), said.top - item.top < 10];
}"""
"""How far apart the head and the body of a table are, and whether the words of an entry stand beside its number."""


def test_a_table_in_a_list_that_somebody_wrote_is_in_one_piece(tab: Callable[..., Page]) -> None:
    written = quote("1. Options:\n\n   | option | cost |\n   |---|---:|\n   | queue | 1400 |\n2. No ~~more~~")
    opened = tab(java_script_enabled=False)
    opened.set_content(f"<!doctype html><style>{style()}</style>{html(written)}")
    assert opened.evaluate(GAPS) == [0, True]
    assert opened.locator("blockquote li s").inner_text() == "more"
