"""Fixtures of the store: a small debate, and a journal of a whole run of it."""

from tests.support.debate_journal import debate, journal_of, make_debate, material, rechain

__all__ = ["debate", "journal_of", "make_debate", "material", "rechain"]
