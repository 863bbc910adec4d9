"""The command line. It translates between a person's terminal and the use cases of `quorate.api`, and decides nothing."""
