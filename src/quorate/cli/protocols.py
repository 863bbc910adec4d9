"""`protocols`, `verify`, `graph` and `schema`: list, prove and draw protocols, and print JSON Schemas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_protocol
from quorate.cli.desk import Place, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, is_terminal, out, out_document, out_json, write_file

if TYPE_CHECKING:
    from quorate.api import Cost
    from quorate.kit.definition import Definition


@click.command(cls=Command, examples=("quorate protocols", "quorate protocols debate", "quorate protocols --json"))
@click.argument("protocol", required=False, shell_complete=complete_protocol)
@json_option
def protocols(protocol: str | None, as_json: bool) -> None:
    """List the protocols, or one with its settings."""
    from quorate import api
    from quorate.cli.table import table

    found = [_named(protocol)] if protocol is not None else api.protocols()
    if as_json:
        described = [_described(each) for each in found]
        out_json(described[0] if protocol is not None else described)
    elif protocol is None:
        out(table(("PROTOCOL", "WHAT HAPPENS"), [(each.name, each.title) for each in found]))
    else:
        _show(found[0])


def _named(name: str) -> Definition:
    from quorate import catalog

    return catalog.definition(name)


def _described(found: Definition) -> dict[str, Any]:
    from quorate import catalog
    from quorate.api.opening import inputs_schema
    from quorate.kit.settings import schema

    built = catalog.build(found.name)
    return {
        "protocol": found.name,
        "title": found.title,
        "version": built.version,
        "exit_codes": {verdict.name: code for verdict, code in built.exit_codes.items()},
        "inputs": inputs_schema(found.name),
        "settings": schema(found.settings),
    }


def _show(found: Definition) -> None:
    from quorate import catalog
    from quorate.cli.table import table
    from quorate.kit.settings import describe, expectation, in_full

    defaults = in_full(found.settings())
    rows = []
    for setting in describe(found.settings):
        value: Any = defaults
        for part in setting.key.split("."):
            value = value[part]
        rows.append((setting.key, _written(value), expectation(setting), setting.says))
    codes = catalog.build(found.name).exit_codes
    brought = [
        (
            each.name,
            each.kind.value,
            "needed" if each.required else "",
            each.says + (f" ({', '.join(each.choices)})" if each.choices else ""),
        )
        for each in found.brings
    ]
    out(f"{found.name}: {found.title}\n")
    out(table(("INPUT", "KIND", "", "WHAT IT IS"), brought))
    out("")
    out(table(("SETTING", "DEFAULT", "TAKES", "WHAT IT DOES"), rows))
    out("\n" + table(("VERDICT", "EXIT CODE"), [(verdict.name, str(code)) for verdict, code in codes.items()]))


def _written(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(value) + "]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


@click.command(
    cls=Command,
    examples=(
        "quorate verify debate",
        "quorate verify",
        "quorate verify debate --json",
        'quorate verify review --profile "two members"',
        "quorate verify debate --model anthropic:claude-sonnet-4-5",
    ),
)
@click.argument("protocol", required=False, shell_complete=complete_protocol)
@click.option("--profile", metavar="NAME", help="Prove one profile of PROTOCOL alone.")
@click.option("--panel", type=click.Path(path_type=Path), metavar="FILE", help="Say what it can cost with this panel.")
@click.option("--model", metavar="M", help="Say what it can cost with this model on all seats.")
@json_option
@click.pass_obj
def verify(
    place: Place, protocol: str | None, profile: str | None, panel: Path | None, model: str | None, as_json: bool
) -> int:
    """Prove a protocol: nine results, with counterexamples.

    Every reachable state is walked. A failure is told as the shortest story that leads to it. Exit code 0 if all
    hold, 1 if not. Without PROTOCOL all are proven. With --panel or --model the worst case is told in tokens and money
    too, every repair included.
    """
    from quorate import api

    if profile is not None and protocol is None:
        raise click.UsageError("--profile needs a PROTOCOL, whose profile it is.")
    names = [protocol] if protocol is not None else [each.name for each in api.protocols()]
    proofs: dict[str, dict[str, Any]] = {}
    for name in names:
        with _working(f"proving {name}"):
            report = api.verify(name, profile)
        costs: Mapping[str, Cost] = {}
        proofs[name] = api.proof_data(report)
        if panel is not None or model is not None:
            asks = {profile: each["asks_by_seat"] for profile, each in proofs[name]["profiles"].items()}
            costs = api.worst_costs(place.workspace(), name, asks, panel=panel, model=model)
            proofs[name] = api.with_costs(proofs[name], costs)
        if not as_json:
            out(report.text())
            for line in _told(costs):
                out(line)
    if as_json:
        out_json(proofs)
    return 0 if all(found["ok"] for found in proofs.values()) else 1


def _told(costs: Mapping[str, Cost]) -> Iterator[str]:
    """Return the maximum cost of a session, by profile."""
    from quorate.worth.totals import dollars

    for profile, worst in costs.items():
        money = "of unknown price" if worst.cost is None else f"for {dollars(worst.cost)}"
        yield f"at most {worst.tokens:,} tokens {money}, with prompts of up to {worst.prompt:,}: {profile}"


@contextmanager
def _working(what: str) -> Iterator[None]:
    """Show that work is in progress: a spinner at a terminal, a line elsewhere."""
    if not is_terminal(sys.stderr):
        err(f"{what} …")
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(f"{what} …")):
        yield


@click.command(
    cls=Command, examples=("quorate graph debate", "quorate graph debate --format svg -o debate.svg", "quorate graph")
)
@click.argument("protocol", required=False, shell_complete=complete_protocol)
@click.option("--format", "format_", type=click.Choice(("mermaid", "md", "svg")), default="mermaid", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file.")
def graph(protocol: str | None, format_: str, output: Path | None) -> None:
    """Draw a protocol from its table."""
    from quorate import api, catalog

    text = api.graph(protocol or catalog.usual().name, format_)
    if output is None:
        out_document(text)
    else:
        write_file(output, text if text.endswith("\n") else text + "\n")
        err(f"wrote {output}")


@click.command(cls=Command, examples=("quorate schema", "quorate schema settings > quorate.schema.json"))
@click.argument("what", required=False)
@json_option
def schema(what: str | None, as_json: bool) -> None:
    """Print a JSON Schema for editors.

    WHAT is `settings` (quorate.yaml), `panel`, `script`, `rules` or `bundle`; without it the names are listed.
    """
    from quorate import api

    if what is not None:
        out_json(api.schema(what))
    elif as_json:
        out_json(list(api.schemas()))
    else:
        out("\n".join(api.schemas()))
