"""Writes a reply with an embedded model: its texts one after another, then the closed fields about them.

Each text is asked for in a turn of its own, so that none is missing and what is asked stands right before the answer;
every turn continues the conversation that llama.cpp has still in its cache. What was mended or left out is noted.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from quorate.codec.reply_json import read_json
from quorate.core.shapes import FormField, Group, Many, PerKey, Shape, Text
from quorate.core.view import BYTES_PER_TOKEN, estimate_tokens
from quorate.participants.flaws import ECHO, says_nothing_new
from quorate.participants.labels import Labels
from quorate.participants.llama import End, Engine, Generated, Job
from quorate.participants.port import Request, Say
from quorate.participants.sheet import (
    LEAST,
    LONG,
    NOTHING,
    SUBSTANCE,
    Sheet,
    asked,
    closed_in_words,
    has_prose,
    may_be_empty,
    most_form_tokens,
    title,
)
from quorate.participants.wholeness import (
    at_sentence_end,
    flaw,
    has_looped,
    is_ended,
    loop_start,
    rounded,
    says_no_more,
    without_dangling,
    without_echo,
)

TURN_TOKENS = 6  # what a turn takes beside its words
TEXTS = 0.85
"""Share of the time that texts may take; the rest is for the closed fields."""
NEAR = 0.8
"""Share of its room from which a text is stopped at the end of a sentence, and asked for its end."""
_NO_TEXT = re.compile(r"[\s*_`(\[\"']*(?:none|n/a|nothing|not applicable|empty|-)[\s*_`)\].\"']*", re.I)


class Unwritten(Exception):
    """Raised where no reply came about: it was stopped, took too long, or the engine failed."""

    def __init__(self, made: Generated) -> None:
        self.made = made


@dataclass
class Scribe:
    """One reply under way. It runs in the engine's thread, from its first text to the closed fields."""

    engine: Engine
    request: Request
    sheet: Sheet
    window: int
    sampling: Mapping[str, Any]
    seed: int
    timeout: float
    say: Say
    stop: threading.Event
    allowance: int
    """The most tokens of the whole reply: what was reserved for it."""
    clock: Callable[[], float] = monotonic
    tokens_in: int = 0
    tokens_out: int = 0
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts: list[tuple[str, str]] = []
        """What was asked so far, and what was written."""
        self.began = self.clock()
        self.writing = 0.0
        """Seconds in which words came, without the reading of prompts."""
        self.labels = Labels(self.sheet)

    # Parts

    def written(self) -> dict[str, Any]:
        """Write all texts of the form, and return them by field. Raises Unwritten."""
        fields = [each for each in asked(self.sheet.shape) if has_prose(each.shape)]
        return {each.name: self._part(each, each.name, "") for each in fields}

    def filled(self, written: Mapping[str, Any], problem: str = "") -> Any:
        """Fill in the closed fields about these texts, and return them as JSON data; None if there are none."""
        schema = self.sheet.closed(written)
        if schema is None:
            return None
        told = "\n".join(filter(None, [problem, *closed_in_words(self.sheet)]))
        made = self.generate(told, most_form_tokens(schema), schema=schema)
        return read_json(made.text) if made.end is End.WHOLE else None

    def _part(self, each: FormField, path: str, place: str) -> Any:
        match each.shape:
            case Text(most):
                return self._text(each, path, place, least=most >= SUBSTANCE and not may_be_empty(each))
            case Many(item, most):
                return self._list(each, item, path, min(most, self.sheet.most_entries))
            case PerKey(item):
                return {str(key): self._entry(each, item, path, f"{key}: ") for key in self.sheet.keys}
            case Group():
                return self._group(each.shape, path, place)
        return None

    def _list(self, each: FormField, item: Shape, path: str, most: int) -> list[Any]:
        """Write entries for as long as the model says that there is one more, and the list has room."""
        entries: list[Any] = []
        begun = self.tokens_out
        name = title(each.name)
        for number in range(1, most + 1):
            what = f"{name} ({each.says})" if each.says and number == 1 else name
            if not self._agrees(f"Is there {'something' if number == 1 else 'anything else'} to list under {what}?"):
                return entries
            entry = self._entry(each, item, path, f"{name} {number}: ")
            if says_nothing_new(entry, entries, each.says):
                self.notes.append(f"{path}: entry {number} said nothing new and was left out")
                return entries
            entries.append(entry)
            if (self.tokens_out - begun) * BYTES_PER_TOKEN > self.sheet.rooms.lists[path]:
                break
        self.notes.append(f"{path}: its room was used up after {len(entries)} entries")
        return entries

    def _entry(self, each: FormField, item: Shape, path: str, place: str) -> Any:
        if isinstance(item, Group):
            return self._group(item, path, place)
        return self._text(each, path, place, least=isinstance(item, Text) and item.most >= SUBSTANCE)

    def _group(self, group: Group, path: str, place: str) -> dict[str, Any]:
        inner = (each for each in asked(group) if has_prose(each.shape))
        return {each.name: self._part(each, f"{path}.{each.name}", place) for each in inner}

    # A text

    def _text(self, each: FormField, path: str, place: str, *, least: bool) -> str:
        """Write one text. Where it has to say something and does not, it is asked for once more, with what it lacks."""
        room = self._room(path)
        says = f": {each.says}" if each.says else ""
        nothing = f" Write {NOTHING} if there is none." if may_be_empty(each) else ""
        told = f"Write now, in plain words, {place}{title(each.name)}{says}. At most {room:,} characters.{nothing}"
        self.say(f"## {place}{title(each.name)}\n\n")
        text = self._within(told, each, room, path, self.seed, least=least)
        if least and (problem := self._flaw(text, told)):
            anew = f"{told} What you wrote {problem}: write it anew, whole and in your own words."
            again = self._within(anew, each, room, path, self.seed + 1, least=least)
            text = max((again, text), key=lambda each: (not self._flaw(each, told), len(each)))
            still = f", and it still {left}" if (left := self._flaw(text, told)) else ""
            text = "" if left == ECHO else text  # which says nothing
            self.notes.append(f"{path}: a text that {problem} was written anew{still}")
        text = self._without_loop(path, text)
        self.parts.append((told, text or NOTHING))
        self.say("\n\n")
        return text

    def _flaw(self, text: str, told: str) -> str:
        known = told if len(text) < 2 * len(told) else ""
        return flaw(text) or (ECHO if says_no_more(text, known) else "")

    def _without_loop(self, path: str, text: str) -> str:
        start = loop_start(text)
        if start is None:
            return text
        self.notes.append(f"{path}: what it only repeated was left out")
        return rounded(text[:start], len(text))

    def _room(self, path: str) -> int:
        """Return how many characters a text may have: its share, or less where the time that is left is short.

        No text may use more than half of that time at the pace so far, so that the reply ends before its time does.
        """
        room = self.sheet.rooms.texts[path]
        if not self.tokens_out or self.writing <= 0:
            return room
        left = int(self.tokens_out / self.writing * self.time_left(TEXTS) / 2) * BYTES_PER_TOKEN
        short = min(room, max(left, LEAST))
        if short < room:
            self.notes.append(f"{path}: the time was short, so its limit was {short:,} characters")
        return short

    def time_left(self, share: float = 1.0) -> float:
        return max(0.0, self.began + self.timeout * share - self.clock())

    def _within(self, told: str, each: FormField, room: int, path: str, seed: int, *, least: bool) -> str:
        """Generate a text within its room and half of the time that is left; near its limit it is asked for its end.

        Its own label is left out, and so is what belongs to another text.
        """
        limit: list[float] = []

        def is_late() -> bool:
            return bool(limit) and self.clock() > limit[0]

        def until(text: str) -> bool:
            if not limit:
                limit.append(self.clock() + self.time_left(TEXTS) / 2)  # from the first word, behind the reading
            near = len(text) >= room * NEAR and at_sentence_end(text)
            return near or len(text) >= room or is_late() or self.labels.end(each, text) is not None or has_looped(text)

        made = self.generate(told, room // 2 + 16, seed=seed, until=until, loud=True)
        other = self.labels.end(each, made.text)
        text = self.labels.own(each, made.text[:other]).strip()
        if other is None and is_late() and loop_start(text) is None:
            text = rounded(without_dangling(text), room)
            if not is_ended(text) or text.endswith("…"):
                raise Unwritten(Generated(End.TIMED_OUT))  # not one whole sentence: nothing to keep
            self.notes.append(f"{path}: its time was over, and it ends with its last whole sentence")
        elif other is None and loop_start(text) is None and (made.end is End.CUT or len(text) >= room * NEAR):
            text = self._ended(told, rounded(without_dangling(text), room), room, path, least=least)
        return "" if _NO_TEXT.fullmatch(text) else without_echo(text, told)

    def _ended(self, told: str, text: str, room: int, path: str, *, least: bool) -> str:
        """Return a text that has met its limit with an end of its own; a short one ends with its last sentence."""
        left = max(room - len(text), LEAST)
        end = ""
        if least and room >= LONG:
            self.parts.append((told, text))
            question = (
                f"Your text has nearly met its limit. Write its end now: one or two sentences, {left:,} characters."
            )
            end = self.generate(question, left // 2 + 16, seed=self.seed, loud=True).text.strip()
            self.parts.pop()
            end = rounded(end, left)
            if flaw(end) or says_no_more(end, text + question) or _NO_TEXT.fullmatch(end):
                end = ""
        how = "was asked for its end" if end else "ends with its last whole sentence"
        self.notes.append(f"{path}: met its limit of {room:,} characters and {how}")
        return f"{text}\n\n{end}" if end else text

    # Calls

    def _agrees(self, question: str) -> bool:
        told = f"{question} Answer yes or no."
        answer = self.generate(told, 4, choices=("yes", "no"), sampling={"temperature": 0}).text
        self.parts.append((told, answer))
        return answer == "yes"

    def generate(
        self, told: str, tokens: int, *, seed: int | None = None, loud: bool = False, **more: Any
    ) -> Generated:
        turns = self._turns(told)
        while self.parts and _size(turns) + tokens > self.window:
            # The older half is forgotten where the next would not fit: one by one, all would be read anew each time.
            del self.parts[: (len(self.parts) + 1) // 2]
            turns = self._turns(told)
        if self.tokens_in + self.tokens_out + _size(turns[-1:]) + tokens > self.allowance:
            raise Unwritten(
                Generated(End.FAILED, error=f"its parts need more than the {self.allowance:,} tokens reserved")
            )
        job = Job(
            turns,
            seed=self.seed if seed is None else seed,
            max_tokens=tokens,
            timeout=self.time_left(),
            **{"sampling": self.sampling} | more,
        )
        first: list[float] = []

        def say(piece: str) -> None:
            if not first:
                first.append(self.clock())
            if loud:
                self.say(piece)

        made = self.engine.generate(job, say, self.stop)
        self.writing += self.clock() - first[0] if first else 0.0
        self.tokens_in += made.tokens_in
        self.tokens_out += made.tokens_out
        if made.end in (End.FAILED, End.TIMED_OUT, End.STOPPED):
            raise Unwritten(made)
        return made

    def _turns(self, told: str) -> tuple[tuple[str, str], ...]:
        """Return the conversation up to here. What is asked first stands with the prompt, in one turn."""
        prompt = self.request.prompt
        asked_for = [*(told for told, _ in self.parts), told]
        asked_for[0] = f"{prompt.user}\n\n{asked_for[0]}"
        turns = [("system", prompt.system)]
        for question, (_, answer) in zip(asked_for, self.parts, strict=False):
            turns += [("user", question), ("assistant", answer)]
        return (*turns, ("user", asked_for[-1]))


def _size(turns: tuple[tuple[str, str], ...]) -> int:
    """Return a cautious count of the tokens that turns take."""
    return sum(estimate_tokens(text) + TURN_TOKENS for _, text in turns)
