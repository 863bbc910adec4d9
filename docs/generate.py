"""Writes the parts of the documentation that the code knows better: run `python docs/generate.py` after a change.

Such a part stands between `<!-- generated: NAME -->` and `<!-- end -->`. The tests compare every part with what this
script would write, so none can grow old.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from quorate import api, catalog
from quorate import exit_codes as exits
from quorate.cli.main import SECTIONS, cli
from quorate.core.engine import begin, step
from quorate.core.shapes import Choice, Flag, Group, Many, Number, OneKey, PerKey, Shape, Text, shape_of
from quorate.core.types import Ask, Replied
from quorate.evidence.bundle import schema as bundle_schema
from quorate.files.yaml import load
from quorate.kit.settings import Setting, describe, expectation
from quorate.participants.panel import LOCAL_OPTIONS, OPTIONS
from quorate.participants.prompt import gist
from quorate.participants.providers import PROVIDERS
from quorate.protocols.council.rules.lenses import ANCHORS
from quorate.protocols.council.rules.model import ROLES
from quorate.protocols.council.rules.modes import MODES
from quorate.protocols.council.rules.taxonomy import SEVEN, Category, Gate, Subcategory, gate_type
from quorate.protocols.review.rules.election import COMMITTEES, Complexity
from quorate.protocols.review.world.checks.run import CHECKS, HOUSE, SECRETS
from quorate.protocols.roundtable.rules import turn_reader
from quorate.protocols.roundtable.rules.model import RoundtableSettings
from quorate.protocols.roundtable.rules.personas import cast
from quorate.protocols.workshop.audit import CHECKS as SESSION_CHECKS
from quorate.protocols.workshop.rules.items import KINDS, Made
from quorate.protocols.workshop.rules.model import FACILITATOR
from quorate.protocols.workshop.rules.strategies import BY_NAME
from quorate.protocols.workshop.rules.workflows import ROSTERS, STRATEGIES, WORKFLOWS, agenda
from quorate.runtime.budget import Budget
from quorate.verify.checks import TITLES
from quorate.watching.settings import Watch

sys.path.insert(0, str(Path(__file__).parent))  # for what stands beside this script, however it is run
from http_reference import http_models, http_operations

ROOT = Path(__file__).parent.parent
PART = re.compile(r"(<!-- generated: (?P<name>[\w -]+) -->\n)(?P<text>.*?)(<!-- end -->)", re.DOTALL)


def table(headings: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [headings, tuple("---" for _ in headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


# Settings


def settings_table(section: str, settings: type[Any]) -> str:
    rows = ((f"`{s.key}`", f"`{_written(s)}`", expectation(s), s.says) for s in describe(settings))
    return table((f"setting of `{section}`", "default", "takes", "what it does"), rows)


def _written(setting: Setting) -> str:
    value = getattr(setting.default, "value", setting.default)
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


# Commands


def commands() -> str:
    """Return the help of the program and of every command, as a terminal of 80 columns shows it."""
    parts = [f"## quorate\n\n```text\n{_help(cli, 'quorate')}\n```"]
    for heading, names in SECTIONS.items():
        parts.append(f"## {heading}")
        for name in names:
            command = cli.get_command(click.Context(cli), name)
            assert command is not None
            parts += _helps(command, f"quorate {name}")
    return "\n\n".join(parts)


def _helps(command: click.Command, name: str) -> Iterator[str]:
    """Return the help of a command, and of those that stand under it."""
    yield f"### {name}\n\n```text\n{_help(command, name)}\n```"
    for under, inner in sorted(command.commands.items()) if isinstance(command, click.Group) else ():
        yield from _helps(inner, f"{name} {under}")


def _help(command: click.Command, name: str) -> str:
    context = click.Context(command, info_name=name, terminal_width=78)  # click leaves two columns free
    return command.get_help(context).rstrip()


# Verdicts and exit codes


def verdicts() -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for found in api.protocols():
            for verdict, code in catalog.build(found.name).exit_codes.items():
                yield found.name, verdict.name, str(code)

    return table(("protocol", "verdict", "exit code"), rows())


def exit_codes() -> dict[int, str]:
    """Return what each generic exit code means: the docstring that follows it."""
    body = ast.parse(Path(exits.__file__).read_text(encoding="utf-8")).body
    found = {}
    for each, after in pairwise(body):
        match each, after:
            case ast.Assign([ast.Name()], ast.Constant(int(code))), ast.Expr(ast.Constant(str(says))):
                found[code] = says
    return found


def session_codes() -> str:
    verdicts_end_with = {
        0: "concluded favourably",
        1: "concluded with changes requested, or rejected",
        2: "inconclusive, or a person has to decide",
        3: "aborted (budget, episodes, stall, cancelled) or failed, with partial results",
    }
    return _codes(lambda code: code < exits.USAGE, verdicts_end_with)


def program_codes() -> str:
    return _codes(lambda code: code >= exits.USAGE, {})


def _codes(wanted: Callable[[int], bool], before: Mapping[int, str]) -> str:
    told = {code: [says] for code, says in before.items()}
    for code, says in exit_codes().items():
        if wanted(code):
            told.setdefault(code, []).append(says[0].lower() + says[1:].rstrip("."))
    return table(("exit code", "means"), ((str(code), "; ".join(says)) for code, says in sorted(told.items())))


# Forms


def asks_of_debate() -> dict[str, Ask]:
    """Return one ask for every brief that a debate uses, found by walking it: first replies, then last ones."""
    found: dict[str, Ask] = {}
    for kind in ("convergence", "quality"):
        values = {"termination_condition": {"type": kind}, "interactive_clarifications": True}
        protocol = catalog.build("debate", values)
        for pick in (0, -1, 1, 2):
            now = begin(protocol)
            while now.session.conclusion is None:
                ask = now.session.open[0]
                found.setdefault(ask.brief, ask)
                replies = protocol.domains[ask.form].values(ask)  # type: ignore[arg-type]
                now = step(protocol, now.session, Replied(ask.id, replies[min(pick, len(replies) - 1)]))
    return found


def forms() -> str:
    parts = []
    for brief, ask in sorted(asks_of_debate().items()):
        seat = ask.seat if ask.seat in ("judge", "person") else "every agent"
        parts.append(f"### {brief}\n\nThe form `{ask.form.__name__}`, filled in by {seat}.")
        parts.append(table(("field", "takes", "what to write"), _fields(shape_of(ask.form), "")))
    return "\n\n".join(parts)


def _fields(group: Group, prefix: str) -> Iterator[tuple[str, ...]]:
    for field in group.fields:
        if field.mark is None:
            yield f"`{prefix}{field.name}`", _takes(field.shape), field.says
            yield from _inner(field.shape, f"{prefix}{field.name}")


def _inner(shape: Shape, name: str) -> Iterator[tuple[str, ...]]:
    match shape:
        case Group():
            yield from _fields(shape, f"{name}.")
        case Many(item=item):
            yield from _inner(item, f"{name}[]")
        case PerKey(item=item):
            yield from _inner(item, f"{name}.KEY")


def _takes(shape: Shape) -> str:
    match shape:
        case Text(most=most):
            return f"text, at most {most} characters"
        case Flag():
            return "true or false"
        case Choice(enum=enum):
            return "one of " + ", ".join(f"`{member.value}`" for member in enum)
        case Number(low=low, high=high):
            return f"a whole number from {low} to {high}"
        case OneKey():
            return "a key of the ask"
        case Many(item=item, most=most):
            return f"a list of at most {most}: {_takes(item)}"
        case PerKey(item=item):
            return f"for each key of the ask: {_takes(item)}"
        case Group():
            return "the fields below"


# Panels and bundles


def providers() -> str:
    rows = (
        (f"`{name}:MODEL`", " or ".join(f"`{key}`" for key in provider.keys) or "none", str(provider.concurrency))
        for name, provider in PROVIDERS.items()
    )
    return table(("entry", "key in the environment", "calls at once"), rows)


def panel_options() -> str:
    def rows() -> Iterator[tuple[str, ...]]:
        for name, kind in OPTIONS.items():
            takes = kind.get("type", "")
            if "enum" in kind:
                takes = "one of " + ", ".join(f"`{each}`" for each in kind["enum"])
            elif "minimum" in kind:
                takes = f"a number from {kind['minimum']} to {kind['maximum']}"
            elif takes == "boolean":
                takes = "true or false"
            elif takes == "object":
                takes = "`{in: …, out: …}`"
            elif takes == "string":
                takes = "a text"
            yield f"`{name}`", takes, kind.get("description", ""), "yes" if name in LOCAL_OPTIONS else "no"

    return table(("option", "takes", "what it is", "also for `local:`"), rows())


def bundle_fields() -> str:
    properties = bundle_schema()["properties"].items()
    return table(("field", "what it holds"), ((f"`{name}`", each.get("description", "")) for name, each in properties))


def results() -> str:
    return table(("result", "says"), ((str(number), title) for number, title in TITLES.items()))


def mermaid() -> str:
    return f"```mermaid\n{api.graph('debate', 'mermaid').strip()}\n```"


# The review


def election() -> str:
    order = {
        Complexity.TRIVIAL: "at most 1 file in 1 module, no interface changed",
        Complexity.LOW: "at most 3 files in 1 module, no interface changed",
        Complexity.HIGH: "more than 10 files, or at least 4 modules",
        Complexity.MEDIUM: "otherwise",
    }
    rows = ((each.name, when, ", ".join(COMMITTEES[each])) for each, when in order.items())
    return table(("complexity", "when, first match", "committee"), rows)


def checks() -> str:
    """Return every check with what its own module says that it does."""

    def rows() -> Iterator[tuple[str, ...]]:
        first, last = (SECRETS, "quorate.safety.secrets:"), (HOUSE, "quorate.protocols.review.world.checks.house:")
        for name, place in (first, *CHECKS, last):
            module, _, function = place.partition(":")
            found = import_module(module)
            told = (getattr(found, function) if function else found).__doc__ or ""
            yield name, told.strip().splitlines()[0]

    return table(("check", "what it does"), rows())


def action() -> str:
    described = load(ROOT / "action.yml").plain()
    parts = []
    for kind in ("inputs", "outputs"):
        rows = ((f"`{name}`", " ".join(each["description"].split())) for name, each in described[kind].items())
        parts.append(table((kind.removesuffix("s"), "what it is"), rows))
    return "\n\n".join(parts)


# The council


def council_seats() -> str:
    rows = (
        (seat, ROLES[seat], ", ".join(f"{mode} {MODES[mode].name}" for mode in anchors))
        for seat, anchors in ANCHORS.items()
    )
    return table(("seat", "role", "anchors"), rows)


def council_gates() -> str:
    rows = ((f"`{gate.value}`", gate_type(gate).value, "seven, nine" if gate in SEVEN else "nine") for gate in Gate)
    return table(("gate", "type", "profile"), rows)


def taxonomy() -> str:
    rows = (
        (f"`{each.value}`", each.default.value, f"`{each.gate.value}`", each.means)
        for category in Category
        for each in Subcategory
        if each.category is category
    )
    return table(("subcategory", "severity unless a reason is given", "gate", "means"), rows)


# The workshop and the roundtable


def diagram_of(protocol: str) -> str:
    drawn = api.graph(protocol, "mermaid").splitlines()
    return "\n".join(["```mermaid", *(line for line in drawn if not line.startswith("%%")), "```"])


def workshop_roles() -> str:
    return table(("role", "looks at"), _roles("workshop", lambda name: name != FACILITATOR))


def _roles(protocol: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, ...]]:
    for name, text in sorted(catalog.briefs(catalog.definition(protocol)).items()):
        role = name.removeprefix("roles/")
        if name.startswith("roles/") and wanted(role):
            yield f"`{role}`", gist(text).partition(". ")[2]


def workflows() -> str:
    rows = (
        (
            f"`{name}`",
            ", ".join(topic["name"] for topic in agenda(name)["topics"]),
            ", ".join(ROSTERS[name]),
            STRATEGIES[name],
        )
        for name in WORKFLOWS
    )
    return table(("workflow", "topics", "roster", "strategy"), rows)


def other_tables(protocol: str) -> str:
    tables = catalog.definition(protocol).tables
    return "\n\n".join(f"**{title}**\n\n{text}" for title, text in tables.items())


def strategies() -> str:
    rows = (
        (f"`{each.name}`", scene.stage.value, scene.sees.value, each.rule.value, scene.asks)
        for each in BY_NAME.values()
        for scene in each.scenes
    )
    return table(("strategy", "stage", "sees of earlier rounds", "agreement", "what is asked for"), rows)


def artifact_fields() -> str:
    common = {field.name for field in fields(Made)}
    rows = (
        (kind.name, kind.means, ", ".join(f"`{each.name}`" for each in fields(KINDS[kind]) if each.name not in common))
        for kind in KINDS
    )
    return table(("type", "means", "fields"), rows)


def session_checks() -> str:
    return table(("check", "what holds"), ((f"`{check.name}`", check.says) for check in SESSION_CHECKS))


def personas() -> str:
    rows = (
        (f"`{each.seat}`", each.name, each.role, ", ".join(each.leads) or "-")
        for each in cast(RoundtableSettings(), catalog.briefs(catalog.definition("roundtable"))).personas
    )
    return table(("seat", "name", "role", "leads"), rows)


def reading_of_turns() -> str:
    lines = (turn_reader.__doc__ or "").splitlines()
    rows: list[list[str]] = []
    for line in lines:
        if line.startswith("| ") and not line.startswith(("| rule ", "| ---")):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0]:
                rows.append(cells)
            else:
                rows[-1] = [f"{before} {more}".strip() for before, more in zip(rows[-1], cells, strict=True)]
    return table(("rule", "holds where", "reads as"), ((name, text, f"`{intent}`") for name, text, intent in rows))


PARTS: dict[str, Callable[[], str]] = {
    "settings of budget": lambda: settings_table("budget", Budget),
    "settings of watch": lambda: settings_table("watch", Watch),
    "settings of debate": lambda: settings_table("debate", catalog.definition("debate").settings),
    "settings of review": lambda: settings_table("review", catalog.definition("review").settings),
    "settings of council": lambda: settings_table("council", catalog.definition("council").settings),
    "settings of workshop": lambda: settings_table("workshop", catalog.definition("workshop").settings),
    "settings of roundtable": lambda: settings_table("roundtable", catalog.definition("roundtable").settings),
    "commands": commands,
    "verdicts": verdicts,
    "program codes": program_codes,
    "session codes": session_codes,
    "forms": forms,
    "providers": providers,
    "panel options": panel_options,
    "bundle": bundle_fields,
    "results": results,
    "http operations": http_operations,
    "http models": http_models,
    "diagram": mermaid,
    "diagram of review": lambda: f"```mermaid\n{api.graph('review', 'mermaid').strip()}\n```",
    "diagram of council": lambda: f"```mermaid\n{api.graph('council', 'mermaid').strip()}\n```",
    "diagram of workshop": lambda: diagram_of("workshop"),
    "diagram of roundtable": lambda: diagram_of("roundtable"),
    "roles of the workshop": workshop_roles,
    "workflows": workflows,
    "tables of workshop": lambda: other_tables("workshop"),
    "strategies": strategies,
    "artifacts": artifact_fields,
    "session checks": session_checks,
    "personas": personas,
    "reading of turns": reading_of_turns,
    "seats of the council": council_seats,
    "gates": council_gates,
    "taxonomy": taxonomy,
    "election": election,
    "checks": checks,
    "action": action,
}


def pages() -> list[Path]:
    """Return every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def renewed(text: str) -> str:
    """Return a page with every generated part as it should be."""
    return PART.sub(lambda found: f"{found[1]}\n{PARTS[found['name']]()}\n\n{found[4]}", text)


def main() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := renewed(text)) != text:
            page.write_text(new, encoding="utf-8")
            sys.stdout.write(f"wrote {page.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
