"""Fixtures of worth: debates played out by hand."""

from tests.support.played_debate import debate, full

__all__ = ["debate", "full"]
