"""Python API: open, run, follow, answer and read sessions from a program, async or sync.

Read deliberation.py (one session), place.py (where sessions are opened), then sync.py: the same without `await`, which
adds nothing but a thread. `quorate/__init__.py` gives the names.
"""
