"""Reads the requirements: those that the RFC binds, joined with what its PRD and its own folder say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from quorate.intake.located import Located
from quorate.intake.rfc.documents import Read
from quorate.intake.rfc.files import Shelf
from quorate.intake.rfc.model import Defect, Flaw, Requirement
from quorate.intake.rfc.references import references
from quorate.intake.rfc.sheet import MOST_ID, Sheet, place_of
from quorate.protocols.council.taxonomy import Field

_ROOTS = ("prd_requirement", "rfc_requirement", "requirement")


def read_requirements(
    shelf: Shelf, imports: Read, own: Path, prd: Path | None
) -> tuple[tuple[Requirement, ...], tuple[Flaw, ...]]:
    """Return the requirements in the order of their ids.

    Bound are those that the second document names, and those that the RFC writes in its own folder `requirements/`.
    """
    flaws: list[Flaw] = []
    known = {each.id: each for each in _of_folder(shelf, prd, flaws, imported=False)}
    for each in _of_folder(shelf, own, flaws, imported=True):
        known[each.id] = each
    for name, title, node in _bound(imports):
        if name in known:
            full = known[name]
            known[name] = replace(full, title=full.title or title, at=place_of(node), imported=True)
        else:
            known[name] = Requirement(name, title, "", place_of(node), imported=True)
    return tuple(known[name] for name in sorted(known)), tuple(flaws)


def _bound(imports: Read) -> Iterable[tuple[str, str, Located]]:
    """Yield id, title and place of what the second document binds; note what it binds twice, or not at all."""
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
                given = entry.value.get("title") if isinstance(entry.value, Mapping) else None
                yield reference.id, sheet.prose(given, Field.REQUIREMENTS), entry


def _of_folder(shelf: Shelf, folder: Path | None, flaws: list[Flaw], *, imported: bool) -> Iterable[Requirement]:
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
