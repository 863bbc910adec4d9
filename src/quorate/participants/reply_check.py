"""Reads the reply of a provider's model: fit for its form, whole, and no longer than it was told to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quorate.codec import Malformed, parse_entries, parse_reply
from quorate.core.errors import InputError
from quorate.core.form_values import Unfit, unfit_text
from quorate.core.forms import Reply
from quorate.core.types import Ask
from quorate.participants.brevity import excesses
from quorate.participants.flaws import flaws
from quorate.participants.looks import MOST_CALLS
from quorate.participants.wire import content

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse


@dataclass(frozen=True, slots=True)
class ReadReply:
    """A reply that is taken, with what the record has to say of it."""

    reply: Reply
    unfit: tuple[Unfit, ...] = ()
    notes: tuple[str, ...] = ()


def read_reply(ask: Ask, response: ModelResponse, length: int | None, *, last: bool) -> ReadReply:
    """Return the reply of a response, or raise Malformed with everything that is to be mended.

    The last attempt is taken entry by entry and with what its texts lack, and the notes say so.
    """
    if (calls := len(response.tool_calls)) > MOST_CALLS:
        raise Malformed([InputError(f"it makes {calls:,} tool calls", expected=f"at most {MOST_CALLS}")])
    unfit: tuple[Unfit, ...] = ()
    notes: list[str] = []
    try:
        reply = parse_reply(ask, content(response))
    except Malformed:
        if not last:
            raise
        reply, unfit = parse_entries(ask, content(response))
        notes.append(unfit_text(unfit))
    found = flaws(reply, cut=response.finish_reason == "length")
    if length is not None:
        found += excesses(reply, ask.keys, length)
    if found and not last:
        raise Malformed(found)
    notes += (f"taken as it is: {problem.key} {problem.what}" for problem in found)
    return ReadReply(reply, unfit, tuple(notes))
