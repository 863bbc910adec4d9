"""Checks of the two keys of a finding: signatures and dedup keys are computed, not written by hand (C27)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from quorate.core.forms import Key
from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.council.audit.deviation import Deviation, broken, missing
from quorate.protocols.council.audit.read import Bundle, BundleFinding
from quorate.protocols.council.rules.taxonomy import WHOLE_RFC, Field, Subcategory, dedup_key, recurrence_key

ALGORITHM = "sha256:"
_HEX = re.compile(r"[0-9a-f]{16}")
_NAMED = re.compile(r"(?:([a-z0-9-]{2,12}):)?([0-9a-fA-F]{16})")
_TICKET = Key("T1")
NEARLY_ALL = 12
"""Of sixteen digits."""


def check_signatures(bundle: Bundle) -> Iterator[Deviation]:
    """A signature is the recurrence key of its finding; one of another algorithm is at least consistent (C27)."""
    before: str | None = None
    kinds: dict[str, tuple[str, ...]] = {}
    digits_of: dict[tuple[str, ...], str] = {}
    for found in bundle.findings:
        at = found.at["signature"]
        if not at.given:
            continue
        named = _NAMED.fullmatch(at.text or "")
        right = _recurrence(found)
        if named is None:
            yield broken(at, "C27", f"{at} is not a key of sixteen hexadecimal digits", _expected(right))
            continue
        algorithm, digits = named[1], named[2].lower()
        own = {key.removeprefix(ALGORITHM) for key in right}
        if right and digits not in own:
            if before is not None and is_raised(before, digits):
                says = f"{at} is the signature before it with nearly every digit raised by one"
                yield broken(at, "C27", says, _expected(right))
            elif algorithm in (None, "blake3"):
                yield from _as_a_key(found, at, digits, kinds, digits_of)
            else:
                yield broken(
                    at, "C27", f"{at} is not the key of {shown(found.at['subcategory'].value)}", _expected(right)
                )
        before = digits


def _as_a_key(
    found: BundleFinding,
    at: Spot,
    digits: str,
    kinds: dict[str, tuple[str, ...]],
    digits_of: dict[tuple[str, ...], str],
) -> Iterator[Deviation]:
    """Compare a signature that cannot be recomputed with the others: one kind of finding, one signature (C27)."""
    location = found.at["location"].first("type", "location_type").text
    kind = tuple(str(part)[:80] for part in (found.at["category"], found.subcategory, found.at["gate_id"], location))
    if kinds.setdefault(digits, kind) != kind:
        yield broken(at, "C27", f"{at} is also the signature of another kind of finding", "one signature for each kind")
    elif digits_of.setdefault(kind, digits) != digits:
        yield broken(at, "C27", f"{at} is the second signature of one kind of finding", digits_of[kind])
    else:
        right = _expected(_recurrence(found))
        yield missing(at, "C27", f"{at} names no algorithm that can be computed here", right)


def is_raised(before: str, digits: str) -> bool:
    """Return whether nearly every digit is the previous signature's plus one (9 to a or 0, f to 0 or a)."""
    follows = {"9": "a0", "f": "0a"}
    pairs = zip(before, digits, strict=True)
    return sum(b in follows.get(a, f"{int(a, 16) + 1:x}"[-1]) for a, b in pairs) >= NEARLY_ALL


def _recurrence(found: BundleFinding) -> tuple[str, ...]:
    """Return the possible recurrence keys of a finding; two if it does not say whether it is about a ticket."""
    kind = found.subcategory
    if kind is None:
        return ()
    stated = found.at["location"].first("type", "location_type").text
    places = {"TICKET": (_TICKET,), "RFC": (WHOLE_RFC,)}.get(stated or "", (_TICKET, WHOLE_RFC))
    return _keys_at(kind, places)


@cache
def _keys_at(kind: Subcategory, places: tuple[Key, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(recurrence_key(kind, place) for place in places))


def _expected(keys: tuple[str, ...]) -> str:
    return " or ".join(keys) if keys else "sha256: and sixteen digits of the hash of its kind"


def check_dedup_keys(bundle: Bundle) -> Iterator[Deviation]:
    """A dedup key follows from the finding's kind and place; several findings may share one (C14, C27)."""
    for found in bundle.findings:
        at, kind = found.at["dedup_key"], found.subcategory
        if not at.given:
            continue
        text = at.text or ""
        if not text.startswith(ALGORITHM) or not _HEX.fullmatch(text.removeprefix(ALGORITHM)):
            yield broken(at, "C27", f"{at} is not a key", "sha256: and sixteen hexadecimal digits")
            continue
        places = _places(bundle, found)
        if kind is not None and places and not any(text in _dedup_keys(kind, place) for place in places):
            says = f"{at} is not the key of {kind.name} in {shown(places[0])}"
            yield broken(at, "C27", says, "the hash of category, subcategory, place and field")


def _places(bundle: Bundle, found: BundleFinding) -> tuple[str, ...]:
    """Return the names a finding's place may have: its ticket, its file, or the RFC."""
    location = found.at["location"]
    for name in ("place", "ticket"):
        if (stated := location[name].text) is not None:
            return (stated[:1_000],)
    if found.by_gate:
        return ()  # what a gate finds in one file may be about another document, which has no field of its own
    file, rfc = location["file"].text, bundle.at["rfc_id"].text
    names = [name[:1_000] for name in (file, rfc) if name is not None]
    if file is not None:
        names.append(file[:1_000].replace("\\", "/").rpartition("/")[2])
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4096)
def _dedup_keys(kind: Subcategory, place: str) -> frozenset[str]:
    place = place.encode("utf-8", "replace").decode()
    return frozenset(dedup_key(kind, place, field) for field in Field)
