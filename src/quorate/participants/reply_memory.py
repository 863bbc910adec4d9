"""Reuse a model's earlier replies from the reply cache.

The key covers everything the reply depends on: model and options, prompt, form and seed. A cached reply costs nothing
and is recorded as one. Absences are never cached, and nothing is cached if there is a context folder, because its files
are not part of the prompt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from quorate.codec import reply_from_data, reply_to_data
from quorate.codec.entries import measured_from_data, measured_to_data
from quorate.core.engine import check_reply
from quorate.core.errors import RuleViolation, StoreError
from quorate.core.form_values import Measured, with_marks
from quorate.core.forms import Reply
from quorate.core.types import Absent, Ask
from quorate.participants.cache import CachedReply, ReplyCache, Unreadable, key_of
from quorate.participants.local import LocalModel
from quorate.participants.model import ModelParticipant
from quorate.participants.port import Answer, Participant, Request, Say
from quorate.participants.relay import Confirmation, Relay
from quorate.participants.samples import Samples
from quorate.participants.standin import StandIn
from quorate.safety.secrets import each_text, without_secrets


@dataclass(frozen=True, slots=True)
class Remembered(StandIn):
    """Wraps a participant and caches its replies."""

    cache: ReplyCache
    options: Mapping[str, Any]
    """What else its replies depend on: its settings, and the version of its weights."""

    async def reply(self, request: Request, say: Say) -> Answer | None:
        if request.tools is not None:
            return await self.inner.reply(request, say)
        key, note = self.key(request), ""
        try:
            kept = await asyncio.to_thread(self.cache.find, key)
            if kept is not None:
                reply, measured = _read(request.ask, kept)
                return Answer(reply, self.name, attempts=0, detail=_told(kept), measured=measured)
        except Unreadable as problem:
            note = f"a file of the cache was passed over: {problem}"
        answer = await self.inner.reply(request, say)
        if answer is None or isinstance(answer.reply, Absent):
            return answer if answer is None else _noted(answer, note)
        if answer.unfit:
            return _noted(answer, note)  # the cache has no room for what was refused, and whoever reads it must be told
        data = each_text(reply_to_data(answer.reply), without_secrets)  # nothing else is ever written to a disk
        form = type(answer.reply).__name__
        fresh = CachedReply(
            self.name,
            form,
            data,
            answer.tokens_in,
            answer.tokens_out,
            answer.cost,
            measured=tuple(measured_to_data(answer.measured)),
        )
        failed = await asyncio.to_thread(self.cache.keep, key, fresh)
        return _noted(answer, note, f"not kept in the cache: {failed}" if failed else "")

    def key(self, request: Request) -> str:
        """Return the digest of everything the reply depends on."""
        return key_of(
            {
                "model": self.name,
                "options": {name: repr(value) for name, value in self.options.items()},
                "system": request.prompt.system,
                "user": request.prompt.user,
                "form": request.ask.form.__name__,
                "schema": dict(request.schema),
                "seed": request.seed,
            }
        )


def remembering(participant: Participant, cache: ReplyCache) -> Participant:
    """Return a caching participant for a model, both models of a relay, or each of several samples.

    Others are returned unchanged.
    """
    match participant:
        case Relay(first, stronger) | Confirmation(first, stronger):
            return replace(participant, first=remembering(first, cache), stronger=remembering(stronger, cache))
        case Samples(inner):
            return replace(participant, inner=remembering(inner, cache))
        case ModelParticipant():
            names = ("temperature", "max_tokens", "output", "window", "length")
            options = {name: getattr(participant, name) for name in names}
            return Remembered(participant, cache, options | {"address": participant.spec.address(participant.env)})
        case LocalModel():
            about = participant.weights.path.stat()
            version = {"bytes": about.st_size, "written": about.st_mtime_ns}
            # How long a reply may be follows from the window, and is in no prompt.
            options = {"temperature": participant.temperature, "window": participant.window}
            if participant.measures:
                options |= {"measures": participant.measures}
            return Remembered(participant, cache, version | options)
        case _:
            return participant


def _read(ask: Ask, kept: CachedReply) -> tuple[Reply, tuple[Measured, ...]]:
    """Return a cached reply as a reply to this ask, with its marks recomputed, and what was measured of it."""
    try:
        reply: Reply = with_marks(reply_from_data(ask.form, kept.reply))
        check_reply(ask, reply)
        measured = measured_from_data(kept.measured)
    except (StoreError, RuleViolation) as error:
        raise Unreadable(str(error)) from error
    return reply, measured


def _told(kept: CachedReply) -> str:
    saved = f"{kept.tokens_in + kept.tokens_out:,} tokens"
    if kept.cost:
        saved += f" and ${kept.cost / 1_000_000:.4f}"
    return f"from the cache of {kept.at}, where it had cost {saved}"


def _noted(answer: Answer, *notes: str) -> Answer:
    detail = "; ".join(filter(None, (answer.detail, *notes)))
    return answer if detail == answer.detail else replace(answer, detail=detail)
