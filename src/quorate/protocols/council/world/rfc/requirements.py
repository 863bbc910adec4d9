"""Reading the requirements bound by the RFC, joined with their text in the PRD and the RFC's own folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.documents import Read
from quorate.protocols.council.world.rfc.files import Shelf
from quorate.protocols.council.world.rfc.model import Defect, Flaw, Requirement
from quorate.protocols.council.world.rfc.references import references
from quorate.protocols.council.world.rfc.sheet import MOST_FLAWS, MOST_ID, Sheet, place_of

_ROOTS = ("prd_requirement", "rfc_requirement", "requirement")


def read_requirements(
    shelf: Shelf, imports: Read, own: Path, prd: Path | None
) -> tuple[tuple[Requirement, ...], tuple[Flaw, ...]]:
    """Return the requirements in the order of their ids.

    Those named in the second document or defined in the RFC's own folder `requirements/` are bound.
    """
    flaws: list[Flaw] = []
    known: dict[str, Requirement] = {}
    unread: set[str] = set()
    for each in _of_folder(shelf, prd, flaws, unread, imported=False):
        _keep(known, each, flaws)
    has_prd = bool(known)
    for each in _of_folder(shelf, own, flaws, unread, imported=True):
        _keep(known, each, flaws)
    absent: list[Requirement] = []
    for bound in _bound(imports):
        full = known.get(bound.id)
        if full is None:
            known[bound.id] = bound
            if has_prd and bound.id not in unread:
                absent.append(bound)
        else:
            title, statement = full.title or bound.title, full.statement or bound.statement
            known[bound.id] = replace(full, title=title, statement=statement, at=bound.at, imported=True)
    flaws += _not_there(absent)
    return tuple(known[name] for name in sorted(known)), tuple(flaws)


def _keep(known: dict[str, Requirement], requirement: Requirement, flaws: list[Flaw]) -> None:
    """Keep the first requirement of an id; a second one is a flaw, since the id would be ambiguous."""
    first = known.setdefault(requirement.id, requirement)
    if first is requirement:
        return
    what = f"the requirement {requirement.id} is already defined in {first.at.file}"
    flaws.append(Flaw(Defect.DUPLICATE, what, requirement.at, field=Field.REQUIREMENTS, expected="an id of its own"))
    if requirement.imported and not first.imported:
        known[requirement.id] = replace(first, imported=True)


def _not_there(absent: list[Requirement]) -> Iterable[Flaw]:
    """Yield a flaw for each absent requirement, on the RFC as a whole; on a document it would mean that is missing."""
    expected = "the id of a requirement that has a file"
    for number, each in enumerate(absent):
        what = f"{each.id} is bound, but is defined neither in the PRD nor in the RFC's own `requirements/`"
        if number == MOST_FLAWS:
            what = f"{len(absent) - number} more bound ids are defined nowhere"
        yield Flaw(Defect.MISSING, what, each.at, field=Field.REQUIREMENTS, expected=expected)
        if number == MOST_FLAWS:
            return


def _bound(imports: Read) -> Iterable[Requirement]:
    """Yield the requirements that the second document binds, noting duplicates, or that it binds none."""
    sheet, top = imports.sheet, imports.top
    if imports.content is None:
        return
    binding = sheet.mapping(top.get("requirement_binding"), Field.REQUIREMENTS)
    added = sheet.mapping(binding.get("added_rfc_only_requirements"), Field.REQUIREMENTS)
    lists = (
        top.get("imported_requirements"),
        binding.get("bound_requirement_ids"),
        added.get("local_requirements"),
    )
    if all(each is None or each.value is None for each in lists):
        what = "the RFC binds no requirements"
        expected = "`imported_requirements`, or `requirement_binding.bound_requirement_ids`"
        sheet.note(Defect.MISSING_FIELD, what, imports.content, Field.REQUIREMENTS, expected, warns=True)
    seen: set[str] = set()
    for each in lists:
        for entry in sheet.items(each, Field.REQUIREMENTS):
            found = references(sheet, (replace(entry, value=(entry,)),), "requirement_id", Field.REQUIREMENTS)
            for reference in found:
                if reference.id in seen:
                    what = f"{reference.id} is bound a second time"
                    sheet.note(Defect.DUPLICATE, what, entry, Field.REQUIREMENTS, "each requirement once")
                    continue
                seen.add(reference.id)
                given = entry.value if isinstance(entry.value, Mapping) else {}
                title, statement = (sheet.prose(given.get(name), Field.REQUIREMENTS) for name in ("title", "statement"))
                yield Requirement(reference.id, title, statement, place_of(entry), imported=True)


def _of_folder(
    shelf: Shelf, folder: Path | None, flaws: list[Flaw], unread: set[str], *, imported: bool
) -> Iterable[Requirement]:
    """Yield the requirements of a folder; names of files without a readable one are added to `unread`."""
    paths, _ = shelf.listed(None if folder is None else folder / "requirements")
    for path in paths:
        sheet = Sheet(shelf.name(path))
        text = shelf.read(path)
        requirement: Requirement | None = None
        if isinstance(text, str):
            root = sheet.parse(text)
            requirement = None if root is None else _requirement(sheet, root, imported=imported)
        else:
            sheet.trouble(text)
        flaws += sheet.told()
        if requirement is not None:
            yield requirement
        else:
            unread.add(path.stem)


def _requirement(sheet: Sheet, root: Located, *, imported: bool) -> Requirement | None:
    field = Field.REQUIREMENTS
    top = root.value if isinstance(root.value, Mapping) else {}
    content = next((top[name] for name in _ROOTS if name in top), None)
    if content is None or not isinstance(content.value, Mapping):
        sheet.wrong(root if content is None else content, "a mapping below `prd_requirement`", Field.WHOLE)
        return None
    given = content.value
    name = sheet.text(given.get("id"), field)[:MOST_ID]
    if not name:
        if given.get("id") is None or not sheet.flaws:
            sheet.note(Defect.MISSING_FIELD, "the requirement has no `id`", content, field, "`id` with a text")
        return None
    evidence = sheet.mapping(given.get("evidence"), Field.EVIDENCE)
    ids = evidence.get("evidence_ids")
    acceptance = (sheet.prose(each, Field.CRITERIA) for each in sheet.items(given.get("acceptance_criteria"), field))
    return Requirement(
        name,
        sheet.prose(given.get("title"), Field.TITLE),
        sheet.prose(given.get("statement"), Field.SUMMARY),
        place_of(given["id"]),
        imported,
        references(sheet, () if ids is None else (ids,), "evidence_id", Field.EVIDENCE),
        tuple(text for text in acceptance if text),
    )
