"""Sessions on Temporal: a workflow runs the pure core, each ask is an activity, and the journal stays the truth."""
