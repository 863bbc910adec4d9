"""What of a change is shown; the same to all members in its first ballot, so that checks can compute it (R33)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from quorate.core.view import Cut, Section, View, common, estimate_tokens, fit
from quorate.protocols.review.version_1.rules.forms import Examination, Reported
from quorate.protocols.review.version_1.rules.receipt import UnderReview, patches_in, without_column
from quorate.protocols.review.version_1.rules.remarks import framed_lines, smuggles, speaks, without_framing

KEPT = 2_000
"""Tokens of a view that are kept for what is said about the change, where that is less than a quarter of it."""
ABOUT = 6
"""When the tabling, arguments and mediation are cut: before all else."""
MOST_LISTED = 60
"""Findings of the checks that a view lists; the rest are counted."""


def change_sections(now: UnderReview, count: int, *, framed: bool = False) -> Iterator[Section]:
    """Yield the files, what the checks found, and the diff; files without findings are cut first.

    Remarks to the reviewers are left out unless `framed`, which is for the seat that has to remove them (R32).
    """
    found = now.examination.findings if now.examination is not None else ()
    paths = {str(file["path"]): str(file["key"]) for file in now.files()}
    touched = {reported.path.text for reported in found}
    yield Section("Files under review, by key", "\n".join(now.listed(count)), cut=3)
    yield Section("What the deterministic checks proved", _proved(now.examination, paths), cut=2)
    for file, whole in zip(now.files(), now.patches, strict=False):
        path = str(file["path"])
        patch = whole if framed else without_framing(whole, path, framed_lines(found, path))
        quotable = f"{patch}\n{without_column(patch)}"
        yield Section(_title(file), patch, cut=4 if path in touched else 5, quotable=quotable)


def fitted(role: str, sections: Sequence[Section], tokens: int) -> tuple[View, tuple[Cut, ...]]:
    """Return a view of at most `tokens` tokens, and what was cut; members' words never displace the change."""
    change = tuple(section for section in sections if section.common)
    rest = tuple(section for section in sections if not section.common)
    firm = View("", tuple(section for section in rest if section.cut < ABOUT))
    shown, cut = fit(View("", change), max(0, tokens - max(_kept(tokens), _size(firm))))
    said, also = fit(View("", rest), max(0, tokens - _size(shown)))
    return View(role, (*common(shown.sections), *said.sections)), (*cut, *also)


def unshown(examination: Examination, change: str, tokens: int) -> tuple[str, ...]:
    """Return the files that the first ballot on a change does not show in full, in the order of their keys."""
    now = UnderReview(examination, patches_in(change))
    sections = tuple(change_sections(now, examination.files))
    _, cuts = fit(View("", sections), tokens - _kept(tokens))
    whole = {section.title for section in sections} - {cut.title for cut in cuts}
    return tuple(str(file["path"]) for file in now.files() if _title(file) not in whole)


def _title(file: Mapping[str, object]) -> str:
    return f"{file['key']} {file['path']}"


def _kept(tokens: int) -> int:
    return min(tokens // 4, KEPT)


def _size(view: View) -> int:
    """Return the tokens of a view, including the separator to the next."""
    return estimate_tokens(view.text()) + 1 if view.sections else 0


def _proved(examination: Examination | None, keys: Mapping[str, str]) -> str:
    if examination is None:
        return "The checks have not reported yet."
    lines = [
        f"{each.severity.value}: {each.rule} at {keys.get(each.path.text, each.path.text)}:{each.line}" + _told(each)
        for each in examination.findings[:MOST_LISTED]
    ]
    if (more := len(examination.findings) - MOST_LISTED) > 0:
        lines.append(f"and {more} more")
    return "\n".join(lines) or "No findings."


def _told(found: Reported) -> str:
    """Return a finding as shown to seats, without words that an author addresses to the reviewers (R32)."""
    if speaks(found):
        return ": text that speaks to the reviewers"
    if smuggles(found):
        return ": characters that nobody sees"
    return f": {found.message}" + (f" [{found.evidence}]" if found.evidence.text else "")
