"""Review, workshop, roundtable, protocols and login in a real browser, and every screen on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.end_to_end.conftest import PHONE, Opens, fits
from tests.end_to_end.stand import EXAMPLES, Stand, project, standing
from tests.support.browser import needs_chromium

pytestmark = [pytest.mark.browser, needs_chromium]

TOKEN = "for-this-test-" + "0123456789abcdef"
SEATS = {"participants": ["product-manager", "qa-lead", "security-champion"]}


@pytest.fixture(scope="module")
def review(stand: Stand) -> str:
    diff = (EXAMPLES / "change.diff").read_text(encoding="utf-8")
    session = stand.open("review", {"diff": diff}, "review-panel.yaml")
    stand.settled(session)
    return session


@pytest.fixture(scope="module")
def workshop(stand: Stand) -> str:
    inputs = {"topic": "An audit log for a small online shop", "agenda": "agenda.yaml"}
    session = stand.open("workshop", inputs, "workshop-panel.yaml", settings=SEATS)
    stand.settled(session)
    return session


@pytest.fixture(scope="module")
def council(stand: Stand) -> str:
    session = stand.open("council", {"rfc": "rfc/documents/rfcs/RFC-0042"}, "council-panel.yaml")
    stand.settled(session)
    return session


def test_a_review_is_opened_from_the_page_and_its_findings_read(stand: Stand, opens: Opens) -> None:
    page = opens(stand, "new/review")
    page.locator("[data-path=diff] textarea").fill((EXAMPLES / "change.diff").read_text(encoding="utf-8"))
    page.locator("[data-path=panel] select").select_option(label="review-panel.yaml")
    page.get_by_role("button", name="Open the session").click()
    page.wait_for_url(re.compile(r"#/sessions/review-[^/]+/live"))
    expect(page.locator(".line.concluded")).to_contain_text("request changes")
    session = page.url.split("#/sessions/")[1].split("/")[0]
    findings = stand.get(f"/sessions/{session}/board")["board"]["findings"]
    assert len(findings) > 1

    page.get_by_role("link", name="Findings").click()
    rows = page.locator(".finding")
    expect(rows).to_have_count(len(findings))
    severity = findings[0]["severity"]
    page.get_by_label("Severity", exact=True).select_option(severity)
    expect(rows).to_have_count(sum(each["severity"] == severity for each in findings))
    page.get_by_label("Severity", exact=True).select_option("")
    wanted = next(each for each in findings if each["text"] and each["votes"])
    page.get_by_label("Search findings").fill(wanted["title"])
    found = rows.filter(has_text=wanted["title"])
    expect(found).to_have_count(sum(each["title"] == wanted["title"] for each in findings))
    row = found.nth([each["id"] for each in findings if each["title"] == wanted["title"]].index(wanted["id"]))
    row.get_by_role("button").click()
    expect(row.locator(".detail")).to_be_visible()
    expect(row.locator(".detail")).to_contain_text(wanted["id"])
    page.get_by_label("Search findings").fill("")
    voted = [each for each in findings if each["votes"]]
    expect(page.locator(".matrix tbody tr")).to_have_count(len(voted))
    line = page.locator(".matrix tbody tr", has_text=wanted["title"])
    line = line.nth([each["id"] for each in voted if each["title"] == wanted["title"]].index(wanted["id"]))
    for _, word in wanted["votes"]:
        expect(line).to_contain_text(word.replace("_", " "), ignore_case=True)


def test_a_workshop_shows_its_agenda_and_artifacts(stand: Stand, opens: Opens, workshop: str) -> None:
    board = stand.get(f"/sessions/{workshop}/board")["board"]
    page = opens(stand, f"sessions/{workshop}/live")
    page.get_by_role("link", name="Agenda").click()
    expect(page.locator(".topic")).to_have_count(len(board["topics"]))
    for topic in board["topics"]:
        shown = page.locator(".topic", has_text=topic["name"])
        expect(shown.locator(".criteria .met")).to_have_count(sum(each["met"] for each in topic["criteria"]))
    page.get_by_role("link", name="Artifacts").click()
    expect(page.locator(".artifact")).to_have_count(len(board["artifacts"]))
    for artifact in board["artifacts"]:
        expect(page.locator(".artifact", has_text=artifact["id"]).first).to_contain_text(artifact["title"])


def test_a_roundtable_is_opened_and_answered_from_the_page(stand: Stand, opens: Opens) -> None:
    page = opens(stand, "new/roundtable")
    page.locator("[data-path=topic] textarea").fill("How long do we keep searches?")
    page.locator("[data-path=docs] input").fill("elaboration")
    page.locator("[data-path=panel] select").select_option(label="roundtable-panel.yaml")
    page.get_by_role("heading", name="Settings").click()
    page.get_by_label("Phase", exact=True).fill("01-requirements")
    page.get_by_label("Step", exact=True).fill("01-03")
    page.get_by_role("button", name="Open the session").click()
    page.wait_for_url(re.compile(r"#/sessions/roundtable-[^/]+/live"))
    expect(page.get_by_role("link", name="Answer in the inbox")).to_be_visible()
    session = page.url.split("#/sessions/")[1].split("/")[0]
    page.goto(f"{stand.address}/#/sessions/{session}/conversation")
    page.get_by_role("radio", name="elaborate").check()
    page.get_by_role("button", name="Answer").click()
    says = page.locator(".chat-turn textarea").first
    expect(says).to_be_visible()
    before = page.locator(".chat-line").count()
    says.fill("Morgan, could a shopper **switch it off**?")
    page.locator(".chat-turn").get_by_role("button", name="Answer").click()
    mine = page.locator(".chat-line.mine", has_text="Morgan, could a shopper")
    expect(mine.locator("strong")).to_have_text("switch it off")
    expect(page.locator(".chat-line").nth(before + 1)).to_be_visible()
    said = [each["text"] for each in stand.get(f"/sessions/{session}/board?prose=text")["board"]["conversation"]]
    assert "Morgan, could a shopper **switch it off**?" in said


def test_a_protocol_is_read_with_its_diagram_and_rules(stand: Stand, opens: Opens) -> None:
    told = stand.get("/protocols/council")
    page = opens(stand, "protocols")
    page.get_by_role("link", name="council", exact=True).click()
    expect(page.locator("#part-diagram svg .box")).to_have_count(len(told["diagram"]["boxes"]))
    expect(page.locator("#part-table tbody tr")).to_have_count(len(told["table"]))
    for rule in ("C1", "C2", "C30"):
        expect(page.locator("#part-rules td").get_by_text(rule, exact=True).first).to_be_visible()
    for phase in told["phases"]:
        expect(page.locator(f"#part-diagram [data-phase='{phase}']")).to_have_count(1)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    with standing(project(tmp_path_factory.mktemp("guarded")), QUORATE_TOKEN=TOKEN) as running:
        yield running


def test_with_a_token_one_logs_in_once(guarded: Stand, opens: Opens) -> None:
    page = opens(guarded, "new/debate")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.locator("[data-path=problem] textarea").fill("Who may read this?")
    page.locator("[data-path=panel] select").select_option(label="scripted-panel.yaml")
    page.get_by_role("button", name="Open the session").click()
    expect(page.locator(".line.concluded")).to_be_visible()
    page.reload()
    expect(page.locator(".heading h1")).to_have_text("Who may read this?")
    assert TOKEN not in page.content() + page.evaluate("document.cookie + JSON.stringify({...localStorage})")


def test_every_screen_fits_a_phone(stand: Stand, opens: Opens, review: str, workshop: str, council: str) -> None:
    sees = {
        "": ".session-row",
        "inbox": ".inbox-item form",
        "protocols": ".protocol-card",
        "protocols/council": "#part-diagram svg",
        "new": ".protocol-card",
        "new/workshop": "[data-path=panel] select",
        "welcome": "main .welcome",
        f"sessions/{review}/live": ".card",
        f"sessions/{review}/live?at=3": ".card",
        f"sessions/{council}/live": ".card",
        f"sessions/{review}/findings": ".finding",
        f"sessions/{council}/findings": ".matrix",
        f"sessions/{workshop}/agenda": ".topic",
        f"sessions/{workshop}/artifacts": ".artifact",
        f"sessions/{review}/report": ".report h3",
        f"sessions/{review}/evidence": ".seal .chip",
    }
    page = opens(stand, "inbox", size=PHONE)
    for route, seen in sees.items():
        page.goto(f"{stand.address}/#/{route}")
        expect(page.locator(f"main {seen.removeprefix('main ')}").first).to_be_visible()
        fits(page)
    page.goto(f"{stand.address}/#/sessions/{review}/live")
    for pane in ("Diagram", "Instruments", "Transcript"):
        page.get_by_role("group", name="What to show").get_by_role("button", name=pane).click()
        fits(page)
    page.get_by_role("button", name="Fork from here").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Change the settings").click()
    expect(dialog.locator(".form")).to_be_visible()
    fits(page)
