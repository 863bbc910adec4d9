"""The command `quorate review`."""

from quorate.cli.commands import CommandEntry

REVIEW = CommandEntry(
    "Let a committee with vetoes review a code change.",
    "quorate.protocols.review.command.review:review",
    rank=20,
    examples=("quorate review --base main --out result",),
)
