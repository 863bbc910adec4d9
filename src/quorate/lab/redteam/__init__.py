"""The red team: fixed material with injected attacks, panels that obey them, and invariants that must still hold."""
