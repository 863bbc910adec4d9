"""Workshops on a topic: open a session with its agenda, its strategy and everybody at the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.creation import open_session
from quorate.api.seats import Seating
from quorate.core.errors import InputError, SettingError, nearest
from quorate.kit.roles import roles_in
from quorate.kit.settings import read_settings
from quorate.protocols.workshop.rules.model import CLERK, FACILITATOR, PERSON
from quorate.protocols.workshop.rules.plan import Plan, plan_of
from quorate.protocols.workshop.rules.settings import WorkshopSettings
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.workflows import ROSTERS, STRATEGIES, suggest_strategy
from quorate.protocols.workshop.world.agenda import canonical
from quorate.protocols.workshop.world.agendas import Chosen, choose_agenda
from quorate.protocols.workshop.world.documents import check_folders
from quorate.safety.secrets import without_secrets, without_secrets_in
from quorate.store.journal import Journal
from quorate.workspace import Workspace

MOST_PARTICIPANTS = 11
Names = str | Sequence[str] | None
"""Names with commas between them, or one by one; None where nothing was said."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Somebody who takes part."""

    seat: str
    side: str = ""
    """pro, con or observer, in a debate."""


@dataclass(frozen=True, slots=True)
class ToDiscuss:
    """A topic of the agenda."""

    id: str
    name: str
    required: bool
    criteria: int
    minimum: int
    """The least number of agreed artifacts."""
    stage: str = ""


@dataclass(frozen=True, slots=True)
class OpenedWorkshop:
    """A session on a topic, of which nothing has been asked yet."""

    session: str
    workflow: str
    strategy: str
    why_strategy: str
    stages: tuple[str, ...]
    participants: tuple[Sitting, ...]
    agenda: str
    """Its title."""
    topics: tuple[ToDiscuss, ...]
    min_rounds: int
    max_rounds: int
    warnings: tuple[str, ...] = ()


async def open_workshop(
    workspace: Workspace,
    journal: Journal,
    kind: str,
    topic: str,
    *,
    agenda: Path | None = None,
    strategy: str | None = None,
    participants: Names = None,
    pro: Names = None,
    con: Names = None,
    interactive: bool = False,
    format_: str | None = None,
    panel: Seating | None = None,
    model: str | None = None,
    seed: int | None = None,
    context: Path | None = None,
    documents: Path | None = None,
    merge: bool = False,
    export: Path | None = None,
) -> OpenedWorkshop:
    """Open a workshop on a topic; nothing is asked yet.

    `kind` is specs, design or brainstorm, or the path of an agenda file; `agenda` replaces the agenda of a built-in
    kind. `documents` and `export` say where documents and the session file are to be left when it ends, in whichever
    process that is; what would be in their way is an InputError now. Nobody speaks by default: without a panel or a
    model, here or in the settings, it is a SettingError.
    """
    if not any((panel, model, workspace.config.panel, workspace.config.model)):
        raise SettingError(
            "no model or panel is set for the seats of the workshop",
            expected="--model or --panel, here or in quorate.yaml; --model local:smollm2 is for trying it out",
        )
    if not topic.strip():
        raise InputError("the topic is empty", expected="what the workshop is about")
    chosen = choose_agenda(kind, agenda)
    set_already = workspace.config.protocol("workshop")
    with workspace.config.placing("workshop"):
        own = read_settings(WorkshopSettings, set_already)
    name, why = _strategy(strategy, own, chosen, topic)
    given: dict[str, Any] = {
        "workflow": chosen.workflow,
        "strategy": name,
        "participants": _participants(workspace, own, chosen.workflow, _names(participants, "--participants")),
        **_sides(name, pro, con),
        **({"interactive": True} if interactive else {}),
        **({"format": format_} if format_ is not None else {}),
    }
    with workspace.config.placing("workshop"):
        plan = plan_of(read_settings(WorkshopSettings, {**set_already, **given}))
    check_folders(chosen.workflow, documents, export, merge=merge)
    session = await open_session(
        workspace,
        journal,
        "workshop",
        {"topic": without_secrets(topic.strip()), "agenda": canonical(without_secrets_in(chosen.agenda))},
        panel=panel,
        model=model,
        seed=seed,
        context=context,
        title=without_secrets(topic.strip()).splitlines()[0],
        settings={**given, **_seated(plan)},
        run={"workshop": _places(documents, export, merge=merge)},
    )
    return _held(session, plan, why, chosen)


def _places(documents: Path | None, export: Path | None, *, merge: bool) -> dict[str, Any]:
    """Where to leave what comes of it, for whichever process ends it."""
    places = {"documents": documents, "export": export}
    return {name: str(path.resolve()) for name, path in places.items() if path is not None} | {"merge": merge}


# Who, and how


def _strategy(given: str | None, own: WorkshopSettings, chosen: Chosen, topic: str) -> tuple[str, str]:
    """The strategy and why: as given or set, the workflow's own, the agenda's, the topic's words (W32)."""
    if given is not None:
        if given not in BY_NAME:
            raise SettingError(
                f"is {given!r}",
                key="--strategy",
                expected="one of " + ", ".join(BY_NAME),
                nearest=nearest(given, BY_NAME),
            )
        return given, "as asked for"
    if own.strategy:
        return own.strategy, "as the settings say"
    if not chosen.is_own:
        return STRATEGIES[chosen.workflow], f"the workflow {chosen.workflow} has it so"
    if chosen.bound:
        return "disney", "the agenda binds its topics to the stages of it"
    strategy, word = suggest_strategy(topic)
    return strategy, f"the topic says {word!r}" if word else "no word of the topic suggests another"


def _names(given: Names, option: str) -> list[str]:
    if given is None:
        return []
    names = [name.strip() for name in (given.split(",") if isinstance(given, str) else given)]
    if not all(names) or not names:
        raise SettingError("has an empty name", key=option, expected="names with commas between them")
    return names


def _sides(strategy: str, pro: Names, con: Names) -> dict[str, list[str]]:
    """Return the given sides; SettingError if the strategy has no sides."""
    named = {name: _names(each, f"--{name}") for name, each in (("pro", pro), ("con", con)) if each is not None}
    if named and not BY_NAME[strategy].sided:
        raise SettingError(
            f"the strategy {strategy} has no sides",
            key=f"--{next(iter(named))}",
            expected="--strategy debate, or nobody on a side",
        )
    return named


def _seated(plan: Plan) -> dict[str, list[str]]:
    """Return the final sides; participants on neither side observe."""
    sides = {name: [str(seat) for seat, side in plan.sides if side.value == name] for name in ("pro", "con")}
    return sides if plan.strategy.sided else {}


def _participants(workspace: Workspace, own: WorkshopSettings, workflow: str, given: list[str]) -> list[str]:
    """Those given, or those of the settings or the workflow with those added that have a plus before them (W3)."""
    plain = [name for name in given if not name.startswith("+")]
    added = [name.removeprefix("+").strip() for name in given if name.startswith("+")]
    names = [*(plain or own.participants or ROSTERS[workflow]), *added]
    known = _roles(workspace)
    for name in names:
        if name not in known and name not in (FACILITATOR, PERSON, CLERK):  # these are refused with a better reason
            key = "--participants" if name in (*plain, *added) else "workshop.participants"
            near = nearest(name, known)
            raise SettingError(f"unknown role {name!r}", key=key, expected="one of " + ", ".join(known), nearest=near)
    if len(names) > MOST_PARTICIPANTS:
        expected = f"at most {MOST_PARTICIPANTS}"
        raise SettingError(f"has {len(names)} participants", key="--participants", expected=expected)
    return names


def _roles(workspace: Workspace) -> list[str]:
    """The roles that somebody can take: those that come along, and the user's own."""
    own = catalog.own_briefs(workspace.briefs) if workspace.briefs is not None else {}
    briefs = {**catalog.briefs(catalog.definition("workshop")), **own}
    return sorted({*roles_in(briefs)} - {FACILITATOR})


# What is told of it


def _held(session: str, plan: Plan, why: str, chosen: Chosen) -> OpenedWorkshop:
    settings, agenda = plan.settings, chosen.agenda
    topics = tuple(
        ToDiscuss(
            each["id"],
            each["name"],
            each["critical"],
            len(each["done_when"]["criteria"]),
            each["done_when"]["minimum"],
            each["stage"],
        )
        for each in agenda["topics"]
    )
    seated = tuple(
        Sitting(str(seat), side.value if (side := plan.side(seat)) is not None else "") for seat in plan.participants
    )
    stages = tuple(stage.value for stage in plan.strategy.stages)
    return OpenedWorkshop(
        session,
        chosen.workflow,
        plan.strategy.name,
        why,
        stages,
        seated,
        agenda["title"],
        topics,
        settings.min_rounds,
        settings.max_rounds,
        tuple(_warnings(plan, chosen, len(topics))),
    )


def _warnings(plan: Plan, chosen: Chosen, topics: int) -> list[str]:
    """Return warnings about valid but unusual settings."""
    found: list[str] = []
    stages, most = len(plan.strategy.stages), plan.settings.max_rounds
    if chosen.bound and plan.strategy.name != "disney":
        found.append(
            f"the agenda binds topics to stages that the strategy {plan.strategy.name} does not have; these are ignored"
        )
    needed = topics if chosen.bound else topics * stages
    if most < needed:
        each = "" if needed == topics else f" of {stages} rounds each"
        found.append(f"{topics} topics{each} take {needed} rounds; max_rounds is {most}")
    if plan.settings.escalation is False:
        found.append("escalation is off, so nothing is put to a person")
    return found
