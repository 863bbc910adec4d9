"""Prose as a tree: Markdown parsed into nodes from which a page builds elements, so that no text is used as HTML.

A node is a text, or `[tag, attributes or None, *children]` with a tag of a closed list. What a reader of the tree sees
holds every word of the text: HTML stays text, an image is its alternative text with its address, and a block whose
rendering would hide a word (a link's definition that nothing uses, a cell beyond the last column) is shown as it was
written, in a `pre` without `code`. Any text gives a tree, in bounded time, size and depth.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from quorate.evidence.quotations import is_plain, parsed_whole
from quorate.kit.visible_text import visible

Node = str | list[Any]

_TAGS = "p h3 h4 h5 h6 ul ol li pre code blockquote em strong del a hr br table thead tbody tr th td"
TAGS = frozenset(_TAGS.split(" "))
MOST_CHARACTERS = 100_000
"""Of one text that somebody wrote; a remark says how many more there are."""
MOST_OF_REPORT = 1_000_000
"""Of a report, which is as long as everything in it."""
MOST_TOKENS = 0.4
"""Pieces of Markdown for each character that a text may have; a text with more is shown as it was written."""
MOST_BRACKETS = 2_000
"""Opening brackets in one text; one with more has no links, because looking for their ends would take too long."""
DEEPEST = 8
"""Levels of lists and quotations that are shown as such, and of emphasis inside one line."""
_SEEN_BY_PARSER = DEEPEST + 2
"""Levels that are parsed, so that everything down to the deepest that is shown is whole."""
_WORD = re.compile(r"[^\W_]+")
_ADDRESS = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_HEADINGS = {"h1": "h3", "h2": "h4", "h3": "h5", "h4": "h6", "h5": "h6", "h6": "h6"}
_RENAMED = {**_HEADINGS, "s": "del"}


def tree(text: str, most: int = MOST_CHARACTERS) -> list[Node]:
    """Return the nodes of a text. Never raises, never drops a word silently, and contains nothing executable.

    A text longer than `most` characters is cut and ends in a note.
    """
    shown = visible(text)
    more = len(shown) - most
    nodes = _paragraphs(shown[:most]) or _blocks(shown[:most], int(most * MOST_TOKENS))
    return nodes if more <= 0 else [*nodes, _element("p", None, [_element("em", None, [f"… {more} more characters"])])]


def words(nodes: list[Node]) -> str:
    """Return the visible text of these nodes."""
    return "".join(node if isinstance(node, str) else f" {words(node[2:])} " for node in nodes)


def _paragraphs(text: str) -> list[Node]:
    """Return the paragraphs of a text without other markup; empty if it may have some."""
    if not is_plain(text):
        return []
    return [_element("p", None, [each.strip()]) for each in re.split("\n\n+", text) if each.strip()]


def _blocks(text: str, most: int) -> list[Node]:
    found: dict[str, Any] = {}
    text, tokens = parsed_whole(_parser(text.count("[") <= MOST_BRACKETS), text, found)
    lines = text.split("\n")
    if sum(1 + len(token.children or ()) for token in tokens) > most:
        return [_source(lines)]
    left = _without_used(lines, found.get("references", {}), _labels(tokens))
    reader = _Reader(lines, visible if "&" in text else str)  # an entity may become an invisible character
    nodes: list[Node] = []
    done = 0
    for block in _top(tokens):
        start, end = block[0].map or (done, done)
        nodes += _between(left[done:start])
        made, unseen = reader.read(block)
        nodes += [_source(lines[start:end])] if _hides("\n".join(lines[start:end]), made, unseen) else made
        done = end
    return nodes + _between(left[done:])


def _hides(source: str, nodes: list[Node], unseen: str) -> bool:
    """Whether rendering hides a word of the source, as unused link definitions and extra table cells do."""
    if "[" not in source and "|" not in source:
        return False
    return bool(_counted(visible(unescapeAll(source))) - _counted(f"{words(nodes)} {unseen}"))


@cache
def _parser(links: bool) -> MarkdownIt:
    options = {
        "html": False,
        "linkify": False,
        "typographer": False,
        "maxNesting": _SEEN_BY_PARSER,
        "store_labels": True,
    }
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: bool(_ADDRESS.match(url))  # type: ignore[method-assign]
    return parser if links else parser.disable(["link", "image", "reference"])


def _top(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the tokens of each top-level block."""
    start = 0
    for place, token in enumerate(tokens, start=1):
        if token.level == 0 and token.nesting <= 0:
            yield tokens[start:place]
            start = place


def _labels(tokens: list[Token]) -> set[str]:
    """Return the labels of all definitions that links or images use."""
    used = {str(token.meta["label"]) for token in tokens if "label" in token.meta}
    return used.union(*(_labels(token.children) for token in tokens if token.children))


def _without_used(lines: list[str], definitions: dict[str, Any], used: set[str]) -> list[str]:
    """Return the lines with those blank that define a link which is there to be seen."""
    left = list(lines)
    for label in used & definitions.keys():
        start, end = definitions[label]["map"]
        left[start:end] = [""] * (end - start)
    return left


def _between(lines: list[str]) -> list[Node]:
    """Return the nodes between two blocks: none, or unused link definitions, which rendering would hide."""
    return [_source(lines)] if any(line.strip() for line in lines) else []


def _source(lines: list[str]) -> Node:
    return _element("pre", None, ["\n".join(lines).strip("\n")])


def _counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.casefold()))


def _element(tag: str, attributes: dict[str, Any] | None, children: list[Node]) -> list[Any]:
    return [tag, attributes, *children]


class _Reader:
    """Makes nodes of one block's tokens, with what it knows to be unseen: addresses of links, numbers of a list."""

    def __init__(self, lines: list[str], shown: Callable[[str], str]) -> None:
        self.lines, self.shown = lines, shown
        self.unseen: list[str] = []

    def read(self, tokens: list[Token]) -> tuple[list[Node], str]:
        """Return the nodes of these tokens and the words that stand in attributes or numbers."""
        root: list[Any] = ["", None]
        stack, self.unseen = [root], []
        skipped = -1
        for token in tokens:
            if skipped >= 0:  # inside of what is shown as it was written
                skipped = -1 if token.nesting < 0 and token.level == skipped else skipped
            elif token.nesting > 0 and token.level >= DEEPEST and token.map and token.type != "paragraph_open":
                stack[-1].append(_source(self.lines[token.map[0] : token.map[1]]))
                skipped = token.level
            elif token.hidden:  # the paragraphs of a tight list are none
                continue
            elif token.nesting > 0:
                stack.append(self._opened(token))
            elif token.nesting < 0:
                made = stack.pop()
                stack[-1].append(made)
            else:
                stack[-1] += self._leaf(token)
        return root[2:], " ".join(self.unseen)

    def _opened(self, token: Token) -> list[Any]:
        tag = _RENAMED.get(token.tag, token.tag)
        if tag == "li":
            self.unseen.append(token.info)
        start = token.attrGet("start") if tag == "ol" else None
        if start is not None:
            return [tag, {"start": int(start)}]
        return [tag, {"align": "right"} if token.attrGet("style") == "text-align:right" else None]

    def _leaf(self, token: Token) -> list[Node]:
        match token.type:
            case "inline":
                return self._line(token.children or [])
            case "fence" | "code_block":
                said = [_element("p", None, [_element("em", None, [token.info.strip()])])] if token.info.strip() else []
                return [
                    *said,
                    _element("pre", None, [_element("code", None, [self.shown(token.content).removesuffix("\n")])]),
                ]
            case "hr":
                return [_element("hr", None, [])]
            case _:
                return [self.shown(token.content)]

    def _line(self, tokens: list[Token]) -> list[Node]:
        """Return the nodes of one line; emphasis beyond the deepest level is left out and its words stay."""
        root: list[Any] = ["", None]
        stack, beyond = [root], 0
        ends: list[str] = []
        for token in tokens:
            if token.nesting > 0:
                ends.append(self._title(token))
                if len(stack) > DEEPEST:
                    beyond += 1
                else:
                    stack.append([_RENAMED.get(token.tag, token.tag), self._address(token)])
            elif token.nesting < 0:
                if beyond:
                    beyond -= 1
                else:
                    made = stack.pop()
                    stack[-1].append(made)
                _say(stack[-1], ends.pop())
            else:
                for node in self._piece(token):
                    _say(stack[-1], node) if isinstance(node, str) else stack[-1].append(node)
        return root[2:]

    def _piece(self, token: Token) -> list[Node]:
        match token.type:
            case "code_inline":
                return [_element("code", None, [self.shown(token.content)])]
            case "softbreak":
                return ["\n"]
            case "hardbreak":
                return [_element("br", None, [])]
            case "image":
                address = str(token.attrGet("src") or "")
                self.unseen += (unquote(address), str(token.meta.get("label", "")))
                return [*self._line(token.children or []), f" ({self.shown(address)})", self._title(token)]
            case _:
                return [self.shown(token.content)]

    def _address(self, token: Token) -> dict[str, Any] | None:
        address = token.attrGet("href")
        if address is None:
            return None
        self.unseen += (unquote(str(address)), str(token.meta.get("label", "")))
        return {"href": str(address)}

    def _title(self, token: Token) -> str:
        title = str(token.attrGet("title") or "")
        return f" ({self.shown(title)})" if title else ""


def _say(into: list[Any], text: str) -> None:
    """Append a text, joined to a preceding text node."""
    if not text:
        return
    if len(into) > 2 and isinstance(into[-1], str):
        into[-1] += text
    else:
        into.append(text)
