"""The command `quorate workshop`."""

from quorate.cli.commands import CommandEntry

WORKSHOP = CommandEntry(
    "Work out a specification, a design or ideas with a facilitator.",
    "quorate.protocols.workshop.command.workshop:workshop",
    rank=40,
    examples=('quorate workshop specs "An audit log for a small shop" --out result',),
)
