"""Entry point of the command line: the commands by group, and the global options."""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from quorate.cli.desk import Place
from quorate.cli.group import HELP_NAMES, Root

SECTIONS = {
    "Deliberate": {
        "run": ("run:run", "Open a session of any installed protocol."),
        "resume": ("deliberate:resume", "Go on with a session where it stands."),
        "answer": ("answer:answer", "Answer what a session asks a person."),
    },
    "Sessions": {
        "list": ("sessions:list_", "List the sessions of this store."),
        "show": ("sessions:show", "Show where a session stands and what was said."),
        "fork": ("fork:fork", "Begin anew from any event, with other settings or participants."),
        "redecide": ("redecide:redecide", "Decide a session anew under other settings, without a call."),
        "compare": ("compare:compare", "Compare sessions: where they part, what they found and cost."),
        "copy": ("copy:copy", "Copy sessions into another store, with the seal intact."),
        "watch": ("sessions:watch", "Follow a session that another process runs."),
        "conclude": ("end:conclude", "Ask a session to wrap up after its current phase."),
        "escalate": ("escalate:escalate", "Have a session put its open conflicts to you."),
        "cancel": ("end:cancel", "End a session now; what was said is kept."),
        "adjudicate": ("adjudicate:adjudicate", "Rule where a session could not decide."),
        "report": ("evidence:report", "Write a session's report, its evidence bundle or its findings."),
        "explain": ("evidence:explain", "Say how the verdict follows, step by step."),
        "worth": ("worth:worth", "Say what a session bought and what it cost."),
        "replay": ("evidence:replay", "Derive a session again from its journal."),
        "check": ("evidence:check", "Check a bundle, a session, or a file of a protocol's own kind."),
        "sign": ("sign:sign", "Sign an evidence bundle with an Ed25519 key."),
        "keygen": ("sign:keygen", "Make a pair of Ed25519 keys to sign bundles with."),
        "repair": ("repair:repair", "Mend a damaged session from a bundle or another store."),
    },
    "Findings": {
        "findings": ("ledger:findings", "List what reviews have found in this project."),
        "dismiss": ("ledger:dismiss", "Dismiss a finding with a reason."),
    },
    "Truth": {
        "label": ("label:label", "Record what turned out to be right about a session or a finding."),
        "calibration": ("calibration:calibration", "Say how right verdicts, seats and confidences were."),
    },
    "Protocols": {
        "protocols": ("protocols:protocols", "List the protocols, or one with its settings."),
        "verify": ("protocols:verify", "Prove a protocol: nine results, with counterexamples."),
        "simulate": ("simulate:simulate", "Say how likely a protocol is to decide right, before it runs."),
        "estimate": ("estimate:estimate", "Say what a session would cost, before it runs."),
        "bench": ("bench:bench", "Measure what deliberation buys and what it costs."),
        "redteam": ("redteam:redteam", "Attack a protocol, or all, with a fixed suite of injected material."),
        "graph": ("protocols:graph", "Draw a protocol from its table."),
        "schema": ("protocols:schema", "Print a JSON Schema for editors."),
    },
    "Services": {
        "serve": ("serve:serve", "Serve the page and the HTTP interface."),
        "mcp": ("mcp:mcp", "Serve coding assistants by the Model Context Protocol."),
        "work": ("work:work", "Drive the sessions that services have opened."),
        "worker": ("worker:worker", "Drive sessions for a Temporal server, on as many machines as you like."),
        "workers": ("workers:workers", "Show who works for a Temporal server, and what waits."),
        "models": ("models:models", "List what can sit on a seat, or pull or remove an embedded model."),
    },
    "Set-up": {
        "init": ("setup:init", "Write a commented quorate.yaml and a panel."),
        "doctor": ("setup:doctor", "Check settings, store and panel with real calls."),
        "exam": ("exam:exam", "Examine whether a model can judge, before it votes on anything."),
        "completion": ("setup:completion", "Print the completion script of your shell."),
    },
}

EXAMPLES = (
    "quorate answer latest --resume",
    "quorate report latest --format html -o report.html",
    "quorate verify debate",
    "quorate serve --open",
)


class _Folder(click.Path):
    """A path that must not be empty: that is usually an unset variable, and would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value).strip():
            self.fail("it is empty; expected a folder.", param, ctx)
        return super().convert(value, param, ctx)


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"quorate {version('quorate')}")
        ctx.exit()


@click.command(
    "quorate",
    cls=Root,
    sections=SECTIONS,
    examples=EXAMPLES,
    no_args_is_help=True,
    context_settings={"help_option_names": list(HELP_NAMES)},  # for plain commands of others
)
@click.option(
    "-C",
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Work as if started in DIR.",
)
@click.option("--store", metavar="URL", help="The store, such as sqlite:work.db.")
@click.option("--temporal", metavar="HOST:PORT", help="Have the workers of this Temporal server drive sessions.")
@click.option("--cache", type=_Folder(path_type=Path), metavar="DIR", help="Take what models said before from there.")
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
@click.pass_context
def cli(
    ctx: click.Context, directory: Path | None, store: str | None, temporal: str | None, cache: Path | None
) -> None:
    """Deliberations that are executed, proven and recorded by code.

    Agents, people and checks reach a decision under a protocol. Results go to stdout, progress to stderr.
    `quorate COMMAND --help` shows options and examples.
    """
    if directory is not None:
        os.chdir(directory)
    ctx.obj = Place(directory=directory, store=store, temporal=temporal, cache=cache)


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character shows a sign in its place
            stream.reconfigure(errors="replace")
    try:
        cli(prog_name="quorate")
    except SystemExit as left:
        if "temporalio" in sys.modules and isinstance(left.code, int):
            _leave(left.code)
        raise


def _leave(code: int) -> None:
    """Exit without finalising the interpreter, because Temporal's threads may crash it during shutdown."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
