"""Trial call: one real call to a participant, to see whether it can answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from quorate.codec import form_schema
from quorate.core.forms import AtMost, Prose, Reply
from quorate.core.types import Absent, Ask, AskId, Seat
from quorate.core.view import Section, View
from quorate.participants.port import Participant, Prompt, Request
from quorate.participants.script import ScriptParticipant


@dataclass(frozen=True, slots=True)
class Greeting(Reply):
    words: Annotated[Prose, AtMost(200), "one short sentence of greeting"]
    ready: Annotated[bool, "true"]


async def try_participant(participant: Participant) -> tuple[bool | None, str]:
    """Ask for a greeting. Return whether a usable reply came (None for people and scripts), and a message."""
    if isinstance(participant, ScriptParticipant):
        return None, "replies from a file, which was read"
    ask = Ask(AskId("0.0"), Seat("trial"), "greet", Greeting)
    view = View("", (Section("Task", "Greet the table in one short sentence.", data=False),))
    schema = form_schema(Greeting, ())
    prompt = Prompt(
        "You answer with JSON of the given form.", "Greet the table in one short sentence, then say ready: true."
    )
    answer = await participant.reply(Request(ask, view, prompt, schema, 1, 1), lambda _: None)
    if answer is None:
        return None, "answers later"
    if isinstance(answer.reply, Absent):
        return False, f"{answer.reply.reason.value}: {answer.detail}"
    return True, f"answered with {answer.tokens_out} tokens"
