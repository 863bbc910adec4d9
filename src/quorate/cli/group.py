"""Structure of all commands: listed in groups, loaded when they are used, with examples in every help."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, NoReturn

import click

from quorate.cli.commands import click_command, command_entry, commands
from quorate.cli.exits import code_of, tell
from quorate.cli.output import err, hush

HELP_NAMES = ("-h", "--help")
"""The options for help of every command, at every depth."""


class _Helped(click.Command):
    """A command that has both options for help, whoever asks for it first.

    Click keeps the option as the first context knew it, be that one of the command alone, without the program above it.
    """

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        taken = {name for param in self.params for name in (*param.opts, *param.secondary_opts)}
        return [name for name in HELP_NAMES if name not in taken]


class Command(_Helped):
    """A command whose help ends with examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.examples = tuple(examples)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(formatter, self.examples)


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """Write examples as they are, one to a line; long ones are not wrapped, so that they can be copied."""
    if examples:
        with formatter.section("Examples"):
            for example in examples:
                formatter.write(f"  {example}\n")


FIRST = "Deliberate"
"""The section that begins with what protocols bring; in the others that comes last."""


class Root(_Helped, click.Group):
    """All commands: our own, and those that protocols bring.

    `sections` maps a heading to our own commands: name -> (module:function, one line of help).
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, Mapping[str, tuple[str, str]]],
        examples: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.own = sections
        self.own_examples = tuple(examples)

    @cached_property
    def sections(self) -> dict[str, dict[str, str]]:
        """The commands by heading, each with its line of help."""
        found: dict[str, dict[str, str]] = {heading: {} for heading in self.own}
        for name, entry in commands().items():
            found.setdefault(entry.section, {})[name] = entry.summary
        for heading, section in self.own.items():
            own = {name: says for name, (_, says) in section.items()}
            found[heading] = {**found[heading], **own} if heading == FIRST else {**own, **found[heading]}
        return found

    @cached_property
    def places(self) -> dict[str, str]:
        """Where our own commands stand, by name."""
        return {name: place for section in self.own.values() for name, (place, _) in section.items()}

    @property
    def names(self) -> list[str]:
        """The names of all commands, as they are listed."""
        return [name for section in self.sections.values() for name in section]

    def list_commands(self, ctx: click.Context) -> list[str]:
        return self.names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return click_command(cmd_name) if command_entry(cmd_name) is not None else None
        module, _, function = self.places[cmd_name].partition(":")
        command = getattr(import_module(f"quorate.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if (
            name not in self.places
            and command_entry(name) is None
            and not name.startswith("-")
            and not ctx.resilient_parsing
        ):
            from quorate.core.errors import nearest

            near = nearest(name, self.names)
            hint = f" Did you mean '{near}'?" if near else ""
            raise click.UsageError(f"There is no command '{name}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, self.names))
        for heading, section in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), says) for name, says in section.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        brought = (example for entry in commands().values() for example in entry.examples)
        write_examples(formatter, (*brought, *self.own_examples))

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> NoReturn:
        """Run, and exit with the code that the result or the error has."""
        sys.exit(self._run(args, prog_name or "quorate", extra))

    def _run(self, args: Sequence[str] | None, prog_name: str, extra: Mapping[str, Any]) -> int:
        try:
            found = super().main(args, prog_name, **{**extra, "standalone_mode": False})
            return found if isinstance(found, int) else 0
        except click.exceptions.NoArgsIsHelpError as error:
            err(error.format_message())
            return code_of(error)
        except click.ClickException as error:
            error.show()
            return code_of(error)
        except (click.Abort, KeyboardInterrupt) as error:
            err("quorate: interrupted")
            return code_of(error)
        except BrokenPipeError:
            hush(sys.stdout)
            return 0
        except Exception as error:
            err(tell(error))
            return code_of(error)
