"""The command line: it translates between a terminal and the use cases of `quorate.api`, and decides nothing."""
