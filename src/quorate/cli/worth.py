"""`worth`: the value and the cost of a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json

if TYPE_CHECKING:
    from quorate.worth.totals import Spent
    from quorate.worth.worth import Worth


@click.command(cls=Command, examples=("quorate worth", "quorate worth review-20260801-101500-3f9a --json"))
@click.argument("session", default="latest", shell_complete=complete_session)
@json_option
@store_option
@click.pass_obj
def worth(place: Place, session: str, as_json: bool) -> int:
    """Say what a session bought and what it cost.

    What a plain vote in round 1 and each reviewer alone would have concluded, nominal and effective votes, who changed
    position after seeing whom, tokens and money by phase and for each finding, and how much of the prompts a cache can
    serve. No model is called. After `quorate label` flips are helpful or harmful, and votes measured.

    Of a damaged session it is said up to the damage; the exit code is 70 then.
    """
    from quorate.api import worth
    from quorate.cli.evidence import code_of, read_session
    from quorate.cli.paragraphs import fitted
    from quorate.worth.worth import worth_data

    result = read_session(place, session)
    found = worth.worth(result)
    if as_json:
        damage = {"damage": result.damage.as_data()} if result.damage else {}
        out_json({"session": result.session, **worth_data(found), **damage})
    else:
        out(fitted(_told(result.session, found)))
    return code_of(result)


def _told(session: str, found: Worth) -> Iterator[str]:
    from quorate.cli.table import table

    yield session
    yield ""
    rows = [*found.phases.items(), ("all", found.whole)]
    yield table(("", "asks", "tokens", "share", "money"), [_row(name, spent, found.whole) for name, spent in rows])
    yield ""
    yield from found.sentences


def _row(name: str, spent: Spent, whole: Spent) -> tuple[str, str, str, str, str]:
    share = f"{100 * spent.tokens / whole.tokens:.0f} %" if whole.tokens else "-"
    return name, f"{spent.asks:,}", f"{spent.tokens:,}", share, spent.money
