"""STR-005: all metrics, recomputed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from quorate.kit.untrusted_value import Spot, shown
from quorate.protocols.workshop.audit.problem import Finding, NotChecked, problem
from quorate.protocols.workshop.audit.read import SessionFile
from quorate.protocols.workshop.audit.shape import type_of
from quorate.protocols.workshop.rules.lives import Status
from quorate.protocols.workshop.rules.taxonomy import Agreement

CHECK = "STR-005"
_LIVE = (Status.ACTIVE, Status.AMENDED)


def check_metrics(file: SessionFile) -> Iterator[Finding]:
    """Artifacts by type and status, topics, agreement and tokens are as many as the file holds."""
    metrics = file.at["metrics"]
    if not metrics.is_mapping:
        yield NotChecked(CHECK, "the file has no metrics")
        return
    artifacts, topics = metrics["artifacts"], metrics["topics"]
    yield from _figure(artifacts["total"], len(file.artifacts), "artifacts")
    types = Counter(each.type.value if each.type else each.group for each in file.artifacts)
    yield from _figures(artifacts["by_type"], types, by_type=True)
    yield from _figures(artifacts["by_status"], Counter(each.status.value for each in file.artifacts if each.status))
    statuses = [each["status"].text for each in file.at["agenda"].items]
    yield from _figure(topics["total"], len(statuses), "topics")
    yield from _figure(topics["closed"], statuses.count("closed"), "closed topics")
    yield from _counted(file)
    yield from _rate(file, metrics["consensus_rate"])
    yield from _tokens(file, metrics["tokens"])


def _figure(at: Spot, right: int, noun: str) -> Iterator[Finding]:
    if at.given and at.whole != right:
        yield problem(CHECK, at, f"is {at}, but there are {right} {noun}", str(right))


def _figures(at: Spot, right: Mapping[str, int], *, by_type: bool = False) -> Iterator[Finding]:
    """Counts by name; a name without a count stands for none."""
    if not at.is_mapping:
        return
    named: set[str] = set()
    for written, each in at.entries.items():
        kind = type_of(written) if by_type else None
        name = kind.value if kind is not None else written
        named.add(name)
        if each.whole != right.get(name, 0):
            what = f"is {each}, but there are {right.get(name, 0)} of {shown(name)}"
            yield problem(CHECK, each, what, str(right.get(name, 0)))
    for name in right.keys() - named:
        yield problem(CHECK, at, f"has no count of {shown(name)}", f"{name}: {right[name]}")


def _counted(file: SessionFile) -> Iterator[Finding]:
    """What a topic says it counts is what it has: live and agreed upon, of the types that count (W21)."""
    agreed: Counter[tuple[str, str]] = Counter()
    for each in file.artifacts:
        if each.status in _LIVE and each.at["agreement"].text == Agreement.CONSENSUS.value and each.type is not None:
            agreed[each.topic or "", each.type.value] += 1
    for topic in file.at["agenda"].items:
        if topic["counts"].is_list and topic["counted"].given:
            name = topic.first("topic_id", "id").text or ""
            right = sum(agreed[name, kind] for kind in {at.text or "" for at in topic["counts"].items})
            yield from _figure(topic["counted"], right, "agreed artifacts that count")


def _rate(file: SessionFile, at: Spot) -> Iterator[Finding]:
    """The share of artifacts that reached consensus, questions and conflicts left out: in percent, or from 0 to 1.

    Files count superseded and withdrawn artifacts or leave them out; both are right.
    """
    if not at.given:
        return
    things = [each for each in file.artifacts if not each.is_matter]
    live = [each for each in things if each.status in _LIVE]
    shares = [
        (sum(each.at["agreement"].text == Agreement.CONSENSUS.value for each in of), len(of)) for of in (live, things)
    ]
    if not any(_is_share(at, agreed, total) for agreed, total in shares):
        agreed, total = shares[0]
        right = f"{100 * agreed // total} percent" if total else "0"
        yield problem(CHECK, at, f"is {at}, but {agreed} of {total} artifacts reached consensus", right)


def _is_share(at: Spot, agreed: int, total: int) -> bool:
    number = at.number
    if number is None or total == 0:
        return number in (0, 1, 100)
    whole, close = (1.0, 0.01) if isinstance(at.value, float) and number <= 1 else (100.0, 1.0)
    # Percents may be rounded either way.
    return abs(number * total - whole * agreed) < total * close


def _tokens(file: SessionFile, at: Spot) -> Iterator[Finding]:
    """What the rounds took is what they say themselves, and no more than the whole."""
    total, by_round = at.first("estimated_total", "total"), at["by_round"]
    counts = {str(place): each for place, each in enumerate(by_round.items, 1)} or by_round.entries
    for each in file.rounds:
        own, count = each.at["tokens"].whole, counts.get(str(each.place))
        if own is not None and count is not None and own != count.whole:
            yield problem(CHECK, count, f"is {count}, but round {each.place} took {own}", str(own))
    if len(counts) > len(file.rounds):
        yield problem(CHECK, by_round, f"counts {len(counts)} rounds, but there are {len(file.rounds)}")
    spent = sum(each.whole or 0 for each in counts.values())
    if total.whole is not None and spent > total.whole:
        yield problem(CHECK, total, f"is {total}, but its rounds took {spent}", "at least that")
