"""Consistency of a bundle: the hash chain, the material, and everything that it contains twice.

The derived parts repeat what the entries say. So a changed entry can be located to the field, and a changed copy is
told from a changed entry by the chain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from quorate.codec import digest_text
from quorate.core.record import Envelope
from quorate.evidence.seal import Break, Seal, SealFault
from quorate.evidence.shape import Problem, child, paths

IN_BODY = (SealFault.BODY, SealFault.EITHER)
ENVELOPE = {each.name: each.default for each in fields(Envelope) if each.name != "seq"}
"""What an entry leaves out where it is the default, and the transcript spells out."""


# The chain


def check_seal(data: dict[str, Any], seal: Seal, head: str | None) -> Iterator[Problem]:
    """Yield what is wrong with the chain, located as closely as the bundle allows."""
    if seal.broken is not None:
        yield from _broken(data, seal.broken)
    if head is not None and seal.head != head:
        yield Problem("/seal/head", f"the chain ends in {seal.head}", f"{head}, as known from elsewhere")
    for index, entry in enumerate(data["entries"]):
        said = entry["body"].get("seq", 0)
        if said != entry["seq"]:
            yield Problem(f"/entries/{index}/body/seq", f"it is {said}", f"{entry['seq']}, the entry's own")


def _broken(data: dict[str, Any], broken: Break) -> Iterator[Problem]:
    """Locate the damage, down to the field if a copy of the entry's body shows the original."""
    what = f"entry {broken.seq}: {broken.damage.value}"
    places = list(_differing_fields(data, broken.seq)) if broken.damage in IN_BODY else []
    for place, copy in places:
        yield Problem(place, what, f"the same as at {copy}")
    if not places:
        place = f"/entries/{broken.seq}"
        if broken.damage is SealFault.HEAD:
            place = "/seal/head"
        elif broken.damage is SealFault.HASH:
            place += "/hash"
        yield Problem(place, f"{what}; found {broken.found}", broken.expected)


def _differing_fields(data: dict[str, Any], index: int) -> Iterator[tuple[str, str]]:
    """Yield the fields of an entry's body that differ from their copies in the derived parts, and the paths of both."""
    for entry_place, entry_value, copy_place, copy_value in _copied(data):
        if entry_place.startswith(f"/entries/{index}/"):
            for path in paths(entry_value, copy_value):
                yield entry_place + path, copy_place + path


# What stands twice


def _copied(data: dict[str, Any]) -> Iterator[tuple[str, Any, str, Any]]:
    """Yield everything that the derived parts repeat: its path and value in the entries, and in the copy."""
    opening = data["entries"][0]["body"].get("opening", {})
    top = "/entries/0/body/opening"
    for name in ("protocol", "version", "digest", "settings"):
        copy = "name" if name == "protocol" else name
        yield child(top, name), opening.get(name), child("/protocol", copy), data["protocol"][copy]
    for name in ("title", "seed"):
        yield child(top, name), opening.get(name), child("", name), data[name]
    named = opening.get("panel", {})
    for seat in {**named, **data["panel"]}:
        seated = data["panel"].get(seat, {}).get("participant")
        yield child(f"{top}/panel", seat), named.get(seat), f"{child('/panel', seat)}/participant", seated
    for name, digest in opening.get("material", {}).items():
        held = data["material"].get(name, {}).get("digest")
        yield child(f"{top}/material", name), digest, f"{child('/material', name)}/digest", held
    yield from _copied_rulings(data)
    answers = {each["body"]["ask"]: index for index, each in enumerate(data["entries"]) if "ask" in each["body"]}
    for number, asked in enumerate(data["transcript"]):
        place, index = f"/transcript/{number}", answers.get(asked["ask"])
        if index is not None:
            yield from _copied_answer(data["entries"][index], f"/entries/{index}", asked, place)
        elif asked["status"] in ("replied", "absent"):
            yield "/entries", "nothing answers it", f"{place}/status", asked["status"]


def _copied_rulings(data: dict[str, Any]) -> Iterator[tuple[str, Any, str, Any]]:
    ruled = [index for index, each in enumerate(data["entries"]) if "ruled" in each["body"]]
    if len(ruled) != len(data["rulings"]):
        yield "/entries", f"{len(ruled)} ruling(s)", "/rulings", f"{len(data['rulings'])} ruling(s)"
    for number, (index, copy) in enumerate(zip(ruled, data["rulings"], strict=False)):
        entry, place = data["entries"][index], f"/rulings/{number}"
        yield f"/entries/{index}/seq", entry["seq"], f"{place}/seq", copy["seq"]
        yield f"/entries/{index}/body/at", entry["body"].get("at", 0), f"{place}/at", copy["at"]
        for name, value in entry["body"]["ruled"].items():
            yield f"/entries/{index}/body/ruled/{name}", value, f"{place}/{name}", copy[name]


def _copied_answer(
    entry: dict[str, Any], entry_place: str, asked: dict[str, Any], place: str
) -> Iterator[tuple[str, Any, str, Any]]:
    body = entry["body"]
    yield f"{entry_place}/seq", entry["seq"], f"{place}/seq", asked.get("seq")
    for name in ("reply", "absent"):
        yield f"{entry_place}/body/{name}", body.get(name), f"{place}/{name}", asked.get(name)
    for name, default in ENVELOPE.items():
        yield f"{entry_place}/body/{name}", body.get(name, default), f"{place}/{name}", asked.get(name, default)


def check_copies(data: dict[str, Any], broken: Break | None) -> Iterator[Problem]:
    """Compare everything that is contained twice; problems already found by the chain are not repeated."""
    if broken is not None and broken.damage not in (*IN_BODY, SealFault.HASH, SealFault.HEAD):
        return
    told = f"/entries/{broken.seq}/" if broken is not None and broken.damage in IN_BODY else None
    for entry_place, entry_value, copy_place, copy_value in _copied(data):
        if told is None or not entry_place.startswith(told):
            for path in paths(entry_value, copy_value):
                yield Problem(copy_place + path, "it differs from the journal", f"the same as at {entry_place}{path}")
    known, answered = {each["ask"] for each in data["transcript"]}, set()
    for index, entry in enumerate(data["entries"]):
        if (ask := entry["body"].get("ask")) is not None:
            if ask not in known:
                yield Problem(f"/entries/{index}/body/ask", f"it answers {ask}", "an ask of the transcript")
            if ask in answered:
                yield Problem(f"/entries/{index}/body/ask", f"it answers {ask} a second time", "one reply to one ask")
            answered.add(ask)


# The material


def check_material(data: dict[str, Any]) -> Iterator[Problem]:
    """Yield a problem for every text that differs from the one the session was opened with."""
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
