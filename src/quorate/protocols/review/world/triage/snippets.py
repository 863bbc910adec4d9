"""What of a change is asked about: each changed function with its text before and after, and changed lines elsewhere.

A function is paired with the one of its name before the change, or with the one that stood where it stands now and is
gone. One that is there unchanged, wherever it stood, is not asked about. Changed lines outside of every function are
widened to the paragraph they stand in; imports, comments and brackets alone are passed over. Of a diff that applies to
no known tree only its hunks are known, and each is read as a text of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from textwrap import dedent

from quorate.files.places import extension, is_code, is_document
from quorate.kit.change import Change, ChangedFile
from quorate.protocols.review.world.change.file_order import reviewed
from quorate.protocols.review.world.triage.functions import FunctionSpan, functions_in

MOST_SNIPPETS = 200
"""Of one change; the files most worth reading come first."""
MOST_CHARACTERS = 6_000
"""Of one text, so that it fits into the window of a small model. A longer function is asked about in paragraphs."""
MOST_WIDENED = 40
"""Lines of a paragraph."""
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@")
_TRIVIAL = re.compile(
    r"\s*(?:#|//|/\*|\*|--|\"\"\"|(?:import|from|use|using|package|include|require)\b|[\])}([{;,\s]*$|\"[\w./@-]+\"$)"
)
LANGUAGES = {
    **{".py": "python", ".sql": "sql", ".go": "go", ".js": "javascript", ".jsx": "javascript", ".mjs": "javascript"},
    **{".cjs": "javascript", ".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript"},
    **{".rs": "rust", ".rb": "ruby", ".cs": "csharp", ".kt": "kotlin", ".sh": "bash", ".cpp": "cpp", ".h": "c"},
}
"""What a fence calls a language, where that is not the extension itself."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """One changed function, or changed lines outside of any."""

    path: str
    line: int
    """Its first line in the new text."""
    name: str
    """Of the function; empty where it is none."""
    language: str
    before: str | None
    """None where there was none."""
    after: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.after,) if self.before is None else (self.before, self.after)


@dataclass(frozen=True, slots=True)
class Unasked:
    """What of a change is not asked about."""

    path: str
    line: int
    """0 where it is a whole file."""
    why: str


def snippets_of(change: Change) -> tuple[list[Snippet], list[Unasked]]:
    """Return what of a change to ask about, and what is left out and why."""
    found, out = list[Snippet](), [Unasked(each.path, 0, each.why.value) for each in change.left_out]
    for file in reviewed(change):
        if not is_code(file.path) or is_document(file.path):
            out.append(Unasked(file.path, 0, "not code in a known language"))
            continue
        for each in _in_file(file):
            long = max(map(len, each.texts)) > MOST_CHARACTERS
            if long or len(found) >= MOST_SNIPPETS:
                why = "too long to be asked about" if long else f"more than {MOST_SNIPPETS} changed functions"
                out.append(Unasked(each.path, each.line, why))
            else:
                found.append(each)
    return found, out


def _in_file(file: ChangedFile) -> Iterator[Snippet]:
    for sides in _sides(file):
        yield from sides.snippets(file)


@dataclass
class _Sides:
    """Two versions of one text, line by line."""

    before: Sequence[str]
    after: Sequence[str]
    added: AbstractSet[int]
    removed: AbstractSet[int]
    """Lines, counted from 1."""
    above: int = 0
    """Lines of the file above the new text."""

    def __post_init__(self) -> None:
        """Note which lines are in both, in the new text and, at the same places of the lists, in the old one."""
        self.new = [number for number in range(1, len(self.after) + 1) if number not in self.added]
        self.old = [number for number in range(1, len(self.before) + 1) if number not in self.removed][: len(self.new)]

    def snippets(self, file: ChangedFile) -> Iterator[Snippet]:
        now = [each for each in functions_in("\n".join(self.after), file.path) if self._fits(each)]
        pairs = self._paired(now, functions_in("\n".join(self.before), file.old_path or file.path))
        texts = {each: None if old is None else _cut(self.before, old) for each, old in pairs.items()}
        texts |= {each: self._old_text(each) for each in self._outside(now)}
        kind = extension(file.path)
        language = LANGUAGES.get(kind, kind.removeprefix("."))
        for span, before in sorted(texts.items(), key=lambda each: each[0].first):
            after = _cut(self.after, span)
            if before != after:
                yield Snippet(file.path, self.above + span.first, span.name, language, before, after)

    def _fits(self, span: FunctionSpan) -> bool:
        return sum(len(line) + 1 for line in self.after[span.first - 1 : span.last]) <= MOST_CHARACTERS

    def _paired(
        self, now: Sequence[FunctionSpan], was: Iterable[FunctionSpan]
    ) -> dict[FunctionSpan, FunctionSpan | None]:
        """Return the changed functions, each with what it was; None where it was not there."""
        left = dict.fromkeys(was)
        texts = {each: _cut(self.before, each) for each in left}
        same = _claim(left, {each: _cut(self.after, each) for each in now}, texts)
        changed = [each for each in now if each not in same]
        found = _claim(left, {each: each.name for each in changed}, {each: each.name for each in left})
        gone = list(left)
        ends = [each.last for each in gone]
        for each in changed:
            if each not in found:
                first, last = self._range(each)
                at = bisect_left(ends, first)
                here = [old for old in gone[at : at + 2] if old in left and old.first <= last]
                if len(here) == 1:
                    found[each] = here[0]
                    del left[here[0]]
        return {each: found.get(each) for each in changed}

    def _range(self, span: FunctionSpan) -> tuple[int, int]:
        """Return the lines of the old text between the unchanged lines around a span; the second may be smaller."""
        above, below = bisect_left(self.new, span.first) - 1, bisect_right(self.new, span.last)
        first = self.old[above] if 0 <= above < len(self.old) else 0
        last = self.old[below] if below < len(self.old) else len(self.before) + 1
        return first + 1, last - 1

    def _old_text(self, span: FunctionSpan) -> str | None:
        first, last = self._range(span)
        text = _cut(self.before, FunctionSpan("", first, last)) if last >= first else ""
        return text if text.strip() else None

    def _outside(self, now: Iterable[FunctionSpan]) -> Iterator[FunctionSpan]:
        """Yield the paragraphs outside of all functions in which lines were added that say something."""
        inside = {line for each in now for line in range(each.first, each.last + 1)}
        wall = [number in inside or not text.strip() for number, text in enumerate(self.after, 1)]
        end = 0
        for line in sorted(self.added):
            if line <= end or line > len(self.after) or wall[line - 1] or _TRIVIAL.match(self.after[line - 1]):
                continue
            first = last = line
            while first - 1 > end and not wall[first - 2] and line - first < MOST_WIDENED // 2:
                first -= 1
            while last < len(self.after) and not wall[last] and last - first < MOST_WIDENED:
                last += 1
            end = last
            yield FunctionSpan("", first, last)


def _claim(
    left: dict[FunctionSpan, None], wanted: Mapping[FunctionSpan, str], words: Mapping[FunctionSpan, str]
) -> dict[FunctionSpan, FunctionSpan]:
    """Pair each wanted function with the first one left that has its word, and take that away."""
    known = dict[str, deque[FunctionSpan]]()
    for old in left:
        known.setdefault(words[old], deque()).append(old)
    found = {each: known[word].popleft() for each, word in wanted.items() if known.get(word)}
    for old in found.values():
        del left[old]
    return found


def _cut(lines: Sequence[str], span: FunctionSpan) -> str:
    return dedent("\n".join(lines[span.first - 1 : span.last])) + "\n"


def _sides(file: ChangedFile) -> Iterator[_Sides]:
    """Yield the two versions of a file or, where its texts are not known, of each of its hunks."""
    if file.after is not None:
        yield _Sides(_lines(file.before or ""), _lines(file.after), set(file.added), set(file.removed))
    elif file.before is None:
        yield from _hunks(file.patch)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _hunks(patch: str) -> Iterator[_Sides]:
    before, after, added, removed, above = list[str](), list[str](), set[int](), set[int](), 0
    for line in [*patch.split("\n"), "@@ -0 +0 @@"]:
        if header := _HUNK.match(line):
            if added:
                yield _Sides(before, after, added, removed, above)
            before, after, added, removed, above = [], [], set(), set(), max(0, int(header[2]) - 1)
        elif line.startswith("+") and not line.startswith("+++ "):
            after.append(line[1:].removesuffix("\r"))
            added.add(len(after))
        elif line.startswith("-") and not line.startswith("--- "):
            before.append(line[1:].removesuffix("\r"))
            removed.add(len(before))
        elif line.startswith(" "):
            before.append(line[1:].removesuffix("\r"))
            after.append(line[1:].removesuffix("\r"))
