"""Reads a code change from git or from a diff: what changed, what is reviewed, what is left out and why."""
