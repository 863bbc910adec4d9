"""Approve new third-party dependencies: code screens them, reviewers vote blind, an owner decides where they differ."""

from quorate.authoring import CommandEntry

COMMAND = CommandEntry(
    "Approve new third-party dependencies of a project.",
    "dependencies.command:dependencies",
    examples=("quorate dependencies requirements.txt --before old/requirements.txt",),
)
"""Read for `quorate --help`, so nothing else of the package is imported here."""
