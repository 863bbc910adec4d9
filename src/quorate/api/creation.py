"""Create a session: build its protocol, seat the panel and write the opening. Nothing is asked yet."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

from quorate import catalog
from quorate.api import seats
from quorate.api.reply_masks import masked_material
from quorate.api.seats import Seating
from quorate.api.world import world_of
from quorate.codec import digest_text, encode_opening, protocol_digest
from quorate.core.errors import InputError
from quorate.core.protocol import Protocol
from quorate.core.record import Envelope, Opening, Record
from quorate.core.session import Step
from quorate.kit.settings import plain
from quorate.participants.panel import Panel
from quorate.participants.tools import ContextFolder
from quorate.runtime.writer import status_of
from quorate.safety.fence import neutralise, replaced
from quorate.store.journal import Journal
from quorate.workspace import Workspace

MOST_MATERIAL = 1_000_000
"""Characters of one text that is deliberated about."""
FOLDER = "folder"
"""Key in the `run` of an opening for the digest of the folder it was made in."""


async def open_session(
    workspace: Workspace,
    journal: Journal,
    protocol: str,
    material: Mapping[str, str],
    *,
    panel: Seating | None = None,
    model: str | None = None,
    seed: int | None = None,
    context: Path | None = None,
    title: str | None = None,
    settings: Mapping[str, Any] | None = None,
    run: Mapping[str, Any] | None = None,
) -> str:
    """Create a session under the workspace's settings and return its id; nothing is asked yet.

    `settings` override those of the workspace. `run` is plain JSON that check seats need in any process.
    """
    _check_material(material)
    seed = _drawn(workspace, protocol, material) if seed is None else seed
    opens_masked = world_of(catalog.definition(protocol)).masked
    texts = dict(material) if opens_masked else masked_material(material)
    if context is not None:
        texts["context"] = ContextFolder(context).listing()
    given = {**workspace.config.protocol(protocol), **(settings or {})}
    built = _build(workspace, protocol, given, seed)
    source, model = panel or workspace.config.panel, model or workspace.config.model
    budget = workspace.config.budget
    run = {
        **(run or {}),
        "budget": plain(budget),
        "context": str(context.resolve()) if context is not None else "",
        "cache": str(workspace.config.cache.resolve()) if workspace.config.cache is not None else "",
        "curtail": workspace.config.curtail,
        "panel": seats.panel_text(source, model),
        **opened_from(workspace),
    }
    if changed := _normalised(texts):
        run["normalised"] = changed
    table = seats.seat(built, source, run, model=model)
    seats.check_ready(table, budget)
    if workspace.config.examine_local:
        await seats.examine_local(protocol, table, workspace.tell)
    run |= seats.exams(protocol, table, required=workspace.config.require_exam)
    if notes := seats.unqualified(protocol, table, run, workspace.config.unqualified):
        built = catalog.build(protocol, {**given, **notes}, seed=seed, own=own_briefs(workspace))
    heading = _shortened(title) if title is not None else _title(texts)
    return await write_opening(journal, built, table, texts, title=heading, seed=seed, run=run)


async def write_opening(
    journal: Journal,
    built: Protocol[Any],
    table: Panel,
    texts: Mapping[str, str],
    *,
    title: str,
    seed: int,
    run: Mapping[str, Any],
) -> str:
    """Write entry 0 of a new session, with its texts and briefs, and return the session's id."""
    now = int(time() * 1000)
    session = session_name(built.name, now)
    opening = Opening(
        session=session,
        protocol=built.name,
        version=built.version,
        digest=protocol_digest(built),
        title=title,
        seed=seed,
        settings=dict(built.settings),
        panel=table.describe(),
        material={name: digest_text(text) for name, text in texts.items()},
        briefs={name: digest_text(text) for name, text in built.briefs.items()},
        run=run,
    )
    record = Record(built, opening, texts)
    await journal.create(
        session,
        built.name,
        title,
        now,
        encode_opening(opening, Envelope(at=now)),
        {digest_text(text): text for text in (*texts.values(), *built.briefs.values())},
        status_of(record, Step(record.session)),
    )
    return session


def _drawn(workspace: Workspace, protocol: str, material: Mapping[str, str]) -> int:
    """Draw a seed; with a reply cache it is derived from the material, so that the cache can hit."""
    if workspace.config.cache is None:
        return secrets.randbelow(2**31)
    from quorate.participants.cache import ReplyCache

    cache = ReplyCache.at(workspace.config.cache)
    cache.check()
    return cache.seed(protocol, *(text for name in sorted(material) for text in (name, material[name])))


def opened_from(workspace: Workspace) -> dict[str, str]:
    """Return the digest of the folder a session is opened in; empty unless the store is shared between folders.

    Openings are part of bundles, which are given away, so the path itself is not recorded.
    """
    return {} if workspace.folder is None else {FOLDER: digest_text(str(workspace.folder))}


def session_name(protocol: str, at: int) -> str:
    """Return a readable session id from name and time, unique among thousands created in one second."""
    return f"{protocol}-{datetime.fromtimestamp(at / 1000, UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(4)}"


def _check_material(material: Mapping[str, str]) -> None:
    for name, text in material.items():
        if not text.strip():
            raise InputError(f"the {name} is empty", expected="some text to deliberate about")
        if len(text) > MOST_MATERIAL:
            raise InputError(
                f"the {name} has {len(text)} characters", expected=f"at most {MOST_MATERIAL}; split it, or name files"
            )


def _normalised(texts: Mapping[str, str]) -> dict[str, Any]:
    """Describe every text that models see altered: the digest as shown, and what was replaced."""
    return {
        name: {"shown": digest_text(neutralise(text)[0]), "replaced": found}
        for name, text in texts.items()
        if (found := replaced(text))
    }


def _title(material: Mapping[str, str]) -> str:
    return _shortened(next(iter(material.values())).strip().splitlines()[0].lstrip("# "))


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else line[:77] + "..."


def _build(workspace: Workspace, protocol: str, settings: Mapping[str, Any], seed: int) -> Protocol[Any]:
    with workspace.config.placing(protocol):
        seats.refuse_unqualified(protocol, settings)
        return catalog.build(protocol, settings, seed=seed, own=own_briefs(workspace))


def own_briefs(workspace: Workspace) -> dict[str, str]:
    """Return the project's own prompt files, by name."""
    return catalog.own_briefs(workspace.briefs) if workspace.briefs is not None else {}
