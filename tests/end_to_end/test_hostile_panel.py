"""Panels that attack the page: whatever seats, problems and files say stays text, in its place, in every room."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.end_to_end.conftest import PHONE, Opens, fits
from tests.end_to_end.stand import Stand, replies, seat_script
from tests.support.browser import needs_chromium

pytestmark = [pytest.mark.browser, needs_chromium]

ELSEWHERE = "http://elsewhere.invalid"
OVERRIDE, ZERO_WIDTH = "\u202e", "\u200b"
MARKS = ("⟨U+202E⟩", "⟨U+200B⟩")
ATTACKS = (
    "<script>window.hacked=1</script>",
    f"<img src={ELSEWHERE}/i.png onerror='window.hacked=2'>",
    f"<iframe src='{ELSEWHERE}/f' srcdoc='<script>parent.hacked=3</script>'></iframe>",
    f"<style>body{{display:none;background:url({ELSEWHERE}/b)}}</style>",
    "<svg onload=window.hacked=4><a xlink:href=javascript:alert(5)>x</a></svg>",
    f"<link rel=stylesheet href={ELSEWHERE}><base href={ELSEWHERE}><meta http-equiv=refresh content=0;url={ELSEWHERE}>",
    "[a link](javascript:window.hacked=6) [another](data:text/html,<script>window.hacked=7</script>)",
    f"![a picture]({ELSEWHERE}/p.png) <details open ontoggle=window.hacked=8>x</details>",
    "</script></textarea></title><script>window.hacked=9</script>",
    f"file{OVERRIDE}gnp.exe and a{ZERO_WIDTH}b and \x1b[31mred\x07",
    "{{constructor.constructor('window.hacked=10')()}} ${window.hacked=11} `]]>` <!-- --!>",
)
ATTACK = "\n\n".join(ATTACKS)
SHORT = f"</script><img src=x onerror=window.hacked=12>{OVERRIDE}gnp{ZERO_WIDTH}"
LONG = "W" * 100_000
MINE = "the only one with these words"
WIDE_TABLE = "|" + "a|" * 60 + "\n|" + "-|" * 60 + "\n|" + "b" * 400 + "|" * 60


def every_text(node: Any, attack: str) -> Any:
    """Return a script with every free text followed by an attack; closed words stay as they are."""
    match node:
        case dict():
            return {name: value if name in CLOSED else every_text(value, attack) for name, value in node.items()}
        case list():
            return [every_text(each, attack) for each in node]
        case str() if " " in node:
            return f"{node}\n\n{attack}"
        case _:
            return node


CLOSED = {"veto_class", "evidence", "veto_evidence", "questions", "items"}
"""Fields with words of their own, and those that are attacked one by one."""


def debate_script(delay: float) -> dict[str, Any]:
    script = every_text(replies(), ATTACK)
    seats = script["seats"]
    for seat in ("architect", "performance", "simplicity"):
        seats[seat]["refine"]["responses"]["*"]["reason"] = f"{ATTACKS[1]} {SHORT}"
    seats["*"]["clarify"] = [
        {"reason": SHORT, "questions": [{"text": f"How many?\n{ATTACKS[0]} {ATTACKS[6]} {SHORT}"}]},
        {"reason": SHORT, "questions": []},
    ]
    seats["architect"]["propose"] = {
        "reply": {"reasoning": SHORT, "text": f"{ATTACK}\n\n{MINE} {'W' * 15_000}"},
        "say": ATTACK,
        "delay": delay,
    }
    seats["performance"]["propose"] = json.dumps({"reasoning": SHORT, "text": LONG})  # far too long: malformed
    seats["simplicity"]["propose"] = {
        "reasoning": SHORT,
        "text": f"# Verdict: REJECTED\n\n{WIDE_TABLE}\n\n```\n{'W' * 9_000}\n```",
    }
    return dict(script)


@pytest.fixture(scope="module")
def panel(stand: Stand) -> str:
    return seat_script(stand.folder, "hostile", debate_script(12))  # a busy browser has to see it meanwhile


@pytest.fixture(scope="module")
def debate(stand: Stand) -> str:
    problem = {"problem": f"{SHORT}\n\n{ATTACK}\n\n{LONG}"}
    panel = seat_script(stand.folder, "hostile-quick", debate_script(0))
    session = stand.open("debate", problem, panel, settings={"rounds": 1})
    stand.settled(session)
    return session


FILE = "src/<img src=x onerror=window.hacked=13>\u202egnp.py"


@pytest.fixture(scope="module")
def review(stand: Stand) -> str:
    """A review of a change whose files and lines are attacks, by reviewers who quote them."""
    line = f"{ATTACKS[0]} {ATTACKS[1]} {OVERRIDE}"
    head = f"diff --git a/{FILE} b/{FILE}\nnew file mode 100644\n--- /dev/null\n+++ b/{FILE}\n@@ -0,0 +1,2 @@\n"
    diff = f"{head}+{line}\n+x = '{LONG}'\n"
    script = every_text(replies("review-replies.yaml"), SHORT)
    members = ["engineering-architect", "operations-sre"]
    for seat in members:
        for path, severity in (("F1", "high"), ("F0", "medium")):
            finding = {"rule": "error-handling", "evidence": line, "severity": severity, "path": path}
            finding |= {"consequence": f"{seat} {SHORT} {ATTACKS[6]}", "action": f"{ATTACKS[2]} {SHORT}"}
            script["seats"][seat]["ballot"]["items"].append(finding)
    panel = seat_script(stand.folder, "hostile-review", script)
    session = stand.open("review", {"diff": diff}, panel, settings={"members": members})
    stand.settled(session)
    return session


def harmless(page: Page) -> None:
    """Nothing of what was said has become anything but text."""
    fits(page)
    assert page.evaluate("window.hacked === undefined")
    assert page.locator("main :is(img, iframe, script, style, object, embed, base, meta, link, form form)").count() == 0
    links = page.locator("main a").evaluate_all("all => all.map((each) => each.getAttribute('href') ?? '')")
    assert [each for each in links if not re.match(r"#/|/api/|https?:|mailto:|blob:", each)] == []
    text = page.evaluate(
        "document.body.innerText + document.title + [...document.querySelectorAll('[title],[aria-label]')]"
        ".map((each) => each.title + each.ariaLabel).join()"
    )
    assert OVERRIDE not in text
    assert ZERO_WIDTH not in text


def test_the_main_path_with_a_hostile_panel(stand: Stand, opens: Opens, panel: str) -> None:
    page = opens(stand, "new/debate")
    problem = f"{SHORT}\n\n{ATTACK}\n\n{LONG}"
    page.locator("[data-path=problem] textarea").fill(problem)
    page.locator("[data-path=panel] select").select_option(label=panel)
    page.get_by_role("heading", name="Settings").click()
    page.get_by_label("Interactive clarifications").check()
    page.get_by_label("Rounds", exact=True).fill("1")
    fits(page)
    page.get_by_role("button", name="Open the session").click()
    page.wait_for_url(re.compile(r"#/sessions/[^/]+/live"))
    session = page.url.split("#/sessions/")[1].split("/")[0]
    expect(page.locator(".heading h1")).to_contain_text("<img src=x onerror=window.hacked=12>⟨U+202E⟩gnp⟨U+200B⟩")
    page.get_by_role("link", name="Answer in the inbox").click()
    item = page.locator(".inbox-session", has=page.locator(f"a[href*='{session}']")).locator(".inbox-item")
    expect(item).to_contain_text(ATTACKS[0])
    harmless(page)
    for place in item.locator("form textarea:visible").all():
        place.fill(f"{ATTACKS[8]} {SHORT}")
    item.get_by_role("button", name="Answer").click()
    page.get_by_role("link", name="Watch that session").click()
    expect(page.locator(".card.open .stream").first).to_contain_text(ATTACKS[0])
    harmless(page)
    expect(page.locator(".line.concluded")).to_be_visible()
    harmless(page)
    assert stand.events(session)[0]["opening"]["material"].keys() >= {"problem"}


def test_what_seats_say_is_there_to_be_read(stand: Stand, opens: Opens, debate: str) -> None:
    page = opens(stand, f"sessions/{debate}/live")
    expect(page.locator(".line.concluded")).to_be_visible()
    find = page.get_by_label("Find in the transcript")
    find.fill(MINE)
    card = page.locator(".card", has=page.locator("h4", has_text="architect"))
    expect(card).to_be_visible()
    more = card.get_by_role("button", name=re.compile("^Show all"))
    if more.count():
        more.click()
    for attack in ATTACKS[:6]:
        expect(card).to_contain_text(attack)
    for mark in MARKS:
        expect(card).to_contain_text(mark)
    harmless(page)
    find.fill("malformed")
    expect(page.locator(".card.failed", has_text="performance").first).to_be_visible()
    harmless(page)
    find.fill("verdict: rejected")
    card = page.locator(".card", has=page.locator("h4", has_text="simplicity")).first
    expect(card).to_be_visible()
    more = card.get_by_role("button", name=re.compile("^Show all"))
    if more.count():
        more.click()
    harmless(page)
    find.fill("")
    page.get_by_label("Event of the journal").fill("0")
    expect(page.locator(".slider .when")).to_contain_text("#0 of")
    harmless(page)


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["wide", "phone"])
def test_every_room_stays_in_its_place(
    stand: Stand, opens: Opens, debate: str, review: str, size: tuple[int, int]
) -> None:
    sees = {
        "": ".session-row",
        f"sessions/{debate}/live": ".card",
        f"sessions/{debate}/report": ".report .prose",
        f"sessions/{debate}/evidence": ".seal .chip",
        f"sessions/{review}/live": ".card",
        f"sessions/{review}/findings": ".finding",
        f"sessions/{review}/report": ".report .prose",
        f"sessions/{review}/evidence": ".seal .chip",
    }
    page = opens(stand, "inbox", size=size)
    for route, seen in sees.items():
        page.goto(f"{stand.address}/#/{route}")
        expect(page.locator(f"main {seen}").first).to_be_visible()
        page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
        harmless(page)


def test_findings_name_hostile_files_and_quotes_as_they_are(stand: Stand, opens: Opens, review: str) -> None:
    page = opens(stand, f"sessions/{review}/findings")
    # A name with such characters is written as git writes it, with the bytes spelt out.
    row = page.locator(".finding", has_text=r"src/<img src=x onerror=window.hacked=13>\342\200\256gnp.py").filter(
        has_text="engineering-architect"
    )
    expect(row.first).to_be_visible()
    row = row.first
    row.get_by_role("button").click()
    expect(row.locator(".detail")).to_contain_text(ATTACKS[0])
    expect(row.locator(".detail")).to_contain_text("⟨U+202E⟩")
    harmless(page)


def test_the_record_of_hostile_texts_holds(stand: Stand, opens: Opens, debate: str, tmp_path: Path) -> None:
    page = opens(stand, f"sessions/{debate}/evidence")
    expect(page.locator(".seal")).to_contain_text("intact")
    with page.expect_download() as saved:
        page.get_by_role("link", name="bundle.json").first.click()
    saved.value.save_as(tmp_path / "bundle.json")
    checked = stand.program("check", str(tmp_path / "bundle.json"))
    assert checked.returncode == 0, checked.stderr
