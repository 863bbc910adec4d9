"""One session as a self-contained HTML file: its data, bounded in size, inside the page.

What an enormous session has too much of is left out, oldest words first, and the file says so; the bundle always has
everything.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from quorate import catalog
from quorate.api.boards import board_data
from quorate.api.protocol_data import describe_protocol
from quorate.api.results import explain, summary, texts
from quorate.api.seals import seal
from quorate.api.sessions import Result
from quorate.codec.entries import decode_opening
from quorate.evidence.events import Teller
from quorate.evidence.prose import tree
from quorate.evidence.report import html, style
from quorate.kit.board import Board
from quorate.kit.visible_text import visible
from quorate.web.page import single

MOST_BOARDS = 400
"""Moments at which the board is kept."""
MOST_EVENTS = 16_000_000
"""Characters of all events together."""
MOST_REPORTS = 8_000_000
"""Characters of all reports together, the bundle among them."""
MOST_PROSE = 300_000
"""Characters of a report that are laid out, once as the page shows it and once as it is without scripts."""
MEDIA = {"md": "text/markdown", "json": "application/json", "yaml": "application/yaml", "xml": "application/xml"}
_LEFT_OUT = [["words", "prose", [["p", None, ["em", None, "left out of this file; the bundle has them"]]]]]


def page(result: Result, written: Mapping[str, str] | None = None) -> str:
    """Return a session as one HTML file that opens from disk: the whole page, and a plain report without scripts.

    `written` are its reports, if the caller has them already: they are slow to write.
    """
    written = texts(result) if written is None else written
    plain = html(_beginning(next(iter(written.values()))))
    return single(page_data(result, written), plain, title=visible(result.record.opening.title), noscript_css=style())


def page_data(result: Result, written: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return everything that the page shows of one session, as plain data; `left_out` says what is missing."""
    left_out: list[str] = []
    events, boards = _told(result, left_out)
    cards: dict[str, int] = {}
    kept = [[seq, _by_card(board, cards)] for seq, board in boards]
    name = result.record.opening.protocol
    return {
        "about": {
            "name": "Quorate",
            "version": version("quorate"),
            "read": True,
            "write": False,
            "login": False,
            "protocols": [name],
        },
        "summary": _summary(result),
        "events": _within(events, left_out),
        "cards": [json.loads(card) for card in cards],
        "boards": kept,
        "protocol": describe_protocol(name, version=result.record.opening.version),
        "reports": list(_reports(texts(result) if written is None else written, left_out)),
        "seal": seal(result.entries, result),
        "explanation": explain(result),
        "left_out": left_out,
    }


def _summary(result: Result) -> dict[str, Any]:
    record = result.record
    told = summary(result)
    told.pop("fates", None)  # the report in the page has them
    return {
        **told,
        "running": False,
        "elsewhere": False,
        "failure": None,
        "last": result.entries[-1].seq,
        "head": result.entries[-1].hash,
        "fork": record.opening.run.get("fork"),
        "budget": dict(record.opening.run.get("budget", {})),
        "rulings": [],  # a file takes none
    }


# Events and boards


def _told(result: Result, left_out: list[str]) -> tuple[list[Mapping[str, Any]], list[tuple[int, Board]]]:
    """Return all events, and a board for each entry after which it may have changed."""
    record, entries = result.record, result.entries
    found = catalog.definition_of(record.opening)
    teller = Teller(record.protocol, record.opening, record.material, found.gauges)
    every = -(-len(entries) // MOST_BOARDS)
    if every > 1:
        left_out.append(f"Findings, topics and artifacts are kept as of every {every}th entry, and of the last.")
    events: list[Mapping[str, Any]] = []
    boards: list[tuple[int, Board]] = []
    for entry in entries:
        told = teller.take(entry) if entry.seq else teller.opened(entry, decode_opening(entry.body)[1])
        events.append(told.shown)
        if entry.seq % every == 0 or entry is entries[-1]:
            board = found.board(teller.record)
            if not boards or boards[-1][1] != board:
                boards.append((entry.seq, board))
    return events, boards


def _by_card(board: Board, cards: dict[str, int]) -> dict[str, list[Any]]:
    """Return a board whose cards are numbers into `cards`, so that an unchanged card is stored once."""
    told = board_data(board, trees=True)
    numbered = {
        name: [cards.setdefault(json.dumps(card, ensure_ascii=False), len(cards)) for card in listed]
        for name, listed in told.items()
        if name != "warnings"
    }
    return {**numbered, "warnings": list(board.warnings)}


def _within(events: list[Mapping[str, Any]], left_out: list[str]) -> list[Mapping[str, Any]]:
    """Return the events that fit into a file: without the oldest words, or else without the last events."""
    sizes = [len(json.dumps(event, ensure_ascii=False)) for event in events]
    over = sum(sizes) - MOST_EVENTS
    cut = 0
    for place, event in enumerate(events):
        if over <= 0:
            break
        if "said" in event:
            events[place] = {**event, "said": _LEFT_OUT}
            smaller = len(json.dumps(events[place], ensure_ascii=False))
            over, sizes[place], cut = over - (sizes[place] - smaller), smaller, cut + 1
    if cut:
        left_out.append(f"The words of the first {cut} contributions are left out of this file; the bundle has them.")
    if over <= 0:
        return events
    room, fit = MOST_EVENTS, 0
    while fit < len(events) and sizes[fit] <= room:
        room, fit = room - sizes[fit], fit + 1
    left_out.append(
        f"Entries {fit} to {len(events) - 1} are left out of this file; the report and the bundle have them."
    )
    return events[:fit]


# Reports


def _reports(written: Mapping[str, str], left_out: list[str]) -> Iterator[dict[str, Any]]:
    """Yield every report with its text, those in Markdown also as a tree."""
    room = MOST_REPORTS
    for name, text in written.items():
        if len(text) > room:
            left_out.append(f"{name} has {len(text):,} characters and is left out of this file.")
            continue
        room -= len(text)
        kind = name.rpartition(".")[2]
        shown = {"tree": tree(text, MOST_PROSE)} if kind == "md" else {}
        if shown and len(text) > MOST_PROSE:
            left_out.append(f"{name} is shown up to its character {MOST_PROSE:,}; saved from here it is whole.")
        yield {"name": name, "media_type": MEDIA.get(kind, "text/plain"), "text": text, **shown}


def _beginning(text: str) -> str:
    """Return the start of a report, up to a whole line, for the version without scripts."""
    if len(text) <= MOST_PROSE:
        return text
    cut = text[: text.rfind("\n", 0, MOST_PROSE) + 1] or text[:MOST_PROSE]
    return f"{cut}\n\n*{len(text) - len(cut):,} more characters are in the report as Markdown.*\n"
