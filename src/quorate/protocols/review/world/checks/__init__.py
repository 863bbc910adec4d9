"""The deterministic checks of a code change: each passes, fails or is skipped with its reason."""
