"""Limits: input that would take endless memory, depth or time is refused by name, wherever it comes in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fuzzing.draws import Draws
from fuzzing.readers import an_ask, forms
from quorate.codec import Malformed, decode_entry, decode_opening, parse_reply
from quorate.core.errors import InputError, QuorateError, StoreError
from quorate.core.shapes import shape_of
from quorate.evidence.text import from_text
from quorate.files.yaml import load
from quorate.participants.scriptfile import load_script
from quorate.participants.tools import ContextFolder, look
from quorate.protocols.review.world.change.patches import parse as parse_diff
from quorate.protocols.review.world.checks.claims import load_claims
from quorate.protocols.review.world.checks.rules_file import load_rules
from quorate.protocols.roundtable.world.elaboration.metatext import parse as parse_meta
from quorate.protocols.workshop.world.agenda.read import read_agenda
from quorate.store.ledgertext import parse as parse_ledger

ASK = an_ask(Draws(b"\0\0\3"))
DEEP = 20_000
BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "a list in a list": "[" * DEEP + "]" * DEEP,
    "an object in an object": '{"a":' * DEEP + "1" + "}" * DEEP,
    "brackets without an end": "[" * DEEP,
    "an alias bomb": BOMB,
    "an alias of itself": "a: &a [*a]\n",
    "a number of many digits": '{"a": ' + "9" * 50_000 + "}",
    "a number of many hexadecimal digits": "a: 0x" + "f" * 50_000,
    "a key twice": '{"a": 1, "a": 2}',
    "a tag": "a: !!python/object/apply:os.system [ls]\n",
    "a second document": "a: 1\n---\nb: 2\n",
    "a merge key": "a: &a {b: 1}\nc:\n  <<: *a\n",
    "a control character": '{"a": "\x07"}',
    "half of a character": '{"a": "\\ud800"}',
    "a constant": '{"a": NaN}',
    "an endless number": '{"a": 1e999}',
    "a list as a key": "? [a, b]\n: 1\n",
    "nothing": "",
    "indentation without an end": "\n".join(" " * at + "a:" for at in range(3_000)),
    "dashes without an end": "- " * 50_000,
    "too much": '"' + "x" * 2_100_000 + '"',
}
READERS: dict[str, Callable[[str], Any]] = {
    "a reply": lambda text: parse_reply(ASK, text),
    "an entry": lambda text: decode_entry(text, (ASK,)),
    "an opening": decode_opening,
    "a bundle": lambda text: from_text(text, "bundle.yaml"),
    "yaml": lambda text: load(text, "some.yaml"),
    "json": lambda text: load(text, "some.json"),
    "an agenda": lambda text: read_agenda(text, "agenda.yaml"),
    "a script": lambda text: load_script(text, "script.yaml"),
    "rules": lambda text: load_rules(text, "rules.yaml"),
    "claims": lambda text: load_claims(text, "claims.yaml"),
    "a ledger": lambda text: parse_ledger(text, "ledger.json"),
    "a record of elaborations": parse_meta,
    "a diff": parse_diff,
}
READ_ANYWAY = {
    "yaml": ("an endless number", "nothing", "a constant", "dashes without an end"),
    "json": ("an endless number",),
    "a bundle": (
        *("an endless number", "nothing", "a constant", "too much", "a merge key", "half of a character"),
        *("a control character", "a number of many hexadecimal digits", "a list as a key"),
    ),
    "a record of elaborations": ("an endless number", "half of a character"),
    "a ledger": ("nothing",),
    "claims": ("nothing",),
}
"""What is harmless to a reader: it is bounded, and whoever reads on looks at what it is."""


LONG = ("a list in a list", "an object in an object", "brackets without an end", "too much")
"""What the reader of the whole of YAML takes seconds for, however long it is."""
CASES = [
    pytest.param(
        reader, what, marks=[pytest.mark.slow] if what in LONG and reader not in ("a reply", "an entry") else []
    )
    for reader in READERS
    for what in HOSTILE
]


@pytest.mark.parametrize(("reader", "what"), CASES)
def test_every_reader_ends_and_knows_no_error_but_ours(reader: str, what: str) -> None:
    try:
        READERS[reader](HOSTILE[what])
    except QuorateError as error:
        told = str(error)
    else:
        told = ""
    assert len(told) < 5_000, "what is wrong is said, not quoted at length"
    assert bool(told) or what in READ_ANYWAY.get(reader, ()), f"{reader} took {what}"


@pytest.mark.parametrize("body", ['{"seq":1,"seq":2,"interrupted":"wish"}', '{"seq":NaN}', '{"detail":"\\udfff"}'])
def test_an_entry_that_two_readers_could_read_in_two_ways_is_none(body: str) -> None:
    with pytest.raises(StoreError, match="not valid JSON"):
        decode_entry(body, (ASK,))


def test_a_vote_that_is_written_twice_is_malformed_and_not_the_last_one() -> None:
    for form in forms():
        names = [each.name for each in shape_of(form).fields]
        text = "{" + ", ".join(f'"{name}": 1, "{name}": 2' for name in names) + "}"
        ask = type(ASK)(ASK.id, ASK.seat, ASK.brief, form, ASK.keys)
        with pytest.raises(Malformed, match=r"more than once|unknown"):
            parse_reply(ask, text)


def test_a_look_with_arguments_without_an_end_is_refused_in_words(tmp_path: Path) -> None:
    said = look(ContextFolder(tmp_path), "read", '{"path":' * DEEP)
    assert said.startswith("refused:")


def test_a_look_whose_arguments_stand_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    said = look(ContextFolder(tmp_path), "read", '{"path": "../b.md", "path": "a.md"}')
    assert said.startswith("refused: the arguments are not unambiguous JSON")


def test_numbers_that_cannot_be_printed_are_refused_with_their_place() -> None:
    with pytest.raises(InputError, match=r"some.yaml:2: b: is not a number that can be read"):
        load("a: 1\nb: 0x" + "f" * 5_000, "some.yaml")
    assert load("a: 0x" + "f" * 100, "some.yaml").plain()["a"] == int("f" * 100, 16)
    assert json.dumps(load("a: 1e999", "some.yaml").plain()) == '{"a": Infinity}'
