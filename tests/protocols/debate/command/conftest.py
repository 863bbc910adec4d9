"""A project of its own for every test, as for the other commands."""

from tests.cli.conftest import shell

__all__ = ["shell"]
