"""`resume`, and running any session until its verdict, a question for a person, or Ctrl-C."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err
from quorate.exit_codes import SUSPENDED

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.cli.desk import Desk
    from quorate.runtime.happenings import Happening

MOST_PROBLEM_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class How:
    """Options for running a session."""

    panel: Path | None = None
    """Others on the seats than the session was opened with."""
    out: Path | None = None
    as_json: bool = False
    no_input: bool = False
    comment: bool = False
    """Print a comment about the session instead of its result."""
    quiet: bool = False
    """Print DONE instead of the result, and nothing of what goes on."""
    settle: bool = False
    """It has come to its verdict just now, by an answer."""
    known: int | None = None
    """How many lines of the session's log have been shown; None if all that it has."""


@click.command(
    cls=Command,
    examples=("quorate resume latest", "quorate resume debate-20260801-1200 --panel other.yaml --out result"),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Seat others from here on.")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Leave report and bundle there.")
@click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead.")
@json_option
@store_option
@click.pass_obj
def resume(place: Place, session: str, panel: Path | None, out: Path | None, no_input: bool, as_json: bool) -> int:
    """Go on with a session where it stands.

    SESSION is an id, the start of one, or `latest`. Finished work is not repeated; a session that has concluded is
    shown again.
    """
    from quorate.cli.session_result import prepare_folder

    with desk(place) as work:
        found = work.find(session)
        if out is not None:
            prepare_folder(out)
        return deliberate(work, found, How(panel=panel, out=out, as_json=as_json, no_input=no_input))


def warn(work: Desk, session: str) -> None:
    """Warn about weaknesses of the setup, embedded models, and instructions in the material."""
    from quorate import api
    from quorate.safety.formats import what_is_missing

    if missing := what_is_missing():
        err(f"careful: {missing}")
    record = work.run(api.load(work.workspace, work.journal, session)).record
    for kind in api.models():
        if kind.name.startswith("local:") and kind.name in record.opening.panel.values():
            err(f"{kind.name} is {kind.says}")
    for remark in api.speaks_to_us(record.opening.protocol, record.material):
        err(f"careful: {remark}")


def given_text(what: str, text: str | None, file: Path | None, command: str) -> str:
    """Return the problem from a text or a file; giving both or none is a usage error."""
    if (text is None) == (file is None):
        raise click.UsageError(f"Give the {what} either as a text or with -f FILE.")
    if text is None:
        return read_problem(file)
    if not text.strip():
        raise click.UsageError(f"The {what} is empty; give some text, or -f FILE.")
    if " " not in text and Path(text).is_file():
        raise click.UsageError(f"{text} is a file; to use its text: {command} -f {text}")
    return text


def read_problem(file: Path | None) -> str:
    """Read a problem from a file; `-` is stdin. Raises InputError."""
    from quorate.core.errors import InputError
    from quorate.files.guarded_names import refuse_guarded

    name = "stdin" if str(file) == "-" else str(file)
    try:
        if name == "stdin":
            data = sys.stdin.buffer.read(MOST_PROBLEM_BYTES + 1)
        else:
            refuse_guarded(Path(name))
            with Path(name).open("rb") as stream:
                data = stream.read(MOST_PROBLEM_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=name) from error
    if len(data) > MOST_PROBLEM_BYTES:
        raise InputError("is too large", file=name, expected=f"at most {MOST_PROBLEM_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError("is not UTF-8", file=name, line=line, expected="a text in UTF-8") from error
    if not text.strip():
        raise InputError("is empty", file=name, expected="something to deliberate about")
    return text


def deliberate(desk: Desk, session: str, how: How) -> int:
    """Run a session, prompting at the terminal if wanted and possible. Return the exit code."""
    from quorate import api
    from quorate.cli.ask import can_ask
    from quorate.cli.commands import leader_of
    from quorate.cli.drive import drive
    from quorate.cli.left_files import tell_left
    from quorate.cli.session_result import finish

    if how.quiet:
        drive = _quietly
    record = desk.run(api.load(desk.workspace, desk.journal, session)).record
    lead = None if how.quiet else leader_of(record.opening.protocol)
    if lead is not None:
        return lead(desk, session, how)
    given: dict[str, list[str]] = {}
    under_way = record.session.conclusion is None
    try:
        if not how.quiet:
            warn(desk, session)
        known = how.known
        while (result := drive(desk, session, how.panel, known)) is not None:
            known = len(result.record.log)
            if not result.waiting or how.no_input or not can_ask():
                break
            if not ask_person(desk, result, given):
                result = None  # some asks may have been answered before the person stopped
                break
    except KeyboardInterrupt:  # between two stretches of work; nothing was under way
        err(f"suspended: {session}\nresume with:\n  {desk.place.command('resume', session)}")
        return SUSPENDED
    except Exception as error:
        tell_kept(desk, session, error)
        raise
    if result is None:
        result = desk.run(api.load(desk.workspace, desk.journal, session))
    code = finish(desk, result, how.out, as_json=how.as_json, comment=how.comment, quiet=how.quiet, given=given)
    # A session that had concluded before was settled then, and others may have followed.
    settle = under_way or how.settle
    left = desk.run(api.finish_ended(desk.workspace, desk.journal, result, how.out, settle=settle))
    return (tell_left(desk.place, result, left, quiet=how.quiet) if left is not None else 0) or code


def tell_kept(desk: Desk, session: str, error: Exception) -> None:
    """Say how to go on with a session that an error has stopped; rules that have changed stop it for good."""
    from quorate.core.errors import RulesChanged

    if not isinstance(error, RulesChanged):
        err(f"the session is kept: {desk.place.command('resume', session)}")


def _quietly(desk: Desk, session: str, panel: Path | None = None, known: int | None = None) -> Result | None:
    """Run a session as `drive` does, without a view."""
    from quorate import api
    from quorate.cli.drive import Watched, until_stopped

    work = api.run(desk.workspace, desk.journal, session, panel=panel)
    return desk.run(until_stopped(work, Watched(Unseen()), "suspending; what was said is kept"))


class Unseen:
    """A view that shows nothing."""

    def __call__(self, happening: Happening) -> None:
        pass

    def open(self) -> None:
        pass

    def tick(self) -> None:
        pass

    def close(self) -> None:
        pass


def ask_person(desk: Desk, result: Result, given: dict[str, list[str]]) -> bool:
    """Prompt for all open questions. Return False if the person stops; the answers so far stay in `given`."""
    from quorate import api
    from quorate.cli.ask import Stop
    from quorate.cli.choice_prompt import asker_of
    from quorate.cli.form_input import from_sets

    known = tuple(result.record.material.values())
    for ask, view in api.questions(result):
        brief = result.record.protocol.briefs.get(ask.brief, "")
        asker = asker_of(ask, view, api.offer_of(result.record, ask), known, brief)
        try:
            sets = asker.fill()
        except Stop:
            given[str(ask.id)] = asker.given
            return False
        data = from_sets(ask, sets)
        said = api.answer(desk.workspace, desk.journal, result.session, str(ask.id), data, finishes=False)
        if not desk.run(said):
            err("Somebody has answered this in the meantime; the first answer counts.")
    return True
