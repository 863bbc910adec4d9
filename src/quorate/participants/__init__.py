"""Participants that can hold a seat: provider models, the embedded model, people, scripts and deterministic checks."""
