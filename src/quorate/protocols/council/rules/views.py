"""Who sees what in a council: pure functions of the record, one for each brief (C19, C41, C42).

What is common to all seats comes first and is stable between calls, so that providers can cache it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from quorate.core.forms import Key, Reply
from quorate.core.record import Record
from quorate.core.types import Ask, Seat
from quorate.core.view import Cut, Section, View, common, fit
from quorate.kit.channel import Channel
from quorate.kit.ground import is_grounded
from quorate.protocols.council.rules.coverage import BY_TURNS, by_turns, shown, turn_of
from quorate.protocols.council.rules.excerpts import (
    FINDING,
    FOCUS,
    LESSER,
    artifact_text,
    at_stake,
    components,
    counted,
    described,
    edits_as_data,
    files_together,
    gate_lines,
    groups,
    heading,
    proposal_text,
    requirement,
    room_for,
    those,
    whole_files,
    whole_tickets,
)
from quorate.protocols.council.rules.forms import Answer, Raised, Response
from quorate.protocols.council.rules.history import (
    Raising,
    answers,
    applications,
    by_finding,
    carried,
    patches,
    proposals,
    refused_findings,
    report,
)
from quorate.protocols.council.rules.lenses import lenses
from quorate.protocols.council.rules.material import brought, receipt
from quorate.protocols.council.rules.model import (
    HELD_BY_CODE,
    MOST_SHOWN,
    REVIEWERS,
    Finding,
    Resolution,
    State,
    contested,
)
from quorate.protocols.council.rules.note_sections import note_sections
from quorate.protocols.council.rules.notes import as_text, notes
from quorate.protocols.council.rules.protocol import ARTIFACTS, Council
from quorate.protocols.council.rules.qualification import quiet, real
from quorate.protocols.council.rules.taxonomy import GateStatus, GateType, gate_type, place_keys


class Views:
    """The views of one council; an instance is its protocol's `view` function."""

    def __init__(self, council: Council) -> None:
        self.council = council
        self._by_brief: dict[str, Callable[[Record, Ask], Iterator[Section]]] = {
            "examine": self._examine,
            "match": self._match,
            "cover": self._cover,
            "apply": self._apply,
            "score": self._structure,
            "mock-run": self._structure,
            "assure": self._structure,
            "assess": self._assess,
            "respond": self._respond,
            "bind": self._bind,
            "remediate": self._remediate,
            "vote": self._vote,
            "patch": self._patch,
        }

    def __call__(self, record: Record, ask: Ask) -> View:
        return self.with_receipt(record, ask)[0]

    def with_receipt(self, record: Record, ask: Ask) -> tuple[View, tuple[Cut, ...]]:
        """Return the view, cut to the limit for one seat, and what was cut (C42)."""
        sections = tuple(self._by_brief[ask.brief](quiet(record), ask))
        if ask.seat in HELD_BY_CODE:
            return View("", sections), ()
        sections += tuple(note_sections(record, ask, self.council.settings, self._words))
        room = room_for(ask.brief, sections, self.council.settings.seat_tokens or MOST_SHOWN)
        return fit(View(f"roles/{ask.seat}", sections), room)

    # Seats held by code are shown what they work on, and nothing is cut.

    def _examine(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Gates", record.material.get("gates", ""))
        yield Section("Places", " ".join(ask.keys))

    def _match(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Findings", json.dumps(described(record, ask.keys), ensure_ascii=False))

    def _cover(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield Section("Shown", json.dumps({key: list(map(str, seats)) for key, seats in shown(record).items()}))
        yield from (Section("Places", " ".join(ask.keys)), Section("Refused", str(len(refused_findings(record)))))

    def _apply(self, record: Record, ask: Ask) -> Iterator[Section]:
        held = [each.key for each in record.session.state.findings if each.resolution is Resolution.REMEDIATED]
        yield Section("Findings", json.dumps(described(record, (*ask.keys, *held)), ensure_ascii=False))
        for number, patch in enumerate(patches(record, held), start=1):
            yield Section(f"Patch {number}", edits_as_data(patch))

    # What every seat is shown

    def _rfc(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from common(self._parts(record, ask))
        rfc, places = brought(record), set(place_keys(record.session.state.tickets))
        named = [f"{key} {rfc.name(key)}" for key in ask.keys if key in places]
        if named:  # not asked of everybody, so it must not stand before what everybody is shown
            yield Section("Places, by key", "\n".join(named), cut=4)

    def _parts(self, record: Record, ask: Ask) -> Iterator[Section]:
        """Yield requirements, components, gates, tickets and documents; documents are cut first."""
        rfc, state = brought(record), record.session.state
        yield Section("The RFC", f"{rfc.id} {rfc.title}\nVersion {rfc.version}")
        yield Section("Requirements", "\n".join(requirement(each) for each in rfc.requirements) or "none", cut=4)
        yield Section("Components and extension points", "\n".join(components(rfc)) or "not known", cut=4)
        yield Section("What the gates found", "\n".join(self._gates(record)), cut=2)
        if lesser := "\n".join(gate_lines(record, grave=False)):
            yield Section("Lesser findings of the gates", lesser, cut=LESSER)
        named = ask.brief != "patch"
        tickets = whole_tickets(rfc, {finding.place for finding in state.findings}, named=named)
        if ask.brief in BY_TURNS:
            turn, turns = turn_of(ask, self.council.seats(), self.council.settings)
            yield from by_turns((*tickets, *whole_files(rfc)), turn, turns)
            return
        yield from tickets
        yield from files_together(rfc) if named else whole_files(rfc, named=False)

    def _gates(self, record: Record) -> Iterator[str]:
        found = report(record)
        if found is None:
            yield "The gates have not reported yet."
            return
        for run in found.gates:
            counted = run.status is GateStatus.PASSED and gate_type(run.gate) is GateType.LLM_ASSISTED
            yield f"{run.gate.value}: {'for seats to judge' if counted else run.status.value}. {run.reason}"
        yield from gate_lines(record, grave=True)

    def _told(self, record: Record, seat: Seat) -> Iterator[Section]:
        """Yield the lenses and the focus of a seat."""
        drawn = lenses(seat, self.council.selection.modes[seat])
        lines = [f"{lens.value}: {mode.id} {mode.name}. {mode.asks}" for lens, mode in drawn.items()]
        yield Section("Your lenses", "\n".join(lines), data=False)
        yield Section("Your focus", FOCUS[seat][brought(record).version], data=False)

    def _structure(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._rfc(record, ask)
        yield from self._told(record, ask.seat)

    def _assess(self, record: Record, ask: Ask) -> Iterator[Section]:
        yield from self._rfc(record, ask)
        yield from counted(receipt(report(record)))
        yield from self._notes(record, 1)
        raised = [each for each in record.session.state.findings if not each.proven]
        yield from self._findings(record, ask.seat, raised)
        yield from self._artifact(record, ask.seat)
        yield from self._told(record, ask.seat)
        yield Section("The gates to assess", "\n".join(self._to_assess(record)) or "none", data=False)

    def _to_assess(self, record: Record) -> Iterator[str]:
        """Yield the gates that need judgement and that the RFC's version has (C10)."""
        found = report(record)
        none = {run.gate for run in found.gates if run.status is GateStatus.NOT_APPLICABLE} if found else set()
        for gate in self.council.settings.profile:
            if gate_type(gate) is GateType.LLM_ASSISTED and gate not in none:
                yield gate.value

    def _notes(self, record: Record, cycle: int) -> Iterator[Section]:
        note = notes(record).get(cycle)
        if note is not None:
            yield Section(f"Onboarding notes after cycle {cycle}", as_text(note), cut=2)

    def _artifact(self, record: Record, seat: Seat) -> Iterator[Section]:
        said = real(record).latest(seat, ARTIFACTS[seat][0])
        if said is not None and isinstance(said.reply, Reply):
            yield Section("Your own artifact", artifact_text(said.reply), cut=3)

    def _words(self, text: str, reader: Seat) -> str:
        """Return a text with the names of other seats removed (C41)."""
        others = "|".join(re.escape(name) for name in REVIEWERS if name != reader)
        return re.sub(rf"(?<![\w-])(?:{others})(?![\w-])", "a seat", text, flags=re.IGNORECASE)

    # Findings

    def _findings(self, record: Record, reader: Seat, findings: Iterable[Finding]) -> Iterator[Section]:
        raised, seen = by_finding(record), self._seen(record)
        for finding in findings:
            yield Section(heading(finding), self._finding(record, raised, reader, finding, seen), cut=FINDING)

    def _seen(self, record: Record) -> str | None:
        """Return the text that quotations must occur in to be shown; None if words are shown in full (C45)."""
        if self.council.settings.channel is Channel.PROSE:
            return None
        rfc = brought(record)
        return "\n\n".join(str(each["text"]) for each in (*rfc.tickets, *rfc.documents))

    def _finding(
        self,
        record: Record,
        raised: Mapping[Key, Sequence[Raising]],
        reader: Seat,
        finding: Finding,
        seen: str | None,
    ) -> str:
        rfc, held = brought(record), raised[finding.key]
        by = "proven by a gate" if finding.proven else f"raised by {len({each.by for each in held})} of the seats"
        lines = [f"{rfc.name(finding.place)}: {finding.subcategory.means}; {by}, {finding.agreement.value}"]
        for each in held:
            lines.append(f"  As {each.key} it was raised as {each.severity.value}, {each.field.value}:")
            if seen is not None and not each.proven and each.by != reader:
                found = isinstance(each.said, Raised) and is_grounded(each.said.evidence, seen)
                lines.append(f"  Evidence: {each.evidence}" if found else "  Its evidence does not occur in the RFC")
                continue
            quoted = "" if each.proven or getattr(each.said, "quoted", True) else " (this does not occur in the RFC)"
            lines.append(self._words(f"{each.description}\n  Evidence{quoted}: {each.evidence}", reader))
        return "\n".join(lines)

    def _respond(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._rfc(record, ask)
        yield from self._findings(record, ask.seat, those(state, ask.keys))
        yield Section("Findings of one kind, place and field", "\n".join(groups(state, ask.keys)) or "none", data=False)
        yield from self._told(record, ask.seat)

    def _bind(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._rfc(record, ask)
        yield from self._told(record, ask.seat)
        own = next(each for each in state.seats if each.seat == ask.seat)
        yield Section("Lenses that you have not used", ", ".join(lens.value for lens in own.unbound), data=False)

    def _remediate(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._rfc(record, ask)
        yield from self._notes(record, 2)
        yield from self._findings(record, ask.seat, those(state, ask.keys))

    def _vote(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._rfc(record, ask)
        yield from self._notes(record, 2)
        said, offered, raised, seen = answers(record), proposals(record), by_finding(record), self._seen(record)
        items = contested(state)
        about = {*items.values(), *(each.finding for each in offered.values())}
        for finding in state.findings:
            if finding.key in about:
                told = self._finding(record, raised, ask.seat, finding, seen)
                mine = {key: each.proposal for key, each in offered.items() if each.finding == finding.key}
                ways = [self._words(proposal_text(key, each), ask.seat) for key, each in mine.items()]
                sides = (side for each in raised[finding.key] for side in self._sides(said.get(each.key, {}), ask.seat))
                keys = ", ".join(key for key in ask.keys if items.get(key) == finding.key or key in mine)
                text = "\n".join((told, *at_stake(finding), *ways, *dict.fromkeys(sides)))
                yield Section(f"{heading(finding)} (vote on {keys})", text, cut=FINDING)

    def _sides(self, given: dict[Seat, Answer], reader: Seat) -> Iterator[str]:
        """Yield thesis and antithesis of a contested finding without names (C19); only the side without prose (C45)."""
        for seat, answer in given.items():
            side = "Against" if answer.response is Response.DISPUTE else "For"
            side += f", as {answer.severity.value}" if answer.response is Response.SEVERITY else ""
            if answer.response is Response.SEVERITY or not (answer.unreasoned or answer.response is Response.ABSTAIN):
                whole = seat == reader or self.council.settings.channel is Channel.PROSE
                yield self._words(f"{side}: {answer.reason}", reader) if whole else f"{side}: a seat"

    def _patch(self, record: Record, ask: Ask) -> Iterator[Section]:
        state: State = record.session.state
        yield from self._rfc(record, ask)
        offered, raised, agreed = proposals(record).values(), by_finding(record), carried(record)
        seen = self._seen(record)
        for finding in those(state, ask.keys):
            mine = [each.proposal for each in offered if each.finding == finding.key and each.key in agreed]
            how = self._words("\n".join(f"{each.fix.value}: {each.remediation}" for each in mine), ask.seat)
            text = f"{self._finding(record, raised, ask.seat, finding, seen)}\nRemediation agreed upon:\n{how}"
            yield Section(heading(finding), text, cut=FINDING)
        if state.attempts:
            for last in applications(record)[-1:]:
                yield Section("Why the last edits were refused", str(last.notes), cut=2)
