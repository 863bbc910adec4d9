"""Advice on seats from measured numbers; none is given where there are too few sessions.

Below 30 sessions the standard error of a correlation is above 0.18 (about 1 / sqrt(n - 1)), which is more than the
difference between one model family and two; and where hardly anybody has erred there are no errors to compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from quorate.simulate.flips import Flips
from quorate.simulate.pairs import Paired, mcnemar
from quorate.worth.calibration import Agreeing, Calibration, OfConfidence, OfPanel
from quorate.worth.families import family

LEAST_SESSIONS = 30
"""Labelled sessions with the same seats, all of which took a side, from which advice on seats is given."""
LEAST_CONTESTED = 5
"""Of them, those in which at least one seat was wrong."""
LEAST_FORECASTS = 30
LITTLE = Fraction(1, 4)
"""Effective votes under which a seat adds little."""
SURE_ENOUGH = 0.9
"""The least precision of unanimity, with confidence, from which a second round is not needed for it."""
SIGNIFICANT = Fraction(5, 100)


def advice(found: Calibration) -> list[str]:
    """Return the advice for each panel or, without enough labels, how many it would take."""
    told: list[str] = []
    for panel in found.panels:
        told += _on_panel(panel, found)
    for protocol, flips in found.flips.items():
        told += _on_talk(protocol, flips)
    for each in found.confidences:
        told += _on_confidence(each)
    if not found.panels:
        told.append(
            f"No advice on seats: it takes {LEAST_SESSIONS} labelled sessions in which the same seats each took a "
            "side of their own, and there is none."
        )
    return told


def enough(panel: OfPanel) -> bool:
    """Whether there are enough labelled sessions to rely on the figures of these seats."""
    return panel.whole >= LEAST_SESSIONS and panel.contested >= LEAST_CONTESTED


def _on_panel(panel: OfPanel, found: Calibration) -> Iterator[str]:
    named = f"{panel.protocol} with {', '.join(panel.voters)}"
    if not enough(panel):
        yield (
            f"No advice on the seats of a {named}: it takes {LEAST_SESSIONS} labelled sessions in which all of them "
            f"took a side, {LEAST_CONTESTED} of these with somebody wrong; there are {panel.whole} and "
            f"{panel.contested}."
        )
        return
    if panel.effective is not None:
        yield (
            f"The {len(panel.voters)} seats of a {named} are worth {float(panel.effective):.1f} independent votes "
            f"({panel.whole} sessions)."
        )
    for seat, adds in panel.adds.items():
        if adds is not None and adds < LITTLE:
            yield _adds_little(panel, str(seat), adds, found)
    for each in found.seats:
        ours, high = (each.protocol == panel.protocol and each.seat in panel.voters), each.matter.interval.high
        if ours and each.matter.items >= LEAST_SESSIONS and high < 0.5:
            yield (
                f"{each.seat} was right in {each.matter.right} of {each.matter.items} sessions, with 95 % confidence "
                f"in at most {percent(high)}: its vote leads away from what is right."
            )
    agreed = panel.unanimity
    if agreed.unanimous >= LEAST_SESSIONS and agreed.precision_bound >= SURE_ENOUGH:
        yield (
            f"Where all agreed by themselves they were right in {agreed.right} of {agreed.unanimous} sessions, with "
            f"95 % confidence in at least {percent(agreed.precision_bound)}: unanimity needs no further round."
        )


def _adds_little(panel: OfPanel, seat: str, adds: Fraction, found: Calibration) -> str:
    peers = [each for each in panel.agreeing if seat in (each.first, each.second) and each.items]
    closest = max(peers, key=_share)
    peer = closest.second if closest.first == seat else closest.first
    ours = (each for each in found.seats if each.protocol == panel.protocol)
    models = {str(each.seat): {family(model) for model in each.models} for each in ours}
    alike = bool(models.get(seat)) and models.get(seat) == models.get(peer)
    do = "Both are of one family: try another one there" if alike else "Try another model there, or do without it"
    votes = f"{float(adds):.1f} effective votes" if adds > 0 else f"no effective vote ({float(adds):.1f})"
    return (
        f"{seat} agrees with {peer} in {percent(_share(closest))} of {closest.items} sessions: it adds {votes}. {do}."
    )


def percent(share: float | Fraction) -> str:
    """Format a share as a whole percentage: `96 %`."""
    return f"{100 * float(share):.0f} %"


def _share(each: Agreeing) -> float:
    return float(each.share or 0)


def _on_talk(protocol: str, flips: Flips) -> Iterator[str]:
    """Say whether seeing the others helped, if the exact test shows a difference."""
    moved = Paired(flips.stayed_right, flips.harmful, flips.helpful, flips.stayed_wrong)
    if mcnemar(moved) > SIGNIFICANT:
        return
    counted = f"{flips.helpful} positions became right and {flips.harmful} wrong after others were shown"
    if flips.harmful > flips.helpful:
        yield f"In a {protocol}, {counted}: fewer rounds would decide better."
    else:
        yield f"In a {protocol}, {counted}: talking helps."


def _on_confidence(each: OfConfidence) -> Iterator[str]:
    if each.items >= LEAST_FORECASTS and each.brier.score >= each.brier.uncertainty:
        yield (
            f"Confidences stated in a {each.protocol} say no more than the share of right positions does (Brier "
            f"{float(each.brier.score):.3f}, always saying that share {float(each.brier.uncertainty):.3f}): do not "
            "weigh votes by them."
        )
