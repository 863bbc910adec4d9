"""Reads an agenda strictly: what is unknown, missing, repeated or out of bounds is an error that names its place (W2).

    workflow: specs            # specs, design, brainstorm or open (the default)
    title: Requirements of the shop
    topics:
      - id: checkout
        name: Checkout
        critical: true         # false unless given
        done_when:
          criteria: [Every way to pay is named]
          minimum: 2           # or min_requirements, or min_decisions
          counts: [REQ, BR]    # all that the workflow makes, unless given

A topic may also have `description`, `exploration`, `questions` and `stage`. What comes out has every key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from quorate.core.errors import InputError
from quorate.files.located_values import Located
from quorate.files.yaml import load
from quorate.protocols.workshop.rules.model import MOST_CRITERIA, MOST_TOPICS
from quorate.protocols.workshop.rules.workflows.vocabulary import BOUND_STAGES, COUNTED, TYPES

MOST_QUESTIONS = 12
MOST_MINIMUM = 20
MOST_LINE = 300
"""Characters of a title, a name, a criterion or a question."""
MOST_TEXT = 4_000
"""Characters of a description or of an exploration."""

MINIMUMS = ("minimum", "min_requirements", "min_decisions")
_AGENDA = ("workflow", "title", "topics")
_TOPIC = ("id", "name", "description", "critical", "stage", "done_when", "exploration", "questions")
_DONE_WHEN = ("criteria", *MINIMUMS, "counts")
_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_MOST_ID = 40

Entries = Mapping[str, Located]


def read_agenda(source: Path | str, name: str | None = None) -> dict[str, Any]:
    """Return the agenda in a file (a Path) or a text (which errors call `name`), every key filled in, or InputError."""
    root = load(source, name)
    given = root.mapping(_AGENDA)
    workflow = given["workflow"].choice(tuple(COUNTED), "workflow") if "workflow" in given else "open"
    title = _line(_needed(root, given, "title", "a line that says what the agenda is about"))
    topics = _listed(_needed(root, given, "topics", f"a list of 1 to {MOST_TOPICS} topics"), "topics", 1, MOST_TOPICS)
    read = [_topic(each, COUNTED[workflow]) for each in topics]
    _distinct([each.mapping()["id"] for each in topics], "topic")
    _bound(topics, read)
    return {"workflow": workflow, "title": title, "topics": read}


def canonical(agenda: Mapping[str, Any]) -> str:
    """Return the agenda as the material holds it: JSON with sorted keys, the same text for the same agenda."""
    return json.dumps(agenda, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _topic(node: Located, makes: Collection[str]) -> dict[str, Any]:
    given = node.mapping(_TOPIC)
    done_when = _needed(node, given, "done_when", "a mapping with criteria and minimum")
    return {
        "id": _id(_needed(node, given, "id", "a short name such as user-workflows")),
        "name": _line(_needed(node, given, "name", "a line that names the topic")),
        "description": _text(given.get("description")),
        "critical": given["critical"].flag() if "critical" in given else False,
        "stage": _stage(given.get("stage")),
        "done_when": _done_when(done_when, makes),
        "exploration": _text(given.get("exploration")),
        "questions": _lines(given.get("questions"), "questions", 0, MOST_QUESTIONS),
    }


def _done_when(node: Located, makes: Collection[str]) -> dict[str, Any]:
    given = node.mapping(_DONE_WHEN)
    criteria = _needed(node, given, "criteria", f"a list of 1 to {MOST_CRITERIA} criteria")
    return {
        "criteria": _lines(criteria, "criteria", 1, MOST_CRITERIA),
        "minimum": _minimum(node, given),
        "counts": _counts(given.get("counts"), makes),
    }


def _minimum(node: Located, given: Entries) -> int:
    """Exactly one of the three names for it may be there."""
    names = [name for name in MINIMUMS if name in given]
    if not names:
        raise node.error("has no minimum", f"one of {', '.join(MINIMUMS)}, from 0 to {MOST_MINIMUM}")
    if len(names) > 1:
        raise given[names[1]].error(f"{' and '.join(names)} are both given", f"one of {', '.join(MINIMUMS)}")
    return given[names[0]].whole(0, MOST_MINIMUM)


def _counts(node: Located | None, makes: Collection[str]) -> list[str]:
    if node is None:
        return list(makes)
    entries = _listed(node, "types of artifacts", 1, len(TYPES))
    for each in entries:
        name = each.choice(tuple(TYPES), "type of artifact")
        if name not in makes:
            raise each.error(f"{name} does not count in this workflow", f"one of {', '.join(makes)}")
    _distinct(entries, "type")
    return [each.text() for each in entries]


def _stage(node: Located | None) -> str:
    # An empty stage is how the canonical form says that there is none.
    return "" if node is None or node.value == "" else node.choice(BOUND_STAGES, "stage")


def _bound(nodes: tuple[Located, ...], topics: list[dict[str, Any]]) -> None:
    """Refuse an agenda that is bound to stages in part, or in another order than the stages have."""
    if not any(topic["stage"] for topic in topics):
        return
    latest = 0
    for node, topic in zip(nodes, topics, strict=True):
        if not topic["stage"]:
            raise node.error("has no stage, but other topics have one", f"one of {', '.join(BOUND_STAGES)}")
        rank = BOUND_STAGES.index(topic["stage"])
        if rank < latest:
            at = node.mapping()["stage"]
            raise at.error(f"comes after a topic of the stage {BOUND_STAGES[latest]}", " before ".join(BOUND_STAGES))
        latest = rank
    missing = [stage for stage in BOUND_STAGES if all(topic["stage"] != stage for topic in topics)]
    if missing:
        raise nodes[-1].error(f"no topic has the stage {missing[0]}", f"a topic for each of {', '.join(BOUND_STAGES)}")


def _needed(node: Located, given: Entries, name: str, expected: str) -> Located:
    if name not in given:
        raise node.error(f"{name} is missing", expected)
    return given[name]


def _id(node: Located) -> str:
    text = node.text("a short name such as user-workflows")
    if len(text) > _MOST_ID or not _ID.fullmatch(text):
        raise node.wrong(f"small letters, digits and single hyphens, at most {_MOST_ID}, such as user-workflows")
    return text


def _line(node: Located) -> str:
    """A text on one line; line breaks of the file are spaces."""
    text = " ".join(node.text("a line of text").split())
    if not text:
        raise node.error("is blank", "a line of text")
    if len(text) > MOST_LINE:
        raise node.error(f"has {len(text)} characters", f"at most {MOST_LINE}")
    return text


def _text(node: Located | None) -> str:
    if node is None:
        return ""
    text = node.text().strip()
    if len(text) > MOST_TEXT:
        raise node.error(f"has {len(text)} characters", f"at most {MOST_TEXT}")
    return text


def _lines(node: Located | None, noun: str, least: int, most: int) -> list[str]:
    entries = () if node is None else _listed(node, noun, least, most)
    lines = [_line(each) for each in entries]
    _distinct(entries, "entry")
    return lines


def _listed(node: Located, noun: str, least: int, most: int) -> tuple[Located, ...]:
    entries = node.items()
    if not least <= len(entries) <= most:
        raise node.error(f"has {len(entries) or 'no'} {noun}", f"{least} to {most}")
    return entries


def _distinct(nodes: Collection[Located], noun: str) -> None:
    seen: dict[str, Located] = {}
    for node in nodes:
        text = " ".join(node.text().split())
        if text in seen:
            raise _twice(node, noun, seen[text])
        seen[text] = node


def _twice(node: Located, noun: str, first: Located) -> InputError:
    where = "" if first.line is None else f" (it is on line {first.line} already)"
    return node.error(f"the {noun} {node.text()!r} is given a second time", f"each {noun} once{where}")
