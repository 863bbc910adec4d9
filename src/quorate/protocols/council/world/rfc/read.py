"""Reading an RFC: its ten files, tickets, requirements and the existing code; problems become flaws."""

from __future__ import annotations

from pathlib import Path

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.atlas import read_atlas
from quorate.protocols.council.world.rfc.discovery import Layout, locate
from quorate.protocols.council.world.rfc.documents import Meta, Read, read_documents, read_meta
from quorate.protocols.council.world.rfc.files import Shelf
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Justification, Place, Rfc
from quorate.protocols.council.world.rfc.registers import (
    justifications_of,
    read_allowed,
    read_decisions,
    read_justifications,
    registered_evidence,
    stored_evidence,
)
from quorate.protocols.council.world.rfc.requirements import read_requirements
from quorate.protocols.council.world.rfc.tickets import read_tickets


def read_rfc(
    folder: Path,
    *,
    tickets: Path | None = None,
    prd: Path | None = None,
    ccp: Path | None = None,
    repo: Path | None = None,
) -> Rfc:
    """Return the RFC in a folder; raises InputError only if there is none.

    Tickets, PRD, index and repository are read from the given paths, or from their usual locations (`discovery.py`).
    Anything unreadable or malformed is a `Flaw` that names file, line and place.
    """
    layout = locate(folder, tickets, prd, ccp, repo)
    shelf = Shelf(layout.root, layout.given)
    documents = read_documents(shelf, layout)
    meta = read_meta(documents[0], layout.folder.name)
    where, stray = _folders(shelf, layout, meta)
    allowed = read_allowed(documents[0].sheet, documents[0].top)
    stray += _without_prd(documents[0], where["prd"], layout, meta)
    bound, requirement_flaws = read_requirements(shelf, documents[1], layout.folder, where["prd"])
    plan = (documents[6].sheet, documents[6].content, documents[6].text)
    own = layout.given_tickets is None and where["tickets"] == layout.folder / "tickets"
    found = read_tickets(shelf, where["tickets"], meta.id, plan, own=own)
    atlas, atlas_flaws = read_atlas(shelf, where["ccp"], layout.repo())
    evidence = registered_evidence(documents[7].content)
    excuses = tuple(each for read in documents for each in _excuses(read))
    document_flaws = (flaw for read in documents for flaw in read.sheet.told())
    return Rfc(
        id=meta.id,
        title=meta.title,
        version=meta.version,
        version_written=meta.version_written,
        prd_id=meta.prd_id,
        root=str(folder),
        documents=tuple(read.document for read in documents if read.document is not None),
        tickets=found.tickets,
        requirements=bound,
        atlas=atlas,
        decisions=read_decisions(documents[2].content),
        evidence=evidence | stored_evidence(shelf, (layout.folder, where["prd"])),
        elsewhere=frozenset(found.elsewhere - {ticket.id for ticket in found.tickets}),
        justifications=excuses + found.justifications,
        allowed_new_files=allowed,
        flaws=(*document_flaws, *stray, *requirement_flaws, *found.flaws, *atlas_flaws),
        left_out=(*_absent(where, meta), *found.left_out),
    )


def _folders(shelf: Shelf, layout: Layout, meta: Meta) -> tuple[dict[str, Path | None], tuple[Flaw, ...]]:
    """Return the folders of tickets, PRD and index; one that links out of the RFC's folders is a flaw and left out."""
    where: dict[str, Path | None] = {}
    flaws: list[Flaw] = []
    parts = {"tickets": layout.tickets(), "prd": layout.prd(meta.prd_id), "ccp": layout.ccp(meta.prd_id)}
    for name, path in parts.items():
        where[name] = path
        if path is not None and not shelf.inside(path):
            what = "is a link that leads out of the RFC's folders and is not followed"
            flaws.append(Flaw(Defect.UNREADABLE, what, Place(shelf.name(path)), expected="a folder of its own"))
            where[name] = None
    return where, tuple(flaws)


def _without_prd(read: Read, prd: Path | None, layout: Layout, meta: Meta) -> tuple[Flaw, ...]:
    """Return the warning that requirements are unverified, if the PRD that the RFC names is missing."""
    if prd is not None or layout.prd(meta.prd_id) is not None or meta.prd_id in ("", "NONE"):
        return ()
    fields = {} if read.document is None else read.document.fields
    at = fields.get(Field.REQUIREMENTS, Place(read.sheet.file))
    what = f"no folder of {meta.prd_id} was found, so its requirements could not be looked up"
    expected = "the PRD's folder, or the PRD `NONE`"
    return (Flaw(Defect.MISSING, what, at, read.sheet.place, Field.REQUIREMENTS, expected, warns=True),)


def _excuses(read: Read) -> tuple[Justification, ...]:
    return read_justifications(read.sheet, justifications_of(read.root, read.content))


def _absent(where: dict[str, Path | None], meta: Meta) -> tuple[tuple[str, str], ...]:
    """Return the missing folders, for the receipt."""
    of_prd = meta.prd_id if meta.prd_id not in ("", "NONE") else "this RFC"
    words = {"tickets": "tickets", "prd": f"PRD of {of_prd}", "ccp": f"index of {of_prd}"}
    return tuple((words[name], "no folder of it was found") for name, path in where.items() if path is None)
