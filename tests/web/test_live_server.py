"""The page in front of a real server: the list, a session as it runs, a connection that is cut, what a person does."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from quorate.http.access import Access
from quorate.store.journal import Status
from quorate.workspace import Workspace
from tests.http.served import PROBLEM, READ_TOKEN, TOKEN, Served, project, serving
from tests.support.browser import needs_chromium

pytestmark = [pytest.mark.browser, needs_chromium]

Tab = Callable[..., Page]
WHEN = ".slider .when"
LONGER = {"panel": "panel.yaml", "debate": {"agents": ["architect", "security"], "rounds": 3}}


@dataclass
class Server:
    """A real server in a thread of its own, reached through a wire that can be cut."""

    workspace: Workspace
    access: Access | None = None
    served: Served = field(init=False)
    loop: asyncio.AbstractEventLoop = field(init=False)
    wire: Wire = field(init=False)

    def __enter__(self) -> Server:
        ready: Future[Served] = Future()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(ready)))
        self._thread.start()
        self.served = ready.result(timeout=30)
        self.wire = Wire(self.served.port)
        return self

    async def _run(self, ready: Future[Served]) -> None:
        self.loop = asyncio.get_running_loop()
        try:
            async with serving(self.workspace, self.access) as served:
                ready.set_result(served)
                await self._over.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
            raise

    def __exit__(self, *_: object) -> None:
        self.wire.close()
        self.loop.call_soon_threadsafe(self._over.set)
        self._thread.join(timeout=30)
        assert not self._thread.is_alive()

    def open(self, **more: Any) -> str:
        return asyncio.run_coroutine_threadsafe(self.served.open(**more), self.loop).result(30)

    def concluded(self, session: str) -> dict[str, Any]:
        return asyncio.run_coroutine_threadsafe(self.served.concluded(session), self.loop).result(60)

    def keep(self, session: str, like: str, status: Status) -> None:
        """Put a session into the store that was opened like another one, and stands so."""

        async def kept() -> None:
            journal = self.served.host.journal
            await journal.create(session, "debate", "t", 5, (await journal.entries(like))[0].body, {}, status)

        asyncio.run_coroutine_threadsafe(kept(), self.loop).result(30)

    def url(self, route: str = "", *, cuttable: bool = False) -> str:
        return f"http://127.0.0.1:{self.wire.port if cuttable else self.served.port}/{route}"


class Wire:
    """Carries bytes between a browser and a server, until it is cut."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._open |= {near, far}
                for here, there in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=(here, there), daemon=True).start()

    def _carry(self, here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while part := here.recv(65_536):
                there.sendall(part)
        for each in (here, there):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Cut every connection; new ones can be made."""
        for each in list(self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listening.close()
        self.cut()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with Server(project(tmp_path)) as running:
        yield running


@pytest.fixture
def slow_server(tmp_path: Path) -> Iterator[Server]:
    """A server whose sessions take ten seconds."""
    with Server(project(tmp_path, config=LONGER, delay=1)) as running:
        yield running


@pytest.fixture
def patient_server(tmp_path: Path) -> Iterator[Server]:
    """A server whose sessions do not end by themselves while a test lasts."""
    with Server(project(tmp_path, config=LONGER, delay=60)) as running:
        yield running


def test_without_sessions_the_list_leads_to_the_welcome(server: Server, tab: Tab) -> None:
    page = tab()
    page.goto(server.url())
    page.wait_for_url("**/#/welcome")


def test_sessions_are_listed_searched_and_reached_by_keyboard(server: Server, tab: Tab) -> None:
    first, second = server.open(), server.open(inputs={"problem": "Where do the backups go?"})
    server.concluded(first)
    server.concluded(second)
    page = tab()
    page.goto(server.url())
    rows = page.locator(".session-row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Where do the backups go?")
    expect(rows.first.locator(".chip").first).not_to_be_empty()
    page.get_by_label("Search sessions").fill("audit")
    expect(rows).to_have_count(1)
    page.get_by_label("Search sessions").fill("no such words")
    expect(page.locator(".sessions")).to_contain_text("No session is like that.")
    page.get_by_label("Search sessions").fill("")
    expect(rows).to_have_count(2)
    page.locator("main").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator(".heading h1")).to_have_text(PROBLEM)
    expect(page.locator(".tabs [aria-current]")).to_have_text("Report")  # it is concluded
    expect(page.locator(".connection")).to_contain_text("live")
    page.keyboard.type("gs")  # at once: the second key has to follow within a second or so
    expect(rows).to_have_count(2)


def test_a_ruling_is_listed_beside_the_verdict(server: Server, tab: Tab) -> None:
    session = server.open()
    server.concluded(session)
    server.keep("review-1", session, Status("CONCLUDED", 1, "INCONCLUSIVE", "", "APPROVED"))
    page = tab()
    page.goto(server.url())
    row = page.locator(".session-row[data-session=review-1]")
    expect(row.locator(".chip")).to_have_text(["inconclusive", "ruled approved"])


def test_a_session_is_watched_as_it_runs(slow_server: Server, tab: Tab) -> None:
    page = tab()
    page.goto(slow_server.url("#/protocols"))  # the page is there before the session begins
    expect(page.locator(".protocol-card").first).to_be_visible()
    session = slow_server.open()
    page.goto(slow_server.url(f"#/sessions/{session}/live"))
    expect(page.locator(".card.open")).not_to_have_count(0)
    expect(page.locator(".heading")).to_contain_text("running")
    expect(page.locator(".line.concluded")).to_be_visible()
    expect(page.locator(".card.open")).to_have_count(0)
    last = slow_server.concluded(session)["last"]
    expect(page.locator(WHEN)).to_contain_text(f"#{last} of {last}")


def test_a_cut_connection_loses_and_repeats_nothing(slow_server: Server, tab: Tab) -> None:
    session = slow_server.open()
    page = tab()
    page.goto(slow_server.url(f"#/sessions/{session}/live", cuttable=True))
    for seq in (2, 5, 9):
        page.wait_for_function("(seq) => Number(document.querySelector('.slider input')?.max) >= seq", arg=seq)
        slow_server.wire.cut()
    expect(page.locator(".line.concluded")).to_be_visible()
    last = slow_server.concluded(session)["last"]
    expect(page.locator(WHEN)).to_contain_text(f"#{last} of {last}")
    expect(page.locator(".connection")).to_contain_text("live")
    page.get_by_label("Show", exact=True).select_option("said")
    expect(page.locator(".transcript .tools [role=status]")).to_contain_text(f"{last} of")


def test_cancelling_asks_first_and_then_ends_the_session(patient_server: Server, tab: Tab) -> None:
    session = patient_server.open()
    page = tab()
    page.goto(patient_server.url(f"#/sessions/{session}/live"))
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("What was said is kept")
    dialog.get_by_role("button", name="Not now").click()
    expect(dialog).to_have_count(0)
    page.get_by_role("button", name="Cancel", exact=True).click()
    dialog.get_by_label("Why").fill("enough of it")
    dialog.get_by_role("button", name="Cancel the session").click()
    expect(page.locator(".line.interrupted")).to_contain_text("enough of it")
    expect(page.locator(".heading")).to_contain_text("interrupted: cancelled")
    row = page.get_by_role("button", name="Row any phase to aborted: cancelled")
    assert "taken as move" in (row.get_attribute("aria-label") or "")
    row.dispatch_event("click")
    expect(page.locator(".moves")).to_contain_text("before this phase decided")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)


def test_a_session_that_runs_is_opened_from_the_list_on_live(patient_server: Server, tab: Tab) -> None:
    patient_server.open()
    page = tab()
    page.goto(patient_server.url())
    page.locator(".session-link").click()
    expect(page.locator(".tabs [aria-current]")).to_have_text("Live")
    expect(page.locator(".card.open")).not_to_have_count(0)
    page.go_back()
    expect(page.locator(".session-row")).to_have_count(1)


def test_suspending_and_resuming(patient_server: Server, tab: Tab) -> None:
    session = patient_server.open()
    page = tab()
    page.goto(patient_server.url(f"#/sessions/{session}/live"))
    page.get_by_role("button", name="Suspend").click()
    expect(page.locator(".heading")).to_contain_text("not running")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("dialog").get_by_role("button", name="Resume").click()
    expect(page.locator(".heading .chip.good")).to_have_text("running")
    expect(page.get_by_role("button", name="Suspend")).to_be_visible()


def test_a_fork_from_an_earlier_event_goes_its_own_way(server: Server, tab: Tab) -> None:
    session = server.open()
    server.concluded(session)
    page = tab()
    page.goto(server.url(f"#/sessions/{session}/live?at=4"))
    expect(page.locator(WHEN)).to_contain_text("#4 of")
    page.get_by_role("button", name="Fork from here").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Fork from event 4")
    dialog.get_by_text("Change the settings").click()
    expect(dialog.locator(".form")).to_be_visible()
    dialog.get_by_role("button", name="Fork", exact=True).click()
    page.wait_for_url(lambda url: "/sessions/" in url and session not in url)
    expect(page.locator(".heading")).to_contain_text("at #4")
    expect(page.locator(".line.concluded")).to_be_visible()


def test_what_goes_wrong_is_told_in_words(server: Server, tab: Tab) -> None:
    page = tab()
    page.goto(server.url("#/sessions/debate-none/live"))
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such session")
    expect(page.get_by_role("alert")).to_contain_text("debate-none")
    for route, words in (("protocols/debat", "did you mean 'debate'?"), ("new/debat", "debat"), ("nowhere", "nowhere")):
        page.goto(server.url(f"#/{route}"))
        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(page.get_by_text("Fetching")).to_have_count(0)
    page.get_by_role("main").get_by_role("link", name="Sessions").click()
    page.wait_for_url("**/#/welcome")


def test_a_server_that_is_gone_is_said_in_place_of_the_screen(server: Server, tab: Tab) -> None:
    session = server.open()
    server.concluded(session)
    page = tab()
    page.goto(server.url(f"#/sessions/{session}/live"))
    expect(page.locator(".line.concluded")).to_be_visible()
    page.route("**/*", lambda route: route.abort("connectionrefused"))
    page.evaluate("location.hash = '#/protocols/debate'")
    expect(page.get_by_role("heading", level=1)).to_have_text("The server cannot be reached.")
    expect(page.locator(".heading")).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".problem")).to_contain_text("cannot be reached")
    expect(page.locator("body")).not_to_contain_text("module")


def test_a_login_that_may_only_read_is_not_offered_a_new_session(tmp_path: Path, tab: Tab) -> None:
    with Server(project(tmp_path), Access(token=TOKEN, read_token=READ_TOKEN)) as server:
        page = tab()
        page.goto(server.url("#/protocols"))
        page.get_by_label("Token").fill(READ_TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".protocol-card").first).to_be_visible()
        expect(page.get_by_role("link", name="New")).to_have_count(0)


def test_a_server_with_a_token_asks_for_it_once(tmp_path: Path, tab: Tab) -> None:
    with Server(project(tmp_path), Access(token=TOKEN)) as server:
        page = tab()
        page.goto(server.url("#/protocols"))
        token = page.get_by_label("Token")
        token.fill("not the token at all")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("not the server's token")
        token.fill(TOKEN)
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Protocols")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Protocols")
        assert TOKEN not in page.evaluate("document.cookie + JSON.stringify(localStorage)")
