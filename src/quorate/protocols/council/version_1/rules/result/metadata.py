"""The council's metadata: seats and their modes, how the draw was validated, and every counter (C3, C4, C43)."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from quorate.core.record import Said
from quorate.core.types import Seat
from quorate.protocols.council.version_1.rules.forms import Assessment, Lens
from quorate.protocols.council.version_1.rules.lenses import ANCHORS
from quorate.protocols.council.version_1.rules.model import REVIEWERS, ROLES, Depth, Outcome, Resolution
from quorate.protocols.council.version_1.rules.modes import MODES
from quorate.protocols.council.version_1.rules.result.endings import cycles_completed
from quorate.protocols.council.version_1.rules.result.findings import plain_id
from quorate.protocols.council.version_1.rules.result.gates import gates
from quorate.protocols.council.version_1.rules.result.overview import Reading
from quorate.protocols.council.version_1.rules.taxonomy import GateStatus, Severity


def moment(milliseconds: int) -> str | None:
    """Return a journal time as ISO 8601 in UTC, in seconds; None if the journal has none."""
    return datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if milliseconds else None


def session_id(reading: Reading) -> str | None:
    """Return e.g. COUNCIL-RFC-0042-20260126-100000, from the time of the first reply; None before it."""
    began = next((each.at for each in reading.record.envelopes if each.at), 0)
    if not began:
        return None
    return f"COUNCIL-{plain_id(reading)}-{datetime.fromtimestamp(began // 1000, UTC):%Y%m%d-%H%M%S}"


def metadata(reading: Reading) -> dict[str, Any]:
    """Return `council_metadata`."""
    findings, state = reading.state.findings, reading.state
    severities = Counter(each.severity for each in findings)
    resolutions = Counter(each.resolution for each in findings)
    resolutions[Resolution.MERGED] = state.merged
    on_findings = [values for key, values in reading.standings.items() if key.startswith("F")]
    held = reading.depth is Depth.COUNCIL and reading.move(Outcome.VOTED) is not None
    seats = [line for line in reading.record.log if isinstance(line, Said) and line.ask.seat in REVIEWERS]
    envelopes = reading.record.envelopes
    return {
        "session_id": session_id(reading),
        "journal_session": reading.record.opening.session,
        "session_seed": reading.settings.drawn_from(reading.record.opening.seed),
        "settings": dict(reading.record.protocol.settings),
        "subagents": [_subagent(reading, seat) for seat in reading.seats],
        "mode_selection_validation": _validation(reading),
        "cycles_completed": cycles_completed(reading),
        "total_findings_generated": state.raised,
        "findings_after_dedup": len(findings),
        "contested_items_resolved": sum(each["stands"] in ("supported", "opposed") for each in on_findings),
        "quorum_achieved": held and not any(each["stands"] == "split" for each in on_findings),
        "quorum": reading.settings.quorum if reading.depth is Depth.COUNCIL else None,
        "tokens_consumed": sum(each.tokens_in + each.tokens_out for each in envelopes),
        "episodes_consumed": len(seats),
        "findings_by_severity": {each.value: severities[each] for each in Severity},
        "resolutions": {each.value: resolutions[each] for each in Resolution},
        "gates_executed": [
            str(each["gate_id"]) for each in gates(reading) if each["status"] != GateStatus.NOT_APPLICABLE.value
        ],
    }


def _subagent(reading: Reading, seat: Seat) -> dict[str, Any]:
    modes, anchors = reading.modes[seat], ANCHORS[seat]
    return {
        "agent_id": str(seat),
        "emergent_role": ROLES[seat],
        "selected_modes": list(modes),
        "anchor_modes": list(anchors),
        "random_modes": [mode for mode in modes if mode not in anchors],
        "mode_names": {str(mode): MODES[mode].name for mode in modes},
        "categories": _categories(reading)[str(seat)],
        "confidence": _confidence(reading, seat),
        "lost": seat in reading.lost,
        "unbound_modes": unbound(reading).get(seat, []),
    }


def _confidence(reading: Reading, seat: Seat) -> str | None:
    """Return a seat's stated confidence in its assessment, or None without one (C32)."""
    said = reading.record.latest(seat, "assess")
    return said.reply.confidence.value if said is not None and isinstance(said.reply, Assessment) else None


def unbound(reading: Reading) -> dict[Seat, list[int]]:
    """Return the modes that each seat left unbound despite the repair request (C6)."""
    found: dict[Seat, list[int]] = {}
    for values in reading.facts("unbound"):
        seat = Seat(str(values["seat"]))
        found.setdefault(seat, []).append(reading.mode(seat, Lens(str(values["lens"]))).id)
    return found


def _categories(reading: Reading) -> dict[str, list[str]]:
    return {str(values["seat"]): str(values["categories"]).split(", ") for values in reading.facts("modes")}


def _validation(reading: Reading) -> dict[str, Any]:
    """Return the validation of the draw, in the seed's format (C4)."""
    (checked,) = reading.facts("mode_selection")
    drawn = {str(seat): list(modes) for seat, modes in reading.modes.items()}
    every = [mode for modes in drawn.values() for mode in modes]
    return {
        "session_id": session_id(reading),
        "subagent_modes": drawn,
        "category_coverage": _categories(reading),
        "total_overlap": checked["total_overlap"],
        "surplus": len(every) - len(set(every)),
        "attempts": {str(values["seat"]): values["attempt"] for values in reading.facts("modes")},
        "relaxed": [each for each in str(checked["relaxed"]).split(", ") if each],
        "validation_passed": checked["passed"],
    }
