"""The Python interface: a session is opened, watched, answered and read from a program, with `await` or without.

Read deliberation.py (one session), place.py (where sessions are opened), then sync.py: the same without `await`, which
adds nothing but a thread. `quorate/__init__.py` gives the names.
"""
