"""Redecide: apply other settings to the recorded answers of a session. No model is called, nothing is written.

The protocol is built with the other settings and replays the recorded events in order (`recorded_answers`). It stops at
the first ask that has no recorded answer, and names it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from quorate import catalog
from quorate.api.comparison import finding_data, move_data
from quorate.api.forks import as_before, rebuilt  # a fork begins in the same way
from quorate.api.recorded_answers import NotRecorded, Play, Recording
from quorate.api.sessions import AT_ONCE, Result, load_alone
from quorate.codec import digest_text, protocol_digest
from quorate.core.errors import RulesChanged
from quorate.core.protocol import Protocol
from quorate.core.record import Moved, Opening, Record
from quorate.evidence.divergence import Shared, row, shared_findings
from quorate.evidence.explain import ExplainedMove, explain
from quorate.exit_codes import NOT_RECORDED
from quorate.kit.findings import Finding
from quorate.kit.settings import in_full, read_settings
from quorate.store.journal import Journal
from quorate.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first move at which the two sessions differ; a side is None if it has no further move."""

    recorded: ExplainedMove | None
    redecided: ExplainedMove | None


@dataclass(frozen=True, slots=True)
class Redecided:
    """A session as it was decided, and as other settings decide it."""

    recorded: Result
    redecided: Result
    changed: Mapping[str, tuple[Any, Any]]
    """The settings that are other, by dotted key: as they were, and as they are."""
    divergence: Divergence | None
    """Where another row is taken, or the same leads to another state; None where all moves made are the same."""
    followed: tuple[ExplainedMove, ...]
    """What the other settings decided from there on."""
    missing: tuple[NotRecorded, ...]
    """What would have to be asked; empty where a verdict was reached."""
    reused: int
    """Recorded replies that answered an ask."""
    shown_otherwise: tuple[str, ...]
    """Asks that would have shown their seat other words than those it answered: `seat, brief, round`."""
    interruptions: tuple[str, ...]
    """Interruptions that were met as they were recorded."""
    findings: Shared | None
    """What both leave open and what one of them alone; None for protocols that make no findings."""

    @property
    def same(self) -> bool:
        """Whether the settings change nothing: same moves, same verdict, same findings."""
        found = self.findings
        alike = found is None or not (found.only_first or found.only_other or self.weighed_otherwise)
        return self.divergence is None and not self.missing and self.verdict == self.recorded_verdict and alike

    @property
    def weighed_otherwise(self) -> tuple[Finding, ...]:
        """Findings that both sessions have but that block in only one, as the other settings have them."""
        same = self.findings.same if self.findings is not None else ()
        return tuple(now for was, now in same if was.blocking is not now.blocking)

    @property
    def verdict(self) -> str | None:
        return _verdict(self.redecided)

    @property
    def recorded_verdict(self) -> str | None:
        return _verdict(self.recorded)

    @property
    def exit_code(self) -> int:
        """Exit code of the new verdict, or 6 if something was not recorded."""
        return NOT_RECORDED if self.missing else self.redecided.exit_code


async def redecide(
    workspace: Workspace, journal: Journal, session: str, settings: Mapping[str, Any] | None = None
) -> Redecided:
    """Decide a session again with its settings overridden; an invalid setting raises SettingError, and a session
    of an earlier version RulesChanged.

    Settings that would have opened a different session (other briefs, other lenses) are allowed: what they ask is
    answered from the recording, or named as missing.
    """
    source = await load_alone(workspace, journal, session)
    before = source.record.opening
    if not catalog.is_current(before):
        raise RulesChanged(
            f"the session began under version {before.version} of {before.protocol}, and today's rules "
            "cannot decide on its answers again; it can still be read, reported and checked"
        )
    config = as_before(before).with_settings(before.protocol, settings)
    built = await rebuilt(workspace, journal, before, config)
    if len(source.entries) > AT_ONCE:
        return await asyncio.to_thread(decided_by, source, built)
    return decided_by(source, built)


def decided_by(source: Result, built: Protocol[Any]) -> Redecided:
    """Decide on the recorded replies of a session under other rules."""
    opening = replace(
        source.record.opening,
        digest=protocol_digest(built),
        settings=dict(built.settings),
        briefs={name: digest_text(text) for name, text in built.briefs.items()},
    )
    recording = Recording(source.record)
    play = Play(Record(built, opening, source.record.material), recording)
    play.meet()
    after = Result(source.session, play.record, source.entries)
    was, now = explain(source.record), explain(play.record)
    parted = _first_difference(source.record, was, play.record, now)
    missing = tuple(play.missing())
    if parted is not None and missing and parted >= len(now):
        parted = None  # it ended there, and has not decided otherwise
    divergence = None if parted is None else Divergence(_at(was, parted), _at(now, parted))
    followed = () if parted is None else tuple(now[parted + 1 :])
    found = catalog.definition(built.name).findings
    return Redecided(
        source,
        after,
        dict(_changed(_in_full(source.record.opening), _in_full(opening))),
        divergence,
        followed,
        missing,
        play.reused,
        tuple(play.otherwise),
        tuple(play.interruptions),
        None if found is None else shared_findings(found(source.record), found(play.record)),
    )


def _in_full(opening: Opening) -> dict[str, Any]:
    """Return the settings with every default, those included that an opening leaves out."""
    return in_full(read_settings(catalog.definition_of(opening).settings, opening.settings))


def _verdict(result: Result) -> str | None:
    conclusion = result.record.session.conclusion
    return conclusion.verdict.name if conclusion else None


def _at(moves: list[ExplainedMove], index: int) -> ExplainedMove | None:
    return moves[index] if index < len(moves) else None


def _first_difference(before: Record, was: list[ExplainedMove], after: Record, now: list[ExplainedMove]) -> int | None:
    """Return the index of the first move with another row; else, if the verdicts differ, with another state."""
    for index in range(max(len(was), len(now))):
        one, other = _at(was, index), _at(now, index)
        if one is None or other is None or row(one) != row(other):
            return index
    if before.session.conclusion == after.session.conclusion:
        return None
    states = zip(_states(before), _states(after), strict=True)
    return next((index for index, (one, other) in enumerate(states) if one != other), len(was) - 1)


def _states(record: Record) -> Iterator[Any]:
    return (line.move.after for line in record.log if isinstance(line, Moved))


def _changed(was: Mapping[str, Any], now: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, tuple[Any, Any]]]:
    for key, value in now.items():
        before = was.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            yield from _changed(before, value, f"{prefix}{key}.")
        elif before != value:
            yield f"{prefix}{key}", (before, value)


# As data


def redecision_data(found: Redecided) -> dict[str, Any]:
    """Return what was redecided as plain data for programs."""
    parted, shared = found.divergence, found.findings
    return {
        "session": found.recorded.session,
        "protocol": found.recorded.record.opening.protocol,
        "settings": {key: list(pair) for key, pair in found.changed.items()},
        "recorded": _ended(found.recorded),
        "redecided": None if found.missing else _ended(found.redecided),
        "same": found.same,
        "divergence": None if parted is None else [move_data(parted.recorded), move_data(parted.redecided)],
        "followed": [move_data(move) for move in found.followed],
        "not_recorded": [{**asdict(each), "keys": list(each.keys)} for each in found.missing],
        "reused": found.reused,
        "shown_otherwise": list(found.shown_otherwise),
        "interruptions": list(found.interruptions),
        "findings": None
        if shared is None
        else {
            "same": [finding_data(now) for _, now in shared.same],
            "only_recorded": [finding_data(each) for each in shared.only_first],
            "only_redecided": [finding_data(each) for each in shared.only_other],
        },
        "exit_code": found.exit_code,
    }


def _ended(result: Result) -> dict[str, Any]:
    conclusion = result.record.session.conclusion
    return {
        "verdict": conclusion.verdict.name if conclusion else None,
        "degradation": conclusion.degradation.value if conclusion else None,
        "exit_code": result.exit_code,
    }
