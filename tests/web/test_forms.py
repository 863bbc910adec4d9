"""Forms in a real Chromium: every form that a protocol has can be filled in, and what comes out is its reply."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from quorate import catalog
from quorate.codec import Malformed, form_schema, parse_reply
from quorate.core.errors import DefinitionError, InputError
from quorate.core.forms import Key, Reply
from quorate.core.shapes import shape_of
from quorate.core.types import Ask, AskId, Seat
from quorate.protocols.workshop.rules.forms import Response, Ruling
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


def forms() -> Iterator[type[Reply]]:
    """Every form of every installed protocol."""
    for definition in catalog.definitions().values():
        package = importlib.import_module(f"{definition.package}.rules")
        found: dict[str, type[Reply]] = {}
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            for each in vars(importlib.import_module(module.name)).values():
                if inspect.isclass(each) and issubclass(each, Reply) and each.__module__.startswith(package.__name__):
                    found[each.__qualname__] = each
        for _, each in sorted(found.items()):
            try:
                shape_of(each)
            except DefinitionError:  # what other forms are made from is no form
                continue
            yield each


FORMS = tuple(forms())


def filled(schema: dict[str, Any], turn: int = 0) -> Any:
    """A value for a schema, with a hostile text wherever there is a text."""
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][turn % len(schema["enum"])]
    if kind == "object":
        return {name: filled(each, turn + at) for at, (name, each) in enumerate(schema["properties"].items())}
    if kind == "array" and "enum" in schema["items"]:
        return schema["items"]["enum"][: min(2, schema["maxItems"])]
    if kind == "array":
        rows = min(schema["maxItems"], 1 if len(schema["items"].get("properties", ())) > 5 else 2)
        return [filled(schema["items"], at) for at in range(rows)]
    if kind == "boolean":
        return turn % 2 == 0
    if kind == "integer":
        return schema["minimum"] if turn % 2 else schema["maximum"]
    return HOSTILE[turn % len(HOSTILE)][: schema["maxLength"]]


def ask_for(form: type[Reply]) -> Ask:
    return Ask(AskId("0.0"), Seat("person"), "brief", form, KEYS)


def test_all_five_protocols_have_forms() -> None:
    assert {form.__module__.split(".")[2] for form in FORMS} >= {
        "council",
        "debate",
        "review",
        "roundtable",
        "workshop",
    }
    assert len(FORMS) > 40


LARGE = {"OpenSynthesis", "SpecsSynthesis", "DesignSynthesis", "BrainstormSynthesis"}
EACH = [pytest.param(form, marks=pytest.mark.slow if form.__name__ in LARGE else ()) for form in FORMS]


@pytest.mark.parametrize("form", EACH, ids=lambda form: f"{form.__module__.split('.')[2]}.{form.__name__}")
def test_what_is_filled_in_is_the_reply(page: FormPage, form: type[Reply]) -> None:
    schema = form_schema(form, KEYS)
    value = filled(schema)
    page.show(schema, blank=True)
    page.fill(schema, value)
    sent = page.send()
    assert sent == value
    parse_reply(ask_for(form), sent)
    unnamed = """() => [...document.querySelectorAll("input, select, textarea")]
        .filter((each) => !each.labels?.length && !each.getAttribute("aria-label")).length"""
    assert page.page.evaluate(unnamed) == 0
    ids = page.page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("form", [form for form in FORMS if form.__name__ in ("Assessment", "Response", "Answers")])
def test_json_and_fields_are_in_step(page: FormPage, form: type[Reply]) -> None:
    schema = form_schema(form, KEYS)
    value = filled(schema, turn=1)
    page.show(schema, blank=True)
    page.page.get_by_text("As JSON").click()
    raw = page.page.get_by_label("The same as JSON")
    raw.fill(json.dumps(value))
    assert page.data() == value
    raw.fill("{ no json")
    expect(page.page.get_by_text("This is not JSON")).to_be_visible()
    assert page.send() is None
    raw.fill(json.dumps(value | {"unheard_of": 1}))
    expect(page.page.get_by_text("does not fit the form: unknown key 'unheard_of'")).to_be_visible()
    assert page.send() is None
    name = next(iter(value))
    raw.fill(json.dumps({name[:-1] if key == name else key: each for key, each in value.items()}))
    expect(page.page.get_by_text(f"unknown key '{name[:-1]}'; did you mean '{name}'?")).to_be_visible()
    raw.fill(json.dumps(value))
    assert page.send() == value
    text = page.page.locator("textarea:not(.mono)").first
    text.fill("said otherwise")
    assert "said otherwise" in raw.input_value()


def test_json_that_is_typed_while_it_opens_stays_as_typed(page: FormPage) -> None:
    value = filled(form_schema(FORMS[0], KEYS), turn=1)
    page.show(form_schema(FORMS[0], KEYS), blank=True)
    page.page.evaluate(
        """async (typed) => {
            document.querySelector(".form-json summary").click();
            const area = document.querySelector(".form-json textarea");
            area.value = typed;
            area.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => setTimeout(done, 100));
        }""",
        json.dumps(value),
    )
    expect(page.page.get_by_label("The same as JSON")).to_have_value(json.dumps(value))
    assert page.data() == value


def test_what_is_missing_is_said_at_its_field(page: FormPage) -> None:
    page.show(form_schema(Response, KEYS), blank=True)
    assert page.send() is None
    number = page.at("confidence").locator("input")
    expect(number).to_be_focused()
    expect(number).to_have_attribute("aria-invalid", "true")
    described = (number.get_attribute("aria-describedby") or "").split()
    told = [page.page.locator(f"#{each}").inner_text() for each in described]
    assert any("80 and more" in each for each in told)
    assert any("is needed: a whole number from 0 to 100" in each for each in told)
    number.fill("101")
    assert page.send() is None
    expect(page.at("confidence").locator(".field-error")).to_contain_text("has to be a whole number from 0 to 100")
    number.fill("100")
    page.at("position").locator("textarea").fill("yes")
    assert page.send()["confidence"] == 100


def test_too_much_is_told_and_nothing_is_cut(page: FormPage) -> None:
    long = "\U0001f980" * 2001
    page.show(form_schema(Ruling, KEYS), blank=True)
    page.fill(form_schema(Ruling, KEYS), {"reason": long, "choice": "accept"})
    expect(page.at("reason").locator(".field-count")).to_have_text("2001 of 2000 characters")
    assert page.send() is None
    expect(page.at("reason").locator(".field-error")).to_contain_text("has 2001 characters; at most 2000 fit")
    assert page.at("reason").locator("textarea").input_value() == long
    page.at("reason").locator("textarea").fill(long[:-1])
    sent = page.send()
    assert sent["reason"] == long[:-1]
    parse_reply(ask_for(Ruling), sent)


def test_an_empty_answer_is_sent_only_when_it_is_meant(page: FormPage) -> None:
    turn = next(form for form in FORMS if form.__name__ == "Turn")
    page.show(form_schema(turn, KEYS), blank=True)
    assert page.send() is None
    expect(page.page.get_by_role("alert")).to_contain_text("No text is filled in")
    assert page.send() == {"text": ""}


def test_an_offer_explains_its_choices_and_asks_for_what_a_choice_needs(page: FormPage) -> None:
    offer = catalog.definition("workshop").offers[Ruling]
    told = {"does": dict(offer.does), "optional": [*offer.optional], "needs": dict(offer.needs), "unanswered": "go_on"}
    page.show(form_schema(Ruling, KEYS), blank=True, offer=told)
    for does in offer.does.values():
        expect(page.page.get_by_text(does, exact=True)).to_be_visible()
    decision = page.at("decision")
    expect(decision).to_be_hidden()
    assert page.send() is None
    page.page.get_by_role("radio", name="decide").check()
    expect(decision).to_be_visible()
    assert page.send() is None
    expect(decision.locator(".field-error")).to_contain_text("is needed")
    decision.locator("textarea").fill("Ninety days.")
    page.page.get_by_role("radio", name="accept").check()
    expect(decision).to_be_hidden()
    sent = page.send()
    assert sent == {"choice": "accept", "reason": "", "decision": ""}
    parse_reply(ask_for(Ruling), sent)


def test_a_form_is_filled_in_with_the_keyboard_alone(page: FormPage) -> None:
    page.show(form_schema(Ruling, KEYS), blank=True)
    keys = page.page.keyboard
    keys.press("Tab")
    keys.type("because")
    keys.press("Tab")
    keys.press("Tab")
    keys.press("Space")
    keys.press("ArrowDown")
    keys.press("Tab")  # the JSON, folded
    keys.press("Tab")
    keys.press("Enter")
    assert page.page.evaluate("sent") == {"reason": "because", "decision": "", "choice": "decide"}


def problem(error: InputError) -> dict[str, Any]:
    return {"title": "Unprocessable", "status": 422, "detail": str(error), "key": error.key}


def test_what_the_server_refuses_is_shown_at_its_field(page: FormPage) -> None:
    assessment = next(form for form in FORMS if form.__name__ == "Assessment")
    schema = form_schema(assessment, KEYS)
    value = filled(schema)
    wrong = json.loads(json.dumps(value))
    wrong["findings"][0]["place"], wrong["confidence"] = "nowhere", "certain"
    with pytest.raises(Malformed) as refused:
        parse_reply(ask_for(assessment), wrong)
    page.show(schema, problem(refused.value), blank=True)
    page.fill(schema, value)
    page.send()
    expect(page.at("findings[].place").locator(".field-error")).to_contain_text("is 'nowhere'; expected one of")
    expect(page.at("confidence").locator(".field-error")).to_contain_text("is 'certain'")
    expect(page.at("findings[].place").locator("input").first).to_be_focused()


def test_a_hostile_schema_is_text(page: FormPage) -> None:
    words = [*HOSTILE[:3], "__proto__", "constructor", "on_click"]
    schema = {
        "type": "object",
        "properties": {word: {"type": "string", "maxLength": 9, "description": word} for word in words}
        | {"pick": {"type": "string", "enum": words[:3], "description": HOSTILE[3]}},
        "required": ["pick", *words],
    }
    offer = {"does": {words[0]: HOSTILE[1]}, "needs": {}, "optional": [], "unanswered": HOSTILE[2]}
    page.show(schema, blank=True, offer=offer)
    shown = page.page.locator("form").inner_text()
    assert "<script>window.hacked = 1</script>" in shown
    assert "\u202e" not in shown
    assert "⟨U+202E⟩" in shown
    assert page.page.locator("form img, form script, form a").count() == 0


@pytest.mark.parametrize("form", [form for form in FORMS if form.__name__ in ("Assessment", "Response", "Ballots")])
def test_a_form_fits_a_phone(browser: Browser, form: type[Reply]) -> None:
    with form_page(browser, width=360) as made, checked(made) as page:
        schema = form_schema(form, (*KEYS, Key("k" * 80)))
        page.show(schema, blank=True)
        for add in page.page.locator(".row-add").all():
            add.click()
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
