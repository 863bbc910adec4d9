"""Watching changes nothing: a view that breaks is given up, and the session goes on."""

from __future__ import annotations

import asyncio

import pytest

from quorate.cli.drive import Watched, until_stopped
from quorate.cli.plain import worded
from quorate.cli.progress import Progress, ProgressLine, Tone
from quorate.codec.chain import Entry
from quorate.core.record import Envelope
from quorate.core.types import Absent, AbsentReason, Interrupted, Reason, Replied
from quorate.runtime.happenings import Called, Calling, Happening, Saying, Wrote
from tests.support.debating import Table


class Broken:
    """A view that fails at once."""

    closed = False

    def __call__(self, happening: Happening) -> None:
        raise OSError("the terminal has gone")

    def open(self) -> None: ...

    def tick(self) -> None: ...

    def close(self) -> None:
        self.closed = True


async def test_a_broken_view_does_not_stop_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    table, view = Table(agents=["architect", "security"]), Broken()
    watched = Watched(view)

    async def work() -> str:
        watched(Called(table.open[0]))
        watched(Called(table.open[1]))
        await asyncio.sleep(0)
        return "done"

    assert await until_stopped(work(), watched, "") == "done"
    assert view.closed
    assert capsys.readouterr().err.count("the live display failed") == 1


def test_progress_tells_what_happened_in_words() -> None:
    table = Table(agents=["architect", "security"], retries=0)
    progress = Progress(Table(agents=["architect", "security"], retries=0).record)
    first, second = table.open
    assert progress.take(Calling(first, "script:x", ()))[0].tone is Tone.ASKED
    progress.take(Saying(first, "Use "))
    progress.take(Saying(first, "one queue."))
    assert progress.speaking[first.id].text == "Use one queue."
    lost = Envelope(seq=1, at=1_000, detail="HTTP 500\x1b[2J", tokens_in=7, cost=None)
    (line,) = progress.take(_wrote(Replied(first.id, Absent(AbsentReason.FAILED)), lost))
    assert worded(line).endswith("PROPOSAL/1 architect propose absent (failed): HTTP 500")
    assert not progress.speaking
    assert (progress.tokens, progress.cost) == (7, None)
    stopped = progress.take(_wrote(Interrupted(Reason.CANCELLED), Envelope(seq=2, detail="enough")))
    assert [each.outcome for each in stopped] == [
        "interrupted (cancelled): enough",
        "CANCELLED -> ABORTED (interrupted)",
    ]
    assert second.seat == "security"


def test_from_afar_everybody_who_is_asked_is_thinking() -> None:
    progress = Progress(Table(agents=["architect", "security"]).record, from_afar=True)
    ask = progress.record.session.open[0]
    progress.take(_wrote(Replied(ask.id, Absent(AbsentReason.SILENT)), Envelope(seq=1)))
    assert [each.ask.seat for each in progress.speaking.values()] == ["security"]


def _wrote(event: Replied | Interrupted, envelope: Envelope) -> Wrote:
    return Wrote(Entry(envelope.seq, "", ""), event, envelope, ())


def test_a_line_is_one_line_whatever_is_in_it() -> None:
    line = ProgressLine(Tone.SAID, 0.0, "VOTE", 2, "said\nmore\x1b[31m", "a\tb", "brief")
    assert worded(line).split(" ", 1)[1] == "VOTE/2 a b brief said more"
