"""Detecting which of the four shapes a ticket has, and finding its fields there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quorate.files.located_values import Located
from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.model import Defect, Place, Shape
from quorate.protocols.council.world.rfc.sheet import Sheet, place_of

Path = tuple[str, ...]

_CONTAINERS = {
    "binds": Field.REQUIREMENTS,
    "dependencies": Field.DEPENDENCIES,
    "implementation": Field.STEPS,
    "plan": Field.STEPS,
    "definition_of_done": Field.CRITERIA,
    "scope": Field.SCOPE,
}
"""What a mapping that holds several fields counts as, where it is none."""


@dataclass(slots=True)
class Written:
    """A ticket as written in its file."""

    sheet: Sheet
    shape: Shape
    at: Place
    head: Located
    """Where its id, title and status belong."""
    bases: tuple[Mapping[str, Located], ...]
    """The mappings in which its fields may stand, the nearest to its id first."""
    fields: dict[Field, Place]

    def all(self, field: Field, *paths: Path) -> list[Located]:
        """Return the values at these paths; the first one found gives the field's location."""
        found: list[Located] = []
        for path in paths:
            for base in self.bases:
                node = self._walk(base, path)
                if node is not None and not any(node is each for each in found):
                    found.append(node)
        if found:
            self.fields.setdefault(field, place_of(found[0]))
        return found

    def one(self, field: Field, *paths: Path) -> Located | None:
        """Return the first value found at these paths, or None."""
        found = self.all(field, *paths)
        return found[0] if found else None

    def _walk(self, base: Mapping[str, Located], path: Path) -> Located | None:
        node = base.get(path[0])
        for name in path[1:]:
            if node is None or node.value is None:
                return None
            if path[0] == "dependencies" and isinstance(node.value, tuple):
                return None
            node = self.sheet.mapping(node, _CONTAINERS.get(path[0], Field.WHOLE)).get(name)
        return None if node is None or node.value is None else node


def of_file(sheet: Sheet, root: Located) -> Written | None:
    """Return the ticket of a file; None, with a flaw, if it has no known ticket shape."""
    if not isinstance(root.value, Mapping):
        sheet.wrong(root, "a mapping with `ticket` or `ticket_meta`", Field.WHOLE)
        return None
    top = root.value
    meta = top.get("ticket_meta", top.get("ticket"))
    if meta is None:
        sheet.wrong(root, "a mapping with `ticket` or `ticket_meta`", Field.WHOLE)
        return None
    if not isinstance(meta.value, Mapping):
        sheet.wrong(meta, "a mapping", Field.WHOLE)
        return None
    if "ticket" in top and "ticket_meta" in top:
        what = "the file has both `ticket` and `ticket_meta`; only `ticket_meta` was read"
        sheet.note(Defect.DUPLICATE, what, top["ticket"], Field.WHOLE, "one of the two")
    at = place_of(meta)
    if "ticket_meta" not in top:
        return Written(sheet, Shape.A, at, meta, (meta.value, top), {Field.WHOLE: at})
    shape = Shape.B if "implementation" in top or "implementation" in meta.value else Shape.C
    head = meta.value.get("ticket")
    named = sheet.mapping(head, Field.ID)
    return Written(sheet, shape, at, head or meta, (named, meta.value, top), {Field.WHOLE: at})


def of_entry(sheet: Sheet, entry: Located) -> Written | None:
    """Return the ticket of a decomposition entry; None, with a flaw, if it is not a mapping."""
    if not isinstance(entry.value, Mapping):
        sheet.wrong(entry, "a mapping with `ticket_id`", Field.WHOLE)
        return None
    at = place_of(entry)
    return Written(sheet, Shape.D, at, entry, (entry.value,), {Field.WHOLE: at})
