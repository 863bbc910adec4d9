"""What workflows make, in words of agendas and documents: types by name, what counts, and the stages of topics."""

from __future__ import annotations

from types import MappingProxyType

from quorate.protocols.workshop.rules.strategies import DISNEY
from quorate.protocols.workshop.rules.taxonomy import MAKES, ArtifactType, Workflow

TYPES = MappingProxyType(
    {kind.value: kind.means for matters in (False, True) for kind in ArtifactType if kind.is_matter is matters}
)
"""The types in the order in which documents list them, questions and conflicts last, with a word for people."""

COUNTED = MappingProxyType(
    {workflow.value: tuple(kind.value for kind in made if not kind.is_matter) for workflow, made in MAKES.items()}
)
"""What may count towards the minimum of a topic: what its workflow makes and can be agreed upon (W20)."""

BOUND_STAGES = tuple(stage.value for stage in DISNEY.stages)
"""The stages that the topics of an agenda may be bound to, in their order (W6)."""


def makes(workflow: Workflow) -> tuple[str, ...]:
    """Return the types of artifacts that a workflow makes, by name."""
    return tuple(kind.value for kind in MAKES[workflow])
