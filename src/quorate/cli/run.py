"""`run`: open a session of any installed protocol with its inputs, and run it to its verdict."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import Place, desk, exam_option, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from quorate.kit.inputs import Input

FROM_FILE = "@"
FLAGS = {"true": True, "yes": True, "false": False, "no": False}


def brought(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the arguments and options for a protocol and its inputs; `inputs_of` parses them."""
    named = click.option(
        "--input",
        "inputs",
        multiple=True,
        metavar="NAME=VALUE",
        help="What the protocol asks for; of a text, @FILE reads it. May be repeated.",
    )
    file = click.option("-f", "--file", type=click.Path(path_type=Path), help="Read the text from a file; - is stdin.")
    text = click.argument("text", required=False)
    return click.argument("protocol", shell_complete=complete_protocol)(text(file(named(command))))


def session_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that every command that runs a session has; `run_session` takes them."""
    path = click.Path(path_type=Path)
    for option in (
        store_option,
        json_option,
        exam_option,
        click.option("--no-input", is_flag=True, help="Never ask at the terminal; suspend instead."),
        click.option("--out", type=path, metavar="DIR", help="Leave reports and bundle there."),
        click.option(
            "--seed", type=click.IntRange(0, 2**31 - 1), metavar="N", help="Draw everything from this number."
        ),
        click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated."),
        click.option("--model", metavar="M", help="The model of all seats, such as anthropic:claude-sonnet-4-5."),
        click.option("--panel", type=path, metavar="FILE", help="Who sits on the seats."),
    ):
        command = option(command)
    return command


@click.command(
    cls=Command,
    examples=(
        'quorate run debate "How should we store audit logs?"',
        "quorate run hiring -f notes.md --panel panel.yaml --out result",
        "quorate run review --input base=main --input paths=src,tests --model anthropic:claude-sonnet-4-5",
        "quorate run council --input rfc=documents/rfcs/RFC-0042 --json --no-input",
    ),
)
@brought
@session_options
@click.pass_context
def run(ctx: click.Context, /, **given: Any) -> int:
    """Open a session of any installed protocol.

    It is run to its verdict, as those of the other commands. TEXT is what it is about; whatever else the protocol asks
    for is given with --input, and a name that it does not know is answered with those it does. Protocols of your own
    and of others run like those that come along.
    """
    name: str = given["protocol"]
    inputs = inputs_of(name, given["text"], given["file"], given["inputs"])
    return run_session(ctx, name, inputs, given, option="--input {}".format)


def run_session(
    ctx: click.Context,
    protocol: str,
    inputs: Mapping[str, Any],
    given: Mapping[str, Any],
    option: Callable[[str], str] = lambda name: f"--{name.replace('_', '-')}",
) -> int:
    """Open a session with the given inputs and run it to its verdict. Return the exit code.

    `given` are the values of `session_options`. Errors name the option of an input, as given by `option`; an input
    that is None counts as not given.
    """
    place: Place = ctx.obj
    from quorate.api.opening import open_named
    from quorate.cli.deliberate import How, deliberate
    from quorate.cli.session_result import prepare_folder
    from quorate.cli.style import working

    named = {name: str(each) if isinstance(each, Path) else each for name, each in inputs.items() if each is not None}
    with desk(place, given["sets"], protocol) as work:
        if given["out"] is not None:
            prepare_folder(given["out"])
        with working("opening"), as_options(option):
            opening = open_named(
                work.workspace,
                work.journal,
                protocol,
                named,
                panel=given["panel"],
                model=given["model"],
                seed=given["seed"],
            )
            opened = work.run(opening)
        for line in opened.says:
            err(line)
        err(f"session {opened.session}")
        how = How(out=given["out"], as_json=given["as_json"], no_input=given["no_input"])
        return deliberate(work, opened.session, how)


@contextmanager
def as_options(option: Callable[[str], str] = "--input {}".format) -> Iterator[None]:
    """Make errors name the option on the command line."""
    from quorate.core.errors import InputError, SettingError

    try:
        yield
    except InputError as error:
        section, _, name = (error.key or "").partition(".")
        if section != "inputs" or not name:
            raise
        raise SettingError(error.what, key=option(name), expected=error.expected, nearest=error.nearest) from error


def inputs_of(protocol: str, text: str | None, file: Path | None, named: tuple[str, ...]) -> dict[str, Any]:
    """Return the inputs by name: the main text, and all others converted to their kinds."""
    from quorate.api.opening import main_input
    from quorate.catalog import definitions

    main = main_input(protocol)
    brings = {each.name: each for each in definitions()[protocol].brings}
    found: dict[str, Any] = {}
    if text is not None or file is not None:
        from quorate.cli.deliberate import given_text

        if main is None:
            raise click.UsageError(f"A {protocol} takes no text; give --input {next(iter(brings), 'NAME')}=…")
        found[main] = given_text(main, text, file, f"quorate run {protocol}")
    for each in named:
        name, equals, value = each.partition("=")
        name = name.strip()
        if not equals or not name:
            raise click.UsageError(f"--input {each!r} has no value; write NAME=VALUE.")
        if name in found:
            raise click.UsageError(f"{name} is given twice; give it once.")
        found[name] = _value(brings[name], value) if name in brings else value
    return found


def _value(each: Input, value: str) -> Any:
    """Convert a value to its kind; invalid values are refused when the session is opened."""
    from quorate.cli.deliberate import read_problem
    from quorate.kit.inputs import Kind

    match each.kind:
        case Kind.TEXT if value.startswith(FROM_FILE):
            return read_problem(Path(value.removeprefix(FROM_FILE)))
        case Kind.FLAG:
            return FLAGS.get(value.strip().lower(), value)
        case Kind.NUMBER:
            digits = value.strip().removeprefix("-")
            return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 20 else value
        case Kind.NAMES:
            return [name.strip() for name in value.split(",")]
        case _:
            return value
