"""Open questions to people, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quorate.api.answers import offer_of, questions
from quorate.api.sessions import Result
from quorate.codec import form_schema


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question to a person, which the program may answer on their behalf."""

    ask: str
    """What `answer` and `decline` name it by."""
    seat: str
    brief: str
    says: str
    """What is asked, in Markdown."""
    about: str
    """What the person is shown with it."""
    schema: Mapping[str, Any]
    """The JSON Schema of the answer."""
    keys: tuple[str, ...] = ()
    """The items that it is about: the answer may name these."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """What comes of each choice, where the answer turns on one."""


def open_questions(result: Result) -> list[OpenQuestion]:
    """Return all open questions of a session to people."""
    found = []
    for ask, view in questions(result):
        offer = offer_of(result.record, ask)
        found.append(
            OpenQuestion(
                str(ask.id),
                str(ask.seat),
                ask.brief,
                result.record.protocol.briefs.get(ask.brief, ""),
                view.text(),
                form_schema(ask.form, ask.keys),
                tuple(map(str, ask.keys)),
                dict(offer.does) if offer is not None else {},
            )
        )
    return found
