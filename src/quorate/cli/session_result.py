"""Output of a command that ran a session: the result on stdout, files for `--out`, and next steps."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.cli.output import err, is_terminal, out, out_document, out_json, write_file
from quorate.cli.pending import NOTHING, Given, answer_command, tell_waiting
from quorate.cli.text import one_line
from quorate.kit.fates import answers_text

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.cli.desk import Desk, Place

__all__ = [
    "answer_command",
    "edits",
    "finish",
    "prepare_folder",
    "summarise",
    "tell_waiting",
    "unfit_warning",
    "verdict_line",
    "write_files",
]

NOBODY = "nobody"
"""How a panel names a seat on which nobody sits; its silence is no absence."""


def finish(
    desk: Desk,
    result: Result,
    folder: Path | None,
    *,
    as_json: bool,
    comment: bool = False,
    quiet: bool = False,
    given: Given = NOTHING,
) -> int:
    """Write the files and print the result, a comment, or only DONE. Return the exit code."""
    from quorate import api

    files = write_files(result, folder) if folder is not None else []
    concluded = result.record.session.conclusion is not None
    if as_json:
        out_json(summarise(desk.place, result, files))
    elif comment:
        out_document(api.report(result, "comment"))
    elif concluded and quiet:
        out("DONE")
    elif concluded:
        if is_terminal(sys.stderr):
            err()
        out(f"{api.solution(result)}\n\n{edits(result)}{verdict_line(result)}")
    if not concluded:
        tell_waiting(desk.place, result, given, whole=False)
    if quiet:
        return result.exit_code
    if warned := unfit_warning(desk.place, result):
        err(warned)
    for path in files:
        err(f"wrote {path}")
    if concluded and not files:
        err(f"report: {desk.place.command('report', result.session)}")
    if result.record.waits_for_ruling:
        err(f"it waits for a ruling:\n  {desk.place.command('adjudicate', result.session)}")
    return result.exit_code


def write_files(result: Result, folder: Path) -> list[Path]:
    """Write all reports and the bundle into a folder."""
    from quorate.api.results import reports

    texts = reports(result)
    for name, text in texts.items():
        write_file(folder / name, text)
    return [folder / name for name in texts]


def prepare_folder(folder: Path) -> None:
    """Create the output folder before anything is started, or raise SettingError."""
    from quorate.core.errors import SettingError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".quorate-probe"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        raise SettingError(
            f"is not a folder that can be written to: {error.strerror or error}", key=f"--out {folder}"
        ) from error


def summarise(place: Place, result: Result, files: Sequence[Path] = ()) -> dict[str, Any]:
    """Return the status of a session as plain data, with the commands to continue."""
    from quorate import api

    found = api.summary(result)
    commands = {str(ask.id): answer_command(place, result, ask) for ask in result.waiting}
    found["waiting"] = [{**each, "answer": commands[each["ask"]]} for each in found["waiting"]]
    if result.record.session.conclusion is None:
        found["resume"] = place.command("resume", result.session)
    if result.record.waits_for_ruling:
        found["adjudicate"] = place.command("adjudicate", result.session)
    found["files"] = {path.name: str(path) for path in files}
    return found


def edits(result: Result) -> str:
    """Return the valid edits of the input files as a diff; empty if there are none."""
    from quorate import api

    patch = api.summary(result)["result"].get("remediation_patch")
    return f"{patch['diff']}\n" if patch and patch["diff"] else ""


def verdict_line(result: Result) -> str:
    """Return the last line of a result: the verdict, and what was missing; below it what a ruling answers for."""
    from quorate import api, catalog
    from quorate.evidence.exam_notes import exam_line

    found = api.summary(result)
    amended = catalog.definition_of(result.record.opening).amended
    notes = [f"{amended} is not applied yet"] if found["owes"] else []
    confidence = found["result"].get("confidence")
    if confidence is not None:
        notes.append(f"confidence {confidence}")
    if found["interrupted"]:
        notes.append(f"interrupted: {found['interrupted']}{_why_stopped(result)}")
    if found["degradation"] != "none":
        notes.append(f"degraded {found['degradation']}")
    vacant = {seat for seat, name in result.record.opening.panel.items() if name == NOBODY}
    absences = [each for each in found["absences"] if each["seat"] not in vacant]
    if absences:
        missing = dict.fromkeys(f"{each['seat']} {each['reason']}" for each in absences)
        notes.append("absent at times: " + ", ".join(missing))
    ruling = found["ruling"]
    ruled = f", ruled {ruling['verdict']} by {ruling['by']}: {ruling['reason']}" if ruling else ""
    files = ruling.get("answers_for") if ruling else None
    answers = f"\n{one_line(answers_text(files))}" if files else ""
    exam = exam_line(result.record.opening)
    told = one_line(f"Verdict: {found['verdict']}" + (f" ({'; '.join(notes)})" if notes else "") + ruled) + answers
    return f"{told}\n{one_line(exam)}" if exam else told


def unfit_warning(place: Place, result: Result) -> str:
    """Return a line that says how many entries of whose replies did not fit; empty if all did."""
    from quorate.core.form_values import Unfit, unfit_text
    from quorate.core.record import Said

    by_seat: dict[str, list[Unfit]] = {}
    for line in result.record.log:
        if isinstance(line, Said) and line.envelope.unfit:
            by_seat.setdefault(str(line.ask.seat), []).extend(line.envelope.unfit)
    if not by_seat:
        return ""
    counts = "; ".join(f"{seat}: {unfit_text(unfit)}" for seat, unfit in by_seat.items())
    return f"warning: not all that was said fitted its form ({counts}): {place.command('explain', result.session)}"


def _why_stopped(result: Result) -> str:
    from quorate.core.record import Stopped

    details = [line.envelope.detail for line in result.record.log if isinstance(line, Stopped)]
    return f", {details[-1]}" if details and details[-1] else ""
