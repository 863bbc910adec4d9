"""`label`: record what turned out to be right about a session or a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import err, out, out_json
from quorate.cli.readable import reading_desk

if TYPE_CHECKING:
    from quorate.cli.desk import Desk


@click.command(
    cls=Command,
    examples=(
        "quorate label latest --truth sound",
        'quorate label review-20260801 --truth defective --note "It broke the import"',
        "quorate label council-20260801 --truth REJECTED",
        "quorate label latest --finding 3f9a --truth wrong",
        "quorate label latest",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--truth", metavar="T", help="What was the case: a truth or verdict of the protocol, right or wrong.")
@click.option("--finding", default="", metavar="KEY", help="Label one finding, by its id or the start of it.")
@click.option("--note", default="", metavar="TEXT", help="How that became known.")
@json_option
@store_option
@click.pass_obj
def label(place: Place, session: str, truth: str | None, finding: str, note: str, as_json: bool) -> None:
    """Record what turned out to be right about a session or a finding.

    SESSION is an id, the start of one, or `latest`. What the truth may be is the protocol's: `sound`, `defective`
    and `dangerous` for reviews and councils, the verdict that would have been right, or `right` and `wrong`, of the
    verdict that there is. Labels are added to .quorate/labels.jsonl and never changed; the last one of a session
    counts. Without --truth its labels are listed, or what they could be. `quorate calibration` tells what follows.
    """
    from quorate.api import label_records
    from quorate.core.errors import SettingError

    if truth is None and (finding or note):
        option = "--finding" if finding else "--note"
        raise SettingError("has no effect without --truth", key=option, expected="--truth beside it")
    with reading_desk(place) as work:
        found = work.find(session)
        if truth is None:
            _list(work, found, as_json)
            return
        made = work.run(label_records.label(work.workspace, work.journal, found, truth, finding=finding, note=note))
    if as_json:
        out_json({"file": str(made.path), **label_records.label_data(made.label)})
    else:
        about = f"finding {made.label.finding} of {found}" if finding else f"{found}, {made.label.verdict}"
        out(f"labelled {about}: {made.label.truth}")
    if made.before:
        err(f"it was labelled {made.before[-1].truth} before; that label is kept, but no longer counts")


def _list(work: Desk, session: str, as_json: bool) -> None:
    """Print the labels of a session, or the possible ones if it has none."""
    from datetime import datetime

    from quorate import api
    from quorate.api.label_meaning import truths_of
    from quorate.api.label_records import label_data, labels
    from quorate.cli.table import table

    own = [each for each in labels(work.workspace) if each.session == session]
    if as_json:
        out_json([label_data(each) for each in own])
    elif own:
        rows = [
            (
                f"{datetime.fromtimestamp(each.at / 1000):%Y-%m-%d %H:%M}",
                each.finding or "the session",
                each.truth,
                each.note,
            )
            for each in own
        ]
        out(table(("WHEN", "ABOUT", "TRUTH", "NOTE"), rows))
    else:
        err("It has no label yet. It could be:")
        for name, says in truths_of(work.run(api.load(work.workspace, work.journal, session))).items():
            err(f"  --truth {name}: {says}")
