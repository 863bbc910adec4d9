"""Framing: what an author writes to the reviewers, kept out of their sight (R32).

The checks report text in a change that speaks to its reviewers. Where such text is a remark, a comment or a line of a
document, members judge better without it, so their views hold a note in its place; people read it in the finding. Code
is never hidden: where it is not certain that the rest of a line is a comment, the line is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from quorate.protocols.review.forms import Reported

FRAMING = "injection/"
"""How the rules begin under which checks report text that speaks to reviewers."""
NOTE = "[a remark to the reviewers is withheld here]"
DOCUMENTS = frozenset({"md", "rst", "txt", "adoc"})
_HASH = dict.fromkeys(("py", "pyi", "sh", "rb", "yaml", "yml", "toml", "tf", "r"), "#")
_SLASHES = dict.fromkeys(("js", "jsx", "ts", "tsx", "go", "java", "c", "h", "cpp", "cs", "rs", "kt", "swift"), "//")
COMMENTS = {**_HASH, **_SLASHES}
"""What begins a comment that ends with its line, by the ending of the file's name."""
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)")
_QUOTES = re.compile(r"[\"'`]")


def speaks(finding: Reported) -> bool:
    """Whether a finding of the checks is about text that speaks to the reviewers."""
    return finding.rule.text.startswith(FRAMING)


def framed_lines(findings: Iterable[Reported], path: str) -> frozenset[int]:
    """Return the lines of a file in which text that speaks to the reviewers begins."""
    return frozenset(each.line for each in findings if speaks(each) and each.path.text == path and each.line > 0)


def without_framing(patch: str, path: str, lines: frozenset[int]) -> str:
    """Return a file's patch with a note in the place of every remark that begins in one of these added lines."""
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
    if ending in DOCUMENTS:
        return NOTE
    sign = COMMENTS.get(ending)
    before, found, after = text.rpartition(sign) if sign is not None else ("", "", text)
    # A quotation mark behind the sign may end a text in which the sign stands, with code behind it.
    if not found or _QUOTES.search(after):
        return text
    while sign is not None and before.rstrip().endswith(sign):  # a row of signs is one
        before = before.rstrip().removesuffix(sign)
    return f"{before}{sign} {NOTE}"
