"""What the protocol reads, holds and writes: two files in, the seat of the screen, one document out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quorate import authoring as q

from .protocol import SCREEN, Settings
from .screen import LISTED, listed, new_in, requirements, screen

DOCUMENT = "DEPENDENCIES.md"
MOST_BYTES = 500_000


async def open_change(order: q.Order) -> q.OpenedSession:
    """Read both states and open a session on what differs. Secrets in it are masked when it is opened."""
    order.check_seats()
    after: Path = order.inputs["after"]
    before: Path | None = order.inputs.get("before")
    old, new = _read(before) if before else (), _read(after)
    if not new:
        raise q.InputError("requires nothing", key="inputs.after", expected="a file with requirements")
    why = order.inputs.get("why")
    settings = q.read_settings(Settings, order.workspace.config.protocol("dependencies"))
    folder = order.folder("docs") or after.parent
    return await order.begin(
        {LISTED: listed(old, new), **({"why": why} if why else {})},
        run={"denied": list(settings.denied), "document": str((folder / DOCUMENT).resolve())},
        title=f"Dependencies of {after.name}",
        says=[f"{len(set(new) - set(old))} new, {len(set(old) - set(new))} gone"],
    )


def _read(file: Path) -> tuple[str, ...]:
    return requirements(q.text_of(file, MOST_BYTES, "a requirements file or a pyproject.toml"), str(file))


def hold(run: Mapping[str, Any]) -> q.Held:
    """The screen is code. Whatever a panel says, nobody else can sit there (P1)."""
    return q.Held({SCREEN: screen(run.get("denied", ()))})


def leave(result: q.Result, folder: Path | None) -> Sequence[q.Written]:
    """Add what was decided to the document, once, in whichever process the session ends (P10)."""
    place = result.record.opening.run.get("dependencies", {}).get("document")
    file = Path(place) if place else folder and folder / DOCUMENT
    came_to = q.came_to(result.record)
    if file is None or came_to["verdict"] is None:
        return ()
    new = new_in(result.record.material[LISTED])
    parts = [f"## {came_to['verdict']}: {len(new)} new", "", *(f"    {each}" for each in new), ""]
    for said in came_to["said"]:
        reply = said["reply"]
        if "opinion" in reply:
            parts.append(f"- {said['seat']}: {reply['opinion']}. {' '.join(reply['reason'].split())}")
        parts += [f"- {said['seat']}: {each['fault']}: `{each['requirement']}`" for each in reply.get("findings", ())]
    return (q.add_once(file, result.session, "\n".join(parts), begins="# Dependencies\n"),)


WORLD = q.World(open=open_change, holds=hold, leave=leave, fork=lambda run, _: {"denied": run.get("denied", [])})
