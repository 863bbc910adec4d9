"""Checks an evidence bundle without the program that made it: seal, tallies, verdict and signature.

It needs Python alone and imports nothing of Quorate. `seal` follows the chain of hashes; `walk` goes through the
entries and derives every ask and move; `debate`, `review`, `council` (with `docket` and `finding`), `workshop` (with
`course`, `agenda` and `artifact`) and `roundtable` (with `conversation` and `table`) each say, by the numbered rules
of that protocol, who has to be asked and what has to follow from the replies; `stated` compares what a bundle states
with what follows; `vocabulary` has the names that are known, beside which nothing is verified; `ed25519` and
`signature` check who signed. Nothing that stands in a bundle is believed, and nothing in it makes the verifier raise.
"""

from __future__ import annotations

from quorate_verifier.report import Difference, Report
from quorate_verifier.verify import verify, verify_file

__all__ = ["Difference", "Report", "verify", "verify_file"]
