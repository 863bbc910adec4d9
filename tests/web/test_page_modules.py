"""The page's own modules, run where they run: fold, elements, prose, cutting, addresses and formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.support.browser import needs_chromium
from tests.support.long_talk import SEATS, talk

pytestmark = [pytest.mark.browser, needs_chromium]


@pytest.fixture
def run(from_file: Callable[..., Page]) -> Callable[..., Any]:
    """Run a function with one module of the page: run("fold", "(m, given) => …", given)."""
    page = from_file(talk(3), bypass_csp=True)

    def made(module: str, function: str, given: Any = None) -> Any:
        return page.evaluate(f"async (given) => ({function})(await import('quorate/{module}'), given)", given)

    return made


def test_the_state_as_of_any_event_is_what_folding_up_to_it_gives(run: Callable[..., Any]) -> None:
    told = """(m, events) => {
        const show = (s) => JSON.stringify([s.seq, s.phase, s.round, s.visited, s.gauges, s.spent, s.conclusion,
            s.waiting, [...s.asks.keys()], [...s.entries.keys()], [...s.confidence].map(([k, v]) => [k, [...v]]),
            s.open, s.lines.map((l) => l.key), s.moves.length]);
        const all = new m.Fold();
        for (const event of events) all.take(event);
        return events.every((_, seq) => {
            const before = m.fold(events.slice(0, seq + 1));
            return show(before) === show(all.at(seq)) && show(before) === show(m.fold(events, seq));
        });
    }"""
    assert run("fold", told, talk(47)) is True


def test_a_fold_tells_what_the_events_say(run: Callable[..., Any]) -> None:
    events = talk(31)
    told = """(m, events) => {
        const at = (n) => { const s = m.fold(events, n); return {
            phase: s.phase, round: s.round, verdict: s.conclusion?.verdict ?? null, visited: s.visited,
            open: s.open.map((ask) => ask.seat), answered: s.entries.size, elapsed: s.elapsed, spent: s.spent,
            along: s.along("PROPOSAL", "PROPOSALS_COMPLETE", "CRITIQUE").map((move) => move.number),
            from: s.from("CRITIQUE").length }; };
        return [at(0), at(12), at(30), at(999)];
    }"""
    first, middle, end, beyond = run("fold", told, events)
    assert (first["verdict"], first["answered"], first["open"]) == (None, 0, list(SEATS))
    assert [each["number"] for each in middle["visited"]] == [1, 2, 3]
    assert middle["visited"][1] == {"phase": "PROPOSAL", "outcome": "PROPOSALS_COMPLETE", "to": "CRITIQUE", "number": 2}
    assert middle["along"] == [2]
    assert middle["open"] == list(SEATS[2:])
    assert (middle["answered"], middle["elapsed"], middle["spent"]["tokens_in"]) == (12, 48_000, 10_800)
    assert (end["verdict"], end["phase"], end["open"], end["answered"]) == ("SOLUTION", "CONCLUDED", [], 30)
    assert beyond == end


def test_a_fold_takes_each_event_once_and_refuses_a_gap(run: Callable[..., Any]) -> None:
    told = """(m, events) => {
        const fold = new m.Fold();
        for (const event of [events[0], events[1], events[1], events[0], events[2]]) fold.take(event);
        try { fold.take(events[4]); return "taken"; } catch (error) { return [fold.last, error.message]; }
    }"""
    assert run("fold", told, talk(6)) == [2, "event 4 came after 2"]


def test_elements_that_could_run_something_cannot_be_built(run: Callable[..., Any]) -> None:
    told = """(m) => {
        const fails = (...given) => { try { m.h(...given); return false; } catch { return true; } };
        const bad = ["script", "SCRIPT", "style", "iframe", "object", "embed", "base", "meta"]
            .filter((tag) => !fails(tag));
        const props = [{ onclick: "x()" }, { OnError: "x()" }, { style: "x" }, { srcdoc: "x" }]
            .filter((each) => !fails("p", each));
        const links = ["javascript:x()", " java\\nscript:x()", "data:text/html,x", "vbscript:x", "\\u0001javascript:x"]
            .filter((href) => m.h("a", { href }).hasAttribute("href"));
        const good = ["https://a.example/", "mailto:a@b.c", "#/x", "/api/x", "?a=1"]
            .filter((href) => m.h("a", { href }).getAttribute("href") !== href);
        const inner = ["y", m.h("i", null, 3)];
        const text = m.h("p", { class: "a", hidden: false, "aria-label": "b" }, "<b>x</b>", null, inner);
        return { bad, props, links, good, text: text.outerHTML };
    }"""
    done = run("dom", told)
    assert [done["bad"], done["props"], done["links"], done["good"]] == [[], [], [], []]
    assert done["text"] == '<p class="a" aria-label="b">&lt;b&gt;x&lt;/b&gt;y<i>3</i></p>'


def test_prose_is_built_from_the_closed_list_of_tags_alone(run: Callable[..., Any]) -> None:
    told = """(m, tree) => {
        const place = document.createElement("div");
        place.append(m.prose(tree));
        return place.innerHTML;
    }"""
    tree = [
        [
            "p",
            None,
            "a ",
            ["strong", None, "b"],
            ["script", None, "evil()"],
            ["img", {"src": "x", "onerror": "evil()"}],
        ],
        ["p", {"onclick": "evil()", "style": "x"}, ["a", {"href": "javascript:evil()", "onclick": "evil()"}, "c"]],
        ["p", None, ["a", {"href": "https://example.org/"}, "d"]],
        ["ol", {"start": 3}, ["li", None, "e"]],
    ]
    html = run("prose", told, tree)
    assert html == (
        "<p>a <strong>b</strong>evil()</p><p><a>c</a></p>"
        '<p><a href="https://example.org/" rel="noopener noreferrer nofollow" target="_blank" '
        'title="https://example.org/">d</a></p><ol start="3"><li>e</li></ol>'
    )


def test_long_replies_are_cut_to_a_first_look(run: Callable[..., Any]) -> None:
    told = (
        "(m, fields) => { const { fields: kept, left } = m.cut(fields); return [JSON.stringify(kept).length, left]; }"
    )
    assert run("parts/cut", told, [["text", "prose", [["p", None, "short"]]]])[1] == 0
    long_line = run("parts/cut", told, [["text", "prose", [["p", None, "x" * 100_000]]]])
    assert long_line[0] < 5000
    assert long_line[1] > 95_000
    many_lines = run("parts/cut", told, [["text", "prose", [["p", None, f"line {n}"] for n in range(400)]]])
    assert many_lines[0] < 2000
    assert many_lines[1] > 2000
    nested = [["all", "list", [["item", "group", [["why", "prose", [["p", None, "y" * 3000]]]]] for _ in range(9)]]]
    assert run("parts/cut", told, nested)[1] > 20_000


@pytest.mark.parametrize("name", ["a/b", "ü ?#&", "100%", "\u202ex"])
def test_addresses_come_back_as_they_were_written(run: Callable[..., Any], name: str) -> None:
    told = "(m, name) => m.parse(m.href(['sessions', name, 'live'], { at: 0, empty: '' }))"
    assert run("router", told, name) == {"path": ["sessions", name, "live"], "query": {"at": "0"}}


def test_numbers_and_names_read_well(run: Callable[..., Any]) -> None:
    told = """(m) => [m.duration(20), m.duration(1234), m.duration(61_000), m.duration(7_200_000), m.short(1_234_567),
        m.dollars(null), m.dollars(0.0042), m.words("NEEDS_REVISION"), m.tone("REJECTED"), m.verdictTone("ANY", 0),
        m.visible("a\\u202eb"), m.brief("a\\n b", 9), m.brief("x".repeat(50), 5)]"""
    assert run("format", told) == [
        "20 ms", "1.2 s", "1 min 1 s", "2 h", "1.2M", "price unknown", "$0.0042", "needs revision", "bad", "good",
        "a⟨U+202E⟩b", "a b", "xxxx…",
    ]  # fmt: skip
