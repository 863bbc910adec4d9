"""Roundtables on a topic: open a session on a folder of documents, and read who sits there and what was said."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quorate.api.creation import MOST_MATERIAL, open_session
from quorate.api.seats import Seating
from quorate.core.errors import InputError, SettingError
from quorate.core.record import Record
from quorate.core.types import Ask
from quorate.protocols.roundtable.rules.elaborations import Elaboration, elaborations
from quorate.protocols.roundtable.rules.forms import Written
from quorate.protocols.roundtable.rules.job import item_data
from quorate.protocols.roundtable.rules.matter import cast_of, documents
from quorate.protocols.roundtable.rules.model import (
    DEFAULT_TURNS,
    ENSEMBLE,
    LEAST_TURNS,
    MOST_TURNS,
    State,
    turn_limit,
)
from quorate.protocols.roundtable.rules.personas import Persona
from quorate.protocols.roundtable.rules.protocol import may_elaborate
from quorate.protocols.roundtable.rules.talk import warning_turn
from quorate.protocols.roundtable.rules.transcript import LineKind, Spoken, conversation, transcript
from quorate.protocols.roundtable.world.elaboration.meta import META_NAME
from quorate.protocols.roundtable.world.elaboration.read import ElaborationFolder, read_elaboration
from quorate.safety.secrets import without_secrets, without_secrets_in
from quorate.store.journal import Journal
from quorate.workspace import Workspace

__all__ = [
    "Elaborating",
    "Elaboration",
    "LineKind",
    "Spoken",
    "Table",
    "Written",
    "at_table",
    "cast_of",
    "conversation",
    "documents",
    "elaborations",
    "item_data",
    "open_roundtable",
    "transcript",
]

_STEP = re.compile(r"(\d\d)-\d\d\Z")


@dataclass(frozen=True, slots=True)
class Elaborating:
    """A session on a topic, of which nothing has been asked yet."""

    session: str
    documents: tuple[str, ...]
    """The names of the target documents, in the order of their keys."""
    meta_missing: bool
    earlier: int
    """Elaborations that meta.json has already."""
    max_turns: int
    notes: tuple[str, ...] = ()
    """What is odd about the folder or the settings, and what was done about it."""


async def open_roundtable(
    workspace: Workspace,
    journal: Journal,
    topic: str,
    docs: Path,
    *,
    phase: str | None = None,
    step: str | None = None,
    personas: tuple[str, ...] | None = None,
    max_turns: int | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    seed: int | None = None,
) -> Elaborating:
    """Read a folder of documents and open a session on a topic; nothing is asked and nothing is written yet.

    The turn limit is `max_turns`, else that of the settings, else that of meta.json, else 10 (T3). Nobody speaks by
    default: without a panel or a model, here or in the settings, it is a SettingError. Secrets that can be told by
    their format are masked in everything that is shown to a model.
    """
    if not any((panel, model, workspace.config.panel, workspace.config.model)):
        raise SettingError(
            "no model or panel is set for the personas",
            expected="--model or --panel, here or in quorate.yaml; --model local:smollm2 is for trying it out",
        )
    if not topic.strip():
        raise InputError("the topic is empty", expected="a topic to discuss")
    read = read_elaboration(docs)
    own: Mapping[str, Any] = workspace.config.protocol("roundtable")
    named = {name: value for name, value in (("phase", phase), ("step", step)) if value is not None}
    _refuse_secrets(docs, read, {**own, **named})
    shown, notes = _masked(read)
    material = {"topic": without_secrets(topic.strip()), **shown}
    _check_length(docs, material)
    limit, advice = _limit(max_turns if max_turns is not None else own.get("max_turns"), read)
    given: dict[str, Any] = {"documents": len(read.documents), "max_turns": limit, **named}
    given |= {"personas": list(personas)} if personas is not None else {}
    session = await open_session(
        workspace,
        journal,
        "roundtable",
        material,
        panel=panel,
        model=model,
        seed=seed,
        settings={**given, **_phase({**own, **given})},
        run={"roundtable": read.run()},
    )
    names = tuple(each.name for each in read.documents)
    earlier = len(read.meta.data["elaborations"])
    told = tuple(map(without_secrets, (*read.warnings, *notes, *advice)))
    return Elaborating(session, names, read.meta.missing, earlier, turn_limit(limit), told)


def _phase(settings: Mapping[str, Any]) -> dict[str, str]:
    """The phase that a step such as 01-03 says by itself, where none is named."""
    found = _STEP.match(str(settings.get("step", "")))
    return {"phase": found[1]} if found and not settings.get("phase") else {}


def _limit(wanted: Any, read: ElaborationFolder) -> tuple[Any, tuple[str, ...]]:
    """Return the limit as it was written, and what to say about it (T3)."""
    where = "max_turns"
    if wanted is None:
        wanted = read.meta.data["elaboration_config"].get("max_turns")
        if wanted is None:
            return None, ()
        where = f"{META_NAME}: elaboration_config.max_turns"
        if turn_limit(wanted) != wanted or isinstance(wanted, bool):
            expected = f"a whole number from {LEAST_TURNS} to {MOST_TURNS:,}"
            return None, (f"{where} is {_told(wanted)} and not {expected}; there are {DEFAULT_TURNS} turns",)
    if isinstance(wanted, int) and wanted < LEAST_TURNS:
        return wanted, (f"{where} is {wanted}, which is fewer than {LEAST_TURNS}; there are {DEFAULT_TURNS} turns",)
    return wanted, ()  # that many turns are too many is said in the introduction


def _told(value: Any) -> str:
    text = without_secrets(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= 40 else f"{text[:39]}…"


def _refuse_secrets(docs: Path, read: ElaborationFolder, settings: Mapping[str, Any]) -> None:
    """Refuse secrets in names: they stand wherever the thing is spoken of, and masked they would name nothing."""
    for name in ("phase", "step"):
        written = str(settings.get(name) or "")
        if without_secrets(written) != written:
            raise SettingError("contains a secret", key=name, expected="a name such as 01-requirements or 01-03")
    for each in read.documents:
        if without_secrets(each.name) != each.name:
            expected = "a name without one; rename the file"
            raise InputError(f"has a secret in the name of document {each.key}", file=str(docs), expected=expected)


def _masked(read: ElaborationFolder) -> tuple[dict[str, str], tuple[str, ...]]:
    """The documents and meta.json as the personas are shown them, and a note on every one that has secrets."""
    documents = tuple(replace(each, text=without_secrets(each.text, path=each.name)) for each in read.documents)
    pairs = zip(read.documents, documents, strict=True)
    notes = tuple(f"{was.name}: secrets are masked in what is shown" for was, now in pairs if was.text != now.text)
    material = replace(read, documents=documents).material()
    return {**material, "meta": json.dumps(without_secrets_in(json.loads(material["meta"])), ensure_ascii=False)}, notes


def _check_length(docs: Path, material: Mapping[str, str]) -> None:
    for name, text in material.items():
        if len(text) > MOST_MATERIAL:
            raise InputError(
                f"the material {name!r} has {len(text):,} characters",
                file=str(docs),
                expected=f"at most {MOST_MATERIAL:,}",
            )


# Who sits there


@dataclass(frozen=True, slots=True)
class Table:
    """Who sits at a roundtable and how far it is."""

    personas: tuple[Persona, ...]
    lead: Persona
    turn: int
    most: int
    boundary: bool
    """A phase ends here, so that there is nothing to skip (T4)."""
    elaborable: bool
    """E may still be taken (T4)."""
    speaker: Persona | None
    """Who has the word."""

    @property
    def count(self) -> str:
        return f"turn {self.turn} of {self.most}"

    @property
    def late(self) -> bool:
        """Whether the warning has been given (T16)."""
        return self.turn >= warning_turn(self.most)

    def asked(self, ask: Ask) -> Persona | None:
        """Return the persona that is asked; None where it is somebody else."""
        named = next((each for each in self.personas if each.seat == ask.seat), None)
        return named or ((self.speaker or self.lead) if ask.seat == ENSEMBLE else None)


def at_table(record: Record) -> Table:
    """Return who sits at the table of a session, and how far it is."""
    cast, state = cast_of(record), record.session.state
    assert isinstance(state, State)
    settings = cast.settings
    return Table(
        cast.personas,
        cast.lead,
        state.turn,
        settings.turns,
        settings.at_phase_boundary,
        may_elaborate(settings, state),
        cast.of(state.queue[0]) if state.queue else None,
    )
