"""The report of a session as Markdown, and as HTML without scripts or external resources.

A protocol's package brings its own templates (`report.md.j2`, or those its definition names); protocols without one
get `generic.md.j2`. A template is code of the package and never comes from a user. It sees the record, what `context`
derives from it, the protocol's own `result`, and the filters of `quotations`, through which every word of a model, a
person or a file has to go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from html import escape
from importlib import resources
from typing import Any

from jinja2 import DictLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markdown_it import MarkdownIt
from markdown_it.token import Token

from quorate.codec import digest_text
from quorate.core.record import Asked, Record
from quorate.evidence.derivation import degradation, transcript
from quorate.evidence.exam_notes import exam_notes, unqualified_seats
from quorate.evidence.explain import conclusion_text, explain, fact_text, heard_text
from quorate.evidence.normalisation import normalised
from quorate.evidence.quotations import cell, inline, item, quote
from quorate.kit.fates import Fate
from quorate.kit.visible_text import first_line, visible
from quorate.worth.tolerance import Tolerance
from quorate.worth.totals import Spent, dollars, duration, totals
from quorate.worth.worth import Worth

LONGEST_TITLE = 120
_NEVER = ("image", "link", "autolink", "reference", "html_block", "html_inline")


@cache
def _package_text(name: str) -> str:
    return (resources.files("quorate.evidence") / name).read_text(encoding="utf-8")


GENERIC = _package_text("generic.md.j2")
"""The template for protocols that bring none."""


def markdown(
    record: Record,
    template: str,
    session: str,
    head: str,
    result: Mapping[str, Any] | None = None,
    worth: Worth | None = None,
    tolerance: Tolerance | None = None,
    fates: tuple[Fate, ...] | None = None,
) -> str:
    """Return the report as Markdown; `head` is the hash that the journal ends in, `result` the protocol's own.

    `fates` are None where a protocol does not tell what became of what was said.
    """
    given = {
        "session": session,
        "head": head,
        "result": result or {},
        "worth": worth,
        "tolerance": tolerance,
        "fates": fates,
    }
    text = _templates().from_string(template).render(context(record) | given)
    # What templates leave behind goes; a quotation may end in spaces that belong to code.
    lines = [line if line.lstrip().startswith(">") else line.rstrip() for line in text.split("\n")]
    kept = [line for index, line in enumerate(lines) if line or (index and lines[index - 1])]
    return "\n".join(kept).strip("\n") + "\n"


def context(record: Record) -> dict[str, Any]:
    """Return what every template may use: the record, and what follows from it for any protocol.

    A protocol's own words reach its template through `view`, its view object, whose methods a template may call. What
    such an object returns from `report_context(record)`, if it has that, is added.
    """
    moves, conclusion = explain(record), record.session.conclusion
    title = record.opening.title or next((first_line(text) for text in record.material.values()), "")
    own = getattr(record.protocol.view, "report_context", None)
    return {
        "record": record,
        "protocol": record.protocol,
        "view": record.protocol.view,
        "state": record.session.state,
        "opening": record.opening,
        "title": inline(title, LONGEST_TITLE),
        "conclusion": conclusion,
        "conclusion_text": conclusion_text(record),
        "normalised": normalised(record),
        "verdict": conclusion.verdict.name if conclusion else None,
        "rulings": record.rulings,
        "interrupted": conclusion.interrupted.value if conclusion and conclusion.interrupted else None,
        "degradation": degradation(record, moves),
        "exams": sorted(exam_notes(record.opening)),
        "unqualified": unqualified_seats(record.opening),
        "asks": [line for line in record.log if isinstance(line, Asked)],
        "measured": record.measured(),
        "moves": moves,
        "totals": totals(record),
        "nothing": Spent(),
        "transcript": transcript(record),
        **(own(record) if callable(own) else {}),
    }


@cache
def _templates() -> ImmutableSandboxedEnvironment:
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        loader=DictLoader({"parts.md.j2": _package_text("parts.md.j2")}),
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "cell": cell,
        "inline": inline,
        "quote": quote,
        "item": item,
        "dollars": dollars,
        "duration": duration,
        "moment": moment,
        "digest": digest_text,
        "fact": fact_text,
        "heard": heard_text,
        "flat": flat,
    }
    return made


def moment(milliseconds: int) -> str:
    """Format a time as a date in UTC, or a dash if there is none."""
    if not 0 < milliseconds < 253_402_300_800_000:  # the year 10000, where dates end
        return "–"
    return f"{datetime.fromtimestamp(milliseconds // 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"


def flat(data: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every text, number and boolean inside a reply, with its path as a name."""
    if isinstance(data, dict | list):
        inner = data.items() if isinstance(data, dict) else enumerate(data, start=1)
        for key, value in inner:
            yield from flat(value, f"{name} › {key}" if name else str(key))
    else:
        yield name, data


# HTML


def html(text: str) -> str:
    """Return Markdown as HTML with a table of contents: no scripts, external links, images or other resources."""
    renderer = _renderer()
    tokens = renderer.parse(text)
    sections = _number_sections(tokens)
    for token in tokens:
        if (found := token.attrs.pop("style", None)) is not None:  # a strict policy allows no style of an element's own
            token.attrSet("class", str(found).removeprefix("text-align:"))
    # An entity may have become an invisible character only now.
    body = visible(renderer.renderer.render(tokens, renderer.options, {}))
    links = "\n".join(f'<li><a href="#{anchor}">{escape(visible(name))}</a></li>' for anchor, name in sections)
    contents = f'<nav aria-label="Contents"><ul>\n{links}\n</ul></nav>\n' if len(sections) > 1 else ""
    return f"{contents}<main>\n{body}</main>\n"


def style() -> str:
    """Return the style sheet of the HTML report."""
    return _package_text("report.css")


@cache
def _renderer() -> MarkdownIt:
    options = {"html": False, "linkify": False, "typographer": False, "maxNesting": 100}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"]).disable(_NEVER)


def _number_sections(tokens: list[Token]) -> list[tuple[str, str]]:
    """Give every second-level heading an anchor and return anchors and names, for the contents."""
    found: list[tuple[str, str]] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0:
            anchor = f"s{len(found) + 1}"
            token.attrSet("id", anchor)
            inside = tokens[place + 1].children or []
            found.append((anchor, "".join(part.content for part in inside)))
    return found
