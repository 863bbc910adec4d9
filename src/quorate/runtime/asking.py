"""One ask from view to entry: what every driver does alike, wherever the call is made and whoever writes the reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

from quorate.core.engine import check_reply
from quorate.core.errors import RuleViolation
from quorate.core.forms import Reply
from quorate.core.record import Envelope, Record
from quorate.core.types import Absent, AbsentReason, Ask
from quorate.core.view import Cut, estimate_tokens
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Request, Tools
from quorate.participants.prompt import render
from quorate.runtime.budget import Amount, Purse
from quorate.store.codec import form_schema

Clean = Callable[[Ask, Reply], Reply]
"""What becomes of every reply before it is kept."""


def request_of(
    record: Record, ask: Ask, participant: Participant, tools: Tools | None
) -> tuple[Request, tuple[Cut, ...]]:
    """Return an ask ready to be answered, the same after a crash, and what was cut from its view."""
    view = record.protocol.view(record, ask)
    schema = form_schema(ask.form, ask.keys)
    seed, material = record.opening.seed, record.opening.material
    # Whoever wrote the material cannot know the marker: writing it there would change the digest it comes from.
    nonce = sha256(f"{seed}\0{sorted(material.items())}".encode()).hexdigest()[:8]
    prompt, cuts = render(record.protocol.briefs, view, ask, schema, nonce, participant.window)
    own_seed = int.from_bytes(sha256(f"{seed}\0{ask.id}".encode()).digest()[:4]) // 2
    return Request(ask, view, prompt, schema, record.occurrence(ask), own_seed, tools), cuts


def worst_of(participant: Participant, request: Request) -> tuple[Amount, ...]:
    """Return what the call can cost at worst, by the number of repairs that it may take."""
    prompt_tokens = estimate_tokens(request.prompt.system) + estimate_tokens(request.prompt.user)
    most = [participant.most_tokens(prompt_tokens, repairs) for repairs in range(MOST_REPAIRS + 1)]
    return tuple(Amount(all_, participant.price(prompt_tokens, max(0, all_ - prompt_tokens)) or 0) for all_ in most)


def affordable(purse: Purse, worst: Sequence[Amount], worked_ms: int, *, under_way: bool) -> int | str:
    """Return with how many repairs a call fits into the budget, or why it does not.

    While other calls are under way it is better to wait for what they leave than to do without repairs.
    """
    refusal = ""
    for repairs in range(len(worst) - 1, -1, -1):
        found = purse.refusal(worst[repairs], worked_ms)
        if found is None:
            return repairs
        refusal = found
        if under_way:
            break
    return refusal


def failed(error: BaseException) -> Answer:
    """A participant promises not to raise; if one does, its seat is absent and the session goes on."""
    return Answer(Absent(AbsentReason.FAILED), detail=repr(error))


def usable(record: Record, ask: Ask, answer: Answer, clean: Clean) -> Answer:
    """Return the answer with all its marks, or an absence where its reply is none that the ask allows."""
    if isinstance(answer.reply, Absent):
        return answer
    try:
        check_reply(ask, answer.reply)
    except RuleViolation as violation:
        return replace(answer, reply=Absent(AbsentReason.MALFORMED), detail=str(violation))
    return replace(answer, reply=record.marked(ask, clean(ask, answer.reply)))


def envelope_of(answer: Answer, participant: Participant, elapsed: float, cuts: tuple[Cut, ...]) -> Envelope:
    """Return what is kept beside a reply that came after so many seconds."""
    return Envelope(
        model=answer.model or participant.name,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        elapsed=int(elapsed * 1000),
        attempts=answer.attempts,
        detail="; ".join(filter(None, (answer.detail, _receipt(cuts)))),
    )


def _receipt(cuts: tuple[Cut, ...]) -> str:
    """Say what the view lacked because the participant's window is small; briefs shrink by design and are left out."""
    lacking = [cut for cut in cuts if not cut.title.startswith("brief ")]
    return "shown in part: " + ", ".join(f"{c.title} ({c.shown} of {c.of})" for c in lacking) if lacking else ""
