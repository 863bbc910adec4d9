"""The pull-request comment: findings first, everything else collapsed, bounded in size, found again by its marker.

Untrusted text goes through `_plain`, which leaves it no markup, no tag, no mention and no link. An entry
is one line, and sections lose whole entries, so whatever is cut, every tag that was opened is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from quorate.evidence.quotations import inline
from quorate.kit.findings import Finding

MARKER = "<!-- quorate-review -->"
"""The first line: whoever posts the comment looks for it and edits that comment instead of adding one."""
MOST = 60_000
"""Characters; GitHub takes 65,536."""
MOST_SAID = 700
_VERDICT = re.compile(r"<!-- quorate-verdict (\w+) -->")
"""The second line, for programs: where there is one, the verdict that the heading states for people."""
_LIVELY = re.compile(r"@(?=[\w-])|#(?=\d)|(?<=[gG][hH])-(?=\d)|:(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
"""What a forge makes a mention, a reference or a link of, even inside escaped text."""
_BREAK = "\u200b"


@dataclass(frozen=True, slots=True)
class FoldedSection:
    """A collapsed section: a title, lines that are always kept, and one-line entries that may be cut."""

    title: str
    head: tuple[str, ...]
    entries: tuple[str, ...]
    of: int
    """How many entries there were."""
    open: bool = False

    def text(self) -> str:
        left_out = self.of - len(self.entries)
        note = (f"\n_{left_out} of {self.of} entries are left out here; the report has them all._",) if left_out else ()
        opened = " open" if self.open else ""
        lines = (f"<details{opened}><summary>{self.title}</summary>", "", *self.head, *self.entries, *note, "")
        return "\n".join((*lines, "</details>"))


def comment(
    findings: Iterable[Finding],
    result: Mapping[str, Any],
    *,
    verdict: str | None,
    session: str,
    degraded: str = "",
    ruled: str = "",
    protocol: str,
    most: int = MOST,
) -> str:
    """Return the body of the comment; `result` is the plain result of a session, `ruled` who ruled, if anybody did."""
    found = list(findings)
    blocking = [finding for finding in found if finding.blocking]
    notes = [finding for finding in found if not finding.blocking]
    warnings = result.get("warnings", ())
    head = [
        MARKER,
        *([f"<!-- quorate-verdict {verdict} -->"] if verdict and verdict.isidentifier() else []),
        "",
        f"## {protocol.capitalize()}: {verdict or 'UNDER WAY'}" + (f", {_plain(ruled, 100)}" if ruled else ""),
        "",
        f"{_count(len(blocking), 'finding blocks', 'findings block')}, {_count(len(notes), 'note', 'notes')}.",
        *(f"\n**Warning**: {_plain(warning, 300)}" for warning in warnings),
    ]
    if degraded and not any("degraded" in warning for warning in warnings):
        head.append(f"\n**Warning**: {_plain(degraded, 100)}")
    checks = result.get("checks", {}).get("ran", ())
    sections = [
        _section(f"Findings ({len(blocking)})", map(_finding, blocking), open_=True),
        _section(f"Notes ({len(notes)})", map(_finding, notes)),
        _section(_checked(checks), map(_check, checks), head=("| check | result | |", "| --- | --- | --- |")),
        _section("Deliberation log", _log(result)),
        _section("What was looked at", _receipt(result.get("receipt", {}))),
    ]
    foot = f"<sub>Session {_plain(session, 100)}</sub>"
    return _joined(head, [section for section in sections if section.of], foot, most)


def verdict_in(text: str) -> str | None:
    """Return the verdict in a comment written by `comment`; None for one without a verdict, and for any other."""
    marker, _, rest = text.replace("\r\n", "\n").partition("\n")
    stated = _VERDICT.fullmatch(rest.partition("\n")[0])
    return stated.group(1) if marker == MARKER and stated else None


def _joined(head: list[str], sections: list[FoldedSection], foot: str, most: int) -> str:
    """Join the parts, dropping entries from the longest section until everything fits."""

    def text() -> str:
        return "\n\n".join(("\n".join(head), *(section.text() for section in sections), foot)) + "\n"

    over = len(text()) - most
    while over > 0:
        place = max(range(len(sections)), key=lambda at: sum(map(len, sections[at].entries)), default=None)
        if place is None or not sections[place].entries:
            break
        # A twentieth at a time, so that the longest stays the one that is cut.
        entries = sections[place].entries
        kept = len(entries) - max(1, len(entries) // 20)
        sections[place] = replace(sections[place], entries=entries[:kept])
        over = len(text()) - most
    return text()


def _section(title: str, entries: Iterable[str], head: tuple[str, ...] = (), open_: bool = False) -> FoldedSection:
    made = tuple(entries)
    return FoldedSection(title, head, made, len(made), open_)


# Entries


def _finding(finding: Finding) -> str:
    where = f"{finding.path}:{finding.line}" if finding.path and finding.line else finding.path
    parts = [f"- **{finding.severity.name}** {_code(finding.rule, 80)}"]
    parts.append(f" at {_code(where, 300)}" if where else " in the change as a whole")
    parts.append(f": {_plain(finding.message or finding.consequence or finding.rule)}")
    if finding.consequence and finding.consequence != finding.message:
        parts.append(f"<br>{_plain(finding.consequence)}")
    if finding.evidence.strip():
        parts.append(f"<br>{_code(finding.evidence, 300)}")
    if finding.action and finding.action != finding.message:
        parts.append(f"<br>To do: {_plain(finding.action)}")
    veto = f", veto: {_plain(finding.veto)}" if finding.veto else ""
    parts.append(f"<br><sub>{_plain(', '.join(finding.raised_by), 200)}{veto} · {finding.key}</sub>")
    return "".join(parts)


def _checked(checks: Iterable[Mapping[str, Any]]) -> str:
    """Return the title of the checks, with how many failed and how many were skipped."""
    stati = [each["status"] for each in checks]
    return f"Checks ({stati.count('fail')} failed, {stati.count('skip')} skipped, {stati.count('pass')} passed)"


def _check(each: Mapping[str, Any]) -> str:
    return f"| {_plain(each['check'], 60)} | {_plain(each['status'], 10).upper()} | {_plain(each['reason'], 200)} |"


def _log(result: Mapping[str, Any]) -> Iterator[str]:
    for tally in result.get("tallies", ()):
        yield f"- **Ballot of round {tally['round']}**: {_plain(tally['arithmetic'])} → {tally['to']}"
    for entry in result.get("log", ()):
        to = entry["next"] or "under way"
        yield f"- **Round {entry['round']} — {entry['state']}** → {to}"
        for each in entry["words"]:
            said = f": “{_plain(each['text'])}”" if each["text"].strip() else ""
            who = "Chairperson" if each["who"] == "chair" else _plain(each["who"], 60)
            yield f"  - **{who}**: {_plain(each['act'], 200)}{said}"
        for text in entry["mediation"]:
            yield f"  - **Chairperson mediation**: “{_plain(text)}”"


def _receipt(receipt: Mapping[str, Any]) -> Iterator[str]:
    if not receipt:
        return
    yield f"- {_count(len(receipt['files']), 'file', 'files')} reviewed"
    for each in receipt["left_out"]:
        yield f"- left out: {_code(each['path'], 200)} ({_plain(each['why'], 40)})"
    if receipt["cut"]:
        seats = ", ".join(sorted({seat for each in receipt["cut"] for seat in each["seats"]}))
        yield f"- cut from the views of {_plain(seats, 300)}: the report says what"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _plain(text: str, most: int = MOST_SAID) -> str:
    """Return a text as one literal line in which nothing is markup, a tag, a mention, a reference or a link."""
    return _LIVELY.sub(lambda found: f"{found.group()}{_BREAK}", inline(text, most))


def _code(text: str, most: int) -> str:
    return f"<code>{_plain(text, most)}</code>"
