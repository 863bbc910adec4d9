"""The review of a code change by a committee with vetoes and a quorum (seed 000).

Read RULES.md, then in rules/: model.py (the nouns), forms.py (what seats fill in), ballot_count.py (what a ballot comes
to), protocol.py (the verbs and the table), views.py (who sees what). invariants.py states what must never happen, for
the proof; rules/result/ reads from a record what a session came to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.lazy_names import lazily

if TYPE_CHECKING:
    from quorate.protocols.review.definition import DEFINITION as DEFINITION
    from quorate.protocols.review.definition import build as build

# Whoever needs a noun of this room need not load all of it.
__getattr__ = lazily(__name__, {"DEFINITION": "definition", "build": "definition"})
