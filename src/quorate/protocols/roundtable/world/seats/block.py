"""The synthesis as Markdown: marker, heading and attributed items, which untrusted text cannot forge or break."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.evidence.quotations import inline, item
from quorate.kit.visible_text import visible
from quorate.protocols.roundtable.world.elaboration.documents import Block
from quorate.protocols.roundtable.world.elaboration.outline import MARKER
from quorate.protocols.roundtable.world.seats.job import Item, Job, Target

TITLES = {
    "insights": "Key Insights",
    "decisions": "Decisions Made",
    "open_questions": "Open Questions",
    "action_items": "Action Items",
}
EXITS = {
    "user-initiated": "ended by the user",
    "turn-limit": "ended at the turn limit",
    "inactivity": "ended because the user was silent",
}
MOST_SUBJECT = 80
MOST_TITLE = 120
_UNSAFE = re.compile(r"[<>]|[^\x20-\x7e\xa0-\U0010ffff]")
_DASHES = re.compile(r"[-\s]*-(?:\s*-)+[-\s]*|\s+")
_BRACKETED = re.compile(r"\[([^\[\]]{1,200})\]")
_NAME = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def block_of(job: Job, target: Target, at: str) -> Block:
    """Return what is added to one document, at a time in ISO 8601."""
    step, topic = job.text("step"), job.text("topic")
    title = inline(f"{step} {topic}".strip(), MOST_TITLE) or "discussion"
    return Block(marker(step or topic, at, job.identity), f"Roundtable: {title}", tuple(_lines(job, target)))


def marker(subject: str, at: str, identity: str) -> str:
    """Return the comment before an addition. No subject can close it or forge another identity."""
    plain = _UNSAFE.sub(" ", visible(subject))
    short = _DASHES.sub(lambda found: "-" if "-" in found[0] else " ", plain).strip("- ")[:MOST_SUBJECT].strip("- ")
    return f"{MARKER}{short or 'discussion'} {at} {identity} -->"


def _lines(job: Job, target: Target) -> Iterator[str]:
    names = _names(job)
    ended = EXITS.get(job.text("exit"), f"ended early: {inline(job.text('exit'), 60)}")
    who = ", ".join(inline(each, 100) for each in _spoke(job)) or "none"
    yield f"Participants: {who}. {job.number('turns')} of {job.number('max_turns')} turns, {ended}."
    for kind, title in TITLES.items():
        if items := target.items[kind]:
            yield ""
            yield f"**{title}**"
            yield ""
            yield from (_item(kind, each, names) for each in items)


def _item(kind: str, said: Item, names: frozenset[str]) -> str:
    """Return one line: what was said, why, and who said, resolves or does it."""
    parts = [_safe(said["text"], names)]
    if kind == "decisions" and said["rationale"].strip():
        parts.append(f"Rationale: {_safe(said['rationale'], names)}")
    if kind == "open_questions":
        if said["why_open"].strip():
            parts.append(f"Open because: {_safe(said['why_open'], names)}")
        if said["resolver"].strip():
            parts.append(f"To be resolved by {inline(said['resolver'], 100)}.")
    if kind == "action_items" and said["owner"].strip():
        parts.append(f"Owner: {inline(said['owner'], 100)}.")
    return "- " + " ".join((*parts, *_attribution(said.get("by", ""))))


def _attribution(by: str) -> tuple[str, ...]:
    inside = inline(by.strip().removeprefix("[").removesuffix("]"), 200)
    return (f"[{inside}]",) if inside else ()


def _safe(text: str, names: frozenset[str]) -> str:
    """Return a text as one line that means nothing but itself. Names in brackets would pass for an attribution."""

    def tamed(found: re.Match[str]) -> str:
        words = {word.casefold() for word in _NAME.findall(found[1])}
        return f"({found[1]})" if words and words <= names else found[0]

    flat = " ".join(visible(text).split())
    return item(_BRACKETED.sub(tamed, flat)).removeprefix("- ")


def _spoke(job: Job) -> tuple[str, ...]:
    """Return who said something, the personas by their full names."""
    full = {found[0]: each for each in job.texts("participants") if (found := _NAME.search(each))}
    return tuple(full.get(each, each) for each in job.texts("spoke"))


def _names(job: Job) -> frozenset[str]:
    """Return every word that an attribution can have."""
    words = (word.casefold() for each in job.texts("participants") for word in _NAME.findall(each))
    return frozenset(("all", "user", "everyone", "and", *words))
