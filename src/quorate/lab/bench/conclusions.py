"""Conclusions: what a method is shown of a task, and the typed answer of its session.

A protocol that makes findings answers with these and with its verdict. What another one says in prose is written down
by a reader in the form of the task, and counts only where the answer that was written down stands in the prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any

from quorate import catalog
from quorate.api.inputs import main_input
from quorate.core.record import Record
from quorate.kit.findings import Finding
from quorate.lab.bench import baseline
from quorate.lab.bench.task import (
    UNDECIDED,
    Answer,
    Choice,
    Fault,
    FaultKind,
    Judged,
    Judgement,
    Number,
    Task,
)
from quorate.lab.lab import lab_of

MOST_CONCLUSION = 60_000
"""Characters of a conclusion that a reader is shown."""


_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")
_MINUS = re.compile("[\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d]")
"""What models write for a minus beside the one of ASCII: the sign itself, and dashes that look like it."""
_BETWEEN_THOUSANDS = re.compile(r"(?<=\d)(?:[,_' \u00a0\u2009\u202f]|\{,\})(?=\d{3}\b)")
_CURRENCY = re.compile(r"(-)[$€£¥]\s?")
_A_SIGN = r"(?<![\w)])"
"""Before a minus that is a sign: -25 stands in "(-25)", and not in "20-25"."""
_SIGNLESS = rf"(?<!{_A_SIGN}-)"
"""Not behind such a minus: 25 does not stand in "-25", and it does in "20-25"."""


def numbered(text: str) -> str:
    """Return a text with line numbers."""
    return "".join(f"{number:4}| {line}\n" for number, line in enumerate(text.splitlines(), start=1))


def numbered_patch(patch: str) -> str:
    """Return a unified diff of one file with the line numbers of the new file in front of the marks."""
    shown: list[str] = []
    number = 0
    for line in patch.splitlines():
        if found := _HUNK.match(line):
            number = int(found.group(1))
        elif number and line[:1] != "-":
            shown.append(f"{number:4}| {line}")
            number += 1
            continue
        shown.append(f"      {line}")
    return "\n".join(shown) + "\n"


def shown_alone(task: Task) -> dict[str, str]:
    """Return what a single seat is shown: the question, all facts of a hidden profile, and all files."""
    shown = shown_to_reader(task)
    if not task.shares:
        return shown
    facts = dict.fromkeys(line for share in task.shares for line in share.splitlines())
    return {**shown, "question": "\n".join((task.question, "", "All facts that anybody here knows:", *facts))}


def shown_to_reader(task: Task) -> dict[str, str]:
    """Return what a reader is shown beside a conclusion: the question and the files, and no facts of the seats.

    With all facts before it a reader could find the answer that those who had them one by one have missed.
    """
    if task.patch:
        return {"question": task.question, "change": numbered_patch(task.patch)}
    return {"question": task.question, **{path: numbered(text) for path, text in task.files.items()}}


def inputs_for(protocol: str, task: Task, folder: Path) -> dict[str, Any]:
    """Return what a session of a protocol is opened with for a task; files are written into a folder of its own."""
    home = (folder / task.id).resolve()
    home.mkdir(parents=True, exist_ok=True)
    lab = lab_of(catalog.definition(protocol))
    if lab is not None and lab.inputs is not None:
        return lab.inputs(task, home)
    files = (f"## {path}\n\n{numbered(text)}" for path, text in task.files.items())
    name = main_input(catalog.definition(protocol))
    assert name is not None  # a method that does not fit a task is not run on it
    return {name: "\n\n".join((task.question, *files))}


def answer_from(record: Record, task: Task, prose: str | None = None) -> tuple[Answer | None, str | None]:
    """Return the typed answer of a session, or None and the prose that a reader has to be shown; both None for none.

    `prose` is what a reader was shown: an answer that does not stand there is the reader's own and does not count.
    """
    if record.opening.protocol == baseline.NAME:
        answer = baseline.concluded(record)
        return (answer if prose is None or stands_in(answer, prose) else None), None
    conclusion = record.session.conclusion
    if conclusion is None:
        return None, None
    definition = catalog.definition_of(record.opening)
    if definition.findings is not None:
        return judged(record, definition.findings(record)), None
    shown = definition.show(definition.result(record))
    return None, shown[:MOST_CONCLUSION] if shown.strip() else None


def stands_in(answer: Answer | None, prose: str) -> bool:
    """Whether a text contains an answer as a separate word; always true for "cannot be known"."""
    match answer:
        case Number(int() as value):
            bare = _BETWEEN_THOUSANDS.sub("", _CURRENCY.sub(r"\1", _MINUS.sub("-", prose)))
            before = _A_SIGN if value < 0 else _SIGNLESS
            return re.search(rf"(?<![\d.]){before}{re.escape(str(value))}(?![\d]|\.\d)", bare) is not None
        case Choice(option) if option != UNDECIDED:
            return re.search(rf"\b{re.escape(option)}\b", prose) is not None
        case _:
            return answer is not None


def judged(record: Record, findings: Iterable[Finding]) -> Judged:
    """Return the verdict of a session that makes findings, and those of them that block."""
    conclusion = record.session.conclusion
    assert conclusion is not None
    claims = [each for each in findings if each.blocking]
    faults = tuple(dict.fromkeys(Fault(each.path, each.line, kind_of(each.rule)) for each in claims))
    return Judged(_judgement(record, conclusion.verdict), faults)


def _judgement(record: Record, verdict: Enum) -> Judgement:
    """Return what a verdict says of the material, as the protocol declares it; else by its exit code."""
    judging = catalog.definition_of(record.opening).judging
    if judging is None:
        codes = {0: Judgement.SOUND, 1: Judgement.DEFECTIVE}
        return codes.get(record.protocol.exit_codes[verdict], Judgement.UNDECIDED)
    for truth in judging.truths.values():
        if verdict in truth.right:
            return Judgement.SOUND if truth.favourable else Judgement.DEFECTIVE
    return Judgement.UNDECIDED


_KINDS = {
    "secret": FaultKind.SECURITY,
    "data-loss": FaultKind.DATA_LOSS,
    "error-handling": FaultKind.ERROR_HANDLING,
    "concurrency": FaultKind.CONCURRENCY,
    "correctness": FaultKind.CORRECTNESS,
    "security": FaultKind.SECURITY,
    "DECISION_CONFLICT": FaultKind.CONTRADICTION,
    "INTENT_MISMATCH": FaultKind.CONTRADICTION,
    "SCOPE_GAP": FaultKind.GAP,
    "REQUIREMENT_GAP": FaultKind.GAP,
    "INCOMPLETE_PLAN": FaultKind.GAP,
    "AGENT_CONTEXT_GAP": FaultKind.GAP,
    "MISSING_VERIFICATION": FaultKind.VERIFICATION,
    "EVIDENCE_GAP": FaultKind.VERIFICATION,
    "INVARIANT_FAILURE": FaultKind.CORRECTNESS,
}


def kind_of(rule: str) -> FaultKind:
    """Return the kind of a finding by its rule, the last part of its name first."""
    parts = rule.split("/")
    return next((_KINDS[part] for part in reversed(parts) if part in _KINDS), FaultKind.OTHER)
