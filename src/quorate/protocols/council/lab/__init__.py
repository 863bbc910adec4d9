"""Red-team attacks on the council, and measurements of it."""
