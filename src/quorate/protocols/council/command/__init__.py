"""The commands `quorate council` and `quorate audit`."""

from quorate.cli.commands import CommandEntry

COUNCIL = CommandEntry(
    "Let three reviewers with drawn lenses decide on an RFC.",
    "quorate.protocols.council.command.council:council",
    rank=30,
    examples=("quorate council documents/rfcs/RFC-0042 --out result",),
    after_init="quorate.protocols.council.command.advice:after_init",
)
AUDIT = CommandEntry(
    "Check any council bundle against the rules of the council.",
    "quorate.protocols.council.command.audit:audit",
    section="Sessions",
)
