"""Drafts of tickets: tickets of any shape in one model, with their flaws noted."""

from __future__ import annotations

from dataclasses import dataclass

from quorate.protocols.council.rules.taxonomy import Field
from quorate.protocols.council.world.rfc.identity import read_id, read_rfc_id, read_status, read_title
from quorate.protocols.council.world.rfc.model import Flaw, Justification, Shape, Ticket
from quorate.protocols.council.world.rfc.plan import (
    read_commands,
    read_criteria,
    read_examples,
    read_notes,
    read_paths,
    read_steps,
    read_summary,
    read_tests,
)
from quorate.protocols.council.world.rfc.references import read_dependencies, read_evidence, read_requirements
from quorate.protocols.council.world.rfc.registers import read_justifications
from quorate.protocols.council.world.rfc.shapes import Written
from quorate.protocols.council.world.rfc.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Draft:
    """A ticket without a key yet, and its flaws."""

    ticket: Ticket
    sheet: Sheet
    justifications: tuple[Justification, ...]

    def flaws(self, key: str) -> tuple[Flaw, ...]:
        return self.sheet.told(key)


def normalise(written: Written, text: str, rfc_id: str) -> Draft:
    """Return the ticket with its fields read from where its shape has them; an entry belongs to `rfc_id`."""
    name = read_id(written)
    title, status, bound = read_title(written), read_status(written), read_rfc_id(written, rfc_id)
    excuses = [base.get("cousin_justifications") for base in written.bases]
    justifications = tuple(each for node in excuses for each in read_justifications(written.sheet, node, name))
    ticket = Ticket(
        key="",
        id=name,
        title=title,
        status=status,
        rfc_id=bound or (rfc_id if written.shape is Shape.D else ""),
        shape=written.shape,
        at=written.at,
        fields=written.fields,
        requirements=read_requirements(written),
        depends_on=read_dependencies(written),
        modifies=read_paths(written, Field.FILES_TO_MODIFY),
        creates=read_paths(written, Field.FILES_TO_CREATE),
        summary=read_summary(written),
        steps=read_steps(written),
        examples=read_examples(written),
        criteria=read_criteria(written),
        tests=read_tests(written),
        commands=read_commands(written),
        evidence=read_evidence(written),
        component=_word(written, "ccp_component", "component"),
        extension_point=_word(written, "extension_point"),
        notes=read_notes(written),
        text=text,
    )
    return Draft(ticket, written.sheet, justifications)


def _word(written: Written, *names: str) -> str:
    paths = [path for name in names for path in ((name,), ("implementation", name))]
    return written.sheet.text(written.one(Field.COMPONENT, *paths), Field.COMPONENT)
