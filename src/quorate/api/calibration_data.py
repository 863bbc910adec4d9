"""A calibration as plain data for programs: counts beside every share, and the bounds of each."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quorate.api.label_records import label_data
from quorate.api.track_record import Calibrated
from quorate.simulate.flips import Flips
from quorate.worth.calibration import Agreeing, OfConfidence, OfPanel
from quorate.worth.cases import CONFIDENCE, Share
from quorate.worth.families import family


def calibration_data(calibrated: Calibrated) -> dict[str, Any]:
    """Return a calibration as plain data; a value is null where there is not enough data for it."""
    found = calibrated.found
    return {
        "sessions": found.cases,
        "findings": calibrated.findings,
        "confidence": CONFIDENCE,
        "verdicts": [
            {"protocol": each.protocol, "verdict": each.verdict, **_share(each.share), "left_open": each.left_open}
            for each in found.verdicts
        ],
        "seats": [
            {
                "protocol": each.protocol,
                "seat": str(each.seat),
                "models": list(each.models),
                "families": sorted({family(model) for model in each.models}),
                "matter": _share(each.matter),
                "findings": _share(each.findings),
            }
            for each in found.seats
        ],
        "confidences": [_confidence(each) for each in found.confidences],
        "panels": [_panel(each) for each in found.panels],
        "families": [_agreeing(each) for each in found.families],
        "flips": {protocol: _flips(flips) for protocol, flips in found.flips.items()},
        "advice": list(calibrated.advice),
        "left_out": [{**label_data(each.label), "why": each.why} for each in calibrated.left_out],
    }


def _number(value: Fraction | float | None) -> float | None:
    return None if value is None else float(value)


def _share(share: Share) -> dict[str, Any]:
    low, high = share.interval
    return {"right": share.right, "items": share.items, "share": _number(share.share), "low": low, "high": high}


def _confidence(each: OfConfidence) -> dict[str, Any]:
    parts = ("score", "reliability", "resolution", "uncertainty")
    return {
        "protocol": each.protocol,
        "items": each.items,
        "brier": {name: _number(getattr(each.brier, name)) for name in parts},
        "expected_calibration_error": _number(each.error),
        "bins": [
            {
                "from": _number(row.low),
                "to": _number(row.high),
                "said": _number(row.said),
                **_share(Share(row.right, row.items)),
            }
            for row in each.bins
        ],
    }


def _panel(panel: OfPanel) -> dict[str, Any]:
    agreed, limit = panel.unanimity, panel.ceiling
    return {
        "protocol": panel.protocol,
        "voters": [str(seat) for seat in panel.voters],
        "items": panel.items,
        "whole": panel.whole,
        "contested": panel.contested,
        "correlation": _number(panel.correlation),
        "effective_votes": _number(panel.effective),
        "adds": {str(seat): _number(adds) for seat, adds in panel.adds.items()},
        "pairs": [_agreeing(each) for each in panel.agreeing],
        "unanimity": {
            "unanimous": agreed.unanimous,
            "right": agreed.right,
            "coverage": _number(agreed.coverage),
            "precision": _number(agreed.precision),
            "precision_at_least": agreed.precision_bound,
        },
        "all_wrong": {
            "items": limit.items,
            "all_wrong": limit.all_wrong,
            "share": _number(limit.beta),
            "at_most": limit.beta_bound,
            "accuracy_at_most": limit.accuracy_bound,
        },
    }


def _agreeing(each: Agreeing) -> dict[str, Any]:
    return {
        "first": each.first,
        "second": each.second,
        "items": each.items,
        "same_side": each.same,
        "agreement": _number(each.share),
        "both_wrong": each.pair.both_wrong,
        "correlation": each.pair.phi,
    }


def _flips(flips: Flips) -> dict[str, Any]:
    return {
        "stayed_right": flips.stayed_right,
        "stayed_wrong": flips.stayed_wrong,
        "helpful": flips.helpful,
        "harmful": flips.harmful,
        "helpful_rate": _number(flips.helpful_rate),
        "harmful_rate": _number(flips.harmful_rate),
        "gain": _number(flips.gain),
    }
