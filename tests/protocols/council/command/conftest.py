"""The project and its command line, as the tests of the other commands have them."""

from tests.cli.conftest import shell

__all__ = ["shell"]
