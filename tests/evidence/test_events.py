"""The event stream: one event for each entry, in order, each with everything that followed from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from quorate.codec import decode_opening
from quorate.core.record import Record
from quorate.core.types import Absent, AbsentReason, Interrupted, Reason
from quorate.evidence.bundle import make_bundle
from quorate.evidence.derivation import transcript
from quorate.evidence.events import Teller, Told
from quorate.kit.gauges import Gauge
from tests.support.played_debate import Played, open_debate
from tests.support.reviewed import Reviewed, compromised, vetoed


def told(played: Played | Reviewed) -> list[Told]:
    record = played.record
    opening, envelope = decode_opening(played.entries[0].body)
    teller = Teller(record.protocol, opening, record.material)
    return [teller.opened(played.entries[0], envelope), *map(teller.take, played.entries[1:])]


def test_every_entry_is_one_event_with_its_sequence_and_hash() -> None:
    played = open_debate().play()
    events = told(played)
    assert [event.seq for event in events] == list(range(len(played.entries)))
    assert [event.data["seq"] for event in events] == list(range(len(played.entries)))
    assert [event.data["hash"] for event in events] == [entry.hash for entry in played.entries]
    assert events[0].data["kind"] == "opened"
    assert {event.data["kind"] for event in events[1:]} == {"replied"}


def test_the_moves_of_all_events_are_those_of_the_bundle() -> None:
    for played in (open_debate().play(), vetoed(), compromised()):
        bundle = make_bundle(played.record, played.entries, "s")
        moves = [move for event in told(played) for move in event.data["moves"]]
        assert json.loads(json.dumps(moves)) == bundle["decisions"]
        assert moves


def test_asks_and_replies_are_those_of_the_transcript() -> None:
    played = open_debate(say={"performance": Absent(AbsentReason.TIMED_OUT)}).play()
    events = told(played)
    lines = {line["ask"]: line for line in transcript(played.record)}
    asked = [ask for event in events for ask in event.data["asked"]]
    assert [ask["id"] for ask in asked] == list(lines)
    for event in events[1:]:
        line = lines[event.data["ask"]["id"]]
        assert event.data["ask"]["seat"] == line["seat"]
        assert event.data.get("reply") == line.get("reply")
        assert event.data.get("absent") == line.get("absent")
    assert any(event.data.get("absent") == "timed_out" for event in events)


def test_where_it_stands_afterwards_is_added_up() -> None:
    played = open_debate().play()
    events = told(played)
    last = events[-1].data
    replies = len(events) - 1
    assert last["after"]["tokens_in"] == 100 * replies
    assert last["after"]["tokens_out"] == 20 * replies
    assert last["after"]["cost"] == 1200 * replies
    conclusion = played.record.session.conclusion
    assert conclusion is not None
    assert last["conclusion"]["verdict"] == conclusion.verdict.name
    assert last["conclusion"]["exit_code"] == played.record.protocol.exit_codes[conclusion.verdict]
    assert all(event.data["conclusion"] is None for event in events[:-1])
    assert last["after"]["open"] == []


def test_a_price_that_is_not_known_is_never_nothing() -> None:
    last = told(open_debate(cost=None).play())[-1].data
    assert last["after"]["cost"] is None


def test_an_interruption_is_told_with_its_reason() -> None:
    played = open_debate().play(2)
    played.take(Interrupted(Reason.CANCELLED), detail="enough")
    event = told(played)[-1].data
    assert (event["kind"], event["reason"], event["detail"]) == ("interrupted", "cancelled", "enough")
    assert event["withdrawn"], "open asks are withdrawn"
    assert {heard["answer"] for heard in event["moves"][0]["heard"]} >= {"withdrawn"}


def test_gauges_are_read_at_every_event() -> None:
    played = open_debate().play()
    opening, envelope = decode_opening(played.entries[0].body)

    def gauges(record: Record) -> tuple[Gauge, ...]:
        return (Gauge("replies", "so many", 100, (("in", len(record.envelopes)),)),)

    teller = Teller(played.record.protocol, opening, played.record.material, gauges)
    events = [teller.opened(played.entries[0], envelope), *map(teller.take, played.entries[1:])]
    assert [event.data["after"]["gauges"][0]["parts"] for event in events] == [(("in", n),) for n in range(len(events))]


def test_an_event_is_plain_json_and_written_once() -> None:
    for event in told(vetoed()):
        assert json.loads(event.text) == json.loads(json.dumps(event.data))
        assert event.text is event.text


# As a page gets it


def shapes(said: list[Any]) -> Iterator[str]:
    for _, shape, value in said:
        yield shape
        if shape in ("list", "keyed", "group"):
            yield from shapes(value)


def test_a_page_gets_the_fields_in_order_with_their_shapes_and_prose_as_trees() -> None:
    events = told(open_debate().play())
    shown = [json.loads(event.shown_text) for event in events]
    assert "reply" not in shown[1]
    first = next(event for event in shown if event.get("ask", {}).get("brief") == "propose")
    assert [field[:2] for field in first["said"]] == [["reasoning", "prose"], ["text", "prose"]]
    assert first["said"][0][2] == [["p", None, f"reasoning of architect ({first['ask']['id']})"]]
    found = {shape for event in shown for shape in shapes(event.get("said", []))}
    assert found == {"prose", "choice", "number", "list", "keyed", "group"}


def test_what_somebody_says_cannot_become_markup() -> None:
    played = open_debate(words=lambda *_: "<script>alert(1)</script> [x](javascript:alert(1))").play()
    for event in told(played):
        text = json.dumps(event.shown)
        assert '["script"' not in text
        assert '"href"' not in text
