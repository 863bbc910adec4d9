"""The protocols: one folder each, pure, and none imports another."""
