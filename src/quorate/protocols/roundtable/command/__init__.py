"""The command `quorate roundtable`, and the conversation that it leads at a terminal."""

from quorate.cli.commands import CommandEntry

ROUNDTABLE = CommandEntry(
    "Elaborate on a topic with personas, and keep what came of it.",
    "quorate.protocols.roundtable.command.roundtable:roundtable",
    rank=50,
    examples=('quorate roundtable "Which errors may a client see?" --docs docs/search',),
    leads="quorate.protocols.roundtable.command.conversation:converse",
)
