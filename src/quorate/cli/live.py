"""Live view: replies scroll above; phase, speakers and totals are updated below."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import localtime, monotonic, strftime
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from quorate.cli.progress import Progress, ProgressLine, Speaking, Tone
from quorate.cli.speech import readable
from quorate.cli.text import clock, count, money, safe

if TYPE_CHECKING:
    from quorate.runtime.happenings import Happening

DOTS, BARS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", "|/-\\"
NARROW = 60
"""Columns below which only seats and seconds are shown of the speakers."""
MOST_SPEECH_LINES = 4
GIST_LINES = 3
STYLES = {
    Tone.SAID: "green",
    Tone.ABSENT: "yellow",
    Tone.STOPPED: "yellow",
    Tone.WAITING: "magenta",
    Tone.CONCLUDED: "bold",
}


@dataclass
class LiveView:
    """Draws on stderr while a session runs. Text is never interpreted as markup."""

    progress: Progress
    console: Console = field(default_factory=lambda: Console(stderr=True, highlight=False, markup=False, emoji=False))
    _live: Live | None = None

    def __call__(self, happening: Happening) -> None:
        self._scroll(self.progress.take(happening))

    def catch_up(self) -> None:
        """Print what was missed."""
        self._scroll(self.progress.missed())

    def _scroll(self, lines: list[ProgressLine]) -> None:
        for line in lines:
            for text in self._above(line):
                self.console.print(text, no_wrap=True, overflow="ellipsis", crop=True)

    def open(self) -> None:
        self.catch_up()
        self._live = Live(
            get_renderable=self._region,
            console=self.console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            vertical_overflow="crop",
        )
        self._live.start(refresh=True)

    def tick(self) -> None:
        if self._live is not None:
            self._live.refresh()

    def close(self) -> None:
        if self._live is not None:
            live, self._live = self._live, None
            live.stop()

    # What scrolls

    def _above(self, line: ProgressLine) -> list[Text]:
        if line.tone is Tone.ASKED:
            return []  # the speakers below show it
        wide = self.console.width >= NARROW
        head = Text(strftime("%H:%M:%S ", localtime(line.at)) if wide else "", style="dim")
        if line.tone in (Tone.MOVED, Tone.FACT):
            return [head.append(f"{line.phase} " if wide else "", style="dim").append(safe(line.outcome), style="dim")]
        if line.seat:
            head.append(safe(line.seat), style="bold")
            head.append(f" {safe(line.brief)} ")
        else:
            head.append(f"{line.phase} ")
        head.append(safe(line.outcome), style=STYLES.get(line.tone, ""))
        return [head, *self._gist(line)]

    def _gist(self, line: ProgressLine) -> list[Text]:
        if not line.gist:
            return []
        indent = " " * (9 if self.console.width >= NARROW else 2)
        lines = Text(safe(line.gist)).wrap(self.console, max(20, self.console.width - len(indent) - 1))
        shown = list(lines[:GIST_LINES])
        if len(lines) > GIST_LINES:
            shown[-1].rstrip()
            shown[-1].append(" …")
        return [Text(indent).append_text(each) for each in shown]

    # What stands and moves

    def _region(self) -> Group:
        width, height = self.console.size
        speakers = list(self.progress.speaking.values())
        room = max(1, height - 4 - len(speakers))
        lines = min(MOST_SPEECH_LINES, room // max(1, len(speakers)))
        rows = [self._header(width)]
        for speaker in speakers[: max(1, height - 4)]:
            rows.append(self._speaker(speaker, width))
            rows += self._speech(speaker, width, lines)
        rows.append(self._footer(width))
        for row in rows:
            row.no_wrap, row.overflow = True, "ellipsis"
            row.truncate(max(1, width - 1), overflow="ellipsis")
        return Group(*rows)

    def _header(self, width: int) -> Text:
        progress = self.progress
        text = Text("── ", style="dim").append(progress.phase, style="bold cyan")
        if progress.round:
            text.append(f" round {progress.round}", style="cyan")
        if width >= NARROW:
            text.append(f"  {safe(progress.record.opening.title)}", style="dim")
        return text

    def _speaker(self, speaker: Speaking, width: int) -> Text:
        elapsed = monotonic() - speaker.since
        frames = DOTS if "utf" in self.console.encoding.lower() else BARS
        text = Text(f" {frames[int(elapsed * 10) % len(frames)]} ", style="cyan")
        text.append(safe(speaker.ask.seat), style="bold")
        if width >= NARROW:
            text.append(f" {safe(speaker.ask.brief)}")
            text.append(f"  {safe(speaker.participant)}{', view cut to fit' if speaker.cut else ''}", style="dim")
        return text.append(f"  {int(elapsed)} s", style="dim")

    def _speech(self, speaker: Speaking, width: int, lines: int) -> list[Text]:
        if lines < 1 or not speaker.text:
            return []
        tail = safe(readable(speaker.text)).strip()[-lines * width * 2 :]
        wrapped = Text(tail, style="dim").wrap(self.console, max(10, width - 6))
        return [Text("     ").append_text(each) for each in list(wrapped)[-lines:]]

    def _footer(self, width: int) -> Text:
        progress = self.progress
        parts = [count(progress.tokens, "token"), money(progress.cost), clock(monotonic() - progress.began)]
        if progress.tally:
            parts.append(safe(progress.tally))
        if width >= NARROW:
            parts.append("Ctrl-C suspends")
        return Text("── ", style="dim").append(" · ".join(parts), style="dim")
