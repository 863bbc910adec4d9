"""Help: grouped, with examples, true to the commands, and quick because almost nothing is imported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from copy import copy

import click
import pytest

from quorate.cli.group import Command, Root
from quorate.cli.main import cli
from tests.cli.shell import Shell

assert isinstance(cli, Root)
COMMANDS = {name: says for section in cli.sections.values() for name, says in section.items()}
PROMISED = [
    *("debate", "list", "show", "watch", "answer", "resume", "cancel", "conclude", "report", "explain", "replay"),
    *("check", "verify", "graph", "protocols", "models", "schema", "init", "doctor"),
]


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    return found


def test_every_promised_command_is_there() -> None:
    assert set(PROMISED) <= set(COMMANDS)


def test_the_help_groups_the_commands(shell: Shell) -> None:
    help_ = shell.call("--help")
    assert help_.code == 0
    headings = ["Deliberate:", "Sessions:", "Protocols:", "Services:", "Set-up:", "Examples:"]
    assert [line for line in help_.out.splitlines() if line in headings] == headings


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_with_examples_that_match(name: str, shell: Shell) -> None:
    found = command(name)
    assert isinstance(found, Command)
    assert found.help is not None
    assert found.help.splitlines()[0] == COMMANDS[name], "the list says what the command itself says"
    assert found.examples
    assert all("quorate" in example for example in found.examples)
    help_ = shell.call(name, "--help")
    assert help_.code == 0
    assert f"  {found.examples[0]}" in help_.out


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"completion", "graph", "serve", "mcp", "worker"}))
def test_every_command_that_prints_data_has_json(name: str) -> None:
    assert "--json" in [option for each in command(name).params for option in each.opts]


def at_every_depth(found: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and those that stand under it, each with the words that call it."""
    yield name, found
    for under, inner in found.commands.items() if isinstance(found, click.Group) and found is not cli else ():
        yield from at_every_depth(inner, f"{name} {under}")


EVERY = dict(pair for name in ("", *COMMANDS) for pair in at_every_depth(command(name) if name else cli, name))


def test_commands_under_commands_are_among_them() -> None:
    assert {"", "bench", "bench decisions", "debate"} <= set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_every_command_knows_both_options_for_help_whoever_asks_first(name: str) -> None:
    """Click keeps a command's help option as it was when somebody first asked for it, be it without the program."""
    found = copy(EVERY[name])
    found._help_option = None  # nobody has asked so far
    alone = click.Context(found, info_name=name)
    option = found.get_help_option(alone)
    assert option is not None
    assert option.opts == ["-h", "--help"]
    assert "-h, --help" in found.get_help(alone)


def test_the_examples_are_accepted_by_the_parser() -> None:
    import shlex

    for name in set(COMMANDS) - {"completion"}:
        found = command(name)
        assert isinstance(found, Command)
        for example in found.examples:
            words = shlex.split(example.partition("quorate ")[2].partition(" >")[0])
            assert words[0] == name
            rest = [word for word in words[1:] if word not in ("src", ".")]  # folders that need not exist here
            if not {"--context", "--root"} & set(rest):
                found.make_context(name, rest)


def test_the_command_line_imports_only_what_help_needs() -> None:
    heavy = [
        "pydantic",
        "rich",
        "sqlite3",
        "jinja2",
        "asyncio",
        "yaml",
        "ruamel",
        "json",
        "quorate.api",
        "quorate.core",
    ]
    code = (
        "import sys\nfrom quorate.cli.main import cli\n"
        "try:\n    cli(['--help'])\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"


def test_the_version_is_that_of_the_package(shell: Shell) -> None:
    from importlib.metadata import version

    assert shell.call("--version").out == f"quorate {version('quorate')}\n"
