"""HTTP API: translates requests into calls of `quorate.api` and results into JSON; contains no business logic."""
