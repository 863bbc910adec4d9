"""Scripts: what a file says is what is said, by seat, brief and occurrence, and never by what was said before."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped,unused-ignore]
import pytest

from quorate.codec import form_schema
from quorate.core.errors import InputError
from quorate.core.forms import Key, Reply
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Replied, Seat
from quorate.core.view import View
from quorate.files.yaml import load
from quorate.participants.port import Answer, Prompt, Request
from quorate.participants.script import ScriptParticipant, load_script, script_schema
from quorate.protocols.debate.rules.model import Critiques, Evaluation, Proposal, Refinement, Verdict
from tests.support.debating import Table, debate

WHOLE_DEBATE = """\
seats:
  architect:
    propose: {reasoning: It is simple., text: One queue for everything.}
    criticise:
      - absent: timed_out                     # the first time
      - critiques:
          "*": {strengths: Short., weaknesses: "<key> is vague.", suggestion: Say more., weight: minor}
        # the second time; a third would be silence
    refine: {reply: {responses: {"*": {reason: Fair., stance: accepted}}, text: "<seat>, version <occurrence>"}}
  judge:
    synthesize:
      solution: One queue.
      tradeoffs: [Speed for order.]
      recommendations: []
      unfulfilled_major_requirements: []
      open_questions: []
      confidence: 70
  "*":
    propose: {reasoning: As always., text: A plan by <seat>.}
    criticise: {critiques: {"*": {strengths: Good., weaknesses: None., suggestion: None., weight: major}}}
    refine: {responses: {"*": {reason: No., stance: rejected}}, text: My plan stays.}
"""


def request(
    seat: str, brief: str, form: type[Reply], keys: tuple[str, ...] = (), occurrence: int = 1, prompt: str = "prompt"
) -> Request:
    names = tuple(Key(key) for key in keys)
    ask = Ask(AskId("3.1"), Seat(seat), brief, form, names)
    return Request(ask, View("", ()), Prompt("", prompt), form_schema(form, names), occurrence, 1)


def answer(script: str, asked: Request, said: list[str] | None = None) -> Answer:
    participant = ScriptParticipant(load_script(script, "script.yaml"))
    found = asyncio.run(participant.reply(asked, (said if said is not None else []).append))
    assert found is not None
    return found


def refused(script: str) -> InputError:
    with pytest.raises(InputError) as caught:
        load_script(script, "script.yaml")
    return caught.value


# What is said


def test_a_whole_debate_from_a_file() -> None:
    participant = ScriptParticipant(load_script(WHOLE_DEBATE, "script.yaml"))
    participant.script.check(*_of(debate(agents=["architect", "security"])))
    table = Table(agents=["architect", "security"], rounds=1)

    async def play() -> None:
        while table.conclusion is None:
            for ask in table.open:
                asked = request(ask.seat, ask.brief, ask.form, ask.keys, table.record.occurrence(ask))
                found = await participant.reply(asked, lambda _: None)
                assert found is not None
                table.take(Replied(ask.id, found.reply))

    asyncio.run(play())
    assert table.verdict is Verdict.SOLUTION
    refined = table.record.latest(Seat("architect"), "refine")
    assert refined is not None
    assert isinstance(refined.reply, Refinement)
    assert refined.reply.text.text == "architect, version 1"
    critique = table.record.latest(Seat("architect"), "criticise")
    assert critique is not None
    assert isinstance(critique.reply, Critiques)
    assert [each.weaknesses.text for each in critique.reply.critiques.values()] == ["proposal-1 is vague."]


def _of(protocol: Any) -> tuple[Any, Any, Any]:
    return protocol.seats, [name for name in protocol.briefs if "/" not in name], tuple(protocol.domains)


def test_a_list_is_used_up_and_then_silence() -> None:
    for occurrence, reason in ((1, AbsentReason.TIMED_OUT), (3, AbsentReason.SILENT), (9, AbsentReason.SILENT)):
        asked = request("architect", "criticise", Critiques, ("proposal-1",), occurrence)
        assert answer(WHOLE_DEBATE, asked).reply == Absent(reason)
    found = answer(WHOLE_DEBATE, request("architect", "criticise", Critiques, ("proposal-1",), 3))
    assert found.detail == "script.yaml has nothing for architect, criticise, time 3"


def test_the_last_entry_repeats_where_it_says_so() -> None:
    script = """
seats:
  judge:
    evaluate:
      - {reason: first, confidence: 10}
      - {reply: {reason: later, confidence: 90}, repeat: true}
"""
    said = [answer(script, request("judge", "evaluate", Evaluation, (), n)).reply for n in (1, 2, 3, 50)]
    assert [reply.confidence for reply in said if isinstance(reply, Evaluation)] == [10, 90, 90, 90]


def test_a_mapping_is_said_every_time_unless_it_says_otherwise() -> None:
    script = "seats: {judge: {evaluate: {reply: {reason: r, confidence: 5}, repeat: false}}}"
    assert isinstance(answer(script, request("judge", "evaluate", Evaluation)).reply, Evaluation)
    assert answer(script, request("judge", "evaluate", Evaluation, (), 2)).reply == Absent(AbsentReason.SILENT)


def test_the_nearest_name_counts_seat_before_brief() -> None:
    script = """
seats:
  judge: {"*": {absent: refused}}
  "*": {evaluate: {absent: failed}, "*": {absent: malformed}}
"""
    expected = {
        ("judge", "evaluate"): AbsentReason.REFUSED,
        ("other", "evaluate"): AbsentReason.FAILED,
        ("other", "propose"): AbsentReason.MALFORMED,
    }
    for (seat, brief), reason in expected.items():
        assert answer(script, request(seat, brief, Evaluation)).reply == Absent(reason)


def test_nothing_is_kept_between_asks() -> None:
    """A resumed session asks only for what is missing, so the count must come from the request."""
    participant = ScriptParticipant(load_script(WHOLE_DEBATE, "script.yaml"))
    asked = request("architect", "criticise", Critiques, ("proposal-1",), 2)

    async def twice() -> list[Any]:
        return [await participant.reply(asked, lambda _: None) for _ in range(2)]

    first, second = asyncio.run(twice())
    assert first == second
    assert isinstance(first.reply, Critiques)


def test_every_key_of_the_ask_and_named_ones() -> None:
    script = """
seats:
  a:
    criticise:
      critiques:
        proposal-2: {strengths: s, weaknesses: named, suggestion: s, weight: major}
        "*": {strengths: s, weaknesses: "any, <key>", suggestion: s, weight: minor}
"""
    reply = answer(script, request("a", "criticise", Critiques, ("proposal-1", "proposal-2"))).reply
    assert isinstance(reply, Critiques)
    assert {str(key): each.weaknesses.text for key, each in reply.critiques.items()} == {
        "proposal-1": "any, proposal-1",
        "proposal-2": "named",
    }


def test_text_streams_word_by_word_with_its_delay() -> None:
    said: list[str] = []
    script = "seats: {a: {propose: {delay: 0.01, say: 'I, <seat>, think', reply: {reasoning: r, text: t}}}}"
    assert isinstance(answer(script, request("a", "propose", Proposal), said).reply, Proposal)
    assert said == ["I,", " a,", " think"]


def test_a_text_is_read_as_a_model_would_have_written_it() -> None:
    script = """seats: {a: {evaluate: ['{"reason": "r", "confidence": 7}', 'I would say seven.']}}"""
    assert isinstance(answer(script, request("a", "evaluate", Evaluation)).reply, Evaluation)
    second = answer(script, request("a", "evaluate", Evaluation, (), 2))
    assert second.reply == Absent(AbsentReason.MALFORMED)
    assert "script.yaml:1: the reply does not fit the form" in second.detail


def test_a_reply_that_does_not_fit_is_malformed_and_says_where() -> None:
    script = "seats:\n  a:\n    evaluate: {reason: r, confidence: 101}\n"
    found = answer(script, request("a", "evaluate", Evaluation))
    assert found.reply == Absent(AbsentReason.MALFORMED)
    assert found.detail.startswith("script.yaml:3:")
    assert "from 0 to 100" in found.detail


# What it costs


def test_tokens_are_given_or_estimated_and_cost_follows() -> None:
    script = """
price: {in: 2.5, out: 10}
seats:
  a:
    evaluate:
      - {reply: {reason: r, confidence: 5}, tokens: {in: 1000, out: 100}}
      - {reply: {reason: r, confidence: 5}, cost: 0.25}
"""
    first = answer(script, request("a", "evaluate", Evaluation))
    assert (first.tokens_in, first.tokens_out, first.cost) == (1000, 100, 3500)
    second = answer(script, request("a", "evaluate", Evaluation, (), 2, "x" * 300))
    assert (second.tokens_in, second.cost) == (100, 250_000)
    assert second.tokens_out > 0
    free = answer("seats: {a: {evaluate: {absent: failed}}}", request("a", "evaluate", Evaluation))
    assert free.cost == 0


def test_the_estimate_is_never_below_what_is_used() -> None:
    script = load_script(WHOLE_DEBATE, "script.yaml")
    participant = ScriptParticipant(script)
    for seat, brief, form in (("judge", "synthesize", Evaluation), ("security", "propose", Proposal)):
        used = answer(WHOLE_DEBATE, request(seat, brief, form, (), 1, "x" * 300))
        assert used.tokens_in + used.tokens_out <= participant.most_tokens(100)


# What is refused at load


@pytest.mark.parametrize(
    ("script", "line", "key", "words"),
    [
        ("seats:\n  a:\n    b: {absent: timedout}\n", 3, "seats.a.b.absent", "did you mean 'timed_out'?"),
        ("seats:\n  a:\n    b: {reply: {x: 1}, delai: 1}\n", 3, "seats.a.b.delai", "did you mean 'delay'?"),
        ("seats:\n  a:\n    b: {reply: {x: 1}, absent: failed}\n", 3, "seats.a.b", "has both"),
        ("seats:\n  a:\n    b: {delay: 1, say: x}\n", 3, "seats.a.b", "neither `reply` nor `absent`"),
        ("seats:\n  a:\n    b: {reply: 5}\n", 3, "seats.a.b.reply", "is 5; expected the fields"),
        ("seats:\n  a:\n    b: []\n", 3, "seats.a.b", "empty list"),
        ("seats:\n  a:\n    b: 5\n", 3, "seats.a.b", "expected a mapping"),
        ("seats:\n  a: 5\n", 2, "seats.a", "expected a mapping"),
        ("seats:\n  a:\n    b: {reply: {x: 1}, delay: -1}\n", 3, "seats.a.b.delay", "from 0 to 600"),
        ("seats:\n  a:\n    b: {reply: {x: 1}, tokens: {inn: 1}}\n", 3, "seats.a.b.tokens.inn", "'in'"),
        (
            "seats:\n  a:\n    b:\n      - {absent: failed, repeat: true}\n      - absent: failed\n",
            4,
            "seats.a.b[0]",
            "last",
        ),
        ("seat: {}\n", 1, "seat", "did you mean 'seats'?"),
        ("delay: 1\n", 1, None, "has no `seats`"),
        ("price: {in: 1}\nseats: {}\n", 1, "price", "both `in` and `out`"),
    ],
)
def test_a_script_that_cannot_be_used_names_the_place(script: str, line: int, key: str | None, words: str) -> None:
    error = refused(script)
    assert (error.file, error.line, error.key) == ("script.yaml", line, key)
    assert words in str(error)


@pytest.mark.parametrize(
    ("script", "line", "key", "words"),
    [
        ("seats:\n  architekt: {propose: {absent: failed}}\n", 2, "seats.architekt", "did you mean 'architect'?"),
        ("seats:\n  architect:\n    proposes: {absent: failed}\n", 3, "seats.architect.proposes", "mean 'propose'?"),
        (
            "seats:\n  architect:\n    propose:\n      reasoning: r\n      texte: t\n",
            5,
            "seats.architect.propose.texte",
            "unknown field (read as Proposal); expected one of reasoning, text; did you mean 'text'?",
        ),
        (
            "seats:\n  architect:\n    propose: {reasoning: r}\n",
            3,
            "seats.architect.propose.text",
            "is missing (read as Proposal)",
        ),
        (
            "seats:\n  architect:\n    criticise:\n      - critiques:\n          '*':\n            strengths: s\n"
            "            weaknesses: w\n            suggestion: s\n            weight: huge\n",
            9,
            "seats.architect.criticise[0].critiques.*.weight",
            "expected one of minor, major",
        ),
        (
            "seats:\n  judge:\n    synthesize:\n      solution: s\n      tradeoffs: [a, 5]\n      recommendations: []\n"
            "      unfulfilled_major_requirements: []\n      open_questions: []\n      confidence: 5\n",
            5,
            "seats.judge.synthesize.tradeoffs[1]",
            "is 5 (read as Synthesis); expected a text",
        ),
    ],
)
def test_a_script_is_checked_against_the_protocol(script: str, line: int, key: str, words: str) -> None:
    loaded, protocol = load_script(script, "script.yaml"), debate(agents=["architect", "security"])
    with pytest.raises(InputError) as caught:
        loaded.check(*_of(protocol))
    error = caught.value
    assert (error.file, error.line, error.key) == ("script.yaml", line, key)
    assert words in str(error)


def test_a_raw_text_may_be_malformed_on_purpose() -> None:
    script = load_script("seats: {judge: {synthesize: 'no JSON at all'}}", "script.yaml")
    script.check(*_of(debate()))
    assert len(list(script.lines())) == 1


# For editors


def test_the_schema_takes_what_the_reader_takes() -> None:
    jsonschema.Draft202012Validator.check_schema(script_schema())
    jsonschema.validate(load(WHOLE_DEBATE, "s").plain(), script_schema())
    jsonschema.validate({"seats": {"a": {"b": ["raw", {"absent": "silent"}]}}, "delay": 1}, script_schema())


@pytest.mark.parametrize(
    "script",
    [
        "seats: {a: {b: {absent: late}}}",
        "seats: {a: {b: {reply: {x: 1}, absent: failed}}}",
        "seats: {a: {b: {reply: {x: 1}, delai: 1}}}",
        "seats: {a: {b: []}}",
        "seats: {a: 5}",
        "seat: {}",
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(script: str) -> None:
    refused(script)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(load(script, "s").plain(), script_schema())


def test_shipped_scripts_are_valid() -> None:
    examples = Path(__file__).parents[2] / "examples"
    scripts = [path for path in examples.rglob("*.yaml") if "replies" in path.stem]
    assert scripts
    for path in scripts:
        jsonschema.validate(load(path).plain(), script_schema())
        assert list(load_script(path).lines())
