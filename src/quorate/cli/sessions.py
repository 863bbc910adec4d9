"""`list`, `show` and `watch`: list sessions, show one, and follow one that is running."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_protocol, complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.readable import reading_desk

if TYPE_CHECKING:
    from quorate.api import Result, Row
    from quorate.cli.desk import Desk
    from quorate.core.record import Line


STATUSES = ("active", "waiting", "concluded")
"""What `list` can be asked for: a session under way, one that waits for a person, one that has its verdict."""


@click.command(
    "list",
    cls=Command,
    examples=("quorate list", "quorate list --waiting", "quorate list --status concluded --protocol workshop"),
)
@click.option("--status", type=click.Choice(STATUSES), help="Only sessions that stand so.")
@click.option("--waiting", is_flag=True, help="Only sessions that wait for a person; the same as --status waiting.")
@click.option("--protocol", metavar="NAME", shell_complete=complete_protocol, help="Only sessions of this protocol.")
@json_option
@store_option
@click.pass_obj
def list_(place: Place, status: str | None, waiting: bool, protocol: str | None, as_json: bool) -> None:
    """List the sessions of this store."""
    from quorate import api
    from quorate.cli.table import table

    if waiting and status not in (None, "waiting"):
        raise click.UsageError(f"--waiting and --status {status} exclude each other; give one.")
    wanted = "waiting" if waiting else status
    with desk(place) as work:
        listed = work.run(api.list_sessions(work.journal))
    if protocol is not None:
        _check_protocol(protocol, listed)
    found = [each for each in listed if wanted in (None, each.status) and protocol in (None, each.protocol)]
    if as_json:
        out_json([_listed(each) for each in found])
    elif found:
        rows = [
            (each.id, each.protocol, _standing(each), _moment(each.opened_at), ",".join(each.waiting), each.title)
            for each in found
        ]
        out(table(("SESSION", "PROTOCOL", "STANDS AT", "OPENED", "WAITS FOR", "TITLE"), rows))
    elif wanted is None and protocol is None:
        err('There are no sessions here yet; `quorate debate "…"` begins one.')
    else:
        of = f" of {protocol}" if protocol else ""
        err(f"No session{of} is {wanted}." if wanted else f"There are no sessions{of} here yet.")


def _check_protocol(name: str, listed: list[Row]) -> None:
    """Refuse a name that is neither an installed protocol nor one of a recorded session."""
    from quorate import api
    from quorate.core.errors import SettingError, nearest

    known = dict.fromkeys((*(each.name for each in api.protocols()), *(each.protocol for each in listed)))
    if name not in known:
        what = f"there is no protocol {name}"
        raise SettingError(what, key="--protocol", expected="one of " + ", ".join(known), nearest=nearest(name, known))


def _listed(each: Row) -> dict[str, Any]:
    told = each.data()
    return {**told, "entries": told.pop("last") + 1}


def _standing(each: Row) -> str:
    under_way = each.verdict is None and each.phase and each.round
    return f"{each.phase}/{each.round}" if under_way else each.stands_at


def _moment(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000):%Y-%m-%d %H:%M}"


@click.command(cls=Command, examples=("quorate show", "quorate show debate-20260801-1200", "quorate show --json"))
@click.argument("session", default="latest", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def show(place: Place, session: str, as_json: bool) -> int:
    """Show where a session stands and what was said.

    SESSION is an id, the start of one, or `latest` (the default). A damaged session is shown up to the first entry that
    does not hold, with the damage in the heading; the exit code is 70 then.
    """
    from quorate.api.damage import heading
    from quorate.api.readable import read
    from quorate.cli.session_result import summarise, tell_waiting, unfit_warning, verdict_line

    with reading_desk(place) as work:
        result = work.run(read(work.workspace, work.journal, work.find(session)))
    code = 0 if result.damage is None else result.exit_code
    if as_json:
        told = {**summarise(place, result), "transcript": _entries(result)}
        if result.damage is not None:
            told.pop("resume", None)
        out_json(told)
        return code
    record = result.record
    out(f"{result.session}\n{record.opening.title}\n")
    if result.damage is not None:
        out(f"{heading(result.damage)}\n")
    for name, participant in record.opening.panel.items():
        out(f"  {name}: {participant}")
    for line in record.log:
        if words := _worded(line):
            out(words)
    if record.session.conclusion is not None:
        out("\n" + verdict_line(result))
        if warned := unfit_warning(place, result):
            err(warned)
    else:
        stood = "Stands at" if result.damage is None else "Stood at"
        out(f"\n{stood} {record.session.phase.name}, round {record.protocol.round(record.session.state)}")
        if result.damage is None:
            tell_waiting(place, result)
    if result.damage is not None:
        err(f"to repair it: {place.command('repair', result.session)} --from BUNDLE|STORE")
    return code


def _entries(result: Result) -> list[dict[str, Any]]:
    """Return every entry of the journal with its seat, brief, phase and round."""
    from quorate.core.record import Said

    places = {line.envelope.seq: line for line in result.record.log if isinstance(line, Said)}
    found = []
    for entry in result.entries[1:]:
        said = places.get(entry.seq)
        place: dict[str, Any] = {}
        if said is not None:
            place = {"seat": said.ask.seat, "brief": said.ask.brief, "phase": said.phase.name, "round": said.round}
        found.append({**place, **json.loads(entry.body)})
    return found


def _worded(line: Line) -> str:
    from quorate.cli.reply_words import transcript
    from quorate.core.record import Moved, Ruling, Said, Stopped
    from quorate.core.types import Absent

    match line:
        case Said(ask, reply, phase, round_, envelope):
            by = f" ({envelope.model})" if envelope.model else ""
            head = f"\n#{envelope.seq} [{phase.name}/{round_}] {ask.seat} {ask.brief}{by}"
            if isinstance(reply, Absent):
                return f"{head}: absent, {reply.reason.value}" + (f": {envelope.detail}" if envelope.detail else "")
            unfit = "".join(f"\n  ! {each}" + (f" ({each.said})" if each.said else "") for each in envelope.unfit)
            measured = "".join(f"\n  = {each}" for each in envelope.measured)
            return f"{head}\n{transcript(reply)}{unfit}{measured}"
        case Moved(move, _):
            facts = "".join(f"\n  {fact.name} {_values(fact.values)}" for fact in move.facts)
            return f"\n{move.phase.name}: {move.outcome.name} -> {move.to.name}{facts}"
        case Stopped(reason, envelope):
            return f"\n#{envelope.seq} interrupted: {reason.value}" + (
                f", {envelope.detail}" if envelope.detail else ""
            )
        case Ruling(verdict, by, reason, envelope):
            return f"\n#{envelope.seq} ruled {verdict.name} by {by}\n  reason: {reason}"
        case _:
            return ""


def _values(values: tuple[tuple[str, str | int | bool], ...]) -> str:
    return " ".join(f"{name}={value}" for name, value in values)


@click.command(cls=Command, examples=("quorate watch", "quorate watch debate-20260801-1200"))
@click.argument("session", default="latest", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def watch(place: Place, session: str, as_json: bool) -> int:
    """Follow a session that another process runs.

    It shows what has happened and what happens from now on, and ends with the session's conclusion and its exit code.
    Ctrl-C ends the watching, not the session.
    """
    from quorate.cli.session_result import finish

    with desk(place) as work:
        found = work.find(session)
        result = _follow(work, found)
        return 0 if result is None else finish(work, result, None, as_json=as_json)


def _follow(work: Desk, session: str) -> Result | None:
    """Follow a session until it concludes; None if that was interrupted."""
    from quorate import api
    from quorate.cli.drive import Watched, until_stopped, view_of
    from quorate.cli.progress import Progress
    from quorate.core.record import Record

    record = work.run(api.load(work.workspace, work.journal, session)).record
    progress = Progress(Record(record.protocol, record.opening, record.material), from_afar=True)
    watched = Watched(view_of(progress))

    async def follow() -> Result:
        from quorate.runtime.happenings import Waiting

        async for happening in api.follow(work.workspace, work.journal, session):
            watched(happening)
            waiting = api.Result(session, progress.record, []).waiting
            if waiting and len(waiting) == len(progress.record.session.open):
                watched(Waiting(waiting))
        return await api.load(work.workspace, work.journal, session)

    return work.run(until_stopped(follow(), watched, "the watching ends; the session goes on without it"))
