"""Observability: traces, logs and metrics of sessions. Off by default."""
