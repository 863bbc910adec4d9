"""Print what a session waits for: the open questions, and a ready command for each answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from quorate.cli.commands import leader_of
from quorate.cli.output import err
from quorate.cli.text import one_line

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.cli.desk import Place
    from quorate.core.types import Ask
    from quorate.core.view import Section, View

Given = Mapping[str, Sequence[str]]
"""What a person has said to an ask before stopping, as `--set` takes it."""
NOTHING: Given = {}
MOST_LINES = 25
"""Lines of what an ask is about, where `quorate show` has the rest."""


def tell_waiting(place: Place, result: Result, given: Given = NOTHING, *, whole: bool = True) -> None:
    """Print on stderr what the session waits for, and the exact commands to continue.

    A question that was just shown at a prompt is not repeated: `given` then has an entry for its ask.
    """
    from quorate import api

    if told := api.outdated(result.record):
        err(told)
        return
    resume = place.command("resume", result.session)
    asked = api.questions(result)
    if not asked:
        err(f"suspended: {result.session}\nresume with:\n  {resume}")
        return
    for ask, view in asked:
        err(f"waiting for {ask.seat} ({ask.brief}, ask {ask.id}):")
        if str(ask.id) not in given:
            for line in _about(place, result, ask, view, whole=whole):
                err(line)
        err("answer with:")
        for line in answer_lines(place, result, ask, given.get(str(ask.id), ())):
            err(f"  {line}")
    err(f"then resume with:\n  {resume}")


# What it is about


def _about(place: Place, result: Result, ask: Ask, view: View, *, whole: bool) -> Iterator[str]:
    from quorate import api
    from quorate.cli.line_wrap import lead, shortened, wrapped

    sections, entire = _that_matter(result, ask, view)
    if not entire or api.offer_of(result.record, ask) is not None:
        yield from wrapped(lead(result.record.protocol.briefs.get(ask.brief, "")))
    blocks, left_out = [_block(section) for section in sections], 0
    if not (whole and entire):
        blocks, left_out = shortened(blocks, MOST_LINES)
    for block in blocks:
        yield from block
    if left_out and whole:
        yield f"  … {left_out} more lines; at a terminal `quorate answer` shows them all"
    elif left_out:
        yield f"  … {left_out} more lines; all of it: {place.command('show', result.session)}"


def _that_matter(result: Result, ask: Ask, view: View) -> tuple[list[Section], bool]:
    """Return the sections a person needs to see, and whether that selection is certain."""
    from quorate import api

    offer = api.offer_of(result.record, ask)
    shows = offer.shows if offer is not None else ()
    found = [
        section
        for section in view.sections
        if section.title.startswith(shows) or {word.strip(",") for word in section.title.split()} & set(ask.keys)
    ]
    if found or leader_of(result.record.opening.protocol) is not None:  # a conversation shows what is said itself
        return found, True
    known = set(result.record.material.values())
    return [section for section in view.sections if section.text not in known], False


def _block(section: Section) -> list[str]:
    from quorate.cli.line_wrap import titled, width

    title, text = one_line(section.title), one_line(section.text)
    if len(text) == len(section.text.strip()) and len(title) + len(text) + 4 <= width():
        return [f"  {title}: {text}"]
    return titled(section.title, section.text, 2)


# How it is answered


def answer_command(place: Place, result: Result, ask: Ask, given: Sequence[str] = ()) -> str:
    """Return the exact command that answers an ask, with a placeholder for every missing answer."""
    from quorate import api
    from quorate.cli.form_input import example_keys
    from quorate.kit.offers import CHOICE

    said = dict(each.partition("=")[::2] for each in given)
    offer = api.offer_of(result.record, ask)
    names = example_keys(ask)
    if offer is not None and CHOICE in said:
        needed = offer.needs.get(said[CHOICE])
        names = [needed] if needed else []
    words = [place.command("answer", result.session, str(ask.id))]
    words += [f"--set {shlex.quote(each)}" for each in given]
    words += [f'--set {key}="…"' for key in names if key not in said]
    return " ".join(words)


def answer_lines(place: Place, result: Result, ask: Ask, given: Sequence[str] = ()) -> list[str]:
    """Return the commands that answer an ask: one for each choice with its effect, and optional additions."""
    from quorate import api
    from quorate.kit.offers import CHOICE

    offer = api.offer_of(result.record, ask)
    if offer is None or given:
        return [answer_command(place, result, ask, given), *([] if given else _closed(ask))]
    lines = [
        f"{answer_command(place, result, ask, [f'{CHOICE}={name}'])}   # {does}" for name, does in offer.does.items()
    ]
    added = " ".join(f'--set {name}="…"' for name in offer.optional if name not in offer.kept_for)
    return [*lines, *([f"(with {added} if you like)"] if added else [])]


def _closed(ask: Ask) -> list[str]:
    """Return the allowed values of a form's fields that are not free text."""
    from quorate.cli.form_input import asked_fields
    from quorate.core.shapes import Choice, Flag, Number, shape_of

    lines: list[str] = []
    for each in asked_fields(shape_of(ask.form)):
        match each.shape:
            case Choice(enum=enum):
                lines.append(f"({each.name} is one of {', '.join(str(member.value) for member in enum)})")
            case Flag():
                lines.append(f"({each.name} is yes or no)")
            case Number(low, high):
                lines.append(f"({each.name} is a whole number from {low} to {high})")
            case _:
                continue
    return lines
