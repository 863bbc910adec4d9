"""The protocols: one folder each. Their rules are pure, and no protocol imports another."""
