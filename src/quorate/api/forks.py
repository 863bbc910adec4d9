"""Forks: a new session with the entries of another up to a point, and other settings or another panel from there on.

Entries are copied unchanged, so no finished call is repeated. The fork is self-contained: its journal is complete, its
bundle can be checked, and it names the session it was forked from.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.creation import FOLDER, opened_from, own_briefs, session_name
from quorate.api.damage import DamagedSession
from quorate.api.readable import read
from quorate.api.recorded_answers import listed, still_answers
from quorate.api.roots import Roots, check_reach
from quorate.api.seats import Seating
from quorate.api.sessions import AT_ONCE, Result, check_current
from quorate.api.world import own_run, world_of
from quorate.codec import decode_numbered, digest_text, encode_opening, protocol_digest
from quorate.codec.chain import Entry
from quorate.config import Config
from quorate.core.errors import RulesChanged, RuleViolation, SettingError, StoreError
from quorate.core.form_values import with_marks
from quorate.core.forms import Reply
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Envelope, Opening, Record
from quorate.core.session import Step
from quorate.core.types import Absent, Ask, AskId, Event, Replied
from quorate.evidence.exam_notes import EXAMS
from quorate.kit.settings import UNQUALIFIED_SEATS, plain
from quorate.runtime.budget import Budget
from quorate.runtime.writer import status_of
from quorate.store.journal import Journal
from quorate.workspace import Workspace


async def fork(
    workspace: Workspace,
    journal: Journal,
    session: str,
    *,
    at: int,
    settings: Mapping[str, Any] | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    budget: Mapping[str, Any] | None = None,
    title: str | None = None,
    roots: Roots | None = None,
) -> str:
    """Create a session that shares the entries of another up to `at`, and return its id; nothing is asked yet.

    What is not given is inherited: settings and budget key by key, the panel as a whole. Seed, material and briefs are
    the same; new seats use the current brief files. If an entry is not possible under the settings, RuleViolation names
    it and the last entry that can be forked. The inherited cost counts against the budget.
    """
    source = await read(workspace, journal, session)  # what holds of a damaged one is a past like any other
    if source.damage is not None and any(flaw.digest for flaw in source.damage.flaws):
        raise DamagedSession(source.damage, tuple(source.entries))
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(source.entries):
        last = len(source.entries) - 1
        raise SettingError(f"session {session} has no entry {at!r}", key="at", expected=f"0 to {last}")
    check_current(source.record)
    before = _without_qualification(source.record.opening)
    if roots is not None:
        reaches = world_of(catalog.definition(before.protocol)).reaches(own_run(before.protocol, before.run))
        check_reach(before.run, roots, {f"{before.protocol}.{part}": place for part, place in reaches.items()})
    seats.refuse_unqualified(before.protocol, settings or {})
    config = as_before(before).with_settings(before.protocol, settings, budget)
    built = await rebuilt(workspace, journal, before, config)
    run = _run(source, at, _panel_text(before, panel, model), plain(config.budget), remote=roots is not None)
    run |= opened_from(workspace)
    if panel is None:
        table = seats.seat_again(built, replace(before, run=run))
    else:
        table = seats.seat(built, panel, run, model=model)
    seats.check_ready(table, config.budget)
    if workspace.config.examine_local:
        await seats.examine_local(before.protocol, table, workspace.tell)
    run |= seats.exams(before.protocol, table, required=workspace.config.require_exam)
    if notes := seats.unqualified(before.protocol, table, run, workspace.config.unqualified):
        built = await rebuilt(workspace, journal, before, config.with_settings(before.protocol, notes))
    now = int(time() * 1000)
    opening = replace(
        before,
        session=session_name(built.name, now),
        version=built.version,
        digest=protocol_digest(built),
        title=title or before.title,
        settings=dict(built.settings),
        briefs={name: digest_text(text) for name, text in built.briefs.items()},
        panel=table.describe(),
        run=run,
    )
    if at > AT_ONCE:
        past = await asyncio.to_thread(fold_past, source, built, opening, at)
    else:
        past = fold_past(source, built, opening, at)
    await journal.create(
        opening.session,
        built.name,
        opening.title,
        now,
        encode_opening(opening, Envelope(at=now)),
        {digest_text(text): text for text in built.briefs.values()},  # all other texts are the other session's
        status_of(past.record, Step(past.record.session), past.last),
        past.entries,
    )
    return opening.session


# The past


@dataclass(frozen=True, slots=True)
class Past:
    """The inherited part of a fork."""

    record: Record
    """The past folded under the rules of the fork."""
    entries: tuple[tuple[str, str | None], ...]
    """As a journal takes them: body by body, with the ask that it replies to."""
    last: Event | None


def fold_past(source: Result, built: Protocol[Any], opening: Opening, at: int) -> Past:
    """Fold the entries of a session up to `at` under other rules; raise RuleViolation naming an impossible entry."""
    asked = {line.ask.id: line.ask for line in source.record.log if isinstance(line, Asked)}
    record = Record(built, opening, source.record.material)
    taken: list[tuple[str, str | None]] = []
    event: Event | None = None
    for entry in source.entries[1 : at + 1]:
        try:
            event = _take(record, entry, asked)
        except (RuleViolation, RulesChanged, StoreError) as error:
            last = entry.seq - 1
            raise RuleViolation(
                f"entry {entry.seq} of {source.session} does not fit these settings: "
                f"{error}; fork at entry {last} or earlier"
            ) from error
        taken.append((entry.body, str(event.ask) if isinstance(event, Replied) else None))
    return Past(record, tuple(taken), event)


def _take(record: Record, entry: Entry, asked: Mapping[AskId, Ask]) -> Event:
    """Take one entry, provided it answers an ask that is open now, with the same wording."""
    event, envelope = decode_numbered(entry.body, record.session.asks)
    if isinstance(event, Replied):
        now = next(ask for ask in record.session.asks if ask.id == event.ask)
        if (difference := _difference(asked[event.ask], now, event.reply)) is not None:
            raise RuleViolation(difference)
        if not isinstance(event.reply, Absent) and record.marked(now, with_marks(event.reply)) != event.reply:
            raise RuleViolation(
                f"ask {now.id} shows {now.seat} another text, so the recorded reply would mean something else"
            )
    record.take(event, envelope)
    return event


def _difference(then: Ask, now: Ask, reply: Reply | Absent) -> str | None:
    """Describe how two asks of the same id differ, so that a reply to one is none to the other; None if it is one."""
    if then.seat != now.seat:
        return f"ask {now.id} was for {then.seat}, and would be for {now.seat}"
    if (then.brief, then.form.__name__) != (now.brief, now.form.__name__):
        return f"{now.seat} was asked to {then.brief}, and would be asked to {now.brief}"
    if not still_answers(then, now, reply):
        return f"{now.seat} was asked about {listed(then)}, and would be asked about {listed(now)}"
    return None


# What is other from here on


def _without_qualification(opening: Opening) -> Opening:
    """Return the opening without what exams had said by then: a fork asks again."""
    return replace(opening, settings={key: each for key, each in opening.settings.items() if key != UNQUALIFIED_SEATS})


def as_before(opening: Opening) -> Config:
    """Return the settings and limits of the other session, to be overridden."""
    values = {opening.protocol: opening.settings, "budget": opening.run.get("budget", {})}
    return Config((), values, Budget(), store=None, panel=None, model=None)


async def rebuilt(workspace: Workspace, journal: Journal, opening: Opening, config: Config) -> Protocol[Any]:
    """Build the protocol with these settings and the briefs of the other session.

    A session keeps the briefs that it needed itself; those of new seats and steps come from the files.
    """
    name = opening.protocol
    kept = {brief: await journal.material(digest) for brief, digest in opening.briefs.items()}
    now = {**catalog.briefs(catalog.definition(name)), **own_briefs(workspace), **kept}
    same = catalog.build(name, opening.settings, seed=opening.seed, kept=now)
    # What the other session would have, too, if it were opened today has come since, and is not for its forks.
    texts = {brief: text for brief, text in now.items() if brief in kept or brief not in same.briefs}
    with config.placing(name):
        return catalog.build(name, config.protocol(name), seed=opening.seed, kept=texts)


def _panel_text(opening: Opening, panel: Seating | None, model: str | None) -> str:
    """Return the panel to keep: the one given, or that of the other session with the given model."""
    if panel is not None:
        return seats.panel_text(panel, model)
    kept = str(opening.run["panel"])
    return kept if model is None else json.dumps({**json.loads(kept), "model": model}, ensure_ascii=False)


def _run(source: Result, at: int, panel: str, budget: Mapping[str, Any], *, remote: bool) -> dict[str, Any]:
    """Return the `run` data of the other session, without what it writes to the project.

    Otherwise two sessions would write findings to the ledger, or documents to a folder, for one question.
    """
    run = {name: each for name, each in source.record.opening.run.items() if name not in (FOLDER, EXAMS)}
    name = source.record.opening.protocol
    if name in run:
        run[name] = dict(world_of(catalog.definition(name)).fork(own_run(name, run), remote))
    origin = {"of": source.session, "at": at, "head": source.entries[at].hash}
    return {**run, "panel": panel, "budget": dict(budget), "fork": origin}
