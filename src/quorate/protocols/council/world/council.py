"""Opening a council: a session on an RFC, after running the gates and drawing the lenses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from quorate import catalog
from quorate.api.creation import MOST_MATERIAL, open_session, own_briefs
from quorate.api.seats import Seating, seat
from quorate.core.errors import InputError, SettingError
from quorate.core.protocol import Protocol
from quorate.core.types import Ask, AskId, Seat
from quorate.core.view import BYTES_PER_TOKEN, View, estimate_tokens
from quorate.participants.port import Participant, those_behind
from quorate.participants.prompt import render
from quorate.protocols.council.rules.forms import MOST_RAISED, Assessment
from quorate.protocols.council.rules.lenses import Selection, lenses, select_modes
from quorate.protocols.council.rules.model import MOST_SHOWN, REVIEWERS, ROLES, CouncilSettings, Depth
from quorate.protocols.council.rules.protocol import ARTIFACTS
from quorate.protocols.council.rules.result.budget import RESERVED, TOKENS
from quorate.protocols.council.rules.taxonomy import DOCUMENTS, place_keys
from quorate.protocols.council.world.gate_passage import Gated, Progress, Work, at_the_gates, settings_of
from quorate.protocols.council.world.gates.scratch import Sources, reading_digest
from quorate.runtime.budget import Budget
from quorate.safety.fence import fence
from quorate.store.journal import Journal
from quorate.workspace import Workspace

MOST_SEED = 2**31
READINGS, BRIEF_READINGS = 2, 3
"""Times that a seat is shown the RFC (review, assess), and findings with half the room (respond, remediate, vote)."""
FRAME = 4_000
"""Tokens of an ask beside its view: role, task and form, and the reply."""
LEAST_SHOWN = 1_500
"""Tokens that one view has however small the budget is."""
LEAST_IN_WINDOW = 1_000
"""The same however small a window is: the least that `seat_tokens` may be."""
OTHER_SECTIONS = 10
"""Sections of a view beside tickets, files and findings."""
NONCE = "0" * 8
"""As long as that of a session."""


@dataclass(frozen=True, slots=True)
class Seated:
    """A seat with its role and lenses."""

    seat: str
    role: str
    lenses: tuple[tuple[int, str], ...]
    """Numbers and names of its modes, its two anchors first."""


@dataclass(frozen=True, slots=True)
class Convened:
    """An opened session on an RFC; no ask has been sent yet."""

    session: str
    gated: Gated
    depth: str
    why: str
    """Why this depth."""
    seats: tuple[Seated, ...]
    session_seed: str
    """What the lenses were drawn from."""
    relaxed: tuple[str, ...]
    """Demands on the draw that had to be given up (C4)."""
    tokens: int | None
    """The most that may be spent; None is no limit."""
    shown: int
    """Tokens that one seat is shown at most in one ask."""
    of: int
    """Tokens of the whole RFC, as an estimate."""

    @property
    def tight(self) -> bool:
        """Whether seats are shown only part of the RFC."""
        return self.of > self.shown


async def open_council(
    workspace: Workspace,
    journal: Journal,
    sources: Sources,
    *,
    depth: str | None = None,
    gates: str | None = None,
    remediate: bool = False,
    seed: str | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    progress: Progress = lambda _: None,
) -> Convened:
    """Read an RFC, run the gates on it, draw the lenses and open a session; no ask is sent yet.

    A `seed` is a number or any text; by default it follows from the RFC's id and content (C5). Raises SettingError
    without a panel or a model, here or in the settings.
    """
    if not any((panel, model, workspace.config.panel, workspace.config.model)):
        raise SettingError(
            "no model is chosen for the seats of the council",
            expected="--model or --panel, or `model` or `panel` in quorate.yaml; to try it out, --model local:smollm2; "
            "to run the gates without a model, --gates-only",
        )
    number, given = _seeded(seed)
    given |= {"depth": depth} if depth else {}
    given |= {"gates": gates} if gates else {}
    given |= {"remediate": True} if remediate else {}
    settings = settings_of(workspace, given)
    work = at_the_gates(sources, settings, progress)
    gated = work.told()
    _check_length(sources, work.material)
    chosen, why = _depth(settings, gated.receipt)
    if number is None:
        number = _own_seed(work.rfc.id, reading_digest(work.rfc))
    budgeted = _budgeted(workspace)
    given |= {"depth": chosen.value}
    shown = settings.seat_tokens or _room(
        budgeted.config.budget.tokens,
        chosen,
        least_room(workspace, given, panel, model, work.report.tickets),
    )
    session = await open_session(
        budgeted,
        journal,
        "council",
        work.material,
        panel=panel,
        model=model,
        seed=number,
        title=f"{gated.id} {gated.title}",
        settings={**given, "seat_tokens": shown},
        run={"council": _run(work, settings)},
    )
    drawn_from = str(settings.drawn_from(number))
    drawn = select_modes(drawn_from)
    return Convened(
        session,
        gated,
        chosen.value,
        why,
        _seats(drawn, chosen),
        drawn_from,
        drawn.relaxed,
        budgeted.config.budget.tokens,
        shown,
        estimate_tokens(work.material["rfc"]),
    )


# What the settings and the size decide


def _seeded(seed: str | None) -> tuple[int | None, dict[str, Any]]:
    """Return the session's seed and the `session_seed` setting; a number given here overrides a configured text."""
    if seed is None:
        return None, {}
    if seed.isascii() and seed.isdigit() and len(seed) <= 10 and int(seed) < MOST_SEED:
        return int(seed), {"session_seed": ""}
    if not seed.strip():
        raise SettingError("is empty", key="--seed", expected="a number or a text")
    return None, {"session_seed": seed}


def _own_seed(rfc_id: str, digest: str) -> int:
    """Derive the seed from the RFC, so that equal input gives an equal council (C5)."""
    return int.from_bytes(sha256(f"{rfc_id}\0{digest}".encode("utf-8", "replace")).digest()[:4]) % MOST_SEED


def _depth(settings: CouncilSettings, receipt: Mapping[str, Any]) -> tuple[Depth, str]:
    """Return the depth from the settings, or else by the RFC's size, with the reason (C44)."""
    if settings.depth is not None:
        return settings.depth, "as asked for"
    by_size = receipt["depth"]
    return Depth(by_size["depth"]), str(by_size["why"])


def _budgeted(workspace: Workspace) -> Workspace:
    """Return the workspace with the council's default token limit, unless the settings have one (C35)."""
    named: Mapping[str, Any] = workspace.config.values.get("budget", {})
    if "tokens" in named:
        return workspace
    budget: Budget = replace(workspace.config.budget, tokens=TOKENS - RESERVED)
    return replace(workspace, config=replace(workspace.config, budget=budget))


def _room(tokens: int | None, depth: Depth, window: int | None) -> int:
    """Return how many tokens one view may have so that the budget lasts, and that it fits into every window (C42)."""
    most = MOST_SHOWN if window is None else max(LEAST_IN_WINDOW, min(MOST_SHOWN, window))
    if tokens is None:
        return most
    seats = 1 if depth is Depth.STANDARD else len(REVIEWERS)
    asks, readings = seats * (READINGS + BRIEF_READINGS), seats * (2 * READINGS + BRIEF_READINGS) / 2
    return min(most, max(LEAST_SHOWN, int((tokens - asks * FRAME) / readings)))


def least_room(
    workspace: Workspace, settings: Mapping[str, Any], panel: Seating | None, model: str | None, tickets: int
) -> int | None:
    """Return the tokens that every seat's window leaves for a view in which it reads; None where none has a window."""
    built = catalog.build("council", {**workspace.config.protocol("council"), **settings}, own=own_briefs(workspace))
    table = seat(built, panel or workspace.config.panel, {}, model=model or workspace.config.model)
    sitting = ((name, each) for name in REVIEWERS if name in table for each in those_behind(table[name]))
    return min((room for name, each in sitting for room in _left_by_window(built, name, each, tickets)), default=None)


def _left_by_window(built: Protocol[Any], seat: Seat, participant: Participant, tickets: int) -> Iterator[int]:
    """Yield what is left for the view in each brief with which a seat reads the RFC, as `render` counts it."""
    window = participant.window
    if window is None:
        return
    sections = tickets + len(DOCUMENTS) + OTHER_SECTIONS + MOST_RAISED * len(REVIEWERS)
    markers = sections * len(fence("", "", NONCE).encode()) // BYTES_PER_TOKEN
    for brief, form in (ARTIFACTS[seat], ("assess", Assessment)):
        ask = Ask(AskId("0.0"), seat, brief, form, place_keys(tickets))
        prompt, _ = render(
            built.briefs,
            View(f"roles/{seat}", ()),
            ask,
            NONCE,
            window,
            in_parts=getattr(participant, "in_parts", False),
            gists=getattr(participant, "gists", False),
        )
        fixed = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        yield window - window // 3 - fixed - markers


def _seats(drawn: Selection, depth: Depth) -> tuple[Seated, ...]:
    seats = REVIEWERS[:1] if depth is Depth.STANDARD else REVIEWERS
    return tuple(
        Seated(seat, ROLES[seat], tuple((mode.id, mode.name) for mode in lenses(seat, drawn.modes[seat]).values()))
        for seat in seats
    )


def _check_length(sources: Sources, material: Mapping[str, str]) -> None:
    for text in material.values():
        if len(text) > MOST_MATERIAL:
            raise InputError(
                f"the RFC is {len(text):,} characters long with its tickets",
                file=str(sources.folder),
                expected=f"at most {MOST_MATERIAL:,}; divide the RFC, or run only the gates with --gates-only",
            )


def _run(work: Work, settings: CouncilSettings) -> dict[str, Any]:
    """Return what the gates need to try edits from any process and working directory."""
    parts = {name: getattr(work.sources, name) for name in ("folder", "tickets", "prd", "ccp", "repo")}
    found = {name: path.resolve() for name, path in parts.items() if path is not None}
    # Files are named as their folder was given, so the same files under full paths have a digest of their own.
    digest = reading_digest(Sources(**found).read() if len(found) > 1 else work.rfc)
    return {**{name: str(path) for name, path in found.items()}, "gates": settings.gates.value, "digest": digest}
