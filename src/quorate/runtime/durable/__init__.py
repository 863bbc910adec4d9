"""Deliberations on Temporal: the pure core runs in a workflow, each ask is an activity, the journal stays the truth."""
