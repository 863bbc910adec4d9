"""Makes the pictures of the page: run `python docs/screenshots.py [NAME ...]` after a change of how it looks.

The scripted examples are recorded into a store, a real server serves it, and a real Chromium opens every screen, light
and dark, at a fixed time. The pictures go to docs/images/, as WebP.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from recorded import (
    ASKING,
    BEGAN,
    COUNCIL,
    DEBATE,
    REVIEW,
    ROOT,
    ROUNDTABLE,
    WORKSHOP,
    keep,
    record,
    written_down,
)

sys.path.insert(0, str(ROOT))  # the tests' browser and server

from playwright.sync_api import Page

from quorate.store.open import open_journal
from tests.support.browser import chromium
from tests.support.server import served

IMAGES = ROOT / "docs" / "images"
HOUR = 3_600_000
STORED = (ASKING, ROUNDTABLE, COUNCIL, WORKSHOP, DEBATE, REVIEW)
WIDE, PHONE = (1280, 800), (390, 780)
QUALITY = 82


@dataclass(frozen=True)
class Shot:
    """One picture: where it is, what has to be seen there before it is taken, and how large the window is."""

    name: str
    route: str
    sees: str
    """A CSS selector."""
    size: tuple[int, int] = WIDE


def shots(ids: dict[str, str]) -> Iterator[Shot]:
    review, council, workshop = ids["review"], ids["council"], ids["workshop"]
    yield Shot("sessions", "#/", ".session-link")
    yield Shot("welcome", "#/welcome", "main .welcome")
    yield Shot("live", f"#/sessions/{review}/live", "main .card")
    yield Shot("time-travel", f"#/sessions/{review}/live?at=6", "main .card")
    yield Shot("live-debate", f"#/sessions/{ids['debate']}/live", "main .card")
    yield Shot("phone", f"#/sessions/{review}/live", "main .card", PHONE)
    yield Shot("findings", f"#/sessions/{council}/findings", ".findings")
    yield Shot("agenda", f"#/sessions/{workshop}/agenda", ".topics")
    yield Shot("artifacts", f"#/sessions/{workshop}/artifacts", ".artifact")
    yield Shot("conversation", f"#/sessions/{ids['roundtable']}/conversation", ".chat-turn")
    yield Shot("report", f"#/sessions/{review}/report", ".report h3")
    yield Shot("evidence", f"#/sessions/{review}/evidence", ".verdict-line")
    yield Shot("inbox", "#/inbox", ".inbox-item form")
    yield Shot("protocol", "#/protocols/debate", "main svg")
    yield Shot("new-session", "#/new/review", "main form")


async def fill(store: str) -> dict[str, str]:
    """Record the examples into a store, an hour after each other, and return the id of each protocol's last one."""
    journal = open_journal(store)
    ids: dict[str, str] = {}
    try:
        for place, example in enumerate(STORED):
            result = written_down(await record(example), example.title, BEGAN + place * HOUR)
            await keep(journal, result)
            ids[example.protocol] = result.session
    finally:
        await journal.close()
    return ids


def take(page: Page, shot: Shot, address: str, path: Path) -> None:
    page.goto("about:blank")
    page.goto(f"{address}/{shot.route}")
    page.locator(shot.sees).first.wait_for()
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(800)  # what is drawn after the first look
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path.write_bytes(base64.b64decode(taken["data"]))
    sys.stdout.write(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1000} kB\n")


def main(wanted: list[str]) -> None:
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        store = f"sqlite:{folder}/quorate.db"
        ids = asyncio.run(fill(store))
        now = datetime.fromtimestamp((BEGAN + len(STORED) * HOUR) / 1000, UTC)
        with served(Path(folder), store) as address, chromium() as browser:
            for scheme in ("light", "dark"):
                for shot in shots(ids):
                    if wanted and shot.name not in wanted:
                        continue
                    width, height = shot.size
                    context = browser.new_context(
                        viewport={"width": width, "height": height},
                        color_scheme="light" if scheme == "light" else "dark",
                        locale="en-GB",
                        timezone_id="UTC",
                        reduced_motion="reduce",
                    )
                    page = context.new_page()
                    page.clock.set_fixed_time(now)
                    take(page, shot, address, IMAGES / f"{shot.name}-{scheme}.webp")
                    context.close()


if __name__ == "__main__":
    main(sys.argv[1:])
