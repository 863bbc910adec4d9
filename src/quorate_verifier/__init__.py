"""Checks an evidence bundle without the program that made it: seal, tallies, verdict and signature.

It needs Python alone and imports nothing of Quorate. `seal` follows the chain of hashes; `frame` walks through the
moves; `debate`, `review`, `council`, `workshop` and `roundtable` each say, by the numbered rules of that protocol, who
has to be asked and what has to follow from the replies; `ed25519` and `signature` check who signed.
What a bundle states is compared with what follows. Nothing that stands in it is believed, and nothing in it can make
the verifier raise.
"""

from __future__ import annotations

from quorate_verifier.report import Difference, Report
from quorate_verifier.verify import verify, verify_file

__all__ = ["Difference", "Report", "verify", "verify_file"]
