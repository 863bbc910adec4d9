"""Answers of people: list open asks, show the choices, and submit or decline an answer."""

from __future__ import annotations

from typing import Any

from quorate import catalog
from quorate.api.reply_masks import masked_answer
from quorate.api.session_end import finish_ended
from quorate.api.sessions import Result, check_current, load
from quorate.api.watchers import watched
from quorate.codec import parse_reply
from quorate.core.errors import InputError, RuleViolation
from quorate.core.form_values import Unfit
from quorate.core.record import Envelope, Record
from quorate.core.types import Absent, AbsentReason, Ask, AskId, Replied
from quorate.core.view import View
from quorate.kit.offers import CHOICE, Offer
from quorate.runtime.asks import reply_with_lines
from quorate.runtime.writer import append
from quorate.store.journal import Journal
from quorate.workspace import Workspace


def questions(result: Result) -> list[tuple[Ask, View]]:
    """Return every ask that waits for a person, with what the person is shown."""
    view = result.record.protocol.view
    return [(ask, view(result.record, ask)) for ask in result.waiting]


async def answer(
    workspace: Workspace, journal: Journal, session: str, ask_id: str, data: Any, *, finishes: bool = True
) -> bool:
    """Answer an open ask; return False if it was already answered. A bad answer raises and changes nothing.

    If the answer ends a session that nobody drives, the session is finished here too, unless `finishes` is False.
    """
    record = (await load(workspace, journal, session)).record
    ask = _open_ask(record, session, ask_id)
    if ask is None:
        return False
    given = parse_reply(ask, masked_answer(record.opening, _decided(record, ask, data)))
    said, left = reply_with_lines(record, ask, given)
    reply, unfit = Replied(ask.id, record.marked(ask, said)), tuple(each.shortened() for each in left)
    return await _say(workspace, journal, session, record, reply, finishes=finishes, unfit=unfit)


def offer_of(record: Record, ask: Ask) -> Offer | None:
    """Return the choices that an ask offers a person at this moment; None for an ask without choices."""
    offer = catalog.offer_of(record.opening, ask.form)
    return offer.at(record) if offer is not None else None


def _decided(record: Record, ask: Ask, data: Any) -> Any:
    """Return an answer with omitted texts filled in; raise for a choice that is not offered or not with its text."""
    offer = offer_of(record, ask)
    if offer is None or not isinstance(data, dict):
        return data
    choice, whole = str(data.get(CHOICE)), catalog.offer_of(record.opening, ask.form)
    if whole is not None and choice in whole.does and choice not in offer.does:
        expected = "one of " + ", ".join(offer.does)
        raise InputError(f"{CHOICE}={choice} is not offered at this point", key=CHOICE, expected=expected)
    if lacking := offer.lacks(data):
        other = f"; {CHOICE}={offer.unanswered} needs none" if offer.unanswered else ""
        raise InputError(f"{CHOICE}={choice} needs a `{lacking}`{other}", key=lacking)
    if choice in offer.does and (beside := offer.misplaced(data)):
        name, own = beside
        raise InputError(f"{CHOICE}={choice} has no `{name}`, which belongs to {CHOICE}={own}", key=name)
    return offer.completed(data)


async def decline(workspace: Workspace, journal: Journal, session: str, ask_id: str, *, finishes: bool = True) -> bool:
    """Record that nobody will answer this ask; the session continues without an answer, or ends if its rules say so."""
    record = (await load(workspace, journal, session)).record
    ask = _open_ask(record, session, ask_id)
    if ask is None:
        return False
    silent = Replied(ask.id, Absent(AbsentReason.SILENT))
    return await _say(workspace, journal, session, record, silent, finishes=finishes)


async def _say(
    workspace: Workspace,
    journal: Journal,
    session: str,
    record: Record,
    said: Replied,
    *,
    finishes: bool,
    unfit: tuple[Unfit, ...] = (),
) -> bool:
    async with watched(workspace, journal, session, record, drives=False) as watch:
        counted = await append(session, record, journal, said, Envelope(model="person", unfit=unfit), watch)
    if counted and workspace.config.temporal is not None:
        from quorate.api.temporal import told  # few need it

        await told(workspace, session)
    if counted and finishes and record.session.conclusion is not None:
        await finish_ended(workspace, journal, Result(session, record, await journal.entries(session)))
    return counted


def _open_ask(record: Record, session: str, ask_id: str) -> Ask | None:
    """Return an open ask for a person, or None if it is closed; raise if no person can answer it."""
    check_current(record)
    mine = record.waits_for_people()
    found = next((ask for ask in mine if ask.id == ask_id), None)
    if found is None and not record.was_asked(AskId(ask_id)):
        known = ", ".join(str(ask.id) for ask in mine) or "none"
        raise RuleViolation(f"session {session} has no ask {ask_id!r}; open asks for people: {known}")
    if found is None and any(ask.id == ask_id for ask in record.session.open):
        raise RuleViolation(f"ask {ask_id!r} of session {session} is not a question for a person")
    return found
