"""Settings, inputs and questions as forms: what is sent is what was changed, brought and answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from quorate import catalog
from quorate.api.inputs import inputs_schema_of, read_inputs
from quorate.codec import form_schema
from quorate.core.forms import Key
from quorate.kit.settings import plain, read_settings
from quorate.kit.settings import schema as settings_schema
from quorate.protocols.debate.rules.model import Answers
from tests.support.browser import needs_chromium
from tests.support.formpage import HOSTILE, FormPage, checked, form_page

pytestmark = [pytest.mark.browser, needs_chromium]
KEYS = (Key("q1"), Key("FND-002"))


@pytest.fixture(scope="module")
def opened(browser: Browser) -> Iterator[FormPage]:
    with form_page(browser) as made:
        yield made


@pytest.fixture
def page(opened: FormPage) -> Iterator[FormPage]:
    with checked(opened) as made:
        yield made


@pytest.mark.parametrize("name", sorted(catalog.definitions()))
def test_settings_send_only_what_was_changed(page: FormPage, name: str) -> None:
    settings = catalog.definition(name).settings
    schema = settings_schema(settings)
    page.part(schema, value=plain(settings()), only="changed", folded=True)
    assert page.data() == {}
    page.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    changed: dict[str, Any] = {}
    for path, each in _numbers(schema):
        low = each["minimum"]
        page.at(path).locator("input").fill(str(low))
        place = changed
        *above, last = path.split(".")
        for step in above:
            place = place.setdefault(step, {})
        place[last] = low
    assert changed
    expected = _without(changed, plain(settings()))
    assert page.data() == expected
    read_settings(settings, page.data())
    expect(page.page.locator(".field-changed").first).to_be_visible()


def _numbers(schema: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, each in schema["properties"].items():
        if each.get("type") == "object":
            yield from _numbers(each, f"{prefix}{name}.")
        inner = next((one for one in each.get("anyOf", ()) if one.get("type") == "integer"), each)
        if inner.get("type") == "integer":
            yield f"{prefix}{name}", inner


def _without(values: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    kept = {k: _without(v, usual[k]) if isinstance(v, dict) else v for k, v in values.items() if v != usual[k]}
    return {k: v for k, v in kept.items() if v != {}}


@pytest.mark.parametrize("name", sorted(catalog.definitions()))
def test_inputs_are_read_as_they_were_filled_in(page: FormPage, name: str) -> None:
    definition = catalog.definition(name)
    schema = inputs_schema_of(definition)
    page.show(schema)
    if schema["required"]:
        assert page.send() is None
        missing = page.at(schema["required"][0])
        expect(missing.locator(".field-error")).to_contain_text("is needed")
    value = {key: _brought(each) for key, each in schema["properties"].items() if each["x-kind"] != "file"}
    page.fill(schema, value)
    sent = page.send()
    assert sent == {key: "" for key in schema["properties"]} | value
    read = read_inputs(definition, sent)
    assert set(read) == set(value)


def _brought(schema: dict[str, Any]) -> Any:
    match schema["x-kind"]:
        case "text":
            return HOSTILE[0] + HOSTILE[4]
        case "flag":
            return True
        case "choice":
            return schema["enum"][-1]
        case "names":
            return ["one", "two"]
        case _:
            return "somewhere/else"


def clarification() -> dict[str, Any]:
    section = {
        "title": "FND-002, asked by architect",
        "tree": [["p", None, "How ", ["em", None, "many"], " orders a day?"]],
    }
    other = {"title": "The problem", "tree": [["p", None, HOSTILE[0]]]}
    return {
        "ask": "3.0",
        "seat": "person",
        "brief": "answer_questions",
        "round": 1,
        "says": [["p", None, "Answer what you know."]],
        "sections": [other, section],
        "schema": form_schema(Answers, KEYS),
        "offer": None,
        "keys": [str(key) for key in KEYS],
    }


def test_a_question_stands_beside_the_item_it_is_about(page: FormPage) -> None:
    page.ask(clarification())
    item = page.page.get_by_role("group", name="FND-002")
    expect(item).to_contain_text("How many orders a day?")
    expect(page.page.locator("summary", has_text="asked by architect")).to_have_count(0)
    expect(page.page.locator(".question-sections")).to_contain_text("<script>")
    item.get_by_label("Text").fill("About 40.")
    page.at("answers.q1").get_by_label("q1").fill("NA")
    page.page.get_by_role("button", name="Answer").click()
    expect(page.page.get_by_text("Your answer is in.")).to_be_visible()
    reply = {"answers": {"q1": {"text": "NA"}, "FND-002": {"text": "About 40."}}}
    assert page.page.evaluate("done") == [["s1", "3.0", reply], "answered"]


def test_what_was_typed_outlives_a_look_elsewhere(page: FormPage) -> None:
    page.ask(clarification())
    page.at("answers.q1").get_by_label("q1").fill("half a thought")
    page.ask(clarification())
    expect(page.at("answers.q1").get_by_label("q1")).to_have_value("half a thought")


def test_a_question_is_declined_on_purpose_and_a_late_answer_is_told(page: FormPage) -> None:
    page.ask(clarification(), counted=False)
    page.page.get_by_role("button", name="Decline").click()
    assert page.page.evaluate("done") == []
    page.page.get_by_role("button", name="Decline for good?").click()
    expect(page.page.get_by_text("Somebody answered first")).to_be_visible()
    assert page.page.evaluate("done") == [["s1", "3.0", None], "late"]
