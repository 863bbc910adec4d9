"""Examining a bundle: structure, chain, material, and everything derived, derived again. Bundles are hostile input.

Nothing that stands in a bundle is believed. What can be wrong is told as a `Problem` with its place and what was
expected there; no bundle, however strange, raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from quorate.core.errors import QuorateError, RulesChanged
from quorate.core.forms import with_marks
from quorate.core.record import Record
from quorate.core.types import Absent, Event, Protocol, Replied
from quorate.evidence.bundle import make_bundle, schema
from quorate.evidence.seal import Break, Damage, Seal, check_chain
from quorate.evidence.shape import Problem, child, mismatches, plain_problems, shown
from quorate.store.codec import canonical, decode_entry, decode_opening, digest_text, reply_to_data
from quorate.store.journal import Entry
from quorate.store.reading import check_rules

MOST_PROBLEMS = 100
"""Problems that are listed; a bundle with more is not worth more words."""
IN_BODY = (Damage.BODY, Damage.EITHER)
ENVELOPE = {"model": "", "tokens_in": 0, "tokens_out": 0, "cost": 0, "elapsed": 0, "attempts": 1, "detail": "", "at": 0}
"""What an entry leaves out because it is the default, and the transcript spells out."""


def check_bundle(data: Any, protocol: Protocol[Any] | None, head: str | None = None) -> list[Problem]:
    """Return what is wrong with a bundle, the evidence itself first; an empty list means that it holds.

    With the protocol under which the session ran, everything derived is derived again; where the chain is broken there
    is nothing to derive from. `head` is the hash that the chain must end in, where it is known from elsewhere: a bundle
    that was rewritten as a whole is found out by nothing else.
    """
    if problems := plain_problems(data):
        return problems
    if problems := list(islice(mismatches(schema(), data), MOST_PROBLEMS)):
        return problems
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in data["entries"]]
    seal = check_chain(entries, data["seal"]["head"], data["seal"]["entries"])
    found = [*_seal(data, seal, head), *_material(data), *_copies(data, seal.broken)]
    if protocol is not None and seal.ok:
        found += islice(_derived(data, entries, protocol), MOST_PROBLEMS)
    by_place: dict[str, Problem] = {}
    for problem in found:
        by_place.setdefault(problem.place, problem)
    return list(by_place.values())[:MOST_PROBLEMS]


# The chain


def _seal(data: dict[str, Any], seal: Seal, head: str | None) -> Iterator[Problem]:
    if seal.broken is not None:
        yield from _broken(data, seal.broken)
    if head is not None and seal.head != head:
        yield Problem("/seal/head", f"the chain ends in {seal.head}", f"{head}, as known from elsewhere")
    for index, entry in enumerate(data["entries"]):
        said = entry["body"].get("seq", 0)
        if said != entry["seq"]:
            yield Problem(f"/entries/{index}/body/seq", f"it is {said}", f"{entry['seq']}, the entry's own")


def _broken(data: dict[str, Any], broken: Break) -> Iterator[Problem]:
    """Locate the damage: to the field, where a copy of the entry's body tells what it was."""
    what = f"entry {broken.seq}: {broken.damage.value}"
    fields = list(_differing_fields(data, broken.seq)) if broken.damage in IN_BODY else []
    for place, copy in fields:
        yield Problem(place, what, f"what stands at {copy}")
    if not fields:
        place = f"/entries/{broken.seq}"
        if broken.damage is Damage.HEAD:
            place = "/seal/head"
        elif broken.damage is Damage.HASH:
            place += "/hash"
        yield Problem(place, f"{what}; found {broken.found}", broken.expected)


def _differing_fields(data: dict[str, Any], index: int) -> Iterator[tuple[str, str]]:
    """The fields of an entry's body that differ from their copies in the derived parts, with the copies' places."""
    for entry_place, entry_value, copy_place, copy_value in _copied(data):
        if entry_place.startswith(f"/entries/{index}/"):
            for path in _paths(entry_value, copy_value):
                yield entry_place + path, copy_place + path


# What stands twice


def _copied(data: dict[str, Any]) -> Iterator[tuple[str, Any, str, Any]]:
    """Yield everything that the derived parts repeat: its place and value in the entries, and in the copy."""
    opening = data["entries"][0]["body"].get("opening", {})
    top = "/entries/0/body/opening"
    for name in ("protocol", "version", "digest", "settings"):
        copy = "name" if name == "protocol" else name
        yield child(top, name), opening.get(name), child("/protocol", copy), data["protocol"][copy]
    for name in ("title", "seed"):
        yield child(top, name), opening.get(name), child("", name), data[name]
    for seat, seated in data["panel"].items():
        named = opening.get("panel", {}).get(seat)
        yield child(f"{top}/panel", seat), named, child("/panel", seat) + "/participant", seated["participant"]
    answers = {each["body"]["ask"]: index for index, each in enumerate(data["entries"]) if "ask" in each["body"]}
    for number, asked in enumerate(data["transcript"]):
        place, index = f"/transcript/{number}", answers.get(asked["ask"])
        if index is not None:
            yield from _copied_answer(data["entries"][index], f"/entries/{index}", asked, place)
        elif asked["status"] in ("replied", "absent"):
            yield "/entries", "nothing answers it", f"{place}/status", asked["status"]


def _copied_answer(
    entry: dict[str, Any], entry_place: str, asked: dict[str, Any], place: str
) -> Iterator[tuple[str, Any, str, Any]]:
    body = entry["body"]
    yield f"{entry_place}/seq", entry["seq"], f"{place}/seq", asked.get("seq")
    for name in ("reply", "absent"):
        yield f"{entry_place}/body/{name}", body.get(name), f"{place}/{name}", asked.get(name)
    for name, default in ENVELOPE.items():
        yield f"{entry_place}/body/{name}", body.get(name, default), f"{place}/{name}", asked.get(name, default)


def _copies(data: dict[str, Any], broken: Break | None) -> Iterator[Problem]:
    """Compare what stands twice; what the chain has found already is not said again."""
    if broken is not None and broken.damage not in (*IN_BODY, Damage.HASH, Damage.HEAD):
        return
    told = f"/entries/{broken.seq}/" if broken is not None and broken.damage in IN_BODY else None
    for entry_place, entry_value, copy_place, copy_value in _copied(data):
        if told is None or not entry_place.startswith(told):
            for path in _paths(entry_value, copy_value):
                yield Problem(copy_place + path, "it differs from the journal", f"what stands at {entry_place}{path}")
    known, answered = {each["ask"] for each in data["transcript"]}, set()
    for index, entry in enumerate(data["entries"]):
        if (ask := entry["body"].get("ask")) is not None:
            if ask not in known:
                yield Problem(f"/entries/{index}/body/ask", f"it answers {ask}", "an ask of the transcript")
            if ask in answered:
                yield Problem(f"/entries/{index}/body/ask", f"it answers {ask} once more", "one reply to one ask")
            answered.add(ask)


def _paths(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Yield the JSON pointers, from here, at which two plain values differ."""
    if type(left) is dict and type(right) is dict:
        for key in {**left, **right}:
            if key in left and key in right:
                yield from _paths(left[key], right[key], child(path, key))
            else:
                yield child(path, key)
    elif type(left) is list and type(right) is list:
        for index, (one, other) in enumerate(zip(left, right, strict=False)):
            yield from _paths(one, other, child(path, index))
        if len(left) != len(right):
            yield child(path, min(len(left), len(right)))
    elif type(left) is not type(right) or left != right:
        yield path


# The material


def _material(data: dict[str, Any]) -> Iterator[Problem]:
    opened = data["entries"][0]["body"].get("opening", {}).get("material", {})
    for name in opened:
        if name not in data["material"]:
            yield Problem("/material", f"{name!r} is missing", f"the text with the digest {opened[name]}")
    for name, held in data["material"].items():
        place = child("/material", name)
        digest = digest_text(held["text"])
        if name not in opened:
            yield Problem(place, "the session was not opened with it", "only " + ", ".join(opened))
        elif digest != opened[name]:
            yield Problem(f"{place}/text", f"its digest is {digest}", f"{opened[name]}, as the opening says")
        if held["digest"] != digest:
            yield Problem(f"{place}/digest", f"it is {held['digest']}", f"{digest}, the digest of the text")
        if held["characters"] != len(held["text"]):
            yield Problem(f"{place}/characters", f"it is {held['characters']}", f"{len(held['text'])}")


# Everything, once more


def _derived(data: dict[str, Any], entries: list[Entry], protocol: Protocol[Any]) -> Iterator[Problem]:
    """Fold the entries again and compare all that follows from them."""
    try:
        opening, _ = decode_opening(entries[0].body)
        check_rules(protocol, opening)
    except RulesChanged as error:
        yield Problem("/protocol/digest", f"nothing could be derived again: {error}", "the rules that it ran under")
        return
    except QuorateError as error:
        yield Problem("/entries/0/body", str(error), "an opening")
        return
    record = Record(protocol, opening, {name: held["text"] for name, held in data["material"].items()})
    for index, entry in enumerate(entries[1:], start=1):
        try:
            event, envelope = decode_entry(entry.body, record.session.asks)
            record.take(event, envelope)
        except QuorateError as error:
            yield Problem(f"/entries/{index}/body", str(error), "an event that the rules allow here")
            return
        yield from _marks(event, f"/entries/{index}/body/reply")
    again = make_bundle(record, entries, data["session"])
    for path in _paths(again, data):
        follows = shown(_at(again, path))
        yield Problem(path, f"it is {shown(_at(data, path))}", f"{follows}, as it follows from the entries")


def _marks(event: Event, place: str) -> Iterator[Problem]:
    """Compute the marks of a reply again: a decision believes them, so they must follow from the words."""
    if isinstance(event, Replied) and not isinstance(event.reply, Absent):
        kept, again = reply_to_data(event.reply), reply_to_data(with_marks(event.reply))
        for path in _paths(again, kept):
            yield Problem(place + path, f"it is {shown(_at(kept, path))}", f"{shown(_at(again, path))}, by the words")


def _at(data: Any, path: str) -> Any:
    """The value at a JSON pointer, or a word that there is none."""
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, dict) and key in data:
            data = data[key]
        elif isinstance(data, list) and int(key) < len(data):
            data = data[int(key)]
        else:
            return "nothing"
    return data
