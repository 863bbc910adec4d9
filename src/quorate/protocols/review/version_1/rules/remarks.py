"""Framing: text in a change that is addressed to its reviewers, hidden from their views (R32).

The checks report text in a change that speaks to its reviewers. Where such text is a remark, a comment or a line of a
document, members judge better without it, so their views hold a note in its place; people read it in the finding. Code
is never hidden: the rest of a line is withheld only behind a sign that begins a comment, and only where it is words and
nothing else. Whatever such a sign stands in, a text that a shell runs, say, words by themselves do nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

from quorate.kit.findings import MOST_ALIKE
from quorate.protocols.review.version_1.rules.forms import Reported

FRAMING = "injection/"
"""How the rules begin under which checks report text that speaks to reviewers."""
SMUGGLED = ("hidden-text/tags", "hidden-text/selectors")
"""And those under which they report words in characters that nobody sees, and say what these read."""
NOTE = "[a remark to the reviewers is withheld here]"
DOCUMENTS = frozenset({"md", "rst", "adoc"})
_HASH = dict.fromkeys(("py", "pyi", "sh", "rb", "yaml", "yml", "toml", "tf", "r", "txt"), "#")
_SLASHES = dict.fromkeys(("js", "jsx", "ts", "tsx", "go", "java", "c", "h", "cpp", "cs", "rs", "kt", "swift"), "//")
COMMENTS = {**_HASH, **_SLASHES}
"""What begins a comment that ends with its line, by the ending of the file's name."""
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")
_WORDS = re.compile(r"\s*(?:\w+(?:-\w+)*[,.:!?]*(?:\s+|$))+")
"""Words and their punctuation: no quotation mark, bracket or separator, no option, path or address."""
EVERY = range(1, 10**9)
"""The lines of a file of which so much is reported that not all of it is listed."""


def speaks(finding: Reported) -> bool:
    """Return whether a finding of the checks is about text addressed to the reviewers."""
    return finding.rule.text.startswith(FRAMING)


def smuggles(finding: Reported) -> bool:
    """Return whether a finding quotes hidden text; views keep that from seats, and so must the finding."""
    return finding.rule.text in SMUGGLED


def framed_lines(findings: Iterable[Reported], path: str) -> Collection[int]:
    """Return the lines of a file in which text addressed to the reviewers begins, or may begin."""
    found = [each for each in findings if speaks(each) and each.path.text == path]
    if any(number >= MOST_ALIKE for number in Counter(each.rule.text for each in found).values()):
        return EVERY
    return frozenset(each.line for each in found if each.line > 0)


def without_framing(patch: str, path: str, lines: Collection[int]) -> str:
    """Return a file's patch with every remark that begins in one of these added lines replaced by a note."""
    if not lines:
        return patch
    ending = path.rpartition("/")[2].rpartition(".")[2].lower()
    number: int | None = None  # not in a hunk yet
    shown = []
    for line in patch.split("\n"):
        kept = line
        if hunk := _HUNK.match(line):
            number = int(hunk[1]) - 1
        elif number is not None and line[:1] in ("+", " "):
            number += 1
            kept = "+" + _withheld(line[1:], ending) if line[0] == "+" and number in lines else line
        shown.append(kept)
    return "\n".join(shown)


def _withheld(text: str, ending: str) -> str:
    if ending in DOCUMENTS or (ending == "txt" and _WORDS.fullmatch(text)):
        return NOTE
    sign = COMMENTS.get(ending)
    if sign is None or sign not in text:
        return text
    before, _, after = text.rpartition(sign)
    while before.rstrip().endswith(sign):  # a row of signs is one
        before = before.rstrip().removesuffix(sign)
    begins = not before or before[-1].isspace()
    return f"{before}{sign} {NOTE}" if begins and _WORDS.fullmatch(after) else text
