"""Tickets within the RFC's own decomposition document, and the text of each."""

from __future__ import annotations

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.identity import TICKET_ID
from quorate.protocols.council.world.rfc.model import Defect
from quorate.protocols.council.world.rfc.shapes import Written, of_entry
from quorate.protocols.council.world.rfc.sheet import Sheet


def planned(sheet: Sheet, content: Located | None) -> tuple[list[tuple[Written, Located]], list[Located]]:
    """Return the entries of the decomposition that are tickets, and those that only name one by its id."""
    entries: list[tuple[Written, Located]] = []
    named: list[Located] = []
    top = sheet.mapping(content, Field.WHOLE)
    plan = sheet.mapping(top.get("ticket_plan"), Field.WHOLE)
    for node in (top.get("tickets"), plan.get("tickets")):
        for entry in sheet.items(node, Field.WHOLE):
            if isinstance(entry.value, str) and TICKET_ID.fullmatch(entry.value.strip()):
                named.append(entry)
                continue
            # What is amiss in an entry belongs to its ticket, or to nobody where a file replaces it.
            own = Sheet(sheet.file)
            written = of_entry(own, entry)
            if written is not None:
                entries.append((written, entry))
            else:
                for flaw in own.flaws:
                    sheet.note(flaw.defect, flaw.what, flaw.at, flaw.field, flaw.expected)
    return entries, named


def note_missing(sheet: Sheet, named: list[Located], ids: set[str]) -> None:
    """Note tickets that the decomposition names only by id and that have no file."""
    for entry in named:
        if isinstance(entry.value, str) and entry.value.strip() not in ids:
            what = f"{entry.value.strip()} is named here and has no file"
            sheet.note(Defect.MISSING, what, entry, Field.DEPENDENCIES, "a ticket file, or the ticket itself")


def entry_text(lines: list[str], entry: Located) -> str:
    """Return the lines of an entry: up to the next line that is indented no further than its dash."""
    begin = (entry.line or 1) - 1
    first = lines[begin]
    indent = len(first) - len(first.lstrip(" "))
    dashed = first.lstrip(" ").startswith("- ")
    end = begin + 1
    kept = end
    while end < len(lines):
        bare = lines[end].lstrip(" ")
        if bare.strip() and not bare.startswith("#"):
            depth = len(lines[end]) - len(bare)
            if depth < indent or (dashed and depth == indent):
                break
            kept = end + 1
        end += 1
    return "\n".join(lines[begin:kept]) + "\n"
