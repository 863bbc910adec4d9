"""How fast the page is, in a real Chromium against a real server on this machine, each figure beside a baseline.

    python benchmarks/page.py [EVENTS]

First useful paint: from the start of the navigation to the frame that shows what was asked for. An event to the
screen: from the time that the server stamps on it, before it is on disk, to the end of the frame that draws its card.
Frames: the time between two of them while a session of 10,000 events is scrolled through and travelled through.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from long_debate import install
from storage import PROBLEM, Speaker

sys.path.insert(0, str(Path(__file__).parent.parent))  # the tests' browser and server

from playwright.sync_api import Browser, BrowserContext, Page

from quorate import catalog
from quorate.api.sessions import load
from quorate.codec import digest_text, encode_entry, encode_opening, parse_reply, protocol_digest
from quorate.config import read_config
from quorate.core.record import Envelope, Opening, Record
from quorate.core.types import Replied
from quorate.store.journal import Status
from quorate.store.open import open_journal
from quorate.workspace import Workspace
from tests.support.browser import chromium
from tests.support.server import served

LONG, SHORT, START = "long-10000", "long-20", 1_770_000_000_000
ANSWERS, PAUSE = 100, 0.15
FRAMES = 300
BARE = "bare.html"
PATIENCE = 300
"""Seconds until all events of a long session have to be there."""
OPENED = 5
"""Times that each page is opened."""

SEEN = """() => {
  const seen = (window.seen = {}), painted = new MessageChannel(), waiting = [];
  painted.port1.onmessage = () => {
    for (const seq of waiting.splice(0)) seen[seq] = performance.timeOrigin + performance.now();
  };
  const look = () => {
    let fresh = false;
    for (const card of document.querySelectorAll("[data-seq]")) {
      if (card.dataset.seq in seen) continue;
      seen[card.dataset.seq] = null;
      waiting.push(card.dataset.seq);
      fresh = true;
    }
    if (fresh) requestAnimationFrame(() => painted.port2.postMessage(0));
  };
  document.addEventListener("DOMContentLoaded", () => {
    new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true });
  });
}"""
HEARD = """(id) => {
  window.heard = {};
  new EventSource(`/api/sessions/${id}/events`).addEventListener("entry", (message) => {
    heard[message.lastEventId] = performance.timeOrigin + performance.now();
  });
}"""
PAINTED = """(wanted) => new Promise((done) => {
  const look = () => document.querySelector(wanted)
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now())))
    : requestAnimationFrame(look);
  look();
})"""
MOVED = """([what, frames]) => new Promise((done) => {
  const scroller = document.querySelector(".transcript-scroll") ?? document.scrollingElement;
  const range = document.querySelector("input[type=range]");
  const took = [];
  let last = null, count = 0;
  if (what === "scroll") scroller.scrollTop = 0;
  const step = (now) => {
    if (last !== null) took.push(now - last);
    last = now;
    if (count++ === frames) return done([took, what === "scroll" ? scroller.scrollTop : Number(range.max)]);
    if (what === "scroll") scroller.scrollTop += 400;
    else {
      range.value = String(Math.round((Number(range.max) * ((count * 7) % frames)) / frames));
      range.dispatchEvent(new Event("input", { bubbles: true }));
    }
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


async def fill(store: str, session: str, events: int) -> None:
    """Keep a long debate of so many events, as a real one would stand in the store."""
    settings = {"rounds": 100_000, "summarization": {"enabled": False}}
    built = catalog.build("long", settings, seed=7)
    opening = Opening(
        session=session,
        protocol="long",
        version=built.version,
        digest=protocol_digest(built),
        title=f"A debate of {events} events",
        seed=7,
        settings=built.settings,
        panel={seat: "openai:gpt-5.2" for seat in built.seats},
        material={"problem": digest_text(PROBLEM)},
        briefs={name: digest_text(text) for name, text in built.briefs.items()},
        run={"budget": {}, "panel": "{}"},
    )
    record, speaker, past = Record(built, opening, {"problem": PROBLEM}), Speaker(0.4), list[tuple[str, str]]()
    for seq in range(1, events):
        ask = record.session.open[0]
        event = Replied(ask.id, parse_reply(ask, speaker.reply(ask)))
        envelope = Envelope(seq, START + 9_137 * seq, "openai:gpt-5.2", 3_217 + seq, 571, 14_035, elapsed=8_912)
        record.take(event, envelope)
        past.append((encode_entry(event, envelope), ask.id))
    texts = {digest_text(text): text for text in (PROBLEM, *built.briefs.values())}
    status = Status(record.session.phase.name, built.round(record.session.state), "", "")
    journal = open_journal(store)
    body = encode_opening(opening, Envelope(at=START))
    await journal.create(session, "long", opening.title, START, body, texts, status, [(b, str(a)) for b, a in past])
    await journal.close()


# An event to the screen


def post(address: str, path: str, body: Any) -> Any:
    head = {"Content-Type": "application/json"}
    request = Request(f"{address}/api{path}", json.dumps(body).encode(), head)  # noqa: S310 - our own server
    with urlopen(request, timeout=60) as answer:  # noqa: S310 - our own server
        return json.load(answer)


def open_with_people(address: str) -> str:
    """Open a debate in which people sit on every seat, so that every event comes when we answer."""
    body = {"protocol": "debate", "inputs": {"problem": PROBLEM}, "panel": "people.yaml", "settings": {"rounds": 100}}
    opened: str = post(address, "/sessions", body)["session"]
    return opened


def answer_all(address: str, store: str, session: str, times: int) -> None:
    """Answer so many questions, one at a time with a pause, as people do."""

    async def answering() -> None:
        workspace, journal = Workspace(None, read_config([], {}, ()), store), open_journal(store)
        speaker, done = Speaker(0.4), 0
        while done < times:
            waiting = (await load(workspace, journal, session)).waiting
            for ask in waiting[: times - done]:
                data = speaker.reply(ask)
                await asyncio.to_thread(post, address, f"/sessions/{session}/answers/{ask.id}", {"answer": data})
                done += 1
                await asyncio.sleep(PAUSE)
            if not waiting:
                await asyncio.sleep(0.05)
        await journal.close()

    asyncio.run(answering())


def latency(browser: Browser, address: str, store: str) -> None:
    session = open_with_people(address)
    context = opened(browser)
    page, bare = context.new_page(), context.new_page()
    page.add_init_script(f"({SEEN})()")
    page.goto(f"{address}/#/sessions/{session}/live")
    page.locator("input[type=range]").wait_for()
    bare.goto(f"{address}/{BARE}")
    bare.evaluate(HEARD, session)
    page.bring_to_front()
    page.wait_for_timeout(1_000)
    writer = threading.Thread(target=answer_all, args=(address, store, session, ANSWERS))
    writer.start()
    while writer.is_alive():
        page.wait_for_timeout(100)
    page.wait_for_timeout(1_000)
    seen, heard = page.evaluate("window.seen"), bare.evaluate("window.heard")
    with urlopen(f"{address}/api/sessions/{session}/entries?limit=1000") as answer:  # noqa: S310 - our own server
        stamped = {str(event["seq"]): event["at"] for event in json.load(answer)["events"]}
    wanted = [str(seq) for seq in range(1, ANSWERS + 1)]
    told("event to the screen", [seen[seq] - stamped[seq] for seq in wanted if seen.get(seq)], of=len(wanted))
    told("  baseline: event to a page that does nothing", [heard[seq] - stamped[seq] for seq in wanted if seq in heard])
    context.close()


# Paint and frames


def opened(browser: Browser) -> BrowserContext:
    """A browser that knows nothing yet, with an empty page at hand for baselines."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.route(f"**/{BARE}", lambda route: route.fulfill(content_type="text/html", body="<p>nothing</p>"))
    return context


def paint(browser: Browser, address: str, name: str, route: str, wanted: str) -> None:
    took = []
    for _ in range(OPENED):
        context = opened(browser)
        page = context.new_page()
        page.goto(f"{address}/{route}", wait_until="commit")
        took.append(page.evaluate(PAINTED, wanted))
        context.close()
    told(name, took)


def frames(page: Page, name: str, what: str) -> None:
    """Tell how long frames took, and how much of that the page itself was at work, whatever else this machine did."""
    tools = page.context.new_cdp_session(page)
    tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        found: list[dict[str, Any]] = tools.send("Performance.getMetrics")["metrics"]
        return next(1000 * float(each["value"]) for each in found if each["name"] == "TaskDuration")

    before = worked()
    took, reached = page.evaluate(MOVED, [what, FRAMES])
    if not reached:
        raise RuntimeError(f"{name}: nothing moved")
    work, short = (worked() - before) / FRAMES, sum(each < 33.4 for each in took)
    told(name, took, more=f", {100 * short / len(took):.1f} % within 33 ms, {work:.1f} ms of work each on average")


def told(name: str, took: Sequence[float], of: int | None = None, more: str = "") -> None:
    ordered = sorted(took)
    if not ordered:
        sys.stdout.write(f"{name}: nothing was seen\n")
        return
    middle, high = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]
    count = f"{len(ordered)} of {of}" if of is not None else f"{len(ordered)}"
    figures = f"p50 {middle:.1f} ms, p95 {high:.1f} ms, most {ordered[-1]:.1f} ms"
    sys.stdout.write(f"{name}: {figures} ({count}){more}\n")


def main(events: int) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        environment = install(folder)
        store = f"sqlite:{folder}/quorate.db"
        seats = "".join(f"  {seat}: person\n" for seat in catalog.build("debate").seats)
        (folder / "people.yaml").write_text(f"seats:\n{seats}")
        (folder / "quorate.yaml").write_text("{}\n")
        for session, count in ((SHORT, 20), (LONG, events)):
            asyncio.run(fill(store, session, count))
        sys.stdout.write(f"load of this machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n")
        with served(folder, store, environment) as address, chromium() as browser:
            paint(browser, address, "first useful paint, sessions", "#/", ".session-link")
            paint(
                browser, address, "first useful paint, a session of 20 events", f"#/sessions/{SHORT}/live", "[data-seq]"
            )
            paint(browser, address, "  baseline: an empty page", BARE, "p")
            latency(browser, address, store)
            page = opened(browser).new_page()
            began = time.perf_counter()
            page.goto(f"{address}/#/sessions/{LONG}/live")
            while (there := page.evaluate("document.querySelector('input[type=range]')?.max")) != str(events - 1):
                if time.perf_counter() - began > PATIENCE:
                    raise RuntimeError(f"only {there} of {events} events are there after {PATIENCE} s")
                page.wait_for_timeout(50)
            sys.stdout.write(f"all {events} events are there after {time.perf_counter() - began:.1f} s\n")
            frames(page, f"frames, scrolling through {events} events", "scroll")
            frames(page, f"frames, travelling through {events} events", "travel")
            page.goto("about:blank")
            page.set_content("<div style='height: 1000000px'>nothing</div>")
            frames(page, "  baseline: frames, scrolling through nothing", "scroll")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
