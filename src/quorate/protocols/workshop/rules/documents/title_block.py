"""The head of every document: its title, how the session ended, and what is missing for completeness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.protocols.workshop.rules.documents.marks import session_mark
from quorate.protocols.workshop.rules.documents.overview import Reading, is_matter
from quorate.protocols.workshop.rules.documents.plain import bullets, first_line, line, names, told, verbatim
from quorate.protocols.workshop.rules.documents.rulings import rulings

ENDINGS = {
    "COMPLETE": ("complete", "The session closed its agenda."),
    "INCOMPLETE": ("INCOMPLETE", "The session reached its last round with something still open."),
    "CLOSED": ("CLOSED EARLY", "A person closed the session before its agenda was closed."),
    "ABORTED": ("ABORTED", "The session was aborted."),
}
UNDER_WAY = ("UNDER WAY", "The session has not ended yet.")
MOST_TITLE = 160


def ending(reading: Reading) -> str:
    """How the session ended, in words that stand in a title: `complete`, `INCOMPLETE, degraded`."""
    words = [ENDINGS.get(_verdict(reading), UNDER_WAY)[0]]
    if words == ["complete"] and (left := len(reading.open_topics)):
        words.append(_many(left, "topic") + " open")
    return ", ".join((*words, "degraded") if reading.degraded else words)


def heading(reading: Reading, noun: str) -> Iterator[str]:
    """Yield the head of a document: its marker, its title with how the session ended, and the particulars."""
    yield session_mark(reading.session, reading.digest)
    yield f"# {noun} ({ending(reading)}): {subject(reading)}"
    if warning := caution(reading):
        yield warning
    yield bullets(_particulars(reading))
    if reading.open_topics:
        yield "Topics that are not closed:"
        yield "\n".join(_open_topics(reading))


def subject(reading: Reading) -> str:
    """What the session was about, on one line: the topic may be a whole page."""
    return verbatim(line(first_line(reading.result["topic"]), MOST_TITLE)) or "without a topic"


def caution(reading: Reading) -> str:
    """The sentence that keeps an unfinished document from passing for a finished one; empty for a finished one."""
    verdict = _verdict(reading)
    if verdict == "COMPLETE" and not reading.open_topics:
        return ""
    left = f" {len(reading.open_topics)} of {_many(len(reading.agenda), 'topic')} not closed." if reading.agenda else ""
    return f"> **This document is not complete.** {ENDINGS.get(verdict, UNDER_WAY)[1]}{left}"


def _verdict(reading: Reading) -> str:
    return str(reading.result["verdict"] or "").upper()


def _particulars(reading: Reading) -> Iterator[str]:
    result = reading.result
    days = " to ".join(reading.days)
    rounds = _many(len(reading.rounds), "round")
    about = (
        f"`{reading.session}`",
        days,
        f"workflow {line(result['workflow'])}",
        f"strategy {line(result['strategy'])}",
    )
    yield f"**Session:** {', '.join(filter(None, (*about, rounds)))}"
    if result["closed_by"]:
        yield f"**Ended by:** {line(result['closed_by'])}"
    closed = len(reading.agenda) - len(reading.open_topics)
    yield f"**Topics:** {closed} of {len(reading.agenda)} closed"
    yield f"**Artifacts:** {_artifacts(reading)}"
    yield f"**Left open:** {_left_open(reading)}"
    if decided := [each.round for each in rulings(reading) if each.is_decision]:
        yield f"**Decisions by a person:** {len(decided)}, in {_rounds(tuple(dict.fromkeys(decided)))}; see below"
    yield f"**At the table:** {names(_seats(reading))}"
    if reading.degraded:
        yield f"**Degraded:** {'; '.join(_missing(reading))}"
    if reading.warnings:
        yield f"**Warnings:** {len(reading.warnings)}, listed under Traceability"


def _seats(reading: Reading) -> list[str]:
    sides = reading.result["sides"]
    return [f"{seat} ({sides[seat]})" if sides.get(seat) else seat for seat in reading.result["participants"]]


def _artifacts(reading: Reading) -> str:
    agreed = [each["agreement"] for each in reading.standing if not is_matter(each)]
    counts = {
        "agreed": agreed.count("consensus"),
        "not agreed": agreed.count("draft"),
        "in conflict": agreed.count("conflict"),
    }
    gone = f"; {len(reading.gone)} superseded or withdrawn" if reading.gone else ""
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count or word == "agreed")
    return f"{len(agreed)} in force ({told}){gone}"


def _left_open(reading: Reading) -> str:
    questions = [each for each in reading.of("OQ") if each["status"] == "open"]
    conflicts = [each for each in reading.of("CONF") if each["status"] == "open"]
    blocking = sum(told(each["fields"].get("blocking")).lower() in ("yes", "true") for each in questions)
    asked = _many(len(questions), "question") + (f" ({blocking} blocking)" if blocking else "")
    return f"{asked}, {_many(len(conflicts), 'conflict')}" if questions or conflicts else "no question, no conflict"


def _missing(reading: Reading) -> Iterator[str]:
    for seat, rounds in reading.absent.items():
        yield f"{line(seat)} gave no answer in {_rounds(rounds)}"
    if reading.unasked:
        yield f"the facilitator asked no usable question in {_rounds(reading.unasked)}"
    if reading.below_settings:
        yield "more was missing than the settings allow"
    elif not reading.absent and not reading.unasked:
        yield "somebody was missing"


def _open_topics(reading: Reading) -> Iterator[str]:
    for topic in reading.open_topics:
        required = ", required" if topic["critical"] else ""
        counted = f"{count(topic)} agreed artifact{'' if count(topic) == '1' else 's'}"
        yield f"- **{verbatim(line(topic['name']))}** ({line(topic['status'])}{required}): {counted}"
        yield from (f"  - {words}" for words in _lacks(reading, topic))


def count(topic: Mapping[str, Any]) -> str:
    """How many agreed artifacts a topic has, of how many it needs; where it needs none the number alone."""
    return f"{topic['counted']} of {topic['minimum']}" if topic["minimum"] else str(topic["counted"])


def _lacks(reading: Reading, topic: Mapping[str, Any]) -> Iterator[str]:
    """All that keeps a topic from being closed (W21)."""
    short = max(topic["minimum"] - topic["counted"], 0)
    unmet = [each["text"] for each in topic["criteria"] if not each["met"]]
    conflicts = reading.open_conflicts(topic["topic_id"])
    yield from (f"not met: {verbatim(line(text))}" for text in unmet)
    if short:
        yield f"short of {_many(short, 'agreed artifact')}"
    yield from (f"in conflict: {each['id']} is open ({line(each['title'])})" for each in conflicts)
    if not (unmet or short or conflicts):
        yield "it lacks nothing, but the session had not closed it yet"


def _rounds(rounds: tuple[int, ...]) -> str:
    return ("round " if len(rounds) == 1 else "rounds ") + ", ".join(map(str, rounds))


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
