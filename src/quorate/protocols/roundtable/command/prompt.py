"""The terminal prompt: multi-line input, in-memory history, and completion of names and commands."""

from __future__ import annotations

import os
import re
import select
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus, is_searching
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import create_output
from prompt_toolkit.styles import Style

from quorate.cli.ask import PASTED_WITHIN, Stop
from quorate.cli.output import is_terminal

if TYPE_CHECKING:
    from prompt_toolkit.output import Output

MENU_ROWS = 6
"""Rows that are kept free for completions, the line itself included."""
COMMANDS = {"/done": "end the discussion and sum it up", "/help": "what you can write here", "/who": "who is here"}
LOOK = Style.from_dict({"you": "bold", "count": "ansibrightblack", "late": "ansiyellow bold"})
_WORD = re.compile(r"\w+\Z")


class Stopped(Stop):
    """The person stopped; `draft` is the unsent text."""

    def __init__(self, draft: str = "") -> None:
        super().__init__(draft)
        self.draft = draft


class Names(Completer):
    """Completes commands at the start, and first names; a name at the start gets a comma, since it is an address."""

    def __init__(self, people: Mapping[str, str], commands: Mapping[str, str]) -> None:
        self.people, self.commands = people, commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        if before.startswith("/"):
            for command, says in self.commands.items():
                if command.startswith(before) and command != before:
                    yield Completion(command, -len(before), display_meta=says)
            return
        found = _WORD.search(before)
        if found is None:
            return
        word, opens = found[0], not before[: found.start()].strip()
        if not opens and not complete_event.completion_requested and (len(word) < 2 or not word[0].isupper()):
            return  # in the middle of a sentence names are offered unasked only where one seems to be meant
        for name, role in self.people.items():
            if name.casefold().startswith(word.casefold()):
                yield Completion(f"{name}, " if opens else name, -len(word), display=name, display_meta=role)


class Prompt:
    """Asks for texts at the terminal, with a history on the arrow keys."""

    def __init__(
        self,
        people: Mapping[str, str],
        *,
        commands: Mapping[str, str] = COMMANDS,
        past: Iterable[str] = (),
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            completer=Names(people, commands),
            complete_while_typing=True,
            reserve_space_for_menu=min(MENU_ROWS, _rows() // 2),
            history=InMemoryHistory(list(past)),
            key_bindings=_keys(),
            multiline=True,
            prompt_continuation="… ",
            style=LOOK,
            output=_screen(),
            interrupt_exception=Stopped,
            eof_exception=Stopped,
        )

    async def ask(self, count: str, label: str = "you", *, late: bool = False, draft: str = "") -> str:
        """Return what the person writes; Ctrl-C, Ctrl-D and a signal raise Stopped with the unsent text.

        `count` stands on a line above, in the colour of a warning where it is late.
        """
        before = [("class:late" if late else "class:count", f"\n{count}\n")] if count else []
        try:
            return await self._session.prompt_async([*before, ("class:you", f"{label}> ")], default=draft)
        except EOFError as error:  # the terminal has gone away
            raise Stopped(self.draft) from error

    @property
    def draft(self) -> str:
        """The current, unsent input."""
        return self._session.default_buffer.text


def _rows() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).lines
    except (OSError, ValueError):
        return 24


def _screen() -> Output:
    """Return an output on stderr, where the conversation goes; stdout is for the result."""
    output = create_output(stdout=sys.stderr)
    # Nothing below needs to know where the cursor stands, and terminals that cannot say it would be warned about.
    if hasattr(output, "enable_cpr"):
        output.enable_cpr = False
    return output


def _keys() -> KeyBindings:
    keys = KeyBindings()
    here = has_focus(DEFAULT_BUFFER) & ~is_searching

    @keys.add("enter", filter=here)
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        chosen = buffer.complete_state is not None and buffer.complete_state.current_completion is not None
        if chosen and not buffer.text.startswith("/"):
            buffer.complete_state = None  # a name was chosen; the text is not finished with it
        elif buffer.document.text_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()  # it says that the text goes on, and is no part of it
            buffer.insert_text("\n")
        elif _more_waits(event):
            buffer.insert_text("\n")  # pasted lines stay together
        else:
            buffer.validate_and_handle()

    @keys.add("escape", "enter", filter=here)
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    @keys.add("c-c", filter=has_focus(DEFAULT_BUFFER))
    @keys.add("<sigint>")
    def _(event: KeyPressEvent) -> None:
        event.app.exit(exception=Stopped(event.app.current_buffer.text), style="class:aborting")

    return keys


def _more_waits(event: KeyPressEvent) -> bool:
    """Whether more input is pending, as from a paste in a terminal without bracketed paste."""
    if event.key_processor.input_queue:
        return True
    if os.name != "posix" or not is_terminal(sys.stdin):
        return False
    ready, _, _ = select.select([sys.stdin], [], [], PASTED_WITHIN)
    return bool(ready)
