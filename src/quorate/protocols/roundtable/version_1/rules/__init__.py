"""The rules of the roundtable: pure functions and values, numbered as in RULES.md."""
