"""The rules of the review: pure functions and values, numbered as in RULES.md."""
