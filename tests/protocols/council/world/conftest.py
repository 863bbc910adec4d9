"""The workspace and its store, as the tests of the use cases have them."""

from tests.api.conftest import journal, workspace

__all__ = ["journal", "workspace"]
