"""A roundtable as a conversation at the terminal; Ctrl-C suspends it without losing anything.

At a terminal the person is asked on the spot; elsewhere the session stops at each turn of the person, and the exact
commands that go on are told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quorate.cli.output import err
from quorate.exit_codes import SUSPENDED

if TYPE_CHECKING:
    from quorate.api import Result
    from quorate.cli.deliberate import How
    from quorate.cli.desk import Desk
    from quorate.core.types import Ask
    from quorate.protocols.roundtable.command.questions import Asking
    from quorate.protocols.roundtable.command.screen import Shown

FAREWELL = "suspending; what was said is kept (once more to leave at once)"


def converse(desk: Desk, session: str, how: How) -> int:
    """Run a roundtable until it ends, is suspended, or waits for a person who is not here; returns the exit code."""
    from quorate import api
    from quorate.cli.ask import can_ask
    from quorate.cli.deliberate import tell_kept, warn

    result: Result | None = desk.run(api.load(desk.workspace, desk.journal, session))
    assert result is not None
    talk = TerminalConversation.of(desk, result, here=can_ask() and not how.no_input)
    try:
        if result.record.session.conclusion is None:
            warn(desk, session)
            while (result := talk.hear(session, how)) is not None:
                if not result.waiting or not talk.here:
                    break
                if not talk.answer(result):
                    result = None
                    break
    except KeyboardInterrupt:  # between two stretches of work; nothing was under way
        result = None
    except Exception as error:
        tell_kept(desk, session, error)
        raise
    if result is None:
        result = desk.run(api.load(desk.workspace, desk.journal, session))
    return talk.end(result, how)


@dataclass
class TerminalConversation:
    """A conversation at this terminal: its display and its prompt."""

    desk: Desk
    shown: Shown
    asking: Asking
    here: bool
    """The person sits at the terminal."""
    unsent: dict[str, list[str]] = field(default_factory=dict)
    """What the person had written when stopping, by ask, as `--set` takes it."""

    @classmethod
    def of(cls, desk: Desk, result: Result, *, here: bool) -> TerminalConversation:
        from quorate.protocols.roundtable.command.questions import Asking, turns_of
        from quorate.protocols.roundtable.command.screen import Shown

        shown = Shown.resumed(result.record)
        return cls(desk, shown, Asking(shown.stage, lambda: shown.summed_up, turns_of(result.record)), here)

    def hear(self, session: str, how: How) -> Result | None:
        """Run until it is the person's turn or the session ends; None if a signal has suspended it."""
        from quorate import api
        from quorate.cli.drive import Watched, until_stopped

        desk, watched = self.desk, Watched(self.shown)
        self.shown.catch_up(desk.run(api.load(desk.workspace, desk.journal, session)).record)
        work = api.run(desk.workspace, desk.journal, session, panel=how.panel, watch=watched)
        return desk.run(until_stopped(work, watched, FAREWELL))

    def answer(self, result: Result) -> bool:
        """Ask the person all open asks; False if the person stops, in which case the unsent text is kept."""
        from quorate import api
        from quorate.cli.deliberate import ask_person
        from quorate.protocols.roundtable.command.questions import BRIEFS

        for ask in result.waiting:
            if ask.brief not in BRIEFS:  # a person sits on a persona's seat too
                return ask_person(self.desk, result, self.unsent)
            data = self._asked(ask, result)
            if data is None:
                return False
            desk = self.desk
            mine = desk.run(api.answer(desk.workspace, desk.journal, result.session, str(ask.id), data))
            if not mine:
                err("Somebody has answered this in the meantime; the first answer counts.")
            self.shown.catch_up(desk.run(api.load(desk.workspace, desk.journal, result.session)).record, typed=mine)
        return True

    def _asked(self, ask: Ask, result: Result) -> dict[str, Any] | None:
        """Return the person's answer; None if the person or a signal stops it."""
        from quorate.cli.deliberate import Unseen
        from quorate.cli.drive import Watched, until_stopped
        from quorate.protocols.roundtable.command.prompt import Stopped

        work = self.asking.ask(ask, result.record)
        try:
            data: dict[str, Any] | None = self.desk.run(until_stopped(work, Watched(Unseen()), FAREWELL))
        except Stopped as stopped:
            self._keep(ask, stopped.draft)
            return None
        if data is None:  # a signal; what stands on the line is not lost either
            self._keep(ask, self.asking.draft)
        return data

    def _keep(self, ask: Ask, draft: str) -> None:
        """Save an unsent draft for when this ask comes again; a CLARIFY ask takes a choice and no text."""
        from quorate.protocols.roundtable.command.questions import CLARIFY, MENU

        if draft.strip() and ask.brief != CLARIFY:
            choice = ["choice=text"] if ask.brief == MENU else []
            self.unsent[str(ask.id)] = [*choice, f"text={draft}"]

    # The end

    def end(self, result: Result, how: How) -> int:
        """Show the result, or how to resume; returns the exit code."""
        from quorate.cli.session_result import finish, write_files

        if result.record.session.conclusion is not None or how.as_json:
            return finish(self.desk, result, how.out, as_json=how.as_json)
        for path in write_files(result, how.out) if how.out is not None else []:
            err(f"wrote {path}")
        if not self.here:
            self._tell_open(result)
        for ask in result.waiting if self.here else ():
            if unsent := self.unsent.get(str(ask.id)):
                err(f"what you were writing is not sent; to send it:\n  {self._command(result, ask, unsent)}")
        err(f"suspended: {result.session}\ngo on with:\n  {self.desk.place.command('resume', result.session)}")
        return SUSPENDED

    def _tell_open(self, result: Result) -> None:
        """Show what the person is asked, and the exact command for every answer."""
        from quorate.protocols.roundtable.command.questions import CLARIFY, MENU, TURN, answers
        from quorate.protocols.roundtable.world.roundtable import at_table

        for ask in result.waiting:
            self.asking.show(ask, result.record)
            what = at_table(result.record).count if ask.brief == TURN else ask.brief
            err(f"\nwaiting for {ask.seat} ({what}, ask {ask.id}); answer with")
            if ask.brief in (MENU, CLARIFY):
                for says, data in answers(ask, result.record).items():
                    err(f"  {self._answer(result, ask, data)}   # {says}")
            if ask.brief != CLARIFY:
                err(f"  {self._command(result, ask, ['choice=text'] if ask.brief == MENU else [])}")

    def _command(self, result: Result, ask: Ask, given: Sequence[str]) -> str:
        """Return the command for an answer, with placeholders for missing texts."""
        from quorate.cli.session_result import answer_command

        return answer_command(self.desk.place, result, ask, given) + " --resume"

    def _answer(self, result: Result, ask: Ask, data: dict[str, str]) -> str:
        sets = [word for name, value in data.items() for word in ("--set", f"{name}={value}")]
        return self.desk.place.command("answer", result.session, str(ask.id), *sets, "--resume")
