"""What is read: replies, entries, YAML and JSON, users' files, bundles, diffs, and looks into a folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from fuzzing.draws import Draws
from quorate import catalog
from quorate.codec import (
    Malformed,
    canonical,
    decode_entry,
    decode_opening,
    encode_entry,
    encode_opening,
    parse_entries,
    parse_reply,
    reply_from_data,
    reply_to_data,
)
from quorate.core.errors import InputError, QuorateError, RulesChanged, StoreError
from quorate.core.form_values import keys_in, repeated_key
from quorate.core.forms import Key, Reply
from quorate.core.record import Envelope
from quorate.core.shapes import shape_of
from quorate.core.types import Ask, AskId, Replied, Seat
from quorate.evidence.bundle import check_bundle
from quorate.evidence.text import from_text
from quorate.files.yaml import load, located_from
from quorate.files.yaml_events import events
from quorate.participants.scriptfile import load_script
from quorate.participants.tools import ContextFolder, look
from quorate.participants.wire import content
from quorate.protocols.review.world.change.patches import parse as parse_diff
from quorate.protocols.review.world.checks.claims import load_claims
from quorate.protocols.review.world.checks.rules_file import load_rules
from quorate.protocols.roundtable.world.elaboration.metatext import parse as parse_meta
from quorate.protocols.workshop.world.agenda.read import read_agenda
from quorate.safety.secrets import without_secrets
from quorate.store.ledgertext import parse as parse_ledger

KEYS = (Key("k1"), Key("k2"), Key("k10"))
OUTSIDE = "what-nobody-inside-may-read"


@cache
def forms() -> tuple[type[Reply], ...]:
    """All forms of all protocols there are, in the order of their names."""
    found = {form for name in catalog.definitions() for form in catalog.build(name, {}).domains}
    return tuple(sorted(found, key=lambda form: (form.__module__, form.__qualname__)))


def an_ask(draws: Draws) -> Ask:
    return Ask(AskId("3.0"), Seat("member"), "brief", draws.pick(forms()), KEYS[: draws.byte() % 4])


def a_reply(data: bytes) -> None:
    """A reply is read whole and kept as it is, or refused with all its problems; no key counts twice."""
    draws = Draws(data)
    ask, last = an_ask(draws), draws.often(128)
    given: Any = draws.shaped(shape_of(ask.form), ask.keys) if draws.often(200) else draws.rest()
    if (not isinstance(given, bytes) and draws.often(100)) or not isinstance(given, bytes | dict):
        given = json.dumps(given)
    try:
        reply = parse_entries(ask, given)[0] if last else parse_reply(ask, given)
    except Malformed as malformed:
        _told(malformed)
        return
    assert type(reply) is ask.form
    assert repeated_key(reply) is None
    assert set(keys_in(reply)) <= set(ask.keys)
    kept = json.loads(canonical(reply_to_data(reply)))
    assert reply_from_data(ask.form, kept) == reply


def _told(error: QuorateError) -> None:
    """A refusal says why, in words that can be sent and printed."""
    assert str(error).encode()
    assert not isinstance(error, Malformed) or error.problems


def an_entry(data: bytes) -> None:
    """An entry that is read is one that can be written, and reads the same again; every other one raises."""
    draws = Draws(data)
    ask = an_ask(draws)
    body = _entry_body(draws, ask) if draws.often(200) else draws.rest().decode("utf-8", "surrogateescape")
    try:
        event, envelope = decode_entry(body, (ask,))
    except (StoreError, RulesChanged):
        pass
    else:
        again = encode_entry(event, envelope)
        assert decode_entry(again, (ask,)) == (event, envelope)
    try:
        opening, envelope = decode_opening(body)
    except StoreError:
        return
    assert decode_opening(encode_opening(opening, envelope)) == (opening, envelope)


def _entry_body(draws: Draws, ask: Ask) -> str:
    """An entry as it should be, and something done to it."""
    whole: dict[str, Any] = {"seq": draws.number(0, 9), "at": draws.number(0, 2**40)}
    try:
        reply = parse_reply(ask, draws.shaped(shape_of(ask.form), ask.keys, odd=0))
        whole = json.loads(encode_entry(Replied(ask.id, reply), Envelope(seq=draws.number(0, 9))))
    except Malformed:
        whole["opening"] = {"protocol": "debate", "settings": draws.plain(), "seed": draws.plain()}
    for _ in range(draws.byte() % 3):
        name = draws.pick([*whole, "ask", "reply", "ruled", "interrupted", "cost", "detail", draws.text(8)])
        whole[name] = draws.plain()
    body = json.dumps(whole)
    at = draws.number(0, len(body))
    return body[:at] + draws.text() + body[at:] if draws.often(80) else body


def a_document(data: bytes) -> None:
    """YAML and JSON become plain data within limits; where the parser in Python reads, it reads what libyaml reads."""
    draws = Draws(data)
    text = _document(draws)
    for name in ("some.yaml", "some.json"):
        try:
            found = load(text, name)
        except InputError:
            continue
        _bounded(found.plain())
        if name == "some.yaml":
            with suppress(InputError):
                slow = located_from(events(text, name, in_python=True), name)
                assert _same(found.plain(), slow.plain())


def _document(draws: Draws) -> str:
    if draws.often(60):
        return json.dumps(draws.plain())
    if draws.often(60):
        return draws.rest().decode("utf-8", "replace")
    lines = []
    for _ in range(draws.byte() % 12):
        lines.append("  " * (draws.byte() % 4) + draws.pick(("- ", "a: ", "b: ", "", "? ", "- - ")) + draws.text())
    return "\n".join(lines)


def _same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)  # NaN is not equal to itself


def _bounded(value: Any, depth: int = 0) -> None:
    assert depth <= 41
    match value:
        case dict():
            for name, each in value.items():
                assert isinstance(name, str)
                _bounded(each, depth + 1)
        case list():
            for each in value:
                _bounded(each, depth + 1)
        case _:
            assert value is None or isinstance(value, str | int | float | bool), type(value)


def a_users_file(data: bytes) -> None:
    """Agendas, scripts, house rules, claims, ledgers and records of elaborations are read or refused by name."""
    draws = Draws(data)
    reader: Callable[[str], Any] = draws.pick(
        (
            lambda text: read_agenda(text, "agenda.yaml"),
            lambda text: load_script(text, "script.yaml"),
            lambda text: load_rules(text, "rules.yaml"),
            lambda text: load_claims(text, "claims.yaml"),
            lambda text: parse_ledger(text, "ledger.json"),
            parse_meta,
        )
    )
    try:
        reader(_document(draws))
    except QuorateError as error:
        _told(error)


def a_bundle(data: bytes) -> None:
    """A bundle is checked without an exception, whatever it is; only a text that is none raises InputError."""
    draws = Draws(data)
    try:
        found = from_text(_document(draws), "bundle.yaml" if draws.often(128) else "bundle.json")
    except InputError:
        return
    assert check_bundle(found, None), "a made-up bundle passed"


def a_diff(data: bytes) -> None:
    """A diff becomes patches whose paths stay inside the project, or raises InputError."""
    draws = Draws(data)
    text = (
        "".join(draws.text(400) for _ in range(draws.byte() % 12))
        if draws.often(180)
        else draws.rest().decode("latin-1")
    )
    try:
        patches = parse_diff(text)
    except InputError:
        return
    for patch in patches:
        for path in filter(None, (patch.path, patch.old_path)):
            assert not path.startswith("/"), path
            assert ".." not in path.split("/"), path


@cache
def _folder() -> tuple[tempfile.TemporaryDirectory[str], ContextFolder]:
    home = tempfile.TemporaryDirectory(prefix="quorate-fuzzing-")
    root = Path(home.name, "inside")
    (root / "docs").mkdir(parents=True)
    Path(home.name, "outside.txt").write_text(OUTSIDE, encoding="utf-8")
    (root / ".env").write_text(OUTSIDE, encoding="utf-8")
    (root / "docs" / "plan.md").write_text("A plan.\n", encoding="utf-8")
    (root / "link").symlink_to(Path(home.name, "outside.txt"))
    return home, ContextFolder(root)


def a_look(data: bytes) -> None:
    """A look into the context folder is answered in words, and shows nothing from outside or from a guarded file."""
    draws = Draws(data)
    paths = (
        "../outside.txt",
        "link",
        ".env",
        "docs/../../outside.txt",
        "docs/plan.md",
        ".",
        "/etc/passwd",
        "",
        "outside",
    )
    name = draws.pick(("list", "read", "search", draws.text(8)))
    argument: Any = draws.pick(paths) if draws.often(128) else draws.plain()
    arguments: Any = {draws.pick(("path", "term", "x")): argument}
    if draws.often(128):
        arguments = json.dumps(arguments) if draws.often(200) else draws.text(80)
    said = look(_folder()[1], name, arguments)
    assert said.startswith(("ok:", "refused:"))
    assert OUTSIDE not in said


def a_response(data: bytes) -> None:
    """What a model returned, in whatever part of it, is text for the strict reader."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

    draws = Draws(data)
    parts: list[Any] = []
    for _ in range(draws.byte() % 4):
        if draws.often(128):
            parts.append(TextPart(draws.pick(("```json\n", "```\n", "")) + draws.text(200) + draws.pick(("\n```", ""))))
        else:
            arguments: Any = draws.plain()
            parts.append(ToolCallPart(draws.pick(("reply", "read", "")), arguments))
    ask = an_ask(draws)
    try:
        parse_reply(ask, content(ModelResponse(parts)))
    except Malformed as malformed:
        _told(malformed)


def a_masked_text(data: bytes) -> None:
    """Masking never fails, and what is masked once stays as it is."""
    text = Draws(data).rest().decode("utf-8", "surrogateescape")
    once = without_secrets(text)
    assert without_secrets(once) == once
