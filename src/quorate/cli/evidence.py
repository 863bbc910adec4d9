"""`report`, `explain`, `replay` and `check`: the evidence of a session, and whether it is valid."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, desk, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_document, out_json, write_file
from quorate.cli.readable import reading_desk
from quorate.exit_codes import INTERNAL

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.api.world import CheckedFile

FORMATS = ("md", "html", "json", "yaml", "sarif", "junit", "comment")
ENDINGS = {"yml": "yaml", "markdown": "md", "xml": "junit"}
"""What else a file may end in."""
FILES = (".json", ".yaml", ".yml")
"""What is always the name of a file and never that of a session."""


def read_session(place: Place, session: str) -> Result:
    """Read a session; a damaged one up to the damage, with a warning on stderr."""
    from quorate.api.damage import heading
    from quorate.api.readable import read

    with reading_desk(place) as work:
        result = work.run(read(work.workspace, work.journal, work.find(session)))
    if result.damage is not None:
        err(heading(result.damage))
    return result


def code_of(result: Result) -> int:
    """Return the exit code of a reading command: the one for damage if there is some."""
    return 0 if result.damage is None else result.exit_code


@click.command(
    cls=Command,
    examples=(
        "quorate report",
        "quorate report latest --format html -o report.html",
        "quorate report --format json",
        "quorate report latest -o findings.sarif",
        "quorate report latest -o rfc_review.yaml",
    ),
)
@click.argument("session", default="latest", shell_complete=complete_session)
@click.option(
    "--format", "format_", metavar=f"[{'|'.join(FORMATS)}|FILE]", help="Default: by the name of -o FILE, else md."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file.")
@store_option
@click.pass_obj
def report(place: Place, session: str, format_: str | None, as_json: bool, output: Path | None) -> int:
    """Write a session's report, its evidence bundle or its findings.

    md and html are the report for people; json and yaml are the bundle for auditors, with the hash chain. sarif, junit
    and comment are all open findings of a review or council, for code scanning, for test reports and as a pull-request
    comment. FILE is any other file that the session leaves with --out, such as rfc_review.yaml of a council.

    A damaged session has its md and html alone, up to the damage, which their heading tells; the exit code is 70 then.
    """
    from quorate import api
    from quorate.api.results import own_files

    if as_json and format_ not in (None, "json"):
        raise click.UsageError(f"--json and --format {format_} exclude each other; give one.")
    result = read_session(place, session)
    if format_ is None and not as_json and output is not None and output.name in own_files(result):
        format_ = output.name
    text = api.report(result, "json" if as_json else format_ or _by_name(output))
    if output is None:
        out_document(text)
    else:
        write_file(output, text)
        err(f"wrote {output}")
    return code_of(result)


def _by_name(output: Path | None) -> str:
    ending = output.suffix.removeprefix(".") if output is not None else "md"
    ending = ENDINGS.get(ending, ending)
    return ending if ending in FORMATS else "md"


@click.command(cls=Command, examples=("quorate explain", "quorate explain debate-20260801-1200"))
@click.argument("session", default="latest", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def explain(place: Place, session: str, as_json: bool) -> int:
    """Say how the verdict follows, step by step.

    For each step: the tests that were made with their values, the row taken, and the rows not taken and why.
    """
    from quorate import api

    result = read_session(place, session)
    if as_json:
        damage = {"damage": result.damage.as_data()} if result.damage else {}
        out_json({"session": result.session, "steps": _steps(result), **damage})
    else:
        out(api.explain(result))
    return code_of(result)


def _steps(result: Result) -> list[dict[str, object]]:
    from quorate.core.record import Moved
    from quorate.evidence.explain import weigh

    return [
        {
            "phase": line.move.phase.name,
            "round": line.round,
            "outcome": line.move.outcome.name,
            "to": line.move.to.name,
            "cause": line.move.cause.value,
            "tests": [asdict(test) for test in weigh(line.move.because)],
            "facts": [{"name": fact.name, **dict(fact.values)} for fact in line.move.facts],
        }
        for line in result.record.log
        if isinstance(line, Moved)
    ]


@click.command(cls=Command, examples=("quorate replay", "quorate replay debate-20260801-1200 --json"))
@click.argument("session", default="latest", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def replay(place: Place, session: str, as_json: bool) -> int:
    """Derive a session again from its journal.

    It is folded twice, without one model call; verdict and digest are the same each time.
    """
    from quorate import api

    with desk(place) as work:
        found = work.find(session)
        first = work.run(api.replay(work.workspace, work.journal, found))
        second = work.run(api.replay(work.workspace, work.journal, found))
    # A session that another process extends in between is longer the second time, and no contradiction.
    same = first == second or first.entries != second.entries
    if as_json:
        figures = {"verdict": second.verdict, "digest": second.digest, "entries": second.entries, "head": second.head}
        out_json({"session": found, **figures, "same": same})
    else:
        out(f"verdict  {second.verdict or 'none yet'}\ndigest   {second.digest}")
        out(f"entries  {second.entries}\nhead     {second.head}")
    if not same:
        err("quorate: two replays of the same journal differ; this is an error in the protocol")
        return INTERNAL
    return 0


@click.command(
    cls=Command,
    examples=(
        "quorate check result/bundle.json",
        "quorate check bundle.yaml --json",
        "quorate check result/bundle.json --key signing.key.pub -v",
        "quorate check sessions/20260801-specs-audit-log.yaml",
        "quorate check latest",
    ),
)
@click.argument("bundle", metavar="FILE|SESSION", type=click.Path(path_type=Path))
@click.option(
    "--key",
    "keys",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A public key that has to have signed the bundle; may be repeated.",
)
@click.option("-v", "--verbose", is_flag=True, help="Say who checked what: the engine, and the independent verifier.")
@json_option
@store_option
@click.pass_obj
def check(place: Place, bundle: Path, keys: tuple[Path, ...], verbose: bool, as_json: bool) -> int:
    """Check a bundle, a session, or a file of a protocol's own kind.

    A file needs no store. In a bundle the hash chain locates a changed byte, and where the protocol is installed
    everything is derived again; an independent verifier counts votes and verdict from the typed replies by the rules
    alone, and checks the signatures in FILE.sig. Of a session every entry and every text beside the journal is looked
    at too, and damage is told to the entry. The session file of a workshop, whoever wrote it, is checked for its
    structure, its strategy and the dumps of its rounds beside it. Exit code 0 if it holds, 1 if not.
    """
    from quorate.api.world import checked_file
    from quorate.core.errors import InputError

    if bundle.suffix not in FILES and bundle.name == str(bundle) and not bundle.exists():
        return _check_session(place, str(bundle), as_json)
    if not os.path.lexists(bundle):  # a link that goes round in circles is there, and cannot be read
        raise InputError("does not exist", file=str(bundle), expected="a bundle, or the id of a session")
    if (checked := checked_file(bundle)) is not None:
        return _tell_file(checked, as_json)
    return _check_bundle(bundle, keys, verbose, as_json)


def _check_bundle(bundle: Path, keys: tuple[Path, ...], verbose: bool, as_json: bool) -> int:
    """Check a bundle by the engine and by the independent verifier."""
    from quorate.api.seals import ENGINE, look

    looked = look(bundle, keys)
    if as_json:
        out_json({"bundle": str(bundle), **looked.as_data()})
        return 0 if looked.holds else 1
    if verbose:
        err(f"engine: {ENGINE}")
        err("\n".join(f"verifier: {each}" for each in looked.verifier.derived))
        err("\n".join(f"verifier, taken as recorded: {each}" for each in looked.verifier.left_out))
    if looked.note:
        err(f"engine, taken as recorded: {looked.note}")
    signed = "".join(f", signed by {each}" for each in looked.verifier.signers)
    alone = " by the engine alone" if looked.verifier.unverified else ""
    for each in looked.verifier.unverified if looked.holds else ():
        err(f"not verified by the independent verifier: {each}")
    out("\n".join(looked.problems) if looked.problems else f"{bundle}: holds{alone}{signed}")
    return 0 if looked.holds else 1


def _check_session(place: Place, name: str, as_json: bool) -> int:
    """Check every entry of a session in the store."""
    from quorate.api.damage import DamagedSession
    from quorate.api.readable import read
    from quorate.api.seals import seal

    with reading_desk(place) as work:
        found = work.find(name)
        try:
            result = work.run(read(work.workspace, work.journal, found))
            told = {**seal(result.entries, result), "damage": result.damage and result.damage.as_data()}
            problems = [f"{each['place']}: {each['what']}" for each in told["problems"]]
            if result.damage is not None:
                problems = [*map(str, result.damage.flaws), result.damage.up_to]
        except DamagedSession as error:
            told = {"ok": False, "entries": 0, "head": "", "damage": error.damage.as_data()}
            problems = [*map(str, error.damage.flaws), error.damage.up_to]
    if as_json:
        out_json({"session": found, "holds": told["ok"], "problems": problems, "damage": told["damage"]})
    else:
        out("\n".join(problems) if problems else f"{found}: holds ({told['entries']} entries, head {told['head']})")
    if told["damage"]:
        err(f"to repair it: {place.command('repair', found)} --from BUNDLE|STORE")
    return 0 if told["ok"] else 1


def _tell_file(checked: CheckedFile, as_json: bool) -> int:
    """Print what a protocol found in its own kind of file."""
    if as_json:
        out_json(checked.as_data())
        return 0 if checked.holds else 1
    for remark in checked.remarks():
        err(remark)
    out("\n".join(checked.lines()))
    return 0 if checked.holds else 1
