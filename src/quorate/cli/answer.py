"""`answer`: answer an open question of a session, at any time and from any process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.cli.desk import Desk
    from quorate.core.types import Ask


@click.command(
    cls=Command,
    examples=(
        "quorate answer latest",
        'quorate answer latest --set q1="About 200 a minute" --set q2=NA --resume',
        "quorate answer debate-20260801-1200 3.0 -f answers.yaml",
        "quorate answer latest --decline",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.argument("ask", required=False)
@click.option("--set", "sets", multiple=True, metavar="KEY=TEXT", help="One answer or field; may be repeated.")
@click.option("-f", "--file", type=click.Path(path_type=Path), help="Answers from a YAML or JSON file.")
@click.option("--decline", is_flag=True, help="Say that nobody will answer.")
@click.option("--resume", "go_on", is_flag=True, help="Go on with the session at once.")
@json_option
@store_option
@click.pass_obj
def answer(
    place: Place,
    session: str,
    ask: str | None,
    sets: tuple[str, ...],
    file: Path | None,
    decline: bool,
    go_on: bool,
    as_json: bool,
) -> int:
    """Answer what a session asks a person.

    ASK may be left out where only one is open. Without --set, -f or --decline you are asked at the terminal. Texts
    that a decision can do without may be left out. The same answer twice is harmless: the first one counts.
    """
    if (bool(sets) + (file is not None) + decline) > 1:
        raise click.UsageError("Use one of --set, -f and --decline.")
    from quorate import api

    with desk(place) as work:
        found = work.find(session)
        result = work.run(api.load(work.workspace, work.journal, found))
        accepted = _submit(work, result, ask, sets, file, decline)
        after = work.run(api.load(work.workspace, work.journal, found))
        if accepted is None:  # the person stopped
            return after.exit_code
        if not accepted:
            err("This ask was answered already; the first answer counts, and nothing was changed.")
        elif not (go_on or as_json):
            out("declined" if decline else "answered")
        from quorate.cli.deliberate import How, deliberate
        from quorate.cli.drive import tell_missed
        from quorate.cli.left_files import tell_left

        concluded = bool(accepted) and after.record.session.conclusion is not None
        if go_on:
            return deliberate(work, found, How(as_json=as_json, settle=concluded, known=len(result.record.log)))
        if accepted and not as_json:
            tell_missed(after.record, len(result.record.log))
        if concluded and (left := work.run(api.finish_ended(work.workspace, work.journal, after))) is not None:
            tell_left(place, after, left, quiet=as_json)
        _tell(work, after, accepted, as_json=as_json)
    return 0


def _submit(
    work: Desk, result: Result, ask_id: str | None, sets: tuple[str, ...], file: Path | None, decline: bool
) -> bool | None:
    """Submit the answer. Return False if it came too late, None if the person stopped before it was complete."""
    from quorate import api
    from quorate.core.errors import RulesChanged

    if told := api.outdated(result.record):  # before anything is asked that would not be taken
        raise RulesChanged(told)
    ask = _choose(result, ask_id)
    if ask is None:  # closed already, or never asked: the record knows which
        closed = ask_id if ask_id is not None else _last_answered(result)
        return work.run(api.answer(work.workspace, work.journal, result.session, closed, {}))
    if decline:
        return work.run(api.decline(work.workspace, work.journal, result.session, str(ask.id), finishes=False))
    if not sets and file is None:
        return _ask_here(work, result, ask)
    data = _data(ask, sets, file)
    return work.run(api.answer(work.workspace, work.journal, result.session, str(ask.id), data, finishes=False))


def _choose(result: Result, ask_id: str | None) -> Ask | None:
    from quorate.core.errors import RuleViolation

    if ask_id is not None:
        return next((ask for ask in result.waiting if ask.id == ask_id), None)
    if len(result.waiting) <= 1:
        return next(iter(result.waiting), None)
    names = ", ".join(f"{ask.id} ({ask.seat})" for ask in result.waiting)
    raise RuleViolation(f"session {result.session} has {len(result.waiting)} open asks; name one: {names}")


def _last_answered(result: Result) -> str:
    """Return the ask that a person answered last, which a repeated command refers to."""
    from quorate.core.errors import RuleViolation
    from quorate.core.record import PERSON, Said

    by_people = {seat for seat, name in result.record.opening.panel.items() if name == PERSON}
    people = by_people | result.record.protocol.people
    answered = [line.ask for line in result.record.log if isinstance(line, Said) and line.ask.seat in people]
    if not answered:
        raise RuleViolation(f"session {result.session} has no open question for a person")
    return str(answered[-1].id)


def _data(ask: Ask, sets: tuple[str, ...], file: Path | None) -> Any:
    from quorate.cli.form_input import from_data, from_sets

    if file is None:
        return from_sets(ask, sets)
    from quorate.files.yaml import load

    return from_data(ask, load(file).plain())


def _ask_here(work: Desk, result: Result, ask: Ask) -> bool | None:
    from quorate import api
    from quorate.cli.ask import Stop, can_ask
    from quorate.cli.choice_prompt import asker_of
    from quorate.cli.form_input import from_sets
    from quorate.cli.pending import answer_command, answer_lines

    if not can_ask():
        exact = "\n  ".join(answer_lines(work.place, result, ask))
        raise click.UsageError(f"There is no terminal to ask at; give the answers:\n  {exact}")
    view = next(view for each, view in api.questions(result) if each.id == ask.id)
    record = result.record
    brief = record.protocol.briefs.get(ask.brief, "")
    asker = asker_of(ask, view, api.offer_of(record, ask), tuple(record.material.values()), brief)
    try:
        data = from_sets(ask, asker.fill())
    except Stop:
        err(f"nothing was sent; to go on later:\n  {answer_command(work.place, result, ask, asker.given)}")
        return None
    return work.run(api.answer(work.workspace, work.journal, result.session, str(ask.id), data, finishes=False))


def _tell(work: Desk, result: Result, accepted: bool, *, as_json: bool) -> None:
    from quorate.cli.session_result import summarise, tell_waiting, verdict_line

    if as_json:
        out_json({"accepted": accepted, **summarise(work.place, result)})
    elif result.record.session.conclusion is not None:
        out(verdict_line(result))
    elif result.waiting:
        tell_waiting(work.place, result, whole=False)
    else:
        then = "the workers go on; watch them with" if work.workspace.config.temporal else "go on with"
        err(f"nothing else is open for people; {then}:\n  {work.place.command('resume', result.session)}")
