"""The board of a council: every finding with its sources, answers, votes and fate, cycle by cycle.

It agrees with the bundle at every moment; replies of the current phase are left out (C41).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.types import Absent
from quorate.kit.board import Board, Dated, FindingCard, title_of
from quorate.protocols.council.rules.forms import Raised, Response
from quorate.protocols.council.rules.history import Raising, facts
from quorate.protocols.council.rules.result.findings import BY_GATE, finding_id, findings
from quorate.protocols.council.rules.result.open_findings import Opened, Told
from quorate.protocols.council.rules.result.overview import Overview
from quorate.protocols.council.rules.result.warnings import warnings

Data = Mapping[str, Any]


def board(record: Record) -> Board:
    """Return all findings in order of number, merged ones nested in those they went into, and the warnings."""
    reading = Overview(record)
    cards = _Cards(reading)
    told = zip(findings(reading), Opened(reading).every, strict=True)
    return Board(findings=tuple(cards.card(data, each) for data, each in told), warnings=tuple(warnings(reading)))


class _Cards:
    def __init__(self, reading: Overview) -> None:
        self.reading = reading

    def card(self, data: Data, told: Told) -> FindingCard:
        finding = told.finding
        raised_by = tuple(data["source_agents"])
        return FindingCard(
            id=data["finding_id"],
            title=title_of(data["description"]) or data["subcategory"],
            severity=data["severity"],
            status=data["resolution"],
            location=_location(data["location"], told),
            text=data["description"],
            raised_by=raised_by,
            agreed_by=tuple(seat for seat in data["supporting_agents"] if seat not in raised_by),
            votes=tuple(self._votes(finding.key)),
            blocking=told.core.blocking,
            proven=finding.proven,
            history=tuple(self._history(finding.key)),
            facts=tuple((name, text) for name, text in self._facts(data, finding.key) if text),
        )

    # Votes

    @cached_property
    def _absent(self) -> dict[str, dict[str, str]]:
        """Return the seats without a reply, by brief, with the reason."""
        found: dict[str, dict[str, str]] = {}
        for line in self.reading.record.log:
            if isinstance(line, Said) and isinstance(line.reply, Absent):
                found.setdefault(line.ask.brief, {})[str(line.ask.seat)] = line.reply.reason.value
        return found

    def _votes(self, key: Key) -> Iterator[tuple[str, str]]:
        """Yield the last word of each seat on a finding: its vote, its answer, or that it raised it."""
        voted, answered = self.reading.votes(key), self.reading.counted.get(key, {})
        raisers = {each.by for each in self.reading.sources[key]}
        for seat in self.reading.seats:
            if str(seat) in voted:
                yield str(seat), voted[str(seat)]
            elif voted and str(seat) in self._absent.get("vote", {}):
                yield str(seat), f"absent ({self._absent['vote'][str(seat)]})"
            elif seat in answered:
                yield str(seat), self._answer(key, str(seat), answered[seat])
            elif seat in raisers:
                yield str(seat), "raised"
            elif seat in self.reading.lost:
                reply = self.reading.lost[seat].reply
                yield str(seat), f"absent ({reply.reason.value})" if isinstance(reply, Absent) else "absent"

    def _answer(self, key: Key, seat: str, counts: str) -> str:
        said = next(each for by, each in self.reading.answers[key].items() if by == seat)
        return f"{counts} {said.severity.value}" if counts == Response.SEVERITY.value else counts

    # History

    def _history(self, key: Key) -> Iterator[Dated]:
        for each in self.reading.sources[key]:
            yield Dated(each.cycle, self._raised(key, each))
        yield from self._answered(key)
        yield from self._decided(key)

    def _raised(self, key: Key, each: Raising) -> str:
        told = f"{each.severity.value} raised by {BY_GATE if each.proven else each.by}"
        if each.key == key:
            return told
        _, how = self.reading.merges[each.key]
        return f"{told} as {finding_id(self.reading, each.key)}, merged ({how})"

    def _answered(self, key: Key) -> Iterator[Dated]:
        if said := self.reading.counted.get(key):
            told = (f"{seat} {self._answer(key, str(seat), counts)}" for seat, counts in sorted(said.items()))
            yield Dated(2, f"answered: {', '.join(told)}")
        if key in self.reading.lone:
            yield Dated(2, "a lone BLOCKER: only a quotation that refutes it can dismiss it")

    def _decided(self, key: Key) -> Iterator[Dated]:
        if key in self.reading.standings:
            votes = ", ".join(f"{seat} {vote}" for seat, vote in self.reading.votes(key).items())
            yield Dated(3, f"voted: {votes or 'nobody'}; {self.reading.standings[key]['stands']}")
        for proposed in (each for each in self.reading.proposals.values() if each.finding == key):
            if self.reading.agreed(proposed.key):
                yield Dated(3, f"remediation of {proposed.by} agreed upon")
        for result in self._edits.get(key, ()):
            yield Dated(3, f"edits tried: {result}")

    @cached_property
    def _edits(self) -> dict[Key, list[str]]:
        found: dict[Key, list[str]] = {}
        for _, _, values in facts(self.reading.record, "edited"):
            found.setdefault(Key(str(values["key"])), []).append(str(values["result"]).replace("_", " ").lower())
        return found

    # Facts

    def _facts(self, data: Data, key: Key) -> Iterator[tuple[str, str]]:
        own = self.reading.sources[key][0]
        yield "gate", data["gate_id"]
        yield "category", f"{data['category']} / {data['subcategory']}"
        yield "agreement", data["agreement_status"]
        yield "field", data["location"]["field"]
        yield "evidence", data["evidence"]
        if isinstance(own.said, Raised):
            yield "quotation", "occurs in the RFC" if own.said.quoted else "does not occur in the RFC"
        yield "lens", data["source_mode_name"] or ""
        yield "severity because", data["severity_reason"]
        yield "remediation", data["remediation"] or ""
        yield "merged from", ", ".join(data["merged_from"])
        yield "lone BLOCKER", "yes" if data["lone"] else ""
        yield "refuted", "with a quotation" if data["refuted"] else ""
        for seat, why in data["dissent_rationale"].items():
            yield f"{seat} dissents", why


def _location(place: Mapping[str, Any], told: Told) -> str:
    """Return the ticket, and its file and line."""
    core = told.core
    where = f"{core.path}:{core.line}" if core.path and core.line else core.path
    return ", ".join(part for part in (place["ticket"], where) if part) or str(place["place"])
