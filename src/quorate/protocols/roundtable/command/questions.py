"""Asking the person at the terminal: the menu, a turn, and what was meant by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quorate.cli.text import count, one_line
from quorate.protocols.roundtable.command.prompt import COMMANDS, Prompt

if TYPE_CHECKING:
    from quorate.core.record import Record
    from quorate.core.types import Ask
    from quorate.protocols.roundtable.command.stage import Printer
    from quorate.protocols.roundtable.world.roundtable import Table

MENU, TURN, CLARIFY = "menu", "turn", "clarify"
BRIEFS = (MENU, TURN, CLARIFY)
CHOICES = {"e": "elaborate", "c": "continue", "s": "skip"}
SAYS = {"elaborate": "talk it over", "continue": "go on with the work", "skip": "skip the rest of the phase"}
MEANT = {"y": "exit", "yes": "exit", "n": "go_on", "no": "go_on"}
GREETING = ("Earlier elaborations", "What came of the last one")
"""Sections of the menu's view that are shown above it once."""
HELP = """\
Write whatever you like and press Enter; it costs one turn.
- Begin with a first name to ask one of them: "Alex, what would that cost?" Tab completes names.
- "everyone" or "all of you" asks all of them.
- You have the word after three of them at the latest, before the last turn, and when the turns are used up.
- Enter alone says nothing and costs no turn: the others go on. Saying nothing, passing, leading back and asking back \
are free, {free} in a row; after that leading back costs a turn, what is unclear is a contribution, and after Enter \
alone you are asked whether to wrap up. A turn spent begins the count anew.
- Alt-Enter, or a backslash at the end, begins a new line; pasted lines stay together.
- /done (or /exit, /quit, done, wrap up) ends the discussion: it is summed up and added to the documents.
- /who says who is here. Arrow keys fetch what you wrote before.
- Ctrl-C suspends; nothing that was said is lost, and `quorate resume` goes on."""
MENU_HELP = """\
Press a letter and Enter, or write the word.
- E talks about the topic with the personas. C goes on with your work.{skip}
- Anything else that you write is kept as feedback, and the menu comes again.
- Ctrl-C suspends; `quorate resume` comes back here."""
ASKS_HELP = ("/help", "help", "?", "/?", "h")
LEAVE = "That is not feedback: C goes on with your work and leaves, Ctrl-C suspends."


@dataclass
class Asking:
    """Asks one person everything, with an in-memory history of earlier input."""

    stage: Printer
    summed: Callable[[], bool]
    """Whether the person has been shown what came of the last elaboration."""
    past: list[str] = field(default_factory=list)
    """Earlier turns of the person, the oldest first."""
    _prompts: dict[str, Prompt] = field(default_factory=dict)
    _latest: Prompt | None = None
    _greeted: bool = False

    @property
    def draft(self) -> str:
        """The unsent text."""
        return self._latest.draft if self._latest is not None else ""

    async def ask(self, ask: Ask, record: Record) -> dict[str, Any]:
        """Return the answer to an ask as its form's data; raises Stopped if the person stops."""
        from quorate.protocols.roundtable.rules.model import Step
        from quorate.protocols.roundtable.world.roundtable import at_table, cast_of

        self.show(ask, record)
        table = at_table(record)
        if ask.brief == MENU:
            return await self._menu(ask, table)
        if ask.brief == CLARIFY:
            return await self._clarify(silent=record.session.state.step is Step.CONFIRM)
        free = cast_of(record).settings.free_moves
        help_ = HELP.format(free=count(free, "such move"))
        return await self._turn(ask, table, help_, last=record.session.state.step is Step.LAST)

    def show(self, ask: Ask, record: Record) -> None:
        """Show what the person has to know and has not been told: at the first menu what it is about (T6)."""
        if ask.brief != MENU or self._greeted:
            return
        self._greeted = True
        sections = {section.title: section.text for section in record.protocol.view(record, ask).sections}
        self.stage.topic(sections["Topic"], sections.get("Item", ""))
        for title in GREETING[: 1 if self.summed() else None]:
            if title in sections:
                self.stage.block(title, "\n".join(f"- {one_line(line)}" for line in sections[title].splitlines()))

    def _prompt(self, brief: str, table: Table | None = None) -> Prompt:
        if brief not in self._prompts:
            people = {each.first: each.role for each in table.personas} if table is not None else {}
            commands = COMMANDS if brief == TURN else {"/help": COMMANDS["/help"]}
            self._prompts[brief] = Prompt(people, commands=commands, past=self.past if brief == TURN else ())
        self._latest = self._prompts[brief]
        return self._latest

    # The menu

    async def _menu(self, ask: Ask, table: Table) -> dict[str, Any]:
        prompt, draft = self._prompt(MENU), ""
        while True:
            self.stage.block("", menu(table, self.stage.width))
            text = (await prompt.ask("", draft=draft)).strip()
            draft, choice = "", chosen(text)
            if not text:
                self.stage.notice("Nothing was chosen.")
            elif text.casefold() in ASKS_HELP:
                skip = "" if table.boundary else " S skips the rest of the phase."
                self.stage.block("", MENU_HELP.format(skip=skip))
            elif leaves(text):
                self.stage.notice(LEAVE)
            elif text.startswith("/"):
                self.stage.notice(f"There is no {one_line(text, 40)} at the menu; /help says what there is.")
            elif choice == "elaborate" and not table.elaborable:
                self.stage.notice("There have been enough elaborations in this session; C continues.")
            elif choice == "skip" and table.boundary:
                self.stage.notice("The phase ends here, so there is nothing to skip; C continues.")
            elif choice is None and len(text) > most(ask):
                draft = self._too_long(text, most(ask))
            else:
                if choice is None:
                    self.stage.notice("Kept as feedback.")
                return {"text": "" if choice else text, "choice": choice or "text"}

    # A turn

    async def _turn(self, ask: Ask, table: Table, help_: str, *, last: bool) -> dict[str, Any]:
        prompt, draft = self._prompt(TURN, table), ""
        while True:
            text = (await prompt.ask(table.count, late=table.late, draft=draft)).strip()
            draft, command = "", text.casefold()
            if command == "/help":
                self.stage.block("", help_)
            elif command == "/who":
                self._who(table)
            elif (unknown := not_a_command(text)) is not None:
                self.stage.notice(unknown)
            elif len(text) > most(ask):
                draft = self._too_long(text, most(ask))
            else:
                if not text:
                    self.stage.notice("You say nothing more." if last else "You say nothing; the others go on.")
                return {"text": text}

    def _who(self, table: Table) -> None:
        lines = [f"- {each.name}, {each.role}{', leads' if each == table.lead else ''}" for each in table.personas]
        self.stage.block("", "\n".join([*lines, "- you"]))

    def _too_long(self, text: str, limit: int) -> str:
        self.stage.notice(f"That has {len(text):,} characters; at most {limit:,} fit. It stands here to be shortened.")
        return text

    # What was meant

    async def _clarify(self, *, silent: bool) -> dict[str, Any]:
        prompt = self._prompt(CLARIFY)
        while True:
            self.stage.block("", f"{'Nothing is said any more. ' if silent else ''}Shall we wrap up? yes or no", "bold")
            text = (await prompt.ask("")).strip().casefold()
            if text in MEANT:
                return {"choice": MEANT[text]}
            if leaves(text):
                return {"choice": MEANT["yes"]}
            self.stage.notice("Please say yes to wrap up, or no to go on.")


def menu(table: Table, width: int) -> str:
    """Return the menu as it is offered now (T4): on one line where it fits, else a line to each choice."""
    parts = ["[E] Elaborate"] if table.elaborable else []
    parts += ["[C] Continue"] if table.boundary else ["[C] Continue", "[S] Skip the rest of the phase"]
    line = "  ".join(parts) + ", or write something"
    return line if len(line) < width - 2 else line.replace("  ", "\n")


def chosen(text: str) -> str | None:
    """Return the choice for a letter or a word; None for other text."""
    word = text.strip("[] ").casefold()
    return CHOICES.get(word) or (word if word in CHOICES.values() else None)


def leaves(text: str) -> bool:
    """Whether all that is written at the menu is a word or a command that ends things: it is not meant to be kept."""
    from quorate.protocols.roundtable.rules.exits import BARE
    from quorate.protocols.roundtable.rules.farewell import is_command

    words = tuple(text.casefold().strip(".! ").split())
    return is_command(text) or words == ("q",) or words in BARE


def not_a_command(text: str) -> str | None:
    """Return what to say to a text that looks like a command and is none (T31); an exit is said at the table."""
    from quorate.core.errors import nearest
    from quorate.protocols.roundtable.rules.farewell import is_no_command

    if not is_no_command(text) or text.casefold() in COMMANDS:
        return None
    command = text.split(maxsplit=1)[0]
    near = nearest(command, COMMANDS)
    told = f"did you mean {near}?" if near else f"there are {', '.join(COMMANDS)}."
    return f"There is no {one_line(command, 40)}; {told}"


def most(ask: Ask) -> int:
    """Return how many characters the form's text may have."""
    from quorate.core.shapes import Text, shape_of

    return next(each.shape.most for each in shape_of(ask.form).fields if isinstance(each.shape, Text))


def answers(ask: Ask, record: Record) -> dict[str, dict[str, str]]:
    """Return the answers that can be given without writing a text, as data by what they mean."""
    from quorate.protocols.roundtable.rules.model import Step
    from quorate.protocols.roundtable.world.roundtable import at_table

    if ask.brief == CLARIFY:
        silent = record.session.state.step is Step.CONFIRM
        return {"wrap up": {"choice": "exit"}, "go on" if silent else "it was a contribution": {"choice": "go_on"}}
    table = at_table(record)
    offered = [name for name in CHOICES.values() if (name != "elaborate" or table.elaborable)]
    offered = [name for name in offered if name != "skip" or not table.boundary]
    return {SAYS[name]: {"choice": name, "text": ""} for name in offered}


def turns_of(record: Record) -> list[str]:
    """Return what the person has said in this session, the oldest first."""
    from quorate.protocols.roundtable.world.roundtable import LineKind, transcript

    return [line.text for line in transcript(record) if line.kind is LineKind.USER]
