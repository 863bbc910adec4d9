"""A reading of a council's record: what was raised, merged, answered, proposed and voted, each computed once."""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from typing import Any

from quorate.core.forms import Key
from quorate.core.record import Record, Said
from quorate.core.session import Cause, Move
from quorate.core.types import Absent, Seat
from quorate.kit.settings import read_settings
from quorate.kit.strict_json import strict_json
from quorate.protocols.council.version_1.rules.forms import (
    Answer,
    Ballot,
    Ballots,
    GateReport,
    Lens,
    Patch,
    Raised,
    Vote,
)
from quorate.protocols.council.version_1.rules.history import (
    Proposed,
    Raising,
    answers,
    entry_of,
    facts,
    merges,
    moves,
    proposals,
    raisings,
    report,
    votes,
)
from quorate.protocols.council.version_1.rules.lenses import lenses
from quorate.protocols.council.version_1.rules.material import Brought, brought, receipt
from quorate.protocols.council.version_1.rules.merges import take_raised
from quorate.protocols.council.version_1.rules.model import (
    REMAINING,
    REVIEWERS,
    CouncilSettings,
    Depth,
    Finding,
    Outcome,
    Phase,
    Resolution,
    State,
)
from quorate.protocols.council.version_1.rules.modes import Mode
from quorate.protocols.council.version_1.rules.replies import findings_in

Values = dict[str, str | int | bool]


@lru_cache(maxsize=16)
def _settings(text: str) -> CouncilSettings:
    """Return the settings of a session, cached because gauges are read at every event."""
    return read_settings(CouncilSettings, strict_json(text))


class Reading:
    """The source of everything in the result."""

    def __init__(self, record: Record) -> None:
        self.record = record
        self.settings = _settings(json.dumps(record.protocol.settings, sort_keys=True))
        self.moves: list[Move] = list(moves(record))

    # How it ended

    @property
    def terminal(self) -> Phase | None:
        """The terminal phase reached; None while the council is running."""
        conclusion = self.record.session.conclusion
        return conclusion.phase if conclusion is not None and isinstance(conclusion.phase, Phase) else None

    @property
    def verdict(self) -> str | None:
        conclusion = self.record.session.conclusion
        return conclusion.verdict.name if conclusion is not None else None

    @property
    def depth(self) -> Depth:
        return Depth.STANDARD if len(self.state.seats) == 1 else Depth.COUNCIL

    def move(self, outcome: Outcome, phase: Phase | None = None) -> Move | None:
        """Return the first move with this outcome."""
        return next((each for each in self.moves if each.outcome is outcome and phase in (None, each.phase)), None)

    def facts(self, name: str) -> list[Values]:
        return [values for _, _, values in facts(self.record, name)]

    # The RFC and the gates

    @cached_property
    def rfc(self) -> Brought:
        return brought(self.record)

    @cached_property
    def report(self) -> GateReport | None:
        return report(self.record)

    @cached_property
    def receipt(self) -> dict[str, Any]:
        return receipt(self.report)

    # Findings

    @cached_property
    def _cut_short(self) -> tuple[State, dict[Key, Raising], dict[Key, tuple[Key, str]]]:
        """Return the state including findings of a phase that was cut short before a decision (C33)."""
        state: State = self.record.session.state
        last = self.moves[-1] if self.moves else None
        if last is None or last.cause is not Cause.INTERRUPTED:
            return state, {}, {}
        said = [line for line in self.record.log if isinstance(line, Said) and entry_of(line) == last.entry]
        said.sort(key=lambda line: int(line.ask.id.partition(".")[2]))
        given = [(line.ask.seat, findings_in(line.reply)) for line in said if not isinstance(line.reply, Absent)]
        if not any(raised for _, raised in given):
            return state, {}, {}
        by_seat = dict(given)
        after, made = take_raised(state, given)
        found: dict[Key, Raising] = {}
        merged: dict[Key, tuple[Key, str]] = {}
        for fact in made:
            values = dict(fact.values)
            key = Key(str(values["key"]))
            if fact.name == "raised":
                seat = Seat(str(values["by"]))
                cycle = 1 if last.phase is Phase.CYCLE_1 else 2
                found[key] = Raising(key, seat, cycle, by_seat[seat][int(values["index"])])
            else:
                merged[key] = Key(str(values["into"])), str(values["how"])
        return after, found, merged

    @property
    def state(self) -> State:
        """The state at the end, with everything that was raised."""
        return self._cut_short[0]

    @cached_property
    def raisings(self) -> dict[Key, Raising]:
        """Every finding as it was raised, merged ones included, in order of number."""
        return raisings(self.record) | self._cut_short[1]

    @cached_property
    def merges(self) -> dict[Key, tuple[Key, str]]:
        """By merged finding, what it went into and whether the match was exact or near."""
        return merges(self.record) | self._cut_short[2]

    @cached_property
    def sources(self) -> dict[Key, list[Raising]]:
        """Every raising merged into a finding, its own first."""
        found: dict[Key, list[Raising]] = {each.key: [] for each in self.state.findings}
        for raising in self.raisings.values():
            key = raising.key
            while key in self.merges:
                key = self.merges[key][0]
            found[key].append(raising)
        return {key: sorted(held, key=lambda each: each.key != key) for key, held in found.items()}

    @cached_property
    def remaining(self) -> list[Finding]:
        """The findings that are upheld and not remediated (C31)."""
        return [each for each in self.state.findings if each.resolution in REMAINING]

    # Answers, remediations, votes

    @cached_property
    def answers(self) -> dict[Key, dict[Seat, Answer]]:
        return answers(self.record)

    @cached_property
    def counted(self) -> dict[Key, dict[Seat, str]]:
        """What each answer counted as, by finding and seat (C16)."""
        found: dict[Key, dict[Seat, str]] = {}
        for values in self.facts("answer"):
            found.setdefault(Key(str(values["key"])), {})[Seat(str(values["by"]))] = str(values["counts"])
        return found

    @cached_property
    def proposals(self) -> dict[Key, Proposed]:
        return proposals(self.record)

    @property
    def offered(self) -> bool:
        """Whether anybody ever offered an edit."""
        said = (line.reply for line in self.record.log if isinstance(line, Said))
        return any(isinstance(reply, Patch) and reply.edits for reply in said)

    @cached_property
    def lone(self) -> frozenset[Key]:
        """The BLOCKERs that went to the vote with one backer (C23)."""
        voted = next((move for move in moves(self.record) if move.outcome is Outcome.VOTED), None)
        return frozenset(each.key for each in voted.before.findings if each.lone) if voted is not None else frozenset()

    @cached_property
    def standings(self) -> dict[Key, Values]:
        """What the votes on each item came to; empty where no vote was counted."""
        return {Key(str(values["key"])): values for values in self.facts("vote")}

    @cached_property
    def ballots(self) -> dict[Key, dict[Seat, Ballot]]:
        """The votes that counted; those of a vote that was cut short are not among them."""
        return {key: given for key, given in votes(self.record).items() if key in self.standings}

    @cached_property
    def _voters(self) -> list[Seat]:
        return [line.ask.seat for line in self.record.log if isinstance(line, Said) and isinstance(line.reply, Ballots)]

    def votes(self, key: Key) -> dict[str, str]:
        """Return how every seat voted on an item; a missing vote counts as ABSTAIN (C22)."""
        if key not in self.standings:
            return {}
        given = self.ballots.get(key, {})
        return {
            str(seat): given[seat].vote.value if seat in given else Vote.ABSTAIN.value for seat in sorted(self._voters)
        }

    def agreed(self, key: Key) -> bool:
        """Return whether a remediation was agreed, by a quorum or by the only seat (C25, C37)."""
        if key in self.standings:
            return self.standings[key]["stands"] == "supported"
        voted, proposed = self.move(Outcome.VOTED), self.proposals[key]
        if voted is None or self.depth is not Depth.STANDARD:
            return False
        state: State = voted.after
        return state.finding(proposed.finding).resolution is Resolution.REMEDIATION_AGREED

    # Lenses

    @cached_property
    def modes(self) -> dict[Seat, tuple[int, ...]]:
        """The modes of every seat, as they were drawn (C3)."""
        return {
            Seat(str(values["seat"])): tuple(int(mode) for mode in str(values["modes"]).split(", "))
            for values in self.facts("modes")
        }

    @cached_property
    def _lenses(self) -> dict[Seat, dict[Lens, Mode]]:
        return {seat: lenses(seat, modes) for seat, modes in self.modes.items()}

    def mode(self, seat: Seat, lens: Lens) -> Mode:
        return self._lenses[seat][lens]

    def mode_of(self, raising: Raising) -> Mode | None:
        """Return the mode behind a finding; None for a gate's."""
        return self.mode(raising.by, raising.said.lens) if isinstance(raising.said, Raised) else None

    # Who sat

    @property
    def seats(self) -> list[Seat]:
        return [seat for seat in REVIEWERS if any(each.seat == seat for each in self.state.seats)]

    @cached_property
    def lost(self) -> dict[Seat, Said]:
        """The lost seats, each with the absence that caused it (C36)."""
        gone = {each.seat for each in self.state.seats if each.lost}
        found: dict[Seat, Said] = {}
        for line in self.record.log:
            if isinstance(line, Said) and line.ask.seat in gone and isinstance(line.reply, Absent):
                found.setdefault(line.ask.seat, line)
        return found
