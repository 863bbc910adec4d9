"""The command `quorate debate`."""

from quorate.cli.commands import CommandEntry

DEBATE = CommandEntry(
    "Let agents debate a problem and a judge synthesise.",
    "quorate.protocols.debate.command.debate:debate",
    rank=10,
    examples=(
        'quorate debate "How should we store audit logs?"',
        "quorate debate -f problem.md --context . --clarify --out result",
    ),
)
