"""Detects text that addresses its reviewers: instructions, forged ballots, fake turns, false authority.

Reviewers are shown the change as data and cannot be talked into a verdict, so this is a second line of defence: an
attempt is itself a finding. The text is also read as a model might take it: without invisible characters, look-alikes
folded, encodings decoded.

Severities: HIGH in code and configuration. MEDIUM in documents and tests, which may be about prompts; a person can
dismiss it with a reason. HIGH everywhere if encoded or invisible, since nobody documents by hiding. Praise and remarks
to reviewers, which honest authors write too, are one step lower. A comment that claims safety is LOW, and reported so
that voters are not shown it. In other material, such as a problem or an agenda, it is only a warning for people.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from quorate.files.places import counted, is_document, is_test
from quorate.kit.change import Change, ChangedFile
from quorate.kit.check_result import CheckResult
from quorate.kit.findings import Finding, Severity
from quorate.kit.quote import clip, result
from quorate.safety.hidden import is_mixed, shown
from quorate.safety.normal_form import INVISIBLE, decoded, skeleton, smuggled
from quorate.safety.phrases import CLAIMS, PHRASES, Phrase

NAME = "instructions"
MOST_ALIKE = 40
"""Characters in a row that are read where one is repeated; nobody says anything with more."""
_RUN = re.compile(rf"(.)\1{{{MOST_ALIKE},}}", re.DOTALL)
_MARGIN = re.compile(r"^[\s#*/;%>|!+]*(?:--(?!-))?\s*")
"""What makes a line a comment, or a part of a list or a quotation."""
_REMARK = re.compile(r"(?:^|\s)(?:#+|//+|/\*+|\*|--|;+|<!--)\s+(?P<said>\S.*)")
"""A comment, at the end of a line or all of it."""
_LONG_LINE = 1_000
MOST_TOLD = 5
"""Remarks about one session; whoever gets so many looks at the whole."""
MOST_READ = 200_000
"""Characters of one text that are read."""
_QUOTES = "\"'`- "


@dataclass(frozen=True, slots=True)
class Read:
    """A piece of text as a model might read it, and how it was hidden, if it was."""

    text: str
    line: int
    hidden: str = ""


def check_instructions(change: Change) -> CheckResult:
    """Report text among the added lines, names and paths that addresses the reviewers or a model."""
    findings = [finding for file in change.files for finding in _in_file(file)]
    lines = sum(len(file.added) for file in change.files)
    return result(NAME, f"{counted(lines, 'added line')}, as they stand and decoded", findings, read=len(change.files))


def remarks_in(material: Mapping[str, str]) -> tuple[str, ...]:
    """Return a warning for each phrase that addresses the readers of these texts; only the first few.

    Praise and remarks to reviewers are left out, since honest authors write them too.
    """
    told: list[str] = []
    for name, text in material.items():
        for number, phrase, said in _speeches(text[:MOST_READ]):
            told.append(f"line {number} of the {name} is {phrase}: {clip(shown(said), 100)}")
            if len(told) == MOST_TOLD:
                return tuple(told)
    return tuple(told)


def _speeches(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        hidden = smuggled(line) if not line.isascii() else ""
        readings = [
            flattened(line),
            *(flattened(inner) for inner in decoded(line)),
            *([flattened(hidden)] if hidden else []),
        ]
        for phrase in PHRASES:
            found = next((match for read in readings if (match := phrase.anywhere.search(read))), None)
            if found is not None and not phrase.weak:
                yield number, phrase.says, found[0]


def _in_file(file: ChangedFile) -> Iterator[Finding]:
    for number, text in sorted(file.added.items()):
        if not text.isascii() and (secret := smuggled(text)):
            yield from _found(file, text, Read(flattened(secret), number, "invisible"))
        for inner in decoded(_RUN.sub(lambda run: run[1] * MOST_ALIKE, text)):
            yield from _found(file, text, Read(flattened(inner), number, "encoded"))
    path = Read(flattened(re.sub(r"[/_.-]+", " ", file.path)), 0)
    yield from _found(file, file.path, path)
    yield from _in_runs(file)
    yield from _claims(file)


def _claims(file: ChangedFile) -> Iterator[Finding]:
    """Find code comments that claim safety. Documents are left alone: they discuss safety for other reasons."""
    if is_document(file.path):
        return
    for number, text in sorted(file.added.items()):
        remark = _REMARK.search(text[:_LONG_LINE])
        read = flattened(remark["said"]) if remark else ""
        if said := CLAIMS.anywhere.search(read):
            yield replace(_finding(file, text, Read(said[0], number), CLAIMS), severity=Severity.LOW)


def _in_runs(file: ChangedFile) -> Iterator[Finding]:
    """Join consecutive lines into one text, since a sentence in a comment may continue on the next line."""
    for run in _runs(file):
        flat = [flattened(text) for _, text in run]
        starts = list(accumulate((len(text) + 1 for text in flat), initial=0))
        told: set[tuple[int, str]] = set()
        for phrase, start, end in _matches(flat, starts):
            first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
            if (first, phrase.family) not in told:
                told.add((first, phrase.family))
                text = " ".join(text for _, text in run[first : last + 1])
                said = " ".join(flat[first : last + 1])[start - starts[first] : end - starts[first]]
                yield _finding(
                    file, text, Read(said, run[first][0], "disguised" if _is_disguised(text) else ""), phrase
                )


def _matches(flat: Sequence[str], starts: Sequence[int]) -> Iterator[tuple[Phrase, int, int]]:
    """Yield each phrase with its start and end in the joined lines."""
    joined = " ".join(flat)
    for phrase in PHRASES:
        for found in phrase.anywhere.finditer(joined):
            yield phrase, found.start(), found.end()
        if phrase.at_start is not None:
            for at, text in zip(starts, flat, strict=False):
                begin = len(text) - len(text.lstrip(_QUOTES))
                if found_here := phrase.at_start.match(text[begin:]):
                    yield phrase, at + begin, at + begin + found_here.end()


def _runs(file: ChangedFile) -> Iterator[Sequence[tuple[int, str]]]:
    """Yield runs of consecutive added lines."""
    run: list[tuple[int, str]] = []
    for number, text in sorted(file.added.items()):
        if run and number != run[-1][0] + 1:
            yield run
            run = []
        run.append((number, text))
    if run:
        yield run


def flattened(text: str) -> str:
    """Return a line folded to lower case, without its margin and with single spaces."""
    short = _RUN.sub(lambda run: run[1] * MOST_ALIKE, text)  # so that no expression has much to go back over
    return " ".join(_MARGIN.sub("", skeleton(short)).lower().split())


def _is_disguised(text: str) -> bool:
    """Whether invisible characters or look-alikes disguise the text."""
    return not text.isascii() and (bool(INVISIBLE.search(text)) or any(map(is_mixed, text.split())))


def _found(file: ChangedFile, text: str, read: Read) -> Iterator[Finding]:
    for phrase in PHRASES:
        match = phrase.anywhere.search(read.text) or (
            phrase.at_start and phrase.at_start.match(read.text.lstrip(_QUOTES))
        )
        if match:
            yield _finding(file, text, replace(read, text=match[0]), phrase)


def _finding(file: ChangedFile, text: str, read: Read, phrase: Phrase) -> Finding:
    hidden = f" ({read.hidden})" if read.hidden else ""
    return Finding(
        rule=f"injection/{phrase.family}",
        severity=_severity(file.path, read.hidden, weak=phrase.weak),
        path=file.path,
        line=read.line,
        message=f"{phrase.says}{hidden}: {clip(shown(read.text), 120)}",
        evidence=clip(shown(text if len(text) <= _LONG_LINE else read.text)),
        consequence="A model that reads this may judge the author's words instead of the change.",
        action="Take it out; where it is meant for people or a fixture, dismiss the finding with that reason.",
    )


def _severity(path: str, hidden: str, *, weak: bool) -> Severity:
    if hidden in ("encoded", "invisible"):
        return Severity.HIGH
    apart = is_document(path) or is_test(path)
    if weak:
        return Severity.LOW if apart else Severity.MEDIUM
    return Severity.MEDIUM if apart else Severity.HIGH
