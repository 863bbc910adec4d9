"""Exit codes that mean the same under every protocol. Each protocol's table says what its verdicts end with.

Each is written here and nowhere else; the reference of exit codes is made of these docstrings.
"""

from __future__ import annotations

OWED = 1
"""Concluded favourably, but something is owed, such as a patch that has to be applied."""
SUSPENDED = 4
"""Suspended: it waits for an answer, or was interrupted and can be resumed."""
DEGRADED = 5
"""Concluded, but degraded below what the settings allow; takes precedence over 0, 1 and 2."""
NOT_RECORDED = 6
"""`redecide` alone: the other settings would have asked something that was not recorded."""
USAGE = 64
"""A wrong command, option, setting or session name; a rule that does not allow what was asked."""
BAD_INPUT = 65
"""A file that cannot be used: problem, panel, script, answers, bundle."""
INTERNAL = 70
"""An internal error, a store that cannot be read or written, or a session that is damaged."""
INTERRUPTED = 130
"""Ended by Ctrl-C where there was no session to suspend."""  # what shells say of a program that it ended
