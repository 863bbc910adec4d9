"""The entry point: the commands by group, and the options that stand before all of them."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path

import click

from quorate.cli.desk import Place
from quorate.cli.group import Root

SECTIONS = {
    "Deliberate": {
        "debate": ("deliberate:debate", "Let agents debate a problem and a judge synthesise."),
        "review": ("review:review", "Let a committee with vetoes review a code change."),
        "council": ("council:council", "Let three reviewers with drawn lenses decide on an RFC."),
        "workshop": ("workshop:workshop", "Work out a specification, a design or ideas with a facilitator."),
        "roundtable": ("roundtable:roundtable", "Elaborate on a topic with personas, and keep what came of it."),
        "run": ("run:run", "Open a session of any installed protocol."),
        "resume": ("deliberate:resume", "Go on with a session where it stands."),
        "answer": ("answering:answer", "Answer what a session asks a person."),
    },
    "Sessions": {
        "list": ("sessions:list_", "List the sessions of this store."),
        "show": ("sessions:show", "Show where a session stands and what was said."),
        "fork": ("fork:fork", "Begin anew from any event, with other settings or participants."),
        "copy": ("copy:copy", "Copy sessions into another store, with the seal intact."),
        "watch": ("sessions:watch", "Follow a session that another process runs."),
        "conclude": ("ending:conclude", "Wish a session to wrap up after its current phase."),
        "escalate": ("escalating:escalate", "Have what is in dispute put to you."),
        "cancel": ("ending:cancel", "End a session now; what was said is kept."),
        "adjudicate": ("ruling:adjudicate", "Rule where a session could not decide."),
        "report": ("evidence:report", "Write a session's report, its evidence bundle or its findings."),
        "explain": ("evidence:explain", "Say how the verdict follows, step by step."),
        "replay": ("evidence:replay", "Derive a session again from its journal."),
        "check": ("evidence:check", "Check a bundle, a session, or the session file of a workshop."),
        "audit": ("audit:audit", "Check any council bundle against the rules of the council."),
        "sign": ("sign:sign", "Sign an evidence bundle with an Ed25519 key."),
        "keygen": ("sign:keygen", "Make a pair of Ed25519 keys to sign bundles with."),
        "repair": ("repair:repair", "Mend a damaged session from a bundle or another store."),
    },
    "Findings": {
        "findings": ("ledger:findings", "List what reviews have found in this project."),
        "dismiss": ("ledger:dismiss", "Dismiss a finding with a reason."),
    },
    "Protocols": {
        "protocols": ("protocols:protocols", "List the protocols, or one with its settings."),
        "verify": ("protocols:verify", "Prove a protocol: nine results, with counterexamples."),
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
        "models": ("setup:models", "List what can sit on a seat, or pull the embedded model."),
    },
    "Set-up": {
        "init": ("setup:init", "Write a commented quorate.yaml and a panel."),
        "doctor": ("setup:doctor", "Check settings, store and panel with real calls."),
        "completion": ("setup:completion", "Print the completion script of your shell."),
    },
}

EXAMPLES = (
    'quorate debate "How should we store audit logs?"',
    "quorate debate -f problem.md --context . --clarify --out result",
    "quorate review --base main --out result",
    "quorate council documents/rfcs/RFC-0042 --out result",
    'quorate workshop specs "An audit log for a small shop" --out result',
    'quorate roundtable "Which errors may a client see?" --docs docs/search',
    "quorate answer latest --resume",
    "quorate report latest --format html -o report.html",
    "quorate verify debate",
    "quorate serve --open",
)


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
    context_settings={"help_option_names": ["-h", "--help"]},
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
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Print the version."
)
@click.pass_context
def cli(ctx: click.Context, directory: Path | None, store: str | None, temporal: str | None) -> None:
    """Deliberations that are executed, proven and recorded by code.

    Agents, people and checks reach a decision under a protocol. Results go to stdout, progress to stderr.
    `quorate COMMAND --help` shows options and examples.
    """
    if directory is not None:
        os.chdir(directory)
    ctx.obj = Place(directory=directory, store=store, temporal=temporal)


def main() -> None:
    """Run the command line and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that lacks a character shows a sign in its place
            stream.reconfigure(errors="replace")
    cli(prog_name="quorate")
