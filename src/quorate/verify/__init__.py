"""Model checking: walks every reachable state of a protocol through the engine that also runs it.

`verify` (checks.py) gives nine results, each proven, bounded or failed, and a failure comes with a shortest
counterexample, told step by step. Read explore.py for the walk, symmetry.py and options.py for what it leaves out and
why that is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.verify.bounds import Figure
    from quorate.verify.checks import verify
    from quorate.verify.report import Profile, ProofResult, ProofStatus, Report
    from quorate.verify.story import Story

__all__ = ["Figure", "Profile", "ProofResult", "ProofStatus", "Report", "Story", "verify"]

# The diagram of a protocol, which every HTML report shows, needs none of the proof.
_MODULES = {
    "bounds": ("Figure",),
    "checks": ("verify",),
    "report": ("Profile", "ProofResult", "ProofStatus", "Report"),
    "story": ("Story",),
}
__getattr__ = lazily(__name__, {name: module for module, names in _MODULES.items() for name in names})
