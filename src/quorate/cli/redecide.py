"""`redecide`: apply other settings to the recorded answers, without a model call or a new session."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import join
from typing import TYPE_CHECKING, Any

import click

from quorate.cli.completion import complete_session
from quorate.cli.desk import Place, json_option, store_option
from quorate.cli.group import Command
from quorate.cli.output import out, out_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quorate.api.redecision import Redecided
    from quorate.cli.desk import Desk
    from quorate.evidence.explain import ExplainedMove

MOST_LISTED = 10
"""Findings and asks of a kind that are named; the rest are counted."""


@click.command(
    cls=Command,
    examples=(
        "quorate redecide latest --set quorum=3/4",
        "quorate redecide latest --set blocking_severity=high --set rounds=1",
        "quorate redecide council-20260801 --set quorum=3 --json",
    ),
)
@click.argument("session", shell_complete=complete_session)
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a setting; may be repeated.")
@json_option
@store_option
@click.pass_obj
def redecide(place: Place, session: str, sets: tuple[str, ...], as_json: bool) -> int:
    """Decide a session anew under other settings, without a call.

    The recorded answers meet the protocol with the other settings; nothing is written. Where these settings would have
    asked something that nobody answered, redeciding ends there, names it, and exits with 6; otherwise the exit code is
    that of the new verdict. `quorate fork` goes on from there with real answers.
    """
    from quorate.api import redecision
    from quorate.cli.paragraphs import fitted
    from quorate.cli.readable import reading_desk

    with reading_desk(place) as work:
        found = work.find(session)
        settings = _given(work, found, sets)
        redecided = work.run(redecision.redecide(work.workspace, work.journal, found, settings))
    if as_json:
        out_json(redecision.redecision_data(redecided))
    else:
        out(fitted([*_told(redecided), *_next(redecided, sets)]))
    return redecided.exit_code


def _given(work: Desk, session: str, sets: tuple[str, ...]) -> Mapping[str, Any] | None:
    """Return the settings given by `--set`; only those of the session's protocol are allowed."""
    from quorate.codec import decode_opening
    from quorate.config import read_config
    from quorate.core.errors import SettingError

    entries = work.run(work.journal.entries(session))
    protocol = decode_opening(entries[0].body)[0].protocol
    given = read_config((), {}, sets, protocol).values
    for section in given:
        if section != protocol:
            raise SettingError(
                "has no effect on this session", key=f"--set {section}", expected=f"settings of a {protocol}"
            )
    return given.get(protocol)


def _told(found: Redecided) -> Iterator[str]:
    opening = found.recorded.record.opening
    yield f"{found.recorded.session}, a {opening.protocol}, decided anew from {found.reused} recorded replies"
    for key, (was, now) in found.changed.items():
        yield f"  {key}: {_value(was)} -> {_value(now)}"
    if not found.changed:
        yield "  with the settings that it had"
    yield ""
    yield f"recorded:  {_ended(found.recorded_verdict)}"
    yield f"redecided: {'not decided: an answer is missing' if found.missing else _ended(found.verdict)}"
    yield ""
    if found.same:
        findings = " and the same findings" if found.findings is not None else ""
        yield f"The settings change nothing: the same moves lead to the same verdict{findings}."
    elif found.divergence is None and not found.missing:
        yield "Every move is the same."
    elif found.verdict is not None and not found.missing:
        alike = found.verdict == found.recorded_verdict
        yield "The verdict stays as it is; the way there changes." if alike else "The verdict changes."
    yield from _parted(found)
    yield from _missing(found)
    yield from _findings(found)
    yield from _cautions(found)


def _parted(found: Redecided) -> Iterator[str]:
    if (parted := found.divergence) is None:
        return
    told = parted.redecided or parted.recorded
    assert told is not None
    yield f"They part in {told.phase}, round {told.round}:"
    yield from _move("recorded: ", parted.recorded, parted.redecided)
    yield from _move("redecided:", parted.redecided, parted.recorded)
    if found.followed:
        yield "What followed:"
        yield from (f"  {move.phase} -> {move.to}: {move.outcome} by {move.because}" for move in found.followed)


def _move(label: str, move: ExplainedMove | None, other: ExplainedMove | None) -> Iterator[str]:
    """Return a move with the tests that differ from the other move."""
    if move is None:
        yield f"  {label} no further move"
        return
    yield f"  {label} {move.outcome}, to {move.to}"
    reached = [test for test in move.tests if test.reached]
    alike = {(str(test), test.held, test.outcome) for test in (other.tests if other else ()) if test.reached}
    otherwise = [test for test in reached if (str(test), test.held, test.outcome) not in alike]
    for test in otherwise or [test for test in reached if test.held]:
        yield f"    {test} {'held' if test.held else 'did not hold'} [{test.outcome}]"


def _missing(found: Redecided) -> Iterator[str]:
    if found.missing:
        yield "Not recorded:"
        yield from (f"  {each}" for each in found.missing)


def _next(found: Redecided, sets: tuple[str, ...]) -> Iterator[str]:
    """Return how to get the missing answers: by a fork, unless the session itself still waits for them."""
    if found.missing and found.changed:
        given = join(word for each in sets for word in ("--set", each))
        yield "To have it answered, fork the session; without --at you are told the last entry that it can begin at:"
        yield f"  quorate fork {found.recorded.session} --at N {given}".rstrip()


def _findings(found: Redecided) -> Iterator[str]:
    if (shared := found.findings) is None or found.missing:
        return
    kinds = (
        ("Findings that would not be open:", shared.only_first),
        ("Findings that would be open as well:", shared.only_other),
        ("Findings that would block:", [each for each in found.weighed_otherwise if each.blocking]),
        ("Findings that block no more:", [each for each in found.weighed_otherwise if not each.blocking]),
    )
    for heading, findings in kinds:
        if findings:
            yield heading
            for each in findings[:MOST_LISTED]:
                yield f"  {each.key} {each.severity.value} {each.rule} {each.path or 'as a whole'}"
            if len(findings) > MOST_LISTED:
                yield f"  and {len(findings) - MOST_LISTED} more"


def _cautions(found: Redecided) -> Iterator[str]:
    """Return why this may differ from what would really have happened."""
    if found.interruptions:
        yield f"Interrupted as recorded: {', '.join(found.interruptions)}"
    if found.shown_otherwise:
        count, first = len(found.shown_otherwise), found.shown_otherwise[0]
        yield (
            f"{count} of {found.reused} replies were given to other words than these settings would have shown, "
            f"the first: {first}. A seat might have answered otherwise."
        )
    if found.recorded.record.rulings:
        yield "The ruling was on the recorded verdict and is left out."


def _ended(verdict: str | None) -> str:
    return verdict or "not concluded yet"


def _value(value: Any) -> str:
    return str(value) if not isinstance(value, list) else ", ".join(map(str, value)) or "nobody"
