"""A page that shows one form and nothing else: the real modules and styles, under the server's own policy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Locator, Page, Route

from quorate.http.page import policy
from quorate.web.page import asset, index
from tests.support.browser import Watched

ADDRESS = "http://forms.test/"
HOSTILE = (
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\u202egnp.exe\u202c \u2066left\u2069 a\u200bb",
    "[click](javascript:window.hacked=1) ${window.hacked = 1} {{7*7}}",
    "a & b < c > d \" ' ` \\ \n\tsecond line \U0001f469\u200d\U0001f680",
)
"""Texts that a page must show and never run."""
START = "/static/js/app.js"
HARNESS = """
import { form } from "quorate/parts/form";
import { question } from "quorate/parts/question";
const put = (made) => document.body.replaceChildren((window.made = made).node);
window.show = (schema, options, refusal) => {
  window.sent = undefined;
  put(form(schema, { ...options, onSend: async (data) => {
    if (refusal) throw refusal;
    window.sent = data;
  } }));
};
window.ask = (asked, counted) => {
  window.done = [];
  const source = {
    answer: async (session, ask, data) => (window.done.push([session, ask, data]), { counted }),
    decline: async (session, ask) => (window.done.push([session, ask, null]), { counted }),
  };
  put(question(asked, { source, session: "s1", done: (how) => window.done.push(how) }));
};
window.part = (schema, options) => put(form(schema, options));
window.ready = true;
"""


def _answer(route: Route) -> None:
    path = urlsplit(route.request.url).path
    if path == "/":
        page = index()
        html = page.html.replace(f'<script type="module" src="{START}">', '<script type="module" src="/harness.js">')
        headers = {"Content-Security-Policy": policy(page.script_hash)}
        route.fulfill(body=html, content_type="text/html; charset=utf-8", headers=headers)
    elif path == "/harness.js":
        route.fulfill(body=HARNESS, content_type="text/javascript; charset=utf-8")
    elif (found := asset(path.removeprefix("/static/"))) is not None:
        route.fulfill(body=found.content, content_type=found.media_type)
    else:
        route.fulfill(status=404)


class FormPage:
    """A form in a browser: shown, filled in by the paths of its fields, and sent."""

    def __init__(self, page: Page) -> None:
        self.page, self.watched = page, Watched(page)
        page.route("**/*", _answer)
        page.goto(ADDRESS)
        page.wait_for_function("window.ready")

    def show(self, schema: Mapping[str, Any], refusal: Mapping[str, Any] | None = None, **options: Any) -> None:
        """Show a form with a button; with `refusal` its answer is refused with that problem."""
        self.page.evaluate("([schema, options, refusal]) => show(schema, options, refusal)", [schema, options, refusal])

    def part(self, schema: Mapping[str, Any], **options: Any) -> None:
        """Show a form that is a part of a larger one."""
        self.page.evaluate("([schema, options]) => part(schema, options)", [schema, options])

    def ask(self, asked: Mapping[str, Any], *, counted: bool = True) -> None:
        """Show a question; `counted` is whether its answer will count."""
        self.page.evaluate("([asked, counted]) => ask(asked, counted)", [asked, counted])

    def at(self, path: str, scope: Locator | None = None) -> Locator:
        """The field at a path; rows of a list are written as `findings[]`."""
        return (scope or self.page.locator("body")).locator(f'[data-path="{path}"]')

    def fill(self, schema: Mapping[str, Any], value: Any, path: str = "", scope: Locator | None = None) -> None:
        """Fill in a value field by field, as somebody would: type, choose, tick, add rows."""
        kind, field = schema.get("type"), self.at(path, scope) if path else None
        if kind == "object":
            for name, inner in schema["properties"].items():
                if name in value:
                    self.fill(inner, value[name], f"{path}.{name}" if path else name, scope)
            return
        assert field is not None
        if "enum" in schema:
            _choose(field, schema["enum"].index(value))
        elif kind == "array" and "enum" in schema["items"]:
            _tick(field, [schema["items"]["enum"].index(each) for each in value])
        elif kind == "array":
            for place, each in enumerate(value):
                field.locator(":scope > .row-foot > .row-add").click()
                row = field.locator(":scope > ol > li").nth(place)
                self.fill(schema["items"], each, f"{path}[]", row)
        elif kind == "boolean":
            _flag(field, value)
        else:
            field.locator("input, textarea").fill(str(value))

    def send(self) -> Any:
        """Press the button and return what was sent; None where nothing was."""
        self.page.get_by_role("button", name="Send").click()
        return self.page.evaluate("window.sent ?? null")

    def data(self) -> Any:
        return self.page.evaluate("made.data()")


def _choose(field: Locator, index: int) -> None:
    if field.locator("select").count():
        field.locator("select").select_option(str(index))
    else:
        field.locator("input[type=radio]").nth(index).check()


def _tick(field: Locator, chosen: list[int]) -> None:
    radios = field.locator("input[type=radio]")
    if radios.count():
        radios.nth(chosen[0] + 1 if chosen else 0).check()
        return
    for place in chosen:
        field.locator("input[type=checkbox]").nth(place).check()


def _flag(field: Locator, value: bool) -> None:
    if field.locator("input[type=radio]").count():
        _choose(field, 0 if value else 1)
    else:
        field.locator("input[type=checkbox]").set_checked(value)


@contextmanager
def form_page(browser: Browser, width: int = 900) -> Iterator[FormPage]:
    """Open a page for forms, one after the other; see `checked`."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    try:
        yield FormPage(page)
    finally:
        page.close()


@contextmanager
def checked(made: FormPage) -> Iterator[FormPage]:
    """Give an empty page to a test; whatever goes wrong in it is an error of that test."""
    made.watched.errors.clear()
    made.page.evaluate("document.body.replaceChildren()")
    yield made
    assert made.watched.errors == []
    assert made.page.evaluate("window.hacked === undefined")
