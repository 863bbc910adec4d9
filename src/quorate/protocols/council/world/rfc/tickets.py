"""Reading the tickets of an RFC from their folder and its decomposition, and assigning keys."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import MOST_TICKETS, Field
from quorate.protocols.council.world.rfc.drafts import Draft, normalise
from quorate.protocols.council.world.rfc.files import Shelf
from quorate.protocols.council.world.rfc.identity import TICKET_ID, id_of, rfc_of
from quorate.protocols.council.world.rfc.lookalikes import alike
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Justification, Place, Shape, Ticket
from quorate.protocols.council.world.rfc.shapes import Written, of_entry, of_file
from quorate.protocols.council.world.rfc.sheet import MOST_FLAWS, Sheet
from quorate.protocols.council.world.rfc.strays import EXPECTED, MOST_STRAYS, NOT_READ, is_named_like_a_ticket, strays

MOST_SCANNED = 12_000_000
"""Characters of ticket files that are looked through for those of this RFC."""
_RFC_ID = re.compile(r"\bRFC-(?:[A-Z]+-)?\d{3,5}\b")


@dataclass(slots=True)
class Tickets:
    """The tickets found, before and after keys are assigned."""

    drafts: list[Draft] = field(default_factory=list)
    tickets: tuple[Ticket, ...] = ()
    justifications: tuple[Justification, ...] = ()
    flaws: list[Flaw] = field(default_factory=list)
    elsewhere: set[str] = field(default_factory=set)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    """Names, without endings, of files whose ticket or its id could not be read: no entry of the decomposition stands
    in for one of them."""


def read_tickets(
    shelf: Shelf, folder: Path | None, rfc_id: str, plan: tuple[Sheet, Located | None, str], *, own: bool
) -> Tickets:
    """Return the tickets of this RFC. `plan` is its decomposition; `own` means the folder holds only this RFC's."""
    found = Tickets()
    paths, more = shelf.listed(folder)
    scanned = 0
    for number, path in enumerate(paths):
        if scanned > MOST_SCANNED:
            more += len(paths) - number
            break
        scanned += _read_file(shelf, path, rfc_id, found, own=own)
    if more and folder is not None:
        what = f"there are too many ticket files: {more} left out"
        found.flaws.append(Flaw(Defect.TOO_LARGE, what, Place(shelf.name(folder))))
        found.left_out.append((shelf.name(folder), what))
    _note_strays(shelf, folder, found)
    _add_planned(found, rfc_id, *plan)
    _give_keys(found, shelf.name(folder) if folder is not None else plan[0].file)
    return found


def _read_file(shelf: Shelf, path: Path, rfc_id: str, found: Tickets, *, own: bool) -> int:
    """Add the ticket of a file to `found`; return the number of characters read."""
    sheet = Sheet(shelf.name(path))
    text = shelf.read(path)
    if not isinstance(text, str):
        sheet.trouble(text)
        found.flaws += sheet.told()
        found.unread.add(path.stem)
        return 0
    root = sheet.parse(text)
    if root is None:
        found.unread.add(path.stem)
        if own or _concerns(text, rfc_id):
            found.flaws += sheet.told()
        else:
            found.left_out.append((sheet.file, "cannot be read, and names other RFCs only"))
        return len(text)
    if not own and not _is_ticket(root) and not path.name.startswith("TCK-") and rfc_id not in text:
        found.left_out.append((sheet.file, "is not a ticket"))
        return len(text)
    written = of_file(sheet, root)
    if written is None:
        if own or _concerns(text, rfc_id):
            found.flaws += sheet.told()
            found.unread.add(path.stem)
        else:
            found.left_out.append((sheet.file, "is not a ticket"))
        return len(text)
    _add_ticket(shelf, path, written, text, rfc_id, found, own=own)
    return len(text)


def _add_ticket(
    shelf: Shelf, path: Path, written: Written, text: str, rfc_id: str, found: Tickets, *, own: bool
) -> None:
    sheet, name, bound = written.sheet, id_of(written), rfc_of(written)
    ours = alike(bound, rfc_id) if bound else own or _concerns(text, rfc_id)
    if rfc_id and not ours:
        found.elsewhere |= {name} - {""}
        if rfc_id in text:
            # It holds a second ticket, which may be this RFC's.
            found.flaws += (flaw for flaw in sheet.told() if flaw.defect is Defect.DUPLICATE)
        if own:
            found.left_out.append((sheet.file, f"belongs to {bound}"))
        return
    trouble = shelf.keep(text)
    if trouble is not None:
        sheet.trouble(trouble)
        found.flaws += sheet.told()
        found.left_out.append((sheet.file, trouble.what))
        found.unread |= {path.stem, name}
        return
    found.drafts.append(normalise(written, text, rfc_id))


def _note_strays(shelf: Shelf, folder: Path | None, found: Tickets) -> None:
    """Report files in the tickets' folder that were not read; one named like a ticket is a warning."""
    paths, whole = strays(shelf, folder)
    found.left_out += [(shelf.name(path), NOT_READ) for path in paths[:MOST_STRAYS]]
    if folder is not None and (len(paths) > MOST_STRAYS or not whole):
        found.left_out.append((shelf.name(folder), "has more files that were not read than are listed here"))
    named = [path for path in paths if is_named_like_a_ticket(path)]
    for number, path in enumerate(named[: MOST_FLAWS + 1]):
        what = f"{NOT_READ}, though it is named like a ticket"
        if number == MOST_FLAWS:
            what += f", as are {len(named) - number - 1} more"
        found.flaws.append(Flaw(Defect.UNREADABLE, what, Place(shelf.name(path)), expected=EXPECTED, warns=True))


def _is_ticket(root: Located) -> bool:
    return isinstance(root.value, Mapping) and ("ticket" in root.value or "ticket_meta" in root.value)


def _concerns(text: str, rfc_id: str) -> bool:
    """Return whether a file without an RFC id may belong to this RFC: it mentions this one, or none at all."""
    named = set(_RFC_ID.findall(text))
    return not named or not rfc_id or rfc_id in named


def _add_planned(found: Tickets, rfc_id: str, sheet: Sheet, content: Located | None, text: str) -> None:
    """Add decomposition entries that have no file; for one that has, only its component is taken over."""
    entries, named = _planned(sheet, content)
    lines = text.split("\n")
    by_id = {draft.ticket.id: number for number, draft in enumerate(found.drafts) if draft.ticket.id}
    often = Counter(draft.ticket.id for draft in found.drafts)
    for ticket in (draft.ticket for draft in found.drafts):
        if often[ticket.id] > 1 or not TICKET_ID.fullmatch(ticket.id):
            # Its id is a flaw already; most likely it was meant to be the one that the file bears.
            found.unread.add(PurePosixPath(ticket.at.file).stem)
    for written, entry in entries:
        name = id_of(written)
        number = by_id.get(name)
        if number is not None:
            plan = normalise(written, "", rfc_id).ticket
            found.drafts[number] = _with_component(found.drafts[number], plan)
        elif name not in found.unread | found.elsewhere:
            found.drafts.append(normalise(written, _entry_text(lines, entry), rfc_id))
    _note_missing(sheet, named, {draft.ticket.id for draft in found.drafts} | found.elsewhere | found.unread)


def _planned(sheet: Sheet, content: Located | None) -> tuple[list[tuple[Written, Located]], list[Located]]:
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


def _note_missing(sheet: Sheet, named: list[Located], ids: set[str]) -> None:
    """Note tickets that the decomposition names only by id and that have no file."""
    for entry in named:
        if isinstance(entry.value, str) and entry.value.strip() not in ids:
            what = f"{entry.value.strip()} is named here, but has no file"
            sheet.note(Defect.MISSING, what, entry, Field.DEPENDENCIES, "a ticket file, or the ticket itself")


def _entry_text(lines: list[str], entry: Located) -> str:
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


def _with_component(draft: Draft, entry: Ticket) -> Draft:
    ticket = draft.ticket
    if ticket.component or ticket.extension_point or Field.COMPONENT not in entry.fields:
        return draft
    fields = {**ticket.fields, Field.COMPONENT: entry.fields[Field.COMPONENT]}
    filled = replace(ticket, component=entry.component, extension_point=entry.extension_point, fields=fields)
    return replace(draft, ticket=filled)


def _give_keys(found: Tickets, where: str) -> None:
    """Sort the tickets by id, those without one last, and assign keys up to the limit."""
    drafts = sorted(found.drafts, key=_order)
    if len(drafts) > MOST_TICKETS:
        many = len(drafts) - MOST_TICKETS
        what = f"the RFC has {len(drafts)} tickets; the last {many} were left out"
        flaw = Flaw(Defect.TOO_LARGE, what, Place(where), expected=f"at most {MOST_TICKETS} tickets")
        found.flaws.append(flaw)
        found.left_out += [(each.ticket.at.file, "one ticket too many") for each in drafts[MOST_TICKETS:]]
        drafts = drafts[:MOST_TICKETS]
    often = Counter(draft.ticket.id for draft in drafts)
    seen: Counter[str] = Counter()
    tickets: list[Ticket] = []
    for number, draft in enumerate(drafts, start=1):
        ticket = replace(draft.ticket, key=f"T{number}")
        if ticket.id and seen[ticket.id]:
            first = next(each for each in tickets if each.id == ticket.id)
            what = f"the id {ticket.id} is already used by {first.at.file}"
            at = ticket.place_of(Field.ID)
            found.flaws.append(Flaw(Defect.DUPLICATE, what, at, ticket.key, Field.ID, "an id of its own"))
        elif often[ticket.id] == 1:
            found.flaws += _misnamed(ticket)
        seen[ticket.id] += 1
        found.flaws += draft.flaws(ticket.key)
        tickets.append(ticket)
    found.tickets = tuple(tickets)
    found.justifications = tuple(each for draft in drafts for each in draft.justifications)


def _misnamed(ticket: Ticket) -> Iterable[Flaw]:
    """Yield a flaw if a ticket's file is named after another id, which would then seem to exist."""
    stem = PurePosixPath(ticket.at.file).stem
    if (
        ticket.shape is not Shape.D
        and stem != ticket.id
        and TICKET_ID.fullmatch(stem)
        and TICKET_ID.fullmatch(ticket.id)
    ):
        what = f"the file of ticket {ticket.id} is named after another ticket, {stem}"
        expected = f"the id {stem}, or the file {ticket.id}.yaml"
        yield Flaw(Defect.WRONG_VALUE, what, ticket.place_of(Field.ID), ticket.key, Field.ID, expected)


def _order(draft: Draft) -> tuple[bool, str, bool, str, int]:
    ticket = draft.ticket
    return (not ticket.id, ticket.id, ticket.shape is Shape.D, ticket.at.file, ticket.at.line)
