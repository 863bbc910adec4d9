"""`findings` and `dismiss`: list the project's findings, and dismiss one with a reason."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.desk import Place, json_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from quorate.kit.ledger import Ledger, LedgerEntry


def complete_finding(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete the keys of findings that can be dismissed, with their titles."""
    from click.shell_completion import CompletionItem

    try:
        from quorate import api
        from quorate.kit.ledger import FindingStatus

        found = api.findings(Place(ctx.find_root().params.get("directory")).workspace())
    except Exception:
        return []  # a completion that complains would write into the person's command line
    return [
        CompletionItem(key, help=one_line(f"{entry.finding.rule} {entry.finding.path}", 60))
        for key, entry in sorted(found.entries.items())
        if key.startswith(incomplete) and entry.status is not FindingStatus.FIXED
    ]


@click.command(
    cls=Command,
    examples=(
        'quorate dismiss 3f9a --reason "The caller checks it; goes away with the new parser"',
        'quorate dismiss 3f9a0c1d2e4b --false-positive --reason "An example key from the documentation"',
    ),
)
@click.argument("key", shell_complete=complete_finding)
@click.option("--reason", required=True, metavar="TEXT", help="Why it is not dealt with now, for everybody to read.")
@click.option("--by", metavar="NAME", help="Who answers for it; your name in git, or your login, by default.")
@click.option("--false-positive", is_flag=True, help="It is none: nothing is owed. The only way for a proven veto.")
@json_option
@click.pass_obj
def dismiss(place: Place, key: str, reason: str, by: str | None, false_positive: bool, as_json: bool) -> None:
    """Dismiss a finding with a reason.

    KEY, or the start of it, stands in every report and in `quorate findings`. A dismissal is a debt in
    .quorate/ledger.json, which is meant to be committed: it weighs 1, and twice as much after every commit that touches
    the file again, up to 16. A false positive weighs nothing. For secrets, cycles and security holes only a dismissal
    that stands in the base of a change counts.
    """
    from quorate import api

    workspace = place.workspace()
    name = by if by is not None else api.signature(workspace.root or Path())
    done = api.dismiss(workspace, key, reason, name, false_positive)
    entry = done.entry
    if as_json:
        out_json({"ledger": str(done.path), **_told(entry)})
    else:
        finding = entry.finding
        owes = "as a false positive" if false_positive else f"as a debt of weight {entry.weight}"
        out(f"dismissed {entry.key} {owes}: {finding.rule} in {finding.path or 'the change as a whole'}")
    if done.ignored:
        err(f"git ignores {done.path}; it has to be committed to count for others")
    elif entry.finding.veto:
        err(f"it counts once {done.path} is committed to the base of a change")
    else:
        err(f"commit {done.path}")


@click.command(cls=Command, examples=("quorate findings", "quorate findings --all", "quorate findings --json"))
@click.option("--all", "everything", is_flag=True, help="Those that are fixed, too.")
@json_option
@click.pass_obj
def findings(place: Place, everything: bool, as_json: bool) -> None:
    """List what reviews have found in this project.

    A finding is new, open, regressed, dismissed with a reason, or fixed. It is known by what it says and not by its
    line, so that nothing unchanged is new twice.
    """
    from quorate import api
    from quorate.cli.table import table
    from quorate.kit.ledger import FindingStatus

    ledger = api.findings(place.workspace())
    found = sorted(ledger.entries.values(), key=_place)
    shown = [entry for entry in found if everything or entry.status is not FindingStatus.FIXED]
    if as_json:
        totals = {"debt": ledger.debt, "pressure": ledger.pressure.name, "counts": _counts(ledger)}
        out_json({"findings": [_told(entry) for entry in shown], **totals})
        return
    if shown:
        headings = ("KEY", "STATUS", "SEVERITY", "RULE", "PATH", "WEIGHT", "REASON")
        out(table(headings, [_row(entry) for entry in shown]))
    counts = ", ".join(f"{number:,} {status}" for status, number in _counts(ledger).items() if number)
    if counts:
        gap = "\n" if shown else ""
        out(f"{gap}{counts}; debt {ledger.debt:,} ({ledger.pressure.name})")
    else:
        err("Nothing has been found here yet; `quorate review` looks.")


def _place(entry: LedgerEntry) -> tuple[bool, int, str, str, str]:
    """Sort key: findings that need action first, the worst first."""
    from quorate.kit.ledger import LIVE

    finding = entry.finding
    return entry.status not in LIVE, finding.severity.rank, finding.path, finding.rule, entry.key


def _counts(ledger: Ledger) -> dict[str, int]:
    from quorate.kit.ledger import FindingStatus

    statuses = [entry.status for entry in ledger.entries.values()]
    return {status.value: statuses.count(status) for status in FindingStatus if status is not FindingStatus.UNSEEN}


def _row(entry: LedgerEntry) -> tuple[str, ...]:
    finding, dismissal = entry.finding, entry.dismissal
    weight = str(entry.weight) if dismissal is not None else ""
    reason = ""
    if dismissal is not None:
        reason = ("false positive: " if dismissal.false_positive else "") + f"{dismissal.reason} ({dismissal.by})"
    return entry.key, entry.status.value, finding.severity.value, finding.rule, finding.path, weight, reason


def _told(entry: LedgerEntry) -> dict[str, Any]:
    finding, dismissal = entry.finding, entry.dismissal
    return {
        "key": entry.key,
        "status": entry.status.value,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "path": finding.path,
        "message": finding.message,
        "evidence": finding.evidence,
        "source": finding.source,
        "veto": finding.veto or None,
        "first_seen": entry.first_seen,
        "since": entry.since,
        "weight": entry.weight,
        "dismissal": None
        if dismissal is None
        else {
            "reason": dismissal.reason,
            "by": dismissal.by,
            "false_positive": dismissal.false_positive,
            "touches": dismissal.touches,
            "commit": dismissal.commit,
        },
    }
