"""Free text made safe to stand in our Markdown: it can be read, and cannot pass for our headings, tables or tags.

Models, people and files write Markdown of their own. Lists, emphasis and code are kept, because they help reading.
Headings become bold lines, and what would make a table, a link, an image or a tag is escaped. Fenced code gets a new
fence that its content cannot close. Every other line is made safe on its own, whatever stands before it, so no trick
with an unclosed construct can change what a later line means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

MOST_INDENT = 12
"""Columns of indentation that are kept; more would nest lists deeper than renderers follow."""
MOST_MARKERS = 6
"""List and quotation marks in front of one line that are kept as such."""

_EMOJI = "\u2190-\u2bff\U0001f000-\U0001faff"
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # controls, odd line ends, halves of characters
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2060-\u206f\u3164\ufeff\uffa0"
    "\u202a-\u202e\ufe00-\ufe0d\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
    f"|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"  # the joiner is honest work between two emoji only
)
_CONTAINERS = re.compile(r"(?: *(?:>|[-+*](?= |$)|\d{1,9}[.)](?= |$)))* *")
_MARKER = re.compile(r">|[-+*](?= |$)|\d+[.)]")
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_LISTED = re.compile(r"[ >]*(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)")
_TICKS = re.compile("`+")
_ACTIVE = re.compile(r"[\\\[|]")
_LITERAL = re.compile(r"[\\`*_\[\]|~#]")
_LEADING = re.compile(r"[-+=:~>#]|\*(?= |$)|([*_])(?: *\1){2,} *$|\d{1,9}(?=[.)])")
"""What begins a block; a star or a low line also begins emphasis, which may stay."""


def visible(text: str) -> str:
    """Return the text with every invisible or direction-changing character written out, such as ⟨U+202E⟩."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text)


def inline(text: str, most: int | None = None) -> str:
    """Return the text as one literal line that means nothing in Markdown, cut to `most` characters."""
    flat = " ".join(visible(text).split())
    if most is not None and len(flat) > most:
        flat = flat[: most - 1].rstrip() + "…"
    literal = _LITERAL.sub(r"\\\g<0>", flat).replace("&", "&amp;").replace("<", "&lt;")
    return _guard_start(literal)


def cell(text: str, most: int | None = None) -> str:
    """Return the text as a literal table cell; an empty one shows a dash."""
    return inline(text, most) or "–"


def quote(text: str) -> str:
    """Return the text as a blockquote, its Markdown tamed."""
    shown = visible(text).strip("\n")
    if not shown.strip():
        return "> –"
    return "\n".join(f"> {line}".rstrip() for line in _tamed(shown.split("\n")))


def item(text: str) -> str:
    """Return the text as one entry of a bullet list: a line, or a quotation where it has several."""
    shown = visible(text).strip()
    if "\n" in shown:
        return "- " + quote(shown).replace("\n", "\n  ")
    return f"- {_guard_start(_tame_line(shown)) or '–'}"


def first_line(text: str) -> str:
    """Return the first line that says something, without the marks of a heading."""
    lines = (line.lstrip("# \t").strip() for line in visible(text).split("\n"))
    return next((line for line in lines if line), "")


def _guard_start(text: str) -> str:
    """Escape what would begin a block if the text stood at the start of a line."""
    if found := _LEADING.match(text):
        end = found.end() if found.group().isdecimal() else 0
        return f"{text[:end]}\\{text[end:]}"
    return text


def _tamed(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a text, code fenced anew and all others made safe one by one."""
    index, listed = 0, False
    while index < len(lines):
        line = lines[index]
        if found := _FENCE.match(line):
            fence = found.group(1)
            code = _run(lines, index + 1, partial(_inside, fence))
            if said := inline(line[found.end() :]):
                yield said  # what stood behind the fence, such as the language, is shown and means nothing
            yield from _fenced(code, found.end() - len(fence))
            index += len(code) + 2
        elif not listed and line.startswith(("    ", "\t")) and not (index and lines[index - 1].strip()):
            code = _run(lines, index, lambda each: not each.strip() or each.startswith(("    ", "\t")))
            yield from _fenced(code, 1 if line.startswith("\t") else 4)
            index += len(code)
        else:
            listed = _LISTED.match(line) is not None or (listed and line[:1] in ("", " ", "\t"))
            yield _tame_line(line)
            index += 1


def _run(lines: list[str], start: int, belongs: Callable[[str], bool]) -> list[str]:
    """The lines from `start` on that belong together."""
    end = start
    while end < len(lines) and belongs(lines[end]):
        end += 1
    return lines[start:end]


def _fenced(code: list[str], indent: int) -> Iterator[str]:
    """Fence code so that nothing in it can close the fence."""
    said = len(code)
    while said and not code[said - 1].strip():
        said -= 1
    longest = max((len(run) for line in code for run in _TICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield fence
    for line in code[:said]:
        yield line[min(indent, len(line) - len(line.lstrip(" \t"))) :]
    yield fence


def _inside(fence: str, line: str) -> bool:
    """Whether a line does not close this fence."""
    line = line.strip()
    return len(line) < len(fence) or line != fence[0] * len(line)


def _tame_line(line: str) -> str:
    line = line.expandtabs(4).rstrip()
    bare = line.lstrip(" ")
    line = " " * min(MOST_INDENT, len(line) - len(bare)) + bare
    content = line.lstrip(" >")
    if content and not content.strip("-=:| "):
        # Under a line of text this would make a heading or a table of it.
        marks = line[: len(line) - len(content)]
        return _few_markers(marks) + _escaped(content, guard=True)
    found = _CONTAINERS.match(line)
    marks = found.group() if found else ""
    rest = line[len(marks) :]
    if len(_MARKER.findall(marks)) > MOST_MARKERS:
        return inline(line)
    if rest.startswith("#"):
        title = inline(rest.strip("# "))
        return f"{marks}**{title}**" if title else f"{marks}\\{rest}"
    tamed = _tame_inline(rest)
    return f"{marks}\\{tamed}" if tamed.startswith("~~~") else marks + tamed


def _few_markers(marks: str) -> str:
    return marks if marks.count(">") <= MOST_MARKERS else marks.replace(">", "&gt;").lstrip()


def _tame_inline(text: str) -> str:
    """Keep emphasis and the code spans that close on this line; escape everything else that Markdown acts upon."""
    runs = list(_TICKS.finditer(text))
    last = {len(run.group()): index for index, run in enumerate(runs)}
    parts: list[str] = []
    done = index = 0
    while index < len(runs):
        run, size = runs[index], len(runs[index].group())
        parts.append(_escaped(text[done : run.start()]))
        done = run.end()
        if last[size] > index:
            index = next(at for at in range(index + 1, len(runs)) if len(runs[at].group()) == size)
            done = runs[index].end()
            parts.append(text[run.start() : done])
        else:
            parts.append("\\`" * size)
        index += 1
    return "".join((*parts, _escaped(text[done:])))


def _escaped(text: str, guard: bool = False) -> str:
    text = _ACTIVE.sub(r"\\\g<0>", text).replace("&", "&amp;").replace("<", "&lt;")
    return f"\\{text}" if guard and not text.startswith("\\") else text
