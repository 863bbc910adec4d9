"""What of a change is shown; the same to all members in its first ballot, so that checks can compute it (R33)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from quorate.core.forms import Key
from quorate.core.values import replace
from quorate.core.view import Cut, Section, View, common, estimate_tokens, fit
from quorate.kit.line_keys import numbered_patch, without_numbers
from quorate.kit.view_cuts import cut_material
from quorate.protocols.review.rules.division import divided, hunks_of, undivided
from quorate.protocols.review.rules.forms import Examination, Reported
from quorate.protocols.review.rules.hits import line_keys
from quorate.protocols.review.rules.lines import hunk_by_hunk, piece_of
from quorate.protocols.review.rules.parts import Part
from quorate.protocols.review.rules.receipt import UnderReview, patches_in, without_column
from quorate.protocols.review.rules.remarks import framed_lines, smuggles, speaks, without_framing

KEPT = 2_000
"""Tokens of a view that are kept for what is said about the change, where that is less than a quarter of it."""
ABOUT = 6
"""When the tabling, arguments and mediation are cut: before all else."""
PROVED = "What the deterministic checks proved"
MOST_LISTED = 60
"""Findings of the checks that a view lists; the rest are counted."""


def change_sections(
    now: UnderReview, count: int, *, framed: bool = False, read: Collection[str] = ()
) -> Iterator[Section]:
    """Yield the files, what the checks found, and the diff; files without findings are cut first.

    `read` are the paths in which readers of its parts found something. Remarks to the reviewers are left out, and
    lines numbered, unless `framed`: that is for the seat that has to remove remarks, and writes a patch (R32).
    """
    found = now.examination.findings if now.examination is not None else ()
    paths = {str(file["path"]): str(file["key"]) for file in now.files()}
    touched = {reported.path.text for reported in found} | set(read)
    yield Section("Files under review, by key", "\n".join(now.listed(count)), cut=3)
    proved = _proved(found, paths, now.examination is None)
    yield Section(PROVED, proved, cut=2, quotable=proved if found else "")
    for file, whole in zip(now.files(), now.patches, strict=False):
        path = str(file["path"])
        cut = 4 if path in touched else 5
        if framed:
            yield Section(_title(file), whole, cut=cut, quotable=_quotable(whole))
        else:
            patch = without_framing(whole, path, framed_lines(found, path))
            yield _numbered(_title(file), numbered_patch(patch), cut, str(file["key"]))


def fitted(role: str, sections: Sequence[Section], tokens: int) -> tuple[View, tuple[Cut, ...]]:
    """Return a view of at most `tokens` tokens, and what was cut; members' words never displace the change."""
    change = tuple(section for section in sections if section.common)
    rest = tuple(section for section in sections if not section.common)
    firm = View("", tuple(section for section in rest if section.cut < ABOUT))
    shown, cut = fit(View("", change), max(0, tokens - max(_kept(tokens), _size(firm))))
    said, also = fit(View("", rest), max(0, tokens - _size(shown)))
    whole = not cut_material(View("", change), cut)
    return View(role, (*common(shown.sections), *said.sections), whole), (*cut, *also)


def in_parts(examination: Examination, change: str, tokens: int, *, narrow: bool = False) -> Examination:
    """Return the examination with the parts in which the change is read: one if all of it fits into a view (R43).

    Those of a `narrow` review are its hunks (R50).
    """
    now, room = UnderReview(examination, patches_in(change)), tokens - _kept(tokens)
    if narrow:
        parts, lines = hunk_by_hunk(now)
        return replace(examination, divided=True, hunks=lines, parts=parts)
    whole = View("", tuple(change_sections(now, examination.files)))
    too_large = cut_material(whole, fit(whole, room)[1])
    made = divided(examination, now, room) if too_large else undivided(examination, now)
    return replace(examination, divided=too_large, hunks=made.hunks, parts=made.parts)


def part_sections(now: UnderReview, part: Part, parts: int, tokens: int) -> Iterator[Section]:
    """Yield the hunks of one part, and what there is to know about its files."""
    found = now.examination.findings if now.examination is not None else ()
    files = {Key(str(file["key"])): file for file in now.files()}
    hunks = {hunk.number: hunk for hunk in hunks_of(now, found, tokens - _kept(tokens))}
    for span in part.spans:
        texts = [hunks[number].text for number in range(span.first, span.last + 1) if number in hunks]
        file, text = files.get(Key(f"F{span.file}")), "".join(texts)
        title = f"{_title(file) if file else f'F{span.file}'}, H{span.first} to H{span.last}"
        yield replace(_numbered(title, text, 4, f"F{span.file}"), common=True)
    own = {str(files[key]["path"]): str(key) for key in part.files if key in files}
    here = tuple(each for each in found if each.path.text in own)
    about = f"Part {part.number} of {parts}. Others read the rest of the change."
    yield Section("What you read", about, data=False, cut=ABOUT)
    proved = _proved(here, own, now.examination is None)
    yield Section(PROVED, proved, cut=ABOUT, quotable=proved if here else "")
    yield Section("All files of the change, by key", "\n".join(now.listed(len(files))), cut=ABOUT + 1)


def piece_section(now: UnderReview, part: Part) -> Section:
    """Return one part of a narrow review, with the key of each changed line (R50)."""
    piece, files = piece_of(now, part), now.files()
    text = piece.shown() if piece is not None else "\n".join(f"{key} is not at hand" for key in line_keys(part))
    number = part.spans[0].file if part.spans else 0
    title = _title(files[number - 1]) if 0 < number <= len(files) else f"F{number}"
    return Section(title, text, cut=4, quotable=text, common=True)


def _numbered(title: str, text: str, cut: int, key: str) -> Section:
    """Return a patch with numbers before its lines as a section; what may be quoted has none (R32)."""
    return Section(title, text, cut=cut, quotable=_quotable(without_numbers(text)), lines=key)


def _quotable(patch: str) -> str:
    return f"{patch}\n{without_column(patch)}"


def _title(file: Mapping[str, object]) -> str:
    return f"{file['key']} {file['path']}"


def _kept(tokens: int) -> int:
    return min(tokens // 4, KEPT)


def _size(view: View) -> int:
    """Return the tokens of a view, including the separator to the next."""
    return estimate_tokens(view.text()) + 1 if view.sections else 0


def _proved(found: Sequence[Reported], keys: Mapping[str, str], pending: bool) -> str:
    if pending:
        return "The checks have not reported yet."
    lines = [
        f"{each.severity.value}: {each.rule} at {keys.get(each.path.text, each.path.text)}:{each.line}" + _told(each)
        for each in found[:MOST_LISTED]
    ]
    if (more := len(found) - MOST_LISTED) > 0:
        lines.append(f"and {more} more")
    return "\n".join(lines) or "No findings."


def _told(found: Reported) -> str:
    """Return a finding as shown to seats, without words that an author addresses to the reviewers (R32)."""
    if speaks(found):
        return ": text that speaks to the reviewers"
    if smuggles(found):
        return ": characters that nobody sees"
    return f": {found.message}" + (f" [{found.evidence}]" if found.evidence.text else "")
