"""The texts of an RFC in the form the review's checks read, and the secrets in them, for masking."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from quorate.codec.canonical import clean
from quorate.kit.change import Change, ChangedFile, FileStatus
from quorate.protocols.council.world.gates.order import within_bounds
from quorate.protocols.council.world.gates.sieve import Sieve
from quorate.protocols.council.world.gates.whereabouts import file_of
from quorate.protocols.council.world.rfc.model import Place, Rfc, Shape
from quorate.safety.credentials import hits_in
from quorate.safety.masks import Masks
from quorate.safety.private_keys import keys_in
from quorate.safety.secrets import ENVIRONMENT, PRIVATE_KEY, Secret, secrets_in, secrets_in_text

_ID = re.compile(r"[A-Z][A-Z0-9]{0,15}(?:-[A-Z0-9]{1,15}){0,4}-\d{1,8}")
_PATH = re.compile(r"[\w.@+-]{1,100}(?:/[\w.@+-]{1,100}){1,30}\.[A-Za-z]{1,5}")


def change_of(rfc: Rfc) -> Change:
    """Return the documents and ticket files as a change that adds all their lines."""
    texts = {file_of(document): document.text for document in rfc.documents}
    for ticket in rfc.tickets:
        if ticket.shape is not Shape.D:  # an entry of a document, which is there already
            texts.setdefault(ticket.at.file, ticket.text)
    files = tuple(_file(name, texts[name]) for name in sorted(texts))
    return Change(title="", base="", head="", files=files, left_out=(), before=None, after=None)


def _file(name: str, text: str) -> ChangedFile:
    lines = dict(enumerate(text.split("\n"), start=1))
    return ChangedFile(name, FileStatus.ADDED, "", None, text, lines, {})


SECRETIVE = Sieve(
    ("pass", "pwd", "secret", "token", "credential", "bearer", "basic", "authoriz", "key", "contrase", "://"),
    re.compile(r"[A-Za-z0-9+/_=-]{16}"),
)
"""What every line has in which the search for secrets finds one."""


def _secretive(change: Change) -> Change:
    return replace(change, files=tuple(_sifted(file) for file in change.files))


def _sifted(file: ChangedFile) -> ChangedFile:
    kept = SECRETIVE.lines(file.after or "")
    # The value of a folded text may stand in the line after its name.
    after = (line + 1 for line in kept if file.added[line].rstrip().endswith((":", "=")))
    return replace(file, added={line: file.added[line] for line in sorted({*kept, *after}) if line in file.added})


def secrets_of(rfc: Rfc, change: Change | None = None) -> tuple[Secret, ...]:
    """Return every secret in what is stored or shown of an RFC, in a deterministic order.

    An id or path under a key such as `token` is not a secret; masking it would hide it everywhere.
    """
    change = change or change_of(rfc)
    found = list(secrets_in(_secretive(change)))
    known = {secret.value for secret in found}
    raw = {file.path: file.after or "" for file in change.files}
    seen: set[tuple[str, str]] = set()
    for text, at in _read(rfc):
        if (text, at.file) in seen or text in raw.get(at.file, ""):
            continue  # what stands in a file as it is was read there
        seen.add((text, at.file))
        lines = text.split("\n")
        for key in keys_in(lines):
            where = replace(at, line=at.line + key.start)
            found.append(Secret("\n".join(key.lines), *PRIVATE_KEY, where.file, where.line, lines[key.start]))
        for number in (line - 1 for line in SECRETIVE.lines(text)):
            line = lines[number]
            hits = hits_in(line, at.file) if at.file else secrets_in_text(line)
            for hit in hits:
                if hit.value not in known:
                    known.add(hit.value)
                    where = replace(at, line=at.line + number)
                    found.append(Secret(hit.value, hit.rule, hit.what, hit.grade, where.file, where.line, line))
    named = [each for each in found if not _ID.fullmatch(each.value) and not _PATH.fullmatch(each.value)]
    given = [each for each in found if each.rule == ENVIRONMENT]
    return (*(each for each in named if each.rule != ENVIRONMENT), *given)  # last: another machine has others


def masks_of(rfc: Rfc) -> Masks:
    """Return the masks of an RFC; equal files give equal mask numbers."""
    return Masks.of(secrets_of(within_bounds(rfc)))


def masked(text: str, masks: Masks) -> str:
    """Return a text with its secrets masked, for storage and display."""
    return clean(masks.mask(text))


def _read(rfc: Rfc) -> Iterator[tuple[str, Place]]:
    """Yield what is shown besides the files: parsed YAML values, and content of other files."""
    for requirement in rfc.requirements:
        yield from ((text, requirement.at) for text in (requirement.id, requirement.title, requirement.statement))
    for ticket in sorted(rfc.tickets, key=lambda each: each.key):
        values = [ticket.id, ticket.title, ticket.status, ticket.rfc_id, ticket.component, ticket.extension_point]
        yield from ((text, ticket.at) for text in values)
        for references in (ticket.requirements, ticket.depends_on, ticket.evidence):
            yield from ((reference.id, reference.at) for reference in references)
        for file in (*ticket.modifies, *ticket.creates):
            yield from ((text, file.at) for text in (file.path, file.purpose))
    atlas = Place(rfc.atlas.where)
    for component in sorted(rfc.atlas.components, key=lambda each: each.id):
        yield from ((text, atlas) for text in (component.id, component.name, component.path, component.description))
        for point in component.extension_points:
            yield from ((text, atlas) for text in (point.id, point.name, point.path, point.description))
    for decision in rfc.decisions:
        yield from ((text, decision.at) for text in (decision.id, decision.title))
    for each in rfc.justifications:
        yield from ((text, each.at) for text in (each.file_path, each.capability_gap, each.ticket_id, each.decision))
    for flaw in rfc.flaws:
        yield from ((text, flaw.at) for text in (flaw.what, flaw.expected, flaw.at.file))
    for text in (rfc.id, rfc.title, rfc.version_written, rfc.prd_id, rfc.root, rfc.atlas.where):
        yield text, Place("")
    for path, why in rfc.left_out:
        yield from ((text, Place("")) for text in (path, why))
    yield from ((name, Place("")) for name in sorted({ticket.at.file for ticket in rfc.tickets}))
