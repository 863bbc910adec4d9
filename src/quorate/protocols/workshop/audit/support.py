"""Consensus by weight has the support it needs, recomputed if the file has the votes (W18)."""

from __future__ import annotations

from collections.abc import Iterator

from quorate.protocols.workshop.audit.disputes import disputed
from quorate.protocols.workshop.audit.problem import Finding, problem
from quorate.protocols.workshop.audit.read import SessionFile, StatedArtifact
from quorate.protocols.workshop.rules.agreement import carries
from quorate.protocols.workshop.rules.strategies import ConsensusRule
from quorate.protocols.workshop.rules.taxonomy import Agreement

CHECK = "STR-007"


def check_support(file: SessionFile) -> Iterator[Finding]:
    """Consensus under weighted majority has supporters, and enough of them where nothing has happened since.

    What was in conflict may be agreed upon by those who settled it, and what was reverted by those who did that; the
    file does not have their names.
    """
    if file.strategy is None or file.strategy.rule is not ConsensusRule.WEIGHTED:
        return
    settled = disputed(file)
    touched = {at.text for each in file.rounds for at in each.at["artifacts_amended"].items}
    for artifact in file.artifacts:
        at = artifact.at
        if artifact.is_matter or at["agreement"].text != Agreement.CONSENSUS.value or artifact.id in settled:
            continue
        amendments = at["amendments"].items
        if not at["supported_by"].is_list or any(entry["reverted"].flag for entry in amendments):
            continue
        if not at["supported_by"].items and not any(entry["supported_by"].items for entry in amendments):
            what = f"{artifact.id} is consensus, but nobody supports it"
            yield problem(CHECK, at["supported_by"], what, "those who support it, or a draft")
        elif not amendments and artifact.id not in touched:
            yield from _weighed(file, artifact)


def _weighed(file: SessionFile, artifact: StatedArtifact) -> Iterator[Finding]:
    """Count the confidence behind a new artifact in the round that made it."""
    threshold, place = file.settings["threshold"].whole, artifact.created
    if threshold is None or place is None or not 1 <= place <= len(file.rounds):
        return
    spoke = file.rounds[place - 1].positions.items()
    said = {name: each["confidence"].number for name, each in spoke if name not in file.notes}
    weights = {name: round(100 * each) for name, each in said.items() if each is not None and 0 <= each <= 1}
    if not weights or len(weights) != len(said):
        return
    behind = {each.text for each in artifact.at["supported_by"].items}
    against = {each.text for each in artifact.at["opposed_by"].items}
    weight, total = sum(weights[name] for name in weights.keys() & (behind - against)), sum(weights.values())
    if not carries(weight, total, threshold):
        what = f"{artifact.id} is consensus with {weight} of {total} percents of confidence behind it"
        yield problem(CHECK, artifact.at["supported_by"], what, f"{threshold} percent, or a draft")
