"""The seal: the chain of hashes over the entries, the digests of the material, and what stands in a bundle twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quorate_verifier.reading import alike, canonical, digest
from quorate_verifier.report import Difference, shown
from quorate_verifier.vocabulary import ENVELOPE

FORMAT = "quorate-bundle/1"
ALGORITHM = "sha256(previous hash + newline + canonical JSON of the body), in hexadecimal, from 64 zeros"
GENESIS = "0" * 64
KINDS: dict[str, type] = {
    **dict.fromkeys(("format", "session", "title"), str),
    **dict.fromkeys(("protocol", "panel", "material", "seal", "degradation", "totals"), dict),
    **dict.fromkeys(("entries", "transcript", "decisions", "tallies", "rulings"), list),
    "seed": int,
}
"""What every bundle has, and of what kind; `verdict` is an object or null."""


def wrong_shape(data: Any) -> Iterator[Difference]:
    """Yield what keeps the bundle from being looked at; all further functions rely on there being nothing."""
    if not isinstance(data, dict):
        yield Difference("", f"it is {shown(data)}", "an object")
        return
    for name, kind in KINDS.items():
        if type(data.get(name)) is not kind:
            yield Difference(f"/{name}", f"it is {shown(data.get(name))}", f"a value of the kind {kind.__name__}")
    if data.get("format") != FORMAT:
        yield Difference("/format", f"it is {shown(data.get('format'))}", FORMAT)
    if not isinstance(data.get("verdict", ""), dict | None):
        told = f"it is {shown(data['verdict'])}" if "verdict" in data else "it is missing"
        yield Difference("/verdict", told, "an object or null")
    for name in ("entries", "transcript", "decisions", "tallies", "rulings"):
        for index, each in enumerate(data[name] if isinstance(data.get(name), list) else ()):
            if not isinstance(each, dict) or (name == "entries" and not isinstance(each.get("body"), dict)):
                yield Difference(f"/{name}/{index}", f"it is {shown(each)}", "an object")


def broken_chain(data: dict[str, Any]) -> Iterator[Difference]:
    """Follow the chain from 64 zeros; yield the first entry where it breaks, and what is wrong with its end."""
    before, entries, stated = GENESIS, data["entries"], data["seal"]
    for index, entry in enumerate(entries):
        if not (alike(entry.get("seq"), index) and alike(entry["body"].get("seq", 0), index)):
            yield Difference(f"/entries/{index}/seq", f"it is {shown(entry.get('seq'))}", f"{index}, entry by entry")
            return
        follows = digest(f"{before}\n{canonical(entry['body'])}")
        if entry.get("hash") != follows:
            yield Difference(f"/entries/{index}", f"its hash is {shown(entry.get('hash'))}", f"{follows}, by its body")
            return
        before = follows
    if not entries:
        yield Difference("/entries", "there is no entry", "at least the opening")
    if stated.get("head") != before:
        yield Difference("/seal/head", f"it is {shown(stated.get('head'))}", f"{before}, where the chain ends")
    if stated.get("algorithm") != ALGORITHM:
        yield Difference("/seal/algorithm", f"it is {shown(stated.get('algorithm'))}", ALGORITHM)
    if not alike(stated.get("entries"), len(entries)):
        yield Difference("/seal/entries", f"it is {shown(stated.get('entries'))}", f"{len(entries)}")


def opening_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return what the session was opened with, or nothing where entry 0 does not say."""
    told = data["entries"][0]["body"].get("opening")
    return told if isinstance(told, dict) else {}


def unlike_the_opening(data: dict[str, Any]) -> Iterator[Difference]:
    """Compare material, protocol, settings, seed, title, id and panel with the opening."""
    opening = opening_of(data)
    if not opening:
        yield Difference("/entries/0/body/opening", "it is missing", "what the session was opened with")
        return
    same: dict[str, tuple[str, ...]] = {name: ("protocol", name) for name in ("version", "digest", "settings")}
    same |= {"protocol": ("protocol", "name"), "title": ("title",), "seed": ("seed",), "session": ("session",)}
    for name, path in same.items():
        value: Any = data
        for part in path:
            value = value.get(part)
        if not alike(value, opening.get(name)) and not (name == "session" and not opening.get(name)):
            expected = f"{shown(opening.get(name))}, as the opening says"
            yield Difference("/" + "/".join(path), f"it is {shown(value)}", expected)
    yield from _briefs(data, opening)
    yield from _panel(data, opening)
    yield from _material(data, opening)


def _briefs(data: dict[str, Any], opening: dict[str, Any]) -> Iterator[Difference]:
    """The opening keeps the digests of the prompts that were used."""
    kept, stated = _object(opening, "briefs"), _object(data["protocol"], "briefs")
    for name in {**kept, **stated} if kept else ():
        text = stated.get(name)
        if not isinstance(text, str) or digest(text) != kept.get(name):
            expected = f"the prompt with the digest {shown(kept.get(name))}"
            yield Difference(f"/protocol/briefs/{name}", "it is not the prompt that was used", expected)


def _object(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _panel(data: dict[str, Any], opening: dict[str, Any]) -> Iterator[Difference]:
    opened = _object(opening, "panel")
    for seat in {**opened, **data["panel"]}:
        held = data["panel"].get(seat)
        stated = held.get("participant") if isinstance(held, dict) else None
        if stated != opened.get(seat):
            expected = f"{shown(opened.get(seat))}, as the opening says"
            yield Difference(f"/panel/{seat}/participant", f"it is {shown(stated)}", expected)


def _material(data: dict[str, Any], opening: dict[str, Any]) -> Iterator[Difference]:
    opened = _object(opening, "material")
    for name in {**opened, **data["material"]}:
        held, place = data["material"].get(name), f"/material/{name}"
        text = held.get("text") if isinstance(held, dict) else None
        if not isinstance(held, dict) or not isinstance(text, str):
            yield Difference(place, "its text is missing", f"the text with the digest {shown(opened.get(name))}")
        elif digest(text) != opened.get(name):
            yield Difference(f"{place}/text", f"its digest is {digest(text)}", shown(opened.get(name)))
        elif held.get("digest") != opened.get(name) or not alike(held.get("characters"), len(text)):
            yield Difference(place, "digest or length differ from its text", f"{digest(text)}, {len(text)} characters")


def unlike_the_entries(data: dict[str, Any]) -> Iterator[Difference]:
    """Compare the replies and rulings that are told again with the entries; one ask has one reply, in its phase."""
    told = {each.get("ask"): (index, each) for index, each in enumerate(data["transcript"])}
    answered: set[str] = set()
    latest = 0
    for index, entry in enumerate(data["entries"]):
        body, place = entry["body"], f"/entries/{index}/body"
        if "ask" not in body:
            continue
        ask = body["ask"]
        if not isinstance(ask, str) or ask not in told or ask in answered:
            yield Difference(f"{place}/ask", f"it answers {shown(ask)}", "an ask that has no other reply")
            continue
        answered.add(ask)
        number, line = told[ask]
        yield from _unlike(body, line, f"/transcript/{number}")
        phase = _phase_of(ask)
        if phase < latest:
            yield Difference(f"{place}/ask", f"it answers {ask}, after replies to later phases", "replies in order")
        latest = max(latest, phase)
    for ask, (number, line) in told.items():
        if ask not in answered and line.get("status") not in ("open", "withdrawn"):
            yield Difference(f"/transcript/{number}", "no entry answers it", "an entry, or no reply")
    files = _answered_for(data.get("fates"))
    ruled = [
        {"at": e["body"].get("at", 0), **e["body"]["ruled"], "seq": e.get("seq")} | files
        for e in data["entries"]
        if _rules(e)
    ]
    if not alike(ruled, data["rulings"]):
        yield Difference("/rulings", f"they are {shown(data['rulings'])}", f"{shown(ruled)}, as the entries say")


def _answered_for(fates: Any) -> dict[str, Any]:
    """Return what a ruling answers for unread, as the fates tell it, which are derived elsewhere (R47, C42)."""
    told = [each for each in fates if isinstance(each, dict)] if isinstance(fates, list) else []
    unread = [each for each in told if each.get("became") == "ruled upon"]
    files = [each.get("said") for each in unread if each.get("what") in ("file", "ticket")]
    return {"answers_for": files} if files else {}


def _rules(entry: dict[str, Any]) -> bool:
    return isinstance(entry["body"].get("ruled"), dict)


def _phase_of(ask: str) -> int:
    number = ask.partition(".")[0]
    return int(number) if number.isdecimal() and len(number) < 10 else -1


def _unlike(body: dict[str, Any], line: dict[str, Any], place: str) -> Iterator[Difference]:
    for name in ("reply", "absent", *ENVELOPE):
        kept = body.get(name, ENVELOPE.get(name))
        if not alike(kept, line.get(name, [] if name in ("unfit", "measured") else None)):
            yield Difference(f"{place}/{name}", f"it is {shown(line.get(name))}", f"{shown(kept)}, as the entry says")
    status = "absent" if "absent" in body else "replied"
    if line.get("status") != status:
        yield Difference(f"{place}/status", f"it is {shown(line.get('status'))}", status)
