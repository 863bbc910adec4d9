"""Terminal output of the conversation: finished text scrolls, and a live area below shows who is speaking."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from quorate.cli.text import one_line, safe

DOTS, BARS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
WIDEST = 100
"""Columns beyond which lines are hard to read."""
NARROW = 60
"""Columns below which what is said is indented by one column alone."""
COLOURS = ("cyan", "magenta", "green", "blue", "bright_cyan", "bright_magenta")


@dataclass(frozen=True, slots=True)
class Voice:
    """The name, role and colour that a speaker is shown with."""

    name: str
    role: str = ""
    colour: str = ""

    @property
    def heading(self) -> str:
        return f"{self.name} ({self.role}):" if self.role else f"{self.name}:"

    @property
    def style(self) -> str:
        return f"bold {self.colour}".strip()


@dataclass
class Speaking:
    """Somebody who is speaking or thinking now."""

    voice: Voice
    doing: str
    text: str = ""
    since: float = field(default_factory=monotonic)


@dataclass
class Printer:
    """Writes to stderr. Text is never interpreted as markup or terminal control sequences."""

    console: Console = field(default_factory=lambda: Console(stderr=True, highlight=False, markup=False, emoji=False))
    speaking: dict[str, Speaking] = field(default_factory=dict)
    """Who is speaking, by ask."""
    _live: Live | None = None
    _echo: Any = None

    # What stands

    def utterance(self, voice: Voice, text: str, note: str = "") -> None:
        """Show what somebody said, under a heading of its own."""
        heading = Text(one_line(voice.heading), style=voice.style)
        if note:
            heading.append(f" {one_line(note)}", style="not bold dim")
        self._print(Text(), heading, *self._wrapped(text))

    def block(self, title: str, text: str, style: str = "bold") -> None:
        """Show something that is not said by anybody: a title, and lines below it."""
        heading = (Text(one_line(title), style=style),) if title else ()
        self._print(Text(), *heading, *(self._wrapped(text) if text else ()))

    def notice(self, text: str, style: str = "dim", *, apart: bool = False) -> None:
        """Show a remark of the program, with an empty line before it where it stands apart."""
        self._print(*([Text()] if apart else []), *self._wrapped(text, style))

    def rule(self, title: str) -> None:
        """Show that something new begins."""
        line = Text("── ", style="dim").append(one_line(title), style="bold")
        line.truncate(self.width, overflow="ellipsis")
        self._print(Text(), line)

    def topic(self, topic: str, item: str) -> None:
        """Show what it is about, and at which step or phase."""
        self.rule(one_line(topic, 200) + (f" ({item})" if item else ""))

    @property
    def width(self) -> int:
        return max(10, min(WIDEST, self.console.width - 1))

    @property
    def narrow(self) -> bool:
        return self.console.width < NARROW

    def _print(self, *lines: Text) -> None:
        for line in lines:
            self.console.print(line, no_wrap=True, overflow="ignore", crop=False, soft_wrap=True)

    def _wrapped(self, text: str, style: str = "") -> list[Text]:
        """Wrap lines to the width; lines that begin with a dash get a hanging indent.

        There is always a margin: what stands at the first column is a heading, and no text can pass for one.
        """
        margin = " " if self.narrow else "  "
        found: list[Text] = []
        for paragraph in safe(text).strip("\n").split("\n"):
            body = paragraph.strip()
            if not body:
                found.append(Text())
                continue
            begins = margin + " " * (len(paragraph) - len(paragraph.lstrip(" ")))
            goes_on = begins + ("  " if body.startswith("- ") else "")
            wrapped = Text(body, style=style).wrap(self.console, max(8, self.width - len(goes_on)))
            for number, line in enumerate(wrapped):
                line.rstrip()
                found.append(Text(goes_on if number else begins).append_text(line))
        return found

    # What moves

    def open(self) -> None:
        """Begin to show who is speaking; input typed meanwhile is not echoed, but kept."""
        if not self.console.is_terminal or self.console.is_dumb_terminal:
            return
        self._mute()
        self._live = Live(
            get_renderable=self._region,
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._live.start(refresh=True)

    def tick(self) -> None:
        if self._live is not None:
            self._live.refresh()

    def close(self) -> None:
        """Restore the terminal."""
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()
        self._unmute()

    def _region(self) -> Group:
        rows: list[Text] = []
        for speaker in list(self.speaking.values())[:3]:
            rows += self._speaker(speaker)
        for row in rows:
            row.no_wrap, row.overflow = True, "ellipsis"
        return Group(*rows)

    def _speaker(self, speaker: Speaking) -> list[Text]:
        """The beginning of what is said; where it does not fit on the screen, its end."""
        elapsed = monotonic() - speaker.since
        frames = DOTS if "utf" in self.console.encoding.lower() else BARS
        sign = frames[int(elapsed * 10) % len(frames)]
        if not speaker.text:
            who = Text(f"{sign} ", style="dim").append(one_line(speaker.voice.name), style=speaker.voice.style)
            who.append(f" {speaker.doing}  {int(elapsed)} s", style="dim")
            who.truncate(self.width, overflow="ellipsis")
            return [Text(), who]
        lines = self._wrapped(speaker.text)
        room = max(1, self.console.size.height - 5)
        head = Text(one_line(speaker.voice.heading), style=speaker.voice.style)
        head.truncate(self.width, overflow="ellipsis")
        return [Text(), head, *lines[-room:], Text(sign, style="dim")]

    # The keyboard while others speak

    def _mute(self) -> None:
        try:
            import termios

            was = termios.tcgetattr(sys.stdin)
            quiet = [*was[:3], was[3] & ~termios.ECHO, *was[4:]]
            termios.tcsetattr(sys.stdin, termios.TCSANOW, quiet)
            self._echo = was
        except Exception:  # no terminal, or none of this kind: then it is echoed
            self._echo = None

    def _unmute(self) -> None:
        if self._echo is not None:
            import termios

            was, self._echo = self._echo, None
            with suppress(termios.error, OSError):
                termios.tcsetattr(sys.stdin, termios.TCSANOW, was)
