"""Deceptive text: addressed to the reviewers, hidden from people, or containing a secret (C29)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from quorate.kit.change import Change, ChangedFile
from quorate.protocols.council.rules.taxonomy import Severity, Subcategory
from quorate.protocols.council.world.gates.address import CUES, spoken, spoken_hidden
from quorate.protocols.council.world.gates.gate_findings import RawFinding, found
from quorate.protocols.council.world.gates.sieve import Sieve
from quorate.protocols.council.world.gates.whereabouts import Whereabouts
from quorate.protocols.council.world.rfc.model import Rfc
from quorate.safety.formats import Grade
from quorate.safety.hidden import READS, check_hidden_text
from quorate.safety.normal_form import decoded, skeleton, smuggled
from quorate.safety.secrets import Secret

AROUND = 2
"""Lines before and after one with a cue that are read with it: a sentence goes on in the next line."""
MOST_OF_FILE = 10
"""Phrases of one file that are reported, so that no file crowds out the others."""
CODED = Sieve(("\\x", "\\u", "&#", "%"), re.compile(r"[A-Za-z0-9+/_-]{24}"))
"""What a line has that holds text in a code."""
_WHY_MINOR = "The reviewers read it as data and no verdict hangs on it, so it is MINOR."


def check_wording(rfc: Rfc, change: Change, secrets: Sequence[Secret]) -> tuple[RawFinding, ...]:
    """Report text addressed to the reviewers, hidden text and secrets. Findings are not masked yet."""
    where = Whereabouts(rfc)
    unquoted = {(secret.path, secret.line) for secret in secrets}
    return (
        *_secrets(where, secrets),
        *_speeches(where, change),
        *_hidden(where, change, unquoted),
    )


def _secrets(where: Whereabouts, secrets: Sequence[Secret]) -> Iterator[RawFinding]:
    """Yield a finding per secret. A known provider format is proof; a mere lookalike never fails a gate."""
    told: set[tuple[str, int, str]] = set()
    for secret in secrets:
        if (secret.path, secret.line, secret.value) in told:
            continue
        told.add((secret.path, secret.line, secret.value))
        spot = where.spot(secret.path, max(1, secret.line))
        proven = secret.grade is Grade.PROVEN
        yield found(
            Subcategory.SECRET_EXPOSURE,
            spot.key,
            spot.field,
            spot.at,
            message=f"{secret.what[:1].upper()}{secret.what[1:]} {'stands' if proven else 'may stand'} in the text.",
            evidence=secret.context,
            action="Take it out, and revoke it where it is real; name where it is kept instead.",
            severity=Severity.BLOCKER if proven else Severity.MINOR,
        )


def _hidden(where: Whereabouts, change: Change, unquoted: set[tuple[str, int]]) -> Iterator[RawFinding]:
    for finding in check_hidden_text(change).findings:
        spot = where.spot(finding.path, max(1, finding.line))
        # What is quoted here is cut, and a secret that is cut could not be told any more.
        quotable = (finding.path, finding.line) not in unquoted
        # Seats are shown this finding, and it must not tell them the words that their fence has kept out.
        says, smuggles, _ = finding.message.partition(READS)
        evidence = f"{finding.evidence.partition('<U+')[0]}[hidden]" if smuggles else finding.evidence
        yield found(
            Subcategory.BOUNDARY_VIOLATION,
            spot.key,
            spot.field,
            spot.at,
            message=f"The line has {says}. {_WHY_MINOR}",
            evidence=evidence if quotable else "",
            action="Remove the characters, or write them as escapes.",
            severity=Severity.MINOR,
        )


# Speech


def _speeches(where: Whereabouts, change: Change) -> Iterator[RawFinding]:
    for file in change.files:
        told: set[tuple[str, int]] = set()
        for says, first, last in sorted(_in_file(file), key=lambda each: (each[1], each[0])):
            if (says, first) in told or len(told) >= MOST_OF_FILE:
                continue
            told.add((says, first))
            spot = where.spot(file.path, first)
            yield found(
                Subcategory.BOUNDARY_VIOLATION,
                spot.key,
                spot.field,
                spot.at,
                message=f"The text {says}. {_WHY_MINOR}",
                evidence=" ".join(file.added[line].strip() for line in range(first, last + 1)),
                action="Take it out; a plan is judged by what it says about the work.",
                severity=Severity.MINOR,
            )


def _in_file(file: ChangedFile) -> Iterator[tuple[str, int, int]]:
    """Yield text addressed to the reviewers, with its first and last line."""
    text = file.after or ""
    for number in CODED.lines(text):
        line = file.added[number]
        for inner in (*decoded(line), "" if line.isascii() else smuggled(line)):
            if inner and (says := spoken_hidden(_folded(inner))):
                yield f"{says}, and is hidden", number, number
    for first, last in _windows(CUES.lines(text), len(file.added)):
        lines = [_folded(file.added[number]) for number in range(first, last + 1)]
        starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        for says, begin, end in spoken(" ".join(lines)):
            begins, ends = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
            yield says, first + begins, min(first + ends, last)


def _folded(text: str) -> str:
    """Return a line as a model might read it: lower case, without comment or list markers."""
    return " ".join(skeleton(text).lower().split())


def _windows(cues: Sequence[int], lines: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each window around lines with a cue."""
    first = last = 0
    for number in cues:
        if last and number - AROUND <= last + 1:
            last = min(number + AROUND, lines)
            continue
        if last:
            yield first, last
        first, last = max(1, number - AROUND), min(number + AROUND, lines)
    if last:
        yield first, last
