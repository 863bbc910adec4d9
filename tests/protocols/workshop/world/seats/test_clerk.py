"""The clerk reports the agenda (W2) and finds critical words, whole and however they are written (W23)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from quorate.core.forms import Key, Reply
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.port import Answer, Prompt, Request
from quorate.protocols.workshop.rules.forms import AgendaReport, Bound, Reading
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.taxonomy import MAKES, ArtifactType, Workflow
from quorate.protocols.workshop.rules.workflows import WORKFLOWS, agenda
from quorate.protocols.workshop.world.agenda import canonical, read_agenda
from quorate.protocols.workshop.world.seats import clerk

TOPICS = tuple(Key(f"T{number}") for number in range(1, 13))
WORDS = WorkshopSettings().critical_keywords


async def asked(brief: str, form: type[Reply], keys: tuple[Key, ...], **sections: str) -> Answer:
    view = View("", tuple(Section(title.replace("_", " "), text) for title, text in sections.items()))
    ask = Ask(AskId("0.0"), Seat("clerk"), brief, form, keys)
    answer = await clerk().reply(Request(ask, view, Prompt("", ""), {}, 1, 0), lambda _: None)
    assert answer is not None
    return answer


async def report(given: Mapping[str, Any] | str, tokens: int = 8_000, **texts: str) -> Answer:
    text = given if isinstance(given, str) else canonical(given)
    documents = canonical({"texts": texts or {"topic": "A log"}, "tokens": tokens})
    return await asked("agenda", AgendaReport, TOPICS, Agenda=text, Documents=documents)


async def reading(said: Mapping[str, str], words: tuple[str, ...] = WORDS) -> tuple[str, ...]:
    keys = tuple(map(Key, said))
    sections = {"Critical_words": json.dumps(words), "Responses": json.dumps(said)}
    answer = await asked("read", Reading, keys, **sections)
    assert isinstance(answer.reply, Reading), answer.detail
    return tuple(answer.reply.critical)


# The agenda and the documents


@pytest.mark.parametrize(
    ("topic", "parts"), [("x" * 1_500, 1), ("line\n" * 300, 1), ("line\n" * 301, 3), ("x" * 100_000, 99)]
)
async def test_documents_that_are_too_long_for_one_seat_are_reported_in_parts(topic: str, parts: int) -> None:
    """W38: two parts fit into what one seat is shown; one that is never shown is told."""
    reply = (await report(agenda("specs"), 500, topic=topic)).reply
    assert isinstance(reply, AgendaReport)
    assert (reply.parts, reply.unlisted) == (parts, parts == 99)


async def test_files_that_no_listing_names_can_be_shown_to_nobody() -> None:
    """W38"""
    listing = "a.md (3 bytes)\n[7 further files are not listed]"
    reply = (await report(agenda("specs"), topic="A log", context=listing)).reply
    assert isinstance(reply, AgendaReport)
    assert (reply.parts, reply.unlisted) == (1, True)


@pytest.mark.parametrize("workflow", WORKFLOWS)
async def test_every_built_in_agenda_is_reported_topic_by_topic(workflow: str) -> None:
    """W2: keys in the order of the agenda, with what each topic needs."""
    given = agenda(workflow)
    reply = (await report(given)).reply
    assert isinstance(reply, AgendaReport)
    assert [topic.key for topic in reply.topics] == [f"T{n}" for n in range(1, len(given["topics"]) + 1)]
    for topic, wanted in zip(reply.topics, given["topics"], strict=True):
        assert topic.required == wanted["critical"]
        assert topic.criteria == len(wanted["done_when"]["criteria"])
        assert topic.minimum == wanted["done_when"]["minimum"]
        assert [kind.value for kind in topic.counts] == wanted["done_when"]["counts"]
        assert topic.stage is (Bound(wanted["stage"]) if wanted["stage"] else Bound.NONE)
    assert any(topic.required for topic in reply.topics) == any(each["critical"] for each in given["topics"])


@pytest.mark.parametrize("workflow", [*Workflow])
async def test_without_types_that_count_everything_counts_that_can_be_agreed_upon(workflow: Workflow) -> None:
    given = {
        "workflow": workflow.value,
        "title": "t",
        "topics": [{"id": "a", "name": "A", "critical": False, "done_when": {"criteria": ["c"], "minimum": 1}}],
    }
    reply = (await report(given)).reply
    assert isinstance(reply, AgendaReport)
    expected = tuple(kind for kind in MAKES[workflow] if kind not in (ArtifactType.OQ, ArtifactType.CONF))
    assert reply.topics[0].counts == expected
    assert reply.topics[0].stage is Bound.NONE


async def test_a_users_file_is_reported_as_it_was_read() -> None:
    read = read_agenda(
        "title: Mine\ntopics:\n"
        "  - {id: a, name: A, critical: true, done_when: {criteria: [one, two], min_decisions: 2, counts: [ARCH]}}\n"
        "  - {id: b, name: B, done_when: {criteria: [one], minimum: 0}}\n"
    )
    reply = (await report(read)).reply
    assert isinstance(reply, AgendaReport)
    first, second = reply.topics
    assert (first.required, first.criteria, first.minimum, first.counts) == (True, 2, 2, (ArtifactType.ARCH,))
    assert (second.required, second.criteria, second.minimum) == (False, 1, 0)


def of(workflow: str | None = "specs", topics: int = 1, **changes: Any) -> str:
    """An agenda of equal topics, as JSON; `done_when` may be changed too."""
    topic = {"id": "a", "name": "A", "done_when": {"criteria": ["c"], "minimum": 1}} | changes
    named = {} if workflow is None else {"workflow": workflow}
    return json.dumps({**named, "topics": [topic] * topics})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[]", "a mapping"),
        ("[" * 100_000, "is not JSON"),
        (of(None), "workflow is missing"),
        (of("spec"), "did you mean 'specs'"),
        (json.dumps({"workflow": "specs"}), "topics is missing"),
        (of(topics=0), "no topics"),
        (of(topics=13), "13 topics"),
        (of(done_when={"minimum": 1}), "criteria is missing"),
        (of(done_when={"criteria": [], "minimum": 1}), "no criteria"),
        (of(done_when={"criteria": ["c"]}), "minimum is missing"),
        (of(done_when={"criteria": ["c"], "minimum": 21}), "0 to 20"),
        (of(done_when={"criteria": ["c"], "minimum": 1, "counts": ["OQ"]}), "unknown type of artifact"),
        (of(stage="later"), "unknown stage"),
        (of(critical="yes"), "true or false"),
    ],
)
async def test_an_agenda_that_cannot_be_read_is_an_absence_that_says_why(text: str, says: str) -> None:
    """W2: the session then ends, and nobody is asked."""
    answer = await report(text)
    assert answer.reply == Absent(AbsentReason.FAILED)
    assert says in answer.detail


# Critical words


@pytest.mark.parametrize(
    "text",
    [
        "This is a security question.",
        "SECURITY",
        "security-relevant",
        "a must-have",
        "we must have it",
        "Must\u2011Have",  # a hyphen that does not break
        "must\n\thave",
        "must \u2014 have",
        "se\u200bcur\u00adity",  # hidden characters
        "\uff53\uff45\uff43\uff55\uff52\uff49\uff54\uff59",  # wide letters
        "It is (legal).",
        "blocking!",
    ],
)
async def test_a_critical_word_is_found_however_it_is_written(text: str) -> None:
    assert await reading({"P1": text}) == ("P1",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "insecurity",
        "securities",
        "legally",
        "illegal",
        "blocked",
        "must haves",
        "we must surely have it",
        "musthave",
    ],
)
async def test_another_word_is_not_found(text: str) -> None:
    """Whole words alone: neither inflections nor parts of words."""
    assert await reading({"P1": text}) == ()


async def test_each_position_is_told_apart_and_in_order() -> None:
    said = {"P3": "legal matters", "P1": "nothing", "P2": "A blocking defect"}
    assert await reading(said) == ("P3", "P2")


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("datenschutz-folge", "Die DATENSCHUTZ Folge"),
        ("stra\u00dfe", "STRASSE"),
        ("cafe\u0301", "Caf\u00e9"),
        ("C++", "in c++ only"),
        ("\u5b89\u5168", "\u8fd9\u662f\u5b89\u5168\u95ee\u9898"),  # a language without spaces
        ("a.b", "a.b"),
    ],
)
async def test_own_words_in_other_languages_and_with_signs(word: str, text: str) -> None:
    assert await reading({"P1": text}, (word,)) == ("P1",)


async def test_a_dot_in_a_word_is_no_pattern_and_no_words_find_nothing() -> None:
    assert await reading({"P1": "axb"}, ("a.b",)) == ()
    assert await reading({"P1": "security"}, ()) == ()
    assert await reading({"P1": "- -- -"}, ("--",)) == ()


async def test_hostile_text_takes_no_more_than_it_is_long() -> None:
    long = "must" + " " * 200_000 + "hav " + "must -" * 50_000 + "(" * 50_000
    assert await reading({"P1": long, "P2": "security"}) == ("P2",)


@pytest.mark.parametrize(
    "sections",
    [
        {"Critical_words": "[]"},
        {"Critical_words": "{}", "Responses": '{"P1": "a"}'},
        {"Critical_words": "[]", "Responses": "{}"},
        {"Critical_words": '["a"]', "Responses": '{"P1": 7}'},
        {"Critical_words": json.dumps(["a" * 61]), "Responses": '{"P1": "a"}'},
        {"Critical_words": '["a"]', "Responses": json.dumps({"P1": "a" * 2_000_001})},
    ],
)
async def test_what_cannot_be_read_is_an_absence(sections: dict[str, str]) -> None:
    """W23 then takes every response for one that names a word."""
    answer = await asked("read", Reading, (Key("P1"),), **sections)
    assert answer.reply == Absent(AbsentReason.FAILED)


async def test_the_clerk_does_nothing_else() -> None:
    answer = await asked("decide", Reading, ())
    assert answer.reply == Absent(AbsentReason.FAILED)
    assert "it answers 'agenda' and 'read'" in answer.detail
