"""The rules of the debate: pure functions and values, numbered as in RULES.md."""
