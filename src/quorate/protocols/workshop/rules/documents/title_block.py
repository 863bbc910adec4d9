"""The head of every document: its title, how the session ended, and what is missing for completeness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.kit.visible_text import first_line
from quorate.protocols.workshop.rules.documents.marks import session_mark
from quorate.protocols.workshop.rules.documents.overview import Overview, is_matter
from quorate.protocols.workshop.rules.documents.plain import bullets, line, names, told, verbatim
from quorate.protocols.workshop.rules.documents.rulings import rulings as ruled

ENDINGS = {
    "COMPLETE": ("complete", "The session closed its agenda."),
    "INCOMPLETE": ("INCOMPLETE", "The session reached its last round with something still open."),
    "CLOSED": ("CLOSED EARLY", "A person closed the session before its agenda was closed."),
    "ABORTED": ("ABORTED", "The session was aborted."),
}
UNDER_WAY = ("UNDER WAY", "The session has not ended yet.")
MOST_TITLE = 160


def ending(overview: Overview) -> str:
    """How the session ended, in words that stand in a title: `complete`, `INCOMPLETE, degraded`."""
    words = [ENDINGS.get(_verdict(overview), UNDER_WAY)[0]]
    if words == ["complete"] and (left := len(overview.open_topics)):
        words.append(_many(left, "topic") + " open")
    return ", ".join((*words, "degraded") if overview.degraded else words)


def heading(overview: Overview, noun: str) -> Iterator[str]:
    """Yield the head of a document: its marker, its title with how the session ended, and the particulars."""
    yield session_mark(overview.session, overview.digest)
    yield f"# {noun} ({ending(overview)}): {subject(overview)}"
    if warning := caution(overview):
        yield warning
    yield bullets(_particulars(overview))
    if overview.open_topics:
        yield "Topics that are not closed:"
        yield "\n".join(_open_topics(overview))


def subject(overview: Overview) -> str:
    """What the session was about, on one line: the topic may be a whole page."""
    return verbatim(line(first_line(overview.result["topic"]), MOST_TITLE)) or "without a topic"


def caution(overview: Overview) -> str:
    """The sentence that keeps an unfinished document from passing for a finished one; empty for a finished one."""
    verdict = _verdict(overview)
    if verdict == "COMPLETE" and not overview.open_topics:
        return ""
    count = len(overview.open_topics)
    left = f" {count} of {_many(len(overview.agenda), 'topic')} not closed." if count else ""
    return f"> **This document is not complete.** {ENDINGS.get(verdict, UNDER_WAY)[1]}{left}"


def _verdict(overview: Overview) -> str:
    return str(overview.result["verdict"] or "").upper()


def _particulars(overview: Overview) -> Iterator[str]:
    result = overview.result
    days = " to ".join(overview.days)
    rounds = _many(len(overview.rounds), "round")
    about = (
        f"`{overview.session}`",
        days,
        f"workflow {line(result['workflow'])}",
        f"strategy {line(result['strategy'])}",
    )
    yield f"**Session:** {', '.join(filter(None, (*about, rounds)))}"
    if result["closed_by"]:
        yield f"**Ended by:** {line(result['closed_by'])}"
    closed = len(overview.agenda) - len(overview.open_topics)
    yield f"**Topics:** {closed} of {len(overview.agenda)} closed"
    yield f"**Artifacts:** {_artifacts(overview)}"
    yield f"**Left open:** {_left_open(overview)}"
    if overview.too_few_judged:
        yield f"**Judged:** by {overview.result['judged']} of {len(overview.result['participants'])}, which is too few"
    if unread := overview.result.get("unread"):
        yield f"**Shown to nobody:** {verbatim(line('; '.join(unread)))}"
    if decided := [each.round for each in ruled(overview) if each.is_decision]:
        yield f"**Decisions by a person:** {len(decided)}, in {_rounds(tuple(dict.fromkeys(decided)))}; see below"
    yield f"**At the table:** {names(_seats(overview))}"
    if overview.degraded:
        yield f"**Degraded:** {'; '.join(_missing(overview))}"
    if overview.warnings:
        yield f"**Warnings:** {len(overview.warnings)}, listed under Traceability"


def _seats(overview: Overview) -> list[str]:
    sides = overview.result["sides"]
    return [f"{seat} ({sides[seat]})" if sides.get(seat) else seat for seat in overview.result["participants"]]


def _artifacts(overview: Overview) -> str:
    agreed = [each["agreement"] for each in overview.standing if not is_matter(each)]
    counts = {
        "agreed": agreed.count("consensus"),
        "not agreed": agreed.count("draft"),
        "in conflict": agreed.count("conflict"),
    }
    gone = f"; {len(overview.gone)} superseded or withdrawn" if overview.gone else ""
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count or word == "agreed")
    return f"{len(agreed)} in force ({told}){gone}"


def _left_open(overview: Overview) -> str:
    questions = [each for each in overview.of("OQ") if each["status"] == "open"]
    conflicts = [each for each in overview.of("CONF") if each["status"] == "open"]
    blocking = sum(told(each["fields"].get("blocking")).lower() in ("yes", "true") for each in questions)
    asked = _many(len(questions), "question") + (f" ({blocking} blocking)" if blocking else "")
    rulings = [each for each in overview.of("RUL") if each["status"] == "open"]
    waiting = f", {_many(len(rulings), 'ruling')} not applied" if rulings else ""
    matters = f"{asked}, {_many(len(conflicts), 'conflict')}" if questions or conflicts else "no question, no conflict"
    return matters + waiting


def _missing(overview: Overview) -> Iterator[str]:
    for seat, rounds in overview.absent.items():
        yield f"{line(seat)} gave no answer in {_rounds(rounds)}"
    if overview.unasked:
        yield f"the facilitator asked no usable question in {_rounds(overview.unasked)}"
    if overview.below_settings:
        yield "more was missing than the settings allow"
    elif not overview.absent and not overview.unasked:
        yield "somebody was missing"


def _open_topics(overview: Overview) -> Iterator[str]:
    for topic in overview.open_topics:
        required = ", required" if topic["critical"] else ""
        counted = f"{count(topic)} agreed artifact{'' if count(topic) == '1' else 's'}"
        yield f"- **{verbatim(line(topic['name']))}** ({line(topic['status'])}{required}): {counted}"
        yield from (f"  - {words}" for words in _lacks(overview, topic))


def count(topic: Mapping[str, Any]) -> str:
    """How many agreed artifacts a topic has, of how many it needs; where it needs none the number alone."""
    return f"{topic['counted']} of {topic['minimum']}" if topic["minimum"] else str(topic["counted"])


def _lacks(overview: Overview, topic: Mapping[str, Any]) -> Iterator[str]:
    """All that keeps a topic from being closed (W21)."""
    short = max(topic["minimum"] - topic["counted"], 0)
    unmet = [each["text"] for each in topic["criteria"] if not each["met"]]
    conflicts, rulings = (overview.open_matters(kind, topic["topic_id"]) for kind in ("CONF", "RUL"))
    yield from (f"not met: {verbatim(line(text))}" for text in unmet)
    if short:
        yield f"short of {_many(short, 'agreed artifact')}"
    yield from (f"in conflict: {each['id']} is open ({line(each['title'])})" for each in conflicts)
    yield from (f"waiting: {each['id']} of a person is not applied" for each in rulings)
    if not (unmet or short or conflicts or rulings):
        yield "it lacks nothing, but the session had not closed it yet"


def _rounds(rounds: tuple[int, ...]) -> str:
    return ("round " if len(rounds) == 1 else "rounds ") + ", ".join(map(str, rounds))


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
