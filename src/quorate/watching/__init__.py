"""Watching it run: what happens in sessions, told as traces, logs and metrics. Off by default."""
