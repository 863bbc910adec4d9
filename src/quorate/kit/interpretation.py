"""How votes become a verdict: by a protocol's rules, or by the literal text of its seed."""

from __future__ import annotations

from enum import Enum


class Interpretation(Enum):
    """The value of the setting `reading`. Fates, coverage and traces are the same under both."""

    RULES = "rules"
    """The protocol's RULES.md, which names each departure from the seed with its reason."""
    SEED = "seed"
    """The seed's text, where it is explicit."""
