"""The rules of the workshop: pure functions and values, numbered as in RULES.md."""
