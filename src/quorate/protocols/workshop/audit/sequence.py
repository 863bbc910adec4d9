"""STR-004 and STR-006: the rounds are 1 to n in order, and every participant takes part in each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorate.kit.untrusted_value import Spot, many
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, Severity, problem
from quorate.protocols.workshop.audit.read import SessionFile

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z", re.ASCII)


def check_sequence(file: SessionFile) -> Iterator[Finding]:
    """Rounds are numbered 1 to n, as many as the metrics say are complete, and go forward in time."""
    for each in file.rounds:
        at = each.at.first("round", "number")
        if each.number is not None and each.number != each.place:
            yield problem("STR-004", at, f"is round {each.number}", f"{each.place}: rounds are counted from 1")
    completed = file.at["metrics"].first("rounds_completed", "rounds")
    if completed.given:
        complete = sum(each.complete for each in file.rounds)
        if completed.whole != complete:
            lost = len(file.rounds) - complete
            also = f" ({many(lost, 'round')} more brought no result)" if lost else ""
            yield problem("STR-004", completed, f"is {completed}, but {complete} are complete{also}", str(complete))
    elif file.at["metrics"].is_mapping:
        yield problem("STR-004", completed, "is missing", "the number of complete rounds")
    yield from _forward(file)


def _forward(file: SessionFile) -> Iterator[Finding]:
    """Times in the same notation do not go back."""
    timing = file.at["timing"]
    spots = [timing["started_at"], *(each.at["timestamp"] for each in file.rounds), timing["updated_at"]]
    before: Spot | None = None
    for at in (*spots, timing["closed_at"]):
        if at.text is None or not _MOMENT.fullmatch(at.text):
            continue
        if before is not None and _comparable(at) < _comparable(before):
            yield problem("STR-004", at, f"{at} is before {before}", "times in order")
        before = at


def _comparable(at: Spot) -> str:
    """A time without its Z, padded, so that texts compare as times do."""
    second, _, fraction = (at.text or "").removesuffix("Z").partition(".")
    return f"{second}.{fraction.ljust(6, '0')}"


def check_everybody(file: SessionFile) -> Iterator[Finding]:
    """Every configured participant answers in every round; whoever does not is named."""
    if file.participants is None:
        yield NotChecked("STR-006", "the file does not say who was to take part")
        return
    if file.rounds and not any(each.at["participant_positions"].exists for each in file.rounds):
        yield NotChecked("STR-006", "the rounds do not say who answered")
        return
    for each in file.rounds:
        if each is file.rounds[-1] and not each.complete and not each.action.said:
            continue  # The round under way when the session was left.
        for name in file.participants:
            if name not in each.positions:
                was = "was absent from" if name in each.absent else "does not appear in"
                at = each.at["participant_positions"]
                what = f"{name} {was} round {each.place}"
                yield problem("STR-006", at, what, "an answer of every participant", severity=Severity.WARNING)
