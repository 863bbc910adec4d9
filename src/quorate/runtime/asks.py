"""Steps of one ask, from view to journal entry, shared by all drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from quorate.core.engine import check_reply
from quorate.core.errors import RuleViolation
from quorate.core.form_values import Unfit, takes_lines
from quorate.core.forms import Reply
from quorate.core.record import Envelope, Record
from quorate.core.types import Absent, AbsentReason, Ask, Seat
from quorate.core.values import replace
from quorate.core.view import Cut, Section, View, estimate_tokens
from quorate.kit.view_cuts import cut_material
from quorate.participants.formwords import schema_of
from quorate.participants.port import MOST_REPAIRS, Answer, Participant, Rendered, Request, Tools, those_behind
from quorate.participants.prompt import render
from quorate.participants.relay import Confirmation, Relay
from quorate.participants.wire import form_tokens
from quorate.runtime.budget import Amount, Purse
from quorate.safety.fence import one_line
from quorate.safety.secrets import without_secrets

Clean = Callable[[Ask, Reply], Reply]
"""Applied to every reply before it is stored."""


def who_answers(panel: Mapping[Seat, Participant], record: Record, ask: Ask) -> Participant:
    """Return the participant for this ask; for a relay, the one for the current round. Deterministic on resume."""
    participant = panel[ask.seat]
    if isinstance(participant, Relay):
        return participant.in_round(record.protocol.round(record.session.state))
    return participant


def request_of(
    record: Record, ask: Ask, participant: Participant, tools: Tools | None
) -> tuple[Request, tuple[Cut, ...]]:
    """Return the request for an ask, the same after a crash, and what was cut from its view."""
    view, briefs, nonce = record.protocol.view(record, ask), record.protocol.briefs, record.nonce

    def prompt_for(who: Participant, more: tuple[Section, ...]) -> Rendered:
        model = next(those_behind(who))
        return render(
            briefs,
            replace(view, sections=(*view.sections, *more)) if more else view,
            ask,
            nonce,
            who.window,
            in_parts=getattr(model, "in_parts", False),
            gists=getattr(model, "gists", False),
            room=getattr(model, "room", None),
            length=getattr(model, "length", None),
            tools=tools is not None and not getattr(model, "in_parts", False),
        )

    prompt, cuts = prompt_for(participant, ())
    own_seed = int.from_bytes(sha256(f"{record.opening.seed}\0{ask.id}".encode()).digest()[:4]) // 2
    form: Any = ask.form
    occurrence = record.occurrence(ask)
    request = Request(ask, view, prompt, schema_of(form, ask.keys), occurrence, own_seed, tools, prompt_for=prompt_for)
    return request, cuts


def worst_of(participant: Participant, request: Request) -> tuple[Amount, ...]:
    """Return the worst-case cost of a call, by its number of repairs."""
    prompts = [request.prompt]
    if isinstance(participant, Confirmation) and request.prompt_for is not None:
        prompts.append(request.prompt_for(participant.first, ())[0])
    prompt_tokens = max(estimate_tokens(each.system) + estimate_tokens(each.user) for each in prompts)
    if any(getattr(each, "sends_form", False) for each in those_behind(participant)):
        prompt_tokens += form_tokens(request.schema)
    looks = request.tools is not None
    most = [participant.most_tokens(prompt_tokens, repairs, looks=looks) for repairs in range(MOST_REPAIRS + 1)]
    return tuple(Amount(all_, participant.price(prompt_tokens, max(0, all_ - prompt_tokens)) or 0) for all_ in most)


def affordable(purse: Purse, worst: Sequence[Amount], worked_ms: int, *, under_way: bool) -> int | str:
    """Return how many repairs of a call fit into the budget, or why the call does not fit.

    While other calls are in flight, waiting for what they leave over is better than giving up repairs.
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
    """Turn an exception of a participant into an absence, so the session continues. Participants should not raise."""
    return Answer(Absent(AbsentReason.FAILED), detail=repr(error))


def usable(record: Record, ask: Ask, answer: Answer, clean: Clean, cuts: tuple[Cut, ...] = ()) -> Answer:
    """Return the answer with the lines that it names and all its marks; an absence if the ask does not allow its reply.

    `cuts` are those that the participant's window made in the view.
    """
    if isinstance(answer.reply, Absent):
        return answer
    try:
        check_reply(ask, answer.reply)
    except RuleViolation as violation:
        return replace(answer, reply=Absent(AbsentReason.MALFORMED), detail=str(violation), unfit=())
    whole = not (cuts and cut_material(_as_prompted(record.protocol.view(record, ask)), cuts))
    said, left = reply_with_lines(record, ask, answer.reply, cuts)
    reply = record.marked(ask, clean(ask, said), whole=whole)
    return answer if reply is answer.reply and not left else replace(answer, reply=reply, unfit=(*answer.unfit, *left))


def reply_with_lines(
    record: Record, ask: Ask, reply: Reply, cuts: tuple[Cut, ...] = ()
) -> tuple[Reply, tuple[Unfit, ...]]:
    """Return the reply with the lines that its evidence names, and what names lines that its seat was not shown."""
    if not takes_lines(ask.form):
        return reply, ()
    from quorate.kit.named_lines import with_named_lines  # few protocols have evidence

    return with_named_lines(reply, _as_prompted(record.protocol.view(record, ask)), cuts)


def _as_prompted(view: View) -> View:
    """Return the view with the titles that its sections have in a prompt."""
    return replace(view, sections=tuple(replace(each, title=one_line(each.title)) for each in view.sections))


def envelope_of(answer: Answer, participant: Participant, elapsed: float, cuts: tuple[Cut, ...]) -> Envelope:
    """Return the envelope of a reply that took this many seconds; what it quotes of the reply is masked."""
    detail = "; ".join(filter(None, (answer.detail, _receipt(cuts))))
    return Envelope(
        model=answer.model or participant.name,
        tokens_in=answer.tokens_in,
        tokens_out=answer.tokens_out,
        cost=answer.cost,
        elapsed=int(elapsed * 1000),
        attempts=answer.attempts,
        detail=without_secrets(detail) if detail else "",
        unfit=tuple(each.masked(without_secrets) for each in answer.unfit),
        tokens_cached=answer.tokens_cached,
        measured=() if isinstance(answer.reply, Absent) else answer.measured,
    )


def cleaned(envelope: Envelope, clean_text: Callable[[str], str]) -> Envelope:
    """Return the envelope as it is stored: what it quotes of a reply is masked, and shortened after that."""
    unfit = tuple(each.masked(clean_text).shortened() for each in envelope.unfit)
    detail = clean_text(envelope.detail)
    return replace(envelope, detail=detail, unfit=unfit) if unfit or detail != envelope.detail else envelope


def _receipt(cuts: tuple[Cut, ...]) -> str:
    """Describe what was cut to fit the participant's window; what is short by design is not mentioned."""
    lacking = [cut for cut in cuts if not cut.meant]
    return "shown in part: " + ", ".join(f"{c.title} ({c.shown} of {c.of})" for c in lacking) if lacking else ""
