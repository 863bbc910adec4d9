"""The rules of the council: pure functions and values, numbered as in RULES.md."""
