"""Shell completion of sessions, protocols and schemas. It never fails and is always quick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.cli.desk import Place, desk
from quorate.cli.text import one_line

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

MOST_OFFERED = 50


def complete_session(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete the sessions of the store, newest first, with their titles."""
    from click.shell_completion import CompletionItem

    given = ctx.find_root().params
    try:
        from quorate import api

        place = Place(given.get("directory"), ctx.params.get("store") or given.get("store"))
        with desk(place, quiet=True) as work:
            listed = work.run(api.list_sessions(work.journal))
    except Exception:
        return []  # a completion that complains would write into the person's command line
    offered = [each for each in listed if each.id.startswith(incomplete)][:MOST_OFFERED]
    items = [CompletionItem(each.id, help=one_line(each.title, 60)) for each in offered]
    if listed and "latest".startswith(incomplete):
        items.insert(0, CompletionItem("latest", help="the newest session"))
    return items


def complete_protocol(ctx: click.Context, _: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
    """Complete the installed protocols."""
    from click.shell_completion import CompletionItem

    try:
        from quorate import api

        found = api.protocols()
    except Exception:
        return []
    return [CompletionItem(each.name, help=each.title) for each in found if each.name.startswith(incomplete)]
