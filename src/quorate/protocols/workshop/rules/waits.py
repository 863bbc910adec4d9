"""Which rulings wait anew after a move, for invariants (W24)."""

from __future__ import annotations

from quorate.core.protocol import Moment
from quorate.protocols.workshop.rules.model import Artifact, Phase, State
from quorate.protocols.workshop.rules.taxonomy import ArtifactType

CHANGES = ("amended", "reverted", "withdrawn", "superseded", "issued")
"""The facts of changes to a text, and of texts that are new."""


def waits_anew(moment: Moment[State], ruling: Artifact) -> bool:
    """A person may rule again in the same round; what a ruling names may have been changed, or be more (W24)."""
    if ruling.type is not ArtifactType.RUL:
        return False
    if moment.phase is Phase.ESCALATION:
        return ruling.made == moment.state.round
    told = {str(dict(fact.values)["id"]) for fact in moment.facts if fact.name in CHANGES}
    changed = [each for each in moment.after.artifacts if each.id in told and not each.type.is_matter]
    return any(each.id in ruling.about or each.topic in ruling.about for each in changed)
