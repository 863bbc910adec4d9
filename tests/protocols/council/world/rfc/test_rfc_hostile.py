"""Whatever a file holds, reading ends soon, without a traceback, and says what it could not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from quorate.core.errors import InputError
from quorate.files.yaml import load
from quorate.protocols.council.rules.taxonomy import place_keys
from quorate.protocols.council.world.rfc.discovery import DOCUMENTS
from quorate.protocols.council.world.rfc.model import Flaw, Rfc
from quorate.protocols.council.world.rfc.read import read_rfc
from tests.protocols.council.world.rfc import written
from tests.protocols.council.world.rfc.written import Written, only, told

OTHERS: tuple[Any, ...] = (None, {"a": 1}, "word", [[]], 7, [{}], True, [], "", [7], {"id": []}, {}, 1.5, [None])
SHARE = (pytest.param(3, id="three-each"), pytest.param(len(OTHERS), id="all", marks=pytest.mark.long))
"""How many other values stand in the place of each; all of them take a minute."""

Way = tuple[str | int, ...]


def ways(data: Any, way: Way = ()) -> Iterator[Way]:
    """Yield the way to every value below and including this one."""
    yield way
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, each in inner:
        yield from ways(each, (*way, name))


def changes(data: Any, share: int) -> Iterator[tuple[Way, Any, Any]]:
    """Yield each way, another value, and the data with it; the values take turns where not all are tried."""
    for number, way in enumerate(ways(data)):
        for turn in range(share):
            other = OTHERS[(number * share + turn) % len(OTHERS)]
            yield way, other, with_other(data, way, other)


def with_other(data: Any, way: Way, other: Any) -> Any:
    """Return a copy in which another value stands at the end of the way."""
    if not way:
        return other
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[way[0]] = with_other(data[way[0]], way[1:], other)
    return copy


def holds(rfc: Rfc) -> None:
    """Check what must be true of whatever was read."""
    keys = {ticket.key for ticket in rfc.tickets}
    assert keys == {f"T{number + 1}" for number in range(len(keys))}
    allowed = set(place_keys(len(rfc.tickets)))
    for flaw in rfc.flaws:
        assert flaw.place in allowed
        assert flaw.what
        assert flaw.at.line >= 1
        assert len(flaw.at.yaml_path) <= 500
        assert len(flaw.what) < 500
    for ticket in rfc.tickets:
        assert len(ticket.id) <= 100
        assert all(place.line >= 1 for place in ticket.fields.values())


def of_file(rfc: Rfc, name: str) -> list[Flaw]:
    return [flaw for flaw in rfc.flaws if flaw.at.file == name]


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("name", list(written.TICKETS))
def test_no_value_of_a_ticket_can_be_so_wrong_that_reading_fails(alone: Written, name: str, share: int) -> None:
    good = load(written.TICKETS[name], "f").plain()
    file = f"tickets/{name}.yaml"
    before = read_rfc(alone.rfc)
    assert told(before) == []
    readable = {ticket.at.file: ticket for ticket in before.tickets}[file]
    for way, other, data in changes(good, share):
        alone.ticket(name, json.dumps(data))
        rfc = read_rfc(alone.rfc)
        holds(rfc)
        flawed = [flaw for flaw in of_file(rfc, file) if not flaw.warns]
        tickets = [ticket for ticket in rfc.tickets if ticket.at.file == file]
        left = [path for path, _ in rfc.left_out if path == file]
        assert flawed or tickets or left, (way, other)
        if tickets and not flawed:
            assert tickets[0].id == readable.id, (way, other)


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("number", sorted(written.TEXTS))
def test_no_value_of_a_document_can_be_so_wrong_that_reading_fails(alone: Written, number: int, share: int) -> None:
    for _, _, data in changes(load(written.TEXTS[number], "f").plain(), share):
        alone.document(number).write_text(json.dumps(data))
        holds(read_rfc(alone.rfc))


@pytest.mark.parametrize("share", SHARE)
@pytest.mark.parametrize("part", ["atlas", "index", "requirement", "evidence"])
def test_no_value_of_what_lies_beside_can_be_so_wrong_that_reading_fails(alone: Written, part: str, share: int) -> None:
    path, text = {
        "atlas": (alone.ccp / "component_atlas.yaml", written.ATLAS),
        "index": (alone.ccp / "ccp_index.json", json.dumps(written.INDEX)),
        "requirement": (alone.prd / "requirements/REQ-0001.yaml", written.REQUIREMENT.format(id="REQ-0001", title="T")),
        "evidence": (alone.prd / "evidence_artifacts/EVID-0701.yaml", "a:\n  id: EVID-0701\n"),
    }[part]
    for _, _, data in changes(load(text, "f").plain(), share):
        path.write_text(json.dumps(data))
        holds(read_rfc(alone.rfc))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.binary(max_size=60), some.integers(0, 2_000), some.sampled_from(["ticket", "meta", "plan", "atlas"]))
def test_bytes_put_anywhere(alone: Written, junk: bytes, where: int, part: str) -> None:
    path, text = {
        "ticket": (alone.tickets / "TCK-00101.yaml", written.SHAPE_B),
        "meta": (alone.document(0), written.META),
        "plan": (alone.document(6), written.PLAN),
        "atlas": (alone.ccp / "component_atlas.yaml", written.ATLAS),
    }[part]
    data = text.encode()
    at = where % len(data)
    path.write_bytes(data[:at] + junk + data[at:])
    holds(read_rfc(alone.rfc))
    path.write_bytes(data)


def bomb() -> str:
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (bomb(), "aliases included"),
        ("ticket: &a {b: *a}\n", "contains itself"),
        ("x" * 5_000_000, "more than 1000000 bytes"),
        ("[" * 900_000, "nested deeper"),
        ("{a: " * 200_000, "nested deeper"),
        ("- " * 400_000, "nested deeper"),
        ("".join(" " * depth + "a:\n" for depth in range(1_000)), "nested deeper"),
        ("ticket: '" + "x\n" * 40_000, "unexpected end"),
        ("a: " + "9" * 900_000, "not a number"),
    ],
)
def test_a_bomb_is_one_flaw(alone: Written, text: str, words: str) -> None:
    alone.ticket("TCK-00555", text)
    rfc = read_rfc(alone.rfc)
    flaw = only(rfc)
    assert words in flaw.what
    assert flaw.at.file == "tickets/TCK-00555.yaml"
    assert len(rfc.tickets) == 4


@pytest.mark.parametrize("place", ["ticket", "document", "atlas", "requirement"])
def test_a_bomb_is_found_wherever_it_lies(alone: Written, place: str) -> None:
    path = {
        "ticket": alone.tickets / "TCK-00555.yaml",
        "document": alone.document(5),
        "atlas": alone.ccp / "component_atlas.yaml",
        "requirement": alone.prd / "requirements/REQ-0666.yaml",
    }[place]
    alone.write(path, bomb())
    rfc = read_rfc(alone.rfc)
    flaw = only(rfc)
    assert "aliases included" in flaw.what
    assert flaw.at.file == path.relative_to(alone.root).as_posix()
    assert len(rfc.tickets) == 4


def test_names_of_a_million_characters_do_not_come_out(alone: Written) -> None:
    long = "x" * 300_000
    alone.ticket("TCK-00100", f"ticket:\n  id: {long}\n  title: t\n  status: {long}\n  rfc_id: RFC-0042\n")
    alone.document(9).write_text(f"rfc_governance_and_gates:\n  ? {long}\n  : 1\n  cousin_justifications: {{a: b}}\n")
    rfc = read_rfc(alone.rfc)
    holds(rfc)
    assert [flaw[0] for flaw in told(rfc)] == ["WRONG_SHAPE", "WRONG_VALUE", "WRONG_VALUE"]


def test_a_key_is_never_taken_from_a_file(alone: Written) -> None:
    alone.ticket("TCK-00100", written.SHAPE_A.replace("TCK-00100", "R00"))
    rfc = read_rfc(alone.rfc)
    assert [ticket.key for ticket in rfc.tickets] == ["T1", "T2", "T3", "T4"]
    assert rfc.tickets[0].id == "R00"
    assert only(rfc).place == "T1"


def test_a_folder_full_of_the_wrong_things(tmp_path: Path) -> None:
    for stem, _ in DOCUMENTS:
        (tmp_path / f"{stem}.yaml").mkdir()
    rfc = read_rfc(tmp_path)
    assert [flaw.what for flaw in rfc.flaws] == ["is a folder"] * 10
    assert (rfc.id, rfc.tickets, rfc.documents, rfc.requirements) == ("", (), (), ())
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError):
        read_rfc(tmp_path / "empty")
