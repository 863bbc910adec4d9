"""The HTTP interface: translates requests into calls of the use cases and their results into JSON; decides nothing."""
