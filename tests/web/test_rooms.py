"""The rooms of the page on a real server: boards, conversation, report, evidence, inbox, protocols, new, welcome."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from quorate import catalog
from quorate.evidence.bundle import check_bundle
from tests.support.browser import needs_chromium
from tests.support.server import served
from tests.web.conftest import PHONE

pytestmark = [pytest.mark.browser, needs_chromium]
EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTILE = "<img src=x onerror='window.hacked=1'><script>window.hacked=1</script> \u202egnp.exe [x](javascript:alert(1))"
Opens = Callable[..., Page]


@dataclass
class Server:
    """A server with one session of every protocol."""

    address: str
    folder: Path
    sessions: dict[str, str]

    def get(self, path: str) -> Any:
        with urlopen(f"{self.address}/api{path}") as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        data, headers = json.dumps(body).encode(), {"Content-Type": "application/json"}
        with urlopen(Request(f"{self.address}/api{path}", data, headers)) as answer:
            return json.load(answer)

    def open(self, protocol: str, inputs: dict[str, Any], panel: str, **more: Any) -> str:
        body = {"protocol": protocol, "inputs": inputs, "panel": panel, **more}
        return str(self.post("/sessions", body)["session"])

    def workshop(self) -> str:
        """Open a workshop that will wait for a ruling."""
        inputs = {"topic": "An audit log for a small online shop", "agenda": "agenda.yaml"}
        seats = {"participants": ["product-manager", "qa-lead", "security-champion"]}
        return self.open("workshop", inputs, "workshop-panel.yaml", settings=seats)

    def settled(self, session: str) -> None:
        """Wait until a session has ended or waits for a person."""
        with urlopen(f"{self.address}/api/sessions/{session}/events", timeout=60) as events:
            for line in events:
                if line.startswith(b"data:"):
                    told = json.loads(line[5:])
                    if told.get("conclusion") or told.get("after", {}).get("waiting"):
                        return


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("rooms")
    shutil.copytree(EXAMPLES, folder, dirs_exist_ok=True)
    (folder / "quorate.yaml").write_text(
        "debate: {rounds: 1}\nbudget: {tokens: 900000, seconds: 600}\n", encoding="utf-8"
    )
    for name, text in catalog.definition("roundtable").sample.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    replies = (folder / "review-replies.yaml").read_text(encoding="utf-8")
    said = "An order in a currency that is not listed ends in a KeyError, and the customer sees a blank page."
    assert said in replies
    hostile = replies.replace(said, json.dumps(HOSTILE, ensure_ascii=True))
    (folder / "hostile-replies.yaml").write_text(hostile, encoding="utf-8")
    (folder / "hostile-panel.yaml").write_text("script: hostile-replies.yaml\n", encoding="utf-8")
    diff = (folder / "change.diff").read_text(encoding="utf-8")
    with served(folder, f"sqlite:{folder / 'store.db'}") as address:
        made = Server(address, folder, {})
        made.sessions["review"] = made.open("review", {"diff": diff}, "review-panel.yaml")
        made.sessions["hostile"] = made.open("review", {"diff": diff}, "hostile-panel.yaml")
        made.sessions["council"] = made.open("council", {"rfc": "rfc/documents/rfcs/RFC-0042"}, "council-panel.yaml")
        made.sessions["workshop"] = made.workshop()
        docs = {"topic": "Which payment provider do we take?", "docs": "elaboration"}
        made.sessions["roundtable"] = made.open("roundtable", docs, "roundtable-panel.yaml")
        for session in made.sessions.values():
            made.settled(session)
        yield made


@pytest.fixture
def go(server: Server, tab: Opens) -> Iterator[Opens]:
    """Open a room of the page by its address after the hash; nothing said in it may have run."""
    opened: list[Page] = []

    def went(route: str, **options: Any) -> Page:
        page = tab(**options)
        opened.append(page)
        page.goto(f"{server.address}/#/{route}")
        return page

    yield went
    for page in opened:
        assert page.evaluate("window.hacked === undefined")


def test_findings_are_sorted_filtered_and_opened(server: Server, go: Opens) -> None:
    page = go(f"sessions/{server.sessions['council']}/findings")
    rows = page.locator(".finding")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("major")
    page.get_by_role("button", name="Severity").click()
    expect(rows.first).to_contain_text("minor")
    page.get_by_label("contested only").check()
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("dismissed")
    page.get_by_label("contested only").uncheck()
    page.get_by_label("Search findings").fill("page is lost")
    expect(rows).to_have_count(1)
    opener = rows.first.get_by_role("button")
    opener.focus()
    page.keyboard.press("Enter")
    expect(opener).to_have_attribute("aria-expanded", "true")
    expect(rows.first.locator(".detail")).to_contain_text("History")
    page.get_by_label("Search findings").fill("")
    expect(page.locator(".matrix tbody tr")).to_have_count(3)
    votes = page.locator(".matrix tbody tr", has_text="One slip of the hand").locator("td")
    assert sorted(each.strip() for each in votes.all_inner_texts()) == ["✓support", "✗oppose", "✗oppose"]


def test_a_board_is_that_of_the_moment(server: Server, go: Opens) -> None:
    session = server.sessions["review"]
    last = server.get(f"/sessions/{session}")["last"]
    counts = [len(server.get(f"/sessions/{session}/board?at={at}")["board"]["findings"]) for at in range(last + 1)]
    early = max(at for at, count in enumerate(counts) if count == 0)
    page = go(f"sessions/{session}/findings")
    expect(page.locator(".finding")).to_have_count(counts[-1])
    page.goto(f"{server.address}/#/sessions/{session}/findings?at={early}")
    expect(page.locator(".finding")).to_have_count(0)
    expect(page.get_by_text("Nobody has raised a finding so far.")).to_be_visible()


def test_what_a_model_says_stays_text(server: Server, go: Opens) -> None:
    page = go(f"sessions/{server.sessions['hostile']}/findings")
    row = page.locator(".finding", has_text="onerror").first
    row.get_by_role("button").click()
    expect(row.locator(".detail .prose").first).to_contain_text("<script>window.hacked=1</script>")
    for room in ("findings", "report", "evidence"):
        page.goto(f"{server.address}/#/sessions/{server.sessions['hostile']}/{room}")
        expect(page.locator(f".tab-{room} .panel, .tab-{room} table").first).to_be_visible()
        assert page.locator(f".tab-{room} img, .tab-{room} script, a[href^=javascript]").count() == 0
        assert "\u202e" not in page.locator("main").inner_text()


def test_agenda_and_artifacts(server: Server, go: Opens) -> None:
    page = go(f"sessions/{server.sessions['workshop']}/agenda")
    board = server.get(f"/sessions/{server.sessions['workshop']}/board")["board"]
    expect(page.locator(".topic")).to_have_count(len(board["topics"]))
    met = sum(each["met"] for topic in board["topics"] for each in topic["criteria"])
    expect(page.locator(".criteria .met")).to_have_count(met)
    page.get_by_role("link", name="Artifacts").click()
    expect(page.locator(".artifact")).to_have_count(len(board["artifacts"]))
    conflict = page.locator(".column", has_text="CONF-001")
    expect(conflict.get_by_role("heading").first).to_have_text("open 1")
    conflict.get_by_text("Details").click()
    expect(conflict).to_contain_text("History")
    page.get_by_label("Kind").select_option("NFR")
    expect(page.locator(".artifact")).to_have_count(1)


def test_the_inbox_goes_from_one_answer_to_the_next(server: Server, go: Opens) -> None:
    first, second = server.workshop(), server.workshop()
    for session in (first, second):
        server.settled(session)
    page = go("inbox")
    # Other questions wait as well: fold them, and open that of the first workshop.
    item = page.locator(".inbox-session", has=page.locator(f"a[href*='{first}']")).locator(".inbox-item")
    expect(item).to_have_count(1)
    if not item.evaluate("each => each.open"):
        item.locator("summary").first.click()
    expect(item).to_contain_text("The facilitator recommends")
    item.get_by_role("radio", name="decide").check()
    item.locator("[data-path=decision] textarea").fill("Sixty days.")
    item.get_by_role("button", name="Answer").click()
    expect(page.locator(".inbox-told")).to_contain_text("Answered: escalate. Here is the next one.")
    expect(item).to_have_count(0)
    expect(page.locator(".inbox-item[open] form")).to_be_visible()
    events = server.get(f"/sessions/{first}/entries")["events"]
    answered = next(each for each in events if each["kind"] == "replied" and each["ask"]["form"] == "Ruling")
    assert answered["reply"] | {"choice": "decide", "decision": "Sixty days."} == answered["reply"]


def test_a_session_that_asks_again_is_answered_where_it_was(server: Server, tab: Opens) -> None:
    with served(server.folder, f"sqlite:{server.folder / 'again.db'}") as address:
        alone = Server(address, server.folder, {})
        docs = {"topic": "Which payment provider do we take?", "docs": "elaboration"}
        alone.settled(alone.open("roundtable", docs, "roundtable-panel.yaml"))
        page = tab()
        page.goto(f"{address}/#/inbox")
        page.get_by_role("radio", name="elaborate").check()
        page.get_by_role("button", name="Answer").click()
        expect(page.locator(".inbox-told")).to_contain_text("Answered: menu. The session goes on.")
        expect(page.locator(".inbox-item[open] textarea").first).to_be_visible()
        expect(page.locator(".inbox-told")).to_be_hidden()


def test_what_would_change_nothing_is_not_offered(server: Server, go: Opens) -> None:
    session = server.workshop()
    server.settled(session)
    page = go(f"sessions/{session}/live")
    expect(page.locator(".heading")).to_contain_text("escalation")
    expect(page.get_by_role("button", name="Wrap up")).to_be_visible()
    expect(page.locator(".diagram .box.lit")).to_have_attribute("data-phase", "ESCALATION")
    for name in ("Escalate", "Resume"):
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)


def test_an_answer_that_comes_too_late_is_told(server: Server, go: Opens) -> None:
    session = server.workshop()
    server.settled(session)
    asked = server.get(f"/sessions/{session}/questions")[0]
    page = go("inbox")
    item = page.locator(".inbox-session", has=page.locator(f"a[href*='{session}']")).locator(".inbox-item")
    expect(item).to_have_count(1)
    if not item.evaluate("each => each.open"):
        item.locator("summary").first.click()
    item.get_by_role("radio", name="accept").check()
    reply = {"reason": "", "decision": "", "choice": "go_on"}
    assert server.post(f"/sessions/{session}/answers/{asked['ask']}", {"answer": reply})["counted"] is True
    item.get_by_role("button", name="Answer").click()
    expect(page.locator(".inbox-told")).to_contain_text("Somebody answered first")


def test_a_conversation_is_answered_where_it_is_read(server: Server, go: Opens) -> None:
    page = go(f"sessions/{server.sessions['roundtable']}/conversation")
    page.get_by_role("radio", name="elaborate").check()
    page.get_by_role("button", name="Answer").click()
    lines = page.locator(".chat-line")
    expect(lines.first).to_be_visible()
    turn = page.locator(".chat-turn textarea").first
    expect(turn).to_be_visible()
    turn.fill("What does it **cost** us a month? <b>now</b>")
    page.locator(".chat-turn").get_by_role("button", name="Answer").click()
    mine = page.locator(".chat-line", has_text="us a month? <b>now</b>")
    expect(mine).to_be_visible()
    expect(mine.locator("strong")).to_have_text("cost")


def test_the_report_is_read_and_every_file_can_be_saved(server: Server, go: Opens) -> None:
    session = server.sessions["review"]
    page = go(f"sessions/{session}/report")
    expect(page.locator(".report .prose")).to_contain_text("REQUEST_CHANGES")
    names = {each["name"] for each in server.get(f"/sessions/{session}/reports")}
    with page.expect_download() as saved:
        page.locator(".files li", has_text="findings.sarif").get_by_role("link").click()
    assert saved.value.suggested_filename == "findings.sarif"
    expect(page.locator(".files li")).to_have_count(len(names))
    expect(page.get_by_text("of the whole session")).to_be_hidden()
    page.goto(f"{server.address}/#/sessions/{session}/report?at=2")
    expect(page.get_by_text("This report is of the whole session, not of event 2.")).to_be_visible()


def test_evidence_says_whether_it_holds_and_how_it_came_about(server: Server, go: Opens) -> None:
    session = server.sessions["review"]
    page = go(f"sessions/{session}/evidence")
    sealed = server.get(f"/sessions/{session}/seal")
    expect(page.locator(".seal")).to_contain_text("intact")
    expect(page.locator(".seal")).to_contain_text(sealed["head"])
    events = server.get(f"/sessions/{session}/entries")["events"]
    moves = [move for event in events for move in event["moves"]]
    expect(page.locator(".step")).to_have_count(len(moves))
    expect(page.locator(".step").last).to_contain_text("conclusion")
    expect(page.locator(".evidence")).to_contain_text(events[0]["opening"]["digest"])
    expect(page.locator(".evidence")).to_contain_text(str(events[0]["opening"]["seed"]))
    with page.expect_download() as saved:
        page.get_by_role("link", name="bundle.json").click()
    expect(page.locator(".command")).to_contain_text(f"quorate check {saved.value.suggested_filename}")
    bundle = json.loads(Path(saved.value.path()).read_text(encoding="utf-8"))
    assert check_bundle(bundle, None, sealed["head"]) == []


def test_a_test_that_was_not_reached_is_shown_as_neither_held_nor_fallen(server: Server, go: Opens) -> None:
    session = server.sessions["review"]
    events = server.get(f"/sessions/{session}/entries")["events"]
    made = [test for event in events for move in event["moves"] for test in move["because"]]
    page = go(f"sessions/{session}/evidence")
    rows = page.locator(".because li")
    expect(rows).to_have_count(len(made))
    signs, words = page.locator(".because .criterion-sign").all_inner_texts(), rows.all_text_contents()
    assert {test["reached"] for test in made if test["held"]} == {True, False}
    for test, sign, said in zip(made, signs, words, strict=True):
        expected = ("✓", "held") if test["held"] else ("✗", "did not hold")
        mark, word = expected if test["reached"] else ("–", "not reached")
        assert (sign, said.endswith(f"({word})")) == (mark, True), test


def test_a_protocol_is_shown_with_its_table_rules_and_proof(server: Server, go: Opens) -> None:
    page = go("protocols")
    expect(page.locator(".protocol-card")).to_have_count(len(catalog.definitions()))
    page.get_by_role("link", name="review", exact=True).click()
    told = server.get("/protocols/review")
    expect(page.locator("#part-table tbody tr")).to_have_count(len(told["table"]))
    expect(page.locator("#part-diagram svg")).to_be_visible()
    expect(page.locator("#part-settings")).to_contain_text("blocking_severity")
    expect(page.locator("#part-ends")).to_contain_text("request changes")
    page.get_by_role("button", name="Rules").click()
    expect(page.locator("#head-rules")).to_be_focused()
    page.get_by_role("button", name="Prove it now").click()
    expect(page.locator(".proof-running")).to_contain_text("Proving it")


def test_a_session_is_opened_with_what_was_changed(server: Server, go: Opens) -> None:
    page = go("new/debate")
    page.get_by_role("button", name="Open the session").click()
    expect(page.locator("[data-path=problem] .field-error")).to_contain_text("is needed")
    page.locator("[data-path=problem] textarea").fill(f"How to store invoices?\n{HOSTILE}")
    page.locator("[data-path=panel] select").select_option(label="scripted-panel.yaml")
    page.get_by_role("heading", name="Settings").click()
    rounds = page.locator("[data-path=rounds]")
    expect(rounds).to_contain_text("default: 1")
    expect(rounds.locator("input")).to_have_value("1")
    rounds.locator("input").fill("3")
    expect(page.get_by_text("default: none")).to_have_count(0)
    page.get_by_role("heading", name="Budget and seed").click()
    page.locator("[data-path=seed] input").fill("7")
    expect(page.locator("[data-path='budget.tokens'] input")).to_have_value("900000")
    page.locator("[data-path='budget.seconds'] input").fill("")
    page.get_by_role("button", name="Open the session").click()
    page.wait_for_url("**/#/sessions/debate-*/live")
    session = page.url.split("/sessions/")[1].split("/")[0]
    opening = server.get(f"/sessions/{session}/entries?limit=1")["events"][0]["opening"]
    assert (opening["seed"], opening["settings"]["rounds"]) == (7, 3)
    assert server.get(f"/sessions/{session}")["budget"] == {"tokens": 900_000, "cents": None, "seconds": None}
    expect(page.locator(".heading h1")).to_have_text("How to store invoices?")


def test_a_setting_that_is_refused_is_said_at_its_field(server: Server, go: Opens) -> None:
    page = go("new/review")
    page.get_by_role("heading", name="Settings").click()
    page.locator("[data-path=quorum] input").fill("many")
    page.locator("[data-path=diff] textarea").fill((EXAMPLES / "change.diff").read_text(encoding="utf-8"))
    page.get_by_role("button", name="Open the session").click()
    expect(page.locator("[data-path=quorum] .field-error")).to_contain_text("many")
    expect(page.locator("[data-path=quorum] input")).to_be_focused()
    page.goto(f"{server.address}/#/new/workshop")
    expect(page.locator("[data-path=kind]")).to_be_visible()
    expect(page.locator("[data-path=strategy]")).to_have_count(1)
    expect(page.locator("[data-path=workflow]")).to_have_count(0)  # the kind sets it
    page.goto(f"{server.address}/#/new/council")
    expect(page.locator("[data-path=rfc] label")).to_contain_text("RFC")


def test_the_first_visit_plays_a_recorded_session(server: Server, go: Opens) -> None:
    page = go("welcome")
    page.get_by_role("button", name="Play a recorded session").click()
    expect(page.locator(".player")).to_contain_text("Pause")
    expect(page.locator(".card, .line").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".heading")).to_contain_text("request changes")
    page.get_by_role("link", name="Findings").click()
    expect(page.locator(".finding").first).to_be_visible()
    assert page.url.endswith("#/welcome")
    page.get_by_role("link", name="Open your own").click()
    page.wait_for_url("**/#/new")


ROOMS = ("inbox", "protocols", "protocols/workshop", "new", "new/review", "welcome")
TABS = (("review", "findings"), ("workshop", "agenda"), ("workshop", "artifacts"), ("review", "report"))
MORE = (("review", "evidence"), ("roundtable", "conversation"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_room_fits_a_phone_and_every_control_has_a_name(server: Server, go: Opens, scheme: str) -> None:
    routes = [*ROOMS, *(f"sessions/{server.sessions[name]}/{room}" for name, room in (*TABS, *MORE))]
    page = go("inbox", size=PHONE, color_scheme=scheme)
    for route in routes:
        page.goto(f"{server.address}/#/{route}")
        expect(page.locator("main :is(h1, h2)").first).to_be_attached()
        expect(page.locator("main [role=status]", has_text="Fetching")).to_have_count(0)
        page.wait_for_timeout(300)  # what is fetched after the first paint may be wide too
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], route
        unnamed = page.evaluate(UNNAMED)
        assert unnamed == [], route


UNNAMED = """() => [...document.querySelectorAll("main button, main a, main input, main select, main textarea")]
    .filter((each) => each.checkVisibility())
    .filter((each) => !(each.textContent.trim() || each.labels?.length || each.getAttribute("aria-label")))
    .map((each) => each.outerHTML.slice(0, 200))"""
