"""Red-team attacks on the review, and measurements of it."""
