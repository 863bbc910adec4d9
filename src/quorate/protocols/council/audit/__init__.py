"""Audit of a council bundle against the rules, whoever wrote it; nothing in the bundle is trusted.

`audit` names every deviation: the rule it breaks, its place, what stands there and what would be right.
`kit.untrusted_value` reads hostile data without ever raising, read.py says what a bundle seems to mean, and each of the
other modules checks one subject in small functions, all of which are listed here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorate.protocols.council.audit.budgets import check_degraded, check_episodes, check_tokens
from quorate.protocols.council.audit.counters import (
    check_agent_counts,
    check_cycle_counts,
    check_gate_counts,
    check_resolution_counts,
    check_severity_counts,
    check_totals,
)
from quorate.protocols.council.audit.cycles import check_completed, check_cycles, check_quorum, check_source_cycles
from quorate.protocols.council.audit.deviation import MOST_LISTED, Audit, Deviation, Kind, counted
from quorate.protocols.council.audit.draw import (
    check_categories,
    check_draw,
    check_modes,
    check_names,
    check_overlap,
    check_sources,
)
from quorate.protocols.council.audit.fates import check_consensus, check_lists, check_resolutions
from quorate.protocols.council.audit.gates import check_gate_statuses, check_gates, check_profile
from quorate.protocols.council.audit.keys import check_dedup_keys, check_signatures
from quorate.protocols.council.audit.read import Bundle
from quorate.protocols.council.audit.references import (
    check_agents,
    check_ids,
    check_merges,
    check_references,
    check_session,
)
from quorate.protocols.council.audit.seal import check_seal
from quorate.protocols.council.audit.shape import check_entries, check_fields
from quorate.protocols.council.audit.verdict import (
    check_agreement_of_end,
    check_confidence,
    check_end,
    check_rulings,
    check_verdict,
)
from quorate.protocols.council.audit.vocabulary import (
    check_finding_words,
    check_severities,
    check_taxonomy,
    check_words,
)
from quorate.protocols.council.audit.votes import (
    check_agreement,
    check_positions,
    check_remediations,
    check_settled,
    check_statuses,
    check_voters,
)

__all__ = ["CHECKS", "MOST_LISTED", "Audit", "Deviation", "Kind", "audit", "examine"]

CHECKS: tuple[Callable[[Bundle], Iterator[Deviation]], ...] = (
    # The verdict and the end
    check_verdict,
    check_end,
    check_agreement_of_end,
    check_confidence,
    check_rulings,
    # The words, and the gates
    check_words,
    check_finding_words,
    check_taxonomy,
    check_severities,
    check_gates,
    check_gate_statuses,
    check_profile,
    # Seats and lenses
    check_agents,
    check_modes,
    check_names,
    check_categories,
    check_overlap,
    check_draw,
    check_sources,
    # Agreement
    check_statuses,
    check_voters,
    check_agreement,
    check_positions,
    check_settled,
    check_remediations,
    check_resolutions,
    check_consensus,
    check_lists,
    # Numbers
    check_totals,
    check_severity_counts,
    check_resolution_counts,
    check_gate_counts,
    check_agent_counts,
    check_cycle_counts,
    # Cycles and budgets
    check_completed,
    check_quorum,
    check_source_cycles,
    check_cycles,
    check_tokens,
    check_episodes,
    check_degraded,
    # Keys, ids and fields
    check_signatures,
    check_dedup_keys,
    check_ids,
    check_references,
    check_merges,
    check_session,
    check_seal,
    check_fields,
    check_entries,
)


def audit(data: Any) -> tuple[Deviation, ...]:
    """Return the deviations of a bundle, rule violations first; empty if it follows all rules."""
    return examine(data).deviations


def examine(data: Any) -> Audit:
    """Check a bundle of plain values, counting deviations beyond the listing limit. Never raises on bad data."""
    bundle = Bundle.of(data)
    if not bundle.at.is_mapping:
        return counted([check_fields(bundle)])
    return counted(check(bundle) for check in CHECKS)
