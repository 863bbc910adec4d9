"""`repair`: repair a damaged session from a bundle or another store, with a dry run by default."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.readable import reading_desk
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from quorate.api.repairs import RepairPlan
    from quorate.cli.desk import Desk


@click.command(
    cls=Command,
    examples=(
        "quorate repair debate-20260801-1200 --from result/bundle.json",
        "quorate repair debate-20260801-1200 --from sqlite:replica.db --yes",
        "quorate repair debate-20260801-1200 --from postgresql://quorate@db/quorate",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--from", "source", required=True, metavar="BUNDLE|STORE", help="What has the session whole.")
@click.option("--yes", is_flag=True, help="Do it; without this it is only said.")
@json_option
@store_option
@click.pass_obj
def repair(place: Place, session: str, source: str, yes: bool, as_json: bool) -> int:
    """Mend a damaged session from a bundle or another store.

    The source has to hold by itself, and every entry that is whole here has to stand in it byte for byte; nothing is
    invented. What stands here is saved beside the store first. Without --yes nothing is changed. Exit code 0 if the
    session holds afterwards, or would; 1 if something stays damaged.
    """
    from quorate.api import repairs

    with reading_desk(place) as work:
        found = _found(work, session)
        if found is not None and _holds(work, found):
            return _say_sound(found, as_json)
        plan = work.run(repairs.plan_repair(work.workspace, work.journal, found or session, source))
        if not yes:
            return _say_plan(place, plan, source, as_json)
        after = work.run(repairs.repair(work.workspace, work.journal, plan)).damage
    if as_json:
        out_json({**_plain(plan), "done": True, "holds": after is None, "left": after and after.as_data()})
    else:
        _say_steps(plan)
        out(f"{plan.session}: {'holds' if after is None else f'is still damaged: {after}'}")
    return 0 if after is None else 1


def _found(work: Desk, name: str) -> str | None:
    """Return the session id for a name; None if the store has lost the session."""
    from quorate.store.journal import UnknownSession

    try:
        return work.find(name)
    except UnknownSession:
        return None


def _holds(work: Desk, session: str) -> bool:
    from quorate.api.damage import diagnose

    return work.run(diagnose(work.journal, session))[0] is None


def _say_sound(session: str, as_json: bool) -> int:
    if as_json:
        out_json({"session": session, "done": False, "holds": True, "steps": []})
    else:
        out(f"{session}: not damaged; there is nothing to repair")
    return 0


def _say_plan(place: Place, plan: RepairPlan, source: str, as_json: bool) -> int:
    if as_json:
        out_json({**_plain(plan), "done": False, "holds": False})
    else:
        for flaw in plan.damage.flaws if plan.damage is not None else ():
            out(one_line(f"wrong: {flaw}"))
        _say_steps(plan)
        command = f"{place.command('repair', plan.session)} --from {shlex.quote(source)} --yes"
        err(f"Nothing was changed. To do it:\n  {command}")
    return 1 if plan.still else 0


def _say_steps(plan: RepairPlan) -> None:
    out(one_line(f"from {plan.source}:"))
    for step in plan.steps:
        out(f"  {one_line(step)}")
    for flaw in plan.still:
        out(f"  stays damaged: {one_line(str(flaw))}")
    if plan.backup is not None:
        out(f"  what stands there now is saved as {plan.backup}")


def _plain(plan: RepairPlan) -> dict[str, Any]:
    return {
        "session": plan.session,
        "from": plan.source,
        "damage": plan.damage.as_data() if plan.damage is not None else None,
        "steps": plan.steps,
        "replaced": list(plan.replaced),
        "added": list(plan.added),
        "restored": list(plan.texts),
        "stays_damaged": [str(flaw) for flaw in plan.still],
        "backup": str(plan.backup) if plan.backup is not None else None,
    }
