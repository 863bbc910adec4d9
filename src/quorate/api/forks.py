"""Forks: a new session with the past of another one up to an entry, and other settings or another panel from there on.

The entries of the past are taken over as they are, so no finished call is repeated. The new session stands on its
own: its journal is whole, its bundle can be checked, and it says of which session it is a fork.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import time
from typing import Any

from quorate import catalog
from quorate.api import seats as seating
from quorate.api.creation import FOLDER, opened_from, own_briefs, session_name
from quorate.api.damage import DamagedSession
from quorate.api.readable import read
from quorate.api.roots import Roots, check_reach
from quorate.api.seats import Seating
from quorate.api.sessions import AT_ONCE, Result
from quorate.api.world import own_run, world_of
from quorate.codec import decode_entry, digest_text, encode_opening, protocol_digest
from quorate.codec.chain import Entry
from quorate.config import Config
from quorate.core.errors import RulesChanged, RuleViolation, SettingError, StoreError
from quorate.core.form_values import with_marks
from quorate.core.protocol import Protocol
from quorate.core.record import Asked, Envelope, Opening, Record
from quorate.core.session import Step
from quorate.core.types import Absent, Ask, AskId, Event, Replied
from quorate.kit.settings import plain
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
    """Open a session whose past is that of another one up to the entry `at`, and return its id; nothing is asked yet.

    What is not given is as it was: settings and budget one by one, the panel as a whole. Seed, material and briefs
    are the same; who was not at the table comes with the briefs that there are now. Where the past is not possible
    under the settings, RuleViolation names the entry and says up to which a fork is. What the past cost counts
    against the budget.
    """
    source = await read(workspace, journal, session)  # what holds of a damaged one is a past like any other
    if source.damage is not None and any(flaw.digest for flaw in source.damage.flaws):
        raise DamagedSession(source.damage, tuple(source.entries))
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(source.entries):
        last = len(source.entries) - 1
        raise SettingError(f"there is no entry {at!r} in {session}", key="at", expected=f"0 to {last}")
    before = source.record.opening
    if roots is not None:
        reaches = world_of(catalog.definition(before.protocol)).reaches(own_run(before.protocol, before.run))
        check_reach(before.run, roots, {f"{before.protocol}.{part}": place for part, place in reaches.items()})
    config = as_before(before).with_settings(before.protocol, settings, budget)
    built = await rebuilt(workspace, journal, before, config)
    run = _run(source, at, _panel_text(before, panel, model), plain(config.budget), remote=roots is not None)
    run |= opened_from(workspace)
    if panel is None:
        table = seating.seat_again(built, replace(before, run=run))
    else:
        table = seating.seat(built, panel, run, model=model)
    seating.check_ready(table, config.budget)
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
    """What a fork begins with."""

    record: Record
    """The past folded under the rules of the fork."""
    entries: tuple[tuple[str, str | None], ...]
    """As a journal takes them: body by body, with the ask that it replies to."""
    last: Event | None


def fold_past(source: Result, built: Protocol[Any], opening: Opening, at: int) -> Past:
    """Fold the entries of a session up to one under other rules; where one is not possible, RuleViolation names it."""
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
                f"entry {entry.seq} of {source.session} is not possible under these settings: "
                f"{_without_number(error, entry.seq)}; the last entry at which they allow a fork is {last}"
            ) from error
        taken.append((entry.body, str(event.ask) if isinstance(event, Replied) else None))
    return Past(record, tuple(taken), event)


def _take(record: Record, entry: Entry, asked: Mapping[AskId, Ask]) -> Event:
    """Take one entry, if it is the answer to what is asked now, and by the words it answers it in."""
    event, envelope = decode_entry(entry.body, record.session.asks)
    if isinstance(event, Replied):
        now = next(ask for ask in record.session.asks if ask.id == event.ask)
        if (difference := _difference(asked[event.ask], now)) is not None:
            raise RuleViolation(difference)
        if not isinstance(event.reply, Absent) and record.marked(now, with_marks(event.reply)) != event.reply:
            raise RuleViolation(f"ask {now.id} shows {now.seat} another text, by which the reply means another thing")
    record.take(event, envelope)
    return event


def _difference(then: Ask, now: Ask) -> str | None:
    """Say in what two asks of one id differ: a reply is an answer to what was asked, and to nothing else."""
    if then.seat != now.seat:
        return f"ask {now.id} was for {then.seat}, and would be for {now.seat}"
    if (then.brief, then.form.__name__) != (now.brief, now.form.__name__):
        return f"{now.seat} was asked to {then.brief}, and would be asked to {now.brief}"
    if then.keys != now.keys:
        return f"{now.seat} was asked about {_listed(then)}, and would be asked about {_listed(now)}"
    return None


def _listed(ask: Ask) -> str:
    return ", ".join(map(str, ask.keys)) or "nothing in particular"


def _without_number(error: Exception, seq: int) -> str:
    return str(error).removeprefix(f"entry {seq} ")


# What is other from here on


def as_before(opening: Opening) -> Config:
    """The settings and limits of the other session, to put others over."""
    values = {opening.protocol: opening.settings, "budget": opening.run.get("budget", {})}
    return Config((), values, Budget(), store=None, panel=None, model=None)


async def rebuilt(workspace: Workspace, journal: Journal, opening: Opening, config: Config) -> Protocol[Any]:
    """Build the protocol with these settings and the briefs of the other session.

    That has kept the briefs which it needed itself. Those of seats and steps that it did not have are the files'.
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
    """The panel as a session keeps it: the one given, or that of the other session with the model given."""
    if panel is not None:
        return seating.panel_text(panel, model)
    kept = str(opening.run["panel"])
    return kept if model is None else json.dumps({**json.loads(kept), "model": model}, ensure_ascii=False)


def _run(source: Result, at: int, panel: str, budget: Mapping[str, Any], *, remote: bool) -> dict[str, Any]:
    """What code needs to go on: as the other session has it, but for what that one leaves in the project.

    Two sessions would leave two answers to one question there: findings in the ledger, documents in a folder.
    """
    run = {name: each for name, each in source.record.opening.run.items() if name != FOLDER}
    name = source.record.opening.protocol
    if name in run:
        run[name] = dict(world_of(catalog.definition(name)).fork(own_run(name, run), remote))
    origin = {"of": source.session, "at": at, "head": source.entries[at].hash}
    return {**run, "panel": panel, "budget": dict(budget), "fork": origin}
