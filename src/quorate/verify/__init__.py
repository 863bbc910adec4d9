"""Model checking: walks every reachable state of a protocol through the engine that also runs it.

`verify` (checks.py) gives nine results, each proven, bounded or failed, and a failure comes with a shortest
counterexample, told step by step. Read explore.py for the walk, symmetry.py and options.py for what it leaves out and
why that is allowed.
"""

from quorate.verify.bounds import Figure
from quorate.verify.checks import verify
from quorate.verify.report import Profile, Report, Result, Status
from quorate.verify.story import Story

__all__ = ["Figure", "Profile", "Report", "Result", "Status", "Story", "verify"]
