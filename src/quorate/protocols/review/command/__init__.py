"""The commands `quorate review` and `quorate triage`."""

from quorate.cli.commands import CommandEntry

REVIEW = CommandEntry(
    "Let a committee with vetoes review a code change.",
    "quorate.protocols.review.command.review:review",
    rank=20,
    examples=("quorate review --base main --out result",),
)
TRIAGE = CommandEntry(
    "Say which changed functions to look at first.",
    "quorate.protocols.review.command.triage:triage",
    rank=21,
)
