"""Alterations of a bundle, one at a time, as a careful forger would make them, and what the engine makes of each.

`follows` is the oracle: it folds the altered entries with the engine. What is then stated differently, words aside, is
the consequence of an alteration; one without any cannot be found, and does not have to be.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from quorate import catalog
from quorate.codec import canonical, decode_entry, decode_opening, reply_from_data, reply_to_data
from quorate.codec.chain import Entry
from quorate.core.engine import check_reply
from quorate.core.errors import QuorateError
from quorate.core.forms import Key
from quorate.core.record import Record
from quorate.core.types import Ask, AskId, Seat
from quorate.evidence.bundle import make_bundle
from tests.verifier.drawn import drawn
from tests.verifier.played import built, resealed

Bundle = dict[str, Any]
Path = tuple[str | int, ...]
STATED = ("protocol", "transcript", "decisions", "tallies", "verdict", "degradation", "fates")
"""The parts that are derived, or copies of what the opening says."""
WORDS = frozenset(("claim", "why", "because", "rule", "said"))
"""What explains a decision and is none: names under which it stands."""
EXPLAINING = frozenset(("why", "arithmetic"))
"""And those under which it stands in a fact."""
REASONS = ("cancelled", "budget", "episodes", "stall", "wish", "escalation")


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the place of every value that holds no others, and of every list."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    else:
        yield path
        for index, each in enumerate(value if isinstance(value, list) else ()):
            yield from leaves(each, (*path, index))


def at(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def put(value: Any, path: Path, new: Any) -> None:
    at(value, path[:-1])[path[-1]] = new


def pattern(path: Path) -> str:
    """The kind of a place: its names, without numbers."""
    return "/".join("*" if isinstance(part, int) else part for part in path)


def other(value: Any, chance: Random) -> Any:
    """Return another value of the same kind."""
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1, 50))
        case list():
            again = [*value, deepcopy(chance.choice(value))] if value else ["something else"]
            return chance.choice((value[:-1], again)) if value else again
    return "something else"


# Stated things


def restated(bundle: Bundle, chance: Random, most: int) -> Iterator[tuple[str, Bundle]]:
    """Yield bundles in which one stated value is another, with the kind of its place."""
    places = [(part, *path) for part in STATED for path in leaves(bundle.get(part, []))]
    for path in chance.sample(places, min(most, len(places))):
        changed = deepcopy(bundle)
        put(changed, path, other(at(changed, path), chance))
        yield pattern(path), changed


# Replies and other entries, sealed again


def _replied(bundle: Bundle) -> list[int]:
    return [index for index, entry in enumerate(bundle["entries"]) if "reply" in entry["body"]]


def _ask(bundle: Bundle, profile: str, index: int) -> Ask:
    protocol = built(bundle["protocol"]["name"], profile)
    forms = {form.__name__: form for form in protocol.domains}
    line = next(each for each in bundle["transcript"] if each["ask"] == bundle["entries"][index]["body"]["ask"])
    keys = tuple(map(Key, line["keys"]))
    return Ask(AskId(line["ask"]), Seat(line["seat"]), line["brief"], forms[line["form"]], keys)


def reworded(bundle: Bundle, profile: str, chance: Random, most: int) -> Iterator[tuple[str, Bundle]]:
    """Yield bundles in which one field of a reply is what another reply to that ask might have there."""
    places = [(index, path) for index in _replied(bundle) for path in leaves(bundle["entries"][index]["body"]["reply"])]
    for index, path in chance.sample(places, min(most, len(places))):
        changed = deepcopy(bundle)
        reply = changed["entries"][index]["body"]["reply"]
        another = reply_to_data(drawn(_ask(bundle, profile, index), chance))
        try:
            new, old = at(another, path), at(reply, path)
        except (KeyError, IndexError):
            continue  # lists differ in length
        if path and new != old and type(new) is type(old):
            put(reply, path, new)
            ask = _ask(bundle, profile, index)
            if _fits(ask, reply):
                yield f"{ask.brief}: {pattern(path)}", resealed(changed)


def _fits(ask: Ask, reply: dict[str, Any]) -> bool:
    """Whether the form allows the reply; a key may not stand twice in some."""
    try:
        check_reply(ask, reply_from_data(ask.form, reply))
    except QuorateError:
        return False
    return True


def reordered(bundle: Bundle, profile: str, chance: Random) -> Iterator[tuple[str, Bundle]]:
    """Yield bundles in which a whole entry is lost, doubled, put in, cut off, or another's."""
    entries = bundle["entries"]
    for kind in ("dropped", "doubled", "cut", "moved", "absent", "replied", "interrupted", "not interrupted"):
        changed = deepcopy(bundle)
        index, kept = chance.randrange(1, len(entries)), changed["entries"]
        body = kept[index]["body"]
        match kind:
            case "dropped":
                del kept[index]
            case "doubled":
                kept.insert(index, deepcopy(kept[index]))
            case "cut":
                del kept[index:]
            case "moved":
                kept.insert(chance.randrange(1, len(entries)), kept.pop(index))
            case "absent" if "reply" in body:
                del body["reply"]
                body["absent"] = "refused"
            case "replied" if "absent" in body:
                del body["absent"]
                body["reply"] = reply_to_data(drawn(_ask(bundle, profile, index), chance))
            case "interrupted":
                kept.insert(index, {"seq": index, "hash": "", "body": {"interrupted": chance.choice(REASONS)}})
            case "not interrupted" if "interrupted" in body:
                del kept[index]
            case _:
                continue
        yield kind, _retold(resealed(changed))


def _retold(bundle: Bundle) -> Bundle:
    """Let the forger tell every ask as its entry says, so that only what follows from it gives it away."""
    bodies = {each["body"]["ask"]: each["body"] for each in bundle["entries"] if "ask" in each["body"]}
    for line in bundle["transcript"]:
        body = bodies.get(line["ask"], {})
        for name in ("reply", "absent"):
            line.pop(name, None)
            if name in body:
                line |= {name: body[name], "status": "replied" if name == "reply" else "absent"}
    return bundle


# What follows


def follows(bundle: Bundle, profile: str) -> Bundle | None:
    """Return what the engine derives from the entries; None where it refuses one of them."""
    protocol = built(bundle["protocol"]["name"], profile)
    entries = [Entry(each["seq"], canonical(each["body"]), each["hash"]) for each in bundle["entries"]]
    record = Record(
        protocol, decode_opening(entries[0].body)[0], {n: each["text"] for n, each in bundle["material"].items()}
    )
    try:
        for entry in entries[1:]:
            record.take(*decode_entry(entry.body, record.session.asks))
    except QuorateError:
        return None
    return make_bundle(record, entries, bundle["session"], fates=catalog.definition_of(record.opening).fates)


def is_of_consequence(bundle: Bundle, profile: str) -> bool:
    """Whether what is stated does not follow from the entries, by the engine; words aside."""
    right = follows(bundle, profile)
    return right is None or any(_bare(right.get(part)) != _bare(bundle.get(part)) for part in STATED)


def _bare(value: Any, words: frozenset[str] = WORDS) -> Any:
    if isinstance(value, dict):
        kept = {name: each for name, each in value.items() if name not in words}
        return {name: _bare(each, EXPLAINING if name == "values" else words) for name, each in kept.items()}
    return [_bare(each, words) for each in value] if isinstance(value, list) else value
