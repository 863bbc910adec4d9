"""Command line: translates between a terminal and `quorate.api`; contains no business logic."""
